//! One running language server.
//!
//! A task of its own ([`drive`]) owns the process: it writes what is queued, reads what the server says and answers its
//! questions ([`answers`]). Callers queue messages and wait for the state that the task keeps ([`state`]). When the
//! process is gone, every waiting request is told how it ended.

mod answers;
mod documents;
mod drive;
pub mod findings;
mod start;
mod state;
mod watched;

use std::path::{Path, PathBuf};
use std::sync::Arc;
use std::sync::atomic::{AtomicUsize, Ordering};
use std::time::Duration;

use futures_util::future::BoxFuture;
use serde_json::{Value, json};
use tokio::sync::{mpsc, oneshot, watch};
use tokio::time::Instant;
use tokio_util::sync::CancellationToken;

use crate::LspError;
use crate::edits::WorkspaceEdit;
use crate::position::Encoding;
use documents::Documents;
pub use documents::Synced;
pub(crate) use start::Start;
use state::ClientState;
pub use watched::Fate;

/// How often a question that a server lets fall is asked again, and after which time.
const TRIES: usize = 20;
const AGAIN: Duration = Duration::from_millis(100);
/// A request is given up after this long, whatever the caller allows.
const REQUEST_LIMIT: Duration = Duration::from_secs(30);
/// A project is loaded, or loading it takes too long to wait for. A task that nothing is heard of for so long has ended
/// without a word.
const LOAD_LIMIT: Duration = Duration::from_secs(15);
/// A server that has just been started may take so long to say that it is loading something.
const LOAD_BEGINS: Duration = Duration::from_millis(300);
/// Between two steps of loading.
const LOAD_GAP: Duration = Duration::from_millis(100);
/// How long a server may take to say goodbye.
const GOODBYE: Duration = Duration::from_secs(1);

/// How long somebody waits, and whether still.
#[derive(Clone, Copy, Debug)]
pub struct Limit<'a> {
    pub until: Instant,
    pub cancel: &'a CancellationToken,
}

impl<'a> Limit<'a> {
    /// From now on.
    pub fn after(time: Duration, cancel: &'a CancellationToken) -> Self {
        Self { until: Instant::now() + time, cancel }
    }

    /// The same, but not longer than this.
    pub fn at_most(self, time: Duration) -> Self {
        Self { until: self.until.min(Instant::now() + time), ..self }
    }

    /// Waits for something as long as allowed; `None` if it did not come.
    pub async fn wait<T>(self, future: impl Future<Output = T>) -> Option<T> {
        tokio::select! {
            biased;
            value = future => Some(value),
            () = self.cancel.cancelled() => None,
            () = tokio::time::sleep_until(self.until) => None,
        }
    }
}

/// Whoever writes the changes that a server asks for.
pub trait Editor: Send + Sync {
    /// Makes all changes, or none and says why.
    fn apply(&self, edit: WorkspaceEdit, encoding: Encoding) -> BoxFuture<'static, Result<(), String>>;
}

/// A running server. It ends when the last handle is dropped.
pub struct Client {
    name: String,
    root: PathBuf,
    settings: Value,
    shared: Arc<Shared>,
    documents: tokio::sync::Mutex<Documents>,
    started: Instant,
    /// Ends the process.
    end: CancellationToken,
}

/// What callers and the task share.
pub(crate) struct Shared {
    state: std::sync::Mutex<ClientState>,
    /// Changes with the state.
    news: watch::Sender<u64>,
    outgoing: mpsc::Sender<Vec<u8>>,
    /// Calls that may change files, and so let the server ask for changes.
    permits: AtomicUsize,
}

/// While this lives, the server may ask for changes of files.
pub struct EditPermit(Arc<Shared>);

impl Drop for EditPermit {
    fn drop(&mut self) {
        self.0.permits.fetch_sub(1, Ordering::AcqRel);
    }
}

impl Drop for Client {
    fn drop(&mut self) {
        self.end.cancel();
    }
}

impl Client {
    /// The name in the configuration.
    pub fn name(&self) -> &str {
        &self.name
    }

    /// The directory that the server works for.
    pub fn root(&self) -> &Path {
        &self.root
    }

    /// What the server says it can do.
    pub fn capabilities(&self) -> Value {
        self.shared.state().capabilities.clone()
    }

    /// Can the server do this? Also what it registered later counts.
    pub fn can(&self, capability: &str, method: &str) -> bool {
        let state = self.shared.state();
        let says = state.capabilities.get(capability);
        says.is_some_and(|value| !value.is_null() && *value != Value::Bool(false))
            || state.registered.values().any(|known| known.method == method)
    }

    /// The units in which it counts characters.
    pub fn encoding(&self) -> Encoding {
        self.shared.state().encoding
    }

    /// Has the server ever said that it loads something?
    pub fn loads_projects(&self) -> bool {
        self.shared.state().has_begun
    }

    /// Is the process there? One that is being ended is not.
    pub fn is_alive(&self) -> bool {
        !self.end.is_cancelled() && self.shared.state().ended.is_none()
    }

    /// How the process ended by itself, if it did.
    pub(crate) fn failure(&self) -> Option<String> {
        let ended = self.shared.state().ended.clone();
        ended.filter(|_| !self.end.is_cancelled())
    }

