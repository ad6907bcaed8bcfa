//! Paths in commands, resolved before they are judged.

use std::path::{Component, Path, PathBuf};

use super::ShellContext;
use super::word::Text;

/// A place in the file system that a word names.
#[derive(Clone, Debug, PartialEq, Eq)]
pub(crate) struct Target {
    /// As it is written, without `.` and `..`.
    pub(crate) named: PathBuf,
    /// Behind symbolic links.
    pub(crate) real: PathBuf,
}

impl Target {
    /// Both names of the place.
    pub(super) fn names(&self) -> [&Path; 2] {
        [&self.named, &self.real]
    }
}

/// The place that a word names, if it can be known.
pub(super) fn target(word: &Text, cwd: Option<&PathBuf>, place: ShellContext<'_>) -> Option<Target> {
    resolve(word.known()?, cwd, place)
}

pub(crate) fn resolve(path: &str, cwd: Option<&PathBuf>, place: ShellContext<'_>) -> Option<Target> {
    let named = match (Path::new(path).is_absolute(), cwd) {
        (true, _) => normal(Path::new(path)),
        (false, Some(cwd)) => join(cwd, path),
        (false, None) => return None,
    };
    let real = (place.real)(&named);
    Some(Target { named, real })
}

/// A path from a directory, without `.` and `..`.
pub(super) fn join(cwd: &Path, path: &str) -> PathBuf {
    normal(&cwd.join(path))
}

fn normal(path: &Path) -> PathBuf {
    let mut normal = PathBuf::new();
    for component in path.components() {
        match component {
            Component::CurDir => {}
            Component::ParentDir => {
                normal.pop();
            }
            other => normal.push(other),
        }
    }
    normal
}
