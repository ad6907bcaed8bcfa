//! Questions to a person, and what the person has answered so far.

use std::sync::{Mutex, MutexGuard, PoisonError};
use std::time::Duration;

use futures_util::future::{BoxFuture, Either, pending, select};
use omp_agent::Clock;
use serde::Deserialize;
use tokio::sync::Notify;

/// The entry below the options, for an answer in the user's own words.
const OTHER: &str = "Other (type your own)";
/// Marks the option that the model would take.
const RECOMMENDED: &str = " (Recommended)";

/// Whoever can put questions to a person: a terminal, or a program that speaks for one.
pub trait Questioner: Send + Sync {
    /// Shows the questions and gives the answers to the dialog. Dropped when the time is up or the run is aborted.
    fn ask<'a>(&'a self, dialog: &'a Dialog) -> BoxFuture<'a, Ended>;
}

/// How a person left the questions.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Ended {
    /// With the answers that were given.
    Answered,
    /// Without wanting to answer; the turn ends.
    Cancelled,
}

/// One question.
#[derive(Clone, Debug, Deserialize, PartialEq, Eq)]
pub struct AskQuestion {
    pub id: String,
    pub question: String,
    pub options: Vec<AskOption>,
    /// Several options may be chosen.
    #[serde(default)]
    pub multi: bool,
    /// The option that the model would take.
    pub recommended: Option<usize>,
}

/// Something to choose.
#[derive(Clone, Debug, Deserialize, PartialEq, Eq)]
pub struct AskOption {
    pub label: String,
    pub description: Option<String>,
}

impl AskQuestion {
    /// The entries of the list as a person sees them: the options, then one for other words.
    pub fn entries(&self) -> Vec<String> {
        let mark = |index: usize| if self.recommended == Some(index) { RECOMMENDED } else { "" };
        let option = |(index, option): (usize, &AskOption)| format!("{}{}", option.label, mark(index));
        self.options.iter().enumerate().map(option).chain([OTHER.to_owned()]).collect()
    }

    /// The option that an entry stands for; `None` for other words.
    pub fn option_of(&self, entry: &str) -> Option<usize> {
        let entry = entry.strip_suffix(RECOMMENDED).unwrap_or(entry);
        self.options.iter().position(|option| option.label == entry)
    }

    /// What counts when nobody answers in time.
    pub(super) fn fallback(&self) -> Option<usize> {
        let last = self.options.len().checked_sub(1)?;
        Some(self.recommended.filter(|index| *index <= last).unwrap_or(0))
    }
}

/// The answer to one question.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct AskAnswer {
    /// Chosen options, in the order they were chosen.
    pub selected: Vec<usize>,
    /// The user's own words.
    pub custom: Option<String>,
}

/// Questions on their way to answers.
pub struct Dialog {
    questions: Vec<AskQuestion>,
    timeout: Option<Duration>,
    notify: bool,
    state: Mutex<DialogState>,
    /// Rings when the clock starts again or stops.
    bell: Notify,
}

struct DialogState {
    answers: Vec<Option<AskAnswer>>,
    typing: bool,
}

impl Dialog {
    pub fn new(questions: Vec<AskQuestion>, timeout: Option<Duration>, notify: bool) -> Self {
        let answers = vec![None; questions.len()];
        let state = Mutex::new(DialogState { answers, typing: false });
        Self { questions, timeout, notify, state, bell: Notify::new() }
    }

    pub fn questions(&self) -> &[AskQuestion] {
        &self.questions
    }

    /// How long each question waits for an answer.
    pub fn timeout(&self) -> Option<Duration> {
        self.timeout
    }

    /// Should the person be told that input is awaited?
    pub fn notifies(&self) -> bool {
        self.notify
    }

    /// Notes an answer, in place of an earlier one. The next question has the whole time again.
    pub fn answer(&self, question: usize, answer: AskAnswer) {
        let mut state = self.lock();
        state.typing = false;
        if let Some(place) = state.answers.get_mut(question) {
            *place = Some(answer);
        }
        self.bell.notify_one();
    }

    /// The person began to type an answer: the clock stops until it is given.
    pub fn typing(&self) {
        self.lock().typing = true;
        self.bell.notify_one();
    }

    /// What was answered so far.
    pub fn answers(&self) -> Vec<Option<AskAnswer>> {
        self.lock().answers.clone()
    }

    /// Resolves when a question has waited long enough; never without a time-out.
    pub(super) async fn expired(&self, clock: &dyn Clock) {
        let Some(timeout) = self.timeout else { return pending().await };
        loop {
            let changed = std::pin::pin!(self.bell.notified());
            let typing = self.lock().typing;
            if typing {
                changed.await;
                continue;
            }
            if let Either::Left(_) = select(clock.sleep(timeout), changed).await {
                return;
            }
        }
    }

    fn lock(&self) -> MutexGuard<'_, DialogState> {
        self.state.lock().unwrap_or_else(PoisonError::into_inner)
    }
}
