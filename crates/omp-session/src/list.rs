//! Listing sessions, by the first and last kilobytes of their files.

use std::collections::HashMap;
use std::fs::{DirEntry, Metadata};
use std::io;
use std::path::{Path, PathBuf};
use std::sync::OnceLock;
use std::time::SystemTime;

use serde::{Deserialize, Serialize, Serializer};

use crate::layout::EXTENSION;
use crate::legacy;
use crate::listing::{Listing, Shown, Stamp, WORTH_REMEMBERING};
use crate::sessions::Sessions;
use crate::slice::{self, Head, Tail};

/// More sessions than this are not listed; the most recently modified come first.
pub const MOST_LISTED: usize = 10_000;

/// Files are looked into by this many threads, if there are enough of them.
const WORKERS: usize = 16;
const WORTH_WORKERS: usize = 100;

/// Names in compact lists are cut to this many characters.
const NAME_LENGTH: usize = 40;

/// First prompts are cut to this many.
const PROMPT_LENGTH: usize = 1000;

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
    pub all_messages_text: MessagesText,
    /// ISO 8601, as the header has it.
    pub created: String,
    pub modified: SystemTime,
    pub status: Status,
}

/// The text of the messages near the beginning of a session file, which is read when it is asked for.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct MessagesText {
    path: PathBuf,
    text: OnceLock<String>,
}

impl MessagesText {
    /// The text; empty if the file has gone meanwhile.
    pub fn get(&self) -> &str {
        self.text.get_or_init(|| {
            let head = slice::open(&self.path).and_then(|file| Head::read(&file));
            head.ok().flatten().map(|head| head.text).unwrap_or_default()
        })
    }
}

impl From<&str> for MessagesText {
    fn from(text: &str) -> Self {
        Self { path: PathBuf::new(), text: OnceLock::from(text.to_owned()) }
    }
}

impl Serialize for MessagesText {
    fn serialize<S: Serializer>(&self, serializer: S) -> Result<S::Ok, S::Error> {
        self.get().serialize(serializer)
    }
}

/// How a session ended.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Serialize, Deserialize)]
#[serde(rename_all = "camelCase")]
pub enum Status {
    /// The model had the last word.
    Complete,
    /// A tool was called or had answered, and the model did not continue.
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
    stamp: Stamp,
}

impl Sessions {
    /// The sessions of a project, the most recently modified first, at most [`MOST_LISTED`]. A directory or file that
    /// cannot be read counts as empty.
    pub fn list(&self, cwd: &Path) -> Vec<SessionInfo> {
        infos(first(&candidates(&[self.dir_for(cwd)])), SystemTime::now())
    }

    /// The sessions of all projects, the most recently modified first, at most [`MOST_LISTED`].
    pub fn list_all(&self) -> Vec<SessionInfo> {
        infos(first(&self.all_candidates()), SystemTime::now())
    }

    /// The session files of a project, all of them, the most recently modified first. They are not looked into.
    pub fn files(&self, cwd: &Path) -> Vec<PathBuf> {
        paths(candidates(&[self.dir_for(cwd)]))
    }

    /// The session files of all projects, all of them, the most recently modified first. They are not looked into.
    pub fn files_of_all(&self) -> Vec<PathBuf> {
        paths(self.all_candidates())
    }

    /// What a list says about one file; `None` if it is no session.
    pub fn describe(&self, path: &Path) -> Option<SessionInfo> {
        let file = Candidate::at(path.to_owned(), &std::fs::metadata(path).ok()?).ok().flatten()?;
        let shown = file.look().ok().flatten()?;
        Some(file.described(shown))
    }

    /// The most recently modified sessions of a project, at most `limit`. Of each file only the beginning is read,
    /// so how a session ended is not known.
    pub fn recent(&self, cwd: &Path, limit: usize) -> Vec<SessionInfo> {
        let files = candidates(&[self.dir_for(cwd)]).into_iter();
        let heads = files.filter_map(|file| {
            let head = file.head().ok().flatten()?;
            Some(file.described(shown(head, Status::Unknown)))
        });
        heads.take(limit).collect()
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
    found
}

/// Those that are looked into.
pub(crate) fn first(candidates: &[Candidate]) -> &[Candidate] {
    &candidates[..candidates.len().min(MOST_LISTED)]
}

fn paths(candidates: Vec<Candidate>) -> Vec<PathBuf> {
    candidates.into_iter().map(|candidate| candidate.path).collect()
}

/// The order of the candidates is kept.
fn infos(candidates: &[Candidate], now: SystemTime) -> Vec<SessionInfo> {
    let mut directories: HashMap<&Path, (usize, Option<Listing>)> = HashMap::new();
    for candidate in candidates {
        directories.entry(candidate.directory()).or_default().0 += 1;
    }
    for (directory, (files, listing)) in &mut directories {
        *listing = (*files >= WORTH_REMEMBERING).then(|| Listing::read(directory));
    }
    let listing = |candidate: &Candidate| directories.get(candidate.directory())?.1.as_ref();
    // A file that could not be read is not remembered: the next time it may be.
    let found = at_once(candidates, |candidate| {
        let known = listing(candidate).and_then(|listing| listing.get(candidate.name()?, candidate.stamp));
        let shown = known.map_or_else(|| candidate.look(), Ok);
        shown.ok().map(|shown| (candidate, shown))
    });
    for (directory, (_, listing)) in &directories {
        let Some(listing) = listing else { continue };
        let here = found.iter().filter(|(candidate, _)| candidate.directory() == *directory);
        let named = here.filter_map(|(file, shown)| Some((file.name()?, file.stamp, shown.as_ref())));
        listing.remember(&named.collect::<Vec<_>>(), now);
    }
    found.into_iter().filter_map(|(candidate, shown)| Some(candidate.described(shown?))).collect()
}

/// What can be made of all items, in their order. Looking at files that are not in memory is waiting, so there are more
/// workers than cores.
fn at_once<'a, T: Sync, R: Send>(items: &'a [T], look: impl Fn(&'a T) -> Option<R> + Sync) -> Vec<R> {
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
        Self::at(path, &metadata)
    }

