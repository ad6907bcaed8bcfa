//! The working tree while a plan is being made: it can only be read.

use std::path::Path;
use std::sync::atomic::{AtomicBool, Ordering};

use omp_agent::ToolError;
use omp_workspace::path::real_path;

use crate::{Context, InternalUrl};

/// The scheme of the session's own area, which stays writable.
const LOCAL: &str = "local";

/// Whether the session is planning.
#[derive(Debug, Default)]
pub struct Planning(AtomicBool);

impl Planning {
    pub fn set(&self, on: bool) {
        self.0.store(on, Ordering::Release);
    }

    pub fn is_on(&self) -> bool {
        self.0.load(Ordering::Acquire)
    }
}

/// What a tool is about to do to a file.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) enum Change {
    Write,
    Rename,
    Delete,
}

impl Change {
    fn refusal(self) -> ToolError {
        ToolError::new(match self {
            Self::Write => {
                "Plan mode: the working tree is read-only. Write the plan to local://<slug>-plan.md; files can be \
                 changed once the user has approved it."
            }
            Self::Rename => "Plan mode: renaming files is not allowed.",
            Self::Delete => "Plan mode: deleting files is not allowed.",
        })
    }
}

impl Context {
    /// Refuses a change outside the session's own area while a plan is being made, and one that nobody was asked about
    /// though somebody should have been; one that is not refused can be undone. May wait for the disk.
    pub(crate) fn may_change(&self, path: &Path, change: Change) -> Result<(), ToolError> {
        if self.modes.planning.is_on() && !self.is_own(path) {
            return Err(change.refusal());
        }
        self.may_reach(path, change)?;
        self.about_to_change(path);
        Ok(())
    }

    /// Refuses any change of the working tree while a plan is being made.
    pub(crate) fn may_change_tree(&self) -> Result<(), ToolError> {
        if self.modes.planning.is_on() { Err(Change::Write.refusal()) } else { Ok(()) }
    }

    /// Keeps what a file is before a tool changes it.
    pub(crate) fn about_to_change(&self, path: &Path) {
        if let Some(history) = &self.history
            && !self.is_own(path)
        {
            history.declare(path);
        }
    }

    /// The same for what an internal URL names.
    pub(crate) fn may_change_url(&self, url: &InternalUrl) -> Result<(), ToolError> {
        match self.modes.planning.is_on() && url.scheme() != LOCAL {
            true => Err(Change::Write.refusal()),
            false => Ok(()),
        }
    }

    /// Is the file in the session's own area, behind all links?
    fn is_own(&self, path: &Path) -> bool {
        self.is_in_own_area(&real_path(path))
    }

    /// The same for a path that is behind links already.
    pub(crate) fn is_in_own_area(&self, real: &Path) -> bool {
        let area = InternalUrl::parse("local://plan").and_then(|url| self.resources.locate(&url).ok());
        let Some(area) = area.as_deref().and_then(Path::parent) else { return false };
        real.starts_with(real_path(area))
    }
}
