//! The way from a session to the screen.

use std::sync::atomic::{AtomicBool, Ordering};
use std::sync::{Arc, Mutex, PoisonError};

use futures_util::future::BoxFuture;
use omp_sdk::{
    ApprovalRequest, AskAnswer, AskQuestion, Asker, Dialog, Ended, Listener, PlanReview, PlanVerdict,
    PtyView, Questioner, Reply, Ui,
};
use omp_shell::pty::{self, Terminal};
use omp_types::AgentEvent;
use tokio::sync::mpsc::{self, UnboundedReceiver, UnboundedSender};
use tokio::sync::oneshot;
use tokio_util::sync::CancellationToken;

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
    /// Which of these options? Words come back until the question is answered; `(this, of so many)`.
    Question(AskQuestion, (usize, usize), UnboundedSender<AskWord>),
    /// The terminal of a command is to be shown until the token fires.
    Terminal(String, Terminal, CancellationToken),
    /// A question that is answered in words, with words to begin from. No answer is `None`.
    Text(String, String, oneshot::Sender<Option<String>>),
}

/// What a person does with a question of the model.
#[derive(Clone, Debug, PartialEq, Eq)]
pub enum AskWord {
    /// An answer in own words is being typed.
    Typing,
    /// The answer.
    Given(AskAnswer),
    /// To the question before.
    Back,
    /// To the next question, without another answer than before.
    Forward,
    /// No answer at all.
    Cancelled,
}

/// A session's end of the way. Words of a session that was left are told apart by its number.
#[derive(Clone, Debug)]
pub struct Link {
    session: u64,
    way: UnboundedSender<(u64, Word)>,
    /// Something is typed that was not sent.
    composing: Arc<AtomicBool>,
    /// The size of a terminal on the screen.
    room: Arc<Mutex<pty::Size>>,
}

/// The screen's end.
pub type Words = UnboundedReceiver<(u64, Word)>;

impl Link {
    /// The number of no session: these words always count.
    pub(crate) const EVERY_SESSION: u64 = 0;

    /// An end for whoever speaks for all sessions, and the screen's.
    pub fn new() -> (Self, Words) {
        let (way, words) = mpsc::unbounded_channel();
        (Self { session: Self::EVERY_SESSION, way, composing: Arc::default(), room: Arc::default() }, words)
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

    /// A terminal on the screen has this size.
    pub(crate) fn set_room(&self, room: pty::Size) {
        *self.room.lock().unwrap_or_else(PoisonError::into_inner) = room;
    }

    fn say(&self, word: Word) {
        // Nobody listens any more when the program ends.
        let _ = self.way.send((self.session, word));
    }
}

impl PtyView for Link {
    fn size(&self) -> pty::Size {
        *self.room.lock().unwrap_or_else(PoisonError::into_inner)
    }

    fn show(&self, command: &str, terminal: Terminal) -> Box<dyn Send> {
        let ended = CancellationToken::new();
        self.say(Word::Terminal(command.to_owned(), terminal, ended.clone()));
        Box::new(ended.drop_guard())
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
        self.text("Edit, then press Enter", text)
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

impl Questioner for Link {
    fn ask<'a>(&'a self, dialog: &'a Dialog) -> BoxFuture<'a, Ended> {
        Box::pin(async move {
            let questions = dialog.questions();
            let (mut at, mut answered) = (0, vec![false; questions.len()]);
            let (way, mut words) = mpsc::unbounded_channel();
            while let Some(question) = questions.get(at) {
                self.say(Word::Question(question.clone(), (at + 1, questions.len()), way.clone()));
                loop {
                    match words.recv().await {
                        Some(AskWord::Typing) => {
                            dialog.typing();
                            continue;
                        }
                        Some(AskWord::Given(answer)) => {
                            dialog.answer(at, answer);
                            answered[at] = true;
                            at += 1;
                        }
                        Some(AskWord::Back) => at = at.saturating_sub(1),
                        Some(AskWord::Forward) if answered[at] && at + 1 < questions.len() => at += 1,
                        Some(AskWord::Forward) => {}
                        Some(AskWord::Cancelled) | None => return Ended::Cancelled,
                    }
                    break;
                }
            }
            Ended::Answered
        })
    }
}
