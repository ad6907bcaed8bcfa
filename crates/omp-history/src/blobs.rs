//! Contents of files, each kept once under the SHA-256 of its bytes.

use std::collections::{HashMap, HashSet};
use std::fmt::Write as _;
use std::fs::{DirBuilder, File, OpenOptions};
use std::io::{self, Read, Write};
use std::os::unix::fs::{DirBuilderExt, OpenOptionsExt};
use std::path::{Path, PathBuf};

use flate2::Compression;
use flate2::read::ZlibDecoder;
use flate2::write::ZlibEncoder;
use ring::digest::{SHA256, digest};

use crate::error::HistoryError;

/// The store of contents. Nothing is created before something is kept.
#[derive(Debug)]
pub(crate) struct Blobs {
    directory: PathBuf,
    /// The largest content that is given back.
    largest: u64,
    /// What is there, with its size on disk; read when it is first needed.
    known: Option<HashMap<String, u64>>,
}

impl Blobs {
    pub(crate) fn new(directory: PathBuf, largest: u64) -> Self {
        Self { directory, largest, known: None }
    }

    /// Keeps bytes under their hash.
    pub(crate) fn put(&mut self, hash: &str, bytes: &[u8]) -> Result<(), HistoryError> {
        let path = self.directory.join(hash);
        if self.known()?.contains_key(hash) {
            return Ok(());
        }
        create_private(&self.directory).map_err(|error| HistoryError::store(&self.directory, error))?;
        let packed = pack(bytes).map_err(|error| HistoryError::store(&path, error))?;
        self.write(&path, &packed).map_err(|error| HistoryError::store(&path, error))?;
        self.known()?.insert(hash.to_owned(), packed.len() as u64);
        Ok(())
    }

    /// Not forced to the disk: there may be thousands, and each is checked when it is read.
    fn write(&self, path: &Path, packed: &[u8]) -> io::Result<()> {
        let temporary = self.directory.join(format!(".{}-{:08x}.tmp", std::process::id(), fastrand::u32(..)));
        let options = OpenOptions::new().write(true).create_new(true).mode(0o600).to_owned();
        let written = options.open(&temporary).and_then(|mut file| file.write_all(packed));
        let written = written.and_then(|()| std::fs::rename(&temporary, path));
        if written.is_err() {
            // Not even a part of it may stay where there is no room.
            let _ = std::fs::remove_file(&temporary);
        }
        written
    }

    /// Makes sure that a content can be had again, whatever happens next. One whose copy is missing or damaged is kept
    /// again, from `bytes`.
    pub(crate) fn secure(
        &mut self,
        hash: &str,
        bytes: impl FnOnce() -> Option<Vec<u8>>,
    ) -> Result<(), HistoryError> {
        match self.get(hash) {
            Err(HistoryError::Lost) => {
                let bytes = bytes().filter(|bytes| hash_of(bytes) == hash).ok_or(HistoryError::Lost)?;
                self.known()?.remove(hash);
                self.put(hash, &bytes)?;
            }
            other => drop(other?),
        }
        let path = self.directory.join(hash);
        let forced = [&path, &self.directory].into_iter().try_for_each(|path| File::open(path)?.sync_all());
        forced.map_err(|error| HistoryError::store(path, error))
    }

    /// Another process may have changed what is there.
    pub(crate) fn look_again(&mut self) {
        self.known = None;
    }

    /// Takes a content over from another store; one that is not there is passed over.
    pub(crate) fn take_from(&mut self, other: &Self, hash: &str) -> Result<(), HistoryError> {
        let from = other.directory.join(hash);
        let packed = match std::fs::read(&from) {
            Err(error) if error.kind() == io::ErrorKind::NotFound => return Ok(()),
            packed => packed.map_err(|error| HistoryError::store(&from, error))?,
        };
        let path = self.directory.join(hash);
        let written = create_private(&self.directory).and_then(|()| self.write(&path, &packed));
        written.map_err(|error| HistoryError::store(&path, error))
    }

    /// Is this content kept, as far as was looked?
    pub(crate) fn has(&self, hash: &str) -> bool {
        self.known.as_ref().is_some_and(|known| known.contains_key(hash))
    }

