//! The place where a conversation was summarized, or another branch left.

use std::sync::Arc;

use omp_tui::text::Line;
use omp_tui::transcript::Block;
use omp_view::tool::Expansion;
use omp_view::{Cached, Look, message};

use super::{Foldable, apart};
use crate::stage::Stage;

/// What lies behind a divider.
pub(crate) enum Behind {
    /// A compaction, and the tokens that the conversation had before.
    Compaction { tokens_before: u64 },
    /// Another branch.
    Branch,
}

/// A line across, with a summary behind it.
pub(crate) struct Divider {
    stage: Stage,
    behind: Behind,
    summary: String,
    cached: Cached,
    closed: bool,
}

impl Divider {
    pub(crate) fn new(stage: Stage, behind: Behind, summary: String) -> Self {
        Self { stage, behind, summary, cached: Cached::default(), closed: false }
    }

    /// Something follows: it stays as it is shown now.
    pub(crate) fn close(&mut self) {
        self.closed = true;
    }
}

impl Foldable for Divider {
    fn folded(&mut self, look: &Look, expansion: Expansion) -> Vec<Line> {
        match &self.behind {
            Behind::Compaction { tokens_before } => {
                message::compaction(look, &self.summary, *tokens_before, expansion)
            }
            Behind::Branch => message::branch(look, &self.summary, expansion),
        }
    }
}

impl Block for Divider {
    fn rows(&mut self, width: usize) -> Arc<[Line]> {
        let (look, expansion) = (self.stage.look(width), self.stage.expansion());
        let mut cached = std::mem::take(&mut self.cached);
        let version = u64::from(expansion == Expansion::Expanded);
        let rows = cached.rows(&look, version, || apart(self.folded(&look, expansion)));
        self.cached = cached;
        rows
    }

    fn is_final(&self) -> bool {
        self.closed
    }
}
