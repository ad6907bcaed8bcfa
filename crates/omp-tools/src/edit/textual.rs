//! The modes that name the text they change: `replace`, `patch` and `apply_patch`.
//!
//! All changes of a call are tried in memory first; only if every one fits is the first file written.

use std::path::{Path, PathBuf};

use omp_agent::ToolError;
use omp_edits::patch::{Edited, FileChange, Matcher, Occurrences, PatchError, apply, parse_hunks, replace};
use omp_types::ToolOutput;
use omp_workspace::document::{Document, Splice};
use omp_workspace::text::Charset;
use serde::Deserialize;
use serde_json::{Map, Value};
use tokio_util::sync::CancellationToken;

use super::encode::{Written, encode};
use super::mode::EditMode;
use super::parsed::LastParsed;
use super::target::{Target, not_found};
use super::{check_wanted, commit, placeholder};
use crate::{Context, generated};

#[derive(Deserialize)]
struct ReplaceArguments {
    path: String,
    old_string: String,
    new_string: String,
    #[serde(default)]
    replace_all: bool,
}

#[derive(Deserialize)]
struct PatchArguments {
    path: String,
    edits: Vec<PatchEdit>,
}

#[derive(Deserialize)]
struct PatchEdit {
    #[serde(default)]
    op: Op,
    rename: Option<String>,
    diff: Option<String>,
}

#[derive(Default, Deserialize)]
#[serde(rename_all = "lowercase")]
enum Op {
    #[default]
    Update,
    Create,
    Delete,
}

pub(super) fn run(
    context: &Context,
    parsed: &LastParsed,
    arguments: Map<String, Value>,
    cancel: &CancellationToken,
) -> Result<ToolOutput, ToolError> {
    let payload = Value::Object(arguments.clone()).to_string();
    let entries = planned(context, parsed, arguments, cancel)?;
    if entries.iter().all(EditedFile::is_unchanged)
        && let Some(entry) = entries.first()
    {
        let said = context.seen.noops().unchanged(&entry.shown, &payload);
        return said.map(ToolOutput::text).map_err(ToolError::new);
    }
    commit::commit(context, &entries)
}

/// What becomes of each file that a call names.
pub(super) fn planned(
    context: &Context,
    parsed: &LastParsed,
    arguments: Map<String, Value>,
    cancel: &CancellationToken,
) -> Result<Vec<EditedFile>, ToolError> {
    let mut plan = Plan { context, entries: Vec::new() };
    match context.settings.edit.mode {
        EditMode::Replace => plan.replace(&crate::arguments(arguments)?)?,
        EditMode::Patch => plan.patch(crate::arguments(arguments)?)?,
        mode @ (EditMode::ApplyPatch | EditMode::Hashline) => {
            let super::Arguments { input } = crate::arguments(arguments)?;
            for change in parsed.of(mode, &input, &context.cwd).files()? {
                plan.change(change.clone())?;
                check_wanted(cancel)?;
            }
        }
    }
    check_wanted(cancel)?;
    Ok(plan.entries)
}

fn not_understood(error: &PatchError) -> ToolError {
    ToolError::new(error.to_string())
}

/// A file that the edit names, as it was and as it becomes.
pub(super) struct EditedFile {
    pub(super) path: PathBuf,
    pub(super) shown: String,
    /// The file as it is, unless it is new.
    pub(super) old: Option<Target>,
    /// What becomes of it; `None` deletes it.
    pub(super) new: Option<Document>,
    pub(super) bytes: Vec<u8>,
    pub(super) moved_to: Option<(PathBuf, String)>,
    pub(super) notes: Vec<String>,
}

impl EditedFile {
    pub(super) fn old_text(&self) -> &str {
        self.old.as_ref().map_or("", |old| old.document.text())
    }

    pub(super) fn new_text(&self) -> &str {
        self.new.as_ref().map_or("", Document::text)
    }

    pub(super) fn changes_text(&self) -> bool {
        self.new.is_some() && self.old_text() != self.new_text()
    }

    fn is_unchanged(&self) -> bool {
        self.old.is_some() && self.new.is_some() && self.moved_to.is_none() && !self.changes_text()
    }
}

/// What a call comes to, before anything is written.
pub(super) struct Plan<'a> {
    pub(super) context: &'a Context,
    pub(super) entries: Vec<EditedFile>,
}

