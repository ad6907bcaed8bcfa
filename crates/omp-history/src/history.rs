//! The history of one session's files, as the session sees it.

use std::collections::HashSet;
use std::path::{Path, PathBuf};
use std::sync::atomic::{AtomicBool, Ordering};
use std::sync::{Arc, Mutex, MutexGuard, OnceLock, PoisonError};
use std::time::SystemTime;

use omp_shell::Environment;
use tokio::runtime::Handle;
use tokio::task::JoinHandle;
use tokio_util::sync::CancellationToken;

use crate::checkpoint::{Inner, Opening, Outcome};
use crate::error::HistoryError;
use crate::git::{Git, Status};
use crate::plan::Plan;
use crate::restoring::{Others, Restored};

/// Where and how much is kept.
#[derive(Clone)]
pub struct Options {
    /// The directory of the store; created when something is kept.
    pub directory: PathBuf,
    /// Where the session works.
    pub cwd: PathBuf,
    /// What git sees.
    pub environment: Environment,
    /// Larger files are not kept.
    pub largest_file: u64,
    /// When contents take more on disk, the oldest checkpoints go.
    pub most_bytes: u64,
}

/// The history of one session's files.
pub struct History {
    pub(crate) options: Options,
    /// Git around the session's directory; looked for once.
    git: OnceLock<Option<Git>>,
    /// Git took too long once, and is not waited for again.
    slow: AtomicBool,
    on: AtomicBool,
    inner: Mutex<Inner>,
    /// The prompt whose checkpoint has not been needed yet.
    pending: Mutex<Option<String>>,
    /// The last prompt: what goes on by itself after it belongs to it.
    last: Mutex<Option<String>>,
    settling: Mutex<Option<JoinHandle<()>>>,
    /// Looks and restores happen one after the other.
    turn: tokio::sync::Mutex<()>,
    notices: Mutex<Notices>,
    cancel: CancellationToken,
}

#[derive(Default)]
struct Notices {
    waiting: Vec<String>,
    /// Each is said once.
    said: HashSet<String>,
}

impl History {
    /// The history that is kept in a directory. Reads and writes nothing yet.
    pub fn new(options: Options) -> Arc<Self> {
        let inner = Inner::new(&options);
        Arc::new(Self {
            options,
            git: OnceLock::new(),
            slow: AtomicBool::new(false),
            on: AtomicBool::new(true),
            inner: Mutex::new(inner),
            pending: Mutex::default(),
            last: Mutex::default(),
            settling: Mutex::default(),
            turn: tokio::sync::Mutex::default(),
            notices: Mutex::default(),
            cancel: CancellationToken::new(),
        })
    }

    /// A prompt begins, under the id of its entry. Nobody is asked and nothing is written before it changes something:
    /// what others change until then is theirs.
    pub fn begin(&self, entry: &str) {
        *lock(&self.last) = Some(entry.to_owned());
        *lock(&self.pending) = Some(entry.to_owned());
    }

    /// Something is about to change files. Returns when they are safe, or cannot be made so.
    pub async fn before_change(self: &Arc<Self>) {
        let _turn = self.turn.lock().await;
        self.settled().await;
        let begun = lock(&self.pending).take();
        let pending = begun.or_else(|| self.again());
        let Some(entry) = pending else { return };
        let at = now_ms();
        let status = match self.on.load(Ordering::Acquire) {
            true => self.fresh_status().await.unwrap_or_default(),
            false => None,
        };
        let opened = self.work(move |history, inner| {
            let git = history.known_git();
            inner.open(Opening { entry, at, git, status })
        });
        match opened.await {
            Ok(outcome) => self.tell(&outcome),
            Err(error) => self.cannot_keep(&error),
        }
    }

    /// A run that nobody asked for in words: it belongs to the prompt before it.
    fn again(&self) -> Option<String> {
        match lock(&self.inner).is_open() {
            true => None,
            false => lock(&self.last).clone(),
        }
    }

    /// A tool is about to change this file. Called after [`History::before_change`]; waits for the disk.
    pub fn declare(&self, path: &Path) {
        let git = self.git.get().and_then(Option::as_ref);
        let declared = lock(&self.inner).declare(path, git);
        match declared {
            Ok(outcome) => self.tell(&outcome),
            Err(error) => self.cannot_keep(&error),
        }
    }

