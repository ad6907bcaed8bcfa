//! Keeps a conversation within its model's window.
//!
//! The loop asks the [`Compactor`] at the borders of its turns. What is cut and what is said for it is decided in
//! `omp-compaction`; here are the settings, the models that summarize, the session file and what is told to people.
//! [`ContextWindow::compact`] does the same when the user asks, [`ConversationTree::summarize_branch`] summarizes a branch that is left.

mod branch;
mod execute;
mod extended;
mod frames;
mod handoff;
mod idle;
mod manual;
mod overflow;
mod policy;
mod remote;
mod sealed;
mod shake;
mod summarize;
mod summarizer;
mod triggers;

use std::collections::HashMap;
use std::io;
use std::path::PathBuf;
use std::sync::atomic::{AtomicBool, AtomicUsize, Ordering};
use std::sync::{Arc, Mutex, MutexGuard, OnceLock, PoisonError};

use omp_agent::{Look, ModelIdentity, Occasion, Order, Shorter, Upkeep, UpkeepError, View};
use omp_compaction::{Measured, Scale, counted_beside, measure};
use omp_config::Directories;
use omp_config::settings::Settings;
use omp_extension_host::Extensions;
use omp_jobs::Jobs;
use omp_modes::SessionModes;
use omp_replay::Deck;
use omp_session::SharedWriter;
use omp_session::{Artifacts, Recent};
use omp_tools::TodoList;
use omp_types::Message;
use tokio_util::sync::CancellationToken;

use crate::hooks::SessionHooks;
use crate::request::model_pool::ModelPool;
use crate::saved::store;
use crate::session::builder::SessionBuilder;
use crate::session::live_config::LiveConfig;
pub use branch::BranchSummaryError;
pub use handoff::HandoffError;
pub use manual::{CompactError, Compacted};
use policy::Policy;
pub use shake::ShakeReport;

/// What makes the conversation of one session shorter.
pub(crate) struct Compactor {
    pub(crate) record: SharedWriter,
    pub(crate) live: Arc<LiveConfig>,
    pub(crate) models: Arc<ModelPool>,
    pub(crate) modes: Arc<SessionModes>,
    pub(crate) todos: Arc<TodoList>,
    pub(crate) jobs: Option<Arc<Jobs>>,
    pub(crate) artifacts: Arc<Artifacts>,
    /// What records the session or plays it.
    pub(crate) deck: Option<Deck>,
    pub(crate) directories: Directories,
    pub(crate) session_dir: Option<PathBuf>,
    /// What the model is told before the conversation.
    pub(crate) system: Arc<[String]>,
    /// Sizes that so many of the first messages report are those of an earlier conversation.
    pub(crate) stale: AtomicUsize,
    /// Tokens of the system prompt and the tools, as we estimate them.
    pub(crate) beside: u64,
    pub(crate) learned: Mutex<Learned>,
    /// Programs of the user that hear of it.
    hooks: OnceLock<Arc<SessionHooks>>,
    extensions: OnceLock<Arc<Extensions>>,
    /// Somebody begins a new session when one is due.
    pub(crate) hands_off: AtomicBool,
    /// The conversation is to be handed to a new session.
    pub(crate) handoff_due: AtomicBool,
}

/// What a compactor works with.
pub(crate) struct CompactorParts {
    pub(crate) record: SharedWriter,
    pub(crate) live: Arc<LiveConfig>,
    pub(crate) models: Arc<ModelPool>,
    pub(crate) modes: Arc<SessionModes>,
    pub(crate) artifacts: Arc<Artifacts>,
    /// What the model is told before the conversation.
    pub(crate) system: Arc<[String]>,
    /// Tokens of the system prompt and the tools, as we estimate them.
    pub(crate) beside: u64,
    /// So many of the first messages are of an earlier conversation.
    pub(crate) stale: usize,
}

/// What was found out while the session runs.
#[derive(Default)]
pub(crate) struct Learned {
    /// Windows that are other than the catalogue says, by selector.
    windows: HashMap<String, u64>,
    /// Nothing could be done about a conversation of this size; it has to grow before that is tried again.
    gave_up_at: Option<GaveUp>,
    /// When the conversation was last looked at, in milliseconds.
    last_turn: Option<u64>,
    /// What a provider counted beyond the messages.
    beside: Option<u64>,
}

/// A conversation that could not be made shorter.
#[derive(Clone, Copy, Debug)]
struct GaveUp {
    tokens: u64,
    messages: usize,
    why: InVain,
}

/// Why a conversation could not be made shorter.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
enum InVain {
    /// There was nothing to take out.
    Nothing,
    /// No model could summarize.
    Failed,
}

