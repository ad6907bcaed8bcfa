//! Patterns of code: `foo($ARG)` is any call of `foo` with one argument.
//!
//! `$NAME` stands for one node and `$_` for one that nobody asks about; `$$$NAME` and `$$$` stand for any number. A name
//! that occurs twice must stand for equal code.

mod compile;
mod dialect;
mod rewrite;
mod template;

use std::cmp::Reverse;
use std::ops::Range;

use ast_grep_core::meta_var::{MetaVarEnv, MetaVariable};
use ast_grep_core::tree_sitter::StrDoc;
use ast_grep_core::{Node, NodeMatch};

use crate::Language;
use crate::tree::{self, Bounds, is_deep};
pub use compile::{Pattern, PatternError};
use dialect::Dialect;
pub use rewrite::{Overlap, Replacement, Rule};
pub use template::TemplateError;

type Document = StrDoc<Dialect>;
type Reading = ast_grep_core::Pattern;
type PatternMatch<'a> = NodeMatch<'a, Document>;

/// A text with its tree, ready for patterns.
pub struct Source {
    root: ast_grep_core::AstGrep<Document>,
}

/// A place that matches.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Match {
    /// The bytes of the text.
    pub range: Range<usize>,
    /// First and last line, counted from one.
    pub lines: (usize, usize),
    /// Name and text of what was captured, in the order of the names.
    pub captures: Vec<(String, String)>,
}

impl Source {
    /// `None` for a text that is too long or nested too deeply, or when it was time to stop.
    pub fn parse(text: &str, language: Language, bounds: Bounds<'_>) -> Option<Self> {
        let tree = tree::parse(text, language, bounds)?;
        if is_deep(tree.root_node()) {
            return None;
        }
        let document = StrDoc { src: text.to_owned(), lang: Dialect(language), tree };
        Some(Self { root: ast_grep_core::AstGrep::doc(document) })
    }

    /// Is there a syntax error anywhere?
    pub fn has_error(&self) -> bool {
        self.root.root().get_inner_node().has_error()
    }

    /// Everything that matches, in the order of the text; a match may lie within another.
    pub fn search(&self, pattern: &Pattern) -> Vec<Match> {
        self.search_some(pattern, usize::MAX)
    }

    /// The first `most` places that match. A pattern such as `$A` is every node of a text, with the code of all of them.
    pub fn search_some(&self, pattern: &Pattern, most: usize) -> Vec<Match> {
        self.find(pattern, most).iter().map(|(_, found)| describe(found)).collect()
    }

    /// The first matches of all readings of a pattern, each with the reading that found it. Of nodes that are the same
    /// text the outermost counts.
    fn find<'a>(&'a self, pattern: &'a Pattern, most: usize) -> Vec<(&'a Reading, PatternMatch<'a>)> {
        let root = self.root.root();
        let mut all = Vec::new();
        for reading in &pattern.readings {
            let mut last = None;
            let is_new = |found: &PatternMatch<'a>| last.replace(found.range()) != Some(found.range());
            all.extend(root.find_all(reading).filter(is_new).take(most).map(|found| (reading, found)));
        }
        all.sort_by_key(|(_, found)| (found.range().start, Reverse(found.range().end)));
        all.dedup_by(|one, other| one.1.range() == other.1.range());
        all.truncate(most);
        all
    }
}

fn describe(found: &PatternMatch<'_>) -> Match {
    let first = found.get_inner_node().start_position().row + 1;
    let range = without_end(found, found.range());
    let rows = found.get_doc().src[range.clone()].matches('\n').count();
    Match { range, lines: (first, first + rows), captures: captures(found.get_env()) }
}

/// Some nodes take the end of their last line with them; it is not meant.
fn without_end(found: &PatternMatch<'_>, range: Range<usize>) -> Range<usize> {
    let length = found.get_doc().src[range.clone()].trim_end().len();
    range.start..range.start + length
}

fn captures(env: &MetaVarEnv<'_, Document>) -> Vec<(String, String)> {
    let text = |variable: MetaVariable| match variable {
        MetaVariable::Capture(name, _) => {
            let text = env.get_match(&name)?.text().trim().to_owned();
            Some((name, text))
        }
        MetaVariable::MultiCapture(name) => {
            let text = joined(&env.get_multiple_matches(&name));
            Some((name, text))
        }
        MetaVariable::Dropped(_) | MetaVariable::Multiple => None,
    };
    let mut captures: Vec<_> = env.get_matched_variables().filter_map(text).collect();
    captures.sort();
    captures
}

/// The source text from the first to the last of the nodes.
fn joined(nodes: &[Node<'_, Document>]) -> String {
    let (Some(first), Some(last)) = (nodes.first(), nodes.last()) else { return String::new() };
    let source = &first.get_doc().src;
    source.get(first.range().start..last.range().end).unwrap_or_default().to_owned()
}
