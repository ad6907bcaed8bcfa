//! Keeping a conversation within its model's window: when it is looked at, and what follows.
//!
//! What is taken out and what stands for it is decided by the implementation of [`Upkeep`]; the loop knows the moments.

use std::sync::Arc;

use futures_util::future::BoxFuture;
use omp_types::{
    AgentEvent, CompactionReason, CompactionResult, CompactionStrategy, CustomMessage, Failure, Message,
};
use tokio_util::sync::CancellationToken;

use crate::parts::ModelIdentity;
use crate::run::{Next, Run};
use crate::sticky::Sticky;

/// Makes conversations shorter. The default never does.
pub trait Upkeep: Send + Sync {
    /// Looks at a conversation. Results of tools that are no longer worth their room may be blanked on the way.
    fn look<'a>(&'a self, _occasion: Occasion<'a>, _view: View<'a>) -> BoxFuture<'a, Look> {
        Box::pin(async { Look::default() })
    }

    /// Makes the conversation shorter, or leaves everything as it was and says why.
    fn shorten<'a>(
        &'a self,
        _order: Order<'a>,
        _view: View<'a>,
        _cancel: CancellationToken,
    ) -> BoxFuture<'a, Result<Shorter, UpkeepError>> {
        Box::pin(async { Err(UpkeepError::Nothing("Nothing to compact".to_owned())) })
    }
}

/// Upkeep that never does anything.
pub struct NoUpkeep;

impl Upkeep for NoUpkeep {}

/// When a conversation is looked at.
#[derive(Clone, Copy, Debug)]
pub enum Occasion<'a> {
    /// This is about to be said.
    BeforePrompt(&'a Message),
    /// A turn has ended well.
    AfterTurn,
    /// A request with the conversation as it stands is about to be sent.
    BeforeRequest,
    /// The provider refused the request: it did not fit.
    Overflow(&'a Failure),
    /// The answer was cut off.
    Incomplete,
}

/// The conversation as it stands.
#[derive(Clone, Copy)]
pub struct View<'a> {
    /// The model that reads it.
    pub model: &'a ModelIdentity,
    pub messages: &'a [Arc<Message>],
}

/// What a look found.
#[derive(Debug, Default)]
pub struct Look {
    /// The conversation with blanked results, if any were blanked.
    pub messages: Option<Vec<Arc<Message>>>,
    /// The conversation should be made shorter now.
    pub wants: Option<(CompactionReason, CompactionStrategy)>,
    /// What a person should know.
    pub notices: Vec<String>,
}

/// How a conversation is to be made shorter.
#[derive(Clone, Copy, Debug)]
pub struct Order<'a> {
    pub reason: CompactionReason,
    pub action: CompactionStrategy,
    /// What the summary should attend to, in the user's words.
    pub focus: Option<&'a str>,
}

/// A shorter conversation.
#[derive(Debug)]
pub struct Shorter {
    pub messages: Vec<Arc<Message>>,
    /// What was written down; nothing where only heavy parts were taken out.
    pub result: Option<CompactionResult>,
    /// How it was done in the end.
    pub action: CompactionStrategy,
    /// What makes the model continue where it would have stopped.
    pub go_on: Option<CustomMessage>,
    /// What a person should know.
    pub notices: Vec<String>,
}

/// Why a conversation is as long as it was.
#[derive(Clone, Debug, PartialEq, Eq, thiserror::Error)]
pub enum UpkeepError {
    /// There is nothing to take out.
    #[error("{0}")]
    Nothing(String),
    #[error("Compaction cancelled")]
    Aborted,
    #[error("{0}")]
    Failed(String),
}

/// What came of an attempt.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) enum Shortened {
    Done,
    Promoted,
    NotDone,
    /// A person stopped it.
    Stopped,
}

