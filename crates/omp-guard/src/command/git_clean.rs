//! What `git clean` is told to delete. Which files that means, only the repository tells.

use std::path::PathBuf;

use super::path;
use super::simple::Call;

/// One `git clean`.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct GitClean {
    /// The directory below which it deletes.
    pub directory: PathBuf,
    /// Ignored files too (`-x`).
    pub ignored: bool,
    /// Nothing but ignored files (`-X`).
    pub only_ignored: bool,
    /// Whole untracked directories too (`-d`).
    pub whole_directories: bool,
}

/// The `git clean` calls that a call amounts to, one for each place it names; none for another call, for one that only
/// shows what it would do, and for one with words that only a run can tell.
pub(super) fn of(call: &Call<'_>) -> Vec<GitClean> {
    parsed(call).unwrap_or_default()
}

fn parsed(call: &Call<'_>) -> Option<Vec<GitClean>> {
    if call.program() != "git" {
        return None;
    }
    let words = call.arguments().iter().map(|word| word.known()).collect::<Option<Vec<&str>>>()?;
    let mut directory = call.cwd?.clone();
    let mut words = words.as_slice();
    while let [first, rest @ ..] = words {
        words = match (*first, rest) {
            ("-C", [into, rest @ ..]) => {
                directory = path::join(&directory, into);
                rest
            }
            ("-c", [_, rest @ ..]) => rest,
            (option, rest) if option.starts_with('-') => rest,
            _ => break,
        };
    }
    let arguments = words.strip_prefix(&["clean"])?;
    let letters: String = arguments
        .iter()
        .filter(|word| word.starts_with('-') && !word.starts_with("--"))
        .map(|word| &word[1..])
        .collect();
    if letters.contains('n') || arguments.contains(&"--dry-run") {
        return None;
    }
    let mut places: Vec<&str> = arguments.iter().copied().filter(|word| !word.starts_with('-')).collect();
    // Git deletes below a directory that is named, whether or not it was told `-d`.
    let named = !places.is_empty();
    if !named {
        places.push(".");
    }
    let clean = |place: &str| GitClean {
        directory: path::join(&directory, place),
        ignored: letters.contains('x'),
        only_ignored: letters.contains('X'),
        whole_directories: named || letters.contains('d'),
    };
    Some(places.into_iter().map(clean).collect())
}
