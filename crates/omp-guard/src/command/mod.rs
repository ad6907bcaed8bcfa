//! What a bash command does, judged by its parsed form.
//!
//! Every simple command is looked at, wherever it stands: behind `;`, `&&` and pipes, in subshells, loops, functions and
//! substitutions, behind `sudo`, `env`, `xargs` and their like, in the text given to `bash -c` and `eval`. Variables,
//! functions and aliases are followed, from one command of a shell to the next, and so is `cd`. What only a run can tell
//! stays unknown.

mod critical;
mod delete;
mod execute;
mod path;
mod script;
mod shell;
mod simple;
mod unwrap;
mod walk;
mod word;

use std::path::{Path, PathBuf};

pub use script::{Script, Simple};
pub use shell::Shell;

/// Commands longer than this are not judged.
const LONGEST: usize = 64 * 1024;

/// Nobody writes such a command by hand; it could hide anything.
const BEYOND: &str = "Is too long or too deeply nested to be judged";

/// Where a command runs.
#[derive(Clone, Copy)]
pub struct Place<'a> {
    pub cwd: &'a Path,
    pub home: Option<&'a Path>,
    /// What is set in the shell, and for the command.
    pub shell: &'a Shell,
    /// The file that a path leads to, behind symbolic links. May wait for the disk.
    pub real: &'a (dyn Fn(&Path) -> PathBuf + Sync),
}

/// What a command was found to do.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct Verdict {
    /// Why the command is dangerous.
    pub critical: Option<&'static str>,
    /// Its simple commands; `None` if it could not be read as a whole, and where its words may mean something else than
    /// they say.
    pub script: Option<Script>,
    /// What it leaves behind, for [`Place::shell`] of the next command there.
    pub shell: Shell,
}

/// Judges a command. One that cannot be read as a whole is judged line by line, as the shell would run it.
pub fn judge(command: &str, place: Place<'_>) -> Verdict {
    if command.len() > LONGEST {
        let shell = Shell { uncertain: true, ..place.shell.clone() };
        return Verdict { critical: Some(BEYOND), script: None, shell };
    }
    let mut walk = walk::Walk::new(place);
    if walk.script(command) {
        return walk.finish();
    }
    let mut lines = walk::Walk::new(place);
    for line in command.lines() {
        // A line that means nothing by itself tells nothing either.
        lines.script(line);
    }
    let Verdict { critical, shell, .. } = lines.finish();
    Verdict { critical, script: None, shell: Shell { uncertain: true, ..shell } }
}
