//! The history of files in a session: when checkpoints are taken.

use std::path::{Path, PathBuf};
use std::sync::Arc;

use futures_util::future::BoxFuture;
use omp_agent::{Decision, Gate, PendingCall};
use omp_config::settings::keys;
use omp_history::{Copied, History, Options};
use omp_replay::Deck;
use omp_resources::SessionFolder;
use omp_session::SharedWriter;
use omp_session::{FILE_HISTORY, artifacts_directory};
use omp_types::Tier;
use serde_json::{Map, Value};

use crate::guard::declared;
use crate::session::builder::SessionBuilder;
use crate::session::options::Persistence;
use crate::session::rewind::FileHistory;

/// The tool whose calls are commands.
const BASH: &str = "bash";

/// The history of a session's files; `None` for one that is not saved, or played, or whose user wants none.
pub(crate) fn of_session(
    builder: &SessionBuilder,
    folder: &SessionFolder,
    context: &omp_tools::Context,
) -> Option<Arc<History>> {
    let (options, settings) = (&builder.options, &builder.settings);
    let saved = options.persistence != Persistence::Off && !matches!(options.deck, Some(Deck::Play(_)));
    if !saved || !settings.get(keys::FILE_HISTORY_ENABLED) {
        return None;
    }
    let directory = folder.artifacts.directory()?.join(FILE_HISTORY);
    Some(History::new(Options {
        directory,
        cwd: options.cwd.clone(),
        environment: context.commands.environment.clone(),
        is_trusted: Arc::clone(&context.is_trusted),
        largest_file: bytes(settings.get(keys::FILE_HISTORY_MAX_FILE_BYTES)),
        most_bytes: bytes(settings.get(keys::FILE_HISTORY_MAX_BYTES)),
    }))
}

/// A number of a setting as a number of bytes; what is none is nothing.
fn bytes(number: f64) -> u64 {
    number as u64
}

/// Keeps the history as long as the session is ours: whoever takes it over keeps it from then on.
pub(crate) fn follow(history: Option<&Arc<History>>, record: &SharedWriter) {
    let Some(history) = history else { return };
    let record = record.clone();
    history.while_ours(move || record.lock().not_ours().map_or(Ok(()), Err));
}

/// Gives a copy of a session what it may have of the history: the checkpoints of entries that it `has`, if it works in the
/// same directory. What a person should know of that.
pub(crate) fn copy(from: &Path, to: &Path, has: impl Fn(&str) -> bool) -> Option<String> {
    let here = place(from).is_some_and(|from| place(to) == Some(from));
    let [old, new] = [from, to].map(|session| artifacts_directory(session).join(FILE_HISTORY));
    let lost = "/rewind in the copy cannot restore earlier files";
    match omp_history::copy(&old, &new, |entry| here && has(entry)) {
        Ok(Copied { left: 1.., .. }) if !here => {
            Some(format!("The copy has no file history because it works in another directory: {lost}"))
        }
        Ok(_) => None,
        Err(error) => {
            let error = error.to_string();
            let error = error.trim_end_matches('.');
            Some(format!("Could not copy the file history ({error}): {lost}"))
        }
    }
}

/// Where a session works.
fn place(session: &Path) -> Option<PathBuf> {
    let header = omp_session::header_of(session).ok().flatten()?;
    std::fs::canonicalize(header.cwd).ok()
}

/// The same gate; a call that may change something waits behind it until the files are safe.
pub(crate) fn gate(inner: Arc<dyn Gate>, context: &Arc<omp_tools::Context>) -> Arc<dyn Gate> {
    match &context.history {
        Some(history) => {
            Arc::new(FileHistoryGate { inner, history: Arc::clone(history), tools: Arc::clone(context) })
        }
        None => inner,
    }
}

struct FileHistoryGate {
    inner: Arc<dyn Gate>,
    history: Arc<History>,
    tools: Arc<omp_tools::Context>,
}

impl FileHistoryGate {
    /// Keeps what a command is known to delete or overwrite.
    async fn keep_doomed(&self, arguments: &Map<String, Value>) {
        let (tools, history, arguments) =
            (Arc::clone(&self.tools), Arc::clone(&self.history), arguments.clone());
        // A thread that fails keeps nothing, which the history does not hide.
        let _ = tokio::task::spawn_blocking(move || history.declare_doomed(&tools.doomed(&arguments))).await;
    }
}

impl Gate for FileHistoryGate {
    fn behind(&self) -> Option<&dyn Gate> {
        Some(&*self.inner)
    }

    fn approve<'a>(&'a self, pending: &'a PendingCall<'a>) -> BoxFuture<'a, Decision> {
        Box::pin(async move {
            let decision = self.inner.approve(pending).await;
            if decision == Decision::Allow && changes(pending).await {
                self.history.before_change().await;
                if pending.call.name == BASH {
                    self.keep_doomed(pending.arguments).await;
                }
            }
            decision
        })
    }
}

/// May the call change files? The tool's own word may wait for the disk.
async fn changes(pending: &PendingCall<'_>) -> bool {
    declared(pending).await.is_none_or(|approval| approval.tier != Tier::Read)
}

impl FileHistory<'_> {
    /// Looks at what became of the files, in the background, and passes on what the history has to say.
    pub(crate) async fn settle(self) {
        if let Some(history) = &self.session.tools.history {
            history.settle();
        }
        self.pass_on_notices().await;
    }

    /// Waits until the history knows what became of the files: before it is copied or moved.
    pub(crate) async fn settled(self) {
        if let Some(history) = &self.session.tools.history {
            history.settle();
            history.settled().await;
        }
    }

    /// Passes on what the history of files has to say.
    pub(crate) async fn pass_on_notices(self) {
        let Some(history) = &self.session.tools.history else { return };
        for notice in history.take_notices() {
            // A session that has ended has nobody to tell.
            let _ = self.session.agent.notice(notice).await;
        }
    }
}
