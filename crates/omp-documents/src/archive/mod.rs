//! Archives: what is in them, one member of them, and the same archive with another member.
//!
//! Nothing is ever unpacked to the disk, so names such as `../x` lead nowhere; they are counted, not listed. A member is
//! a stream: whoever reads the first lines of one that claims ten gigabytes gets them without the rest.

mod index;
mod name;
mod put;
mod records;
mod tarball;
mod zip;
mod zip_member;

use std::fs::File;
use std::io::{self, Read};
use std::path::Path;

use omp_workspace::write::WriteError;

use crate::pointer;
use crate::stop::{Stop, was_stopped};

pub use index::{Child, Incomplete, Listing, Lookup, Member, MemberKind};
pub use name::{Format, Inner, inner, splits};
pub use put::{ArchivePath, put};

use index::Index;

/// More members than this are not kept in mind.
const MAX_MEMBERS: usize = 500_000;
/// Bytes that tell whether a file is something else.
const HEAD: u64 = 64;

/// Why an archive or a member cannot be used.
#[derive(Debug, thiserror::Error)]
pub enum ArchiveError {
    #[error("the archive is damaged: {0}")]
    Damaged(String),
    #[error("'{0}' is encrypted, and passwords are not supported")]
    Encrypted(String),
    #[error("'{name}' is packed with method {method}, which is not supported (stored and deflate are)")]
    Method { name: String, method: u16 },
    #[error("{0}")]
    Refused(String),
    #[error(transparent)]
    Write(WriteError),
    #[error("{0}")]
    Io(io::Error),
    #[error("stopped on request")]
    Stopped,
}

impl ArchiveError {
    /// What is wrong with an archive, if that is why something failed.
    fn damage(self) -> Result<String, Self> {
        match self {
            Self::Damaged(what) => Ok(what),
            other => Err(other),
        }
    }
}

impl From<io::Error> for ArchiveError {
    fn from(error: io::Error) -> Self {
        match error.kind() {
            _ if was_stopped(&error) => Self::Stopped,
            io::ErrorKind::UnexpectedEof => Self::Damaged("it is truncated".to_owned()),
            io::ErrorKind::InvalidData | io::ErrorKind::InvalidInput | io::ErrorKind::Other => {
                Self::Damaged(error.to_string())
            }
            _ => Self::Io(error),
        }
    }
}

/// An archive whose members are known.
#[derive(Debug)]
pub struct Archive {
    file: File,
    format: Format,
    index: Index,
}

impl Archive {
    /// Finds out what is in an archive. What stands before a damage is of use, so a damage behind the first member is no
    /// error: see [`Archive::incomplete`].
    pub fn open(path: &Path, format: Format, stop: &Stop) -> Result<Self, ArchiveError> {
        let file = File::open(path)?;
        let mut head = Vec::new();
        (&file).take(HEAD).read_to_end(&mut head)?;
        if pointer::is_pointer(&head) {
            return Err(ArchiveError::Refused(pointer::REASON.to_owned()));
        }
        let index = match format {
            Format::Zip => zip::index(&file, stop)?,
            Format::Tar | Format::TarGz => tarball::index(&file, format, stop)?,
        };
        Ok(Self { file, format, index })
    }

    /// Why not all members are known, if so.
    pub fn incomplete(&self) -> Option<&Incomplete> {
        self.index.incomplete.as_ref()
    }

    /// What a path inside means.
    pub fn look(&self, inner: &Inner) -> Lookup<'_> {
        self.index.look(inner)
    }

    /// The first `limit` children of a directory inside, sorted by name.
    pub fn list(&self, inner: &Inner, limit: usize) -> Listing {
        self.index.list(inner, limit)
    }

    /// All members below a directory inside, sorted by name.
    pub fn below(&self, inner: &Inner) -> impl Iterator<Item = &Member> {
        self.index.below(inner).map(|(_, member)| member)
    }

    /// Hands the bytes of a member to `take`, which reads as many as it wants.
    pub fn read<T>(
        &self,
        member: &Member,
        stop: &Stop,
        take: impl FnOnce(&mut dyn Read) -> io::Result<T>,
    ) -> Result<T, ArchiveError> {
        match self.format {
            Format::Zip => zip::read(&self.file, member, stop, take),
            Format::Tar | Format::TarGz => tarball::read(&self.file, self.format, member, stop, take),
        }
    }
}
