//! One self-contained page.
//!
//! The page is written from top to bottom in one pass over the session, after one more that learns its shape. It is
//! complete without scripts: the active branch in full, the others folded below it. The script of the page turns the
//! tree into a switch between branches, searches, and opens transcripts of sub-agents beside their task.

mod agents;
mod entry;
mod flow;
mod head;
mod theme;
mod tool;
mod tree;

use std::io::{self, Write};
use std::path::Path;

use omp_types::ToolDefinition;

pub use theme::{Color, Palette, Theme};

use self::flow::Flow;
use crate::images::Images;
use crate::markup::Html;
use crate::outline::Outline;
use crate::view::{SessionView, ViewError};

const STYLE: &str = include_str!("../../assets/page.css");
const SCRIPT: &str = include_str!("../../assets/page.js");

/// What a page shows beside the session itself.
#[derive(Clone, Copy, Debug, Default)]
pub struct PageOptions<'a> {
    /// The instructions of the model, if they are known.
    pub system_prompt: Option<&'a str>,
    /// The tools the model has.
    pub tools: &'a [ToolDefinition],
    /// The directory where images are kept that are not in the session file.
    pub blobs: Option<&'a Path>,
    /// The colours.
    pub theme: Theme,
}

/// The page could not be written.
#[derive(Debug, thiserror::Error)]
pub enum HtmlError {
    /// A page needs a session that has a file.
    #[error("Cannot export in-memory session to HTML")]
    InMemory,
    /// The session could not be read.
    #[error(transparent)]
    View(#[from] ViewError),
    /// The page could not be written.
    #[error("cannot write the page: {0} (check disk space and permissions)")]
    Write(#[from] io::Error),
}

/// Writes the page of a session.
///
/// Transcripts of sub-agents are looked for in the session's directory of artifacts and become part of the page.
pub fn html(view: &SessionView<'_>, options: &PageOptions<'_>, out: &mut dyn Write) -> Result<(), HtmlError> {
    let path = view.path().ok_or(HtmlError::InMemory)?;
    let agents = agents::find(path);
    let outline = Outline::read(view)?;
    let mut page = Page { images: Images::new(options.blobs), agents, html: Html::default(), out };
    page.head(view, &outline, options)?;
    page.tree(&outline)?;
    page.html.raw("<main id=\"main\" tabindex=\"-1\">\n");
    page.hero(view, &outline);
    page.preamble(options);
    page.html.raw("<div id=\"flow\" class=\"flow\">\n");
    let flow = Flow { view, outline: &outline, tree: outline.tree(), prefix: "e" };
    page.path(&flow)?;
    page.html.raw("</div>\n");
    page.branches(&flow)?;
    page.sub_agents()?;
    page.foot()?;
    Ok(())
}

/// A page that is being written.
struct Page<'o> {
    images: Images,
    agents: Vec<agents::Agent>,
    html: Html,
    out: &'o mut dyn Write,
}

impl Page<'_> {
    /// Hands over what has been written so far, so that no more than an entry is held.
    fn flush(&mut self) -> io::Result<()> {
        self.html.drain(self.out)
    }
}
