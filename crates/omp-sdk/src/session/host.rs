//! One session after another in one program: resuming, starting a new one, copying, branching.
//!
//! The next session is opened as if the program had just started with it, so both ways lead to the same state. Only
//! when it is there does the one before end: a switch that fails changes nothing.

use std::path::{Path, PathBuf};
use std::sync::{Arc, Mutex, PoisonError};

use omp_agent::Listener;
use omp_extension_host::EventName;
use omp_llm::Secret;
use omp_models::ModelOptions;
use omp_session::{BranchError, Copied, CopyError, NoSuchEntry};
use omp_stats::Dashboard;
use serde_json::json;

use crate::error::SessionError;
use crate::extensions::{Began, BeganHow, ExtensionChoice};
use crate::saved::store;
use crate::session::Session;
use crate::session::options::{Persistence, ProviderOptions, SessionOptions};

/// What every session of a program is given.
pub trait Outfit: Send + Sync {
    /// The options of a session in a directory: the settings and the environment as they are there.
    fn options(&self, cwd: &Path) -> Result<SessionOptions, SessionError>;

    /// Who listens to the session that is about to be opened.
    fn listener(&self) -> Box<dyn Listener>;
}

/// A program's sessions, one at a time.
pub struct Host {
    outfit: Arc<dyn Outfit>,
    current: Mutex<Arc<Session>>,
    /// A key that was given for one provider when the program began.
    given: Option<(String, Secret)>,
    /// Switches happen one after the other.
    turn: tokio::sync::Mutex<()>,
    /// The page of statistics, once somebody wanted it.
    pub(crate) dashboard: tokio::sync::Mutex<Option<Dashboard>>,
}

/// What a switch led to.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct Arrival {
    /// The file of the session before, if it was saved.
    pub previous: Option<PathBuf>,
    /// The directory of the session, if it is another one than before.
    pub elsewhere: Option<PathBuf>,
    /// The message that was branched from, to be said in other words.
    pub prompt: Option<String>,
    /// What the user should know: what could not be saved of the old session or copied into the new one.
    pub remarks: Vec<String>,
}

