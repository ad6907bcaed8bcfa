//! A dear model finds the way, a cheap one walks it: with the first change of a file the cheap one takes over.

use std::sync::atomic::{AtomicBool, Ordering};
use std::sync::{Arc, Weak};

use omp_agent::{BatchStream, Model, ModelIdentity};
use omp_llm::registry::Selection;
use omp_types::{Message, ModelRequest, ThinkingLevel, ToolTrait, tool_has};
use tokio_util::sync::CancellationToken;

use crate::SessionModes;

/// What is left of the way.
pub struct Prewalk {
    /// The model that takes over.
    then: Selection,
    /// It has taken over, in the middle of a run.
    crossed: AtomicBool,
}

impl Prewalk {
    /// Nothing has changed yet.
    pub fn new(then: Selection) -> Arc<Self> {
        Arc::new(Self { then, crossed: AtomicBool::new(false) })
    }

    /// The model that takes over, as a selection to switch to.
    pub fn selection(&self) -> Selection {
        let Selection { model, thinking, .. } = &self.then;
        Selection { model: model.clone(), thinking: *thinking, warnings: Vec::new() }
    }

    /// The model of the conversation until then: `first`, and `then` with its thinking level after the first change.
    pub fn model(
        self: &Arc<Self>,
        modes: &Arc<SessionModes>,
        first: Arc<dyn Model>,
        then: Arc<dyn Model>,
        thinking: ThinkingLevel,
    ) -> Arc<dyn Model> {
        let (modes, since) = (Arc::downgrade(modes), modes.clock.now_ms());
        Arc::new(PrewalkModel { first, then, thinking, walk: Arc::clone(self), modes, since })
    }

    pub(crate) fn has_crossed(&self) -> bool {
        self.crossed.load(Ordering::Acquire)
    }
}

/// The model of the conversation, until the run in which a file was changed is over.
struct PrewalkModel {
    first: Arc<dyn Model>,
    then: Arc<dyn Model>,
    thinking: ThinkingLevel,
    walk: Arc<Prewalk>,
    modes: Weak<SessionModes>,
    /// Changes before this moment were made by others.
    since: u64,
}

impl PrewalkModel {
    fn has_crossed(&self) -> bool {
        self.walk.has_crossed()
    }

    fn current(&self) -> &Arc<dyn Model> {
        if self.has_crossed() { &self.then } else { &self.first }
    }

    fn saw_change(&self, messages: &[Arc<Message>]) -> bool {
        let mut results = messages.iter().rev().filter_map(|message| message.as_tool_result());
        results.any(|result| {
            !result.is_error
                && result.timestamp >= self.since
                && tool_has(&result.tool_name, ToolTrait::ChangesFiles)
        })
    }
}

impl Model for PrewalkModel {
    fn identity(&self) -> ModelIdentity {
        self.current().identity()
    }

    fn stream(&self, mut request: ModelRequest, cancel: CancellationToken) -> BatchStream {
        if !self.has_crossed() && self.saw_change(&request.messages) {
            self.walk.crossed.store(true, Ordering::Release);
            if let Some(modes) = self.modes.upgrade() {
                modes.notice(format!(
                    "First file changed; continuing with {}",
                    self.then.identity().selector()
                ));
            }
        }
        if self.has_crossed() {
            request.options.thinking = self.thinking;
        }
        self.current().stream(request, cancel)
    }

    fn can_force_tools(&self) -> bool {
        self.current().can_force_tools()
    }
}