    /// The bytes of a hash.
    pub(crate) fn get(&self, hash: &str) -> Result<Vec<u8>, HistoryError> {
        if !is_hash(hash) {
            return Err(HistoryError::Lost);
        }
        let path = self.directory.join(hash);
        let packed = std::fs::read(&path).map_err(|error| match error.kind() {
            io::ErrorKind::NotFound => HistoryError::Lost,
            _ => HistoryError::store(&path, error),
        })?;
        let mut bytes = Vec::new();
        let unpacked =
            ZlibDecoder::new(packed.as_slice()).take(self.largest.saturating_add(1)).read_to_end(&mut bytes);
        match unpacked {
            Ok(_) if hash_of(&bytes) == hash => Ok(bytes),
            _ => Err(HistoryError::Lost),
        }
    }

    /// What all of it takes on disk.
    pub(crate) fn bytes(&mut self) -> Result<u64, HistoryError> {
        Ok(self.known()?.values().sum())
    }

    /// Removes everything that is not named here.
    pub(crate) fn retain(&mut self, needed: &HashSet<String>) -> Result<(), HistoryError> {
        let gone: Vec<String> =
            self.known()?.keys().filter(|hash| !needed.contains(*hash)).cloned().collect();
        for hash in gone {
            let path = self.directory.join(&hash);
            match std::fs::remove_file(&path) {
                Err(error) if error.kind() != io::ErrorKind::NotFound => {
                    return Err(HistoryError::store(&path, error));
                }
                _ => self.known()?.remove(&hash),
            };
        }
        Ok(())
    }

    fn known(&mut self) -> Result<&mut HashMap<String, u64>, HistoryError> {
        if self.known.is_none() {
            self.known = Some(listed(&self.directory)?);
        }
        Ok(self.known.get_or_insert_default())
    }
}

fn listed(directory: &Path) -> Result<HashMap<String, u64>, HistoryError> {
    let failed = |error| HistoryError::store(directory, error);
    let files = match std::fs::read_dir(directory) {
        Err(error) if error.kind() == io::ErrorKind::NotFound => return Ok(HashMap::new()),
        other => other.map_err(failed)?,
    };
    let mut known = HashMap::new();
    for file in files {
        let file = file.map_err(failed)?;
        let name = file.file_name().to_string_lossy().into_owned();
        let size = file.metadata().map_or(0, |found| found.len());
        // What a crash of the machine left empty is written again.
        if is_hash(&name) && size > 0 {
            known.insert(name, size);
        }
    }
    Ok(known)
}

pub(crate) fn is_hash(name: &str) -> bool {
    name.len() == 64 && name.bytes().all(|byte| matches!(byte, b'0'..=b'9' | b'a'..=b'f'))
}

fn pack(bytes: &[u8]) -> io::Result<Vec<u8>> {
    let mut packed = ZlibEncoder::new(Vec::new(), Compression::fast());
    packed.write_all(bytes)?;
    packed.finish()
}

/// A directory for its owner only, with those above it.
pub(crate) fn create_private(directory: &Path) -> io::Result<()> {
    DirBuilder::new().recursive(true).mode(0o700).create(directory)
}

/// The name of a content.
pub(crate) fn hash_of(bytes: &[u8]) -> String {
    let mut text = String::with_capacity(64);
    for byte in digest(&SHA256, bytes).as_ref() {
        // A String takes everything.
        let _ = write!(text, "{byte:02x}");
    }
    text
}

#[cfg(test)]
mod tests {
    use super::*;
    use std::os::unix::fs::PermissionsExt;

    #[test]
    fn contents_are_kept_once_private_and_checked() {
        let place = tempfile::tempdir().unwrap();
        let directory = place.path().join("contents");
        let mut blobs = Blobs::new(directory.clone(), 1 << 20);
        let (text, other) = (b"the same line\n".repeat(1000), b"other".to_vec());
        let hash = hash_of(&text);
        blobs.put(&hash, &text).unwrap();
        blobs.put(&hash, &text).unwrap();
        blobs.put(&hash_of(&other), &other).unwrap();
        assert_eq!(blobs.get(&hash).unwrap(), text);
        assert!(blobs.bytes().unwrap() < 1000, "it is compressed");
        let mode = std::fs::metadata(directory.join(&hash)).unwrap().permissions().mode();
        assert_eq!(mode & 0o777, 0o600);
        assert_eq!(std::fs::metadata(&directory).unwrap().permissions().mode() & 0o777, 0o700);

        blobs.retain(&HashSet::from([hash.clone()])).unwrap();
        assert!(matches!(blobs.get(&hash_of(&other)), Err(HistoryError::Lost)));
        std::fs::write(directory.join(&hash), b"spoiled").unwrap();
        assert!(matches!(blobs.get(&hash), Err(HistoryError::Lost)));
    }
}
