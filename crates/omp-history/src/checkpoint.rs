//! Checkpoints: taking them, closing them, letting the oldest go.

use std::collections::{BTreeMap, BTreeSet};
use std::path::{Path, PathBuf};

use crate::blobs::Blobs;
use crate::error::HistoryError;
use crate::git::{Git, Status};
use crate::history::{Options, now_ms};
use crate::ignored::is_ignored;
use crate::journal::{Journal, Line};
use crate::look::Looks;
use crate::plan::{MOST_FILES, Plan, Remembered, World, absolute};
use crate::restoring::{Others, Restored, chosen};
use crate::state::{Reason, State};
use crate::timeline::{Event, Files, Known, Mark, Timeline};

/// Prompts with changes that are remembered.
const MOST_PROMPTS: usize = 200;
/// Bytes that one checkpoint looks at.
const MOST_AT_ONCE: u64 = 128 * 1024 * 1024;

/// What a history has, behind a lock.
pub(crate) struct Inner {
    directory: PathBuf,
    floor: PathBuf,
    pub(crate) largest: u64,
    most_bytes: u64,
    journal: Journal,
    timeline: Timeline,
    pub(crate) blobs: Blobs,
    pub(crate) looks: Looks,
    /// Files that tools changed in this session.
    declared: BTreeSet<String>,
    loaded: bool,
    on: bool,
    /// Something is under way that changes files.
    open: bool,
}

/// A checkpoint that is about to be taken.
pub(crate) struct Opening<'a> {
    pub(crate) entry: String,
    pub(crate) at: u64,
    pub(crate) git: Option<&'a Git>,
    pub(crate) status: Option<Status>,
}

/// What should be said about a checkpoint.
pub(crate) struct Outcome {
    /// How many files differ, if that was too many.
    pub(crate) too_many: usize,
}

/// Whether contents are kept when files are looked at.
#[derive(Clone, Copy, PartialEq, Eq)]
enum Keep {
    Contents,
    Nothing,
}

impl Inner {
    pub(crate) fn new(options: &Options) -> Self {
        let Options { directory, cwd, largest_file, most_bytes, .. } = options;
        Self {
            directory: directory.clone(),
            floor: std::fs::canonicalize(cwd).unwrap_or_else(|_| cwd.clone()),
            largest: *largest_file,
            most_bytes: *most_bytes,
            journal: Journal::new(directory.join("journal.jsonl")),
            timeline: Timeline::default(),
            blobs: Blobs::new(directory.join("contents"), *largest_file),
            looks: Looks::default(),
            declared: BTreeSet::new(),
            loaded: false,
            on: true,
            open: false,
        }
    }

    /// Reads what an earlier run of the session left; `true` the first time.
    pub(crate) fn load(&mut self) -> Result<bool, HistoryError> {
        if self.loaded {
            return Ok(false);
        }
        let read = self.journal.read()?;
        self.timeline = read.timeline;
        self.on = read.switched.unwrap_or(true);
        self.declared = self.timeline.named_from(0);
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
        self.journal.append(&Line::Switched { on })
    }

    /// Takes the checkpoint of a prompt.
    pub(crate) fn open(&mut self, opening: Opening<'_>) -> Result<Outcome, HistoryError> {
        let Opening { entry, at, git, status } = opening;
        if !self.on {
            return Ok(Outcome { too_many: 0 });
        }
        let too_many = status.as_ref().map_or(0, |status| status.paths.len());
        self.look_around(Event::Prompt { entry }, at, git, status, Keep::Contents)?;
        self.open = true;
        Ok(Outcome { too_many: if too_many > MOST_FILES { too_many } else { 0 } })
    }

    /// What became of the files.
    pub(crate) fn settle(&mut self, git: Option<&Git>, status: Option<Status>) -> Result<(), HistoryError> {
        if !self.open {
            return Ok(());
        }
        self.open = false;
        self.look_around(Event::Settled, now_ms(), git, status, Keep::Nothing)?;
        self.trim()
    }

