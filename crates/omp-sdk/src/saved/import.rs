//! Continuing conversations of other programs.

use std::path::{Path, PathBuf};

use omp_config::Directories;
use omp_import::{FoundConversation, ImportError, Saved, Source, discover_in};

use omp_auth::Environment;

/// Why there is nothing to continue.
#[derive(Debug, thiserror::Error)]
pub enum ImportFailure {
    /// The other program has no conversation of this directory.
    #[error("no {} session for {} in {}", program.title(), cwd.display(), directory.display())]
    Nothing {
        /// The other program.
        program: Source,
        /// The directory that was looked for.
        cwd: PathBuf,
        /// Where the program keeps its conversations.
        directory: PathBuf,
    },
    /// No conversation of any program has such an id.
    #[error("no Claude Code, Codex or pi session \"{0}\": name one by its id or the path of its file")]
    Unknown(String),
    /// The file could not be imported.
    #[error(transparent)]
    Import(#[from] ImportError),
}

/// Where a program keeps its conversations: below the user's home, or where its own variable says.
fn directory(source: Source, directories: &Directories, environment: &dyn Environment) -> PathBuf {
    let moved = |name: &str, below: &str| {
        let base = environment.var(name).filter(|value| !value.is_empty())?;
        Some(PathBuf::from(base).join(below))
    };
    let told = match source {
        Source::ClaudeCode => moved("CLAUDE_CONFIG_DIR", "projects"),
        Source::Codex => moved("CODEX_HOME", "sessions"),
        Source::Pi => None,
    };
    told.unwrap_or_else(|| source.directory(&directories.home))
}

/// The most recent conversation of a program in the directory `cwd`.
pub(crate) fn newest_here(
    source: Source,
    directories: &Directories,
    environment: &dyn Environment,
    cwd: &Path,
) -> Result<FoundConversation, ImportFailure> {
    let directory = directory(source, directories, environment);
    let here = real(cwd);
    let is_here =
        |found: &FoundConversation| found.facts.cwd.as_ref().is_some_and(|cwd| real(Path::new(cwd)) == here);
    let found = discover_in(source, &directory).into_iter().find(is_here);
    found.ok_or_else(|| ImportFailure::Nothing { program: source, cwd: cwd.to_owned(), directory })
}

/// The conversation that a path or the beginning of an id names, of whichever program.
pub(crate) fn named(
    value: &str,
    directories: &Directories,
    environment: &dyn Environment,
    cwd: &Path,
) -> Result<PathBuf, ImportFailure> {
    let path = cwd.join(value);
    if path.is_file() || value.contains('/') || value.ends_with(".jsonl") {
        return Ok(path);
    }
    let key = value.to_lowercase();
    let has_id = |found: &FoundConversation| {
        !key.is_empty() && found.facts.id.as_ref().is_some_and(|id| id.to_lowercase().starts_with(&key))
    };
    let all = Source::ALL.into_iter();
    let mut found = all.flat_map(|source| discover_in(source, &directory(source, directories, environment)));
    found.find(has_id).map(|found| found.path).ok_or_else(|| ImportFailure::Unknown(value.to_owned()))
}

/// What the user should know about an import.
pub(crate) fn remarks(saved: &Saved) -> Vec<String> {
    let report = &saved.imported.report;
    let mut remarks = Vec::new();
    if report.unreadable > 0 {
        remarks.push(format!("Skipped unreadable lines of the imported session: {}", report.unreadable));
    }
    remarks.extend(report.notes.iter().cloned());
    remarks
}

fn real(path: &Path) -> PathBuf {
    path.canonicalize().unwrap_or_else(|_| path.to_owned())
}
