//! Files as commits have them.

use std::path::Path;

use crate::blobs::{Blobs, hash_of};
use crate::error::HistoryError;
use crate::file_state::{FileState, Reason};
use crate::git::{Committed, Git};
use crate::plan::Change;

/// Does the file belong to a repository inside of this one? Commits of this one say nothing about it.
pub(crate) fn is_nested(root: &Path, path: &Path) -> bool {
    let between = path.ancestors().skip(1).take_while(|above| *above != root && above.starts_with(root));
    between.into_iter().any(|above| std::fs::symlink_metadata(above.join(".git")).is_ok())
}

/// A committed file whose content was not read yet.
pub(crate) fn unread(found: &Committed) -> FileState {
    FileState::Unkept { why: Reason::TooMany, mark: format!("{:o} {}", found.mode, found.id) }
}

pub(crate) fn parsed(mark: &str) -> Option<Committed> {
    let (mode, id) = mark.split_once(' ')?;
    Some(Committed { mode: u32::from_str_radix(mode, 8).ok()?, id: id.to_owned() })
}

pub(crate) fn read_committed(
    git: &Git,
    head: &str,
    inside: &str,
    found: &Committed,
    largest: u64,
) -> Result<FileState, HistoryError> {
    Ok(match found.mode & 0o170_000 {
        0o100_000 => match git.checked_out(head, inside, largest) {
            Ok(bytes) => FileState::from_git(hash_of(&bytes), bytes.len() as u64, found.mode & 0o100 != 0),
            Err(HistoryError::TooLong { .. }) => {
                FileState::Unkept { why: Reason::TooLarge, mark: found.id.clone() }
            }
            Err(error) => return Err(error),
        },
        // Git keeps directories only for what is in them.
        0o040_000 => FileState::Absent,
        0o120_000 => match String::from_utf8(git.object(&found.id)?) {
            Ok(to) => FileState::Link { to },
            Err(_) => FileState::Unkept { why: Reason::Unreadable, mark: found.id.clone() },
        },
        _ => FileState::Unkept { why: Reason::Special, mark: found.id.clone() },
    })
}

/// The bytes of a file as it was.
pub(crate) fn content(
    change: &Change,
    blobs: &Blobs,
    git: Option<&Git>,
    largest: u64,
) -> Result<Vec<u8>, HistoryError> {
    let FileState::File { hash, .. } = &change.target else { return Ok(Vec::new()) };
    let kept = blobs.get(hash);
    let (Err(HistoryError::Lost), Some(git), Some(head)) = (&kept, git, &change.commit) else { return kept };
    let inside = inside(git, &change.path.to_string_lossy()).ok_or(HistoryError::Lost)?;
    let bytes = git.checked_out(head, &inside, largest)?;
    (hash_of(&bytes) == *hash).then_some(bytes).ok_or(HistoryError::Lost)
}

/// The absolute path of a file in a repository.
pub(crate) fn absolute(git: &Git, inside: &str) -> Option<String> {
    git.root().join(inside).into_os_string().into_string().ok()
}

pub(crate) fn inside(git: &Git, path: &str) -> Option<String> {
    let inside = Path::new(path).strip_prefix(git.root()).ok()?;
    inside.to_str().filter(|inside| !inside.is_empty()).map(str::to_owned)
}
