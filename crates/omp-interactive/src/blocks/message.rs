//! A message of an extension.

use std::sync::Arc;

use omp_tui::text::Line;
use omp_tui::transcript::Block;
use omp_types::CustomMessage;
use omp_view::message;
use serde_json::json;

use super::apart;
use crate::parts::Part;
use crate::stage::Stage;

/// A message that its extension may draw.
pub(crate) struct OwnMessage {
    stage: Stage,
    message: CustomMessage,
    drawn: Option<Part>,
}

impl OwnMessage {
    pub(crate) fn new(stage: Stage, message: CustomMessage, drawn: Option<Part>) -> Self {
        Self { stage, message, drawn }
    }
}

impl Block for OwnMessage {
    fn rows(&mut self, width: usize) -> Arc<[Line]> {
        let look = self.stage.look(width);
        let options = json!({"expanded": self.stage.expanded()});
        let drawn = self.drawn.as_ref().and_then(|part| {
            let values = || json!({"message": self.message, "options": options});
            self.stage.parts().rows(part, 0, width, values)
        });
        apart(drawn.unwrap_or_else(|| message::custom(&look, &self.message))).into()
    }

    fn is_final(&self) -> bool {
        self.drawn.as_ref().is_none_or(|part| part.is_settled(0))
    }
}
