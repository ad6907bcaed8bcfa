//! The channel from a session to the person: its events, and questions that wait for an answer. Events that wait are
//! bounded: the loop waits while the lines are more than 1 MiB behind.

use std::sync::Arc;
use std::sync::atomic::{AtomicU64, Ordering};

use futures_util::future::BoxFuture;
use omp_sdk::{
    ApprovalRequest, AskQuestion, Asker, Backlog, Dialog, Ended, Listener, PlanReview, PlanVerdict,
    Questioner, Reply, Ui,
};
use omp_types::AgentEvent;
use omp_view::select::Choice;
use tokio::sync::mpsc::{self, UnboundedReceiver, UnboundedSender};
use tokio::sync::oneshot;

use crate::questions::Asked;

/// What a session says and asks.
pub(crate) enum SessionMessage {
    Event(AgentEvent),
    Question(Asked),
    /// A line to read.
    Remark(String),
}

/// A session's end of the channel. Messages of sessions that were left are dropped.
#[derive(Clone)]
pub struct SessionChannel {
    session: u64,
    latest: Arc<AtomicU64>,
    sender: UnboundedSender<(u64, SessionMessage)>,
    backlog: Backlog,
}

/// The loop's end.
pub struct SessionMessages {
    receiver: UnboundedReceiver<(u64, SessionMessage)>,
    latest: Arc<AtomicU64>,
    backlog: Backlog,
}

impl SessionMessages {
    /// The next message of a session that is not left.
    pub(crate) async fn next(&mut self) -> Option<SessionMessage> {
        loop {
            let (session, message) = self.receiver.recv().await?;
            if let Some(message) = self.received(session, message) {
                return Some(message);
            }
        }
    }

    /// The next message, if one is there already.
    pub(crate) fn ready(&mut self) -> Option<SessionMessage> {
        loop {
            let (session, message) = self.receiver.try_recv().ok()?;
            if let Some(message) = self.received(session, message) {
                return Some(message);
            }
        }
    }

    fn received(&self, session: u64, message: SessionMessage) -> Option<SessionMessage> {
        if let SessionMessage::Event(event) = &message {
            self.backlog.received(event);
        }
        (session == 0 || session == self.latest.load(Ordering::Relaxed)).then_some(message)
    }
}

impl Drop for SessionMessages {
    fn drop(&mut self) {
        self.backlog.close();
    }
}

impl SessionChannel {
    /// An end for whoever speaks for all sessions, and the loop's.
    pub fn new() -> (Self, SessionMessages) {
        let (sender, receiver) = mpsc::unbounded_channel();
        let (latest, backlog) = (Arc::new(AtomicU64::new(0)), Backlog::default());
        let channel = Self { session: 0, latest: Arc::clone(&latest), sender, backlog: backlog.clone() };
        (channel, SessionMessages { receiver, latest, backlog })
    }

    /// The end of the session that is opened next: to be asked for its questions.
    #[must_use]
    pub fn of_next_session(&self) -> Self {
        Self { session: self.latest.load(Ordering::Relaxed) + 1, ..self.clone() }
    }

    /// The end of the session that is opened now; those before are not heard any more.
    #[must_use]
    pub fn of_new_session(&self) -> Self {
        Self { session: self.latest.fetch_add(1, Ordering::Relaxed) + 1, ..self.clone() }
    }

    /// Offers several things; the place of the one that was chosen.
    pub(crate) async fn pick(&self, title: &str, choices: Vec<Choice>) -> Option<usize> {
        self.ask(|answer| Asked::pick(title, choices, answer), None).await
    }

    /// Yes or no?
    pub(crate) async fn yes_or_no(&self, question: &str) -> bool {
        self.ask(|answer| Asked::yes_or_no(question, answer), false).await
    }

    /// A question that is answered in words.
    pub(crate) async fn words(&self, question: &str) -> Option<String> {
        self.ask(|answer| Asked::words(question, answer), None).await
    }

    /// What a text becomes; an empty line keeps it.
    pub(crate) async fn changed(&self, title: &str, text: &str) -> Option<String> {
        let question =
            format!("{title}\n\n{text}\n\nType the new text on one line, or press Enter to keep it.");
        let answer = self.words(&question).await?;
        Some(if answer.is_empty() { text.to_owned() } else { answer })
    }

