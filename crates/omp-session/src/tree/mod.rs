//! The tree of a conversation, as a navigator shows it: who follows whom, labels, and enough text to recognise an
//! entry by.

mod filter;
mod navigate;

use std::collections::HashMap;
use std::fs::File;
use std::io;
use std::path::Path;

use omp_types::{AssistantBlock, AssistantMessage, BashExecution, Message, StopReason};
use serde_json::Value;

pub use filter::{TreeFilter, TreeRow};
pub use navigate::Navigation;

use crate::entry::{Entry, EntryKind};
use crate::foreign;
use crate::lines::Lines;
use crate::load::{LoadError, Loaded};
use crate::time;

/// Of each entry so much text is kept, in characters; searching in all of it is for [`crate::search`].
const LONGEST_TEXT: usize = 1000;

/// All entries of a session and how they hang together.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct Tree {
    nodes: Vec<TreeNode>,
    by_id: HashMap<String, usize>,
    roots: Vec<usize>,
}

/// An entry in the tree.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct TreeNode {
    /// The entry's id.
    pub id: String,
    /// The entry above, as the file has it; for a root it may name an entry that is gone.
    pub parent_id: Option<String>,
    /// ISO 8601, as the file has it.
    pub timestamp: String,
    /// The entry's `type`.
    pub name: String,
    /// Of a message: `user`, `assistant`, `toolResult` or `custom`.
    pub role: Option<&'static str>,
    /// The label in force, if any.
    pub label: Option<String>,
    /// The beginning of what the entry says.
    pub text: String,
    /// An answer without words, that only calls tools and did not fail.
    pub only_calls_tools: bool,
    children: Vec<usize>,
}

impl Tree {
    /// Reads the tree of a session file, of any size, without keeping what the entries hold.
    pub fn read(path: &Path) -> Result<Self, LoadError> {
        let failed = |source| LoadError::Read { path: path.to_owned(), source };
        let mut builder = Builder::default();
        let file = File::open(path).map_err(failed)?;
        builder.read(file).map_err(failed)?;
        Ok(builder.finish())
    }

    /// The tree of entries in memory.
    pub fn of<'a>(entries: impl IntoIterator<Item = &'a Entry>) -> Self {
        let mut builder = Builder::default();
        entries.into_iter().for_each(|entry| builder.add(entry));
        builder.finish()
    }

    /// All entries, in the order of the file.
    pub fn nodes(&self) -> &[TreeNode] {
        &self.nodes
    }

    /// An entry by its id.
    pub fn node(&self, id: &str) -> Option<&TreeNode> {
        self.by_id.get(id).map(|index| &self.nodes[*index])
    }

    /// The entries that follow nothing, or something that is gone; the oldest first.
    pub fn roots(&self) -> impl Iterator<Item = &TreeNode> {
        self.roots.iter().map(|index| &self.nodes[*index])
    }

    /// The entries that follow this one, the oldest first.
    pub fn children(&self, id: &str) -> impl Iterator<Item = &TreeNode> {
        let children = self.by_id.get(id).map(|index| self.nodes[*index].children.as_slice());
        children.unwrap_or_default().iter().map(|index| &self.nodes[*index])
    }

    /// From the root to this entry; empty if there is no such entry.
    pub fn path(&self, id: &str) -> Vec<&TreeNode> {
        let mut path: Vec<&TreeNode> = self.up(id).map(|index| &self.nodes[index]).collect();
        path.reverse();
        path
    }

    /// From an entry to its root. A damaged file may have circles, so it ends after as many steps as there are nodes.
    fn up(&self, id: &str) -> impl Iterator<Item = usize> {
        let above = |index: &usize| self.by_id.get(self.nodes[*index].parent_id.as_deref()?).copied();
        std::iter::successors(self.by_id.get(id).copied(), above).take(self.nodes.len())
    }
}

impl Loaded {
    /// The tree of this session.
    pub fn tree(&self) -> Tree {
        Tree::of(self.entries())
    }
}

#[derive(Default)]
struct Builder {
    tree: Tree,
    labels: HashMap<String, Option<String>>,
}

impl Builder {
    fn read(&mut self, file: File) -> io::Result<()> {
        let mut lines = Lines::new(file)?;
        while let Some(line) = lines.next()? {
            let entry = line.text.and_then(Entry::read);
            if let Some(entry) = entry.filter(|entry| entry.kind.name() != "session") {
                self.add(&entry);
            }
        }
        Ok(())
    }