impl Run<'_> {
    /// Before the user's words go to the model.
    pub(crate) async fn keep_up_before(&mut self, user: &Message) {
        if let Some(wanted) = self.look(Occasion::BeforePrompt(user)).await {
            self.make_room(wanted).await;
        }
    }

    /// After a turn: what is no longer needed goes, and a conversation that has grown too long is made shorter.
    pub(crate) async fn keep_up(&mut self, next: Next) -> Next {
        if self.cancel.is_cancelled() {
            return next;
        }
        let occasion = match next {
            Next::AfterTools | Next::WouldStop => Occasion::AfterTurn,
            Next::CutOff => return self.recover_cut_off().await,
            Next::Resume | Next::Nudge | Next::End => return next,
        };
        let Some(wanted) = self.look(occasion).await else { return next };
        let done = self.make_room(wanted).await;
        let go_on = self.go_on.take().filter(|_| done == Shortened::Done);
        match next {
            Next::AfterTools => self.notes.extend(go_on.map(Message::Custom)),
            _ => self.go_on = go_on,
        }
        next
    }

    /// The answer was cut off: with more room it may be given whole.
    async fn recover_cut_off(&mut self) -> Next {
        if std::mem::replace(&mut self.recovered_cut, true) {
            return Next::WouldStop;
        }
        let Some(wanted) = self.look(Occasion::Incomplete).await else { return Next::WouldStop };
        let done = self.make_room(wanted).await;
        self.go_on = None;
        match done {
            Shortened::Done => Next::Resume,
            Shortened::Promoted => {
                self.state.drop_last_answer();
                Next::Resume
            }
            Shortened::NotDone | Shortened::Stopped => Next::WouldStop,
        }
    }

    /// Right before a request: what is known not to fit is made shorter, whoever said it and whatever model answers now.
    /// `false` if a person stopped that, and the request must not be sent.
    pub(crate) async fn fit(&mut self) -> bool {
        let Some(wanted) = self.look(Occasion::BeforeRequest).await else { return true };
        // A compaction of the turn before may still have something to say at its end.
        let go_on = self.go_on.take();
        let mut done = self.make_room(wanted).await;
        if done == Shortened::Promoted
            && let Some(wanted) = self.look(Occasion::BeforeRequest).await
        {
            // The larger model is too small as well.
            done = self.make_shorter(wanted).await;
        }
        self.go_on = go_on;
        done != Shortened::Stopped
    }

    /// The request did not fit: the conversation is made shorter, once a turn. `true` if it can be asked again.
    pub(crate) async fn recover_overflow(&mut self, failure: &Failure) -> bool {
        let Some((reason, action)) = self.look(Occasion::Overflow(failure)).await else { return false };
        let done = self.shorten(Order { reason, action, focus: None }).await;
        self.go_on = None;
        done.is_ok()
    }

    /// Lets the conversation be looked at.
    async fn look(&mut self, occasion: Occasion<'_>) -> Option<(CompactionReason, CompactionStrategy)> {
        let model = self.state.model.identity();
        let view = View { model: &model, messages: &self.state.messages };
        let Look { messages, wants, notices } = self.fixed.upkeep.look(occasion, view).await;
        if let Some(messages) = messages {
            self.state.replace(messages);
        }
        self.notices(notices);
        wants
    }

    /// A larger model is tried before anything is taken out of the conversation.
    async fn make_room(&mut self, (reason, action): (CompactionReason, CompactionStrategy)) -> Shortened {
        if self.state.config.context_promotion {
            let current = self.state.model.identity();
            if let Some(larger) = self.fixed.models.larger(&current) {
                let (from, to) = (current.selector(), larger.identity().selector());
                self.state.model = larger;
                self.emit(AgentEvent::ContextPromoted { from, to });
                return Shortened::Promoted;
            }
        }
        self.make_shorter((reason, action)).await
    }

    async fn make_shorter(&mut self, (reason, action): (CompactionReason, CompactionStrategy)) -> Shortened {
        match self.shorten(Order { reason, action, focus: None }).await {
            Ok(_) => Shortened::Done,
            Err(UpkeepError::Aborted) => Shortened::Stopped,
            Err(_) => Shortened::NotDone,
        }
    }

    /// Makes the conversation shorter and tells everyone.
    pub(crate) async fn shorten(
        &mut self,
        order: Order<'_>,
    ) -> Result<Option<CompactionResult>, UpkeepError> {
        let token = self.cancel.child_token();
        // Whoever hears of it must be able to stop it, so the switch is there before the event.
        self.shared.lock().compaction = Some(token.clone());
        self.emit(AgentEvent::AutoCompactionStart { reason: order.reason, action: order.action });
        let model = self.state.model.identity();
        let view = View { model: &model, messages: &self.state.messages };
        let shorter = self.fixed.upkeep.shorten(order, view, token).await;
        self.shared.lock().compaction = None;
        self.tell_shortened(order, shorter)
    }

    fn tell_shortened(
        &mut self,
        order: Order<'_>,
        shorter: Result<Shorter, UpkeepError>,
    ) -> Result<Option<CompactionResult>, UpkeepError> {
        let reason = order.reason;
        let again = matches!(reason, CompactionReason::Overflow | CompactionReason::Incomplete);
        let end = |action, result, will_retry, error: Option<&UpkeepError>| AgentEvent::AutoCompactionEnd {
            reason,
            action,
            result,
            aborted: error == Some(&UpkeepError::Aborted),
            will_retry,
            error_message: error
                .filter(|error| **error != UpkeepError::Aborted)
                .map(|error| failure_text(reason, error)),
        };
        match shorter {
            Ok(Shorter { messages, result, action, go_on, notices }) => {
                self.state.replace(messages);
                // Standing rules may be among what went.
                self.sticky = Sticky::Due;
                self.go_on = go_on;
                self.notices(notices);
                self.emit(end(action, result.clone(), again, None));
                Ok(result)
            }
            Err(error) => {
                self.emit(end(order.action, None, false, Some(&error)));
                Err(error)
            }
        }
    }

    fn notices(&mut self, notices: Vec<String>) {
        for message in notices {
            self.emit(AgentEvent::Notice { message });
        }
    }
}

/// What failed, by what it was for.
fn failure_text(reason: CompactionReason, error: &UpkeepError) -> String {
    match reason {
        CompactionReason::Overflow => format!("Context overflow recovery failed: {error}"),
        CompactionReason::Incomplete => format!("Incomplete response recovery failed: {error}"),
        CompactionReason::Threshold | CompactionReason::Idle => format!("Auto-compaction failed: {error}"),
        CompactionReason::Manual => error.to_string(),
    }
}
