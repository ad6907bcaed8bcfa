//! Changes one key of a YAML file and leaves every other byte alone: comments, blank lines, order, quotes, line
//! ends and the byte order mark.
//!
//! The editor understands block mappings and nothing more. What it makes is read back, and only a text that means
//! exactly the old mapping with the one change is used; otherwise the whole mapping is written anew.
//!
//! No library does this: `yamlpatch` brings a C parser, `yaml-edit` a second YAML parser that need not agree with
//! the one that reads our files.

mod emit;
mod lines;

use serde_json::{Map, Value};

use super::parse::{Format, mapping};
use super::tree;
use lines::{Entry, Rest};

pub(super) use emit::document;

/// A text after a change.
#[derive(Debug, PartialEq, Eq)]
pub(super) enum Edited {
    /// Only the lines of the key differ.
    InPlace(String),
    /// The mapping was written anew; comments are lost.
    Rewritten(String),
}

impl Edited {
    pub(super) fn text(&self) -> &str {
        match self {
            Self::InPlace(text) | Self::Rewritten(text) => text,
        }
    }
}

/// Sets the value at a dotted path, or takes it out. `old` is what `text` means, `new` what the result must mean.
pub(super) fn edit(text: &str, old: &Map<String, Value>, new: &Map<String, Value>, path: &str) -> Edited {
    let (mark, body) = match text.strip_prefix('\u{feff}') {
        Some(rest) => ("\u{feff}", rest),
        None => ("", text),
    };
    let end = if body.contains("\r\n") { "\r\n" } else { "\n" };
    let means_new = |text: &str| mapping(text, Format::Yaml).is_ok_and(|map| map == *new);
    if old == new && means_new(text) {
        return Edited::InPlace(text.to_owned());
    }
    let mut document = Document::new(body);
    document.change(new, path);
    let edited = format!("{mark}{}", document.text(end));
    if means_new(&edited) {
        return Edited::InPlace(edited);
    }
    let rewritten = emit::document(new).replace('\n', end);
    Edited::Rewritten(format!("{mark}{rewritten}"))
}

struct Document {
    lines: Vec<String>,
    /// Whether the last line was ended.
    ended: bool,
}

impl Document {
    fn new(text: &str) -> Self {
        let lines = text.split_inclusive('\n').map(|line| line.trim_end_matches(['\n', '\r']).to_owned());
        Self { lines: lines.collect(), ended: text.is_empty() || text.ends_with('\n') }
    }

    fn text(&self, end: &str) -> String {
        let mut text = self.lines.join(end);
        if self.ended && !self.lines.is_empty() {
            text.push_str(end);
        }
        text
    }

    /// Goes down the path as far as the file has it as block mappings, and changes the file there.
    fn change(&mut self, new: &Map<String, Value>, path: &str) {
        let mut range = lines::body(&self.lines);
        let mut done = String::new();
        let mut child = None;
        for segment in path.split('.') {
            let (entries, indent) = lines::entries(&self.lines, range.clone());
            // An empty mapping has no indentation of its own.
            let indent = if entries.is_empty() { child.unwrap_or(0) } else { indent };
            let parent = done.clone();
            if !done.is_empty() {
                done.push('.');
            }
            done.push_str(segment);
            let value = tree::find(new, &done);
            // Of several equal keys the last one counts.
            let Some(entry) = entries.iter().rev().find(|entry| entry.key == segment) else {
                let at = entries.last().map_or(end_of_content(&self.lines, &range), |last| last.end);
                return self.insert(at, segment, value, indent);
            };
            let nested = self.is_block_mapping(entry) && path != done;
            match value {
                None => return self.remove(entry, entries.len(), &parent, new),
                Some(_) if nested => {
                    range = entry.line + 1..entry.end;
                    child = Some(indent + 2);
                }
                Some(value) => return self.replace(entry, value, indent),
            }
        }
    }

    /// Whether the value stands below the key, as a mapping.
    fn is_block_mapping(&self, entry: &Entry) -> bool {
        let below = entry.line + 1..entry.end;
        lines::rest(&self.lines[entry.line], entry.colon) == Rest::Nothing
            && !lines::entries(&self.lines, below.clone()).0.is_empty()
            && below
                .filter(|line| lines::has_content(&self.lines[*line]))
                .all(|line| lines::indent(&self.lines[line]) > lines::indent(&self.lines[entry.line]))
    }

    fn insert(&mut self, at: usize, segment: &str, value: Option<&Value>, indent: usize) {
        let Some(value) = value else { return };
        let text = emit::entry(segment, value, indent);
        if at == self.lines.len() {
            self.ended = true;
        }
        self.lines.splice(at..at, text.lines().map(str::to_owned));
    }

    fn replace(&mut self, entry: &Entry, value: &Value, indent: usize) {
        let line = &self.lines[entry.line];
        let head = &line[..=entry.colon];
        let (comment, flow) = match lines::rest(line, entry.colon) {
            Rest::Value { text, end } => (&line[end..], text.starts_with(['{', '['])),
            Rest::Nothing => (line[entry.colon + 1..].trim_end(), false),
            Rest::Other => ("", false),
        };
        let below = emit::after_colon(value, indent);
        let first = if flow || !below.starts_with('\n') {
            format!("{head} {}{comment}", emit::flow(value))
        } else {
            format!("{head}{comment}")
        };
        let below = if flow { String::new() } else { below };
        let more = below.lines().skip(1).map(str::to_owned);
        let new: Vec<String> = std::iter::once(first).chain(more).collect();
        self.lines.splice(entry.line..entry.end, new);
    }

    /// Takes an entry out; a mapping that would be left empty says so.
    fn remove(&mut self, entry: &Entry, siblings: usize, parent: &str, new: &Map<String, Value>) {
        let empty = siblings == 1 && parent.is_empty() && new.is_empty();
        let left: Vec<String> = if empty { vec!["{}".to_owned()] } else { Vec::new() };
        self.lines.splice(entry.line..entry.end, left);
    }
}

/// Where a first entry goes in lines that have none: after the comments.
fn end_of_content(lines: &[String], range: &std::ops::Range<usize>) -> usize {
    let last = range.clone().rev().find(|line| !lines[*line].trim().is_empty());
    last.map_or(range.start, |line| line + 1)
}
