//! Parsing within bounds.

use std::ops::ControlFlow;

use tree_sitter::{Node, ParseOptions, ParseState, Parser, Tree, TreeCursor};

use crate::Language;

/// Longer texts are not parsed.
pub const MAX_BYTES: usize = 2 * 1024 * 1024;

/// Trees that go deeper are not looked at where that takes a stack: no person wrote them.
pub(crate) const MAX_DEPTH: usize = 1_000;

/// When to give up. A parse asks every few hundred steps.
#[derive(Clone, Copy)]
pub struct Bounds<'a> {
    /// Somebody no longer wants to know, or has waited for long enough.
    pub stop: &'a dyn Fn() -> bool,
}

impl Bounds<'static> {
    /// Bounded by the size of the text alone.
    pub const SIZE: Self = Self { stop: &|| false };
}

/// The tree of a text; `None` for a text that is too long, or when it was time to stop.
pub(crate) fn parse(text: &str, language: Language, bounds: Bounds<'_>) -> Option<Tree> {
    if text.len() > MAX_BYTES || (bounds.stop)() {
        return None;
    }
    let mut parser = Parser::new();
    parser.set_language(&language.grammar()).ok()?;
    let mut progress = |_: &ParseState| match (bounds.stop)() {
        true => ControlFlow::Break(()),
        false => ControlFlow::Continue(()),
    };
    let options = ParseOptions::new().progress_callback(&mut progress);
    let bytes = text.as_bytes();
    let mut rest = |offset: usize, _| bytes.get(offset..).unwrap_or_default();
    parser.parse_with_options(&mut rest, None, Some(options))
}

/// Is the whole text free of syntax errors? `None` where that cannot be told.
pub fn parses(text: &str, language: Language, bounds: Bounds<'_>) -> Option<bool> {
    Some(!parse(text, language, bounds)?.root_node().has_error())
}

/// Visits all nodes, parents first, without a stack of our own. The visitor gets the depth, which a cursor would have to
/// count each time, and says whether to look inside.
pub(crate) fn visit<'tree>(root: Node<'tree>, mut visitor: impl FnMut(&TreeCursor<'tree>, usize) -> Inside) {
    let mut cursor = root.walk();
    let mut depth = 0;
    loop {
        let inside = visitor(&cursor, depth);
        if inside == Inside::Stop {
            return;
        }
        if inside == Inside::Look && cursor.goto_first_child() {
            depth += 1;
            continue;
        }
        while !cursor.goto_next_sibling() {
            if !cursor.goto_parent() {
                return;
            }
            depth -= 1;
        }
    }
}

/// Where a visit goes from a node.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) enum Inside {
    Look,
    Skip,
    Stop,
}

/// Does the tree go deeper than a stack should?
pub(crate) fn is_deep(root: Node<'_>) -> bool {
    let mut deep = false;
    visit(root, |_, depth| {
        deep = depth > MAX_DEPTH;
        if deep { Inside::Stop } else { Inside::Look }
    });
    deep
}