    /// The prompt has settled. What became of the files is looked at in the background.
    pub fn settle(self: &Arc<Self>) {
        let Ok(runtime) = Handle::try_current() else { return };
        lock(&self.pending).take();
        if !lock(&self.inner).is_open() {
            return;
        }
        let history = Arc::clone(self);
        let settling = runtime.clone().spawn_blocking(move || {
            let status = history.heard(history.status(&runtime)).unwrap_or_default();
            let settled = lock(&history.inner).settle(history.known_git(), status);
            if let Err(error) = settled {
                history.cannot_keep(&error);
            }
        });
        *lock(&self.settling) = Some(settling);
    }

    /// Waits until the look after the last prompt is done.
    pub async fn settled(&self) {
        let settling = lock(&self.settling).take();
        if let Some(settling) = settling {
            // A look that panicked has looked at nothing.
            let _ = settling.await;
        }
    }

    /// Ends what is under way; waits for what must be written.
    pub async fn close(self: &Arc<Self>) {
        self.settle();
        self.settled().await;
        self.cancel.cancel();
    }

    /// What a person should know, each thing once.
    pub fn take_notices(&self) -> Vec<String> {
        std::mem::take(&mut lock(&self.notices).waiting)
    }

    /// Is the history being kept?
    pub async fn is_on(self: &Arc<Self>) -> Result<bool, HistoryError> {
        let _turn = self.turn.lock().await;
        self.work(|_, inner| inner.is_on()).await
    }

    /// Keeps the history of this session from now on, or does not; what was kept stays.
    pub async fn switch(self: &Arc<Self>, on: bool) -> Result<(), HistoryError> {
        let _turn = self.turn.lock().await;
        self.settled().await;
        self.on.store(on, Ordering::Release);
        self.work(move |_, inner| inner.switch(on)).await
    }

    /// Forgets every checkpoint of this session. How many that were.
    pub async fn clear(self: &Arc<Self>) -> Result<usize, HistoryError> {
        let _turn = self.turn.lock().await;
        self.settled().await;
        self.work(|_, inner| inner.clear()).await
    }

    /// What all contents take on disk.
    pub async fn bytes(self: &Arc<Self>) -> Result<u64, HistoryError> {
        let _turn = self.turn.lock().await;
        self.work(|_, inner| inner.blobs.bytes()).await
    }

    /// For each of these prompts, in the order of the conversation: how many files going back before it would change;
    /// `None` where nothing is kept any more.
    pub async fn counts(self: &Arc<Self>, prompts: Vec<String>) -> Result<Vec<Option<usize>>, HistoryError> {
        let _turn = self.turn.lock().await;
        self.settled().await;
        let status = self.fresh_status().await?;
        self.work(move |history, inner| inner.counts(&prompts, history.known_git(), status.as_ref())).await
    }

    /// What it takes to go back before one of these prompts.
    pub async fn plan(self: &Arc<Self>, prompts: Vec<String>, entry: String) -> Result<Plan, HistoryError> {
        let _turn = self.turn.lock().await;
        self.settled().await;
        let status = self.fresh_status().await?;
        self.work(move |history, inner| inner.plan(&prompts, &entry, history.known_git(), status.as_ref()))
            .await
    }

    /// Carries a plan out, after everything it changes was saved. `leaf` is where the conversation stands.
    pub async fn restore(
        self: &Arc<Self>,
        plan: Plan,
        others: Others,
        leaf: Option<String>,
    ) -> Result<Restored, HistoryError> {
        let _turn = self.turn.lock().await;
        self.settled().await;
        let status = self.fresh_status().await?;
        let restored =
            self.work(move |history, inner| inner.restore(plan, others, leaf, history.known_git(), status));
        let restored = restored.await?;
        self.look_after().await;
        Ok(restored)
    }

    /// Undoes the last restore, unless something was said since.
    pub async fn redo(self: &Arc<Self>, others: Others) -> Result<Restored, HistoryError> {
        let _turn = self.turn.lock().await;
        self.settled().await;
        let status = self.fresh_status().await?;
        let restored = self.work(move |history, inner| inner.redo(others, history.known_git(), status));
        let restored = restored.await?;
        self.look_after().await;
        Ok(restored)
    }

    /// What became of the files after a restore. The restore is done, whatever comes of this.
    async fn look_after(self: &Arc<Self>) {
        let status = self.fresh_status().await.unwrap_or_default();
        let looked = self.work(move |history, inner| inner.settle(history.known_git(), status)).await;
        if let Err(error) = looked {
            self.cannot_keep(&error);
        }
    }