    /// A tool is about to change a file.
    pub(crate) fn declare(&mut self, path: &Path, git: Option<&Git>) -> Result<(), HistoryError> {
        if !self.open {
            return Ok(());
        }
        let path = real(path);
        let Some(key) = path.to_str().map(str::to_owned) else { return Ok(()) };
        // The program's own files are no work of the user.
        if path.starts_with(&self.directory) {
            return Ok(());
        }
        let ignored = git.is_some_and(|git| is_ignored(git.root(), &path));
        let known = self.timeline.latest(&key);
        self.declared.insert(key.clone());
        let state = match known {
            Known::Is(_) => return Ok(()),
            _ if ignored => State::Unkept { why: Reason::Ignored, mark: String::new() },
            Known::AsIn(_) => return Ok(()),
            Known::Unknown => self.looks.look(&path, self.largest, Some(&mut self.blobs))?,
        };
        let files: Files = BTreeMap::from([(key, state)]);
        self.journal.append(&Line::Declared { files: files.clone() })?;
        self.timeline.add(files);
        Ok(())
    }

    /// Looks at every file that matters and writes down what differs from the last time.
    fn look_around(
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
            paths.extend(status.paths.iter().take(MOST_FILES).filter_map(|path| absolute(git, path)));
        }
        let complete = status.as_ref().is_some_and(|status| status.paths.len() <= MOST_FILES);
        let files = self.files(paths, keep)?;
        let mark = git.filter(|_| complete).zip(status).and_then(|(git, status)| {
            Some(Mark { root: git.root().to_str()?.to_owned(), head: status.head })
        });
        let moment = self.timeline.moment(event, at, mark, &files);
        self.journal.append(&Line::Moment(moment.clone()))?;
        self.timeline.push(moment);
        Ok(())
    }

    fn files(&mut self, paths: BTreeSet<String>, keep: Keep) -> Result<Files, HistoryError> {
        let mut files = Files::new();
        let mut bytes = 0;
        for path in paths {
            if let Known::Is(state @ State::Unkept { why: Reason::Ignored, .. }) = self.timeline.latest(&path)
            {
                files.insert(path, state);
                continue;
            }
            let state = match bytes > MOST_AT_ONCE {
                true => State::Unkept { why: Reason::TooMany, mark: String::new() },
                false => {
                    let blobs = (keep == Keep::Contents).then_some(&mut self.blobs);
                    self.looks.look(Path::new(&path), self.largest, blobs)?
                }
            };
            if let State::File { size, .. } = &state {
                bytes += size;
            }
            files.insert(path, state);
        }
        Ok(files)
    }

    /// Lets the oldest checkpoints go until what is kept is within its limits.
    fn trim(&mut self) -> Result<(), HistoryError> {
        let mut trimmed = false;
        while self.timeline.prompts() > MOST_PROMPTS || self.blobs.bytes()? > self.most_bytes {
            if !self.timeline.forget_oldest() {
                break;
            }
            trimmed = true;
            if self.timeline.prompts() <= MOST_PROMPTS {
                // The journal first: what it names must be there, whenever the program ends.
                self.journal.replace(&self.timeline, self.on)?;
                self.blobs.retain(&self.timeline.hashes())?;
            }
        }
        match trimmed {
            true => self.blobs.retain(&self.timeline.hashes()),
            false => Ok(()),
        }
    }

    /// Forgets everything.
    pub(crate) fn clear(&mut self) -> Result<usize, HistoryError> {
        let prompts = self.timeline.prompts();
        let entries = self.timeline.moments.iter().filter_map(|moment| match &moment.event {
            Event::Prompt { entry } => Some(entry.clone()),
            _ => None,
        });
        let forgotten = self.timeline.forgotten.iter().cloned().chain(entries).collect();
        self.timeline = Timeline::default();
        self.timeline.forgotten = forgotten;
        self.declared.clear();
        self.open = false;
        self.journal.replace(&self.timeline, self.on)?;
        self.blobs.retain(&self.timeline.hashes())?;
        Ok(prompts)
    }
}

impl Inner {
    pub(crate) fn counts(
        &mut self,
        prompts: &[String],
        git: Option<&Git>,
        status: Option<&Status>,
    ) -> Result<Vec<Option<usize>>, HistoryError> {
        let moments: Vec<Moment> = prompts.iter().map(|entry| self.moment_of(prompts, entry)).collect();
        let mut world = self.world(git, status);
        let mut known: BTreeMap<usize, usize> = BTreeMap::new();
        let mut counts = Vec::with_capacity(moments.len());
        for moment in moments {
            counts.push(match moment {
                Moment::Forgotten => None,
                Moment::Nothing => Some(0),
                Moment::At(moment) => match known.get(&moment) {
                    Some(count) => Some(*count),
                    None => {
                        let count = world.plan(moment)?.files();
                        known.insert(moment, count);
                        Some(count)
                    }
                },
            });
        }
        Ok(counts)
    }

