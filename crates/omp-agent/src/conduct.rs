//! What the session's modes decide at the borders of a turn: going back to an earlier place, ending early, continuing.

use std::sync::Arc;

use futures_util::future::BoxFuture;
use omp_types::{AgentEvent, CustomMessage, Message};

use crate::agent::{AfterForced, Forced};
use crate::correct::{self, MAX_DEMANDS};
use crate::parts::Note;
use crate::run::{Next, Run};

/// How often in a row a mode may keep a model going that does nothing but talk.
const MAX_KEPT_GOING: u32 = 3;

/// Rules of a mode that the loop obeys. The default has none.
pub trait Conduct: Send + Sync {
    /// The calls of an answer have run, and their results are in the conversation.
    fn after_tools(&self, _conversation: &[Arc<Message>]) -> Turn {
        Turn::default()
    }

    /// The model would stop, and nothing that the user said waits. A note keeps it going.
    /// Dropped when the run is aborted.
    fn before_stopping(&self) -> BoxFuture<'_, Option<Note>> {
        Box::pin(std::future::ready(None))
    }

    /// Is the first message of a conversation work that hints should go with?
    fn wants_hints(&self) -> bool {
        true
    }

    /// What listeners should learn, each event once.
    fn events(&self) -> Vec<AgentEvent> {
        Vec::new()
    }
}

/// Conduct without rules.
pub struct FreeConduct;

impl Conduct for FreeConduct {}

/// How a run continues after the tools of an answer. The default: as it would.
#[derive(Clone, Debug, Default, PartialEq)]
pub struct Turn {
    /// From an earlier place.
    pub rewind: Option<Rewind>,
    /// With a word to the model.
    pub note: Option<Note>,
    pub then: Then,
}

/// Whether a run continues.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub enum Then {
    #[default]
    GoOn,
    /// A person decides first.
    End,
}

/// A conversation cut back to an earlier place.
#[derive(Clone, Debug, PartialEq)]
pub struct Rewind {
    /// How many messages stay.
    pub keep: usize,
    /// What stands for those that went.
    pub report: CustomMessage,
}

impl Run<'_> {
    /// Lets the modes speak when the tools of an answer have run.
    pub(crate) fn conduct_after_tools(&mut self) -> Next {
        let Turn { rewind, note, then } = self.fixed.conduct.after_tools(&self.state.messages);
        if let Some(Rewind { keep, report }) = rewind {
            let removed = self.state.messages.len().saturating_sub(keep);
            self.state.truncate(keep);
            self.emit(AgentEvent::ContextRewound { kept: self.state.messages.len(), removed });
            self.add(Message::Custom(report));
        }
        let now = self.fixed.clock.now_ms();
        self.notes.extend(note.map(|note| correct::hidden(note.custom_type, note.text, now)));
        match then {
            Then::GoOn => Next::AfterTools,
            Then::End => Next::End,
        }
    }

    /// A mode that is not content with the end of the run. A model that only talks is not asked for ever.
    pub(crate) async fn kept_going(&mut self) -> Option<Message> {
        if self.kept_going >= MAX_KEPT_GOING || self.shared.queues.has_steering() {
            return None;
        }
        let note = tokio::select! {
            biased;
            () = self.cancel.cancelled() => return None,
            note = self.fixed.conduct.before_stopping() => note?,
        };
        self.kept_going += 1;
        Some(correct::hidden(note.custom_type, note.text, self.fixed.clock.now_ms()))
    }

    /// A tool that must be called next: the model is told so and gets no choice, as far as it can be forced. A model
    /// that does not obey is asked again, but not for ever.
    pub(crate) fn demand(&mut self) -> Option<Message> {
        let Some((tool, note)) = self.state.tools.demand() else {
            self.demands = 0;
            return None;
        };
        if self.demands >= MAX_DEMANDS || self.state.forced != Forced::Nothing {
            return None;
        }
        self.demands += 1;
        self.state.forced = Forced::Call { tool, then: AfterForced::AsUsual };
        Some(correct::hidden(note.custom_type, note.text, self.fixed.clock.now_ms()))
    }

    /// Passes on what the modes have to tell.
    pub(crate) fn tell_modes(&mut self) {
        for event in self.fixed.conduct.events() {
            self.emit(event);
        }
    }
}
