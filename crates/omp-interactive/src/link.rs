//! The way from a session to the screen.

use futures_util::future::BoxFuture;
use omp_sdk::{ApprovalRequest, Asker, Listener, Reply};
use omp_types::AgentEvent;
use tokio::sync::mpsc::{self, UnboundedReceiver, UnboundedSender};
use tokio::sync::oneshot;

/// What a session says and asks.
#[derive(Debug)]
pub enum Word {
    /// Something happened.
    Event(AgentEvent),
    /// May this call run? No answer is a no.
    Approve(ApprovalRequest, oneshot::Sender<Reply>),
}

/// A session's end of the way. Words of a session that was left are told apart by its number.
#[derive(Clone, Debug)]
pub struct Link {
    session: u64,
    way: UnboundedSender<(u64, Word)>,
}

/// The screen's end.
pub type Words = UnboundedReceiver<(u64, Word)>;

impl Link {
    /// The first session's end, and the screen's.
    pub fn new() -> (Self, Words) {
        let (way, words) = mpsc::unbounded_channel();
        (Self { session: 0, way }, words)
    }

    /// The same way for another session.
    #[must_use]
    pub fn of_session(&self, session: u64) -> Self {
        Self { session, way: self.way.clone() }
    }

    fn say(&self, word: Word) {
        // Nobody listens any more when the program ends.
        let _ = self.way.send((self.session, word));
    }
}

impl Listener for Link {
    fn event(&mut self, event: AgentEvent) {
        self.say(Word::Event(event));
    }
}

impl Asker for Link {
    fn ask<'a>(&'a self, request: &'a ApprovalRequest) -> BoxFuture<'a, Reply> {
        let (answer, answered) = oneshot::channel();
        self.say(Word::Approve(request.clone(), answer));
        Box::pin(async { answered.await.unwrap_or(Reply::No) })
    }
}
