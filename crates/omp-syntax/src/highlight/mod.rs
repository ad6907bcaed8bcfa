//! Colours of source text: which ranges are keywords, strings and so on.
//!
//! The grammars' own queries decide; where a grammar has none, the kinds of its tokens do. A text that is too long, or
//! that takes too long, has no colours.

mod class;
mod embedded;
mod queries;

use std::ops::{ControlFlow, Range};

use tree_sitter::{QueryCursor, QueryCursorOptions, QueryCursorState, StreamingIterator, Tree};

pub use class::Class;
use queries::Compiled;

use crate::names::{NAMES, Names};
use crate::tree::{Inside, parse, visit};
use crate::{Bounds, Language};

/// Longer texts are shown without colours.
pub const MAX_HIGHLIGHT_BYTES: usize = 512 * 1024;

/// A stretch of text of one class.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Mark {
    /// The bytes.
    pub range: Range<usize>,
    /// What they are.
    pub class: Class,
}

/// Other names that people give to languages.
const ALIASES: &[(&str, &str)] = &[
    ("c++", "cpp"),
    ("c#", "csharp"),
    ("console", "bash"),
    ("containerfile", "dockerfile"),
    ("golang", "go"),
    ("jsonl", "json"),
    ("makefile", "make"),
    ("node", "javascript"),
    ("objective-c", "c"),
    ("proto", "protobuf"),
    ("shell", "bash"),
    ("shell-session", "bash"),
    ("terraform", "hcl"),
];

impl Language {
    /// The language that the label of a code block means: its name, an extension, an interpreter, or a usual other name.
    pub fn of_tag(tag: &str) -> Option<Self> {
        let tag = tag.trim().to_ascii_lowercase();
        // `python3` is Python.
        let tag = tag.trim_end_matches(|last: char| last.is_ascii_digit() || last == '.');
        let lists = |list: &str| list.split(' ').any(|one| one == tag);
        let in_row = |names: &&Names| names.0 == tag || lists(names.1) || lists(names.3);
        let alias = || ALIASES.iter().find(|(other, _)| *other == tag).map(|(_, name)| *name);
        let name = NAMES.iter().find(|names| names.0 == tag).or_else(|| NAMES.iter().find(in_row));
        let name = name.map(|names| names.0).or_else(alias).filter(|_| !tag.is_empty())?;
        Self::all().find(|language| language.name() == name)
    }
}

/// Can a text of the language be coloured at once? The first one of each language takes a moment longer, see [`prepare`].
pub fn is_ready(language: Language) -> bool {
    queries::is_ready(language)
}

/// Makes a language ready, on a thread that nobody waits for.
pub fn prepare(language: Language) {
    queries::of(language);
}

/// The coloured stretches of a text, in order and without overlaps. `None` for a text that is too long, or when it was
/// time to stop.
pub fn highlight(text: &str, language: Language, bounds: Bounds<'_>) -> Option<Vec<Mark>> {
    if text.len() > MAX_HIGHLIGHT_BYTES {
        return None;
    }
    let (tree, marks) = own(text, language, bounds)?;
    let places = embedded::places(&tree, text, language);
    let mut all = Vec::with_capacity(marks.len());
    let mut rest = marks.into_iter().peekable();
    for (range, inner) in places {
        while let Some(mark) = rest.next_if(|mark| mark.range.end <= range.start) {
            all.push(mark);
        }
        while rest.next_if(|mark| mark.range.start < range.end).is_some() {}
        let Some((_, marks)) = own(&text[range.clone()], inner, bounds) else { continue };
        let moved = |mark: Mark| Mark {
            range: mark.range.start + range.start..mark.range.end + range.start,
            class: mark.class,
        };
        all.extend(marks.into_iter().map(moved));
    }
    all.extend(rest);
    Some(all)
}

/// The tree of a text and its colours, without those of languages inside it.
fn own(text: &str, language: Language, bounds: Bounds<'_>) -> Option<(Tree, Vec<Mark>)> {
    let tree = parse(text, language, bounds)?;
    let found = match queries::of(language) {
        Some(compiled) => by_query(&tree, text, compiled, bounds),
        None => by_tokens(&tree),
    };
    (!(bounds.stop)()).then(|| (tree, flatten(found)))
}

/// A capture: its bytes, its class, and which pattern found it.
struct CapturedRange {
    range: Range<usize>,
    class: Class,
    pattern: usize,
}

fn by_query(tree: &Tree, text: &str, compiled: &Compiled, bounds: Bounds<'_>) -> Vec<CapturedRange> {
    let mut stop = |_: &QueryCursorState| match (bounds.stop)() {
        true => ControlFlow::Break(()),
        false => ControlFlow::Continue(()),
    };
    let options = QueryCursorOptions::new().progress_callback(&mut stop);
    let mut cursor = QueryCursor::new();
    let mut found = Vec::new();
    let mut matches =
        cursor.matches_with_options(&compiled.query, tree.root_node(), text.as_bytes(), options);
    while let Some(one) = matches.next() {
        for capture in one.captures() {
            let class = compiled.classes.get(capture.index as usize).copied().flatten();
            let range = capture.node.byte_range();
            if let (Some(class), false) = (class, range.is_empty()) {
                found.push(CapturedRange { range, class, pattern: one.pattern_index });
            }
        }
    }
    found
}

fn by_tokens(tree: &Tree) -> Vec<CapturedRange> {
    let mut found = Vec::new();
    visit(tree.root_node(), |cursor, _| {
        let node = cursor.node();
        let class = Class::of_leaf(node.kind(), node.is_named());
        let whole = node.is_named() && matches!(class, Some(Class::Comment | Class::String | Class::Number));
        if (whole || node.child_count() == 0)
            && let Some(class) = class
        {
            found.push(CapturedRange { range: node.byte_range(), class, pattern: 0 });
            return Inside::Skip;
        }
        Inside::Look
    });
    found
}

/// From nested captures to stretches side by side: what is inside wins, and of two on the same bytes the later pattern.
fn flatten(mut found: Vec<CapturedRange>) -> Vec<Mark> {
    found.sort_by_key(|one| (one.range.start, std::cmp::Reverse(one.range.end), one.pattern));
    let mut marks = Vec::new();
    let mut open: Vec<(usize, Class)> = Vec::new();
    let mut at = 0;
    for one in found {
        while let Some(&(end, class)) = open.last().filter(|(end, _)| *end <= one.range.start) {
            push(&mut marks, at..end, class);
            at = at.max(end);
            open.pop();
        }
        if let Some(&(_, class)) = open.last() {
            push(&mut marks, at..one.range.start, class);
        }
        at = at.max(one.range.start);
        let end = open.last().map_or(one.range.end, |(end, _)| one.range.end.min(*end));
        if open.last().is_some_and(|(last, _)| *last == end && at == one.range.start) {
            // The same bytes again.
            open.pop();
        }
        open.push((end, one.class));
    }
    while let Some((end, class)) = open.pop() {
        push(&mut marks, at..end, class);
        at = at.max(end);
    }
    marks
}

fn push(marks: &mut Vec<Mark>, range: Range<usize>, class: Class) {
    if range.is_empty() {
        return;
    }
    match marks.last_mut() {
        Some(last) if last.class == class && last.range.end == range.start => last.range.end = range.end,
        _ => marks.push(Mark { range, class }),
    }
}

#[cfg(test)]
mod tests;
