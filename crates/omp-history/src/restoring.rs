//! Bringing files back, and undoing that.

use std::path::PathBuf;

use omp_workspace::turn::Turn;

use crate::apply::{self, Floor};
use crate::checkpoint::{Inner, Keep};
use crate::commits::content;
use crate::error::HistoryError;
use crate::file_state::FileState;
use crate::git::{Git, Status};
use crate::history::now_ms;
use crate::plan::{Action, Change, Plan, Unprotected};
use crate::timeline::Event;

/// What happens to files that somebody else changed, too.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Others {
    /// They stay as they are.
    Stay,
    /// They are brought back as well.
    Restored,
}

/// What came of a restore.
#[derive(Clone, Debug, Default, PartialEq)]
pub struct Restored {
    /// Files that changed.
    pub done: Vec<(PathBuf, Action)>,
    /// Files that were left alone, because somebody else changed them.
    pub left: Vec<PathBuf>,
    /// Files that could not be brought back, and why.
    pub failed: Vec<(PathBuf, String)>,
    /// Files that are not protected.
    pub unprotected: Vec<Unprotected>,
    /// Where the conversation stood before the restore that was undone.
    pub leaf: Option<String>,
}

/// The changes of a plan that are carried out.
pub(crate) fn chosen(plan: Plan, others: Others) -> (Vec<Change>, Restored) {
    let Plan { mut changes, outside, unprotected } = plan;
    let mut restored = Restored { unprotected, ..Restored::default() };
    match others {
        Others::Restored => changes.extend(outside),
        Others::Stay => restored.left = outside.into_iter().map(|change| change.path).collect(),
    }
    (changes, restored)
}

impl Inner {
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

    /// Carries changes out. What goes first makes room for what comes.
    pub(crate) fn carry_out(&mut self, mut changes: Vec<Change>, git: Option<&Git>, restored: &mut Restored) {
        let root = git.map_or_else(|| self.cwd.clone(), |git| git.root().to_owned());
        let floor = Floor { root, cwd: self.cwd.clone() };
        changes
            .sort_by_key(|change| (change.action != Action::Remove, std::cmp::Reverse(change.path.clone())));
        for change in changes {
            match self.carry_out_one(&change, git, &floor) {
                Ok(()) => restored.done.push((change.path, change.action)),
                Err(reason) => restored.failed.push((change.path, reason)),
            }
        }
        restored.done.sort_by(|one, other| one.0.cmp(&other.0));
    }

    fn carry_out_one(&mut self, change: &Change, git: Option<&Git>, floor: &Floor) -> Result<(), String> {
        let said = |error: HistoryError| error.to_string();
        // Other sessions may be editing it.
        let _turn = Turn::wait(&change.path);
        let now = self.looks.look(&change.path, self.largest, None).map_err(said)?;
        let made_room = now == FileState::Absent && change.action != Action::Remove;
        if !now.same(&change.now) && !made_room {
            return Err("it just changed; try again".to_owned());
        }
        let bytes = content(change, &self.blobs, git, self.largest).map_err(said)?;
        self.secure(change, &now).map_err(said)?;
        let done = match change.action {
            Action::Remove => apply::remove(&change.path, floor),
            Action::Revert | Action::Create => apply::give_back(change, &bytes),
        };
        done.map_err(|error| error.to_string())
    }

    /// Makes sure that what a file is now can be had again.
    fn secure(&mut self, change: &Change, now: &FileState) -> Result<(), HistoryError> {
        let saved = self.saved(&change.path);
        match now {
            FileState::Absent => Ok(()),
            _ if !saved.is_some_and(|saved| saved.same(now)) => Err(HistoryError::Unsaved),
            FileState::Unkept { .. } => Err(HistoryError::Unsaved),
            FileState::Link { .. } => Ok(()),
            FileState::File { hash, .. } => {
                self.blobs.secure(hash, || crate::current_files::content(&change.path, self.largest))
            }
        }
    }
}

fn paths(changes: &[Change]) -> Vec<String> {
    changes.iter().map(|change| change.path.to_string_lossy().into_owned()).collect()
}