    /// Says something that the user should read.
    pub(crate) fn remark(&self, text: String) {
        self.say(SessionMessage::Remark(text));
    }

    fn say(&self, message: SessionMessage) {
        // Nobody listens any more when the program ends.
        let _ = self.sender.send((self.session, message));
    }

    /// Puts a question; what is dropped unanswered has the answer `otherwise`.
    fn ask<T: Send + 'static>(
        &self,
        asked: impl FnOnce(oneshot::Sender<T>) -> Asked,
        otherwise: T,
    ) -> BoxFuture<'static, T> {
        let (answer, answered) = oneshot::channel();
        self.say(SessionMessage::Question(asked(answer)));
        Box::pin(async move { answered.await.unwrap_or(otherwise) })
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
        Box::pin(async move {
            let reply = self.ask(|answer| Asked::approval(request, answer), Reply::No).await;
            if !matches!(reply, Reply::NoBecause(_)) {
                return reply;
            }
            let words = self.question("What should the model do instead?").await;
            match words.filter(|words| !words.trim().is_empty()) {
                Some(words) => Reply::NoBecause(words),
                None => Reply::No,
            }
        })
    }
}

impl Ui for SessionChannel {
    fn review<'a>(&'a self, review: &'a PlanReview) -> BoxFuture<'a, PlanVerdict> {
        Box::pin(async move {
            match self.ask(|answer| Asked::plan(review, answer), PlanVerdict::Refine(None)).await {
                PlanVerdict::Refine(None) => PlanVerdict::Refine(self.question("What should change?").await),
                verdict => verdict,
            }
        })
    }

    fn confirm<'a>(&'a self, question: &'a str) -> BoxFuture<'a, bool> {
        self.ask(|answer| Asked::yes_or_no(question, answer), false)
    }

    fn question<'a>(&'a self, question: &'a str) -> BoxFuture<'a, Option<String>> {
        self.ask(|answer| Asked::words(question, answer), None)
    }

    fn edit<'a>(&'a self, text: &'a str) -> BoxFuture<'a, Option<String>> {
        let question = format!("{text}\n\nType the new text on one line, or press Enter to keep it.");
        let kept = text.to_owned();
        let answered = self.ask(|answer| Asked::words(&question, answer), None);
        Box::pin(async move { answered.await.map(|text| if text.is_empty() { kept } else { text }) })
    }
}

impl Questioner for SessionChannel {
    fn ask<'a>(&'a self, dialog: &'a Dialog) -> BoxFuture<'a, Ended> {
        Box::pin(async move {
            let questions = dialog.questions();
            for (at, question) in questions.iter().enumerate() {
                let place = (at + 1, questions.len());
                match self.question_of_model(question, place).await {
                    Some(answer) => dialog.answer(at, answer),
                    None => return Ended::Cancelled,
                }
            }
            Ended::Answered
        })
    }
}

impl SessionChannel {
    /// A question of the model: one of its options, or other words.
    async fn question_of_model(
        &self,
        question: &AskQuestion,
        place: (usize, usize),
    ) -> Option<omp_sdk::AskAnswer> {
        let mut given = self.ask(|answer| Asked::options(question, place, answer), None).await?;
        let other = question.options.len();
        if given.selected.contains(&other) {
            given.selected.retain(|chosen| *chosen != other);
            given.custom = Some(self.ask(|answer| Asked::words("Your answer:", answer), None).await?);
        }
        Some(given)
    }
}

#[cfg(test)]
mod tests {
    use futures_util::FutureExt;

    use super::*;

    /// The loop waits for lines that are behind; what a session that was left still says counts as received.
    #[test]
    fn lines_that_are_behind_make_the_loop_wait() {
        let (channel, mut messages) = SessionChannel::new();
        let mut left = channel.of_new_session();
        let mut current = channel.of_new_session();
        let mut sent = 0;
        while current.backlog().is_none() {
            let session = if sent % 2 == 0 { &mut left } else { &mut current };
            session.event(AgentEvent::Notice { message: "x".repeat(64 * 1024) });
            sent += 1;
        }
        assert!(sent <= 17, "{sent}");
        let mut waiting = current.backlog().expect("it is full");
        assert!((&mut waiting).now_or_never().is_none());
        assert_eq!(std::iter::from_fn(|| messages.ready()).count(), sent / 2);
        assert_eq!(waiting.now_or_never(), Some(()));
    }
}
