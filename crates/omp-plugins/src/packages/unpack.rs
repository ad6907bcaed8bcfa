//! Unpacks packages. Whoever made one does not decide where its files go: no path leaves the directory, no link is made, and there are
//! limits.

use std::fs::File;
use std::io::{self, Read};
use std::os::unix::fs::OpenOptionsExt as _;
use std::path::{Component, Path, PathBuf};

use flate2::read::GzDecoder;
use serde_json::Value;
use tar::{Archive, EntryType};
use thiserror::Error;

/// What a package may be on the disk.
const MOST_BYTES: u64 = 1024 * 1024 * 1024;
const MOST_FILES: usize = 100_000;
const DEEPEST: usize = 64;
/// Scripts that a package manager would run.
const SCRIPTS: [&str; 3] = ["preinstall", "install", "postinstall"];

/// Why a package cannot be unpacked.
#[derive(Debug, Error)]
pub enum UnpackError {
    #[error("it contains the path {0:?}, which leads out of it")]
    Path(String),
    #[error("it has more than {} MiB", MOST_BYTES >> 20)]
    TooLarge,
    #[error("it has more than {MOST_FILES} files")]
    TooMany,
    #[error("it has no package.json")]
    NoManifest,
    #[error("its package.json is not valid JSON")]
    Manifest,
    #[error("it cannot be unpacked: {0}")]
    Io(#[from] io::Error),
}

/// A package that was unpacked.
#[derive(Clone, Debug, Default, PartialEq)]
pub struct Unpacked {
    /// Its `package.json`.
    pub document: Value,
    /// The scripts that a package manager would have run now.
    pub scripts: Vec<&'static str>,
}

/// Unpacks into `directory`, which is empty or does not exist.
pub fn unpack(tarball: &[u8], directory: &Path) -> Result<Unpacked, UnpackError> {
    std::fs::create_dir_all(directory)?;
    let limited = Limited { inner: GzDecoder::new(tarball), left: MOST_BYTES };
    let mut archive = Archive::new(limited);
    let mut files = 0;
    for entry in archive.entries().map_err(too_large)? {
        let mut entry = entry.map_err(too_large)?;
        let kind = entry.header().entry_type();
        // Links are left out, as package managers do; so is what only systems have.
        if !matches!(kind, EntryType::Regular | EntryType::Continuous | EntryType::Directory) {
            continue;
        }
        let Some(path) = relative(&entry.path_bytes())? else { continue };
        let path = directory.join(path);
        if kind == EntryType::Directory {
            std::fs::create_dir_all(&path)?;
            continue;
        }
        files += 1;
        if files > MOST_FILES {
            return Err(UnpackError::TooMany);
        }
        if let Some(parent) = path.parent() {
            std::fs::create_dir_all(parent)?;
        }
        let is_program = entry.header().mode().is_ok_and(|mode| mode & 0o111 != 0);
        let mode = if is_program { 0o755 } else { 0o644 };
        let mut file = File::options().write(true).create(true).truncate(true).mode(mode).open(&path)?;
        io::copy(&mut entry, &mut file).map_err(too_large)?;
    }
    described(directory)
}

/// What is in a directory with a package.
pub(super) fn described(directory: &Path) -> Result<Unpacked, UnpackError> {
    let text = match std::fs::read(directory.join("package.json")) {
        Ok(text) => text,
        Err(error) if error.kind() == io::ErrorKind::NotFound => return Err(UnpackError::NoManifest),
        Err(error) => return Err(error.into()),
    };
    let text = text.strip_prefix(b"\xef\xbb\xbf").unwrap_or(&text);
    let document: Value = serde_json::from_slice(text).map_err(|_| UnpackError::Manifest)?;
    if !document.is_object() {
        return Err(UnpackError::Manifest);
    }
    let has =
        |script: &str| document.get("scripts").and_then(|all| all.get(script)).is_some_and(Value::is_string);
    let mut scripts: Vec<&'static str> = SCRIPTS.into_iter().filter(|script| has(script)).collect();
    if scripts.is_empty() && directory.join("binding.gyp").is_file() {
        scripts.push("install");
    }
    Ok(Unpacked { document, scripts })
}

/// The path below the directory, without the first part, which every package has and each calls as it likes.
fn relative(bytes: &[u8]) -> Result<Option<PathBuf>, UnpackError> {
    let bad = || UnpackError::Path(String::from_utf8_lossy(bytes).into_owned());
    let text = std::str::from_utf8(bytes).map_err(|_| bad())?;
    if text.contains(['\\', '\0']) || text.starts_with('/') {
        return Err(bad());
    }
    let mut path = PathBuf::new();
    let mut parts = 0;
    for component in Path::new(text).components() {
        match component {
            Component::Normal(name) => {
                if parts > 0 {
                    path.push(name);
                }
                parts += 1;
            }
            Component::CurDir => {}
            Component::ParentDir | Component::RootDir | Component::Prefix(_) => return Err(bad()),
        }
    }
    if parts > DEEPEST {
        return Err(bad());
    }
    Ok((parts > 1).then_some(path))
}

/// Ends with an error where a limit is passed.
struct Limited<R> {
    inner: R,
    left: u64,
}

impl<R: Read> Read for Limited<R> {
    fn read(&mut self, buffer: &mut [u8]) -> io::Result<usize> {
        let read = self.inner.read(buffer)?;
        self.left =
            self.left.checked_sub(read as u64).ok_or_else(|| io::Error::from(io::ErrorKind::FileTooLarge))?;
        Ok(read)
    }
}

fn too_large(error: io::Error) -> UnpackError {
    match error.kind() {
        io::ErrorKind::FileTooLarge => UnpackError::TooLarge,
        _ => UnpackError::Io(error),
    }
}

#[cfg(test)]
mod tests {
    use std::io::Write as _;

