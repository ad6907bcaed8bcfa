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
use crate::plan::{Change, MOST_FILES, Plan, Remembered, World, absolute, is_nested};
use crate::restoring::{Others, Restored, chosen};
use crate::state::{Reason, State};
use crate::timeline::{Event, Files, Known, Mark, Timeline};

/// Prompts with changes that are remembered.
const MOST_PROMPTS: usize = 200;
/// More links than this, one behind the other, are a loop.
const MOST_LINKS: usize = 40;
/// Bytes that one checkpoint looks at.
const MOST_AT_ONCE: u64 = 128 * 1024 * 1024;

/// What a history has, behind a lock.
pub(crate) struct Inner {
    directory: PathBuf,
    /// Where the session works, behind all links.
    pub(crate) cwd: PathBuf,
    pub(crate) largest: u64,
    most_bytes: u64,
    journal: Journal,
    timeline: Timeline,
    pub(crate) blobs: Blobs,
    pub(crate) looks: Looks,
    /// Files that tools changed in this session.
    declared: BTreeSet<String>,
    loaded: bool,
    /// The journal on disk is damaged, and is replaced before anything is added to it.
    damaged: bool,
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
#[derive(Default)]
pub(crate) struct Outcome {
    /// How many files differ, if that was too many.
    pub(crate) too_many: usize,
    /// Some files have names that are no text.
    pub(crate) unnameable: bool,
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
            cwd: std::fs::canonicalize(cwd).unwrap_or_else(|_| cwd.clone()),
            largest: *largest_file,
            most_bytes: *most_bytes,
            journal: Journal::new(directory.join("journal")),
            timeline: Timeline::default(),
            blobs: Blobs::new(directory.join("contents"), *largest_file),
            looks: Looks::default(),
            declared: BTreeSet::new(),
            loaded: false,
            damaged: false,
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
        self.timeline.seal();
        self.damaged = read.damaged;
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
        self.write(&Line::Switched { on })
    }

    fn write(&mut self, line: &Line) -> Result<(), HistoryError> {
        if self.damaged {
            self.journal.replace(&self.timeline, self.on)?;
            self.damaged = false;
        }
        self.journal.append(line)
    }

    /// What the last look saw of a file.
    pub(crate) fn saved(&self, path: &Path) -> Option<State> {
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
        let too_many = status.as_ref().map_or(0, |status| status.paths.len());
        let unnameable = status.as_ref().is_some_and(|status| status.unnameable);
        self.look_around(Event::Prompt { entry }, at, git, status, Keep::Contents)?;
        self.open = true;
        Ok(Outcome { too_many: if too_many > MOST_FILES { too_many } else { 0 }, unnameable })
    }

    /// A prompt changes files, and nothing is kept of them.
    fn forget(&mut self, entry: String) -> Result<(), HistoryError> {
        if self.timeline.forgotten.insert(entry.clone()) {
            self.write(&Line::Forgotten { entries: BTreeSet::from([entry]) })?;
        }
        Ok(())
    }

    /// What became of the files.
    pub(crate) fn settle(&mut self, git: Option<&Git>, status: Option<Status>) -> Result<(), HistoryError> {
        if !self.open {
            return Ok(());
        }
        self.open = false;
        let looked = self.look_around(Event::Settled, now_ms(), git, status, Keep::Nothing);
        if looked.is_err() {
            self.timeline.seal();
            self.journal.miss();
        }
        looked.and_then(|()| self.trim())
    }

    /// A tool is about to change a file. What that leaves to say.
    pub(crate) fn declare(&mut self, path: &Path, git: Option<&Git>) -> Result<Outcome, HistoryError> {
        let mut outcome = Outcome::default();
        if !self.open {
            return Ok(outcome);
        }
        for place in places(path) {
            match place.to_str() {
                // The program's own files are no work of the user.
                _ if place.starts_with(&self.directory) => {}
                Some(key) => self.declare_one(&place, key.to_owned(), git)?,
                None => outcome.unnameable = true,
            }
        }
        Ok(outcome)
    }

