//! Replacing what matches.

use std::fmt;
use std::ops::Range;

use ast_grep_core::Matcher;

use super::template::{Template, TemplateError};
use super::{Match, Pattern, PatternMatch, Reading, Source, describe, without_end};

/// What to replace, and by what.
pub struct Rule {
    pattern: Pattern,
    template: Template,
}

/// One replacement.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Replacement {
    pub found: Match,
    /// The bytes that go; more than what matched where only separators would be left.
    pub range: Range<usize>,
    pub inserted: String,
}

/// Two replacements mean the same code.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Overlap;

impl fmt::Display for Overlap {
    fn fmt(&self, formatter: &mut fmt::Formatter<'_>) -> fmt::Result {
        formatter.write_str("Overlapping replacements detected; refine pattern to avoid ambiguous edits")
    }
}

impl std::error::Error for Overlap {}

impl Rule {
    /// `template` is code with the names of the pattern; an empty one deletes.
    pub fn new(pattern: Pattern, template: &str, language: crate::Language) -> Result<Self, TemplateError> {
        let template = Template::new(template, &pattern, language)?;
        Ok(Self { pattern, template })
    }

    /// Can there be a match in the text at all?
    pub fn may_match(&self, text: &str) -> bool {
        self.pattern.may_match(text)
    }
}

impl Source {
    /// All replacements, in the order of the text.
    pub fn rewrite(&self, rules: &[Rule]) -> Result<Vec<Replacement>, Overlap> {
        let mut all = Vec::new();
        for rule in rules {
            let found = self.find(&rule.pattern, usize::MAX);
            all.extend(found.iter().map(|(reading, found)| rule.replacement(reading, found)));
        }
        all.sort_by_key(|one: &Replacement| (one.range.start, one.range.end));
        let overlaps = all.windows(2).any(|pair| pair[1].range.start < pair[0].range.end);
        if overlaps { Err(Overlap) } else { Ok(all) }
    }
}

impl Rule {
    fn replacement(&self, reading: &Reading, found: &PatternMatch<'_>) -> Replacement {
        let (range, inserted) = match self.template.is_empty() {
            true => (whole_lines(found), String::new()),
            false => (without_end(found, matched(reading, found)), self.template.fill(found)),
        };
        Replacement { found: describe(found), range, inserted }
    }
}

/// The part of a node that the pattern speaks of: a separator at its end may not be.
fn matched(reading: &Reading, found: &PatternMatch<'_>) -> Range<usize> {
    let range = found.range();
    match reading.get_match_len(found.get_node().clone()) {
        Some(length) => range.start..range.start + length,
        None => range,
    }
}

/// What goes with a deleted node: the separator of a statement that is nothing else, and lines of which nothing is left.
fn whole_lines(found: &PatternMatch<'_>) -> Range<usize> {
    let text = &found.get_doc().src;
    let mut range = found.range();
    let mut node = found.get_node().clone();
    while let Some(parent) = node.parent() {
        let around = parent.range();
        let rest = text[around.start..range.start].trim().is_empty()
            && text[range.end..around.end].trim().trim_end_matches(';').is_empty();
        if !rest || parent.parent().is_none() {
            break;
        }
        range = around;
        node = parent;
    }
    let range = without_end(found, range);
    let start = text[..range.start].rfind('\n').map_or(0, |at| at + 1);
    let end = text[range.end..].find('\n').map_or(text.len(), |at| range.end + at + 1);
    let alone = text[start..range.start].trim().is_empty() && text[range.end..end].trim().is_empty();
    if alone { start..end } else { range }
}