    /// Lets the server ask for changes of files while the permit lives.
    pub fn permit_edits(&self) -> EditPermit {
        self.shared.permits.fetch_add(1, Ordering::AcqRel);
        EditPermit(Arc::clone(&self.shared))
    }

    /// Asks something. When nobody waits any more, the server is told so. A server that is busy loading a project lets
    /// questions fall; they are asked again for a while.
    pub async fn request(&self, method: &str, params: Value, limit: Limit<'_>) -> Result<Value, LspError> {
        let limit = limit.at_most(REQUEST_LIMIT);
        for _ in 0..TRIES {
            match self.ask(method, params.clone(), limit).await {
                Err(error) if error.is_passing() => limit.wait(tokio::time::sleep(AGAIN)).await,
                answer => return answer,
            };
        }
        self.ask(method, params, limit).await
    }

    /// The same, as long as the caller allows.
    async fn ask(&self, method: &str, params: Value, limit: Limit<'_>) -> Result<Value, LspError> {
        let milliseconds = limit.until.saturating_duration_since(Instant::now()).as_millis();
        let (sender, receiver) = oneshot::channel();
        let id = self.shared.state().expect(sender).map_err(|how| self.ended(how))?;
        let mut asked = Asked { shared: &self.shared, id, sent: false, answered: false };
        let message = crate::message::request(id, method, &params);
        let answer = async {
            self.send(message).await?;
            asked.sent = true;
            let answer = receiver.await.unwrap_or_else(|_| Err(state::Failure::Ended("ended".to_owned())));
            answer.map_err(|failure| match failure {
                state::Failure::Answer(code, message) => LspError::Answer { code, message },
                state::Failure::Ended(how) => self.ended(how),
            })
        };
        match limit.wait(answer).await {
            Some(answer) => {
                asked.answered = true;
                answer
            }
            None if limit.cancel.is_cancelled() => Err(LspError::Cancelled),
            None => Err(LspError::TimedOut {
                method: method.to_owned(),
                milliseconds: u64::try_from(milliseconds).unwrap_or(u64::MAX),
            }),
        }
    }

    /// Tells something.
    pub async fn notify(&self, method: &str, params: &Value) -> Result<(), LspError> {
        self.send(crate::message::notification(method, params)).await
    }

    async fn send(&self, message: Vec<u8>) -> Result<(), LspError> {
        if self.shared.outgoing.send(message).await.is_ok() {
            return Ok(());
        }
        let how = self.shared.state().ended.clone();
        Err(self.ended(how.unwrap_or_else(|| "ended".to_owned())))
    }

    fn ended(&self, how: String) -> LspError {
        LspError::Ended { server: self.name.clone(), how }
    }

    /// Waits until the server has loaded the project, but not for ever.
    pub async fn loaded(&self, limit: Limit<'_>) {
        let mut news = self.shared.news.subscribe();
        let limit = limit.at_most(LOAD_LIMIT);
        let waits = async {
            loop {
                let (busy_until, has_begun) = {
                    let state = self.shared.state();
                    if state.ended.is_some() {
                        return;
                    }
                    (state.last_heard().map(|heard| heard + LOAD_LIMIT), state.has_begun)
                };
                if let Some(until) = busy_until.filter(|until| *until > Instant::now()) {
                    let _ = tokio::time::timeout_at(until, news.changed()).await;
                    continue;
                }
                // Nothing runs. Unless something begins in a moment, that is all there was to load.
                let gap = if has_begun { Instant::now() + LOAD_GAP } else { self.started + LOAD_BEGINS };
                if tokio::time::timeout_at(gap, news.changed()).await.is_err() {
                    return;
                }
            }
        };
        limit.wait(waits).await;
    }

    /// Ends the server as the protocol wants it, or without its consent.
    pub async fn close(&self) {
        if self.is_alive() {
            let never = CancellationToken::new();
            let limit = Limit::after(GOODBYE, &never);
            if self.request("shutdown", Value::Null, limit).await.is_ok() {
                let _ = limit.wait(self.notify("exit", &Value::Null)).await;
                let mut news = self.shared.news.subscribe();
                let gone = news.wait_for(|_| self.shared.state().ended.is_some());
                let _ = limit.wait(gone).await;
            }
        }
        self.end.cancel();
    }

    /// Ends the process at once.
    pub fn kill(&self) {
        self.end.cancel();
    }

    /// Tells the server its settings.
    pub async fn configure(&self) -> Result<(), LspError> {
        let settings = if self.settings.is_null() { json!({}) } else { self.settings.clone() };
        self.notify("workspace/didChangeConfiguration", &json!({ "settings": settings })).await
    }
}

/// A request under way. Given up on, it is forgotten here and called off there.
struct Asked<'a> {
    shared: &'a Shared,
    id: u64,
    sent: bool,
    answered: bool,
}

impl Drop for Asked<'_> {
    fn drop(&mut self) {
        self.shared.state().pending.remove(&self.id);
        if self.sent && !self.answered {
            let message = crate::message::notification("$/cancelRequest", &json!({ "id": self.id }));
            // A server that does not listen need not be told to stop.
            let _ = self.shared.outgoing.try_send(message);
        }
    }
}
