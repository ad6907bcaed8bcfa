//! How deep the elements of a page are nested, without parsing it.

use std::collections::HashMap;

/// Elements that never have content.
const VOID: &[&str] = &[
    "area", "base", "basefont", "bgsound", "br", "col", "embed", "frame", "hr", "img", "input", "keygen",
    "link", "meta", "param", "source", "track", "wbr",
];
/// Elements that end where the next of their kind begins, unless something that is counted stands between.
const IMPLIED: &[&str] = &[
    "html", "head", "body", "p", "li", "dt", "dd", "option", "optgroup", "tr", "td", "th", "thead", "tbody",
    "tfoot", "colgroup", "caption", "rb", "rt", "rtc", "rp",
];
/// Elements whose content is no markup.
const RAW: &[&str] = &["script", "style", "textarea", "title", "xmp", "noembed", "noframes", "plaintext"];

/// The deepest nesting, or `enough` as soon as it is reached. Never less than half of what a parser would build: an
/// end tag counts only against a start tag of the same name.
pub(super) fn depth(html: &str, enough: usize) -> usize {
    let mut open: HashMap<String, usize> = HashMap::new();
    let (mut depth, mut deepest) = (0_usize, 0);
    for tag in (Tags { html, position: 0 }) {
        let name = tag.name.as_str();
        if VOID.contains(&name) || IMPLIED.contains(&name) {
            continue;
        }
        let count = open.entry(tag.name).or_default();
        match tag.end {
            true if *count > 0 => (*count, depth) = (*count - 1, depth - 1),
            true => {}
            false => (*count, depth) = (*count + 1, depth + 1),
        }
        deepest = deepest.max(depth);
        if deepest >= enough {
            return enough;
        }
    }
    deepest
}

pub(super) struct Tag {
    /// In lower case.
    pub(super) name: String,
    pub(super) end: bool,
    /// From `<` to behind `>`.
    pub(super) span: std::ops::Range<usize>,
}

/// The tags of a page in order; comments and the content of scripts are passed over.
pub(super) struct Tags<'a> {
    pub(super) html: &'a str,
    pub(super) position: usize,
}

impl Iterator for Tags<'_> {
    type Item = Tag;

    fn next(&mut self) -> Option<Tag> {
        loop {
            let start = self.position + self.html.get(self.position..)?.find('<')?;
            let rest = &self.html[start + 1..];
            if let Some(comment) = rest.strip_prefix("!--") {
                self.position = start + 4 + comment.find("-->").map_or(comment.len(), |end| end + 3);
                continue;
            }
            let end = rest.starts_with('/');
            let named = &rest[usize::from(end)..];
            let length = named.bytes().position(|byte| byte.is_ascii_whitespace() || b"/><".contains(&byte));
            let name = &named[..length.unwrap_or(named.len())];
            if !name.starts_with(|letter: char| letter.is_ascii_alphabetic()) {
                self.position = start + 1;
                continue;
            }
            let close = start + 1 + end_of_tag(rest);
            self.position = close;
            let name = name.to_ascii_lowercase();
            if !end && RAW.contains(&name.as_str()) {
                self.position = close + raw_length(&self.html[close..], &name);
            }
            return Some(Tag { name, end, span: start..close });
        }
    }
}

/// How far a tag goes: quoted values may hold `>`.
fn end_of_tag(rest: &str) -> usize {
    let mut quote = None;
    let mut after_equals = false;
    for (at, byte) in rest.bytes().enumerate() {
        match (quote, byte) {
            (None, b'>') => return at + 1,
            (None, b'"' | b'\'') if after_equals => quote = Some(byte),
            (Some(open), byte) if open == byte => quote = None,
            _ => {}
        }
        after_equals = byte == b'=' || (after_equals && byte.is_ascii_whitespace());
    }
    rest.len()
}

/// The bytes up to the end tag of an element whose content is no markup.
fn raw_length(html: &str, name: &str) -> usize {
    let closes = |at: &usize| {
        html.as_bytes()
            .get(at + 2..at + 2 + name.len())
            .is_some_and(|found| found.eq_ignore_ascii_case(name.as_bytes()))
    };
    html.match_indices("</").map(|(at, _)| at).find(closes).unwrap_or(html.len())
}

#[cfg(test)]
mod tests {
    #[test]
    fn elements_are_counted() {
        let depth = |html: &str| super::depth(html, 1000);
        assert_eq!(depth("<div><b>x</b><br><img src=x></div>"), 2);
        assert_eq!(depth("<p>a<p>b<p>c<ul><li>d<li>e</ul>"), 1);
        assert_eq!(depth("<script>'<div><div>'</script><!-- <div> --><div title='>'>"), 1);
        assert_eq!(depth("a < b <3 <div"), 1);
        assert_eq!(depth(&"<div></span>".repeat(50)), 50, "end tags of nothing end nothing");
        assert_eq!(depth(&"<b><div></b>".repeat(50)), 51, "nor do those of something else");
        assert_eq!(depth(&"<div>x</div>".repeat(5000)), 1);
        assert_eq!(depth(&"<div>".repeat(5000)), 1000);
    }
}
