//! Which files a conversation touched.

use std::collections::BTreeSet;

use omp_session::{BranchSummary, Compaction};
use omp_types::{AssistantMessage, Message, ToolCall};
use serde_json::{Map, Value, json};

/// More files than this are only counted.
const MOST: usize = 20;
/// Blocks that earlier summaries end with.
const BLOCKS: [&str; 3] = ["files", "read-files", "modified-files"];

/// Files that were read and files that were changed. A file can be both.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct FileActivity {
    read: BTreeSet<String>,
    modified: BTreeSet<String>,
}

impl FileActivity {
    /// What an earlier compaction knew; nothing of one that an extension made.
    pub(crate) fn of_details(compaction: Option<&Compaction>) -> Self {
        let ours = compaction.filter(|compaction| !compaction.from_extension);
        Self::parse(ours.and_then(|compaction| compaction.details.as_ref()))
    }

    /// Adds what an earlier branch summary knew.
    pub(crate) fn add_branch(&mut self, branch: &BranchSummary) {
        if !branch.from_extension {
            let known = Self::parse(branch.details.as_ref());
            self.read.extend(known.read);
            self.modified.extend(known.modified);
        }
    }

    fn parse(details: Option<&Value>) -> Self {
        let list = |name: &str| -> BTreeSet<String> {
            let values = details.and_then(|details| details.get(name)).and_then(Value::as_array);
            values.into_iter().flatten().filter_map(|path| path.as_str().map(str::to_owned)).collect()
        };
        let (both, modified) = (list("rereadFiles"), list("modifiedFiles"));
        let mut read = list("readFiles");
        read.extend(both);
        Self { read, modified }
    }

    /// Adds the calls of these messages.
    pub(crate) fn add<'a>(&mut self, messages: impl Iterator<Item = &'a Message>) {
        let calls = messages.filter_map(Message::as_assistant).flat_map(AssistantMessage::tool_calls);
        for call in calls {
            match call.name.as_str() {
                "read" => self.read.extend(path_of(&call.arguments).map(without_selector)),
                "write" => self.modified.extend(path_of(&call.arguments)),
                "edit" => self.modified.extend(edited(call)),
                _ => {}
            }
        }
    }

    /// The fields of an entry's details. What was changed is not listed as read; what was both is said apart, so that
    /// the next compaction still knows.
    pub fn details(&self) -> Map<String, Value> {
        let only_read: Vec<&String> = self.read.difference(&self.modified).collect();
        let both: Vec<&String> = self.read.intersection(&self.modified).collect();
        let mut details = Map::new();
        details.insert("readFiles".to_owned(), json!(only_read));
        details.insert("modifiedFiles".to_owned(), json!(self.modified));
        if !both.is_empty() {
            details.insert("rereadFiles".to_owned(), json!(both));
        }
        details
    }

    /// The block that ends a summary: files by directory, each with what was done to it. Empty if there are none.
    pub fn block(&self) -> String {
        let all: BTreeSet<&String> = self.read.union(&self.modified).collect();
        if all.is_empty() {
            return String::new();
        }
        // Directories in order, the files of one together.
        let mut sorted: Vec<(&str, &str)> = all.iter().map(|path| split(path)).collect();
        sorted.sort_unstable();
        let mut lines = vec!["<files>".to_owned()];
        let mut above: Option<&str> = None;
        for (directory, name) in sorted.iter().take(MOST) {
            if above != Some(directory) {
                lines.extend(heading(above, directory));
                above = Some(directory);
            }
            let path = format!("{directory}{name}");
            lines.push(format!("{name} ({})", self.mark(&path)));
        }
        if sorted.len() > MOST {
            lines.push(format!("… ({} more files omitted)", sorted.len() - MOST));
        }
        lines.push("</files>".to_owned());
        lines.join("\n")
    }

    fn mark(&self, path: &str) -> &'static str {
        match (self.read.contains(path), self.modified.contains(path)) {
            (true, true) => "RW",
            (false, true) => "Write",
            _ => "Read",
        }
    }
}

/// The line above the files of a directory: below the directory before it, only what is new.
fn heading(above: Option<&str>, directory: &str) -> Option<String> {
    if directory.is_empty() {
        return None;
    }
    match above.filter(|above| !above.is_empty()).and_then(|above| directory.strip_prefix(above)) {
        Some(below) => Some(format!("## {below}")),
        None => Some(format!("# {directory}")),
    }
}

/// The directory with its slash, and the name.
fn split(path: &str) -> (&str, &str) {
    path.rfind('/').map_or(("", path), |slash| path.split_at(slash + 1))
}

fn path_of(arguments: &Map<String, Value>) -> Option<String> {
    let path = arguments.get("path")?.as_str()?.trim();
    (!path.is_empty() && !path.contains("://")).then(|| path.to_owned())
}

/// `src/main.rs:50-100` names a file and lines of it.
fn without_selector(path: String) -> String {
    match path.rsplit_once(':') {
        Some((file, lines))
            if !file.is_empty() && lines.starts_with(|first: char| first.is_ascii_digit()) =>
        {
            without_selector(file.to_owned())
        }
        Some((file, "raw" | "conflicts" | "full")) => without_selector(file.to_owned()),
        _ => path,
    }
}

/// The files of an edit, in any of its languages: `path`, `[path#TAG]` sections, patch envelopes.
fn edited(call: &ToolCall) -> BTreeSet<String> {
    let mut found: BTreeSet<String> = path_of(&call.arguments).into_iter().collect();
    for name in ["input", "patch"] {
        let text = call.arguments.get(name).and_then(Value::as_str).unwrap_or_default();
        found.extend(text.lines().filter_map(named_by));
    }
    for edit in call.arguments.get("edits").and_then(Value::as_array).into_iter().flatten() {
        found.extend(edit.as_object().and_then(path_of));
    }
    found
}

fn named_by(line: &str) -> Option<String> {
    let line = line.trim();
    let section = line.strip_prefix('[').and_then(|line| line.strip_suffix(']'));
    let path = match section {
        Some(section) => section.rsplit_once('#').map(|(path, _)| path)?,
        None => ["*** Update File: ", "*** Add File: ", "*** Delete File: "]
            .iter()
            .find_map(|head| line.strip_prefix(head))?,
    };
    (!path.trim().is_empty()).then(|| path.trim().to_owned())
}

/// A summary without the blocks that the program put at its end, also those of earlier versions.
pub(crate) fn without_blocks(summary: &str, others: &[&str]) -> String {
    let mut text = summary.to_owned();
    for name in BLOCKS.iter().chain(others) {
        let (open, close) = (format!("<{name}>"), format!("</{name}>"));
        while let Some(start) = text.find(&open) {
            let end = text[start..].find(&close).map_or(text.len(), |at| start + at + close.len());
            text.replace_range(start..end, "");
        }
    }
    text.trim().to_owned()
}
