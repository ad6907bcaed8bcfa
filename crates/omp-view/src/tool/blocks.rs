//! Calls in the order of a transcript, with reads that follow each other in one block.

use std::time::Duration;

use omp_theme::Token;
use omp_tui::text::Line;

use super::header::{header, status};
use super::{Call, Drawing, Drawn, Expansion, Phase, ToolView, read};
use crate::Look;
use crate::look::{behind, count};

/// One block of calls.
#[derive(Clone, Debug)]
pub enum Block {
    /// A call with its result.
    One(Box<ToolView>),
    /// Several reads.
    Reads(Vec<ToolView>),
}

/// Where a call is.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Place {
    /// The block.
    pub block: usize,
    /// Which call of the block.
    pub index: usize,
}

/// Puts calls into blocks: reads that follow each other share one, until something else comes between them.
#[derive(Clone, Debug, Default)]
pub struct Blocks {
    blocks: Vec<Block>,
    /// A read would join the last block.
    open: bool,
}

impl Blocks {
    /// Adds a call and says where it went.
    pub fn add(&mut self, view: ToolView) -> Place {
        let is_read = view.call().name == "read";
        match self.blocks.last_mut() {
            Some(Block::Reads(reads)) if self.open && is_read => reads.push(view),
            _ if is_read => self.blocks.push(Block::Reads(vec![view])),
            _ => self.blocks.push(Block::One(Box::new(view))),
        }
        self.open = is_read;
        let index = self.blocks.last().map_or(0, |block| block.calls().len()).saturating_sub(1);
        Place { block: self.blocks.len() - 1, index }
    }

    /// A call, to change it.
    pub fn view_mut(&mut self, place: Place) -> Option<&mut ToolView> {
        match self.blocks.get_mut(place.block)? {
            Block::One(view) => Some(view),
            Block::Reads(views) => views.get_mut(place.index),
        }
    }

    /// Something else than a call came: the next read begins a new block.
    pub fn interrupt(&mut self) {
        self.open = false;
    }

    /// The blocks in order.
    pub fn blocks(&self) -> &[Block] {
        &self.blocks
    }

    /// A block, to change or draw it.
    pub fn block_mut(&mut self, index: usize) -> Option<&mut Block> {
        self.blocks.get_mut(index)
    }
}

impl Block {
    /// The calls of the block.
    pub fn calls(&self) -> Vec<&Call> {
        match self {
            Self::One(view) => vec![view.call()],
            Self::Reads(views) => views.iter().map(ToolView::call).collect(),
        }
    }

    /// The rows of the block.
    pub fn rows(&mut self, look: &Look, expansion: Expansion, now: Duration) -> Vec<Line> {
        match self {
            Self::One(view) => view.rows(look, expansion, now),
            Self::Reads(views) => match views.as_mut_slice() {
                [one] => one.rows(look, expansion, now),
                _ if expansion == Expansion::Expanded => {
                    views.iter_mut().flat_map(|view| view.rows(look, expansion, now)).collect()
                }
                several => group(look, several, now),
            },
        }
    }
}

/// A header for all, and a row for each.
fn group(look: &Look, views: &[ToolView], now: Duration) -> Vec<Line> {
    let calls: Vec<&Call> = views.iter().map(ToolView::call).collect();
    let phase = |phase: Phase| calls.iter().any(|call| call.phase == phase);
    let together =
        [Phase::Running, Phase::Pending, Phase::Ready, Phase::Failed, Phase::Denied, Phase::Aborted];
    let together = together.into_iter().find(|one| phase(*one)).unwrap_or(Phase::Done);
    let mut whole = Call::new("read");
    whole.phase = together;
    let failed = calls.iter().filter(|call| matches!(call.phase, Phase::Failed | Phase::Denied)).count();
    let figure = if failed > 0 { format!("{failed} failed") } else { String::new() };
    let drawn = Drawn { subject: count(calls.len() as u64, "file"), figure, ..Drawn::default() };
    let unfinished = views.iter().filter(|view| view.call().phase == Phase::Running);
    let running = unfinished.filter_map(|view| view.running(now)).max();
    let mut rows = vec![header(look, &whole, &drawn, running)];
    let inner = look.narrower(2);
    let each = calls.iter().map(|call| {
        let drawing = Drawing { look: &inner, call, expansion: Expansion::Collapsed };
        row(&drawing)
    });
    let drawing = Drawing { look: &inner, call: &whole, expansion: Expansion::Collapsed };
    let branches = drawing.branches(each.collect());
    rows.extend(branches.iter().map(|row| look.shortened(&behind(&Line::plain("  "), row), look.width)));
    rows
}

/// A read as one row: where it went wrong, with the reason.
fn row(drawing: &Drawing<'_>) -> Line {
    let (look, call) = (drawing.look, drawing.call);
    let drawn = read::draw(drawing);
    let mut line = Line::new();
    if call.phase != Phase::Done {
        let sign = status(look, call.phase, None).text();
        let token = match call.phase {
            Phase::Failed => Token::Error,
            Phase::Aborted | Phase::Denied => Token::Warning,
            _ => Token::Muted,
        };
        line.push(look.fg(token), &format!("{sign} "));
    }
    line.push(look.fg(Token::Text), &drawn.subject);
    let reason = call.text();
    let fact = match call.phase {
        Phase::Failed | Phase::Aborted | Phase::Denied => reason.lines().next().unwrap_or_default(),
        _ => &drawn.figure,
    };
    if !fact.is_empty() {
        line.push(look.fg(Token::Muted), &format!("{}{fact}", look.dot()));
    }
    line
}
