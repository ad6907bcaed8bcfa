//! What a call may do with the client that made it.

// Sampling, roots and logging are deprecated in the newest revision; clients in use have them.
#![allow(deprecated)]

use std::collections::BTreeMap;
use std::sync::{Arc, Mutex, MutexGuard, PoisonError};

use rmcp::model::{ClientCapabilities, LoggingLevel};
use serde_json::{Value, json};
use tokio::sync::{mpsc, oneshot};
use tokio_util::sync::CancellationToken;

use crate::handler::Progress;
use crate::limits;

/// Notes that wait until the client takes them; further ones are dropped.
const NOTES: usize = 256;

/// What a client can be asked.
#[derive(Clone, Debug, PartialEq)]
pub enum Question {
    /// The user fills in a form: values of a flat JSON schema.
    Form { message: String, schema: Value },
    /// A model answers.
    Sample { prompt: String, max_tokens: u32 },
    /// Which directories is this about?
    Roots,
}

impl Question {
    /// As the protocol says it.
    pub(super) fn request(&self) -> Value {
        match self {
            Self::Form { message, schema } => json!({
                "method": "elicitation/create",
                "params": {"mode": "form", "message": message, "requestedSchema": schema},
            }),
            Self::Sample { prompt, max_tokens } => json!({
                "method": "sampling/createMessage",
                "params": {
                    "messages": [{"role": "user", "content": {"type": "text", "text": prompt}}],
                    "maxTokens": max_tokens,
                },
            }),
            Self::Roots => json!({"method": "roots/list", "params": {}}),
        }
    }

    /// What a client must declare to be asked.
    pub(super) fn capabilities(&self) -> ClientCapabilities {
        let needed = match self {
            Self::Form { .. } => json!({"elicitation": {}}),
            Self::Sample { .. } => json!({"sampling": {}}),
            Self::Roots => json!({"roots": {}}),
        };
        serde_json::from_value(needed).unwrap_or_default()
    }

    pub(super) fn is_answerable(&self, client: &ClientCapabilities) -> bool {
        match self {
            Self::Form { .. } => {
                client.elicitation.as_ref().is_some_and(|modes| modes.form.is_some() || modes.url.is_none())
            }
            Self::Sample { .. } => client.sampling.is_some(),
            Self::Roots => client.roots.is_some(),
        }
    }

    /// An answer has the form that the protocol says.
    pub(super) fn is_answered_by(&self, answer: &Value) -> bool {
        match self {
            Self::Form { schema, .. } => match answer.get("action").and_then(Value::as_str) {
                Some("accept") => has_required(schema, answer.get("content")),
                Some("decline" | "cancel") => true,
                _ => false,
            },
            Self::Sample { .. } => answer.get("content").is_some(),
            Self::Roots => answer.get("roots").is_some_and(Value::is_array),
        }
    }
}

fn has_required(schema: &Value, content: Option<&Value>) -> bool {
    let required = schema.get("required").and_then(Value::as_array).cloned().unwrap_or_default();
    let given =
        |name: &Value| name.as_str().is_some_and(|name| content.is_some_and(|c| c.get(name).is_some()));
    required.iter().all(given)
}

/// What came back.
#[derive(Clone, Debug, PartialEq)]
pub enum Answer {
    /// A form was filled in.
    Accepted(Value),
    Declined,
    /// Neither yes nor no.
    Cancelled,
    /// What a model or the client itself said, as the protocol has it.
    Other(Value),
}

impl Answer {
    fn of(question: &Question, answer: &Value) -> Self {
        if !matches!(question, Question::Form { .. }) {
            return Self::Other(answer.clone());
        }
        match answer.get("action").and_then(Value::as_str) {
            Some("accept") => Self::Accepted(answer.get("content").cloned().unwrap_or_else(|| json!({}))),
            Some("decline") => Self::Declined,
            _ => Self::Cancelled,
        }
    }
}

/// Why a question has no answer.
#[derive(Clone, Debug, PartialEq, thiserror::Error)]
pub enum Unanswered {
    #[error("the client cannot be asked")]
    Unsupported(Box<Question>),
    #[error("the client did not answer: {0}")]
    Failed(String),
}

#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord)]
pub enum LogLevel {
    Debug,
    Info,
    Warning,
    Error,
}

impl LogLevel {
    pub(super) fn wire(self) -> LoggingLevel {
        match self {
            Self::Debug => LoggingLevel::Debug,
            Self::Info => LoggingLevel::Info,
            Self::Warning => LoggingLevel::Warning,
            Self::Error => LoggingLevel::Error,
        }
    }
}

