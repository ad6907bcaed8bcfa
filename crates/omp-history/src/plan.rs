//! What it takes to bring files back.

use std::collections::{BTreeSet, HashMap};
use std::fmt;
use std::path::{Path, PathBuf};

use crate::blobs::{Blobs, hash_of};
use crate::error::HistoryError;
use crate::git::{Committed, Git};
use crate::look::Looks;
use crate::state::{Reason, State};
use crate::timeline::{Event, Known, Timeline};

/// More files than this are not brought back at once.
pub(crate) const MOST_FILES: usize = 5_000;

/// What a restore would do.
#[derive(Clone, Debug, Default, PartialEq)]
pub struct Plan {
    /// Files that changed while the model worked, and by nobody else.
    pub changes: Vec<Change>,
    /// Files that somebody else changed, too; left alone unless asked for.
    pub outside: Vec<Change>,
    /// Files that differ and cannot be brought back.
    pub unprotected: Vec<Unprotected>,
}

/// One file that would change.
#[derive(Clone, Debug, PartialEq)]
pub struct Change {
    /// The file.
    pub path: PathBuf,
    /// What would happen to it.
    pub action: Action,
    pub(crate) now: State,
    pub(crate) target: State,
    /// The commit that has the content, if it is not kept here.
    pub(crate) commit: Option<String>,
}

/// What happens to a file.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Action {
    /// It gets back what it had.
    Revert,
    /// It is there again.
    Create,
    /// It was not there.
    Remove,
}

/// A file that cannot be brought back.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Unprotected {
    /// The file.
    pub path: PathBuf,
    /// Why not.
    pub why: Why,
}

/// Why a file cannot be brought back.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Why {
    /// Git ignores it.
    Ignored,
    /// It is, or was, too large to be kept.
    TooLarge,
    /// No file, no link.
    Special,
    /// It could not be read.
    Unreadable,
    /// Too many files differed from the last commit.
    TooMany,
}

impl fmt::Display for Action {
    fn fmt(&self, out: &mut fmt::Formatter<'_>) -> fmt::Result {
        out.write_str(match self {
            Self::Revert => "revert",
            Self::Create => "bring back",
            Self::Remove => "remove",
        })
    }
}

impl fmt::Display for Why {
    fn fmt(&self, out: &mut fmt::Formatter<'_>) -> fmt::Result {
        out.write_str(match self {
            Self::Ignored => "ignored by git",
            Self::TooLarge => "too large to be kept",
            Self::Special => "neither a file nor a link",
            Self::Unreadable => "could not be read",
            Self::TooMany => "too many files differed from the last commit",
        })
    }
}

impl Plan {
    /// How many files would change, or could.
    pub fn files(&self) -> usize {
        self.changes.len() + self.outside.len()
    }

    /// Would nothing happen?
    pub fn is_empty(&self) -> bool {
        self.files() == 0
    }
}

/// Everything that plans are made from.
pub(crate) struct World<'a> {
    pub(crate) timeline: &'a Timeline,
    pub(crate) git: Option<&'a Git>,
    /// Files that differ from the last commit now.
    pub(crate) different: BTreeSet<String>,
    pub(crate) looks: &'a mut Looks,
    pub(crate) largest: u64,
    pub(crate) known: Remembered,
}

/// What was asked already.
#[derive(Default)]
pub(crate) struct Remembered {
    now: HashMap<String, State>,
    courses: HashMap<String, Vec<Known>>,
    /// By commit: what differs from it now.
    since: HashMap<String, Vec<String>>,
    /// By commit and path.
    committed: HashMap<(String, String), State>,
}

