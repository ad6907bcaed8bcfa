//! The way from a session to the screen.

use std::sync::Arc;
use std::sync::atomic::{AtomicBool, Ordering};

use futures_util::future::BoxFuture;
use omp_sdk::{ApprovalRequest, Asker, Listener, PlanReview, PlanVerdict, Reply, Ui};
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
    /// What becomes of this plan? No answer refines it.
    Review(PlanReview, oneshot::Sender<PlanVerdict>),
    /// Yes or no?
    Confirm(String, oneshot::Sender<bool>),
    /// A question that is answered in words, with words to begin from. No answer is `None`.
    Text(String, String, oneshot::Sender<Option<String>>),
}

/// A session's end of the way. Words of a session that was left are told apart by its number.
#[derive(Clone, Debug)]
pub struct Link {
    session: u64,
    way: UnboundedSender<(u64, Word)>,
    /// Something is typed that was not sent.
    composing: Arc<AtomicBool>,
}

/// The screen's end.
pub type Words = UnboundedReceiver<(u64, Word)>;

impl Link {
    /// The first session's end, and the screen's.
    pub fn new() -> (Self, Words) {
        let (way, words) = mpsc::unbounded_channel();
        (Self { session: 0, way, composing: Arc::default() }, words)
    }

    /// The same way for another session.
    #[must_use]
    pub fn of_session(&self, session: u64) -> Self {
        Self { session, ..self.clone() }
    }

    /// Something is typed that was not sent, or not any more.
    pub(crate) fn set_composing(&self, composing: bool) {
        self.composing.store(composing, Ordering::Relaxed);
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

impl Ui for Link {
    fn review<'a>(&'a self, review: &'a PlanReview) -> BoxFuture<'a, PlanVerdict> {
        let (answer, answered) = oneshot::channel();
        self.say(Word::Review(review.clone(), answer));
        Box::pin(async { answered.await.unwrap_or(PlanVerdict::Refine(None)) })
    }

    fn confirm<'a>(&'a self, question: &'a str) -> BoxFuture<'a, bool> {
        let (answer, answered) = oneshot::channel();
        self.say(Word::Confirm(question.to_owned(), answer));
        Box::pin(async { answered.await.unwrap_or(false) })
    }

    fn question<'a>(&'a self, question: &'a str) -> BoxFuture<'a, Option<String>> {
        self.text(question, "")
    }

    fn edit<'a>(&'a self, text: &'a str) -> BoxFuture<'a, Option<String>> {
        self.text("Change it, then press Enter.", text)
    }

    fn is_composing(&self) -> bool {
        self.composing.load(Ordering::Relaxed)
    }
}

impl Link {
    fn text(&self, question: &str, begun: &str) -> BoxFuture<'static, Option<String>> {
        let (answer, answered) = oneshot::channel();
        self.say(Word::Text(question.to_owned(), begun.to_owned(), answer));
        Box::pin(async { answered.await.unwrap_or_default() })
    }
}