/// What a client is told while a call runs.
#[derive(Debug)]
pub(super) enum Note {
    Progress(Progress),
    Log(LogLevel, String),
}

/// Questions by key, and where the answers go.
pub(super) struct Asked {
    pub(super) questions: BTreeMap<String, Question>,
    pub(super) reply: oneshot::Sender<Result<BTreeMap<String, Value>, String>>,
}

/// The client of one call. In the revision without server requests it may be reconnected between two questions.
#[derive(Clone)]
pub struct Client(Arc<ClientState>);

struct ClientState {
    capabilities: Mutex<ClientCapabilities>,
    /// Answers that came with the request.
    early: Mutex<BTreeMap<String, Value>>,
    questions: mpsc::Sender<Asked>,
    notes: mpsc::Sender<Note>,
    cancel: CancellationToken,
}

/// The other end of a [`Client`].
pub(super) struct Line {
    pub(super) questions: mpsc::Receiver<Asked>,
    pub(super) notes: mpsc::Receiver<Note>,
}

fn lock<T>(mutex: &Mutex<T>) -> MutexGuard<'_, T> {
    mutex.lock().unwrap_or_else(PoisonError::into_inner)
}

impl Client {
    pub(super) fn new(capabilities: ClientCapabilities, early: BTreeMap<String, Value>) -> (Self, Line) {
        let (question_sender, questions) = mpsc::channel(1);
        let (note_sender, notes) = mpsc::channel(NOTES);
        let state = ClientState {
            capabilities: Mutex::new(capabilities),
            early: Mutex::new(early),
            questions: question_sender,
            notes: note_sender,
            cancel: CancellationToken::new(),
        };
        (Self(Arc::new(state)), Line { questions, notes })
    }

    /// Fires when nobody wants the result any more.
    pub fn cancelled(&self) -> &CancellationToken {
        &self.0.cancel
    }

    /// Would the client answer?
    pub fn answers(&self, question: &Question) -> bool {
        question.is_answerable(&lock(&self.0.capabilities))
    }

    /// Asks one question. The same question in the same call must have the same key.
    pub async fn ask(&self, key: &str, question: Question) -> Result<Answer, Unanswered> {
        let mut answers = self.ask_all(BTreeMap::from([(key.to_owned(), question)])).await?;
        answers.remove(key).ok_or_else(|| Unanswered::Failed("the answer is missing".to_owned()))
    }

    /// Asks several questions at once.
    pub async fn ask_all(
        &self,
        questions: BTreeMap<String, Question>,
    ) -> Result<BTreeMap<String, Answer>, Unanswered> {
        if let Some(question) = questions.values().find(|question| !self.answers(question)) {
            return Err(Unanswered::Unsupported(Box::new(question.clone())));
        }
        let mut raw = self.early_answers(&questions);
        let open: BTreeMap<_, _> = questions
            .iter()
            .filter(|(key, _)| !raw.contains_key(*key))
            .map(|(k, q)| (k.clone(), q.clone()))
            .collect();
        if !open.is_empty() {
            let (reply, answer) = oneshot::channel();
            let gone = |_| Unanswered::Failed("the connection is closed".to_owned());
            self.0.questions.send(Asked { questions: open, reply }).await.map_err(|_| gone(()))?;
            let answered = answer.await.map_err(|_| gone(()))?;
            raw.extend(answered.map_err(Unanswered::Failed)?);
        }
        let answer =
            |(key, question): (&String, &Question)| Some((key.clone(), Answer::of(question, raw.get(key)?)));
        Ok(questions.iter().filter_map(answer).collect())
    }

    /// Answers that a client sent along, each used once.
    fn early_answers(&self, questions: &BTreeMap<String, Question>) -> BTreeMap<String, Value> {
        let mut early = lock(&self.0.early);
        let usable = |(key, question): (&String, &Question)| {
            let answer = early.remove(key).filter(|answer| question.is_answered_by(answer))?;
            Some((key.clone(), answer))
        };
        questions.iter().filter_map(usable).collect()
    }

    /// Tells how far the call has come; the figures must grow. Never waits.
    pub fn progress(&self, mut progress: Progress) {
        progress.message = progress.message.map(|text| limits::shortened(&text, limits::QUOTE));
        let _ = self.0.notes.try_send(Note::Progress(progress));
    }

    /// Writes to the client's log, if it wants one. Never waits.
    pub fn log(&self, level: LogLevel, text: &str) {
        let _ = self.0.notes.try_send(Note::Log(level, limits::shortened(text, limits::LOG_LINE)));
    }

    /// The call continues with a new request.
    pub(super) fn reconnect(&self, capabilities: ClientCapabilities) {
        *lock(&self.0.capabilities) = capabilities;
    }
}
