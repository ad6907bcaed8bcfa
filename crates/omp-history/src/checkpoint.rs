//! Checkpoints: taking them, closing them, letting the oldest go.

use std::collections::{BTreeMap, BTreeSet};
use std::path::{Path, PathBuf};

use crate::blobs::Blobs;
use crate::commits::{absolute, is_nested};
use crate::current_files::Looks;
use crate::error::HistoryError;
use crate::file_state::{FileState, Reason};
use crate::git::{Git, Status};
use crate::history::now_ms;
use crate::ignored::is_ignored;
use crate::journal::{Journal, Line};
use crate::limits::Limits;
use crate::link_targets::places;
use crate::options::Options;
use crate::timeline::{Event, Files, Known, Mark, Moment, Timeline};

/// What becomes of a declared file that git ignores.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) enum Ignored {
    /// It is named, and not kept.
    Left,
    /// It is kept as any other.
    Kept,
}

/// What a history has, behind a lock.
pub(crate) struct Inner {
    directory: PathBuf,
    /// Where the session works, behind all links.
    pub(crate) cwd: PathBuf,
    pub(crate) largest: u64,
    pub(crate) most_bytes: u64,
    pub(crate) limits: Limits,
    pub(crate) journal: Journal,
    pub(crate) timeline: Timeline,
    pub(crate) blobs: Blobs,
    pub(crate) looks: Looks,
    /// Files that tools changed in this session.
    pub(crate) declared: BTreeSet<String>,
    /// Where git was of no help since somebody last asked.
    pub(crate) trouble: Option<HistoryError>,
    /// Prompts whose checkpoints could not be taken, as long as the journal does not say so.
    pub(crate) lost: BTreeSet<String>,
    loaded: bool,
    /// The journal on disk is damaged, and is replaced before anything is added to it.
    pub(crate) damaged: bool,
    pub(crate) on: bool,
    /// Something is under way that changes files.
    pub(crate) open: bool,
}

/// A checkpoint that is about to be taken.
pub(crate) struct Opening<'a> {
    pub(crate) entry: String,
    pub(crate) at: u64,
    pub(crate) git: Option<&'a Git>,
    pub(crate) status: Option<Status>,
}

/// What should be said about a checkpoint.
#[derive(Default)]
pub(crate) struct Outcome {
    /// How many files differ, if those are too many.
    pub(crate) crowd: Option<usize>,
    /// Some files have names that are no text.
    pub(crate) unnameable: bool,
}

/// Whether contents are kept when files are looked at.
#[derive(Clone, Copy, PartialEq, Eq)]
pub(crate) enum Keep {
    Contents,
    Nothing,
}

impl Inner {
    pub(crate) fn new(options: &Options, limits: Limits) -> Self {
        let Options { directory, cwd, largest_file, most_bytes, .. } = options;
        Self {
            directory: directory.clone(),
            cwd: std::fs::canonicalize(cwd).unwrap_or_else(|_| cwd.clone()),
            largest: *largest_file,
            most_bytes: *most_bytes,
            limits,
            journal: Journal::new(directory.join("journal")),
            timeline: Timeline::default(),
            blobs: Blobs::new(directory.join("contents"), *largest_file),
            looks: Looks::default(),
            declared: BTreeSet::new(),
            trouble: None,
            lost: BTreeSet::new(),
            loaded: false,
            damaged: false,
            on: true,
            open: false,
        }
    }

    /// Reads what an earlier run of the session left, or another one wrote meanwhile; `false` if there is nothing new.
    pub(crate) fn load(&mut self) -> Result<bool, HistoryError> {
        if self.loaded && (self.open || self.journal.is_as_left()) {
            return Ok(false);
        }
        let read = self.journal.read()?;
        self.timeline = read.timeline;
        self.timeline.seal();
        self.timeline.forgotten.extend(self.lost.iter().cloned());
        self.damaged = read.damaged;
        self.on = read.switched.unwrap_or(true);
        self.declared = self.timeline.named_from(0);
        self.blobs.look_again();
        self.loaded = true;
        Ok(true)
    }

    pub(crate) fn is_open(&self) -> bool {
        self.open
    }

    pub(crate) fn is_on(&mut self) -> Result<bool, HistoryError> {
        Ok(self.on)
    }

    pub(crate) fn switch(&mut self, on: bool) -> Result<(), HistoryError> {
        self.on = on;
        self.write(&Line::Switched { on })
    }

    pub(crate) fn write(&mut self, line: &Line) -> Result<(), HistoryError> {
        if self.damaged || self.journal.is_gone() {
            self.journal.replace(&self.timeline, self.on)?;
            self.damaged = false;
        }
        if !self.lost.is_empty() {
            self.journal.append(&Line::Forgotten { entries: self.lost.clone() })?;
            self.lost.clear();
        }
        self.journal.append(line)
    }

    /// What the last look saw of a file.
    pub(crate) fn saved(&self, path: &Path) -> Option<FileState> {
        match self.timeline.latest(path.to_str()?) {
            Known::Is(state) => Some(state),
            _ => None,
        }
    }

    /// Takes the checkpoint of a prompt.
    pub(crate) fn open(&mut self, opening: Opening<'_>) -> Result<Outcome, HistoryError> {
        let Opening { entry, at, git, status } = opening;
        if !self.on {
            self.forget(entry)?;
            return Ok(Outcome::default());
        }
        let unnameable = status.as_ref().is_some_and(|status| status.unnameable);
        self.look_around(Event::Prompt { entry }, at, git, status, Keep::Contents)?;
        self.open = true;
        let crowd = self.timeline.moments.last().and_then(|moment| moment.crowd);
        Ok(Outcome { crowd, unnameable })
    }

