//! What a bash command does, judged by its parsed form.
//!
//! Every simple command is looked at, wherever it stands: behind `;`, `&&` and pipes, in subshells, loops, functions and
//! substitutions, behind `sudo`, `env`, `xargs` and their like, in the text given to `bash -c` and `eval`. Variables that
//! the command sets itself are followed, and so is `cd`. What only a run can tell stays unknown.

mod critical;
mod delete;
mod execute;
mod path;
mod script;
mod simple;
mod unwrap;
mod walk;
mod word;

use std::collections::HashMap;
use std::path::{Path, PathBuf};

pub use script::{Script, Simple};

/// Commands longer than this are not judged.
const LONGEST: usize = 64 * 1024;

/// Nobody writes such a command by hand; it could hide anything.
const BEYOND: &str = "Is too long or too deeply nested to be judged";

/// Where a command runs.
#[derive(Clone, Copy)]
pub struct Place<'a> {
    pub cwd: &'a Path,
    pub home: Option<&'a Path>,
    /// Variables that are set for the command.
    pub variables: &'a [(String, String)],
    /// The file that a path leads to, behind symbolic links. May wait for the disk.
    pub real: &'a (dyn Fn(&Path) -> PathBuf + Sync),
}

/// What a command was found to do.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct Verdict {
    /// Why the command is dangerous.
    pub critical: Option<&'static str>,
    /// Its simple commands; `None` if it could not be read as a whole.
    pub script: Option<Script>,
    /// Variables that it leaves behind in the shell, for [`Place::variables`] of the next command there.
    pub variables: HashMap<String, String>,
}

/// Judges a command. One that cannot be read as a whole is judged line by line, as the shell would run it.
pub fn judge(command: &str, place: Place<'_>) -> Verdict {
    if command.len() > LONGEST {
        return Verdict { critical: Some(BEYOND), ..Verdict::default() };
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
    Verdict { script: None, ..lines.finish() }
}