    pub(crate) fn plan(
        &mut self,
        prompts: &[String],
        entry: &str,
        git: Option<&Git>,
        status: Option<&Status>,
    ) -> Result<Plan, HistoryError> {
        match self.moment_of(prompts, entry) {
            Moment::Forgotten => Err(HistoryError::NoCheckpoint),
            Moment::Nothing => Ok(Plan::default()),
            Moment::At(moment) => self.world(git, status).plan(moment),
        }
    }

    pub(crate) fn restore(
        &mut self,
        plan: Plan,
        others: Others,
        leaf: Option<String>,
        git: Option<&Git>,
        status: Option<Status>,
    ) -> Result<Restored, HistoryError> {
        let (changes, mut restored) = chosen(plan, others);
        let paths: Vec<String> =
            changes.iter().map(|change| change.path.to_string_lossy().into_owned()).collect();
        self.declared.extend(paths.iter().cloned());
        // Whatever comes of it, what is there now can be had again.
        self.look_around(Event::Restore { paths, leaf }, now_ms(), git, status, Keep::Contents)?;
        self.open = true;
        let floor = git.map_or_else(|| self.floor.clone(), |git| git.root().to_owned());
        self.carry_out(changes, git, &floor, &mut restored);
        Ok(restored)
    }

    pub(crate) fn redo(
        &mut self,
        others: Others,
        git: Option<&Git>,
        status: Option<Status>,
    ) -> Result<Restored, HistoryError> {
        let moment = self.timeline.last_restore().ok_or(HistoryError::NothingToRedo)?;
        let Event::Restore { paths, leaf } = self.timeline.moments[moment].event.clone() else {
            return Err(HistoryError::NothingToRedo);
        };
        let plan = self.world(git, status.as_ref()).plan_of(moment, &paths)?;
        let (changes, mut restored) = chosen(plan, others);
        self.look_around(Event::Redo, now_ms(), git, status, Keep::Contents)?;
        self.open = true;
        let floor = git.map_or_else(|| self.floor.clone(), |git| git.root().to_owned());
        self.carry_out(changes, git, &floor, &mut restored);
        restored.leaf = leaf;
        Ok(restored)
    }

    fn world<'a>(&'a mut self, git: Option<&'a Git>, status: Option<&Status>) -> World<'a> {
        let different = git.zip(status).map(|(git, status)| {
            status.paths.iter().filter_map(|path| absolute(git, path)).collect::<BTreeSet<String>>()
        });
        World {
            timeline: &self.timeline,
            git,
            different: different.unwrap_or_default(),
            looks: &mut self.looks,
            largest: self.largest,
            known: Remembered::default(),
        }
    }

    /// The moment before a prompt. One that changed nothing is as the next that did.
    fn moment_of(&self, prompts: &[String], wanted: &str) -> Moment {
        let from_then_on = prompts.iter().skip_while(|entry| *entry != wanted);
        for entry in from_then_on {
            if self.timeline.forgotten.contains(entry) {
                return Moment::Forgotten;
            }
            if let Some(moment) = self.timeline.prompt(entry) {
                return Moment::At(moment);
            }
        }
        Moment::Nothing
    }
}

/// Where a prompt is on the timeline.
#[derive(Clone, Copy)]
enum Moment {
    At(usize),
    /// Nothing changed from then on.
    Nothing,
    /// It is no longer kept.
    Forgotten,
}

/// The file behind all links. What is not there yet is named by the directory it will be in.
fn real(path: &Path) -> PathBuf {
    if let Ok(real) = std::fs::canonicalize(path) {
        return real;
    }
    for above in path.ancestors().skip(1) {
        if let (Ok(real), Ok(rest)) = (std::fs::canonicalize(above), path.strip_prefix(above)) {
            return real.join(rest);
        }
    }
    path.to_owned()
}
