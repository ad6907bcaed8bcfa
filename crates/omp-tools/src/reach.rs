//! What was agreed to before a call runs, and that it does no more than that.
//!
//! A tool that changes files names their paths, behind all links, when it is asked about a call ([`Context::agree`]).
//! Whoever decides about the call sees those outside the workspace. When the call runs, each path is looked at again
//! ([`Context::may_reach`]): one that leads somewhere else by now, where nobody was asked about, is refused.

use std::hash::{DefaultHasher, Hash, Hasher};
use std::path::{Path, PathBuf};
use std::sync::atomic::{AtomicBool, Ordering};
use std::sync::{Mutex, MutexGuard, PoisonError};

use omp_agent::ToolError;
use omp_types::{Approval, Tier};
use omp_workspace::path::{real_entry, real_path};
use serde_json::{Map, Value};

use crate::Context;
use crate::borders::Spot;
use crate::plan::Change;

/// Whether tools keep to what was agreed to, and what that is. Calls that change files run one at a time.
#[derive(Debug, Default)]
pub struct Reach {
    enforced: AtomicBool,
    agreed: Mutex<Agreed>,
}

/// The paths of the call that was judged last.
#[derive(Debug, Default)]
struct Agreed {
    call: Option<u64>,
    paths: Vec<PathBuf>,
}

impl Reach {
    /// Off in the mode that never asks; on in all others.
    pub fn enforce(&self, on: bool) {
        self.enforced.store(on, Ordering::Release);
    }

    /// Do tools keep to what was agreed to?
    pub fn is_enforced(&self) -> bool {
        self.enforced.load(Ordering::Acquire)
    }

    /// The first look at a call counts: whoever decides sees what is found by it.
    fn agree(&self, call: u64, paths: Vec<PathBuf>) {
        let mut agreed = self.agreed();
        if agreed.call != Some(call) {
            *agreed = Agreed { call: Some(call), paths };
        }
    }

    fn holds(&self, path: &Path) -> bool {
        self.agreed().paths.iter().any(|agreed| agreed == path)
    }

    /// The call is over or another one is judged; the next one is judged again even if it looks the same.
    pub fn close(&self) {
        *self.agreed() = Agreed::default();
    }

    fn agreed(&self) -> MutexGuard<'_, Agreed> {
        self.agreed.lock().unwrap_or_else(PoisonError::into_inner)
    }
}

impl Context {
    /// What a call that changes these paths is to those who decide about it. May wait for the disk.
    pub(crate) fn agree(&self, tool: &str, arguments: &Map<String, Value>, paths: &[PathBuf]) -> Approval {
        let mut reasons = Vec::new();
        let mut beyond = Vec::new();
        for path in paths {
            let (real, entry) = (real_path(path), real_entry(path));
            let entry = (entry != real).then_some(entry);
            for place in [Some(real), entry].into_iter().flatten() {
                let reason = self.beyond(&place);
                if reason.is_some() {
                    beyond.push(place);
                }
                reasons.extend(reason.filter(|reason| !reasons.contains(reason)));
            }
        }
        let mut hasher = DefaultHasher::new();
        (tool, Value::Object(arguments.clone()).to_string(), paths).hash(&mut hasher);
        self.modes.reach.agree(hasher.finish(), beyond);
        match reasons.is_empty() {
            true => Approval::WRITE,
            false => Approval {
                tier: Tier::Exec,
                reason: Some(reasons.join("; ").into()),
                insists: true,
                ..Approval::WRITE
            },
        }
    }

    /// Refuses a change where nobody was asked about. The path is resolved again.
    pub(crate) fn may_reach(&self, path: &Path, change: Change) -> Result<PathBuf, ToolError> {
        let real = match change {
            Change::Write => real_path(path),
            Change::Rename | Change::Delete => real_entry(path),
        };
        match self.refusal(&real) {
            Some(reason) => Err(ToolError::new(reason)),
            None => Ok(real),
        }
    }

    /// Why a path behind links may not be changed now.
    pub(crate) fn refusal(&self, real: &Path) -> Option<String> {
        if !self.modes.reach.is_enforced() || self.is_in_own_area(real) {
            return None;
        }
        let reason = self.beyond(real).filter(|_| !self.modes.reach.holds(real))?;
        Some(format!(
            "Nothing was changed: {reason}, and the user was not asked to approve that path. Name the file \
             in a separate call so that it can be approved."
        ))
    }

    /// Why a change of a path behind links is asked about.
    fn beyond(&self, real: &Path) -> Option<String> {
        if self.is_in_own_area(real) {
            return None;
        }
        match self.borders.spot(real) {
            Spot::Free => None,
            Spot::Outside => Some(format!("outside the workspace: {}", real.display())),
            Spot::Protected(why) => Some(format!("protected path {}: {why}", real.display())),
        }
    }
}

/// Ends what was agreed to when the call ends.
pub(crate) struct Closing<'a>(pub(crate) &'a Context);

impl Drop for Closing<'_> {
    fn drop(&mut self) {
        self.0.modes.reach.close();
    }
}