impl Plan<'_> {
    fn matcher(&self) -> Matcher {
        Matcher { fuzzy: self.context.settings.edit.fuzzy }
    }

    fn replace(&mut self, arguments: &ReplaceArguments) -> Result<(), ToolError> {
        let ReplaceArguments { path, old_string, new_string, replace_all } = arguments;
        let occurrences = if *replace_all { Occurrences::All } else { Occurrences::Only };
        let matcher = self.matcher();
        let edit = |text: &str| replace(text, old_string, new_string, occurrences, &matcher);
        self.update(path, |text| edit(text).map_err(|error| error.to_string()))
    }

    fn patch(&mut self, PatchArguments { path, edits }: PatchArguments) -> Result<(), ToolError> {
        for PatchEdit { op, rename, diff } in edits {
            let path = path.clone();
            let change = match op {
                Op::Delete => FileChange::Delete { path },
                Op::Create => FileChange::Add { path, content: whole(diff.unwrap_or_default()) },
                Op::Update => {
                    let diff = diff.unwrap_or_default();
                    let hunks = match rename.is_some() && diff.trim().is_empty() {
                        true => Vec::new(),
                        false => parse_hunks(&diff).map_err(|error| not_understood(&error))?,
                    };
                    FileChange::Update { path, moved_to: rename, hunks }
                }
            };
            self.change(change)?;
        }
        Ok(())
    }

    fn change(&mut self, change: FileChange) -> Result<(), ToolError> {
        match change {
            FileChange::Add { path, content } => self.add(&path, content),
            FileChange::Delete { path } => {
                let entry = self.entry(&path)?;
                entry.new = None;
                Ok(())
            }
            FileChange::Update { path, moved_to, hunks } => {
                let matcher = self.matcher();
                let edit = |text: &str| apply(text, &hunks, &matcher);
                self.update(&path, |text| edit(text).map_err(|error| error.to_string()))?;
                match moved_to {
                    Some(moved_to) => self.rename(&path, &moved_to),
                    None => Ok(()),
                }
            }
        }
    }

    pub(super) fn add(&mut self, typed: &str, content: String) -> Result<(), ToolError> {
        let path = self.context.file_to_change(typed)?;
        let bytes = content.into_bytes();
        let new = Some(Document::new(bytes.clone(), Charset::Utf8));
        // Deleted and written again: the file stays and gets another text. A link would have gone.
        let anew = |entry: &&mut EditedFile| entry.path == path && entry.new.is_none() && !path.is_symlink();
        if let Some(entry) = self.entries.iter_mut().find(anew) {
            (entry.new, entry.bytes) = (new, bytes);
            return Ok(());
        }
        if self.is_taken(&path) {
            return Err(ToolError::new(format!(
                "{typed} already exists. Update it, or choose another name."
            )));
        }
        let shown = self.context.base().display(&path);
        self.entries.push(EditedFile {
            path,
            shown,
            old: None,
            new,
            bytes,
            moved_to: None,
            notes: Vec::new(),
        });
        Ok(())
    }

    /// The entry of an existing file. A file that is named again is taken as the call has left it so far.
    pub(super) fn entry(&mut self, typed: &str) -> Result<&mut EditedFile, ToolError> {
        let path = self.context.file_to_change(typed)?;
        if let Some(known) = self.entries.iter().position(|entry| entry.path == path) {
            return match self.entries[known].new {
                Some(_) => Ok(&mut self.entries[known]),
                None => Err(ToolError::new(format!("{typed} is deleted in the same call."))),
            };
        }
        let Some(old) = Target::at(self.context, typed)? else {
            return Err(not_found(typed));
        };
        self.check_name(typed, &old)?;
        let old = old.in_turn(self.context, self.entries.len())?;
        generated::refuse(self.context, old.path(), old.document.text())?;
        let (shown, document) = (old.shown.clone(), old.document.clone());
        let entry = EditedFile {
            path,
            shown,
            old: Some(old),
            new: Some(document),
            bytes: Vec::new(),
            moved_to: None,
            notes: Vec::new(),
        };
        self.entries.push(entry);
        let last = self.entries.len() - 1;
        Ok(&mut self.entries[last])
    }

    /// Is there a file of that name, or will there be one when the call is carried out?
    fn is_taken(&self, path: &Path) -> bool {
        let gets = |entry: &EditedFile| entry.moved_to.as_ref().is_some_and(|(to, _)| to == path);
        path.symlink_metadata().is_ok() || self.entries.iter().any(|entry| entry.path == path || gets(entry))
    }

    /// Refuses a second name of a file that the call names already: each would undo what the other does.
    fn check_name(&self, typed: &str, target: &Target) -> Result<(), ToolError> {
        let is_same = |entry: &&EditedFile| entry.old.as_ref().is_some_and(|old| old.file() == target.file());
        match self.entries.iter().find(is_same) {
            Some(other) => Err(ToolError::new(format!(
                "'{}' and '{typed}' are the same file. Use one name for it.",
                other.shown
            ))),
            None => Ok(()),
        }
    }

    pub(super) fn update(
        &mut self,
        typed: &str,
        edit: impl FnOnce(&str) -> Result<Edited, String>,
    ) -> Result<(), ToolError> {
        let entry = self.entry(typed)?;
        let Some(document) = &entry.new else { return Ok(()) };
        let edited = edit(document.text())
            .map_err(|error| ToolError::new(format!("{} was not changed: {error}", entry.shown)))?;
        let new = edited.changes.iter().flat_map(|change| &change.inserted).map(String::as_str);
        placeholder::refuse(&entry.shown, document.text(), new)?;
        let bytes = written(&entry.shown, document, &edited)?;
        entry.new = Some(Document::new(bytes.clone(), document.charset()));
        entry.bytes = bytes;
        entry.notes.extend(edited.notes);
        Ok(())
    }

    pub(super) fn rename(&mut self, typed: &str, new: &str) -> Result<(), ToolError> {
        let path = self.context.file_to_change(new)?;
        let shown = self.context.base().display(&path);
        if self.is_taken(&path) {
            return Err(ToolError::new(format!(
                "Cannot move {typed} to {shown}: the target already exists."
            )));
        }
        self.entry(typed)?.moved_to = Some((path, shown));
        Ok(())
    }
}

/// The content of a new file, from text that may be written as the added lines of a diff.
fn whole(content: String) -> String {
    let added = !content.is_empty() && content.lines().all(|line| line.starts_with('+'));
    let mut content: String = match added {
        true => content.lines().map(|line| format!("{}\n", &line[1..])).collect(),
        false => content,
    };
    if !content.is_empty() && !content.ends_with('\n') {
        content.push('\n');
    }
    content
}

/// The file's bytes after the edit.
fn written(shown: &str, document: &Document, edited: &Edited) -> Result<Vec<u8>, ToolError> {
    let splices: Vec<Splice<'_>> = edited
        .changes
        .iter()
        .map(|change| Splice { start: change.start, removed: change.removed, inserted: &change.inserted })
        .collect();
    encode(shown, document, &splices, edited.final_end, Written::Partly)
}
