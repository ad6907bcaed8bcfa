//! What a conversation amounts to at one of its entries.

use std::collections::BTreeMap;
use std::sync::Arc;

use omp_types::{Message, SealedHistory, UserBlock, UserContent, UserMessage};
use serde::Deserialize;
use serde_json::Value;

use crate::blobs::{BlobHash, BlobStore};
use crate::entry::{BranchSummary, Compaction, Entry, EntryKind, ModeChange, ServiceTierChange};
use crate::{foreign, rehydrate, retried_answers, time};

const COMPACTION_SUMMARY: &str = include_str!("../prompts/compaction-summary.md");
const BRANCH_SUMMARY: &str = include_str!("../prompts/branch-summary.md");

/// The tool whose results hold the list of tasks.
pub(crate) const TODO_TOOL: &str = "todo";
/// The entry of a list that the user changed.
pub(crate) const TODO_EDIT: &str = "user_todo_edit";
/// The entry of a plan that was approved.
pub const PLAN_APPROVED: &str = "plan-approved";

/// The field of a compaction's preserved data with the pictures that its history is printed on.
const FRAMES: &str = "snapcompact";
/// The field with the history as its provider sealed it.
const SEALED: &str = "openaiRemoteCompaction";

/// Marks the summary of a branch that a checkpoint left.
const REWIND: &str = "rewind";

/// The role of the model that answers when no other is asked for.
const DEFAULT_ROLE: &str = "default";
/// The role of a model that stood in for another.
pub const TEMPORARY_ROLE: &str = "temporary";

/// Messages and settings at the end of a path through the tree. `None` means that the path does not say.
#[derive(Clone, Debug, Default, PartialEq)]
pub struct Context {
    /// What the model is told. Summaries are user messages.
    pub messages: Vec<Arc<Message>>,
    /// The model of the default role as `provider/modelId`: the one last chosen, else the one that last answered.
    pub model: Option<String>,
    /// The models last chosen, by role.
    pub models: BTreeMap<String, String>,
    pub thinking_level: Option<String>,
    pub service_tier: Option<ServiceTierChange>,
    /// Rules that have been injected, each once, in order.
    pub injected_rules: Vec<String>,
    pub selected_tools: Option<Vec<String>>,
    pub mode: Option<ModeChange>,
    /// The list of tasks as it was left last, by the model or by the user.
    pub todos: Option<Value>,
    /// How many of the messages are from before the newest compaction, its summary among them: sizes that they report
    /// are those of another conversation.
    pub kept: usize,
    /// Images of the messages that are no longer there; a reference stands in their place.
    pub missing_images: Vec<BlobHash>,
}

/// `path` goes from the root to the leaf.
pub(crate) fn build(path: &[&Entry]) -> Context {
    let mut context = Context::default();
    for entry in path {
        context.fold(entry);
    }
    let answered = path.iter().rev().find_map(|entry| entry.message()?.as_assistant());
    context.model = context.models.get(DEFAULT_ROLE).cloned().or_else(|| {
        answered
            .filter(|answer| !answer.model.is_empty())
            .map(|answer| format!("{}/{}", answer.provider, answer.model))
    });
    (context.messages, context.kept) = messages(path);
    context
}

impl Context {
    /// Puts the images of the messages back in their places.
    pub(crate) fn with_images(mut self, blobs: Option<&BlobStore>) -> Self {
        if let Some(blobs) = blobs {
            self.missing_images = rehydrate::fill(&mut self.messages, blobs);
        }
        self
    }

    /// The models to try when the conversation continues, the best first: that of the default role, the one that stood in
    /// for it last, then those of other roles.
    pub fn restorable_models(&self) -> Vec<&str> {
        let others = self.models.iter().filter(|(role, _)| *role != DEFAULT_ROLE && *role != TEMPORARY_ROLE);
        let stand_in = self.models.get(TEMPORARY_ROLE);
        let mut models: Vec<&str> = Vec::new();
        for model in self.model.iter().chain(stand_in).chain(others.map(|(_, model)| model)) {
            if !models.contains(&model.as_str()) {
                models.push(model);
            }
        }
        models
    }

    fn fold(&mut self, entry: &Entry) {
        match &entry.kind {
            EntryKind::ModelChange(change) => {
                let role = change.role.as_deref().unwrap_or(DEFAULT_ROLE);
                self.models.insert(role.to_owned(), change.model.clone());
            }
            EntryKind::ThinkingLevelChange(change) => {
                self.thinking_level = Some(change.chosen().to_owned());
            }
            EntryKind::ServiceTierChange(change) => self.service_tier = Some(change.clone()),
            EntryKind::ModeChange(change) => self.mode = Some(change.clone()),
            EntryKind::McpToolSelection(selection) => {
                self.selected_tools = Some(selection.selected_tool_names.clone());
            }
            EntryKind::Message(_) | EntryKind::Custom(_) => {
                self.todos = tasks(entry).or(self.todos.take());
            }
            EntryKind::TtsrInjection(injection) => {
                for rule in &injection.injected_rules {
                    if !self.injected_rules.contains(rule) {
                        self.injected_rules.push(rule.clone());
                    }
                }
            }
            _ => {}
        }
    }
}

/// The list of tasks that an entry leaves behind.
pub(crate) fn tasks(entry: &Entry) -> Option<Value> {
    match &entry.kind {
        EntryKind::Message(entry) => match &*entry.message {
            Message::ToolResult(result) if result.tool_name == TODO_TOOL && !result.is_error => {
                phases(result.details.as_ref())
            }
            _ => None,
        },
        EntryKind::Custom(custom) if custom.custom_type == TODO_EDIT => phases(custom.data.as_ref()),
        _ => None,
    }
}

