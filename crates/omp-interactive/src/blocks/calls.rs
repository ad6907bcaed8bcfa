//! Tool calls, while they run.

use std::sync::Arc;
use std::time::Duration;

use omp_tui::text::Line;
use omp_tui::transcript::{Block, BlockId};
use omp_types::{ToolOutput, UserBlock};
use omp_view::Look;
use omp_view::tool::{self, Call, Expansion, Phase, ToolView};
use serde_json::{Map, Value, json};

use super::{Foldable, Pictured, apart};
use crate::parts::Part;
use crate::stage::Stage;

/// A call, or several reads that follow each other.
pub(crate) struct Calls {
    stage: Stage,
    block: tool::Block,
    ids: Vec<String>,
    pictured: Pictured,
    /// What an extension draws of it: the call, and the result.
    drawn: (Option<Part>, Option<Part>),
    /// Counts what has changed.
    version: u64,
    /// Another read may join.
    open: bool,
    now: Duration,
}

impl Calls {
    pub(crate) fn new(stage: Stage, id: &str, name: &str) -> Self {
        let view = ToolView::new(Call::new(name));
        let open = name == "read";
        let block = match open {
            true => tool::Block::Reads(vec![view]),
            false => tool::Block::One(Box::new(view)),
        };
        let pictured = Pictured::new(stage.pictures());
        let drawn = match open {
            true => (None, None),
            false => (stage.parts().call(name, id), stage.parts().result(name, id)),
        };
        Self {
            stage,
            block,
            ids: vec![id.to_owned()],
            pictured,
            drawn,
            version: 0,
            open,
            now: Duration::ZERO,
        }
    }

    /// Names the block of the transcript that this is.
    pub(crate) fn stands_at(&mut self, block: BlockId) {
        self.pictured.belongs_to(block);
    }

    /// Takes a further read; `false` if it has to stand alone.
    pub(crate) fn join(&mut self, id: &str) -> bool {
        match &mut self.block {
            tool::Block::Reads(views) if self.open => {
                views.push(ToolView::new(Call::new("read")));
                self.ids.push(id.to_owned());
                true
            }
            _ => false,
        }
    }

    /// Nothing joins any more.
    pub(crate) fn close(&mut self) {
        self.open = false;
    }

    fn view(&mut self, id: &str) -> Option<&mut ToolView> {
        self.version += 1;
        let place = self.ids.iter().position(|known| known == id)?;
        match &mut self.block {
            tool::Block::One(view) => Some(view),
            tool::Block::Reads(views) => views.get_mut(place),
        }
    }

    pub(crate) fn arguments_so_far(&mut self, id: &str, arguments: &Map<String, Value>) {
        if let Some(view) = self.view(id) {
            view.arguments_so_far(arguments.clone());
        }
    }

    pub(crate) fn arguments_complete(
        &mut self,
        id: &str,
        arguments: &Map<String, Value>,
        intent: Option<&str>,
    ) {
        if let Some(view) = self.view(id) {
            view.arguments_complete(arguments.clone(), intent.map(str::to_owned));
        }
    }

    pub(crate) fn start(&mut self, id: &str, now: Duration) {
        if let Some(view) = self.view(id) {
            view.start(now);
        }
    }

    pub(crate) fn update(&mut self, id: &str, output: ToolOutput) {
        if let Some(view) = self.view(id) {
            view.update(output);
        }
    }

    pub(crate) fn finish(&mut self, id: &str, output: ToolOutput, is_error: bool, now: Duration) {
        let text = output.content.iter().filter_map(|block| block.as_text()).next().unwrap_or_default();
        let phase = Phase::of_result(text, is_error);
        for block in &output.content {
            if let UserBlock::Image(image) = block {
                self.pictured.add(image);
            }
        }
        if let Some(view) = self.view(id) {
            view.finish(output, phase, now);
        }
    }

    /// The run is over: what did not end will not.
    pub(crate) fn give_up(&mut self, now: Duration) {
        self.open = false;
        for id in self.ids.clone() {
            if let Some(view) = self.view(&id).filter(|view| !view.call().phase.is_over()) {
                let output = view.call().output.clone();
                view.finish(output, Phase::Aborted, now);
            }
        }
    }

    /// Time goes by. Says whether that shows.
    pub(crate) fn tick(&mut self, now: Duration) -> bool {
        self.now = now;
        match &self.block {
            tool::Block::One(view) => view.is_animated(),
            tool::Block::Reads(views) => views.iter().any(ToolView::is_animated),
        }
    }
}

impl Foldable for Calls {
    fn folded(&mut self, look: &Look, expansion: Expansion) -> Vec<Line> {
        self.block.rows(look, expansion, self.now)
    }
}

impl Calls {
    /// What the rows of an extension are made from.
    fn drawn_version(&self) -> u64 {
        self.version * 2 + u64::from(self.stage.expanded())
    }

    /// The rows with those of an extension in the place of ours, as far as it draws them.
    fn drawn_rows(&mut self, look: &Look) -> Vec<Line> {
        let ours = self.block.rows(look, self.stage.expansion(), self.now);
        let (call_part, result_part) = &self.drawn;
        if call_part.is_none() && result_part.is_none() {
            return ours;
        }
        let calls = self.block.calls();
        let (Some(call), Some(id)) = (calls.first(), self.ids.first()) else { return ours };
        let is_over = call.phase.is_over();
        let options = json!({
            "expanded": self.stage.expanded(), "isPartial": !is_over, "spinnerFrame": 0,
            "isError": matches!(call.phase, Phase::Failed),
            "durationMs": call.took.map(|took| took.as_millis() as u64),
        });
        let parts = self.stage.parts();
        let drawn = |part: &Option<Part>, values: &dyn Fn() -> Value| {
            parts.rows(part.as_ref()?, self.drawn_version(), look.width, values)
        };
        let heading = drawn(call_part, &|| json!({"id": id, "args": call.arguments, "options": options}));
        let result = &call.output;
        let has_result = is_over || !result.content.is_empty() || result.details.is_some();
        let body = drawn(
            &result_part.clone().filter(|_| has_result),
            &|| json!({"id": id, "args": call.arguments, "result": result, "options": options}),
        );
        match (heading, body) {
            (None, None) => ours,
            (Some(heading), Some(body)) => heading.into_iter().chain(body).collect(),
            (Some(heading), None) => heading.into_iter().chain(ours.into_iter().skip(1)).collect(),
            (None, Some(body)) => ours.into_iter().take(1).chain(body).collect(),
        }
    }
}

impl Block for Calls {
    fn rows(&mut self, width: usize) -> Arc<[Line]> {
        let look = self.stage.look(width);
        let mut rows = apart(self.drawn_rows(&look));
        rows.extend_from_slice(&self.pictured.rows(width));
        rows.into()
    }

    fn is_final(&self) -> bool {
        let is_drawn =
            |part: &Option<Part>| part.as_ref().is_none_or(|part| part.is_settled(self.drawn_version()));
        let are_drawn = is_drawn(&self.drawn.0) && is_drawn(&self.drawn.1);
        !self.open
            && are_drawn
            && self.pictured.is_final()
            && self.block.calls().iter().all(|call| call.phase.is_over())
    }
}
