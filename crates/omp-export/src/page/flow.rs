//! Entries in the order in which they are read.

use super::{HtmlError, Page};
use crate::number::{one_line, plural};
use crate::outline::{Outline, OutlineRow, Tree};
use crate::view::SessionView;

/// The session that is being written, and how its entries are named.
pub(super) struct Flow<'f> {
    pub(super) view: &'f SessionView<'f>,
    pub(super) outline: &'f Outline,
    pub(super) tree: Tree,
    /// The beginning of the name of an entry in the page: `e` in `e12`.
    pub(super) prefix: &'f str,
}

impl Page<'_> {
    /// The active branch.
    pub(super) fn path(&mut self, flow: &Flow<'_>) -> Result<(), HtmlError> {
        for index in flow.outline.active_path() {
            self.article(flow, index)?;
        }
        Ok(())
    }

    /// The branches that were left, each folded, below the active one.
    pub(super) fn branches(&mut self, flow: &Flow<'_>) -> Result<(), HtmlError> {
        let outline = flow.outline;
        let rows: Vec<OutlineRow> =
            outline.rows(&flow.tree).into_iter().filter(|row| !outline.nodes[row.node].active).collect();
        if rows.is_empty() {
            return Ok(());
        }
        self.html.raw("<section class=\"branches\" aria-label=\"Other branches\"><h2>Other branches</h2>\n");
        // A branch continues as long as each row is below the one before it.
        let starts = |pair: &[OutlineRow]| outline.nodes[pair[1].node].parent != Some(pair[0].node);
        let mut first = 0;
        while first < rows.len() {
            let length = rows[first..].windows(2).position(starts).map_or(rows.len() - first, |at| at + 1);
            self.branch(flow, &rows[first..first + length])?;
            first += length;
        }
        self.html.raw("</section>\n");
        Ok(self.flush()?)
    }

    fn branch(&mut self, flow: &Flow<'_>, rows: &[OutlineRow]) -> Result<(), HtmlError> {
        let first = &flow.outline.nodes[rows[0].node];
        let summary = first.label.as_ref().unwrap_or(&first.summary);
        self.html.raw("<details class=\"fold branch\"><summary><bdi>").text(&one_line(summary, 80));
        self.html
            .raw("</bdi> <small>")
            .text(&plural(rows.len(), "entry", "entries"))
            .raw("</small></summary>\n");
        self.html.raw("<div class=\"flow\">\n");
        for row in rows {
            self.article(flow, row.node)?;
        }
        self.html.raw("</div></details>\n");
        Ok(())
    }

    /// Ways to the other branches that begin beside this entry.
    pub(super) fn fork(&mut self, flow: &Flow<'_>, index: usize) {
        let siblings = flow.tree.siblings(&flow.outline.nodes[index]);
        if siblings.len() < 2 {
            return;
        }
        let at = siblings.iter().position(|sibling| *sibling == index).unwrap_or_default();
        self.html
            .raw("<div class=\"fork\" role=\"group\" aria-label=\"Branches here\"><span>Branch ")
            .display(at + 1);
        self.html.raw(" of ").display(siblings.len()).raw("</span>");
        // A place that was tried a thousand times needs no thousand links.
        for (number, sibling) in siblings.iter().enumerate().skip(at.saturating_sub(4)).take(9) {
            self.html.raw("<a href=\"#").text(flow.prefix).display(sibling).raw("\"");
            self.html.raw(if *sibling == index { " aria-current=\"true\">" } else { ">" });
            self.html.display(number + 1).raw("</a>");
        }
        self.html.raw("</div>");
    }
}
