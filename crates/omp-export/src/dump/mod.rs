//! A conversation as text, for a clipboard or another program.
//!
//! The text holds what the model is told: instructions, tools, and the messages of the active branch, from the newest
//! compaction on. Entries that no model sees are left out.

mod entry;
mod tools;

use std::io::{self, Write};

use omp_session::{Compaction, EntryKind};
use omp_types::ToolDefinition;

use crate::outline::{Outline, OutlineKind};
use crate::view::{SessionView, ViewError};

/// How much of the conversation the text holds.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub enum Form {
    /// Long thinking, arguments and results are shortened, tools take a line each.
    #[default]
    Compact,
    /// Nothing is shortened; tools come with the schema of their parameters.
    Raw,
}

/// What a dump holds beside the session itself.
#[derive(Clone, Copy, Debug, Default)]
pub struct DumpOptions<'a> {
    /// How much of the conversation.
    pub form: Form,
    /// The instructions of the model, if they are known.
    pub system_prompt: Option<&'a str>,
    /// The tools the model has.
    pub tools: &'a [ToolDefinition],
    /// The model as `provider/modelId`; what the session says when `None`.
    pub model: Option<&'a str>,
    /// How much the model thinks; what the session says when `None`.
    pub thinking_level: Option<&'a str>,
}

/// The text could not be written.
#[derive(Debug, thiserror::Error)]
pub enum DumpError {
    /// The session could not be read.
    #[error(transparent)]
    View(#[from] ViewError),
    /// The text could not be written.
    #[error("cannot write the dump: {0} (check disk space and permissions)")]
    Write(#[from] io::Error),
}

/// Writes the conversation as text.
pub fn text(view: &SessionView<'_>, options: &DumpOptions<'_>, out: &mut dyn Write) -> Result<(), DumpError> {
    let outline = Outline::read(view)?;
    let told = Told::find(view, &outline)?;
    let model = options.model.or(told.model.as_deref()).unwrap_or("unknown");
    let level = options.thinking_level.or(told.thinking_level.as_deref()).unwrap_or("off");
    writeln!(out, "Model: {model}\nThinking: {level}")?;
    if let Some(prompt) = options.system_prompt {
        writeln!(out, "\n=== System prompt ===\n\n{}", prompt.trim_end())?;
    }
    if !options.tools.is_empty() {
        writeln!(out, "\n=== Tools ===\n")?;
        tools::write(options.tools, options.form, out)?;
    }
    if outline.skipped > 0 {
        writeln!(out, "\n[unreadable lines of the session: {}]", outline.skipped)?;
    }
    for index in told.entries {
        if let Some(entry) = view.entry(outline.nodes[index].place)? {
            entry::write(&entry, options.form, out)?;
        }
    }
    Ok(out.flush()?)
}

/// What the model is told, and the state at its end.
struct Told {
    entries: Vec<usize>,
    model: Option<String>,
    thinking_level: Option<String>,
}

impl Told {
    fn find(view: &SessionView<'_>, outline: &Outline) -> Result<Self, ViewError> {
        let path: Vec<usize> = outline.active_path().collect();
        let mut told = Self { entries: Vec::new(), model: None, thinking_level: None };
        let mut answered = None;
        let mut newest: Option<(usize, Compaction)> = None;
        let mut reset = None;
        // From the end: what was said last counts.
        for (at, index) in path.iter().enumerate().rev() {
            let node = &outline.nodes[*index];
            let wanted = match node.kind {
                OutlineKind::State => told.model.is_none() || told.thinking_level.is_none(),
                OutlineKind::Summary | OutlineKind::Event => newest.is_none() && reset.is_none(),
                OutlineKind::Assistant | OutlineKind::Calls => answered.is_none(),
                _ => false,
            };
            let Some(entry) = wanted.then(|| view.entry(node.place)).transpose()?.flatten() else { continue };
            match &entry.kind {
                EntryKind::ModelChange(change)
                    if matches!(change.role.as_deref(), None | Some("default")) =>
                {
                    told.model.get_or_insert_with(|| change.model.clone());
                }
                EntryKind::ThinkingLevelChange(change) => {
                    told.thinking_level.get_or_insert_with(|| change.thinking_level.clone());
                }
                EntryKind::ResetBoundary(_) => reset = Some(at),
                EntryKind::Compaction(compaction) => newest = Some((at, compaction.clone())),
                EntryKind::Message(message) => {
                    let answer = message.message.as_assistant().filter(|answer| !answer.model.is_empty());
                    answered = answer.map(|answer| format!("{}/{}", answer.provider, answer.model));
                }
                _ => {}
            }
        }
        told.model = told.model.or(answered);
        told.entries = match newest {
            None => path[reset.map_or(0, |at| at + 1)..].to_vec(),
            Some((at, compaction)) => {
                let first = compaction.first_kept_entry_id.and_then(|id| outline.find(&id));
                let kept = path[..at].iter().position(|index| Some(*index) == first).unwrap_or(at);
                [&path[at..=at], &path[kept..at], &path[at + 1..]].concat()
            }
        };
        Ok(told)
    }
}
