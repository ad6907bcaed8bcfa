//! What can be left out of a program, from its tree.

use tree_sitter::{Node, TreeCursor};

use super::Options;
use crate::Language;
use crate::tree::{Inside, visit};

/// Rows that can be left out, counted from zero.
#[derive(Clone, Debug, PartialEq, Eq)]
pub(super) struct Fold {
    pub(super) first: usize,
    pub(super) last: usize,
    /// The row before opens a bracket and the row after closes it.
    pub(super) bracketed: bool,
    /// Holds declarations: a class, a module.
    pub(super) container: bool,
    /// The fold around it.
    pub(super) parent: Option<usize>,
}

impl Sight<'_> {
    /// The first and the last row on which a node has text.
    fn rows_of(&self, node: Node<'_>) -> (usize, usize) {
        let place = |row: usize| self.places.get(row).copied().unwrap_or((row, row));
        (place(node.start_position().row).0, place(last_row(node)).1)
    }

    /// What stands behind a node on its last row.
    fn after(&self, node: Node<'_>) -> &str {
        match node.end_position().column {
            0 => "",
            _ => {
                self.text.get(node.end_byte()..).and_then(|rest| rest.split('\n').next()).unwrap_or_default()
            }
        }
    }
}

impl Fold {
    pub(super) fn size(&self) -> usize {
        self.last - self.first + 1
    }
}

/// What a tree was made of: a text, or one that leaves out rows of another.
#[derive(Clone, Copy)]
pub(super) struct Sight<'a> {
    pub(super) text: &'a str,
    /// The rows of the whole text.
    pub(super) rows: &'a [&'a str],
    /// For each row that was parsed the first and the last row that it stands for.
    pub(super) places: &'a [(usize, usize)],
}

/// All folds, the outer ones before those inside.
pub(super) fn folds(sight: Sight<'_>, root: Node<'_>, language: Language, options: &Options) -> Vec<Fold> {
    let mut collector = Collector {
        sight,
        options,
        bodiless: matches!(language.name(), "erlang" | "haskell" | "make" | "ocaml" | "sql"),
        folds: Vec::new(),
        around: Vec::new(),
        containers: Vec::new(),
        comment: None,
    };
    visit(root, |cursor, depth| collector.look(cursor, depth));
    collector.end_comment();
    collector.folds
}

struct Collector<'a> {
    sight: Sight<'a>,
    options: &'a Options,
    /// The language's declarations have no bodies of their own: they are folded behind their first row.
    bodiless: bool,
    folds: Vec<Fold>,
    /// The folds that the last one lies in, with the end of their nodes.
    around: Vec<(usize, usize)>,
    /// Which of the nodes around are of a kind that holds declarations.
    containers: Vec<bool>,
    /// Comments without code between them: first and last row.
    comment: Option<(usize, usize)>,
}

/// Words in the kinds of nodes whose body holds declarations.
const CONTAINERS: &[&str] = &[
    "class",
    "contract",
    "enum",
    "extension",
    "impl_item",
    "instance",
    "interface",
    "library",
    "mod_item",
    "module",
    "namespace",
    "object_d",
    "protocol",
    "record_declaration",
    "service",
    "struct",
    "trait",
];

/// Kinds of bodies without brackets that do not have that name in their parent.
const BODIES: &[&str] =
    &["block", "body", "body_statement", "indented_block", "statements", "suite", "template_body"];

/// What text a node begins and ends with, where that encloses its rows.
const BRACKETS: &[(&str, &str)] = &[("{", "}"), ("[", "]"), ("(", ")"), ("do", "end")];

