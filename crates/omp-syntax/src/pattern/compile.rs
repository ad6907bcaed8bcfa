//! From the text of a pattern to the nodes it stands for.

use std::fmt;
use std::ops::Range;

use ast_grep_core::AstGrep;
use ast_grep_core::tree_sitter::StrDoc;
use tree_sitter::Node;

use super::dialect::{Dialect, SIGIL};
use crate::Language;
use crate::block::is_list;
use crate::tree::{Bounds, Inside, is_deep, parse, visit};

/// A pattern of one language.
#[derive(Clone)]
pub struct Pattern {
    /// One for each way to read it: what is a call inside of a function may be a declaration outside.
    pub(super) readings: Vec<ast_grep_core::Pattern>,
}

/// Why a text is no pattern of a language.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum PatternError {
    /// There is no code in it.
    Empty,
    /// It is not one piece of code, but none or several.
    NotOneNode(Language),
    /// It is nothing but `$$$`, which stands for any number of nodes.
    Several,
    TooDeep,
}

impl fmt::Display for PatternError {
    fn fmt(&self, formatter: &mut fmt::Formatter<'_>) -> fmt::Result {
        match self {
            Self::Empty => formatter.write_str("the pattern is empty"),
            Self::NotOneNode(language) => {
                write!(formatter, "the pattern does not parse as one node of {}", language.name())
            }
            Self::Several => formatter.write_str("a pattern cannot be `$$$` alone; use `$NAME`"),
            Self::TooDeep => formatter.write_str("the pattern is nested too deeply"),
        }
    }
}

impl std::error::Error for PatternError {}

impl Pattern {
    /// Reads a pattern, alone and in the places where such code may stand.
    pub fn new(text: &str, language: Language) -> Result<Self, PatternError> {
        let text = Dialect(language).readable(text.trim());
        if text.is_empty() {
            return Err(PatternError::Empty);
        }
        let mut readings = all_readings(&text, language)?;
        if readings.is_empty() {
            readings = all_readings(&with_statements(&text), language)?;
        }
        if readings.iter().any(is_several) {
            return Err(PatternError::Several);
        }
        if readings.is_empty() { Err(PatternError::NotOneNode(language)) } else { Ok(Self { readings }) }
    }
}

impl Pattern {
    /// Can there be a match in the text at all? Looking for words costs less than parsing.
    pub fn may_match(&self, text: &str) -> bool {
        self.readings.iter().any(|reading| text.contains(reading.fixed_string().as_ref()))
    }
}

/// The different ways to read a pattern.
fn all_readings(text: &str, language: Language) -> Result<Vec<ast_grep_core::Pattern>, PatternError> {
    let mut shapes = Vec::new();
    let mut readings = Vec::new();
    for context in [("", "")].iter().chain(language.contexts()) {
        let Some(reading) = read(text, *context, language)? else { continue };
        if !shapes.contains(&reading.shape) {
            shapes.push(reading.shape);
            readings.push(reading.pattern);
        }
    }
    Ok(readings)
}

/// The pattern with a `;` behind variables that stand for statements: in C, `{ $$$ }` would be a block without one.
fn with_statements(text: &str) -> String {
    let mut result = String::with_capacity(text.len() + 8);
    let mut rest = text;
    while let Some(at) = rest.find(SIGIL) {
        let end = rest[at..]
            .find(|c: char| !c.is_ascii_alphanumeric() && c != '_')
            .map_or(rest.len(), |end| at + end);
        let begins = rest[..at].trim_end().ends_with(['{', '}', ';']);
        let ends = rest[end..].trim_start().starts_with('}') || rest[end..].starts_with('\n');
        result.push_str(&rest[..end]);
        if begins && ends {
            result.push(';');
        }
        rest = &rest[end..];
    }
    result.push_str(rest);
    result
}

/// One way to read a pattern.
struct Reading {
    /// The kinds of its nodes.
    shape: String,
    pattern: ast_grep_core::Pattern,
}

/// Reads a pattern in a place. `None` if it is not one node there.
fn read(
    text: &str,
    (before, after): (&str, &str),
    language: Language,
) -> Result<Option<Reading>, PatternError> {
    let whole = format!("{before}{text}{after}");
    let range = before.len()..before.len() + text.len();
    let tree = parse(&whole, language, Bounds::SIZE).ok_or(PatternError::TooDeep)?;
    if is_deep(tree.root_node()) {
        return Err(PatternError::TooDeep);
    }
    let Some(node) = one_node(tree.root_node(), range, &whole) else { return Ok(None) };
    let (id, shape) = (node.id(), node.to_sexp());
    let document = StrDoc { src: whole, lang: Dialect(language), tree: tree.clone() };
    let root = AstGrep::doc(document);
    let found = root.root().dfs().find(|node| node.node_id() == id);
    Ok(found.map(|node| Reading { shape, pattern: ast_grep_core::Pattern::from(node) }))
}

fn is_several(pattern: &ast_grep_core::Pattern) -> bool {
    use ast_grep_core::matcher::PatternNode;
    use ast_grep_core::meta_var::MetaVariable;
    matches!(
        &pattern.node,
        PatternNode::MetaVar { meta_var: MetaVariable::Multiple | MetaVariable::MultiCapture(_) }
    )
}

/// The innermost node that is exactly the range, white space aside, and free of errors.
fn one_node<'tree>(root: Node<'tree>, range: Range<usize>, text: &str) -> Option<Node<'tree>> {
    let mut found = None;
    let mut errors = false;
    visit(root, |cursor, depth| {
        let node = cursor.node();
        let taken = node.byte_range();
        if taken.end < range.start || taken.start > range.end {
            return Inside::Skip;
        }
        errors |= node.is_error() && taken.start < range.end && taken.end > range.start;
        let trimmed = text[taken.clone()].trim_end().len();
        let starts = text[taken.start..].len() - text[taken.start..].trim_start().len() + taken.start;
        if (starts, taken.start + trimmed) == (range.start, range.end)
            && node.is_named()
            && taken.start >= starts
            && depth > 0
        {
            found = Some(node);
        }
        Inside::Look
    });
    found.filter(|node| !errors && !is_list(*node) && !is_sequence(*node))
}

/// Statements on one line, with a `;` between them.
fn is_sequence(node: Node<'_>) -> bool {
    let mut cursor = node.walk();
    let children: Vec<Node<'_>> = node.children(&mut cursor).collect();
    let separator = |child: &Node<'_>| child.kind() == ";";
    let between = children.iter().rev().skip(1).any(separator);
    between && children.iter().all(|child| child.is_named() || separator(child))
}
