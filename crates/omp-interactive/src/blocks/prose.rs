//! What the model says and thinks, while it says it.

use std::sync::Arc;

use omp_tui::text::Line;
use omp_tui::transcript::Block;
use omp_view::message::{TextKind, TextView, thinking_hidden, thought_hidden};

use super::apart;
use crate::stage::Stage;

/// Text that grows.
pub(crate) struct Prose {
    stage: Stage,
    kind: TextKind,
    view: TextView,
    finished: bool,
}

impl Prose {
    pub(crate) fn new(stage: Stage, kind: TextKind) -> Self {
        Self { stage, kind, view: TextView::new(kind), finished: false }
    }

    pub(crate) fn push(&mut self, text: &str) {
        self.view.push(text);
    }

    /// Nothing follows.
    pub(crate) fn finish(&mut self) {
        if !std::mem::replace(&mut self.finished, true) {
            self.view.finish();
        }
    }
}

impl Block for Prose {
    fn rows(&mut self, width: usize) -> Arc<[Line]> {
        let look = self.stage.look(width);
        if self.view.source().trim().is_empty() {
            return Arc::new([]);
        }
        if self.kind == TextKind::Thinking && !self.stage.thoughts() {
            let row = if self.finished { thought_hidden(&look) } else { thinking_hidden(&look) };
            return apart(vec![row]).into();
        }
        apart(self.view.rows(&look)).into()
    }

    fn is_final(&self) -> bool {
        self.finished
    }

    fn final_rows(&mut self, width: usize) -> usize {
        if self.kind == TextKind::Thinking && !self.stage.thoughts() {
            return 0;
        }
        match self.view.final_rows(&self.stage.look(width)) {
            0 => 0,
            // The blank row above them.
            rows => rows + 1,
        }
    }
}
