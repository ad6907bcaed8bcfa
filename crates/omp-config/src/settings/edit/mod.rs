//! Changes one key of a YAML file and leaves every other byte alone: comments, blank lines, order, quotes, line
//! ends and the byte order mark.
//!
//! The editor understands block mappings and nothing more. What it makes is read back, and only a text that means
//! exactly the old mapping with the one change is used; otherwise the whole mapping is rewritten.
//!
//! No library does this: `yamlpatch` brings a C parser, `yaml-edit` a second YAML parser that need not agree with
//! the one that reads our files.

mod emit;
mod lines;

use std::ops::Range;

use serde_json::{Map, Value};

use super::parse::{Format, mapping};
use super::tree;
use lines::{Line, MappingEntry, Rest};

pub(super) use emit::document;

/// A text after a change.
#[derive(Debug, PartialEq, Eq)]
pub(super) enum Edited {
    /// Only the lines of the key differ.
    InPlace(String),
    /// The mapping was rewritten; comments are lost.
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
    if old == new {
        return Edited::InPlace(text.to_owned());
    }
    let (mark, body) = match text.strip_prefix('\u{feff}') {
        Some(rest) => ("\u{feff}", rest),
        None => ("", text),
    };
    let ending = if body.contains("\r\n") { "\r\n" } else { "\n" };
    let mut document = Document { lines: lines::split(body), ending };
    document.change(new, path);
    let edited = format!("{mark}{}", document.text());
    if mapping(&edited, Format::Yaml).is_ok_and(|map| map == *new) {
        return Edited::InPlace(edited);
    }
    let rewritten = emit::document(new).replace('\n', ending);
    Edited::Rewritten(format!("{mark}{rewritten}"))
}

struct Document {
    lines: Vec<Line>,
    /// How new lines end.
    ending: &'static str,
}

/// A mapping in the file.
struct Level {
    range: Range<usize>,
    /// How far a first entry would be indented.
    indent: usize,
}

impl Document {
    fn text(&self) -> String {
        self.lines.iter().flat_map(|line| [line.text.as_str(), line.ending]).collect()
    }

    /// Goes down the path as far as the file has it as block mappings, and changes the file there.
    fn change(&mut self, new: &Map<String, Value>, path: &str) {
        let mut level = Level { range: lines::body(&self.lines), indent: 0 };
        for (end, _) in path.match_indices('.').chain([(path.len(), "")]) {
            let done = &path[..end];
            let key = done.rsplit('.').next().unwrap_or(done);
            match self.step(&level, key, tree::find(new, done), end == path.len()) {
                Some(below) => level = below,
                None => return,
            }
        }
    }

    /// Changes the file at this level, unless the key has a mapping of its own to look into.
    fn step(&mut self, level: &Level, key: &str, value: Option<&Value>, is_last: bool) -> Option<Level> {
        let (entries, indent) = lines::entries(&self.lines, level.range.clone());
        let indent = if entries.is_empty() { level.indent } else { indent };
        // Of several equal keys the last one counts.
        match (entries.iter().rev().find(|entry| entry.key == key), value) {
            (Some(entry), Some(_)) if !is_last && self.is_block_mapping(entry) => {
                return Some(Level { range: entry.line + 1..entry.end, indent: indent + emit::STEP });
            }
            (Some(entry), Some(value)) => self.replace(entry, value, indent),
            (Some(entry), None) => self.put(entry.line..entry.end, ""),
            (None, Some(value)) => {
                let at = entries.last().map_or_else(|| self.end_of_comments(&level.range), |last| last.end);
                self.put(at..at, &emit::entry(key, value, indent));
            }
            (None, None) => {}
        }
        None
    }

    /// Whether the value stands below the key, as a mapping.
    fn is_block_mapping(&self, entry: &MappingEntry) -> bool {
        let below = entry.line + 1..entry.end;
        let outer = lines::indent(&self.lines[entry.line].text);
        lines::rest(&self.lines[entry.line].text, entry.colon) == Rest::Nothing
            && !lines::entries(&self.lines, below.clone()).0.is_empty()
            && self.lines[below].iter().all(|line| !line.has_content || lines::indent(&line.text) > outer)
    }

    /// Puts a value in the place of an old one. A comment behind it stays, and so does a value on one line.
    fn replace(&mut self, entry: &MappingEntry, value: &Value, indent: usize) {
        let line = &self.lines[entry.line].text;
        let head = &line[..=entry.colon];
        let (comment, in_brackets) = match lines::rest(line, entry.colon) {
            Rest::Value { text, end } => (&line[end..], text.starts_with(['{', '['])),
            Rest::Nothing => (line[entry.colon + 1..].trim_end(), false),
            Rest::Other => ("", false),
        };
        let block = emit::after_colon(value, indent);
        let text = match block.strip_prefix('\n') {
            Some(below) if !in_brackets => format!("{head}{comment}\n{below}"),
            _ => format!("{head} {}{comment}\n", emit::flow(value)),
        };
        self.put(entry.line..entry.end, &text);
    }

    /// Replaces lines by those of `text`.
    fn put(&mut self, range: Range<usize>, text: &str) {
        let mut new = lines::split(text);
        new.iter_mut().for_each(|line| line.ending = self.ending);
        // A last line that had no end keeps that, unless something follows it now.
        if range.end == self.lines.len()
            && let Some(last) = self.lines.last_mut().filter(|last| last.ending.is_empty())
        {
            if range.is_empty() {
                last.ending = self.ending;
            } else if let Some(new_last) = new.last_mut() {
                new_last.ending = "";
            }
        }
        self.lines.splice(range, new);
    }

    /// Where a first entry goes in lines that have none.
    fn end_of_comments(&self, range: &Range<usize>) -> usize {
        let last = range.clone().rev().find(|line| !self.lines[*line].text.trim().is_empty());
        last.map_or(range.start, |line| line + 1)
    }
}