impl World<'_> {
    /// What it takes to go back to a moment.
    pub(crate) fn plan(&mut self, moment: usize) -> Result<Plan, HistoryError> {
        let mut candidates = self.timeline.named_from(moment);
        if let (Some(mark), Some(git)) = (&self.timeline.moments[moment].git, self.git) {
            candidates.extend(self.different.iter().cloned());
            if let Some(head) = &mark.head {
                candidates.extend(self.since(git, head)?);
            }
        }
        if candidates.len() > 2 * MOST_FILES {
            return Err(HistoryError::TooMany(MOST_FILES));
        }
        let in_the_way: Vec<String> = candidates.iter().filter_map(|path| in_the_way(path)).collect();
        candidates.extend(in_the_way);
        let mut plan = Plan::default();
        for path in candidates {
            self.judge(moment, &path, &mut plan)?;
        }
        match plan.files() > MOST_FILES {
            true => Err(HistoryError::TooMany(MOST_FILES)),
            false => Ok(plan),
        }
    }

    /// What it takes to give back what these files had at a moment.
    pub(crate) fn plan_of(&mut self, moment: usize, paths: &[String]) -> Result<Plan, HistoryError> {
        let mut plan = Plan::default();
        for path in paths {
            self.judge(moment, path, &mut plan)?;
        }
        Ok(plan)
    }

    fn judge(&mut self, moment: usize, path: &str, plan: &mut Plan) -> Result<(), HistoryError> {
        let course = self.course(path);
        let Some((target, commit)) = self.target(&course[moment..], moment, path)? else { return Ok(()) };
        let now = self.now(path)?;
        if target.same(&now) {
            return Ok(());
        }
        let place = PathBuf::from(path);
        if let State::Unkept { why, .. } = &target {
            plan.unprotected.push(Unprotected { path: place, why: why.public() });
            return Ok(());
        }
        if let State::Unkept { why, .. } = &now {
            // What could not be saved first is not overwritten.
            plan.unprotected.push(Unprotected { path: place, why: why.public() });
            return Ok(());
        }
        if let (State::Absent, Some(head)) = (&target, &commit)
            && !self.is_seen(head, path)?
        {
            // Git says nothing of it, so that it does not say either that it was not there.
            plan.unprotected.push(Unprotected { path: place, why: Why::Ignored });
            return Ok(());
        }
        let action = match (&target, &now) {
            (State::Absent, _) => Action::Remove,
            (_, State::Absent) => Action::Create,
            _ => Action::Revert,
        };
        let outside = self.changed_outside(&course[moment..], moment, path, &now)?;
        let change = Change { path: place, action, now, target, commit };
        if outside {
            plan.outside.push(change);
        } else {
            plan.changes.push(change);
        }
        Ok(())
    }

    /// Does git see a file that a commit does not have?
    fn is_seen(&mut self, head: &str, path: &str) -> Result<bool, HistoryError> {
        let Some(git) = self.git else { return Ok(false) };
        Ok(self.different.contains(path) || self.since(git, head)?.iter().any(|changed| changed == path))
    }

    /// What a file was when it was first known, and the commit that has it.
    fn target(
        &mut self,
        course: &[Known],
        moment: usize,
        path: &str,
    ) -> Result<Option<(State, Option<String>)>, HistoryError> {
        for known in course {
            let target = self.resolved(known, moment, path)?;
            if target.is_some() {
                return Ok(target);
            }
        }
        Ok(None)
    }

    fn resolved(
        &mut self,
        known: &Known,
        moment: usize,
        path: &str,
    ) -> Result<Option<(State, Option<String>)>, HistoryError> {
        Ok(match known {
            Known::Unknown => None,
            // A tracked file is protected, whatever rules say of its name.
            Known::Is(State::Unkept { why: Reason::Ignored, mark }) => {
                let head = self.timeline.moments[moment].git.as_ref().and_then(|mark| mark.head.clone());
                let committed = match head {
                    Some(head) => self.committed(&head, path)?.map(|state| (state, Some(head))),
                    None => None,
                };
                let ignored = (State::Unkept { why: Reason::Ignored, mark: mark.clone() }, None);
                Some(committed.filter(|(state, _)| *state != State::Absent).unwrap_or(ignored))
            }
            Known::Is(state) => Some((state.clone(), None)),
            Known::AsIn(head) => self.committed(head, path)?.map(|state| (state, Some(head.clone()))),
        })
    }

    /// Did the file change while nothing of ours was under way?
    fn changed_outside(
        &mut self,
        course: &[Known],
        from: usize,
        path: &str,
        now: &State,
    ) -> Result<bool, HistoryError> {
        let mut before: Option<State> = None;
        let mut settled = false;
        let moments = &self.timeline.moments[from..];
        for (moment, known) in moments.iter().zip(course) {
            let state = match known {
                Known::Unknown => None,
                Known::Is(state) => Some(state.clone()),
                Known::AsIn(head) => self.committed(head, path)?,
            };
            if let (true, Some(before), Some(state)) = (settled, &before, &state)
                && !before.same(state)
            {
                return Ok(true);
            }
            before = state.or(before);
            settled = moment.event == Event::Settled;
        }
        Ok(settled && before.is_some_and(|before| !before.same(now)))
    }

    fn course(&mut self, path: &str) -> Vec<Known> {
        let timeline = self.timeline;
        self.known.courses.entry(path.to_owned()).or_insert_with(|| timeline.course(path)).clone()
    }

    fn now(&mut self, path: &str) -> Result<State, HistoryError> {
        if let Some(state) = self.known.now.get(path) {
            return Ok(state.clone());
        }
        let state = self.looks.look(Path::new(path), self.largest, None)?;
        self.known.now.insert(path.to_owned(), state.clone());
        Ok(state)
    }

    fn since(&mut self, git: &Git, head: &str) -> Result<Vec<String>, HistoryError> {
        if let Some(paths) = self.known.since.get(head) {
            return Ok(paths.clone());
        }
        let inside = git.changed_since(head)?;
        if inside.len() > 2 * MOST_FILES {
            return Err(HistoryError::TooMany(MOST_FILES));
        }
        for (path, found) in git.committed(head, &inside)? {
            // Asked for all at once; the content is read when it matters.
            self.known.committed.entry((head.to_owned(), path)).or_insert_with(|| unread(&found));
        }
        let paths: Vec<String> = inside.iter().filter_map(|path| absolute(git, path)).collect();
        self.known.since.insert(head.to_owned(), paths.clone());
        Ok(paths)
    }

    /// A file of a commit; `None` if git cannot say.
    fn committed(&mut self, head: &str, path: &str) -> Result<Option<State>, HistoryError> {
        let Some(git) = self.git else { return Ok(None) };
        let Some(inside) = inside(git, path) else { return Ok(None) };
        if is_nested(git.root(), Path::new(path)) {
            return Ok(None);
        }
        let key = (head.to_owned(), inside.clone());
        let found = match self.known.committed.get(&key) {
            Some(State::Unkept { why: Reason::TooMany, mark }) => parsed(mark),
            Some(state) => return Ok(Some(state.clone())),
            None => git.committed(head, std::slice::from_ref(&inside))?.remove(&inside),
        };
        let state = match found {
            None => State::Absent,
            Some(found) => read_committed(git, head, &inside, &found, self.largest)?,
        };
        self.known.committed.insert(key, state.clone());
        Ok(Some(state))
    }
}