    /// What became of the files.
    pub(crate) fn settle(&mut self, git: Option<&Git>, status: Option<Status>) -> Result<(), HistoryError> {
        if !self.open {
            return Ok(());
        }
        self.open = false;
        let looked = self.look_around(Event::Settled, now_ms(), git, status, Keep::Nothing);
        if looked.is_err() {
            self.give_up();
        }
        looked.and_then(|()| self.trim())
    }

    /// What is under way is not seen to its end.
    pub(crate) fn give_up(&mut self) {
        self.open = false;
        self.timeline.seal();
        self.journal.miss();
    }

    /// A tool is about to change a file. What that leaves to say.
    pub(crate) fn declare(
        &mut self,
        path: &Path,
        git: Option<&Git>,
        ignored: Ignored,
    ) -> Result<Outcome, HistoryError> {
        let mut outcome = Outcome::default();
        if !self.open {
            return Ok(outcome);
        }
        for place in places(path) {
            match place.to_str() {
                // The program's own files are no work of the user.
                _ if place.starts_with(&self.directory) => {}
                Some(key) => self.declare_one(&place, key.to_owned(), git, ignored)?,
                None => outcome.unnameable = true,
            }
        }
        Ok(outcome)
    }

    fn declare_one(
        &mut self,
        path: &Path,
        key: String,
        git: Option<&Git>,
        ignored: Ignored,
    ) -> Result<(), HistoryError> {
        let unknown_to_git = git.is_some_and(|git| is_ignored(git.root(), path));
        let ignored = ignored == Ignored::Left && unknown_to_git;
        let nested = git.is_some_and(|git| is_nested(git.root(), path));
        let known = self.timeline.latest(&key);
        self.declared.insert(key.clone());
        let unchanged = matches!(known, Known::AsIn(_)) && !nested;
        let state = match known {
            _ if self.timeline.names(&key) => return Ok(()),
            _ if ignored => FileState::Unkept { why: Reason::Ignored, mark: String::new() },
            // Nobody else has it. What it is now is nearer to what it was than nothing.
            Known::AsIn(_) if unknown_to_git => self.looks.look(path, self.largest, Some(&mut self.blobs))?,
            // It may have been changed since git was asked; then git knows what it was.
            Known::AsIn(_) | Known::Is(_) if !nested && !self.is_as_before(path) => return Ok(()),
            _ => self.looks.look(path, self.largest, Some(&mut self.blobs))?,
        };
        let files: Files = BTreeMap::from([(key, state)]);
        self.write(&Line::Declared { files: files.clone(), unchanged })?;
        self.timeline.add(files, unchanged);
        Ok(())
    }

    /// Is the file as it was when the checkpoint was taken?
    fn is_as_before(&self, path: &Path) -> bool {
        self.timeline.moments.last().is_some_and(|last| Looks::unchanged_since(path, last.at))
    }

    /// Looks at every file that matters and writes down what differs from the last time.
    pub(crate) fn look_around(
        &mut self,
        event: Event,
        at: u64,
        git: Option<&Git>,
        status: Option<Status>,
        keep: Keep,
    ) -> Result<(), HistoryError> {
        let (git, status) = git.zip(status).unzip();
        let mut paths = self.declared.clone();
        if let (Some(git), Some(status)) = (git, &status) {
            paths.extend(status.paths.iter().take(self.limits.files).filter_map(|path| absolute(git, path)));
        }
        let different = status.as_ref().map(|status| status.paths.len());
        let crowd = different.filter(|different| *different > self.limits.files);
        let wanted = match &event {
            Event::Restore { paths, .. } | Event::Redo { paths, .. } => paths.iter().cloned().collect(),
            _ => BTreeSet::new(),
        };
        let files = self.files(paths, &wanted, keep)?;
        let mark = git.filter(|_| crowd.is_none()).zip(status).and_then(|(git, status)| {
            Some(Mark { root: git.root().to_str()?.to_owned(), head: status.head })
        });
        let moment = Moment { crowd, ..self.timeline.moment(event, at, mark, &files) };
        self.write(&Line::Moment(moment.clone()))?;
        self.timeline.push(moment);
        Ok(())
    }

    /// What files are; `wanted` are looked at in any case.
    fn files(
        &mut self,
        paths: BTreeSet<String>,
        wanted: &BTreeSet<String>,
        keep: Keep,
    ) -> Result<Files, HistoryError> {
        let mut files = Files::new();
        let mut bytes = 0;
        for path in paths {
            let wanted = wanted.contains(&path);
            if let Known::Is(state @ FileState::Unkept { why: Reason::Ignored, .. }) =
                self.timeline.latest(&path)
                && !wanted
            {
                files.insert(path, state);
                continue;
            }
            let state = match bytes > self.limits.bytes && !wanted {
                true => FileState::Unkept { why: Reason::TooMany, mark: String::new() },
                false => {
                    let blobs = (keep == Keep::Contents).then_some(&mut self.blobs);
                    self.looks.look(Path::new(&path), self.largest, blobs)?
                }
            };
            if let FileState::File { size, .. } = &state {
                bytes += size;
            }
            files.insert(path, state);
        }
        Ok(files)
    }
}
