//! The way from a session to the person, for everything it says and asks.

use std::sync::Arc;
use std::sync::atomic::{AtomicU64, Ordering};

use futures_util::future::BoxFuture;
use omp_sdk::{
    ApprovalRequest, AskQuestion, Asker, Dialog, Ended, Listener, PlanReview, PlanVerdict, Questioner, Reply,
    Ui,
};
use omp_types::AgentEvent;
use omp_view::select::Choice;
use tokio::sync::mpsc::{self, UnboundedReceiver, UnboundedSender};
use tokio::sync::oneshot;

use crate::questions::Asked;

/// What a session says and asks.
pub(crate) enum Word {
    Event(AgentEvent),
    Question(Asked),
}

/// A session's end of the way. Words of sessions that were left are dropped.
#[derive(Clone)]
pub struct Person {
    session: u64,
    latest: Arc<AtomicU64>,
    way: UnboundedSender<(u64, Word)>,
}

/// The loop's end.
pub struct Words {
    words: UnboundedReceiver<(u64, Word)>,
    latest: Arc<AtomicU64>,
}

impl Words {
    /// The next word of a session that is not left.
    pub(crate) async fn next(&mut self) -> Option<Word> {
        loop {
            let (session, word) = self.words.recv().await?;
            if session == 0 || session == self.latest.load(Ordering::Relaxed) {
                return Some(word);
            }
        }
    }

    /// The next word, if one is there already.
    pub(crate) fn ready(&mut self) -> Option<Word> {
        loop {
            let (session, word) = self.words.try_recv().ok()?;
            if session == 0 || session == self.latest.load(Ordering::Relaxed) {
                return Some(word);
            }
        }
    }
}

impl Person {
    /// An end for whoever speaks for all sessions, and the loop's.
    pub fn new() -> (Self, Words) {
        let (way, words) = mpsc::unbounded_channel();
        let latest = Arc::new(AtomicU64::new(0));
        (Self { session: 0, latest: Arc::clone(&latest), way }, Words { words, latest })
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

    fn say(&self, word: Word) {
        // Nobody listens any more when the program ends.
        let _ = self.way.send((self.session, word));
    }

    /// Puts a question; what is dropped unanswered has the answer `otherwise`.
    fn ask<T: Send + 'static>(
        &self,
        asked: impl FnOnce(oneshot::Sender<T>) -> Asked,
        otherwise: T,
    ) -> BoxFuture<'static, T> {
        let (answer, answered) = oneshot::channel();
        self.say(Word::Question(asked(answer)));
        Box::pin(async move { answered.await.unwrap_or(otherwise) })
    }
}

impl Listener for Person {
    fn event(&mut self, event: AgentEvent) {
        self.say(Word::Event(event));
    }
}

impl Asker for Person {
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

impl Ui for Person {
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

impl Questioner for Person {
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

impl Person {
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
