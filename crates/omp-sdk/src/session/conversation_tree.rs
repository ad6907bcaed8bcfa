//! The conversation as a tree: branches, labels, and moving from one place in it to another.

use omp_extension_host::{EventName, Travel, TravelAnswer};
use omp_session::{
    BranchError, BranchSummary, Context, Entry, EntryKind, Loaded, Navigation, NoSuchEntry, Tree,
};
use omp_types::Message;
use serde_json::Value;
use tokio_util::sync::CancellationToken;

use crate::error::SessionError;
use crate::session::Session;
use crate::session::host::{Arrival, SwitchError};

/// Where a conversation went on.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Moved {
    /// The entry the next one follows; `None` before the first.
    pub leaf: Option<String>,
    /// The message that was gone back before, to be said in other words.
    pub prefill: Option<String>,
}

/// The conversation as a tree of branches: its entries, labels, and moving from one place in it to another.
#[derive(Clone, Copy)]
pub struct ConversationTree<'s> {
    pub(crate) session: &'s Session,
}

impl ConversationTree<'_> {
    /// Goes to another place in the conversation, in the same file. Choosing what a user said goes back before it and
    /// gives the words back, to be said again; `None` when the conversation stands there already.
    pub async fn navigate(self, target: &str, summary: Option<String>) -> Result<Option<Moved>, SwitchError> {
        self.session.rest().await;
        if self.session.extensions.hear(EventName::SessionBeforeTree) {
            let loaded = self.loaded().await?;
            let asked = self.ask_extensions(&loaded, target, None, &CancellationToken::new()).await?;
            if asked == TravelAnswer::Cancelled {
                return Err(SwitchError::Cancelled);
            }
        }
        let summary = summary.map(|summary| BranchSummary { summary, ..BranchSummary::default() });
        self.navigate_with(target, summary).await
    }

    /// The same with an entry for the branch that is left, and without a word of extensions.
    pub(crate) async fn navigate_with(
        self,
        target: &str,
        summary: Option<BranchSummary>,
    ) -> Result<Option<Moved>, SwitchError> {
        self.session.rest().await;
        let loaded = self.loaded().await?;
        let old = self.session.record.lock().leaf().map(str::to_owned);
        let way = loaded.navigation(target, old.as_deref())?;
        let Navigation::Move { to, prefill, .. } = &way else { return Ok(None) };
        let summary_entry = self.session.record.lock().go_with(&way, summary)?;
        let (to, prefill) = (to.clone(), prefill.clone());
        let context = match &summary_entry {
            // The summary is part of what the model is told.
            Some(id) => self.loaded().await?.context_at(Some(id)),
            None => loaded.context_at(to.as_deref()),
        };
        self.reload(context).await?;
        self.tell_extensions(old.as_deref(), to.as_deref(), summary_entry.as_deref()).await;
        Ok(Some(Moved { leaf: summary_entry.or(to), prefill }))
    }

    /// What extensions say to a move. `wanted` holds the user's instructions for a summary, where one is wanted.
    pub(crate) async fn ask_extensions(
        self,
        loaded: &Loaded,
        target: &str,
        wanted: Option<Option<&str>>,
        cancel: &CancellationToken,
    ) -> Result<TravelAnswer, SwitchError> {
        let Some(set) = &self.session.extensions.set else { return Ok(TravelAnswer::Proceed) };
        let leaf = self.session.record.lock().leaf().map(str::to_owned);
        let way = loaded.navigation(target, leaf.as_deref())?;
        let Navigation::Move { abandoned, .. } = &way else { return Ok(TravelAnswer::Proceed) };
        let left: Vec<&Entry> = abandoned.iter().filter_map(|id| loaded.entry(id)).collect();
        let (wants_summary, focus, leaf) = (wanted.is_some(), wanted.flatten(), leaf.as_deref());
        let about = Travel { target, leaf, way: &way, left: &left, wants_summary, focus };
        Ok(set.before_tree(about, cancel).await)
    }

    async fn tell_extensions(self, old: Option<&str>, to: Option<&str>, summary: Option<&str>) {
        if let Some(set) = &self.session.extensions.set {
            let entry = || {
                let id = summary?;
                self.session.record.lock().conversation().ok()?.entry(id).cloned()
            };
            set.moved(old, summary.or(to), entry).await;
        }
    }

    /// The whole conversation with all its branches.
    pub(crate) async fn loaded(self) -> Result<Loaded, SwitchError> {
        let Some(path) = self.session.file() else { return Ok(self.session.record.lock().snapshot()) };
        let store = self.session.store();
        let read = tokio::task::spawn_blocking(move || store.load(&path)).await;
        let loaded = read.map_err(|_| SessionError::Interrupted)?.map_err(BranchError::from)?;
        Ok(loaded.unwrap_or_else(|| self.session.record.lock().snapshot()))
    }

    pub(crate) async fn branch_in_memory(self, entry: &str) -> Result<Arrival, SwitchError> {
        let (prompt, context) = {
            let mut writer = self.session.record.lock();
            let prompt = writer.branch_in_memory(entry)?;
            (prompt, writer.snapshot().context())
        };
        self.reload(context).await?;
        Ok(Arrival { prompt: Some(prompt), ..Arrival::default() })
    }

    /// Continues from another place; what providers kept of the messages before is let go.
    pub(crate) async fn reload(self, context: Context) -> Result<(), SessionError> {
        self.session.models.pipeline.client.close().await;
        self.session.todos.restore(context.todos.as_ref().unwrap_or(&Value::Array(Vec::new())));
        self.session.compactor.begin(context.kept);
        self.session.agent.load(context.messages).await?;
        for warning in self.session.mode_changes().restore(context.mode.as_ref()).await {
            self.session.agent.notice(warning).await?;
        }
        Ok(())
    }

    /// What the user said in this conversation so far, with the ids of the messages.
    pub async fn prompts(self) -> Vec<(String, String)> {
        let Ok(loaded) = self.loaded().await else { return Vec::new() };
        let leaf = self.session.record.lock().leaf().map(str::to_owned);
        let said = |entry: &&Entry| match &entry.kind {
            EntryKind::Message(entry_message) => match &*entry_message.message {
                Message::User(message) => Some((entry.id.clone(), message.content.text())),
                _ => None,
            },
            _ => None,
        };
        loaded.path(leaf.as_deref()).iter().filter_map(said).collect()
    }

    /// Gives an entry a label; an empty one takes it away.
    pub fn label(self, entry: &str, label: &str) -> Result<(), NoSuchEntry> {
        self.session.record.lock().append_label(entry, Some(label)).map(drop)
    }

    /// The whole conversation as a tree, and where it stands.
    pub async fn load(self) -> (Tree, Option<String>) {
        let leaf = self.session.record.lock().leaf().map(str::to_owned);
        match self.loaded().await {
            Ok(loaded) => (loaded.tree(), leaf),
            Err(_) => (self.session.record.lock().snapshot().tree(), leaf),
        }
    }
}
