//! The lines of the construct that begins on a line.

use tree_sitter::{Node, Point, Tree};

use crate::tree::{Bounds, parse};
use crate::{Family, Language, markdown};

/// First and last line of the construct that begins on `line`, counted from one. `None` if none does, if it has a syntax
/// error, or if it does not end with its last line.
///
/// What stands before a construct without being part of it is left out: doc comments, Rust's attributes, and a Python
/// decorator when `line` is that of the `def`.
pub fn block(text: &str, language: Language, line: usize, bounds: Bounds<'_>) -> Option<(usize, usize)> {
    let row = line.checked_sub(1)?;
    let source = text.split('\n').nth(row)?;
    let column = source.find(|c: char| !c.is_whitespace())?;
    if language.family() == Family::Prose
        && let Some(last) = markdown::section_end(text, row)
    {
        return Some((line, last + 1));
    }
    let tree = parse(text, language, bounds)?;
    let found = Finder { text, tree: &tree, start: Point { row, column } };
    // The first word of a declaration may be a node of its own: where it does not end its line, it is not meant.
    let mut candidates = [found.construct(), found.after_annotations()].into_iter().flatten();
    let (node, last) = candidates.find_map(|node| Some((node, found.last_row(node)?)))?;
    (!node.has_error() && last >= row).then_some((line, last + 1))
}

struct Finder<'a> {
    text: &'a str,
    tree: &'a Tree,
    start: Point,
}

impl<'a> Finder<'a> {
    /// The nodes on the way from the root to the place, outermost first, without the root.
    fn path(&self) -> Vec<Node<'a>> {
        let mut cursor = self.tree.walk();
        let mut path = Vec::new();
        while cursor.goto_first_child_for_point(self.start).is_some() {
            // A node that ends exactly at the place comes first; the one that begins there is meant.
            while cursor.node().end_position() <= self.start && cursor.goto_next_sibling() {}
            if cursor.node().start_position() > self.start {
                break;
            }
            path.push(cursor.node());
        }
        path
    }

    /// The outermost construct that begins at the place.
    fn construct(&self) -> Option<Node<'a>> {
        let begins = |node: &&Node<'a>| node.is_named() && node.start_position() == self.start;
        let path = self.path();
        path.iter().filter(begins).find(|node| !is_list(**node) && !is_closing_tag(**node)).copied()
    }

    /// The construct whose first lines are annotations that end before the place: `@Override` in Java belongs to the
    /// method, but the line below it is what people call its beginning.
    fn after_annotations(&self) -> Option<Node<'a>> {
        let path = self.path();
        let around = path.iter().rev().filter(|node| node.is_named() && node.start_position() < self.start);
        let mut found = None;
        for node in around {
            let mut cursor = node.walk();
            let before = node.children(&mut cursor).filter(|child| child.start_position() < self.start);
            // A comment or a string has nothing before its middle: nothing begins there.
            let mut before = before.peekable();
            let only_annotations =
                before.peek().is_some() && before.all(|child| is_annotation(child) || found == Some(child));
            if !only_annotations {
                break;
            }
            found = Some(*node);
        }
        found
    }

    /// The last row of a node. Nothing but separators and comments may follow it there.
    fn last_row(&self, node: Node<'_>) -> Option<usize> {
        let taken = self.text.get(node.byte_range())?;
        let end = node.start_byte() + taken.trim_end().len();
        let rest = self.text[end..].split('\n').next().unwrap_or_default();
        let after = rest.trim_start().trim_start_matches([',', ';']).trim_start();
        let is_comment = || {
            let at = end + (rest.len() - after.len());
            let next = self.tree.root_node().descendant_for_byte_range(at, at + 1);
            next.is_some_and(|next| next.kind().contains("comment"))
        };
        if !after.is_empty() && !is_comment() {
            return None;
        }
        let rows = taken.trim_end().matches('\n').count();
        Some(node.start_position().row + rows)
    }
}

/// `</div>` belongs to what it closes.
fn is_closing_tag(node: Node<'_>) -> bool {
    matches!(node.kind(), "end_tag" | "ETag" | "jsx_closing_element")
}

fn is_annotation(node: Node<'_>) -> bool {
    let kind = node.kind();
    ["annotation", "decorator", "attribute", "modifiers", "comment"].iter().any(|word| kind.contains(word))
}

/// Is the node only the list of the constructs in it? Such a list begins where its first construct does, but has no
/// words of its own. A node around nothing but a list is one, too.
pub(crate) fn is_list(node: Node<'_>) -> bool {
    let mut node = node;
    while node.child_count() == 1
        && let Some(only) = node.child(0)
        && only.is_named()
    {
        node = only;
    }
    let kind = node.kind();
    let is_element = matches!(kind, "section" | "decorated_definition" | "element" | "jsx_element");
    // The clauses of a statement may be all that it has; but the body of a method in Ruby is a list.
    let is_statement = kind == "statement" || (kind.ends_with("_statement") && kind != "body_statement");
    if is_element || is_statement {
        return false;
    }
    let mut cursor = node.walk();
    let mut previous: Option<Node<'_>> = None;
    let mut count = 0;
    // The parts of a declaration may stand on lines of their own, but they have names.
    let is_declaration = |part: &&str| node.child_by_field_name(part).is_some();
    if ["declarator", "body"].iter().any(is_declaration) {
        return false;
    }
    for child in node.children(&mut cursor) {
        let separator = !child.is_named() && matches!(child.kind(), ";" | "," | "\n" | "");
        if separator {
            continue;
        }
        if !child.is_named() || !previous.is_none_or(|before| is_below(child, before)) {
            return false;
        }
        previous = Some(child);
        count += 1;
    }
    count > 1
}

/// Does a node begin on a later line than the one before it ends?
fn is_below(node: Node<'_>, before: Node<'_>) -> bool {
    let end = before.end_position();
    node.start_position().row > end.row || end.column == 0
}
