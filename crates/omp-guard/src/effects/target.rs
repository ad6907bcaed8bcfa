//! Files and directories that a command names.

use std::fmt;
use std::path::{Path, PathBuf};

use crate::command::ShellContext;
use crate::command::path;
use crate::grammar::Word;

/// A file or directory that a command changes.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Target {
    /// As it is written.
    pub typed: String,
    /// Without `.` and `..`; `None` if only a run can tell.
    pub path: Option<PathBuf>,
    /// Behind symbolic links.
    pub real: Option<PathBuf>,
    /// Everything in it is meant.
    pub recursive: bool,
    /// Only what matches a pattern in the directory is meant.
    pub pattern: bool,
}

impl Target {
    /// The places that a word names, one for each directory in which the command may run.
    pub(crate) fn of(word: &Word, cwds: Option<&[PathBuf]>, place: ShellContext<'_>) -> Vec<Self> {
        let unknown =
            || vec![Self { typed: word.shown(), path: None, real: None, recursive: false, pattern: false }];
        let Some((text, pattern)) = text(word, place) else { return unknown() };
        let absolute = Path::new(&text).is_absolute();
        let starts: Vec<Option<&PathBuf>> = match cwds {
            _ if absolute => vec![None],
            Some(cwds) => cwds.iter().map(Some).collect(),
            None => return unknown(),
        };
        let at = |start| {
            let found = path::resolve(&text, start, place);
            let (path, real) = found.map(|found| (found.named, found.real)).unzip();
            Self { typed: word.shown(), path, real, recursive: false, pattern }
        };
        starts.into_iter().map(at).collect()
    }

    /// The directory in which a command runs.
    pub(crate) fn current(cwds: Option<&[PathBuf]>, place: ShellContext<'_>) -> Vec<Self> {
        Self::of(&Word::literal("."), cwds, place)
    }

    /// Is it surely one of these directories or below one?
    pub fn is_in(&self, roots: &[&Path]) -> bool {
        let inside = |path: &Path| roots.iter().any(|root| path.starts_with(root));
        match (&self.path, &self.real) {
            (Some(path), Some(real)) => is_device(path) || inside(path) && inside(real),
            _ => false,
        }
    }
}

/// What a word names before links are followed, and whether a pattern chooses in it.
fn text(word: &Word, place: ShellContext<'_>) -> Option<(String, bool)> {
    if let Some(known) = word.known() {
        return Some((known.to_owned(), false));
    }
    let home = || place.home.map(|home| home.to_string_lossy().into_owned());
    if let Some(behind) = word.behind_home() {
        return Some((format!("{}{behind}", home()?), false));
    }
    let directory = word.directory_of_pattern()?;
    let root = directory.is_empty() && word.beginning().starts_with('/');
    let directory = match (word.home, directory) {
        (true, directory) => format!("{}{directory}", home()?),
        (false, "") if root => "/".to_owned(),
        (false, "") => ".".to_owned(),
        (false, directory) => directory.to_owned(),
    };
    // A pattern may step up again: `a/*/../..`.
    (!word.shown().contains("..")).then_some((directory, true))
}

/// Devices that hold nothing.
fn is_device(path: &Path) -> bool {
    ["/dev/null", "/dev/stdout", "/dev/stderr", "/dev/tty"].iter().any(|device| path == Path::new(device))
}

impl fmt::Display for Target {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        match &self.real {
            Some(real) if real.as_os_str() != self.typed.as_str() => {
                write!(f, "{} ({})", self.typed, real.display())
            }
            Some(_) => f.write_str(&self.typed),
            None => write!(f, "{} (known only at run time)", self.typed),
        }
    }
}