impl Compactor {
    /// The compactor of a session that is being opened.
    pub(crate) fn new(builder: &SessionBuilder, parts: CompactorParts) -> Arc<Self> {
        let CompactorParts { record, live, models, modes, artifacts, system, beside, stale } = parts;
        Arc::new(Self {
            record,
            live,
            models,
            modes,
            todos: Arc::clone(&builder.todos),
            jobs: builder.jobs.clone(),
            artifacts,
            deck: builder.options.deck.clone(),
            directories: builder.options.directories.clone(),
            session_dir: builder.options.session_dir.clone(),
            system,
            stale: AtomicUsize::new(stale),
            beside,
            learned: Mutex::default(),
            hooks: OnceLock::new(),
            extensions: OnceLock::new(),
            hands_off: AtomicBool::new(false),
            handoff_due: AtomicBool::new(false),
        })
    }

    pub(crate) fn attach_hooks(&self, hooks: Arc<SessionHooks>) {
        let _ = self.hooks.set(hooks);
    }

    pub(crate) fn settings(&self) -> Arc<Settings> {
        self.live.settings()
    }

    pub(crate) fn policy(&self) -> Policy {
        Policy::of(&self.settings())
    }

    /// What is known of a model that the loop speaks of.
    pub(crate) fn model(&self, identity: &ModelIdentity) -> Arc<omp_llm::Model> {
        let chosen = self.live.model();
        let selector = identity.selector();
        if chosen.selector() == selector {
            return chosen;
        }
        match self.models.select(&selector) {
            Ok(selection) => Arc::new(selection.model),
            Err(_) => chosen,
        }
    }

    /// Tokens that fit into a model: as learned, else as the catalogue has it.
    pub(crate) fn window(&self, model: &omp_llm::Model) -> u64 {
        let learned = self.learned().windows.get(&model.selector()).copied();
        learned.unwrap_or(model.context_window)
    }

    pub(crate) fn learned(&self) -> MutexGuard<'_, Learned> {
        self.learned.lock().unwrap_or_else(PoisonError::into_inner)
    }

    pub(crate) fn stale(&self) -> usize {
        self.stale.load(Ordering::Relaxed)
    }

    /// Tokens of the system prompt and the tools: as a provider counted them, if one did.
    fn beside(&self) -> u64 {
        self.learned().beside.map_or(self.beside, |counted| counted.min(self.beside))
    }

    fn scale(&self) -> Scale {
        Scale { stale: self.stale(), billing: self.billing(), beside: self.beside() }
    }

    /// How long a conversation is, with everything that is sent beside it.
    pub(crate) fn measured(&self, messages: &[Arc<Message>]) -> Measured {
        measure(messages, self.scale())
    }

    /// Remembers what the provider counted beside the messages, before they become others.
    fn note_beside(&self, messages: &[Arc<Message>]) {
        let counted = counted_beside(messages, self.scale());
        let mut learned = self.learned();
        learned.beside = counted.or(learned.beside);
    }

    /// Keeps a text that leaves the conversation. Blocks.
    fn keep_whole(artifacts: &Artifacts, deck: Option<&Deck>, name: &str, text: &str) -> io::Result<u64> {
        let save = |id: Option<u64>| match id {
            Some(id) => artifacts.save_as(id, name, text),
            None => artifacts.save(name, text),
        };
        match deck {
            Some(deck) => deck.artifact(save),
            None => save(None),
        }
    }

    /// The conversation is another one from here on.
    pub(crate) fn begin(&self, kept: usize) {
        self.stale.store(kept, Ordering::Relaxed);
        self.learned().gave_up_at = None;
    }

    /// What decides what the model is told now, with everything that waits to be written. Of a long session the rest
    /// is not read.
    pub(crate) async fn load(&self) -> Result<Recent, UpkeepError> {
        let record = self.record.clone();
        let store = store::sessions(&self.directories, self.session_dir.as_deref());
        let read = tokio::task::spawn_blocking(move || {
            let mut writer = record.lock();
            writer.save_unanswered();
            writer.flush();
            if let Some(problem) = writer.problem() {
                return Err(format!(
                    "the session cannot be saved, so nothing was removed from it: {problem}"
                ));
            }
            let leaf = writer.leaf().map(str::to_owned);
            let Some(path) = writer.path().filter(|_| writer.is_saved()).map(ToOwned::to_owned) else {
                return Ok(writer.snapshot().recent(leaf.as_deref()));
            };
            drop(writer);
            match store.archive(&path).map_err(|error| error.to_string())? {
                Some(mut archive) => archive.recent(leaf.as_deref()).map_err(|error| error.to_string()),
                None => Ok(record.lock().snapshot().recent(leaf.as_deref())),
            }
        });
        match read.await {
            Ok(loaded) => loaded.map_err(UpkeepError::Failed),
            Err(_) => Err(UpkeepError::Aborted),
        }
    }
}

impl Upkeep for Compactor {
    fn look<'a>(
        &'a self,
        occasion: Occasion<'a>,
        view: View<'a>,
    ) -> futures_util::future::BoxFuture<'a, Look> {
        Box::pin(self.look_at(occasion, view))
    }

    fn shorten<'a>(
        &'a self,
        order: Order<'a>,
        view: View<'a>,
        cancel: CancellationToken,
    ) -> futures_util::future::BoxFuture<'a, Result<Shorter, UpkeepError>> {
        Box::pin(self.carry_out(order, view, cancel))
    }
}
