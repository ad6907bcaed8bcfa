//! Replacing what matches.

use std::fmt;
use std::ops::Range;

use ast_grep_core::replacer::{Replacer, TemplateFix};

use super::{Dialect, Found, Match, Pattern, Reading, Source, describe, without_end};

/// What to replace, and by what.
pub struct Rule {
    pattern: Pattern,
    template: Template,
}

enum Template {
    Nothing,
    Code(TemplateFix),
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
    /// `template` is code with the variables of the pattern; an empty one deletes.
    pub fn new(pattern: Pattern, template: &str, language: crate::Language) -> Self {
        // The error of the library's type cannot occur: the type has no values.
        let template = match TemplateFix::try_new(template, &Dialect(language)) {
            Ok(fix) if !template.is_empty() => Template::Code(fix),
            _ => Template::Nothing,
        };
        Self { pattern, template }
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
            let found = self.find(&rule.pattern);
            all.extend(found.iter().map(|(reading, found)| rule.replacement(reading, found)));
        }
        all.sort_by_key(|one: &Replacement| (one.range.start, one.range.end));
        let overlaps = all.windows(2).any(|pair| pair[1].range.start < pair[0].range.end);
        if overlaps { Err(Overlap) } else { Ok(all) }
    }
}

impl Rule {
    fn replacement(&self, reading: &Reading, found: &Found<'_>) -> Replacement {
        let (range, inserted) = match &self.template {
            Template::Nothing => (whole_lines(found), String::new()),
            Template::Code(fix) => {
                let inserted: Vec<u8> = fix.generate_replacement(found);
                let range = without_end(found, fix.get_replaced_range(found, reading));
                (range, String::from_utf8_lossy(&inserted).into_owned())
            }
        };
        Replacement { found: describe(found), range, inserted }
    }
}

/// What goes with a deleted node: the separator of a statement that is nothing else, and lines of which nothing is left.
fn whole_lines(found: &Found<'_>) -> Range<usize> {
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
