//! A patch of several files between `*** Begin Patch` and `*** End Patch`.

use crate::patch::error::PatchError;
use crate::patch::hunk::{Hunk, Started, numbered, parse_numbered, start_numbered};

const BEGIN: &str = "*** Begin Patch";
const END: [&str; 2] = ["*** End Patch", "*** Abort"];

/// What becomes of one file.
#[derive(Clone, Debug, PartialEq, Eq)]
pub enum FileChange {
    Add { path: String, content: String },
    Delete { path: String },
    Update { path: String, moved_to: Option<String>, hunks: Vec<Hunk> },
}

impl FileChange {
    /// The file as the patch names it.
    pub fn path(&self) -> &str {
        match self {
            Self::Add { path, .. } | Self::Delete { path } | Self::Update { path, .. } => path,
        }
    }

    /// All names that are touched: the file's, and the one that it is moved to.
    pub fn paths(&self) -> impl Iterator<Item = &str> {
        let moved_to = match self {
            Self::Update { moved_to, .. } => moved_to.as_deref(),
            Self::Add { .. } | Self::Delete { .. } => None,
        };
        std::iter::once(self.path()).chain(moved_to)
    }
}

/// Reads a patch. The envelope may be missing, or stand in a code block or a here-document; a line `*** Abort` ends it.
pub fn parse_envelope(patch: &str) -> Result<Vec<FileChange>, PatchError> {
    let sections = sections(patch)?;
    if sections.is_empty() {
        return Err(PatchError::NoFiles);
    }
    sections.iter().map(Section::read).collect()
}

/// The updates of a patch that may break off anywhere: each file with its hunks so far.
pub fn parse_envelope_start(patch: &str) -> Result<Vec<(String, Started)>, PatchError> {
    let whole = patch.rfind('\n').map_or("", |end| &patch[..end]);
    let sections = sections(whole)?;
    let count = sections.len();
    let mut updates = Vec::new();
    for (index, section) in sections.iter().enumerate().filter(|(_, section)| section.verb != Verb::Add) {
        let (_, body) = section.split_move();
        let started = match (section.verb == Verb::Delete, index + 1 == count) {
            (true, _) => Started::default(),
            (false, true) => start_numbered(body)?,
            (false, false) => Started { complete: parse_numbered(body).unwrap_or_default(), open: None },
        };
        updates.push((section.path.to_owned(), started));
    }
    Ok(updates)
}

#[derive(Clone, Copy, PartialEq, Eq)]
enum Verb {
    Add,
    Delete,
    Update,
}

/// A file and the lines below its header.
struct Section<'a> {
    verb: Verb,
    path: &'a str,
    body: Vec<(usize, &'a str)>,
}

impl<'a> Section<'a> {
    /// The header, if `line` is one. Blanks before it are forgiven, but among the rows of an update they are a row's own:
    /// there a line with a blank before it is one that the file has.
    fn header(line: &'a str, before: Option<&Self>) -> Option<(Verb, &'a str)> {
        let padded = before.is_none_or(|section| section.verb != Verb::Update);
        let line = if padded { line.trim_start() } else { line };
        let rest = line.strip_prefix("***")?.trim_start();
        let verbs =
            [("Add File:", Verb::Add), ("Delete File:", Verb::Delete), ("Update File:", Verb::Update)];
        verbs.into_iter().find_map(|(word, verb)| Some((verb, rest.strip_prefix(word)?.trim())))
    }

    /// The new name, and the lines below it.
    fn split_move(&self) -> (Option<&'a str>, &[(usize, &'a str)]) {
        match self.body.split_first() {
            Some(((_, line), rest)) if moves(line).is_some() => (moves(line), rest),
            _ => (None, &self.body),
        }
    }

    fn read(&self) -> Result<FileChange, PatchError> {
        let path = self.path.to_owned();
        match self.verb {
            Verb::Add => Ok(FileChange::Add { path, content: self.content()? }),
            Verb::Delete => match self.body.iter().find(|(_, line)| !line.trim().is_empty()) {
                Some((at, text)) => Err(PatchError::DeleteWithBody { at: *at, text: (*text).to_owned() }),
                None => Ok(FileChange::Delete { path }),
            },
            Verb::Update => {
                let (moved_to, body) = self.split_move();
                if let Some((at, _)) = body.iter().find(|(_, line)| moves(line).is_some()) {
                    return Err(PatchError::StrayMove { at: *at });
                }
                let empty = body.iter().all(|(_, line)| line.trim().is_empty());
                let hunks = if moved_to.is_some() && empty { Vec::new() } else { parse_numbered(body)? };
                Ok(FileChange::Update { path, moved_to: moved_to.map(str::to_owned), hunks })
            }
        }
    }

    fn content(&self) -> Result<String, PatchError> {
        let mut content = String::new();
        let written = self.body.iter().rposition(|(_, line)| !line.is_empty()).map_or(0, |last| last + 1);
        for (at, line) in &self.body[..written] {
            match line.strip_prefix('+') {
                Some(text) => content.push_str(text),
                None if line.is_empty() => {}
                None => return Err(PatchError::NotAdded { at: *at, text: (*line).to_owned() }),
            }
            content.push('\n');
        }
        Ok(content)
    }
}

/// Does nothing follow but what a patch may be wrapped in: the end of a code block or of a here-document?
fn is_last(behind: &[(usize, &str)]) -> bool {
    let mut filled = behind.iter().map(|(_, line)| line.trim()).filter(|line| !line.is_empty());
    let word = |line: &str| line.chars().all(|c| c.is_ascii_alphanumeric() || c == '_');
    filled.next().is_none_or(|line| line == "```" || word(line)) && filled.next().is_none()
}

fn moves(line: &str) -> Option<&str> {
    line.strip_prefix("*** Move to:").map(str::trim)
}

fn sections(patch: &str) -> Result<Vec<Section<'_>>, PatchError> {
    let mut sections: Vec<Section<'_>> = Vec::new();
    let mut here_document: Option<&str> = None;
    let lines: Vec<(usize, &str)> = numbered(patch.strip_prefix('\u{feff}').unwrap_or(patch)).collect();
    for (at, line) in &lines {
        let (at, line, marker) = (*at, *line, line.trim_end());
        let ends = END.contains(&marker) || (END.contains(&marker.trim_start()) && is_last(&lines[at..]));
        if ends || here_document.is_some_and(|end| end == marker) {
            break;
        }
        if marker == BEGIN || (sections.is_empty() && marker.trim_start() == BEGIN) {
            continue;
        }
        if let Some((verb, path)) = Section::header(line, sections.last()) {
            if path.is_empty() {
                return Err(PatchError::NoPath { at });
            }
            sections.push(Section { verb, path: path.trim_matches('"'), body: Vec::new() });
            continue;
        }
        match sections.last_mut() {
            Some(section) => section.body.push((at, line)),
            None if marker.is_empty() || marker.starts_with("```") => {}
            None => match marker.split_once("<<") {
                Some((_, end)) => here_document = Some(end.trim_matches(|c| "'\"-".contains(c))),
                None => return Err(PatchError::NoEnvelope(line.to_owned())),
            },
        }
    }
    // A code block that is closed behind the patch.
    if let Some(section) = sections.last_mut()
        && section.body.last().is_some_and(|(_, line)| line.trim() == "```")
    {
        section.body.pop();
    }
    Ok(sections)
}
