//! Other languages inside a text: scripts and styles in pages, code in prose.

use std::ops::Range;

use tree_sitter::{Node, Tree};

use crate::Language;
use crate::tree::{Inside, visit};

/// Places that are looked at; a page with more of them keeps its own colours in the rest.
const MAX_PLACES: usize = 200;

/// The stretches of a text that are in another language, in order.
pub(super) fn places(tree: &Tree, text: &str, language: Language) -> Vec<(Range<usize>, Language)> {
    let mut found = Vec::new();
    if !matches!(language.name(), "html" | "vue" | "svelte" | "astro" | "markdown" | "php") {
        return found;
    }
    visit(tree.root_node(), |cursor, _| {
        let node = cursor.node();
        let inner = match node.kind() {
            "script_element" => child(node, "raw_text").map(|inner| (inner, script(node, text))),
            "style_element" => child(node, "raw_text").map(|inner| (inner, "css")),
            "fenced_code_block" => {
                let label = child(node, "info_string").and_then(|info| text.get(info.byte_range()));
                let label = label.and_then(|label| label.split_whitespace().next()).unwrap_or_default();
                child(node, "code_fence_content").map(|inner| (inner, label))
            }
            _ if found.len() >= MAX_PLACES => return Inside::Stop,
            _ => return Inside::Look,
        };
        let known = inner.and_then(|(inner, tag)| Some((inner.byte_range(), Language::of_tag(tag)?)));
        found.extend(known);
        Inside::Skip
    });
    found
}

fn child<'tree>(node: Node<'tree>, kind: &str) -> Option<Node<'tree>> {
    let mut cursor = node.walk();
    node.children(&mut cursor).find(|child| child.kind() == kind)
}

/// The language that a script says it is in.
fn script(node: Node<'_>, text: &str) -> &'static str {
    let start = child(node, "start_tag").and_then(|start| text.get(start.byte_range())).unwrap_or_default();
    match start {
        _ if start.contains("\"ts\"") || start.contains("'ts'") || start.contains("typescript") => {
            "typescript"
        }
        _ if start.contains("\"tsx\"") => "tsx",
        _ if start.contains("json") => "json",
        _ => "javascript",
    }
}
