//! What a command does: reads, writes, runs, reaches out, destroys.
//!
//! One table ([`table`], the rows are beside it as text) says for each known program which options and arguments do
//! what. Options that a row does not have make the call unknown: nothing is guessed. Rules, plan mode and the check for
//! what nothing can undo all ask here.

mod argument;
mod awk;
mod call;
mod find;
mod git;
mod run;
mod sed;
mod shells;
mod special;
mod table;
mod target;
mod variable;

use std::path::Path;

pub use crate::grammar::Unknown;
pub(crate) use call::{Matched, Scene, evaluate};
pub(crate) use run::run;
pub use table::Kinds;
pub use target::Target;
pub use variable::is_harmless as is_harmless_variable;
pub use variable::is_risky as is_risky_variable;

/// Whose code runs.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, PartialOrd, Ord)]
pub enum Executes {
    /// Only the program itself.
    #[default]
    Nothing,
    /// What the project holds: tests, build scripts, hooks.
    Project,
    /// Anything, such as a text that is given in the command.
    Arbitrary,
}

/// What is reached over the network.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct Network {
    /// The project's git remotes and the registries of its package managers.
    pub project: bool,
    /// Hosts that the command names.
    pub hosts: Vec<String>,
    /// Some host that is not known before.
    pub any: bool,
}

impl Network {
    pub fn is_used(&self) -> bool {
        self.project || self.any || !self.hosts.is_empty()
    }
}

/// Everything that a command is known to do beyond reading.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct Effects {
    /// Why the rest does not say everything.
    pub unknown: Option<Unknown>,
    /// Files and directories that are created or changed.
    pub writes: Vec<Target>,
    /// What is gone afterwards, or replaced without a way back.
    pub destroys: Vec<Target>,
    pub executes: Executes,
    /// Files that are run.
    pub programs: Vec<Target>,
    pub network: Network,
    /// It needs privileges or services that no sandbox gives: `sudo`, `docker`, `systemctl`.
    pub outside: bool,
    /// Why it cannot be undone although no file is named.
    pub irreversible: Option<&'static str>,
}

impl Effects {
    pub(crate) fn unknown(why: Unknown) -> Self {
        Self { unknown: Some(why), ..Self::default() }
    }

    /// Is it known that nothing changes, nothing else runs and nobody is reached?
    pub fn only_reads(&self) -> bool {
        self.unknown.is_none()
            && self.writes.is_empty()
            && self.destroys.is_empty()
            && self.executes == Executes::Nothing
            && !self.network.is_used()
            && !self.outside
            && self.irreversible.is_none()
    }

    /// Is it known to read, to write and destroy below these directories and to run the project's own code, and nothing
    /// else?
    pub fn stays_in(&self, roots: &[&Path]) -> bool {
        let inside = |target: &Target| target.is_in(roots);
        self.unknown.is_none()
            && self.writes.iter().all(inside)
            && self.destroys.iter().all(inside)
            && self.programs.iter().all(inside)
            && self.executes <= Executes::Project
            && !self.network.is_used()
            && !self.outside
            && self.irreversible.is_none()
    }

    /// What this command and another one do together.
    pub(crate) fn join(&mut self, other: Self) {
        self.unknown = self.unknown.take().or(other.unknown);
        self.writes.extend(other.writes);
        self.destroys.extend(other.destroys);
        self.executes = self.executes.max(other.executes);
        self.programs.extend(other.programs);
        self.network.project |= other.network.project;
        self.network.hosts.extend(other.network.hosts);
        self.network.any |= other.network.any;
        self.outside |= other.outside;
        self.irreversible = self.irreversible.or(other.irreversible);
    }

    /// The kinds of effects, without their targets.
    pub fn kinds(&self) -> Kinds {
        Kinds {
            writes: !self.writes.is_empty(),
            destroys: !self.destroys.is_empty() || self.irreversible.is_some(),
            executes: self.executes,
            network: self.network.project,
            elsewhere: self.network.any || !self.network.hosts.is_empty(),
            outside: self.outside,
        }
    }

    /// The effects as text, for the explanation of a question.
    pub fn describe(&self) -> Vec<String> {
        let mut lines = Vec::new();
        let mut list = |label: &str, targets: &[Target]| {
            lines.extend(targets.iter().map(|target| format!("{label} {target}")));
        };
        list("writes", &self.writes);
        list("destroys", &self.destroys);
        match self.executes {
            Executes::Nothing => {}
            Executes::Project => lines.push("runs the project's code".to_owned()),
            Executes::Arbitrary => lines.push("runs arbitrary code".to_owned()),
        }
        if self.network.project {
            lines.push("uses the network: git remotes or package registries".to_owned());
        }
        lines.extend(self.network.hosts.iter().map(|host| format!("uses the network: {host}")));
        if self.network.any {
            lines.push("uses the network: unknown host".to_owned());
        }
        if self.outside {
            lines.push("needs privileges or services outside the sandbox".to_owned());
        }
        lines.extend(self.irreversible.map(str::to_owned));
        lines.extend(self.unknown.iter().map(|why| format!("unknown: {why}")));
        if lines.is_empty() {
            lines.push("only reads".to_owned());
        }
        lines
    }
}
