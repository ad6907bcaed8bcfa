//! What takes the place of a match: code in which the names of the pattern stand for what they matched.

use std::collections::BTreeMap;
use std::fmt;
use std::ops::Range;

use ast_grep_core::matcher::PatternNode;
use ast_grep_core::meta_var::MetaVariable;

use super::dialect::{owns_dollars, split_variable};
use super::{Pattern, PatternMatch};
use crate::Language;

/// Code with names in it.
pub(super) struct Template(Vec<Piece>);

enum Piece {
    Text(String),
    Captured {
        name: String,
        count: Count,
        /// The white space at the start of the line that the name stands on.
        indent: String,
    },
}

/// How many nodes a name stands for.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
enum Count {
    One,
    Many,
}

/// Why a text cannot take the place of what a pattern matches: a part of the code would be lost.
#[derive(Clone, Debug, PartialEq, Eq)]
pub enum TemplateError {
    /// The pattern has no such name.
    Unknown(String),
    /// The pattern has that name with another number of dollars: what is written, and what the pattern has.
    OtherCount(String, String),
    /// It has no name to tell what it stands for.
    Unnamed(String),
}

impl fmt::Display for TemplateError {
    fn fmt(&self, formatter: &mut fmt::Formatter<'_>) -> fmt::Result {
        match self {
            Self::Unknown(written) => write!(formatter, "the pattern has no {written}"),
            Self::OtherCount(written, bound) => {
                write!(formatter, "the pattern has {bound}, not {written}; write {bound} in both")
            }
            Self::Unnamed(written) => {
                let example = if written.starts_with("$$$") { "$$$ARGS" } else { "$ARG" };
                write!(formatter, "{written} stands for nothing; write a name such as {example} in both")
            }
        }
    }
}

impl std::error::Error for TemplateError {}

impl Template {
    /// Takes a text apart, and sees to it that each of its names is one of the pattern.
    pub(super) fn new(text: &str, pattern: &Pattern, language: Language) -> Result<Self, TemplateError> {
        let bound = names(pattern);
        let mut pieces = Vec::new();
        let (mut plain, mut rest) = (String::new(), text);
        while let Some(at) = rest.find('$') {
            plain.push_str(&rest[..at]);
            let (variable, after) = split_variable(&rest[at..]);
            match variable.map(|variable| named(variable, &bound, language)) {
                Some(named) => match named? {
                    Some((name, count)) => {
                        pieces.push(Piece::Text(std::mem::take(&mut plain)));
                        let indent = indentation(text, text.len() - rest.len() + at).to_owned();
                        pieces.push(Piece::Captured { name, count, indent });
                    }
                    None => plain.push_str(&rest[at..rest.len() - after.len()]),
                },
                None => plain.push('$'),
            }
            rest = after;
        }
        plain.push_str(rest);
        pieces.push(Piece::Text(plain));
        Ok(Self(pieces))
    }

    /// Does it put nothing into the place of a match?
    pub(super) fn is_empty(&self) -> bool {
        matches!(self.0.as_slice(), [Piece::Text(text)] if text.is_empty())
    }

    /// The code for one match. Its lines are indented as the line of the match is.
    pub(super) fn fill(&self, found: &PatternMatch<'_>) -> String {
        let base = indentation(&found.get_doc().src, found.range().start);
        let mut filled = String::new();
        for piece in &self.0 {
            match piece {
                Piece::Text(text) => push_text(&mut filled, text, base),
                Piece::Captured { name, count, indent } => {
                    if let Some(range) = captured(found, name, *count) {
                        push_code(&mut filled, found, range, &format!("{base}{indent}"));
                    }
                }
            }
        }
        filled
    }
}

/// The names of a pattern.
fn names(pattern: &Pattern) -> BTreeMap<String, Count> {
    fn collect(node: &PatternNode, names: &mut BTreeMap<String, Count>) {
        match node {
            PatternNode::MetaVar { meta_var: MetaVariable::Capture(name, _) } => {
                names.insert(name.clone(), Count::One);
            }
            PatternNode::MetaVar { meta_var: MetaVariable::MultiCapture(name) } => {
                names.insert(name.clone(), Count::Many);
            }
            PatternNode::Internal { children, .. } => {
                children.iter().for_each(|child| collect(child, names));
            }
            PatternNode::MetaVar { .. } | PatternNode::Terminal { .. } => {}
        }
    }
    let mut names = BTreeMap::new();
    pattern.readings.iter().for_each(|reading| collect(&reading.node, &mut names));
    names
}

