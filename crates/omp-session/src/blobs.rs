//! Images of all sessions, each stored once under the SHA-256 of its bytes.

use std::fs::OpenOptions;
use std::io::{self, Write};
use std::os::unix::fs::OpenOptionsExt;
use std::path::{Path, PathBuf};

use ring::digest::{SHA256, digest};

use crate::file;

/// What stands in a session file where an image was, before the hash.
pub(crate) const PREFIX: &str = "blob:sha256:";

/// The list of directories elsewhere with sessions that refer to blobs.
const DIRECTORIES: &str = ".session-directories";

/// The directory of blobs. Cheap to clone; touches no file by itself.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct BlobStore {
    directory: PathBuf,
}

/// The name of a blob: 64 hexadecimal digits.
#[derive(Clone, Debug, PartialEq, Eq, Hash, PartialOrd, Ord)]
pub struct BlobHash(String);

impl BlobHash {
    /// The hash of some bytes.
    pub fn of(bytes: &[u8]) -> Self {
        let hash = digest(&SHA256, bytes);
        Self(hash.as_ref().iter().map(|byte| format!("{byte:02x}")).collect())
    }

    /// Reads 64 hexadecimal digits in lower case; nothing else can become a file name.
    pub fn parse(text: &str) -> Option<Self> {
        let legal = text.len() == 64 && text.bytes().all(|byte| matches!(byte, b'0'..=b'9' | b'a'..=b'f'));
        legal.then(|| Self(text.to_owned()))
    }

    /// Reads a reference as it stands in session files.
    pub fn from_reference(text: &str) -> Option<Self> {
        Self::parse(text.strip_prefix(PREFIX)?)
    }

    /// The reference that stands in session files: `blob:sha256:<hash>`.
    pub fn reference(&self) -> String {
        format!("{PREFIX}{}", self.0)
    }

    /// The digits.
    pub fn as_str(&self) -> &str {
        &self.0
    }
}

impl BlobStore {
    /// A store in this directory, which need not exist.
    pub fn new(directory: &Path) -> Self {
        Self { directory: directory.to_owned() }
    }

    /// Where the blobs are.
    pub fn directory(&self) -> &Path {
        &self.directory
    }

    /// The file of a blob, which need not exist.
    pub fn path(&self, hash: &BlobHash) -> PathBuf {
        self.directory.join(hash.as_str())
    }

    /// Stores bytes, on disk when this returns; bytes that are there already are not written again.
    ///
    /// With an `extension` the blob gets a second name that ends in it, for programs that go by names.
    pub fn put(&self, bytes: &[u8], extension: Option<&str>) -> io::Result<BlobHash> {
        let hash = BlobHash::of(bytes);
        let path = self.path(&hash);
        // A file of another length was cut off by a crash of the machine.
        let there = std::fs::metadata(&path).is_ok_and(|old| old.len() == bytes.len() as u64);
        if !there {
            file::replace(&path, |writer| writer.write_all(bytes))?;
        }
        if let Some(extension) = extension {
            let named = self.directory.join(format!("{}.{extension}", hash.as_str()));
            // A convenience: that it is there already, or cannot be made, is no reason to fail.
            if std::fs::symlink_metadata(&named).is_err() && std::fs::hard_link(&path, &named).is_err() {
                let _ = std::fs::copy(&path, &named);
            }
        }
        Ok(hash)
    }

    /// Notes that sessions in a directory refer to blobs, so that these are not taken for garbage. The directories
    /// of all projects are known without.
    pub(crate) fn remember(&self, directory: &Path) {
        let Some(name) = directory.to_str().filter(|name| !name.contains('\n')) else { return };
        let inside =
            self.directory.parent().is_some_and(|agent| directory.starts_with(agent.join("sessions")));
        if inside || self.remembered().iter().any(|known| known == directory) {
            return;
        }
        // Losing this costs nothing as long as blobs are collected with a long period of grace.
        let list =
            OpenOptions::new().append(true).create(true).mode(0o600).open(self.directory.join(DIRECTORIES));
        let _ = list.and_then(|mut list| list.write_all(format!("{name}\n").as_bytes()));
    }

    /// Directories outside the agent's files whose sessions refer to blobs.
    pub(crate) fn remembered(&self) -> Vec<PathBuf> {
        let list = std::fs::read_to_string(self.directory.join(DIRECTORIES)).unwrap_or_default();
        list.lines().map(PathBuf::from).collect()
    }

    /// The bytes of a blob; `None` if it is missing or no longer what its name says.
    pub fn get(&self, hash: &BlobHash) -> Option<Vec<u8>> {
        let bytes = std::fs::read(self.path(hash)).ok()?;
        (BlobHash::of(&bytes) == *hash).then_some(bytes)
    }
}

/// The extension for images of a MIME type.
pub(crate) fn extension(mime_type: &str) -> Option<&'static str> {
    match mime_type {
        "image/png" => Some("png"),
        "image/jpeg" | "image/jpg" => Some("jpg"),
        "image/gif" => Some("gif"),
        "image/webp" => Some("webp"),
        "image/bmp" => Some("bmp"),
        "image/svg+xml" => Some("svg"),
        "image/tiff" => Some("tiff"),
        "image/avif" => Some("avif"),
        _ => None,
    }
}
