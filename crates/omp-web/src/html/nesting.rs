//! What a page would cost a parser, without parsing it: how deep its elements are nested, how many attributes they have,
//! and how often an element that nobody closes would be begun again.

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

/// Elements that continue behind the end of their block: parsers begin them again in every block that follows.
const FORMATTING: &[&str] =
    &["a", "b", "big", "code", "em", "font", "i", "nobr", "s", "small", "strike", "strong", "tt", "u"];
/// How many elements may come to be in that way.
const MOST_REPEATED: usize = 1_000_000;
/// Attributes of one element. Parsers compare each of them with all before it.
const MOST_ATTRIBUTES: usize = 1_000;

/// Would a parser need time or memory without any relation to the size of the page?
pub(super) fn is_endless(html: &str) -> bool {
    let mut open: HashMap<String, usize> = HashMap::new();
    let (mut formats, mut repeated) = (0_usize, 0_usize);
    for tag in (Tags { html, position: 0 }) {
        if tag.attributes > MOST_ATTRIBUTES {
            return true;
        }
        if FORMATTING.contains(&tag.name.as_str()) {
            let count = open.entry(tag.name).or_default();
            match tag.end {
                true if *count > 0 => (*count, formats) = (*count - 1, formats - 1),
                true => {}
                false => (*count, formats) = (*count + 1, formats + 1),
            }
        } else if !tag.end {
            repeated += formats;
        }
        if repeated > MOST_REPEATED {
            return true;
        }
    }
    false
}

/// The deepest nesting, or `enough` as soon as it is reached. Never less than half of what a parser would build: an
/// end tag counts only against a start tag of the same name.
pub(super) fn depth(html: &str, enough: usize) -> usize {
    let mut open: HashMap<String, usize> = HashMap::new();
    let (mut depth, mut deepest) = (0_usize, 0);
    let mut drawing = Drawing::default();
    for tag in (Tags { html, position: 0 }) {
        let name = tag.name.as_str();
        if drawing.ends(&tag) || VOID.contains(&name) || IMPLIED.contains(&name) {
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

/// Elements of drawings, among which a slash ends an element: `<path d="…"/>`.
const SHAPES: &[&str] = &[
    "circle",
    "clippath",
    "defs",
    "ellipse",
    "g",
    "line",
    "lineargradient",
    "mask",
    "path",
    "polygon",
    "polyline",
    "radialgradient",
    "rect",
    "stop",
    "symbol",
    "use",
];

/// Whether tags surely stand in a drawing: since its beginning there was nothing but shapes, and a title of plain words.
/// Everything else may have ended it, or may be HTML again.
#[derive(Default)]
struct Drawing {
    inside: bool,
    /// The tag before was that of such a title.
    titled: bool,
}

impl Drawing {
    /// Does the tag end its own element?
    fn ends(&mut self, tag: &Tag) -> bool {
        let shape = SHAPES.contains(&tag.name.as_str());
        let ends = self.inside && shape && tag.slash;
        let titled = std::mem::take(&mut self.titled);
        match (tag.name.as_str(), tag.end) {
            ("svg", end) => self.inside = !end && !tag.slash,
            ("title", false) => (self.titled, self.inside) = (self.inside && tag.plain, false),
            ("title", true) => self.inside = titled,
            _ => self.inside &= shape,
        }
        ends
    }
}

pub(super) struct Tag {
    /// In lower case.
    pub(super) name: String,
    pub(super) end: bool,
    pub(super) attributes: usize,
    /// It ends with `/>`.
    slash: bool,
    /// What follows is no markup and does not look like it.
    plain: bool,
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
            let Inside { length, attributes, slash } = inside(rest);
            let close = start + 1 + length;
            self.position = close;
            let name = name.to_ascii_lowercase();
            if !end && RAW.contains(&name.as_str()) {
                self.position = close + raw_length(&self.html[close..], &name);
            }
            let plain = !self.html[close..self.position].contains('<');
            return Some(Tag { name, end, attributes, slash, plain, span: start..close });
        }
    }
}

/// What stands between `<` and behind `>`.
struct Inside {
    length: usize,
    /// How many at most.
    attributes: usize,
    slash: bool,
}

/// How far a tag goes: quoted values may hold `>`.
fn inside(rest: &str) -> Inside {
    let mut quote = None;
    let (mut after_equals, mut apart, mut value, mut attributes) = (false, false, false, 0);
    let mut last = b' ';
    for (at, byte) in rest.bytes().enumerate() {
        match (quote, byte) {
            (None, b'>') => return Inside { length: at + 1, attributes, slash: last == b'/' && !value },
            (None, b'"' | b'\'') if after_equals => quote = Some(byte),
            (Some(open), byte) if open == byte => (quote, apart) = (None, true),
            (None, byte) if byte.is_ascii_whitespace() => (apart, value) = (true, false),
            (None, b'/') if at > 0 && !after_equals => apart = true,
            (None, _) if after_equals => value = true,
            (None, _) if apart => (apart, attributes) = (false, attributes + 1),
            _ => {}
        }
        after_equals = byte == b'=' || (after_equals && byte.is_ascii_whitespace());
        last = byte;
    }
    Inside { length: rest.len(), attributes, slash: false }
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
