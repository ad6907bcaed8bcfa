//! The conversations that a program keeps.

use std::fs::File;
use std::io::{self, Read};
use std::path::{Path, PathBuf};
use std::time::SystemTime;

use serde_json::Value;

use crate::facts::Facts;
use crate::source::Source;
use crate::{claude, codex, facts, pi};

/// A conversation in a list.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct FoundConversation {
    pub source: Source,
    pub path: PathBuf,
    /// What the beginning of the file says about the whole.
    pub facts: Facts,
    /// The first prompt on one line, perhaps cut; `None` if it is not near the beginning.
    pub first_prompt: Option<String>,
    pub modified: SystemTime,
    /// Bytes of the file.
    pub size: u64,
}

/// More files than this are not listed; the most recently modified come first.
pub const MOST_FILES: usize = 1000;

/// Entries of directories that are looked at in all.
const MOST_ENTRIES: usize = 100_000;

/// How much of a file is read. Codex begins with its own instructions, which are long.
const HEADS: [u64; 2] = [64 * 1024, 512 * 1024];

/// The conversations of a program below a home directory, the most recently modified first.
///
/// A file or directory that cannot be read counts as empty. Conversations of sub-agents are not listed.
pub fn discover(source: Source, home: &Path) -> Vec<FoundConversation> {
    discover_in(source, &source.directory(home))
}

/// The same, for a program that was told to keep its files elsewhere.
pub fn discover_in(source: Source, directory: &Path) -> Vec<FoundConversation> {
    let mut candidates = Vec::new();
    let mut budget = MOST_ENTRIES;
    collect(source, directory, depth(source), &mut budget, &mut candidates);
    candidates.sort_by(|a, b| (b.modified, &b.path).cmp(&(a.modified, &a.path)));
    candidates.truncate(MOST_FILES);
    candidates.into_iter().filter_map(|candidate| candidate.look(source).ok().flatten()).collect()
}

struct Candidate {
    path: PathBuf,
    modified: SystemTime,
    size: u64,
}

/// Directories between the root and the files.
fn depth(source: Source) -> usize {
    match source {
        Source::ClaudeCode | Source::Pi => 1,
        Source::Codex => 3,
    }
}

fn collect(source: Source, directory: &Path, depth: usize, budget: &mut usize, found: &mut Vec<Candidate>) {
    for entry in std::fs::read_dir(directory).into_iter().flatten().flatten() {
        let Some(rest) = budget.checked_sub(1) else { return };
        *budget = rest;
        let path = entry.path();
        // Links to directories are not followed: they may lead in circles.
        if entry.file_type().is_ok_and(|kind| kind.is_dir()) {
            if depth > 0 {
                collect(source, &path, depth - 1, budget, found);
            }
        } else if is_conversation(source, &path)
            && let Ok(metadata) = std::fs::metadata(&path)
            && metadata.is_file()
            && let Ok(modified) = metadata.modified()
        {
            found.push(Candidate { path, modified, size: metadata.len() });
        }
    }
}

fn is_conversation(source: Source, path: &Path) -> bool {
    let name = path.file_name().unwrap_or_default().to_string_lossy();
    let fits = match source {
        Source::ClaudeCode => !name.starts_with("agent-"),
        Source::Codex => name.starts_with("rollout-"),
        Source::Pi => true,
    };
    fits && name.ends_with(".jsonl")
}

impl Candidate {
    /// `None` if the file is no conversation, or one of a sub-agent.
    fn look(self, source: Source) -> io::Result<Option<FoundConversation>> {
        let mut known = Facts::new(source);
        let mut first_prompt = None;
        for (attempt, limit) in HEADS.into_iter().enumerate() {
            let head = head(&self.path, limit)?;
            if source == Source::Codex && head.first().is_some_and(codex::is_of_agent) {
                return Ok(None);
            }
            for record in &head {
                note(source, &mut known, record);
            }
            first_prompt = head.iter().find_map(|record| prompt(source, record));
            let enough = first_prompt.is_some() && known.cwd.is_some();
            if enough || self.size <= limit || attempt + 1 == HEADS.len() {
                break;
            }
        }
        if known.id.is_none() && known.started == 0 {
            return Ok(None);
        }
        let first_prompt = first_prompt.as_deref().and_then(facts::title);
        let Self { path, modified, size } = self;
        Ok(Some(FoundConversation { source, path, facts: known, first_prompt, modified, size }))
    }
}

fn note(source: Source, facts: &mut Facts, record: &Value) {
    match source {
        Source::ClaudeCode => claude::facts(facts, record),
        Source::Codex => codex::facts(facts, record),
        Source::Pi => pi::facts(facts, record),
    }
}

fn prompt(source: Source, record: &Value) -> Option<String> {
    match source {
        Source::ClaudeCode => claude::prompt(record),
        Source::Codex => codex::prompt(record),
        Source::Pi => pi::prompt(record),
    }
}

/// The records in the first bytes of a file. The last one is rarely whole and then not among them.
fn head(path: &Path, limit: u64) -> io::Result<Vec<Value>> {
    let mut bytes = Vec::new();
    File::open(path)?.take(limit).read_to_end(&mut bytes)?;
    let lines = bytes.split(|byte| *byte == b'\n');
    Ok(lines.filter_map(|line| serde_json::from_slice(line).ok()).collect())
}