impl Collector<'_> {
    fn look(&mut self, cursor: &TreeCursor<'_>, depth: usize) -> Inside {
        let node = cursor.node();
        let (start, end) = self.sight.rows_of(node);
        if node.kind().contains("comment") {
            self.comment(start, end);
            return Inside::Skip;
        }
        // Nearly all nodes are words on one row; there is nothing to fold in them.
        if depth > 0 && end < start + 2 {
            return Inside::Skip;
        }
        let container = self.container(node, depth);
        let is_string = node.kind().contains("string");
        let leaf = node.child_count() == 0 && !is_string;
        // A signature is part of the declaration, and what has an error is shown.
        if depth == 0 || leaf || node.has_error() || node.kind().contains("parameter") {
            return Inside::Look;
        }
        let found = match () {
            () if is_string => {
                self.behind_first(start, end, self.options.min_comment).map(|rows| (rows, false))
            }
            () if self.has_brackets(node) => self.bracketed(start, end),
            () if self.is_body(cursor, depth) => self.body(node, start, end).map(|rows| (rows, false)),
            () => None,
        };
        if let Some(((first, last), bracketed)) = found {
            self.add(Fold { first, last, bracketed, container, parent: None }, node);
        }
        Inside::Look
    }

    /// Does the node hold declarations, by its kind or as the body of such a node?
    fn container(&mut self, node: Node<'_>, depth: usize) -> bool {
        self.containers.truncate(depth);
        let outer = self.containers.last().copied().unwrap_or(false);
        let holds = CONTAINERS.iter().any(|word| node.kind().contains(word)) || self.is_elixir_module(node);
        self.containers.push(holds);
        holds || outer
    }

    /// Modules of Elixir are calls.
    fn is_elixir_module(&self, node: Node<'_>) -> bool {
        let text = &self.sight.text[node.start_byte()..];
        node.kind() == "call"
            && ["defmodule", "defimpl", "defprotocol"].iter().any(|word| text.starts_with(word))
    }

    fn add(&mut self, mut fold: Fold, node: Node<'_>) {
        while self.around.last().is_some_and(|(_, end)| *end <= node.start_byte()) {
            self.around.pop();
        }
        let outer = self.around.last().map(|(at, _)| *at);
        if outer.is_some_and(|at| (self.folds[at].first, self.folds[at].last) == (fold.first, fold.last)) {
            return;
        }
        fold.parent = outer;
        self.around.push((self.folds.len(), node.end_byte()));
        self.folds.push(fold);
    }

    /// The rows behind the first, if there are enough rows.
    fn behind_first(&self, start: usize, end: usize, least: usize) -> Option<(usize, usize)> {
        (end - start + 1 >= least).then_some((start + 1, end))
    }

    fn has_brackets(&self, node: Node<'_>) -> bool {
        let text = self.sight.text.get(node.byte_range()).unwrap_or_default().trim_end();
        BRACKETS.iter().any(|(open, close)| text.starts_with(open) && text.ends_with(close))
    }

    /// The rows between the brackets.
    fn bracketed(&self, start: usize, end: usize) -> Option<((usize, usize), bool)> {
        let (first, last) = (start + 1, end - 1);
        let closes = self.sight.rows.get(end).is_some_and(|row| {
            let row = row.trim_start();
            row.starts_with(['}', ']', ')']) || row.starts_with("end")
        });
        (last + 1 >= first + self.options.min_body).then_some(((first, last), closes))
    }

    fn is_body(&self, cursor: &TreeCursor<'_>, depth: usize) -> bool {
        let node = cursor.node();
        let list = matches!(node.kind(), "declarations" | "imports");
        let named = cursor.field_name() == Some("body") || BODIES.contains(&node.kind());
        node.is_named() && (named || (self.bodiless && depth <= 2 && !list))
    }

    /// The rows of a body without brackets: of one that begins below its header all, of another those behind the first.
    fn body(&self, node: Node<'_>, start: usize, end: usize) -> Option<(usize, usize)> {
        let before = self.sight.rows.get(start).and_then(|row| row.get(..node.start_position().column));
        let below = !self.bodiless && before.is_some_and(|before| before.trim().is_empty());
        let first = if below { start } else { start + 1 };
        let last = if self.sight.after(node).trim().is_empty() { end } else { end - 1 };
        (first > 0 && last + 1 >= first + self.options.min_body).then_some((first, last))
    }

    fn comment(&mut self, start: usize, end: usize) {
        match &mut self.comment {
            Some((_, last)) if start == *last + 1 => *last = end,
            _ => {
                self.end_comment();
                self.comment = Some((start, end));
            }
        }
    }

    fn end_comment(&mut self) {
        let Some((start, end)) = self.comment.take() else { return };
        if let Some((first, last)) = self.behind_first(start, end, self.options.min_comment) {
            let inside = |fold: &Fold| fold.first <= first && last <= fold.last;
            let touches = |fold: &Fold| fold.first <= last && first <= fold.last;
            let parent = self.folds.iter().rposition(inside);
            // Comments may continue behind the end of a body that has no bracket to end it.
            if self.folds.iter().any(|fold| touches(fold) && !inside(fold)) {
                return;
            }
            self.folds.push(Fold { first, last, bracketed: false, container: false, parent });
        }
    }
}

/// The last row on which a node has text.
fn last_row(node: Node<'_>) -> usize {
    let end = node.end_position();
    if end.column == 0 { end.row.saturating_sub(1) } else { end.row }
}
