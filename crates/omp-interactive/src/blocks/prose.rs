//! What the model says and thinks, while it says it.

use std::sync::Arc;

use omp_tui::text::Line;
use omp_tui::transcript::Block;
use omp_view::message::{TextKind, TextView, thinking_hidden, thinking_labelled, thought_hidden};
use serde_json::json;

use super::apart;
use crate::parts::Part;
use crate::stage::Stage;

/// Text that grows.
pub(crate) struct Prose {
    stage: Stage,
    kind: TextKind,
    view: TextView,
    finished: bool,
    /// What extensions draw below, once it is finished, each with its number there.
    below: Vec<(Part, usize)>,
}

impl Prose {
    pub(crate) fn new(stage: Stage, kind: TextKind) -> Self {
        Self { stage, kind, view: TextView::new(kind), finished: false, below: Vec::new() }
    }

    pub(crate) fn push(&mut self, text: &str) {
        self.view.push(text);
    }

    /// Nothing follows.
    pub(crate) fn finish(&mut self) {
        if !std::mem::replace(&mut self.finished, true) {
            self.view.finish();
            if self.kind == TextKind::Thinking
                && self.stage.thoughts()
                && !self.view.source().trim().is_empty()
            {
                self.below = self.stage.parts().thinking();
            }
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
            let row = match self.stage.thinking_label() {
                Some(label) => thinking_labelled(&look, &label),
                None if self.finished => thought_hidden(&look),
                None => thinking_hidden(&look),
            };
            return apart(vec![row]).into();
        }
        let mut rows = apart(self.view.rows(&look));
        let (parts, text) = (self.stage.parts(), self.view.source());
        for (part, index) in &self.below {
            let values = || json!({"text": text, "options": {"index": index}});
            rows.extend(parts.rows(part, 0, width, values).unwrap_or_default());
        }
        rows.into()
    }

    fn is_final(&self) -> bool {
        self.finished && self.below.iter().all(|(part, _)| part.is_settled(0))
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
