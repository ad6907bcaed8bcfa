//! The prompts that were typed, in all sessions.

use std::path::{Path, PathBuf};
use std::sync::mpsc::{Receiver, Sender, channel};
use std::sync::{Mutex, PoisonError};

use omp_config::Directories;
use omp_session::{HistoryError, PromptHistory};
use serde::Serialize;
use tokio::task::JoinHandle;

use crate::saved::store::sessions;

/// A prompt as it was typed.
#[derive(Clone, Debug, PartialEq, Eq, Serialize)]
#[serde(rename_all = "camelCase")]
pub struct TypedPrompt {
    /// The text.
    pub prompt: String,
    /// Seconds since 1970.
    pub created_at: i64,
    /// Where it was typed.
    pub cwd: Option<String>,
    /// In which session.
    pub session_id: Option<String>,
}

/// Which prompts are meant.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub struct HistoryQuery<'a> {
    /// Words that all occur; `None` for the newest prompts.
    pub words: Option<&'a str>,
    /// Only those typed in this directory.
    pub cwd: Option<&'a Path>,
    /// No more than these.
    pub limit: usize,
}

/// So many matches are looked at to find those of one directory.
const MOST_MATCHES: usize = 10_000;

/// Prompts of earlier sessions: the best matches of a search first, else the newest.
pub fn typed_prompts(
    directories: &Directories,
    query: HistoryQuery<'_>,
) -> Result<Vec<TypedPrompt>, HistoryError> {
    // Looking makes no database.
    if !directories.data().join("history.db").is_file() {
        return Ok(Vec::new());
    }
    let history = sessions(directories, None).prompt_history()?;
    let mut found = match (query.words, query.cwd) {
        (None, cwd) => history.recent(cwd, query.limit)?,
        (Some(words), None) => history.search(words, query.limit)?,
        (Some(words), Some(cwd)) => {
            let cwd = cwd.to_string_lossy();
            let mut found = history.search(words, MOST_MATCHES)?;
            found.retain(|prompt| prompt.cwd.as_deref() == Some(cwd.as_ref()));
            found
        }
    };
    found.truncate(query.limit);
    let row = |prompt: omp_session::Prompt| TypedPrompt {
        prompt: prompt.prompt,
        created_at: prompt.created_at,
        cwd: prompt.cwd,
        session_id: prompt.session_id,
    };
    Ok(found.into_iter().map(row).collect())
}

/// Notes the prompts of one session, beside the conversation: no turn waits for the database.
pub(crate) struct PromptNotes {
    directories: Directories,
    cwd: PathBuf,
    session_id: String,
    worker: Mutex<Option<Worker>>,
}

struct Worker {
    prompts: Sender<String>,
    done: JoinHandle<Option<String>>,
}

impl PromptNotes {
    pub(crate) fn new(directories: Directories, cwd: PathBuf, session_id: String) -> Self {
        Self { directories, cwd, session_id, worker: Mutex::new(None) }
    }

    /// The database is opened with the first prompt, by a thread of its own.
    pub(crate) fn add(&self, prompt: &str) {
        let mut worker = self.worker.lock().unwrap_or_else(PoisonError::into_inner);
        let worker = worker.get_or_insert_with(|| {
            let (prompts, waiting) = channel();
            let store = sessions(&self.directories, None);
            let (cwd, id) = (self.cwd.clone(), self.session_id.clone());
            let work = move || match store.prompt_history() {
                Ok(history) => {
                    keep(history, &waiting, &cwd, &id);
                    None
                }
                Err(error) => Some(error.to_string()),
            };
            Worker { prompts, done: tokio::task::spawn_blocking(work) }
        });
        // A thread that could not open the database says so when it is closed.
        let _ = worker.prompts.send(prompt.to_owned());
    }

    /// Waits until everything is written; what went wrong is said.
    pub(crate) async fn close(&self) -> Option<String> {
        let worker = self.worker.lock().unwrap_or_else(PoisonError::into_inner).take()?;
        drop(worker.prompts);
        worker.done.await.ok().flatten()
    }
}

fn keep(mut history: PromptHistory, waiting: &Receiver<String>, cwd: &Path, session_id: &str) {
    while let Ok(prompt) = waiting.recv() {
        history.add(&prompt, cwd, session_id);
    }
}