/// What is no directory by now on the way to a file.
fn in_the_way(path: &str) -> Option<String> {
    let mut above = Path::new(path).ancestors().skip(1);
    let found = above.find_map(|above| Some((above, std::fs::symlink_metadata(above).ok()?)));
    let (above, _) = found.filter(|(_, found)| !found.is_dir())?;
    above.to_str().map(str::to_owned)
}

/// Does the file belong to a repository inside of this one? Commits of this one say nothing about it.
pub(crate) fn is_nested(root: &Path, path: &Path) -> bool {
    let between = path.ancestors().skip(1).take_while(|above| *above != root && above.starts_with(root));
    between.into_iter().any(|above| std::fs::symlink_metadata(above.join(".git")).is_ok())
}

/// A committed file whose content was not read yet.
fn unread(found: &Committed) -> State {
    State::Unkept { why: Reason::TooMany, mark: format!("{:o} {}", found.mode, found.id) }
}

fn parsed(mark: &str) -> Option<Committed> {
    let (mode, id) = mark.split_once(' ')?;
    Some(Committed { mode: u32::from_str_radix(mode, 8).ok()?, id: id.to_owned() })
}

fn read_committed(
    git: &Git,
    head: &str,
    inside: &str,
    found: &Committed,
    largest: u64,
) -> Result<State, HistoryError> {
    Ok(match found.mode & 0o170_000 {
        0o100_000 => match git.checked_out(head, inside, largest) {
            Ok(bytes) => State::from_git(hash_of(&bytes), bytes.len() as u64, found.mode & 0o100 != 0),
            Err(HistoryError::Interrupted) => return Err(HistoryError::Interrupted),
            Err(_) => State::Unkept { why: Reason::TooLarge, mark: found.id.clone() },
        },
        // Git keeps directories only for what is in them.
        0o040_000 => State::Absent,
        0o120_000 => match String::from_utf8(git.object(&found.id)?) {
            Ok(to) => State::Link { to },
            Err(_) => State::Unkept { why: Reason::Unreadable, mark: found.id.clone() },
        },
        _ => State::Unkept { why: Reason::Special, mark: found.id.clone() },
    })
}

/// The bytes of a file as it was.
pub(crate) fn content(
    change: &Change,
    blobs: &Blobs,
    git: Option<&Git>,
    largest: u64,
) -> Result<Vec<u8>, HistoryError> {
    let State::File { hash, .. } = &change.target else { return Ok(Vec::new()) };
    let committed = || {
        let (git, head) = (git?, change.commit.as_ref()?);
        let bytes = git.checked_out(head, &inside(git, &change.path.to_string_lossy())?, largest).ok()?;
        (hash_of(&bytes) == *hash).then_some(bytes)
    };
    match blobs.get(hash) {
        Err(HistoryError::Lost) => committed().ok_or(HistoryError::Lost),
        other => other,
    }
}

/// The absolute path of a file in a repository.
pub(crate) fn absolute(git: &Git, inside: &str) -> Option<String> {
    git.root().join(inside).into_os_string().into_string().ok()
}

fn inside(git: &Git, path: &str) -> Option<String> {
    let inside = Path::new(path).strip_prefix(git.root()).ok()?;
    inside.to_str().filter(|inside| !inside.is_empty()).map(str::to_owned)
}

impl Reason {
    fn public(self) -> Why {
        match self {
            Self::TooLarge => Why::TooLarge,
            Self::Special => Why::Special,
            Self::Unreadable => Why::Unreadable,
            Self::TooMany => Why::TooMany,
            Self::Ignored => Why::Ignored,
        }
    }
}