    fn declare_one(&mut self, path: &Path, key: String, git: Option<&Git>) -> Result<(), HistoryError> {
        let ignored = git.is_some_and(|git| is_ignored(git.root(), path));
        let nested = git.is_some_and(|git| is_nested(git.root(), path));
        let known = self.timeline.latest(&key);
        self.declared.insert(key.clone());
        let unchanged = matches!(known, Known::AsIn(_)) && !nested;
        let state = match known {
            _ if self.timeline.names(&key) => return Ok(()),
            _ if ignored => State::Unkept { why: Reason::Ignored, mark: String::new() },
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
        let wanted = match &event {
            Event::Restore { paths, .. } | Event::Redo { paths, .. } => paths.iter().cloned().collect(),
            _ => BTreeSet::new(),
        };
        let files = self.files(paths, &wanted, keep)?;
        let mark = git.filter(|_| complete).zip(status).and_then(|(git, status)| {
            Some(Mark { root: git.root().to_str()?.to_owned(), head: status.head })
        });
        let moment = self.timeline.moment(event, at, mark, &files);
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
            if let Known::Is(state @ State::Unkept { why: Reason::Ignored, .. }) = self.timeline.latest(&path)
                && !wanted
            {
                files.insert(path, state);
                continue;
            }
            let state = match bytes > MOST_AT_ONCE && !wanted {
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
        self.damaged = false;
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
                    None => match world.plan(moment) {
                        Ok(plan) => Some(*known.entry(moment).or_insert(plan.files())),
                        Err(HistoryError::TooMany(_)) => None,
                        Err(error) => return Err(error),
                    },
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
        let event = Event::Restore { paths: paths(&changes), leaf };
        self.save_and_carry_out(event, changes, git, status, &mut restored)?;
        Ok(restored)
    }

    /// Whatever comes of it, what is there now can be had again.
    fn save_and_carry_out(
        &mut self,
        event: Event,
        changes: Vec<Change>,
        git: Option<&Git>,
        status: Option<Status>,
        restored: &mut Restored,
    ) -> Result<(), HistoryError> {
        self.declared.extend(paths(&changes));
        self.look_around(event, now_ms(), git, status, Keep::Contents)?;
        self.journal.sync()?;
        self.open = true;
        self.carry_out(changes, git, restored);
        Ok(())
    }

    pub(crate) fn redo(
        &mut self,
        others: Others,
        git: Option<&Git>,
        status: Option<Status>,
    ) -> Result<Restored, HistoryError> {
        let rest = others == Others::Restored;
        let moment = self.timeline.last_restore(rest).ok_or(HistoryError::NothingToRedo)?;
        let Event::Restore { paths: restored, leaf } = self.timeline.moments[moment].event.clone() else {
            return Err(HistoryError::NothingToRedo);
        };
        let plan = self.world(git, status.as_ref()).plan_of(moment, &restored)?;
        let (changes, mut restored) = chosen(plan, others);
        let event = Event::Redo { paths: paths(&changes), partly: !restored.left.is_empty() };
        self.save_and_carry_out(event, changes, git, status, &mut restored)?;
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

fn paths(changes: &[Change]) -> Vec<String> {
    changes.iter().map(|change| change.path.to_string_lossy().into_owned()).collect()
}

/// What a change of a path may change: the link that it is, if it is one, and what all links lead to.
fn places(path: &Path) -> Vec<PathBuf> {
    let mut places = Vec::new();
    let mut next = path.to_owned();
    while places.len() < MOST_LINKS {
        let place = match (next.parent(), next.file_name()) {
            (Some(directory), Some(name)) => real(directory).join(name),
            _ => real(&next),
        };
        let link = std::fs::read_link(&place);
        places.push(place.clone());
        match (link, place.parent()) {
            (Ok(to), Some(directory)) => next = directory.join(to),
            _ => break,
        }
    }
    places
}

/// A directory behind all links. What is not there yet is named by the directory it will be in.
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
