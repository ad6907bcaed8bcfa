//! What plans are made from: the timeline, what git says, and files as they are now.

use std::collections::{BTreeSet, HashMap};
use std::path::{Path, PathBuf};

use crate::commits::{absolute, inside, is_nested, parsed, read_committed, unread};
use crate::current_files::Looks;
use crate::error::HistoryError;
use crate::file_state::{FileState, Reason};
use crate::git::Git;
use crate::plan::{Action, Change, Plan, Unprotected, Why};
use crate::timeline::{Event, Known, Timeline};

/// Everything that plans are made from.
pub(crate) struct World<'a> {
    pub(crate) timeline: &'a Timeline,
    pub(crate) git: Option<&'a Git>,
    /// Files that differ from the last commit now.
    pub(crate) different: BTreeSet<String>,
    pub(crate) looks: &'a mut Looks,
    pub(crate) largest: u64,
    /// More files than this are not brought back at once.
    pub(crate) most_files: usize,
    /// Where git was of no help.
    pub(crate) trouble: &'a mut Option<HistoryError>,
    pub(crate) known: Remembered,
}

/// What was asked already.
#[derive(Default)]
pub(crate) struct Remembered {
    now: HashMap<String, FileState>,
    courses: HashMap<String, Vec<Known>>,
    /// By commit: what differs from it now.
    since: HashMap<String, Vec<String>>,
    /// By commit and path.
    committed: HashMap<(String, String), FileState>,
}

impl World<'_> {
    /// What it takes to go back to a moment.
    pub(crate) fn plan(&mut self, moment: usize) -> Result<Plan, HistoryError> {
        let mut candidates = self.timeline.named_from(moment);
        if let (Some(mark), Some(git)) = (&self.timeline.moments[moment].git, self.git)
            && Path::new(&mark.root) == git.root()
        {
            candidates.extend(self.different.iter().cloned());
            if let Some(head) = &mark.head {
                candidates.extend(self.since(git, head)?);
            }
        }
        if candidates.len() > 2 * self.most_files {
            return Err(HistoryError::TooMany(self.most_files));
        }
        let in_the_way: Vec<String> = candidates.iter().filter_map(|path| in_the_way(path)).collect();
        candidates.extend(in_the_way);
        let mut plan = Plan::default();
        for path in candidates {
            self.judge(moment, &path, &mut plan)?;
        }
        match plan.files() > self.most_files {
            true => Err(HistoryError::TooMany(self.most_files)),
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
        if let FileState::Unkept { why, .. } = &target {
            plan.unprotected.push(Unprotected { path: place, why: why.public() });
            return Ok(());
        }
        if let FileState::Unkept { why, .. } = &now {
            // What could not be saved first is not overwritten.
            plan.unprotected.push(Unprotected { path: place, why: why.public() });
            return Ok(());
        }
        if let (FileState::Absent, Some(head)) = (&target, &commit)
            && !self.is_seen(head, path)?
        {
            // Git says nothing of it, so that it does not say either that it was not there.
            plan.unprotected.push(Unprotected { path: place, why: Why::Ignored });
            return Ok(());
        }
        let action = match (&target, &now) {
            (FileState::Absent, _) => Action::Remove,
            (_, FileState::Absent) => Action::Create,
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
    ) -> Result<Option<(FileState, Option<String>)>, HistoryError> {
        let mut unanswered = false;
        let events = self.timeline.moments[moment..].iter().map(|moment| &moment.event);
        for (known, event) in course.iter().zip(events) {
            match self.resolved(known, moment, path)? {
                // It was changed after git spoke for it, so that this is not what it was.
                Some(_) if unanswered && !matches!(event, Event::Prompt { .. }) => {
                    return Ok(Some((FileState::Unkept { why: Reason::NoGit, mark: String::new() }, None)));
                }
                Some(target) => return Ok(Some(target)),
                None => unanswered |= matches!(known, Known::AsIn(_)),
            }
        }
        Ok(None)
    }

    fn resolved(
        &mut self,
        known: &Known,
        moment: usize,
        path: &str,
    ) -> Result<Option<(FileState, Option<String>)>, HistoryError> {
        Ok(match known {
            Known::Unknown => None,
            // A tracked file is protected, whatever rules say of its name.
            Known::Is(FileState::Unkept { why: Reason::Ignored, mark }) => {
                let head = self.timeline.moments[moment].git.as_ref().and_then(|mark| mark.head.clone());
                let committed = match head {
                    Some(head) => self.committed(&head, path)?.map(|state| (state, Some(head))),
                    None => None,
                };
                let ignored = (FileState::Unkept { why: Reason::Ignored, mark: mark.clone() }, None);
                Some(committed.filter(|(state, _)| *state != FileState::Absent).unwrap_or(ignored))
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
        now: &FileState,
    ) -> Result<bool, HistoryError> {
        let mut before: Option<FileState> = None;
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

    fn now(&mut self, path: &str) -> Result<FileState, HistoryError> {
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
        let Some(inside) = self.heard(git.changed_since(head))? else { return Ok(Vec::new()) };
        if inside.len() > 2 * self.most_files {
            return Err(HistoryError::TooMany(self.most_files));
        }
        for (path, found) in self.heard(git.committed(head, &inside))?.unwrap_or_default() {
            // Asked for all at once; the content is read when it matters.
            self.known.committed.entry((head.to_owned(), path)).or_insert_with(|| unread(&found));
        }
        let paths: Vec<String> = inside.iter().filter_map(|path| absolute(git, path)).collect();
        self.known.since.insert(head.to_owned(), paths.clone());
        Ok(paths)
    }

    /// A file of a commit; `None` if git cannot say.
    fn committed(&mut self, head: &str, path: &str) -> Result<Option<FileState>, HistoryError> {
        let Some(git) = self.git else { return Ok(None) };
        let Some(inside) = inside(git, path) else { return Ok(None) };
        if is_nested(git.root(), Path::new(path)) {
            return Ok(None);
        }
        let key = (head.to_owned(), inside.clone());
        let found = match self.known.committed.get(&key) {
            Some(FileState::Unkept { why: Reason::TooMany, mark }) => parsed(mark),
            Some(state) => return Ok(Some(state.clone())),
            None => match self.heard(git.committed(head, std::slice::from_ref(&inside)))? {
                Some(mut found) => found.remove(&inside),
                None => return Ok(None),
            },
        };
        let state = match found {
            None => FileState::Absent,
            Some(found) => match self.heard(read_committed(git, head, &inside, &found, self.largest))? {
                Some(state) => state,
                None => return Ok(None),
            },
        };
        self.known.committed.insert(key, state.clone());
        Ok(Some(state))
    }

    /// What git said; `None` where it was of no help, which is remembered.
    fn heard<T>(&mut self, said: Result<T, HistoryError>) -> Result<Option<T>, HistoryError> {
        match said {
            Err(error) if error.is_of_git() => {
                self.trouble.get_or_insert(error);
                Ok(None)
            }
            said => said.map(Some),
        }
    }
}

/// What is no directory by now on the way to a file.
fn in_the_way(path: &str) -> Option<String> {
    let mut above = Path::new(path).ancestors().skip(1);
    let found = above.find_map(|above| Some((above, std::fs::symlink_metadata(above).ok()?)));
    let (above, _) = found.filter(|(_, found)| !found.is_dir())?;
    above.to_str().map(str::to_owned)
}
