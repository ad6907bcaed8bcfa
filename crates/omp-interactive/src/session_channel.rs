//! The channel from a session to the screen: its events, and questions that wait for an answer.
//!
//! What waits is bounded: [`Listener::backlog`] makes the loop wait while the screen is more than 1 MiB of events behind.
//! Questions never wait for that, and the screen continues receiving while a person thinks about an answer.

use std::sync::atomic::{AtomicBool, Ordering};
use std::sync::{Arc, Mutex, PoisonError};

use futures_util::future::BoxFuture;
use omp_sdk::{
    ApprovalRequest, AskAnswer, AskQuestion, Asker, Backlog, Dialog, Ended, Listener, PlanReview,
    PlanVerdict, PtyView, Questioner, Reply, Ui,
};
use omp_shell::pty::{self, Terminal};
use omp_types::AgentEvent;
use tokio::sync::mpsc::{self, UnboundedReceiver, UnboundedSender};
use tokio::sync::oneshot;
use tokio_util::sync::CancellationToken;

/// What a session says and asks.
#[derive(Debug)]
pub enum SessionMessage {
    /// Something happened.
    Event(AgentEvent),
    /// May this call run? No answer is a no.
    Approve(ApprovalRequest, oneshot::Sender<Reply>),
    /// What becomes of this plan? No answer refines it.
    Review(PlanReview, oneshot::Sender<PlanVerdict>),
    /// Yes or no?
    Confirm(String, oneshot::Sender<bool>),
    /// Which of these options? Words come back until the question is answered; `(this, of so many)`.
    Question(AskQuestion, (usize, usize), UnboundedSender<AskReply>),
    /// The terminal of a command is to be shown until the token fires.
    Terminal(String, Terminal, CancellationToken),
    /// A question that is answered in words, with words to begin from. No answer is `None`.
    Text(String, String, oneshot::Sender<Option<String>>),
}

/// What a person does with a question of the model.
#[derive(Clone, Debug, PartialEq, Eq)]
pub enum AskReply {
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

/// A session's end of the channel. Messages of a session that was left are told apart by its number.
#[derive(Clone, Debug)]
pub struct SessionChannel {
    session: u64,
    sender: UnboundedSender<(u64, SessionMessage)>,
    backlog: Backlog,
    /// Something is typed that was not sent.
    composing: Arc<AtomicBool>,
    /// The size of a terminal on the screen.
    room: Arc<Mutex<pty::Size>>,
}

/// The screen's end: messages with the numbers of their sessions.
#[derive(Debug)]
pub struct SessionMessages {
    receiver: UnboundedReceiver<(u64, SessionMessage)>,
    backlog: Backlog,
}

impl SessionMessages {
    /// The next message; `None` if nobody can send one any more.
    pub(crate) async fn recv(&mut self) -> Option<(u64, SessionMessage)> {
        let received = self.receiver.recv().await;
        self.note(received)
    }

    /// The next message, if one is there already.
    pub(crate) fn try_recv(&mut self) -> Option<(u64, SessionMessage)> {
        let received = self.receiver.try_recv().ok();
        self.note(received)
    }

    fn note(&self, received: Option<(u64, SessionMessage)>) -> Option<(u64, SessionMessage)> {
        if let Some((_, SessionMessage::Event(event))) = &received {
            self.backlog.received(event);
        }
        received
    }
}

impl Drop for SessionMessages {
    fn drop(&mut self) {
        self.backlog.close();
    }
}

impl SessionChannel {
    /// The number of no session: its messages always count.
    pub(crate) const EVERY_SESSION: u64 = 0;

    /// An end for whoever speaks for all sessions, and the screen's.
    pub fn new() -> (Self, SessionMessages) {
        let (sender, receiver) = mpsc::unbounded_channel();
        let backlog = Backlog::default();
        let channel = Self {
            session: Self::EVERY_SESSION,
            sender,
            backlog: backlog.clone(),
            composing: Arc::default(),
            room: Arc::default(),
        };
        (channel, SessionMessages { receiver, backlog })
    }

    /// The same channel for another session.
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

    fn say(&self, message: SessionMessage) {
        // Nobody listens any more when the program ends.
        let _ = self.sender.send((self.session, message));
    }
}

impl PtyView for SessionChannel {
    fn size(&self) -> pty::Size {
        *self.room.lock().unwrap_or_else(PoisonError::into_inner)
    }

    fn show(&self, command: &str, terminal: Terminal) -> Box<dyn Send> {
        let ended = CancellationToken::new();
        self.say(SessionMessage::Terminal(command.to_owned(), terminal, ended.clone()));
        Box::new(ended.drop_guard())
    }
}

impl Listener for SessionChannel {
    fn event(&mut self, event: AgentEvent) {
        self.backlog.sent(&event);
        self.say(SessionMessage::Event(event));
    }