    fn add(&mut self, entry: &Entry) {
        if let EntryKind::Label(label) = &entry.kind {
            let text = label.label.clone().filter(|text| !text.is_empty());
            self.labels.insert(label.target_id.clone(), text);
        }
        let message = entry.message().map(|message| &**message);
        let answer = message.and_then(Message::as_assistant);
        let node = TreeNode {
            id: entry.id.clone(),
            parent_id: entry.parent_id.clone(),
            timestamp: entry.timestamp.clone(),
            name: entry.kind.name().to_owned(),
            role: message.map(role),
            label: None,
            text: said(&entry.kind).chars().take(LONGEST_TEXT).collect(),
            only_calls_tools: answer.is_some_and(only_calls_tools),
            children: Vec::new(),
        };
        self.tree.by_id.insert(node.id.clone(), self.tree.nodes.len());
        self.tree.nodes.push(node);
    }

    fn finish(self) -> Tree {
        let Self { mut tree, labels } = self;
        for (id, label) in labels {
            if let Some(index) = tree.by_id.get(&id) {
                tree.nodes[*index].label = label;
            }
        }
        // Of several entries with one id only the last is part of the tree.
        let members: Vec<usize> =
            (0..tree.nodes.len()).filter(|index| tree.by_id[&tree.nodes[*index].id] == *index).collect();
        for index in members {
            let parent = tree.nodes[index].parent_id.as_ref().and_then(|parent| tree.by_id.get(parent));
            match parent.copied().filter(|parent| *parent != index) {
                Some(parent) => tree.nodes[parent].children.push(index),
                None => tree.roots.push(index),
            }
        }
        let times: Vec<u64> = tree.nodes.iter().map(|node| time::to_millis(&node.timestamp)).collect();
        tree.roots.sort_by_key(|index| times[*index]);
        for node in &mut tree.nodes {
            node.children.sort_by_key(|index| times[*index]);
        }
        tree
    }
}

fn role(message: &Message) -> &'static str {
    match message {
        Message::User(_) => "user",
        Message::Assistant(_) => "assistant",
        Message::ToolResult(_) => "toolResult",
        Message::Custom(custom) if custom.custom_type == BashExecution::ROLE => BashExecution::ROLE,
        Message::Custom(custom) => foreign::role(custom).unwrap_or("custom"),
    }
}

fn only_calls_tools(answer: &AssistantMessage) -> bool {
    answer.tool_calls().next().is_some()
        && !answer.has_visible_text()
        && matches!(answer.stop_reason, StopReason::Stop | StopReason::ToolUse)
}

/// What an entry says, as text.
pub(crate) fn said(kind: &EntryKind) -> String {
    match kind {
        EntryKind::Message(entry) => said_by(&entry.message),
        EntryKind::CustomMessage(custom) => format!("{} {}", custom.custom_type, custom.content.text()),
        EntryKind::Custom(custom) => custom.custom_type.clone(),
        EntryKind::Compaction(compaction) => compaction.summary.clone(),
        EntryKind::BranchSummary(branch) => branch.summary.clone(),
        EntryKind::ModelChange(change) => change.model.clone(),
        EntryKind::ThinkingLevelChange(change) => change.thinking_level.clone(),
        EntryKind::ServiceTierChange(change) => change.service_tier.clone().unwrap_or_default(),
        EntryKind::ModeChange(change) => change.mode.clone(),
        EntryKind::Label(label) => label.label.clone().unwrap_or_default(),
        EntryKind::TtsrInjection(injection) => injection.injected_rules.join(" "),
        EntryKind::McpToolSelection(selection) => selection.selected_tool_names.join(" "),
        EntryKind::SessionInit(init) => init.task.clone(),
        EntryKind::TitleChange(change) => change.title.clone(),
        EntryKind::ModelUsage(request) => format!("{} {}", request.purpose, request.model),
        EntryKind::ResetBoundary(_) | EntryKind::Unknown(_) => String::new(),
    }
}

fn said_by(message: &Message) -> String {
    match message {
        Message::User(user) => user.content.text(),
        Message::Custom(custom) => custom.content.text(),
        Message::ToolResult(result) => {
            let texts = result.content.iter().filter_map(|block| block.as_text());
            std::iter::once(result.tool_name.as_str()).chain(texts).collect::<Vec<_>>().join(" ")
        }
        Message::Assistant(answer) => {
            let parts = answer.content.iter().filter_map(|block| match block {
                AssistantBlock::Text(text) => Some(text.text.clone()),
                AssistantBlock::ToolCall(call) => {
                    let command = call.arguments.get("command").or_else(|| call.arguments.get("path"));
                    let command = command.and_then(Value::as_str).unwrap_or_default();
                    Some(format!("{} {command}", call.name))
                }
                _ => None,
            });
            parts.collect::<Vec<_>>().join(" ")
        }
    }
}
