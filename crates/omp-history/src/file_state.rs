//! What a file was at a moment.

use serde::{Deserialize, Serialize};

/// Marks permission bits that come from git, which knows of nothing but whether a file can be executed.
const FROM_GIT: u32 = 0o100_000;

/// What a file was at a moment.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize)]
#[serde(tag = "is", rename_all = "camelCase")]
pub(crate) enum FileState {
    /// Not there, or a directory.
    Absent,
    /// A file, by the SHA-256 of its bytes.
    File { hash: String, mode: u32, size: u64 },
    /// A symbolic link.
    Link { to: String },
    /// Something that is not kept. The mark changes when it does.
    Unkept { why: Reason, mark: String },
}

/// Why something is not kept.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash, Serialize, Deserialize)]
#[serde(rename_all = "camelCase")]
pub(crate) enum Reason {
    /// Larger than a file may be.
    TooLarge,
    /// A device, a socket, a pipe.
    Special,
    /// It cannot be read.
    Unreadable,
    /// A checkpoint had enough without it.
    TooMany,
    /// Git ignores it.
    Ignored,
    /// Git has it, and cannot be asked.
    NoGit,
}

impl FileState {
    /// A file as git keeps it.
    pub(crate) fn from_git(hash: String, size: u64, executable: bool) -> Self {
        let bits = if executable { 0o755 } else { 0o644 };
        Self::File { hash, mode: FROM_GIT | bits, size }
    }

    /// The same file, as far as is known?
    pub(crate) fn same(&self, other: &Self) -> bool {
        match (self, other) {
            (Self::File { hash, mode, .. }, Self::File { hash: other, mode: bits, .. }) => {
                hash == other && same_bits(*mode, *bits)
            }
            _ => self == other,
        }
    }
}

fn same_bits(one: u32, other: u32) -> bool {
    match (one | other) & FROM_GIT {
        0 => one == other,
        _ => is_executable(one) == is_executable(other),
    }
}

/// The permission bits for a file, if all of them are known.
pub(crate) fn exact_bits(mode: u32) -> Option<u32> {
    (mode & FROM_GIT == 0).then_some(mode & 0o7777)
}

pub(crate) fn is_executable(mode: u32) -> bool {
    mode & 0o100 != 0
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn bits_from_git_say_only_who_may_execute() {
        let file = |mode| FileState::File { hash: "a".to_owned(), mode, size: 1 };
        let git = |executable| FileState::from_git("a".to_owned(), 1, executable);
        assert!(file(0o664).same(&git(false)) && git(false).same(&file(0o600)));
        assert!(!file(0o664).same(&git(true)));
        assert!(!file(0o664).same(&file(0o644)));
        assert!(!file(0o644).same(&FileState::Absent));
        assert_eq!((exact_bits(0o640), exact_bits(FROM_GIT | 0o644)), (Some(0o640), None));
    }
}
