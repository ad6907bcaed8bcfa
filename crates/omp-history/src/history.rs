//! The history of one session's files, as the session sees it.

use std::path::{Path, PathBuf};
use std::sync::atomic::{AtomicBool, Ordering};
use std::sync::{Arc, Mutex, MutexGuard, OnceLock, PoisonError};
use std::time::SystemTime;

use tokio::runtime::Handle;
use tokio::task::JoinHandle;
use tokio_util::sync::CancellationToken;

use crate::checkpoint::{Ignored, Inner, Opening};
use crate::deletions;
use crate::error::HistoryError;
use crate::git::Git;
use crate::limits::Limits;
use crate::notices::Notices;
use crate::options::Options;
use crate::plan::Plan;
use crate::restoring::{Others, Restored};

/// The history of one session's files.
pub struct History {
    pub(crate) options: Options,
    pub(crate) limits: Limits,
    /// Git around the session's directory; looked for once.
    pub(crate) git: OnceLock<Option<Git>>,
    /// Git took too long once, or failed, and is not asked again.
    pub(crate) slow: AtomicBool,
    /// Is the session still ours to write? If not, why.
    ours: OnceLock<Ours>,
    on: AtomicBool,
    inner: Mutex<Inner>,
    /// The prompt whose checkpoint has not been needed yet.
    pending: Mutex<Option<String>>,
    /// The last prompt: what happens automatically after it belongs to it.
    last: Mutex<Option<String>>,
    settling: Mutex<Option<JoinHandle<()>>>,
    /// Looks and restores happen one after the other.
    turn: tokio::sync::Mutex<()>,
    pub(crate) notices: Mutex<Notices>,
    pub(crate) cancel: CancellationToken,
}

type Ours = Box<dyn Fn() -> Result<(), String> + Send + Sync>;

impl History {
    /// The history that is kept in a directory. Reads and writes nothing yet.
    pub fn new(options: Options) -> Arc<Self> {
        Self::limited(options, Limits::default())
    }

    /// The same with other limits than usual.
    pub fn limited(options: Options, limits: Limits) -> Arc<Self> {
        let inner = Inner::new(&options, limits);
        Arc::new(Self {
            options,
            limits,
            git: OnceLock::new(),
            slow: AtomicBool::new(false),
            ours: OnceLock::new(),
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

    /// Who to ask, before anything is read or written, whether the session is still ours; why not, if it is not. Only the
    /// first one is asked.
    pub fn while_ours(&self, ours: impl Fn() -> Result<(), String> + Send + Sync + 'static) {
        let _ = self.ours.set(Box::new(ours));
    }

    /// Does something with what is known, as long as the session is ours; else what is under way is given up.
    fn with<T>(&self, work: impl FnOnce(&mut Inner) -> Result<T, HistoryError>) -> Result<T, HistoryError> {
        let mut inner = lock(&self.inner);
        match self.ours.get().map_or(Ok(()), |ours| ours()) {
            Ok(()) => work(&mut inner),
            Err(reason) => {
                inner.give_up();
                Err(HistoryError::NotOurs(reason))
            }
        }
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
        let prompt = entry.clone();
        let opened = self.work(move |history, inner| {
            let git = history.known_git();
            inner.open(Opening { entry, at, git, status })
        });
        match opened.await {
            Ok(outcome) => self.tell(&outcome),
            Err(error) => {
                lock(&self.inner).lose(prompt);
                self.cannot_keep(&error);
            }
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
        let declared = self.with(|inner| inner.declare(path, git, Ignored::Left));
        match declared {
            Ok(outcome) => self.tell(&outcome),
            Err(error) => self.cannot_keep(&error),
        }
    }

    /// A command is about to delete or overwrite what is at and below these places. Called after
    /// [`History::before_change`]; waits for the disk.
    pub fn declare_doomed(&self, places: &[PathBuf]) {
        let git = self.git.get().and_then(Option::as_ref);
        for file in places.iter().filter_map(|place| deletions::files(place)).flatten() {
            match self.with(|inner| inner.declare(&file, git, Ignored::Kept)) {
                Ok(outcome) => self.tell(&outcome),
                Err(error) => return self.cannot_keep(&error),
            }
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
            let settled = history.with(|inner| inner.settle(history.known_git(), status));
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
        self.work(move |history, inner| {
            history.tell_crowd(inner.crowd(&prompts, &entry));
            inner.plan(&prompts, &entry, history.known_git(), status.as_ref())
        })
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
        let worked = move || {
            history.with(|inner| {
                if inner.load()? {
                    history.on.store(inner.is_on()?, Ordering::Release);
                }
                let done = work(&history, inner);
                if let Some(error) = inner.trouble.take() {
                    history.git_was_of_no_help(&error);
                }
                done
            })
        };
        let done = tokio::task::spawn_blocking(worked);
        done.await.unwrap_or(Err(HistoryError::Interrupted))
    }
}

/// State that is valid after every statement, so a panic elsewhere does not spoil it.
pub(crate) fn lock<T>(mutex: &Mutex<T>) -> MutexGuard<'_, T> {
    mutex.lock().unwrap_or_else(PoisonError::into_inner)
}

/// Milliseconds since 1970.
pub(crate) fn now_ms() -> u64 {
    let since = SystemTime::now().duration_since(SystemTime::UNIX_EPOCH).unwrap_or_default();
    u64::try_from(since.as_millis()).unwrap_or(u64::MAX)
}
