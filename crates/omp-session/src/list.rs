//! Listing sessions, by the first and last kilobytes of their files.

use std::fs::DirEntry;
use std::io;
use std::path::{Path, PathBuf};
use std::time::SystemTime;

use crate::layout::EXTENSION;
use crate::legacy;
use crate::sessions::Sessions;
use crate::slice::{self, Head};

/// More files than this are not looked into; the most recently modified come first.
const MOST_FILES: usize = 10_000;

/// Files are looked into by this many threads, if there are enough of them.
const WORKERS: usize = 16;
const WORTH_WORKERS: usize = 100;

/// Names in compact lists are cut to this many characters.
const NAME_LENGTH: usize = 40;

/// What is shown for a session whose first message is not known.
pub const NO_MESSAGES: &str = "(no messages)";

/// A session in a list.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct SessionInfo {
    pub path: PathBuf,
    pub id: String,
    pub cwd: PathBuf,
    /// The session's name, else the last short summary near the beginning of the file.
    pub title: Option<String>,
    pub parent_session: Option<String>,
    /// The first prompt, perhaps cut, or [`NO_MESSAGES`].
    pub first_message: String,
    /// Messages near the beginning of the file; there may be more.
    pub message_count: usize,
    /// The text of those messages.
    pub all_messages_text: String,
    /// ISO 8601, as the header has it.
    pub created: String,
    pub modified: SystemTime,
    pub status: Status,
}

/// How a session ended.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Status {
    /// The model had the last word.
    Complete,
    /// A tool was called or had answered, and the model did not go on.
    Interrupted,
    Aborted,
    Error,
    /// A prompt has no answer.
    Pending,
    Unknown,
}

/// A file that may be a session.
pub(crate) struct Candidate {
    pub(crate) path: PathBuf,
    pub(crate) modified: SystemTime,
    length: u64,
}

impl Sessions {
    /// The sessions of a project, the most recently modified first. A directory or file that cannot be read counts
    /// as empty.
    pub fn list(&self, cwd: &Path) -> Vec<SessionInfo> {
        infos(&candidates(&[self.dir_for(cwd)]))
    }

    /// The sessions of all projects, the most recently modified first.
    pub fn list_all(&self) -> Vec<SessionInfo> {
        infos(&self.all_candidates())
    }

    /// The most recently modified sessions of a project, at most `limit`. Of each file only the beginning is read,
    /// so how a session ended is not known.
    pub fn recent(&self, cwd: &Path, limit: usize) -> Vec<SessionInfo> {
        let files = candidates(&[self.dir_for(cwd)]).into_iter();
        files.filter_map(|file| file.info_of_head().ok().flatten()).take(limit).collect()
    }

    pub(crate) fn all_candidates(&self) -> Vec<Candidate> {
        legacy::adopt(&self.root);
        let projects = std::fs::read_dir(self.root.path()).into_iter().flatten().flatten();
        let directories: Vec<PathBuf> = projects.map(|project| project.path()).collect();
        candidates(&directories)
    }
}

/// Session files in some directories, the most recently modified first.
pub(crate) fn candidates(directories: &[PathBuf]) -> Vec<Candidate> {
    let files = directories.iter().flat_map(|directory| std::fs::read_dir(directory).into_iter().flatten());
    let files: Vec<DirEntry> = files.flatten().filter(is_named_like_one).collect();
    let mut found = at_once(&files, |file| Candidate::new(file).ok().flatten());
    // The name decides between files of the same moment: it begins with the time of creation.
    found.sort_by(|a, b| (b.modified, &b.path).cmp(&(a.modified, &a.path)));
    found.truncate(MOST_FILES);
    found
}

/// The order of the candidates is kept.
fn infos(candidates: &[Candidate]) -> Vec<SessionInfo> {
    at_once(candidates, |candidate| candidate.info().ok().flatten())
}

/// What can be made of all items, in their order. Looking at files that are not in memory is waiting, so there are more
/// workers than cores.
fn at_once<T: Sync, R: Send>(items: &[T], look: impl Fn(&T) -> Option<R> + Sync) -> Vec<R> {
    let look = &look;
    if items.len() < WORTH_WORKERS {
        return items.iter().filter_map(look).collect();
    }
    std::thread::scope(|scope| {
        let parts = items.chunks(items.len().div_ceil(WORKERS));
        let running: Vec<_> =
            parts.map(|part| scope.spawn(move || part.iter().filter_map(look).collect::<Vec<R>>())).collect();
        running.into_iter().flat_map(|worker| worker.join().unwrap_or_default()).collect()
    })
}

fn is_named_like_one(file: &DirEntry) -> bool {
    Path::new(&file.file_name()).extension().is_some_and(|extension| extension == EXTENSION)
}

impl Candidate {
    fn new(file: &DirEntry) -> io::Result<Option<Self>> {
        let path = file.path();
        // Looked up in the directory that is open, which is quicker than by the whole path.
        let mut metadata = file.metadata()?;
        if metadata.is_symlink() {
            metadata = std::fs::metadata(&path)?;
        }
        if !metadata.is_file() {
            return Ok(None);
        }
        Ok(Some(Self { modified: metadata.modified()?, length: metadata.len(), path }))
    }

    /// The beginning of the file; `None` if it is no session.
    pub(crate) fn head(&self) -> io::Result<Option<Head>> {
        Head::read(&slice::open(&self.path)?)
    }

    fn info(&self) -> io::Result<Option<SessionInfo>> {
        let file = slice::open(&self.path)?;
        let Some(head) = Head::read(&file)? else { return Ok(None) };
        Ok(Some(SessionInfo { status: slice::status(&file, self.length)?, ..self.described(head) }))
    }

    fn info_of_head(&self) -> io::Result<Option<SessionInfo>> {
        let head = self.head()?;
        Ok(head.map(|head| self.described(head)))
    }

    fn described(&self, head: Head) -> SessionInfo {
        let first = head.first_user_text.filter(|text| !text.trim().is_empty());
        SessionInfo {
            status: Status::Unknown,
            path: self.path.clone(),
            id: head.header.id,
            cwd: head.header.cwd.into(),
            title: head.header.title.or(head.short_summary),
            parent_session: head.header.parent_session,
            first_message: first.unwrap_or_else(|| NO_MESSAGES.to_owned()),
            message_count: head.messages,
            all_messages_text: head.text,
            created: head.header.timestamp,
            modified: self.modified,
        }
    }
}

impl SessionInfo {
    /// A name for compact lists: the title, else the first prompt, else the id, else the file's name.
    pub fn name(&self) -> String {
        let prompt = Some(self.first_message.as_str()).filter(|text| *text != NO_MESSAGES);
        let file = self.path.file_name().map(|name| name.to_string_lossy()).unwrap_or_default();
        let names = [self.title.as_deref(), prompt, Some(&self.id), Some(&file)];
        names.into_iter().flatten().map(one_line).find(|name| !name.is_empty()).unwrap_or_default()
    }
}

fn one_line(text: &str) -> String {
    let visible: String = text.chars().map(|letter| if letter.is_control() { ' ' } else { letter }).collect();
    let words = visible.split_whitespace().collect::<Vec<_>>().join(" ");
    words.chars().take(NAME_LENGTH).collect::<String>().trim_end().to_owned()
}
