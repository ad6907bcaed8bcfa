//! Changes, line by line in colour.

use crate::markup::Html;

/// Is this text a change? It says so in its head, or most of its lines are marked.
pub(crate) fn is_diff(text: &str) -> bool {
    let mut lines = text.lines().take(40);
    let has_head = lines
        .clone()
        .zip(text.lines().skip(1))
        .any(|(first, second)| first.starts_with("--- ") && second.starts_with("+++ "));
    has_head || lines.any(|line| line.starts_with("@@ ") && line[3..].contains("@@"))
}

/// Lines added and removed.
pub(crate) fn counts(text: &str) -> (usize, usize) {
    text.lines().fold((0, 0), |(added, removed), line| match class(line) {
        Some("add") => (added + 1, removed),
        Some("del") => (added, removed + 1),
        _ => (added, removed),
    })
}

/// Writes the change, one row a line.
pub(crate) fn show(text: &str, html: &mut Html) {
    html.raw("<pre class=\"diff\" tabindex=\"0\"><code>");
    for line in text.lines() {
        match class(line) {
            Some(class) => html.raw("<span class=\"").raw(class).raw("\">").text(line).raw("\n</span>"),
            None => html.text(line).raw("\n"),
        };
    }
    html.raw("</code></pre>");
}

fn class(line: &str) -> Option<&'static str> {
    match line.as_bytes() {
        [b'+', b'+', b'+', b' ', ..] | [b'-', b'-', b'-', b' ', ..] => Some("file"),
        [b'@', b'@', ..] => Some("hunk"),
        [b'+', ..] => Some("add"),
        [b'-', ..] => Some("del"),
        _ => None,
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn lines_by_their_mark() {
        let text = "--- a/x\n+++ b/x\n@@ -1,2 +1,2 @@\n same\n-old <b>\n+new\n+more\n";
        assert!(is_diff(text) && !is_diff("- a list\n- of things\n") && !is_diff("@@ nothing"));
        assert_eq!(counts(text), (2, 1));
        let mut html = Html::default();
        show(text, &mut html);
        assert!(html.as_str().contains("<span class=\"del\">-old &lt;b&gt;\n</span>"));
        assert!(html.as_str().contains("<span class=\"hunk\">@@ -1,2 +1,2 @@\n</span> same\n"));
    }
}