    /// Does work that waits for the disk.
    async fn work<T: Send + 'static>(
        self: &Arc<Self>,
        work: impl FnOnce(&Self, &mut Inner) -> Result<T, HistoryError> + Send + 'static,
    ) -> Result<T, HistoryError> {
        let history = Arc::clone(self);
        let done = tokio::task::spawn_blocking(move || {
            let mut inner = lock(&history.inner);
            let loaded = inner.load()?;
            if loaded {
                history.on.store(inner.is_on()?, Ordering::Release);
            }
            work(&history, &mut inner)
        });
        done.await.unwrap_or(Err(HistoryError::Interrupted))
    }

    /// What git says now. Where it fails, that is said once, and it goes on without git.
    async fn fresh_status(self: &Arc<Self>) -> Result<Option<Status>, HistoryError> {
        let history = Arc::clone(self);
        let runtime = Handle::current();
        let asked = tokio::task::spawn_blocking(move || history.status(&runtime)).await;
        self.heard(asked.map_err(|_| HistoryError::Interrupted)?)
    }

    fn heard(&self, said: Option<Result<Status, HistoryError>>) -> Result<Option<Status>, HistoryError> {
        match said {
            Some(Err(HistoryError::Interrupted)) => Err(HistoryError::Interrupted),
            Some(Err(error)) => {
                self.git_failed(&error);
                Ok(None)
            }
            said => said.transpose(),
        }
    }

    /// What git says now; `None` where there is no repository, or git is too slow for it.
    fn status(&self, runtime: &Handle) -> Option<Result<Status, HistoryError>> {
        if self.slow.load(Ordering::Acquire) {
            return None;
        }
        let git = self.git.get_or_init(|| self.find_git(runtime)).as_ref()?;
        Some(git.status())
    }

    fn find_git(&self, runtime: &Handle) -> Option<Git> {
        let Options { cwd, environment, .. } = &self.options;
        let cwd = std::fs::canonicalize(cwd).ok()?;
        // Where there is no repository, nobody has to be asked.
        cwd.ancestors().find(|above| above.join(".git").exists())?;
        let git = Git::around(&cwd, environment, runtime.clone(), self.cancel.clone());
        git.map_err(|error| self.git_failed(&error)).ok()
    }

    fn known_git(&self) -> Option<&Git> {
        self.git.get().and_then(Option::as_ref).filter(|_| !self.slow.load(Ordering::Acquire))
    }

    fn git_failed(&self, error: &HistoryError) {
        if matches!(error, HistoryError::Interrupted) {
            return;
        }
        self.slow.store(true, Ordering::Release);
        self.notice(format!(
            "The history of files does without git here ({error}): only files that omp's own tools change are protected, \
             not what commands change."
        ));
    }

    fn tell(&self, outcome: &Outcome) {
        if outcome.too_many > 0 {
            self.notice(format!(
                "{} files differ from the last commit, more than the history of files keeps; the others are not \
                 protected.",
                outcome.too_many
            ));
        }
        if outcome.unnameable {
            let text = "Files with names that are no text (UTF-8) are not in the history of files; /rewind leaves them alone.";
            self.notice(text.to_owned());
        }
    }

    fn cannot_keep(&self, error: &HistoryError) {
        let reason = if error.is_full() { "the disk is full".to_owned() } else { error.to_string() };
        let reason = reason.trim_end_matches('.');
        self.notice(format!(
            "The history of files cannot be kept: {reason}. The prompt goes on; /rewind cannot bring back what it changes."
        ));
    }

    fn notice(&self, text: String) {
        let mut notices = lock(&self.notices);
        if notices.said.insert(text.clone()) {
            notices.waiting.push(text);
        }
    }
}

/// State that is valid after every statement, so a panic elsewhere does not spoil it.
fn lock<T>(mutex: &Mutex<T>) -> MutexGuard<'_, T> {
    mutex.lock().unwrap_or_else(PoisonError::into_inner)
}

/// Milliseconds since 1970.
pub(crate) fn now_ms() -> u64 {
    let since = SystemTime::now().duration_since(SystemTime::UNIX_EPOCH).unwrap_or_default();
    u64::try_from(since.as_millis()).unwrap_or(u64::MAX)
}