    fn at(path: PathBuf, metadata: &Metadata) -> io::Result<Option<Self>> {
        if !metadata.is_file() {
            return Ok(None);
        }
        let stamp = Stamp::of(metadata);
        Ok(Some(Self { modified: metadata.modified()?, length: metadata.len(), stamp, path }))
    }

    fn directory(&self) -> &Path {
        self.path.parent().unwrap_or(&self.path)
    }

    fn name(&self) -> Option<&str> {
        self.path.file_name().and_then(|name| name.to_str())
    }

    /// The beginning of the file; `None` if it is no session.
    pub(crate) fn head(&self) -> io::Result<Option<Head>> {
        Head::read(&slice::open(&self.path)?)
    }

    /// What both ends of the file tell; `None` if it is no session.
    fn look(&self) -> io::Result<Option<Shown>> {
        let file = slice::open(&self.path)?;
        let Some(mut head) = Head::read(&file)? else { return Ok(None) };
        let tail = Tail::read(&file, self.length)?;
        head.rename(tail.name);
        Ok(Some(shown(head, tail.status)))
    }

    fn described(&self, shown: Shown) -> SessionInfo {
        SessionInfo {
            path: self.path.clone(),
            id: shown.id,
            cwd: shown.cwd,
            title: shown.title,
            parent_session: shown.parent,
            first_message: shown.first.unwrap_or_else(|| NO_MESSAGES.to_owned()),
            message_count: shown.messages,
            all_messages_text: MessagesText { path: self.path.clone(), text: OnceLock::new() },
            created: shown.created,
            modified: self.modified,
            status: shown.status,
        }
    }
}

fn shown(head: Head, status: Status) -> Shown {
    let cut = |text: String| text.chars().take(PROMPT_LENGTH).collect();
    Shown {
        status,
        id: head.header.id,
        cwd: head.header.cwd.into(),
        title: head.header.title.or(head.short_summary),
        parent: head.header.parent_session,
        first: head.first_user_text.filter(|text| !text.trim().is_empty()).map(cut),
        messages: head.messages,
        created: head.header.timestamp,
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

#[cfg(test)]
mod tests {
    use std::time::Duration;

    use super::*;
    use crate::listing;

    const FILES: usize = WORTH_REMEMBERING + 6;

    fn directory() -> tempfile::TempDir {
        let directory = tempfile::tempdir().unwrap();
        for number in 0..FILES {
            write(directory.path(), number, "first");
        }
        std::fs::write(directory.path().join("none.jsonl"), "no session").unwrap();
        directory
    }

    fn write(directory: &Path, number: usize, title: &str) {
        let header = format!(
            r#"{{"type":"session","version":3,"id":"{number:03}","timestamp":"t","cwd":"/p","title":"{title}"}}"#
        );
        std::fs::write(directory.join(format!("{number:03}.jsonl")), header + "\n").unwrap();
    }

    fn titles(directory: &Path, now: SystemTime) -> Vec<String> {
        let mut found = infos(&candidates(&[directory.to_owned()]), now);
        found.sort_by(|a, b| a.id.cmp(&b.id));
        found.into_iter().map(|info| info.title.unwrap()).collect()
    }

    fn later() -> SystemTime {
        SystemTime::now() + Duration::from_secs(60)
    }

    #[test]
    fn a_remembered_file_is_not_opened_and_a_changed_one_is() {
        let directory = directory();
        let remembered = directory.path().join(listing::FILE);
        titles(directory.path(), SystemTime::now());
        assert!(!remembered.exists() || std::fs::metadata(&remembered).unwrap().len() == 0, "just written");
        titles(directory.path(), later());
        // What is remembered says something else than the files, so it shows which of them were opened.
        let text = std::fs::read_to_string(&remembered).unwrap();
        assert_eq!(text.lines().count(), FILES + 1);
        std::fs::write(&remembered, text.replace("\"first\"", "\"other\"")).unwrap();
        write(directory.path(), 7, "third");
        let found = titles(directory.path(), later());
        assert_eq!(found.iter().filter(|title| *title == "other").count(), FILES - 1);
        assert_eq!((found.len(), found[7].as_str()), (FILES, "third"));
    }

    #[test]
    fn a_damaged_memory_changes_nothing() {
        let directory = directory();
        titles(directory.path(), later());
        let remembered = directory.path().join(listing::FILE);
        let whole = std::fs::read(&remembered).unwrap();
        for cut in (0..whole.len()).step_by(97) {
            std::fs::write(&remembered, [&whole[..cut], &[0; 50]].concat()).unwrap();
            assert_eq!(titles(directory.path(), SystemTime::now()), vec!["first"; FILES]);
        }
        std::fs::remove_file(&remembered).unwrap();
        std::fs::create_dir(&remembered).unwrap();
        assert_eq!(titles(directory.path(), later()), vec!["first"; FILES]);
    }
}
