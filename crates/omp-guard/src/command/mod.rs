//! What a bash command does, judged by its parsed form.
//!
//! Two ways through it: the judged grammar with the table of effects ([`crate::effects`]) says what is known to be done;
//! the walk here follows everything else to recognise danger, and what earlier commands left in the shell. Every simple command is looked at, wherever it stands: behind `;`, `&&` and pipes, in subshells, loops, functions and
//! substitutions, behind `sudo`, `env`, `xargs` and their like, in the text given to `bash -c` and `eval`. Variables,
//! functions and aliases are followed, from one command of a shell to the next, and so is `cd`. What only a run can tell
//! stays unknown.

mod critical;
mod delete;
mod execute;
mod git_clean;
pub(crate) mod path;
mod script;
mod sets;
mod shell;
mod simple;
mod unwrap;
mod walk;
mod word;

use std::fmt;
use std::path::{Path, PathBuf};

use crate::effects::{self, Effects, Unknown};

pub use git_clean::GitClean;
pub use script::{Script, Simple};
pub use shell::Shell;

/// Commands longer than this are not judged.
const LONGEST: usize = 64 * 1024;

/// Nobody writes such a command by hand; it could hide anything.
const BEYOND: &str = "Is too long or too deeply nested to analyze";

/// Where a command runs.
#[derive(Clone, Copy)]
pub struct ShellContext<'a> {
    pub cwd: &'a Path,
    pub home: Option<&'a Path>,
    /// What is set in the shell, and for the command.
    pub shell: &'a Shell,
    /// The file that a path leads to, behind symbolic links. May wait for the disk.
    pub real: &'a (dyn Fn(&Path) -> PathBuf + Sync),
    /// What of the repository around a directory may make git run a program of the repository's choice. May wait for the
    /// disk.
    pub git_risk: &'a (dyn Fn(&Path) -> Option<String> + Sync),
}

impl fmt::Debug for ShellContext<'_> {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.debug_struct("Place").field("cwd", &self.cwd).field("home", &self.home).finish_non_exhaustive()
    }
}

/// What a command was found to do.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct Verdict {
    /// Why the command is dangerous.
    pub critical: Option<&'static str>,
    /// What it does, as far as the table knows.
    pub effects: Effects,
    /// Places of which something would be gone, as far as they can be told: for the question about it.
    pub at_stake: Vec<PathBuf>,
    /// Calls of `git clean`: what they hit, the repositories tell.
    pub git_cleans: Vec<GitClean>,
    /// Its simple commands; `None` if it is not in the judged grammar as a whole, and where its words may mean something
    /// else than they say.
    pub script: Option<Script>,
    /// What it leaves behind, for [`ShellContext::shell`] of the next command there.
    pub shell: Shell,
}

/// Judges a command. One that cannot be read as a whole is judged line by line, as the shell would run it.
pub fn judge(command: &str, place: ShellContext<'_>) -> Verdict {
    if command.len() > LONGEST {
        let shell = Shell { uncertain: true, ..place.shell.clone() };
        let effects = Effects::unknown(Unknown::Syntax("too much text"));
        return Verdict { critical: Some(BEYOND), effects, shell, ..Verdict::default() };
    }
    let (script, effects) = judged(command, place);
    let mut walk = walk::Walk::new(place);
    let followed = match walk.script(command) {
        true => walk.finish(),
        false => by_lines(command, place),
    };
    let walk::Followed { critical, at_stake, git_cleans, mut shell } = followed;
    shell.uncertain |= script.is_none() && sets::risky(command);
    Verdict { critical, effects, at_stake, git_cleans, script, shell }
}

/// What the judged grammar and the table say. They know nothing of a shell in which names mean something else.
fn judged(command: &str, place: ShellContext<'_>) -> (Option<Script>, Effects) {
    match place.shell.change(place.home) {
        Some(why) => (None, Effects::unknown(why)),
        None => effects::run(command, place),
    }
}

fn by_lines(command: &str, place: ShellContext<'_>) -> walk::Followed {
    let mut lines = walk::Walk::new(place);
    for line in command.lines() {
        // A line that means nothing by itself tells nothing either.
        lines.script(line);
    }
    let followed = lines.finish();
    let shell = Shell { uncertain: true, ..followed.shell };
    walk::Followed { shell, ..followed }
}