/// The tasks in what a call or an edit left behind.
fn phases(details: Option<&Value>) -> Option<Value> {
    details?.get("phases").cloned()
}

/// The part of a path that the model may still be told of: all of it, or what follows the place where the user cleared
/// the context. A compaction after that place has summarized what followed it, and stands for itself.
pub fn since_reset<'a, 'b>(path: &'a [&'b Entry]) -> &'a [&'b Entry] {
    let last = path
        .iter()
        .rposition(|entry| matches!(entry.kind, EntryKind::ResetBoundary(_) | EntryKind::Compaction(_)));
    match last {
        Some(at) if matches!(path[at].kind, EntryKind::ResetBoundary(_)) => &path[at + 1..],
        _ => path,
    }
}

/// The messages, and how many of them are from before the newest compaction.
fn messages(path: &[&Entry]) -> (Vec<Arc<Message>>, usize) {
    let path = since_reset(path);
    let newest = path.iter().enumerate().rev().find_map(|(index, entry)| match &entry.kind {
        EntryKind::Compaction(compaction) => Some((index, compaction)),
        _ => None,
    });
    let Some((at, compaction)) = newest else { return (in_force(path).collect(), 0) };
    let (before, after) = (&path[..at], &path[at + 1..]);
    let summary = summed_up(compaction, &path[at].timestamp);
    let mut messages = vec![summary];
    messages.extend(in_force(&before[first_kept(before, compaction)..]));
    let kept = messages.len();
    messages.extend(in_force(after));
    (messages, kept)
}

/// The messages of a stretch of a path but for attempts that were repeated.
fn in_force(path: &[&Entry]) -> impl Iterator<Item = Arc<Message>> {
    let spoken = path.iter().enumerate().filter(|(at, _)| !retried_answers::is_repeated(path, *at));
    spoken.flat_map(|(_, entry)| messages_of(entry))
}

/// Nothing is kept when the entry to begin with is not on the path.
fn first_kept(before: &[&Entry], compaction: &Compaction) -> usize {
    let wanted = compaction.first_kept_entry_id.as_deref();
    before.iter().position(|entry| Some(entry.id.as_str()) == wanted).unwrap_or(before.len())
}

/// What an entry says to the model, as it is sent: texts and pictures of files that were mentioned go separately.
fn messages_of(entry: &Entry) -> impl Iterator<Item = Arc<Message>> + use<> {
    let said = message(entry);
    let (texts, pictures) = match said.as_deref().and_then(foreign::split) {
        Some((texts, pictures)) => (Some(Arc::new(texts)), Some(Arc::new(pictures))),
        None => (said, None),
    };
    texts.into_iter().chain(pictures)
}

/// What an entry says to the model. A compaction says something only where it is the newest one.
fn message(entry: &Entry) -> Option<Arc<Message>> {
    match &entry.kind {
        EntryKind::Message(entry) => Some(Arc::clone(&entry.message)),
        EntryKind::CustomMessage(custom) if custom.custom_type == foreign::PREWALK_PLAN => None,
        EntryKind::CustomMessage(custom) => Some(Arc::new(custom.message(&entry.timestamp))),
        EntryKind::BranchSummary(branch) if is_rewind(branch) => None,
        EntryKind::BranchSummary(branch) => Some(wrapped(BRANCH_SUMMARY, &branch.summary, &entry.timestamp)),
        _ => None,
    }
}

impl Entry {
    /// What the entry says to the model; a compaction says something only through the context of its session.
    pub fn spoken(&self) -> Option<Arc<Message>> {
        message(self)
    }

    /// The same, and the summary of a compaction too.
    pub fn spoken_anywhere(&self) -> Option<Arc<Message>> {
        match &self.kind {
            EntryKind::Compaction(compaction) => Some(summed_up(compaction, &self.timestamp)),
            _ => message(self),
        }
    }
}

/// A checkpoint ended here. The report that follows the entry says to the model what the entry says to people.
fn is_rewind(branch: &BranchSummary) -> bool {
    branch.details.as_ref().is_some_and(|details| details.get(REWIND).is_some())
}

impl Compaction {
    /// The name of the preserved data that holds a [`SealedHistory`].
    pub const SEALED: &'static str = SEALED;

    /// The message that stands for what the compaction took away, in a conversation without times.
    pub fn message(&self) -> Arc<Message> {
        summed_up(self, "")
    }
}

/// The message that stands for what a compaction took away, with the pictures it was printed on and what its provider
/// sealed.
fn summed_up(compaction: &Compaction, timestamp: &str) -> Arc<Message> {
    let summary = wrapped(COMPACTION_SUMMARY, &compaction.summary, timestamp);
    let preserved = |field: &str| compaction.preserve_data.as_ref().and_then(|data| data.get(field));
    let frames = preserved(FRAMES).and_then(|frames| frames.get("content"));
    let frames: Vec<UserBlock> = frames.and_then(|frames| Vec::deserialize(frames).ok()).unwrap_or_default();
    let sealed = preserved(SEALED).and_then(|sealed| SealedHistory::deserialize(sealed).ok()).map(Box::new);
    let Message::User(user) = &*summary else { return summary };
    if frames.is_empty() && sealed.is_none() {
        return summary;
    }
    let content = match frames.is_empty() {
        true => user.content.clone(),
        false => {
            let words = UserBlock::text(user.content.text());
            UserContent::Blocks(std::iter::once(words).chain(frames).collect())
        }
    };
    Arc::new(Message::User(UserMessage { content, sealed, ..user.clone() }))
}

fn wrapped(template: &str, summary: &str, timestamp: &str) -> Arc<Message> {
    let text = template.trim_end().replace("{summary}", summary);
    Arc::new(Message::user(text, time::to_millis(timestamp)))
}
