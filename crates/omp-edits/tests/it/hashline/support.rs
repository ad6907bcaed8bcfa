//! A session with files, as the edit tool drives it, and a small made-up language with braces.

use std::path::Path;

use omp_edits::hashline::{EditError, File, Patcher, Planned, Snapshots, Syntax, Tag, parse};

/// `fn` to the closing brace in the same column, and Python's `def` by indentation.
pub(crate) struct Braces;

impl Syntax for Braces {
    fn block(&self, path: &str, text: &str, line: usize) -> Option<(usize, usize)> {
        if !path.ends_with(".rs") {
            return None;
        }
        let lines: Vec<&str> = text.split('\n').collect();
        let first = lines.get(line.checked_sub(1)?)?;
        let indent = first.len() - first.trim_start().len();
        if first.ends_with(';') && !first.trim().starts_with('}') {
            return Some((line, line));
        }
        first.ends_with('{').then_some(())?;
        let close = format!("{}}}", " ".repeat(indent));
        let last = lines.iter().enumerate().skip(line).find(|(_, text)| **text == close)?.0;
        Some((line, last + 1))
    }

    fn parses(&self, path: &str, text: &str) -> Option<bool> {
        if !path.ends_with(".rs") {
            return None;
        }
        let mut depth = 0_i32;
        for character in text.chars() {
            depth += match character {
                '{' => 1,
                '}' => -1,
                _ => 0,
            };
            if depth < 0 {
                return Some(false);
            }
        }
        Some(depth == 0)
    }
}

/// Applies a patch to one text. The header `[PATH#]` gets the text's tag.
pub(crate) fn apply_to(path: &str, text: &str, hunks: &str) -> Result<Planned, String> {
    let mut snapshots = Snapshots::new();
    let tag = snapshots.record(path, text);
    plan(&mut snapshots, path, text, &format!("[{path}#{tag}]\n{hunks}"))
}

/// The new text of `a.txt`.
pub(crate) fn edited(text: &str, hunks: &str) -> String {
    apply_to("a.txt", text, hunks).unwrap().text
}

/// Why a patch of `a.txt` was refused.
pub(crate) fn refused(text: &str, hunks: &str) -> String {
    apply_to("a.txt", text, hunks).unwrap_err()
}

pub(crate) fn plan(
    snapshots: &mut Snapshots,
    path: &str,
    live: &str,
    input: &str,
) -> Result<Planned, String> {
    let patch = parse(input, Path::new("/project")).map_err(|error| error.to_string())?;
    let patcher = Patcher { syntax: &Braces, enforce_seen: false };
    let mut planned: Result<Planned, EditError> =
        Ok(Planned { text: live.to_owned(), changes: Vec::new(), warnings: Vec::new(), blocks: Vec::new() });
    for section in &patch.sections {
        planned = patcher.plan(section, File { key: path, text: live }, snapshots);
    }
    let mut planned = planned.map_err(|error| error.to_string())?;
    planned.warnings.splice(0..0, patch.warnings);
    Ok(planned)
}

/// Numbered lines `one` to `count`.
pub(crate) fn numbered(count: usize) -> String {
    (1..=count).map(|line| format!("line {line}\n")).collect()
}

/// A session that edits one file again and again.
pub(crate) struct Session {
    pub(crate) snapshots: Snapshots,
    pub(crate) path: &'static str,
    pub(crate) live: String,
}

impl Session {
    pub(crate) fn read(path: &'static str, text: &str) -> (Self, Tag) {
        let mut snapshots = Snapshots::new();
        let tag = snapshots.record(path, text);
        (Self { snapshots, path, live: text.to_owned() }, tag)
    }

    pub(crate) fn edit(&mut self, tag: Tag, hunks: &str) -> Result<Planned, String> {
        let input = format!("[{}#{tag}]\n{hunks}", self.path);
        let planned = plan(&mut self.snapshots, self.path, &self.live, &input)?;
        self.snapshots.record_edit(self.path, &self.live, &planned.text, planned.changes.clone());
        self.live.clone_from(&planned.text);
        Ok(planned)
    }

    pub(crate) fn tag(&self) -> Tag {
        Tag::of(&self.live)
    }
}