    fn backlog(&mut self) -> Option<BoxFuture<'static, ()>> {
        self.backlog.wait()
    }
}

impl Asker for SessionChannel {
    fn ask<'a>(&'a self, request: &'a ApprovalRequest) -> BoxFuture<'a, Reply> {
        let (answer, answered) = oneshot::channel();
        self.say(SessionMessage::Approve(request.clone(), answer));
        Box::pin(async { answered.await.unwrap_or(Reply::No) })
    }
}

impl Ui for SessionChannel {
    fn review<'a>(&'a self, review: &'a PlanReview) -> BoxFuture<'a, PlanVerdict> {
        let (answer, answered) = oneshot::channel();
        self.say(SessionMessage::Review(review.clone(), answer));
        Box::pin(async { answered.await.unwrap_or(PlanVerdict::Refine(None)) })
    }

    fn confirm<'a>(&'a self, question: &'a str) -> BoxFuture<'a, bool> {
        let (answer, answered) = oneshot::channel();
        self.say(SessionMessage::Confirm(question.to_owned(), answer));
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

impl SessionChannel {
    fn text(&self, question: &str, begun: &str) -> BoxFuture<'static, Option<String>> {
        let (answer, answered) = oneshot::channel();
        self.say(SessionMessage::Text(question.to_owned(), begun.to_owned(), answer));
        Box::pin(async { answered.await.unwrap_or_default() })
    }
}

impl Questioner for SessionChannel {
    fn ask<'a>(&'a self, dialog: &'a Dialog) -> BoxFuture<'a, Ended> {
        Box::pin(async move {
            let questions = dialog.questions();
            let (mut at, mut answered) = (0, vec![false; questions.len()]);
            let (way, mut words) = mpsc::unbounded_channel();
            while let Some(question) = questions.get(at) {
                self.say(SessionMessage::Question(question.clone(), (at + 1, questions.len()), way.clone()));
                loop {
                    match words.recv().await {
                        Some(AskReply::Typing) => {
                            dialog.typing();
                            continue;
                        }
                        Some(AskReply::Given(answer)) => {
                            dialog.answer(at, answer);
                            answered[at] = true;
                            at += 1;
                        }
                        Some(AskReply::Back) => at = at.saturating_sub(1),
                        Some(AskReply::Forward) if answered[at] && at + 1 < questions.len() => at += 1,
                        Some(AskReply::Forward) => {}
                        Some(AskReply::Cancelled) | None => return Ended::Cancelled,
                    }
                    break;
                }
            }
            Ended::Answered
        })
    }
}

#[cfg(test)]
mod tests {
    use std::time::Duration;

    use futures_util::FutureExt;

    use super::*;

    fn flood(channel: &mut SessionChannel) -> usize {
        let mut sent = 0;
        while channel.backlog().is_none() {
            channel.event(AgentEvent::Notice { message: "x".repeat(64 * 1024) });
            sent += 1;
        }
        sent
    }

    /// The loop waits for a screen that is behind, and continues when the screen has caught up: nothing is lost.
    #[tokio::test]
    async fn a_screen_that_is_behind_makes_the_loop_wait() {
        let (channel, mut messages) = SessionChannel::new();
        let mut channel = channel.of_session(1);
        let sent = flood(&mut channel);
        assert!(sent <= 17, "{sent}");
        let waiting = tokio::spawn(channel.backlog().expect("it is full"));
        tokio::task::yield_now().await;
        assert!(!waiting.is_finished());
        for _ in 0..sent {
            assert!(matches!(messages.recv().await, Some((1, SessionMessage::Event(_)))));
        }
        tokio::time::timeout(Duration::from_secs(60), waiting).await.expect("the loop goes on").unwrap();
        assert!(messages.try_recv().is_none() && channel.backlog().is_none());
    }

    /// A question arrives however much waits, its answer goes back while the loop waits, and a program that ends holds
    /// nobody up.
    #[tokio::test]
    async fn a_question_does_not_wait_for_the_backlog() {
        let (channel, mut messages) = SessionChannel::new();
        let mut flooded = channel.of_session(1);
        flood(&mut flooded);
        let answer = channel.confirm("Go on?");
        let reply = std::iter::from_fn(|| messages.try_recv()).find_map(|(_, message)| match message {
            SessionMessage::Confirm(_, reply) => Some(reply),
            _ => None,
        });
        // The person thinks; meanwhile the screen has received everything, so the loop could continue.
        assert!(flooded.backlog().is_none());
        flood(&mut flooded);
        reply.expect("the question").send(true).unwrap();
        assert_eq!(answer.now_or_never(), Some(true));
        let waiting = flooded.backlog().expect("it is full");
        drop(messages);
        assert_eq!(waiting.now_or_never(), Some(()));
    }
}