/// Why there was no switch. The session is as it was.
#[derive(Debug, thiserror::Error)]
pub enum SwitchError {
    /// The other session could not be opened.
    #[error(transparent)]
    Session(#[from] SessionError),
    /// The directory that the session worked in is gone.
    #[error("the session belongs to {}, which no longer exists: move it here to continue it", cwd.display())]
    DirectoryGone {
        /// The session.
        path: PathBuf,
        /// Where it worked.
        cwd: PathBuf,
    },
    /// A copy needs a conversation that stands still.
    #[error("the model is still responding: wait, or press Esc to stop it")]
    Busy,
    /// An extension does not want it.
    #[error("an extension cancelled it")]
    Cancelled,
    /// There is nothing on disk that could be copied.
    #[error("Fork failed (session not persisted or cancelled)")]
    NotSaved,
    /// The copy could not be made.
    #[error(transparent)]
    Copy(#[from] CopyError),
    /// The session has no file that could be moved or deleted.
    #[error("the session is not saved to disk")]
    InMemory,
    /// The branch could not be made.
    #[error(transparent)]
    Branch(#[from] BranchError),
    /// Nothing has that id.
    #[error(transparent)]
    NoSuchEntry(#[from] NoSuchEntry),
}

impl Host {
    /// Begins with a session. Later ones get their options from the outfit.
    pub async fn start(outfit: Arc<dyn Outfit>, first: SessionOptions) -> Result<Self, SessionError> {
        let key = first.model.api_key.clone();
        let session = Arc::new(Session::open(first, outfit.listener()).await?);
        session.begin_extensions();
        let given = key.map(|key| (session.model().provider.clone(), Secret::new(key)));
        Ok(Self {
            outfit,
            current: Mutex::new(session),
            given,
            turn: tokio::sync::Mutex::default(),
            dashboard: tokio::sync::Mutex::default(),
        })
    }

    /// The current session: the one that prompts and commands act on.
    pub fn session(&self) -> Arc<Session> {
        Arc::clone(&self.current.lock().unwrap_or_else(PoisonError::into_inner))
    }

    /// Resumes a saved session, in the directory it belongs to. What runs is stopped, what was queued is dropped.
    /// The current session is no other one: nothing happens.
    pub async fn resume(&self, path: &Path) -> Result<Arrival, SwitchError> {
        let _turn = self.turn.lock().await;
        if self.session().file().is_some_and(|file| is_same(&file, path)) {
            return Ok(Arrival::default());
        }
        let cwd = self.directory_of(path)?;
        self.exchange(&cwd, Persistence::Resume(path.to_string_lossy().into_owned()), BeganHow::Resume).await
    }

    /// Takes a session whose directory is gone into the current directory, and continues with it.
    pub async fn resume_here(&self, path: &Path) -> Result<Arrival, SwitchError> {
        let _turn = self.turn.lock().await;
        let cwd = self.session().cwd();
        self.exchange(&cwd, Persistence::Move(path.to_owned()), BeganHow::Resume).await
    }

    /// Begins a new session in the same directory.
    pub async fn begin(&self) -> Result<Arrival, SwitchError> {
        let _turn = self.turn.lock().await;
        let cwd = self.session().cwd();
        self.exchange(&cwd, Persistence::New, BeganHow::New).await
    }

    /// Begins a new session with entries that an extension prepared for it, and with a parent if it names one.
    pub async fn begin_prepared(
        &self,
        entries: Vec<serde_json::Value>,
        parent: Option<PathBuf>,
    ) -> Result<Arrival, SwitchError> {
        let mut arrival = {
            let _turn = self.turn.lock().await;
            let cwd = self.session().cwd();
            let next = parent.map_or(Persistence::New, Persistence::NewFrom);
            self.exchange(&cwd, next, BeganHow::New).await?
        };
        arrival.remarks.extend(crate::extensions::prepare(&self.session(), entries).await);
        Ok(arrival)
    }

    /// Begins a new session that names the current one as its parent.
    pub(crate) async fn begin_after(&self) -> Result<Arrival, SwitchError> {
        let _turn = self.turn.lock().await;
        let old = self.session();
        let next = old.file().map_or(Persistence::New, Persistence::NewFrom);
        self.exchange(&old.cwd(), next, BeganHow::New).await
    }

    /// Copies the whole session and continues in the copy; the old file stays as it is.
    pub async fn fork(&self) -> Result<Arrival, SwitchError> {
        let _turn = self.turn.lock().await;
        let session = self.session();
        let leaf = session.record.lock().leaf().map(str::to_owned);
        let event = json!({"entryId": leaf, "position": "at"});
        if !session.extensions_allow(EventName::SessionBeforeFork, event).await {
            return Err(SwitchError::Cancelled);
        }
        if session.control().is_running() {
            return Err(SwitchError::Busy);
        }
        let source = session.file().ok_or(SwitchError::NotSaved)?;
        // Asked before anything is copied.
        if !session.may_leave(BeganHow::Fork, &Persistence::New).await {
            return Err(SwitchError::Cancelled);
        }
        session.record.lock().flush();
        session.file_history().settled().await;
        let (sessions, cwd) = (session.store(), session.cwd());
        let there = cwd.clone();
        let copied = tokio::task::spawn_blocking(move || store::copy(&sessions, &source, &there)).await;
        let Copied { path, warnings } = copied.map_err(|_| SessionError::Interrupted)??;
        let mut arrival = self.exchange(&cwd, resumed(&path), BeganHow::Fork).await?;
        arrival.remarks.extend(warnings);
        Ok(arrival)
    }

    /// Continues before one of the user's messages, in a new session that has the way to it. What runs is stopped.
    pub async fn branch(&self, entry: &str) -> Result<Arrival, SwitchError> {
        let _turn = self.turn.lock().await;
        let session = self.session();
        for (event, position) in
            [(EventName::SessionBeforeBranch, "before"), (EventName::SessionBeforeFork, "before")]
        {
            if !session.extensions_allow(event, json!({"entryId": entry, "position": position})).await {
                return Err(SwitchError::Cancelled);
            }
        }
        session.rest().await;
        let Some(source) = session.file() else { return session.tree().branch_in_memory(entry).await };
        session.record.lock().flush();
        session.file_history().settled().await;
        let (sessions, cwd) = (session.store(), session.cwd());
        let (from, there, id) = (source.clone(), cwd.clone(), entry.to_owned());
        let branched = tokio::task::spawn_blocking(move || {
            let branched = store::branch(&sessions, &from, &id, &there)?;
            let path = branched.writer.path().filter(|_| branched.writer.is_saved()).map(Path::to_owned);
            Ok::<_, BranchError>((path, branched.prompt, branched.loaded.warnings))
        });
        let (path, prompt, warnings) = branched.await.map_err(|_| SessionError::Interrupted)??;
        let next = match path {
            Some(path) => resumed(&path),
            // Nothing comes before the first message, so nothing was copied.
            None => Persistence::NewFrom(source),
        };
        let mut arrival = self.exchange(&cwd, next, BeganHow::Branch).await?;
        arrival.prompt = Some(prompt);
        arrival.remarks.extend(warnings);
        Ok(arrival)
    }

    /// Waits until no other switch is under way.
    pub(crate) async fn turn(&self) -> tokio::sync::MutexGuard<'_, ()> {
        self.turn.lock().await
    }

    /// What a session in that directory would begin with.
    pub(crate) fn options_for(&self, cwd: &Path) -> Result<SessionOptions, SessionError> {
        self.outfit.options(cwd)
    }

    /// Where a session's tools work.
    fn directory_of(&self, path: &Path) -> Result<PathBuf, SwitchError> {
        let header = omp_session::header_of(path).ok().flatten();
        let Some(cwd) = header.map(|header| PathBuf::from(header.cwd)) else {
            // What is no session is explained, or started over, where it is opened.
            return Ok(self.session().cwd());
        };
        match cwd.is_dir() {
            true => Ok(cwd),
            false => Err(SwitchError::DirectoryGone { path: path.to_owned(), cwd }),
        }
    }

    /// Opens the next session, then ends the one before.
    pub(crate) async fn exchange(
        &self,
        cwd: &Path,
        persistence: Persistence,
        how: BeganHow,
    ) -> Result<Arrival, SwitchError> {
        let old = self.session();
        if how != BeganHow::Fork && !old.may_leave(how, &persistence).await {
            return Err(SwitchError::Cancelled);
        }
        let persistence = match (old.is_kept(), persistence) {
            (false, Persistence::New) => Persistence::Off,
            (_, persistence) => persistence,
        };
        let options = self.outfit.options(cwd)?;
        let carried = old.extensions_for(cwd).filter(|_| how != BeganHow::Reload);
        // What was asked for when the program began was said of another session.
        let options = SessionOptions {
            persistence,
            replaces: true,
            extensions: ExtensionChoice { carried, ..options.extensions },
            began: Began { how, previous: old.file() },
            model: ModelOptions {
                selector: None,
                provider: None,
                thinking: None,
                api_key: None,
                given_key: self.given.clone(),
                ..options.model
            },
            provider: ProviderOptions {
                service_tier: None,
                session_id: None,
                prompt_cache_key: None,
                ..options.provider
            },
            ..options
        };
        let next = Arc::new(Session::open(options, self.outfit.listener()).await?);
        let previous = old.file();
        let elsewhere = (next.cwd() != old.cwd()).then(|| next.cwd());
        old.hooks.end(Some(if elsewhere.is_some() { "other" } else { "clear" })).await;
        if next.cwd() != old.cwd() || how == BeganHow::Reload {
            old.end_extensions().await;
        }
        next.begin_extensions();
        let mut remarks = old.close().await;
        remarks.extend_from_slice(next.warnings());
        *self.current.lock().unwrap_or_else(PoisonError::into_inner) = next;
        Ok(Arrival { previous, elsewhere, prompt: None, remarks })
    }
}

fn resumed(path: &Path) -> Persistence {
    Persistence::Resume(path.to_string_lossy().into_owned())
}

/// One file by any of its names.
fn is_same(one: &Path, other: &Path) -> bool {
    match (one.canonicalize(), other.canonicalize()) {
        (Ok(one), Ok(other)) => one == other,
        _ => one == other,
    }
}
