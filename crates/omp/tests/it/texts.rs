//! What the program makes of texts: colours of code, Markdown of pages, numbers of tokens.

use omp_syntax::highlight::{Class, highlight};
use omp_syntax::{Bounds, Language};
use omp_testkit::{Home, Page, PageServer};
use omp_tokens::{Family, estimate_for};

use crate::urls::{answers, read};

const PAGE: &str = "<html><head><title>Fruit</title></head><body><article><h1>Fruit</h1>\
    <p>Some are <strong>sweet</strong>, see <a href=\"/apples\">apples</a>.</p>\
    <ul><li>apple</li><li>pear<ul><li>nashi</li></ul></li></ul>\
    <pre><code class=\"language-rust\">let fruit = 1;</code></pre>\
    <table><tr><th>Name</th><th>Colour</th></tr><tr><td>lime</td><td>green</td></tr></table>\
    </article></body></html>";

/// The words of a text that are of a class.
fn words<'a>(text: &'a str, language: &str, class: Class) -> Vec<&'a str> {
    let language = Language::of_tag(language).expect("a known language");
    let marks = highlight(text, language, Bounds { stop: &|| false }).expect("colours");
    marks.iter().filter(|mark| mark.class == class).map(|mark| &text[mark.range.clone()]).collect()
}

/// Colours of many languages, and a word on which there are; pages as Markdown; tokens as each encoding counts them.
///
/// proves: TUI-160
#[test]
fn texts_are_coloured_converted_and_counted() {
    let names: Vec<&str> = Language::all().map(Language::name).collect();
    assert!(names.len() >= 40, "{names:?}");
    for name in
        ["bash", "c", "css", "go", "html", "java", "json", "python", "rust", "sql", "typescript", "yaml"]
    {
        assert!(names.contains(&name) && Language::of_tag(name).is_some(), "{name}");
    }
    assert_eq!(Language::of_tag("py").map(Language::name), Some("python"), "also by other names");
    assert!(Language::of_tag("klingon").is_none() && Language::of_tag("").is_none());
    let rust = "// why\nfn main() { let n = \"text\"; }";
    assert_eq!(words(rust, "rust", Class::Comment), ["// why"]);
    assert_eq!(words(rust, "rust", Class::Keyword), ["fn", "let"]);
    assert_eq!(words(rust, "rust", Class::String), ["\"text\""]);
    assert_eq!(words("def f():\n    return 42\n", "python", Class::Keyword), ["def", "return"]);
    assert_eq!(words("def f():\n    return 42\n", "python", Class::Number), ["42"]);

    let count = |text: &str| [Family::O200k, Family::Cl100k].map(|family| estimate_for(family, text));
    assert_eq!(count(""), [0, 0]);
    assert_eq!(count("hello world"), [2, 2]);
    assert_eq!(count("The quick brown fox jumps over the lazy dog."), [10, 10]);
    assert_eq!(count("नमस्ते दुनिया"), [5, 14], "each has its own words");

    let server = PageServer::start([("/fruit", Page::new("text/html", PAGE))]);
    let answers = answers(&Home::new(), vec![read(&server.url("/fruit"))]);
    let text = &answers[0].text;
    for part in [
        "# Fruit",
        "Some are **sweet**, see [apples](",
        "- apple",
        "- pear",
        "  - nashi",
        "```rust\nlet fruit = 1;\n```",
        "| Name | Colour |",
        "| lime | green |",
    ] {
        assert!(text.contains(part), "{part:?} is missing:\n{text}");
    }
    server.finish();
}
