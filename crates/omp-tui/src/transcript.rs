//! The conversation as blocks: which rows there are, and which of them are final.
//!
//! A finished block is asked for its rows once per width and never again, so that nothing that changes later (a theme, an
//! expanded view) can change rows that are in history. The first block that is not finished is where history has to stop,
//! apart from what [`LiveCommit`] finds settled in it. Asking for a frame costs as much as what is not finished, however
//! long the conversation is.

use std::sync::Arc;

use crate::commit::LiveCommit;
use crate::component::{Component, Layout};
use crate::ledger::Seam;
use crate::text::Line;

/// A part of the conversation.
pub trait Block {
    /// Its rows at this width.
    fn rows(&mut self, width: usize) -> Arc<[Line]>;

    /// Whether it will not change any more.
    fn is_final(&self) -> bool;

    /// How many of its rows, from the first one, will not change any more at this width, while the others may. A block that
    /// cannot tell is watched.
    fn final_rows(&mut self, _width: usize) -> usize {
        0
    }
}

struct Entry {
    block: Box<dyn Block>,
    rows: Arc<[Line]>,
    frozen: bool,
}

/// Names a block of a transcript.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
pub struct BlockId(usize);

/// All blocks, oldest first.
#[derive(Default)]
pub struct Transcript {
    entries: Vec<Entry>,
    /// The row at which each entry begins, up to the first that may have changed, and the row behind it.
    starts: Vec<usize>,
    width: usize,
    /// Entries before this one are frozen.
    frozen: usize,
    live: Option<(usize, LiveCommit)>,
    renders: usize,
}

impl Transcript {
    /// No blocks.
    pub fn new() -> Self {
        Self { starts: vec![0], ..Self::default() }
    }

    /// Appends a block.
    pub fn push(&mut self, block: Box<dyn Block>) -> BlockId {
        self.entries.push(Entry { block, rows: Arc::new([]), frozen: false });
        BlockId(self.entries.len() - 1)
    }

    /// A block, to change it. What it does after it was final is not seen until everything is laid out again.
    pub fn block_mut(&mut self, id: BlockId) -> Option<&mut dyn Block> {
        Some(self.entries.get_mut(id.0)?.block.as_mut())
    }

    /// How many blocks there are.
    pub fn blocks(&self) -> usize {
        self.entries.len()
    }

    /// How often a block was asked for its rows; a measure of work.
    pub fn renders(&self) -> usize {
        self.renders
    }

    /// Asks a finished block for its rows again, for what may change without moving anything, such as a picture that lost
    /// its pixels. Rows of another number are not taken: they would move what is in history.
    pub fn refresh(&mut self, id: BlockId) {
        let width = self.width;
        let Some(entry) = self.entries.get_mut(id.0).filter(|entry| entry.frozen) else { return };
        let rows = entry.block.rows(width);
        self.renders += 1;
        if rows.len() == entry.rows.len() {
            entry.rows = rows;
        }
    }

    /// Asks every block again at the next layout, also those that are final: for a replay of everything.
    pub fn thaw(&mut self) {
        self.frozen = 0;
        self.entries.iter_mut().for_each(|entry| entry.frozen = false);
        self.live = None;
    }

    fn lay_out(&mut self, width: usize) {
        if width != self.width {
            self.width = width;
            self.thaw();
        }
        self.starts.truncate(self.frozen + 1);
        let mut row = self.starts.last().copied().unwrap_or(0);
        let mut contiguous = true;
        for (index, entry) in self.entries.iter_mut().enumerate().skip(self.frozen) {
            if !entry.frozen {
                entry.frozen = entry.block.is_final();
                entry.rows = entry.block.rows(width);
                self.renders += 1;
            }
            contiguous &= entry.frozen;
            if contiguous {
                self.frozen = index + 1;
            }
            row += entry.rows.len();
            self.starts.push(row);
        }
    }

    fn seam(&mut self) -> Seam {
        let Some(entry) = self.entries.get_mut(self.frozen) else {
            self.live = None;
            return Seam::default();
        };
        if self.live.as_ref().is_none_or(|(index, _)| *index != self.frozen) {
            self.live = Some((self.frozen, LiveCommit::default()));
        }
        let start = self.starts[self.frozen];
        let known = entry.block.final_rows(self.width).min(entry.rows.len());
        let seen = self.live.as_mut().map_or(0, |(_, commit)| commit.observe(&entry.rows));
        let safe = seen.max(known);
        Seam { live_start: Some(start), commit_safe_end: Some(start + safe) }
    }
}

impl Component for Transcript {
    fn layout(&mut self, width: usize) -> Layout {
        self.lay_out(width);
        let seam = self.seam();
        Layout { rows: self.starts.last().copied().unwrap_or(0), seam, cursor: None }
    }

    fn block(&self, index: usize) -> (usize, usize) {
        let entry = self.starts.partition_point(|start| *start <= index).saturating_sub(1);
        (entry, self.starts.get(entry).copied().unwrap_or(0))
    }

    fn block_start(&self, block: usize) -> Option<usize> {
        self.starts.get(block).copied()
    }

    fn row(&self, index: usize) -> Line {
        let entry = self.starts.partition_point(|start| *start <= index).saturating_sub(1);
        let offset = index - self.starts.get(entry).copied().unwrap_or(index);
        self.entries.get(entry).and_then(|entry| entry.rows.get(offset)).cloned().unwrap_or_default()
    }
}
