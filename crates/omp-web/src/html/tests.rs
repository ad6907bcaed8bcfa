use super::*;

fn study_at(html: &str) -> Study {
    study(html, &Url::parse("http://site.test/dir/page").unwrap())
}

const SENTENCE: &str = "This is a sentence, with commas, that tells something, and there is more of it. ";

#[test]
fn an_article_comes_without_its_frame() {
    let html = format!(
        "<html><head><title>On Things</title></head><body><nav><a href=/x>Menu entry</a></nav><main><article>\
         <p>{SENTENCE}{SENTENCE}{SENTENCE} See <a href='../other'>the other</a>.</p><p>{SENTENCE}{SENTENCE}{SENTENCE}</p><p>{SENTENCE}{SENTENCE}</p>\
         <pre><code class=language-rust>let a = 1;\n\n\nlet b = 2;</code></pre></article></main>\
         <footer>Imprint</footer></body></html>"
    );
    let study = study_at(&html);
    assert!(study.article && !study.shell);
    let text = &study.markdown;
    assert!(text.starts_with("# On Things\n\nThis is a sentence"), "{text}");
    assert!(text.contains("[the other](http://site.test/other)"), "{text}");
    assert!(text.contains("```rust\nlet a = 1;\n\n\nlet b = 2;\n```"), "{text}");
    assert!(!text.contains("Menu entry") && !text.contains("Imprint"), "{text}");
}

#[test]
fn a_page_that_is_no_article_is_shown_whole() {
    let html = "<title>Index</title><script>1</script><h1>Index</h1><ul><li><a href=a>One</a><li><a href=/b>Two</a></ul>\
                <table><tr><th>n<th>v<tr><td>x<td>1</table><img src='data:image/png;base64,AAAA' alt=dot>";
    let study = study_at(html);
    let text = &study.markdown;
    assert!(
        text.starts_with("# Index\n\n- [One](http://site.test/dir/a)\n- [Two](http://site.test/b)"),
        "{text}"
    );
    assert!(text.contains("| n | v |") && !text.contains("base64"), "{text}");
    assert!(!study.article);
    assert!(study.shell, "little text and a script");
    assert!(!study_at("<p>Hello.").shell, "little text, but all of it is here");
}

#[test]
fn alternatives_are_found() {
    let html = "<head><base href='/base/'><link rel='alternate stylesheet' href=x.css>\
                <link rel=alternate type=text/markdown href=page.md><link rel=alternate type='application/rss+xml' href=feed>\
                <link rel=alternate hreflang=de href=/de></head><body><embed src=a.pdf><a href=b.docx>b</a><a href=c.html>c</a>";
    let links = study_at(html).links;
    let shown = |urls: &[Url]| urls.iter().map(|url| url.path().to_owned()).collect::<Vec<_>>();
    assert_eq!(shown(&links.markdown), ["/base/page.md"]);
    assert_eq!(shown(&links.feeds), ["/base/feed"]);
    assert_eq!(shown(&links.documents), ["/base/a.pdf", "/base/b.docx"]);
}

#[test]
fn deep_nesting_is_no_danger() {
    for page in [
        format!("{}deep{}", "<div>".repeat(100_000), "</div>".repeat(100_000)),
        format!("{}deep", "<b><div></b>".repeat(10_000)),
        format!("{}deep", "<table><tr><td>".repeat(10_000)),
        format!("{}deep", "<div>".repeat(400_000)),
        format!("{}deep", "<ul><li>".repeat(10_000)),
    ] {
        let study = study_at(&page);
        assert_eq!(study.markdown, "deep");
        assert!(study.note.is_some());
    }
    assert_eq!(fragment(&"<i>".repeat(100_000), None), "");
}

/// Unclosed paragraphs and rows are flat, however many there are.
#[test]
fn old_pages_are_laid_out() {
    let html = format!("<table>{}</table>{}", "<tr><td>a<td>b".repeat(3000), "<p>text".repeat(3000));
    let study = study_at(&html);
    assert_eq!(study.note, None);
    assert!(study.markdown.matches("text").count() == 3000);
}

#[test]
fn nearly_too_deep_is_laid_out() {
    let deep = MOST_NESTING - 1;
    let html = format!("{}x{}", "<div><p><ul><li>".repeat(deep / 2), "</ul></div>".repeat(deep / 2));
    let study = study_at(&html);
    assert!(study.note.is_none() && study.markdown.contains('x'));
}

/// Parsers compare each attribute of an element with all before it.
#[test]
fn elements_with_endless_attributes_are_no_danger() {
    let attributes: String = (0..5_000).map(|number| format!(" a{number}=x")).collect();
    let study = study_at(&format!("<div{attributes}>words</div>"));
    assert_eq!((study.markdown.as_str(), study.note.is_some()), ("words", true));
    let attributes: String = (0..100).map(|number| format!(" a{number}='> <'")).collect();
    assert_eq!(study_at(&format!("<div{attributes}>words</div>")).note, None);
    let long = format!("<p>words</p><img src='data:image/png;base64,{}'>", "A".repeat(1_000_000));
    assert_eq!(study_at(&long).note, None, "one attribute may be long");
}

/// What is never closed is begun again in every paragraph that follows.
#[test]
fn letters_that_stay_bold_are_no_danger() {
    let open: String = (0..300).map(|number| format!("<b id={number}>")).collect();
    let study = study_at(&format!("<p>{open}</p>{}", "<p>x".repeat(4_000)));
    assert!(study.note.is_some());
    assert_eq!(study.markdown.matches('x').count(), 4_000);
    let closed = "<p><b>a</b> <i><a href=x>b</a></i> <code>c</code>".repeat(4_000);
    assert_eq!(study_at(&closed).note, None);
}

/// Pages are full of small drawings, whose lines have no end tags.
#[test]
fn drawings_are_not_deep() {
    let icon = "<svg viewBox='0 0 1 1'><title>Star</title><g><path d='M0 0'/><circle r=1 /></g><use href=#a /></svg>";
    let html = format!("<p>words</p>{}", icon.repeat(1_000));
    let study = study_at(&html);
    assert_eq!(study.note, None);
    assert!(study.markdown.contains("words"));
    // A slash ends nothing where no drawing is.
    for page in [
        "<path/>".repeat(1_000),
        format!("<svg></svg>{}", "<path/>".repeat(1_000)),
        format!("<svg><foreignObject>{}", "<path/>".repeat(1_000)),
        format!("<svg><div>{}", "<path/>".repeat(1_000)),
        format!("<svg><title><i></title>{}", "<path/>".repeat(1_000)),
        format!("<svg>{}", "<g>".repeat(1_000)),
    ] {
        assert!(study_at(&page).note.is_some(), "{}", &page[..60]);
    }
}
