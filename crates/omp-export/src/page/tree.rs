//! The tree at the side.

use std::io;

use super::Page;
use crate::outline::{Node, Outline, OutlineKind};

/// Deeper branches are not indented further.
const DEEPEST: usize = 8;

/// What stands above the rows: search, and filters, which are switches that need no script.
const HEAD: &str = include_str!("../../assets/tree.html");

impl Page<'_> {
    /// All entries, the active branch first.
    pub(super) fn tree(&mut self, outline: &Outline) -> io::Result<()> {
        self.html.raw(HEAD);
        let tree = outline.tree();
        for row in outline.rows(&tree) {
            let node = &outline.nodes[row.node];
            self.row(row.node, row.depth, node);
            self.flush()?;
        }
        self.html.raw("</ol>\n<p id=\"nothing\" hidden>No matches</p>\n");
        self.html.raw("<p class=\"keys\"><kbd>/</kbd> search <kbd>j</kbd> <kbd>k</kbd> next, previous ");
        self.html.raw("<kbd>e</kbd> expand</p>\n</nav>\n");
        Ok(())
    }

    fn row(&mut self, index: usize, depth: usize, node: &Node) {
        let html = &mut self.html;
        html.raw("<li class=\"").raw(class(node.kind)).raw(" d").display(depth.min(DEEPEST));
        html.raw(if node.active { " on" } else { "" });
        html.raw(if node.failed { " bad" } else { "" });
        html.raw(if node.label.is_some() { " labeled\"" } else { "\"" });
        if let Some(parent) = node.parent {
            html.raw(" data-parent=\"").display(parent).raw("\"");
        }
        html.raw("><a href=\"#e").display(index).raw("\">");
        if let Some(label) = &node.label {
            html.raw("<b>[").text(label).raw("]</b> ");
        }
        html.raw("<bdi>").text(&node.summary).raw("</bdi></a></li>\n");
    }
}

fn class(kind: OutlineKind) -> &'static str {
    match kind {
        OutlineKind::User => "k-user",
        OutlineKind::Assistant => "k-assistant",
        OutlineKind::Calls => "k-calls",
        OutlineKind::Result => "k-result",
        OutlineKind::Summary => "k-summary",
        OutlineKind::Notice => "k-notice",
        OutlineKind::Event => "k-event",
        OutlineKind::State => "k-state",
    }
}
