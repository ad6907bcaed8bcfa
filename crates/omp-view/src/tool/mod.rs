//! Calls of tools: a header row that says what matters, and below it as much of the result as is asked for.
//!
//! Each tool has a file of its own that draws one [`Call`]; which one that is says the table of tools. What a
//! call looks like depends on its data alone, so a [`ToolView`] draws its body once per change and keeps the rows.

mod ask;
mod ast;
mod blocks;
mod call;
mod command;
mod edit;
mod facts;
mod find;
mod generic;
mod goal;
mod header;
mod inspect_image;
mod jobs;
mod patch;
mod read;
mod resolve;
mod search;
pub mod spoken;
mod todo;
mod tools;
mod view;
mod visible;
mod write;

pub use blocks::{Block, Blocks, Place};
pub use call::{Call, Expansion, Phase};
pub use view::{Renderer, ToolView};

use omp_tui::text::Line;
use omp_types::{CallView, builtin_tool};

use crate::Look;

/// What a tool's file gives for a call.
#[derive(Debug, Default)]
pub(crate) struct Drawn {
    /// The name in the header, if it is not that of the tool.
    pub(crate) title: Option<String>,
    /// The one thing that matters: a path, a command, a pattern.
    pub(crate) subject: String,
    /// What came of it, in a few words.
    pub(crate) figure: String,
    /// The rows below the header, not yet indented.
    pub(crate) body: Vec<Line>,
}

/// A call that is being drawn.
pub(crate) struct Drawing<'a> {
    /// The look of the body: its width is that of the body.
    pub(crate) look: &'a Look,
    pub(crate) call: &'a Call,
    pub(crate) expansion: Expansion,
}

/// Draws a call in the way that the table of tools names.
pub(crate) fn draw(drawing: &Drawing<'_>) -> Drawn {
    let draw = match builtin_tool(&drawing.call.name).map_or(CallView::Generic, |tool| tool.view) {
        CallView::Ask => ask::draw,
        CallView::AstEdit => ast::draw_edit,
        CallView::AstGrep => ast::draw_grep,
        CallView::Command => command::draw,
        CallView::Progress => goal::draw,
        CallView::Edit => edit::draw,
        CallView::Find => find::draw,
        CallView::Image => inspect_image::draw,
        CallView::Jobs => jobs::draw,
        CallView::Read => read::draw,
        CallView::Resolve => resolve::draw,
        CallView::Search => search::draw,
        CallView::ToolSearch => tools::draw,
        CallView::Todo => todo::draw,
        CallView::Write => write::draw,
        CallView::Generic => generic::draw,
    };
    draw(drawing)
}
