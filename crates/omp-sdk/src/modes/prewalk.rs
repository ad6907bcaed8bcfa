//! A dear model finds the way, a cheap one walks it: with the first change of a file the cheap one takes over.

use std::sync::atomic::{AtomicBool, Ordering};
use std::sync::{Arc, PoisonError, Weak};

use omp_agent::{BatchStream, Model, ModelIdentity};
use omp_llm::registry::Selection;
use omp_types::{Message, ModelRequest, ThinkingLevel, ToolTrait, tool_has};
use tokio_util::sync::CancellationToken;

use super::SessionModes;
use crate::error::SessionError;
use crate::session::Session;

/// What is left of the way.
pub(super) struct Walk {
    /// The model that takes over.
    then: Selection,
    /// It has taken over, in the middle of a run.
    crossed: AtomicBool,
}

/// The model of the conversation, until the run in which a file was changed is over.
struct Walking {
    first: Arc<dyn Model>,
    then: Arc<dyn Model>,
    thinking: ThinkingLevel,
    walk: Arc<Walk>,
    modes: Weak<SessionModes>,
    /// Changes before this moment were made by others.
    since: u64,
}

impl Walking {
    fn has_crossed(&self) -> bool {
        self.walk.crossed.load(Ordering::Acquire)
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

impl Model for Walking {
    fn identity(&self) -> ModelIdentity {
        self.current().identity()
    }

    fn stream(&self, mut request: ModelRequest, cancel: CancellationToken) -> BatchStream {
        if !self.has_crossed() && self.saw_change(&request.messages) {
            self.walk.crossed.store(true, Ordering::Release);
            if let Some(modes) = self.modes.upgrade() {
                modes.notice(format!(
                    "The first file is changed; going on with {}.",
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

impl Session {
    /// Lets another model take over with the first change of a file from now on, in the middle of a run if need be.
    pub async fn prewalk(&self, into: &str) -> Result<(), SessionError> {
        let then = self.find_model(into)?;
        let cheap = Arc::new(then.model.clone());
        let thinking = cheap.clamp_level(then.thinking.unwrap_or_else(|| self.effort.start()));
        let walk = Arc::new(Walk { then, crossed: AtomicBool::new(false) });
        let walking = Walking {
            first: self.models.serve_conversation(self.model()),
            then: self.models.serve_conversation(cheap),
            thinking,
            walk: Arc::clone(&walk),
            modes: Arc::downgrade(&self.modes),
            since: self.modes.clock.now_ms(),
        };
        let level = self.agent.thinking().await;
        self.agent.set_model(Arc::new(walking), level).await?;
        *self.modes.walk.lock().unwrap_or_else(PoisonError::into_inner) = Some(walk);
        Ok(())
    }

    /// The run is over: whoever took over in it is the session's model now.
    pub(super) async fn settle_walk(&self) {
        let walk = {
            let mut walk = self.modes.walk.lock().unwrap_or_else(PoisonError::into_inner);
            let crossed = walk.as_ref().is_some_and(|walk| walk.crossed.load(Ordering::Acquire));
            if crossed { walk.take() } else { None }
        };
        let Some(walk) = walk else { return };
        let Selection { model, thinking, .. } = &walk.then;
        let then = Selection { model: model.clone(), thinking: *thinking, warnings: Vec::new() };
        if let Err(error) = self.switch_for_now(then).await {
            self.modes.notice(format!("The model was not changed: {error}"));
        }
    }
}