/// The name that a variable means. `None` if it is a variable of the program.
fn named(
    variable: &str,
    bound: &BTreeMap<String, Count>,
    language: Language,
) -> Result<Option<(String, Count)>, TemplateError> {
    let name = variable.trim_start_matches('$');
    let count = if variable.starts_with("$$$") { Count::Many } else { Count::One };
    match bound.get(name) {
        Some(known) if *known == count => Ok(Some((name.to_owned(), count))),
        Some(known) => {
            let dollars = if *known == Count::Many { "$$$" } else { "$" };
            Err(TemplateError::OtherCount(variable.to_owned(), format!("{dollars}{name}")))
        }
        None if owns_dollars(language) && count == Count::One => Ok(None),
        None if name.is_empty() || name.starts_with('_') => Err(TemplateError::Unnamed(variable.to_owned())),
        None => Err(TemplateError::Unknown(variable.to_owned())),
    }
}

/// Where the code is that a name stands for; nothing for a list without members.
fn captured(found: &PatternMatch<'_>, name: &str, count: Count) -> Option<Range<usize>> {
    let env = found.get_env();
    if count == Count::One {
        return env.get_match(name).map(|node| node.range());
    }
    let nodes = env.get_multiple_matches(name);
    Some(nodes.first()?.range().start..nodes.last()?.range().end)
}

/// The white space at the start of the line that a place is on.
fn indentation(text: &str, place: usize) -> &str {
    let line = &text[text[..place].rfind('\n').map_or(0, |at| at + 1)..place];
    &line[..line.len() - line.trim_start().len()]
}

fn push_text(filled: &mut String, text: &str, base: &str) {
    let mut lines = text.split('\n').peekable();
    filled.push_str(lines.next().unwrap_or_default());
    while let Some(line) = lines.next() {
        // A name that stood for nothing leaves no blanks at the end of a line.
        let start = filled.rfind('\n').map_or(0, |at| at + 1);
        if filled[start..].trim().is_empty() {
            filled.truncate(start);
        }
        filled.push('\n');
        if !line.is_empty() || lines.peek().is_none() {
            filled.push_str(base);
        }
        filled.push_str(line);
    }
}

/// Code from the program, moved from the indentation it had to another one. Lines of strings stay as they are: there the
/// white space is part of the value.
fn push_code(filled: &mut String, found: &PatternMatch<'_>, range: Range<usize>, indent: &str) {
    let document = found.get_doc();
    let text = &document.src[range.clone()];
    // Some grammars take the white space around a value with it.
    let mut place = range.start + text.len() - text.trim_start().len();
    let before = indentation(&document.src, place);
    let root = document.tree.root_node();
    let code = text.trim();
    for (number, line) in code.split('\n').enumerate() {
        if number > 0 {
            filled.push('\n');
        }
        let moved = match number > 0 && before != indent && !line.trim().is_empty() {
            true => line.strip_prefix(before).filter(|_| !is_in_token(root, place - 1)),
            false => None,
        };
        match moved {
            Some(rest) => filled.extend([indent, rest]),
            None => filled.push_str(line),
        }
        place += line.len() + 1;
    }
    // `place` is behind the line end that follows.
    if code.contains('\n') && ends_heredoc(root, place - 1) && document.src[place - 1..].starts_with('\n') {
        filled.push('\n');
    }
}

/// Does a heredoc end here? The word that ends it must stay alone on its line.
fn ends_heredoc(root: tree_sitter::Node<'_>, end: usize) -> bool {
    let last = root.named_descendant_for_byte_range(end.saturating_sub(1), end);
    last.is_some_and(|node| node.kind().contains("heredoc"))
}

/// Is a line end within a string, or another word that spans lines? Comments may be moved.
fn is_in_token(root: tree_sitter::Node<'_>, line_end: usize) -> bool {
    let around = root.named_descendant_for_byte_range(line_end, line_end + 1);
    around.is_some_and(|node| {
        let kind = node.kind();
        let is_word = node.child_count() == 0 || ["string", "heredoc"].iter().any(|word| kind.contains(word));
        is_word && !kind.contains("comment")
    })
}