    use flate2::Compression;
    use flate2::write::GzEncoder;

    use super::*;

    /// A package whose entries are written without looking at their names.
    fn tarball(entries: &[(&str, EntryType, &str)]) -> Vec<u8> {
        let mut builder = tar::Builder::new(GzEncoder::new(Vec::new(), Compression::fast()));
        for (path, kind, content) in entries {
            let mut header = tar::Header::new_gnu();
            header.as_gnu_mut().unwrap().name[..path.len()].copy_from_slice(path.as_bytes());
            header.set_entry_type(*kind);
            header.set_mode(0o4777);
            match kind {
                EntryType::Symlink | EntryType::Link => {
                    header.as_gnu_mut().unwrap().linkname[..content.len()]
                        .copy_from_slice(content.as_bytes());
                    header.set_size(0);
                    header.set_cksum();
                    builder.append(&header, io::empty()).unwrap();
                }
                _ => {
                    header.set_size(content.len() as u64);
                    header.set_cksum();
                    builder.append(&header, content.as_bytes()).unwrap();
                }
            }
        }
        builder.into_inner().unwrap().finish().unwrap()
    }

    const MANIFEST: (&str, EntryType, &str) =
        ("package/package.json", EntryType::Regular, "{\"name\":\"x\"}");

    #[test]
    fn nothing_gets_out() {
        for path in
            ["package/../../evil", "/etc/evil", "../evil", "package/a/../../../evil", "package\\..\\evil"]
        {
            let home = tempfile::tempdir().unwrap();
            let content = tarball(&[MANIFEST, (path, EntryType::Regular, "x")]);
            let error = unpack(&content, &home.path().join("a/b")).unwrap_err();
            assert!(matches!(error, UnpackError::Path(_)), "{path}: {error}");
            let mut left = Vec::new();
            collect(home.path(), &mut left);
            assert!(left.iter().all(|it| !it.ends_with("evil")), "{left:?}");
        }
    }

    #[test]
    fn links_are_left_out() {
        let home = tempfile::tempdir().unwrap();
        std::fs::write(home.path().join("secret"), "s").unwrap();
        let content = tarball(&[
            MANIFEST,
            ("package/link", EntryType::Symlink, "../secret"),
            ("package/link/../x", EntryType::Symlink, "/etc"),
            ("package/hard", EntryType::Link, "../secret"),
            ("package/link/inner", EntryType::Regular, "y"),
        ]);
        let unpacked = unpack(&content, &home.path().join("p")).unwrap();
        assert_eq!(unpacked.document["name"], "x");
        assert!(home.path().join("p/link/inner").is_file(), "a directory of its own");
        assert!(!home.path().join("p/hard").exists());
        assert_eq!(std::fs::read_to_string(home.path().join("secret")).unwrap(), "s");
    }

    #[test]
    fn modes_are_ours_and_scripts_are_named() {
        use std::os::unix::fs::PermissionsExt as _;
        let home = tempfile::tempdir().unwrap();
        let manifest = "{\"scripts\": {\"postinstall\": \"touch x\", \"test\": \"y\"}}";
        let content = tarball(&[
            ("odd/package.json", EntryType::Regular, manifest),
            ("odd/bin/run", EntryType::Regular, "r"),
        ]);
        let unpacked = unpack(&content, home.path()).unwrap();
        assert_eq!(unpacked.scripts, ["postinstall"]);
        let mode = std::fs::metadata(home.path().join("bin/run")).unwrap().permissions().mode();
        assert_eq!(mode & 0o7000, 0, "no setuid");
    }

    #[test]
    fn bombs_end() {
        let home = tempfile::tempdir().unwrap();
        let mut encoder = GzEncoder::new(Vec::new(), Compression::fast());
        let mut header = tar::Header::new_gnu();
        header.set_path("package/zeros").unwrap();
        header.set_size(MOST_BYTES * 8);
        header.set_entry_type(EntryType::Directory);
        header.set_cksum();
        encoder.write_all(header.as_bytes()).unwrap();
        let zeros = vec![0xff; 1 << 20];
        for _ in 0..(MOST_BYTES >> 20) + 2 {
            encoder.write_all(&zeros).unwrap();
        }
        let content = encoder.finish().unwrap();
        assert!(unpack(&content, home.path()).is_err());
        for content in [&b""[..], b"no archive", b"\x1f\x8b\x08"] {
            assert!(unpack(content, &home.path().join("other")).is_err());
        }
    }

    fn collect(folder: &Path, found: &mut Vec<PathBuf>) {
        for entry in std::fs::read_dir(folder).unwrap().flatten() {
            found.push(entry.path());
            if entry.path().is_dir() {
                collect(&entry.path(), found);
            }
        }
    }
}
