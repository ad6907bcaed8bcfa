//! The bare text of a page, for those that cannot be laid out.

use super::nesting::Tags;

/// Elements that begin a new line.
const BLOCKS: &[&str] = &[
    "address",
    "article",
    "aside",
    "blockquote",
    "br",
    "dd",
    "div",
    "dl",
    "dt",
    "fieldset",
    "figure",
    "footer",
    "form",
    "h1",
    "h2",
    "h3",
    "h4",
    "h5",
    "h6",
    "header",
    "hr",
    "li",
    "main",
    "nav",
    "ol",
    "p",
    "pre",
    "section",
    "table",
    "td",
    "th",
    "title",
    "tr",
    "ul",
];
/// Elements whose content is nothing to read.
const HIDDEN: &[&str] = &["script", "style", "textarea", "noembed", "noframes"];

pub(super) fn text(html: &str) -> String {
    let mut text = String::new();
    let mut from = 0;
    let mut tags = Tags { html, position: 0 };
    while let Some(tag) = tags.next() {
        push(&mut text, &html[from..tag.span.start]);
        if BLOCKS.contains(&tag.name.as_str()) && !text.ends_with('\n') && !text.is_empty() {
            text.push('\n');
        }
        from = if !tag.end && HIDDEN.contains(&tag.name.as_str()) { tags.position } else { tag.span.end };
    }
    push(&mut text, &html[from.min(html.len())..]);
    text.truncate(text.trim_end().len());
    text
}

/// Adds words with single spaces between them.
fn push(text: &mut String, piece: &str) {
    let piece = if piece.contains("<!--") { without_comments(piece) } else { piece.to_owned() };
    for word in unescape(&piece).split_whitespace() {
        if !text.is_empty() && !text.ends_with(char::is_whitespace) {
            text.push(' ');
        }
        text.push_str(word);
    }
}

fn without_comments(piece: &str) -> String {
    let mut rest = piece;
    let mut kept = String::new();
    while let Some((before, after)) = rest.split_once("<!--") {
        kept.push_str(before);
        rest = after.split_once("-->").map_or("", |(_, after)| after);
    }
    kept + rest
}

/// The few entities that are in every text.
fn unescape(text: &str) -> String {
    if !text.contains('&') {
        return text.to_owned();
    }
    let known =
        [("&lt;", "<"), ("&gt;", ">"), ("&quot;", "\""), ("&#39;", "'"), ("&nbsp;", " "), ("&amp;", "&")];
    known.iter().fold(text.to_owned(), |text, (entity, letter)| text.replace(entity, letter))
}

#[cfg(test)]
mod tests {
    #[test]
    fn tags_are_left_out() {
        let html = "<title>T</title><style>p{}</style><div>a <b>b</b>&amp;c<!-- no <p> --></div><p>d<script>x<1</script>";
        assert_eq!(super::text(html), "T\na b &c\nd");
    }
}
