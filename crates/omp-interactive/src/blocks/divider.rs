//! The place where a conversation was summed up, or another branch left.

use std::sync::Arc;

use omp_tui::text::Line;
use omp_tui::transcript::Block;
use omp_view::tool::Expansion;
use omp_view::{Cached, message};

use super::apart;
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

impl Block for Divider {
    fn rows(&mut self, width: usize) -> Arc<[Line]> {
        let look = self.stage.look(width);
        let expanded = self.stage.expanded();
        let expansion = if expanded { Expansion::Expanded } else { Expansion::Collapsed };
        let Self { behind, summary, cached, .. } = self;
        cached.rows(&look, u64::from(expanded), || {
            apart(match behind {
                Behind::Compaction { tokens_before } => {
                    message::compaction(&look, summary, *tokens_before, expansion)
                }
                Behind::Branch => message::branch(&look, summary, expansion),
            })
        })
    }

    fn is_final(&self) -> bool {
        self.closed
    }
}
