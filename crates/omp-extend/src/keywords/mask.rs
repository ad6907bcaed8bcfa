//! The parts of a prompt that are quoted rather than said: code, and what stands in tags.

use std::collections::HashMap;
use std::ops::Range;

/// Stretches of a text, in order, apart from each other.
#[derive(Debug, Default)]
pub(super) struct Mask {
    ranges: Vec<Range<usize>>,
}

impl Mask {
    pub(super) fn new(text: &str) -> Self {
        let fences = Self::of(fences(text));
        let spans = code_spans(text, &fences);
        let code = Self::of([fences.ranges, spans].concat());
        let sections = sections(text, &code);
        Self::of([code.ranges, sections].concat())
    }

    fn of(mut ranges: Vec<Range<usize>>) -> Self {
        ranges.sort_by_key(|range| range.start);
        let mut merged: Vec<Range<usize>> = Vec::with_capacity(ranges.len());
        for range in ranges {
            match merged.last_mut() {
                Some(last) if range.start <= last.end => last.end = last.end.max(range.end),
                _ => merged.push(range),
            }
        }
        Self { ranges: merged }
    }

    pub(super) fn covers(&self, position: usize) -> bool {
        self.at(position).is_some()
    }

    /// The stretch that holds `position`.
    fn at(&self, position: usize) -> Option<&Range<usize>> {
        let after = self.ranges.partition_point(|range| range.start <= position);
        self.ranges[..after].last().filter(|range| position < range.end)
    }
}

/// A line that opens or closes a block of code: its character, how many, and whether anything follows.
fn fence(line: &str) -> Option<(u8, usize, bool)> {
    let body = line.trim_start_matches(' ');
    let mark = *body.as_bytes().first().filter(|first| matches!(first, b'`' | b'~'))?;
    let length = body.bytes().take_while(|byte| *byte == mark).count();
    let info = &body[length..];
    // Four blanks make an indented line; a backtick after the mark makes a span.
    let opens = line.len() - body.len() <= 3 && length >= 3 && !(mark == b'`' && info.contains('`'));
    opens.then(|| (mark, length, !info.trim().is_empty()))
}

/// Blocks between fences; one that is not closed runs to the end.
fn fences(text: &str) -> Vec<Range<usize>> {
    let mut found = Vec::new();
    let mut open: Option<(usize, u8, usize)> = None;
    let mut position = 0;
    for line in text.split_inclusive('\n') {
        let end = position + line.len();
        match (open, fence(line)) {
            (None, Some((mark, length, _))) => open = Some((position, mark, length)),
            (Some((start, mark, length)), Some((other, count, false)))
                if other == mark && count >= length =>
            {
                found.push(start..end);
                open = None;
            }
            _ => {}
        }
        position = end;
    }
    found.extend(open.map(|(start, ..)| start..text.len()));
    found
}

/// Code between equal runs of backticks in one paragraph.
fn code_spans(text: &str, fences: &Mask) -> Vec<Range<usize>> {
    let mut found = Vec::new();
    let mut runs = Vec::new();
    let mut position = 0;
    for line in text.split_inclusive('\n') {
        if line.trim().is_empty() || fences.covers(position) {
            found.extend(pairs(&std::mem::take(&mut runs)));
        } else {
            runs.extend(backticks(line).map(|run| position + run.start..position + run.end));
        }
        position += line.len();
    }
    found.extend(pairs(&runs));
    found
}

/// Runs of backticks in a line.
fn backticks(line: &str) -> impl Iterator<Item = Range<usize>> {
    let starts = line.match_indices('`').map(|(start, _)| start);
    let starts = starts.filter(|start| !line[..*start].ends_with('`'));
    starts.map(|start| start..start + line[start..].bytes().take_while(|byte| *byte == b'`').count())
}

/// Each run with the next one of its length; what has none is text.
fn pairs(runs: &[Range<usize>]) -> Vec<Range<usize>> {
    let mut later = HashMap::new();
    let mut partners: Vec<Option<usize>> =
        runs.iter().enumerate().rev().map(|(index, run)| later.insert(run.len(), index)).collect();
    partners.reverse();
    let mut found = Vec::new();
    let mut index = 0;
    while index < runs.len() {
        if let Some(partner) = partners[index] {
            found.push(runs[index].start..runs[partner].end);
            index = partner;
        }
        index += 1;
    }
    found
}

/// Tags, comments, and what stands between a tag and its end.
fn sections(text: &str, code: &Mask) -> Vec<Range<usize>> {
    let mut found = Vec::new();
    let mut open: HashMap<String, Vec<usize>> = HashMap::new();
    let mut position = 0;
    while let Some(start) = text[position..].find('<').map(|offset| position + offset) {
        position = start + 1;
        if let Some(quoted) = code.at(start) {
            position = quoted.end;
            continue;
        }
        let Some(tag) = tag(&text[start..]) else { continue };
        position = start + tag.length;
        let begin = match tag.kind {
            TagKind::Open => {
                open.entry(tag.name).or_default().push(start);
                start
            }
            TagKind::Close => open.get_mut(&tag.name).and_then(Vec::pop).unwrap_or(start),
            TagKind::Alone => start,
        };
        found.push(begin..position);
    }
    found
}

struct Tag {
    name: String,
    kind: TagKind,
    length: usize,
}

enum TagKind {
    Open,
    Close,
    /// A comment, or a tag that ends itself.
    Alone,
}

/// The tag that `text` begins with.
fn tag(text: &str) -> Option<Tag> {
    if text.starts_with("<!--") {
        let length = text.find("-->").map_or(text.len(), |end| end + "-->".len());
        return Some(Tag { name: String::new(), kind: TagKind::Alone, length });
    }
    let inner = &text[1..];
    let end = inner.find(['<', '>']).filter(|end| inner[*end..].starts_with('>'))?;
    let (inner, length) = (&inner[..end], end + 2);
    let (closes, inner) = inner.strip_prefix('/').map_or((false, inner), |rest| (true, rest));
    let is_part = |letter: char| letter.is_ascii_alphanumeric() || "_.:-".contains(letter);
    let name = &inner[..inner.find(|letter| !is_part(letter)).unwrap_or(inner.len())];
    let follows = inner[name.len()..].chars().next();
    let is_name = name.starts_with(|first: char| first.is_ascii_alphabetic())
        && follows.is_none_or(|next| next == '/' || next.is_whitespace());
    let kind = match closes {
        true => TagKind::Close,
        false if inner.ends_with('/') => TagKind::Alone,
        false => TagKind::Open,
    };
    is_name.then(|| Tag { name: name.to_ascii_lowercase(), kind, length })
}
