//! Commands that the user runs with `!`.

use std::sync::Arc;

use omp_tui::text::Line;
use omp_tui::transcript::Block;
use omp_view::Look;
use omp_view::bang::{BangState, BangView};
use omp_view::tool::Expansion;

use super::{Foldable, apart};
use crate::stage::Stage;

/// A command of the user on the screen.
pub(crate) struct Bang {
    stage: Stage,
    pub(crate) view: BangView,
    over: bool,
}

impl Bang {
    pub(crate) fn new(stage: Stage, view: BangView) -> Self {
        Self { stage, view, over: false }
    }

    /// It ended; `truncation` says where the rest of its output is.
    pub(crate) fn finish(&mut self, state: BangState, truncation: Option<String>) {
        self.view.finish(state, truncation);
        self.over = true;
    }
}

impl Foldable for Bang {
    fn folded(&mut self, look: &Look, expansion: Expansion) -> Vec<Line> {
        self.view.rows(look, expansion)
    }
}

impl Block for Bang {
    fn rows(&mut self, width: usize) -> Arc<[Line]> {
        let expansion = self.stage.expansion();
        apart(self.view.rows(&self.stage.look(width), expansion)).into()
    }

    fn is_final(&self) -> bool {
        self.over
    }
}
