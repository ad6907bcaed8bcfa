//! Copies a plugin, which anybody may have written: no links out of it, no other things than files and directories, and
//! not without end.

use std::fs::{DirBuilder, File, OpenOptions};
use std::io::{self, Read as _};
use std::os::unix::fs::{DirBuilderExt as _, OpenOptionsExt as _, PermissionsExt as _};
use std::path::{Path, PathBuf};

use omp_workspace::open::{OpenedPath, open};
use thiserror::Error;

const MOST_FILES: usize = 20_000;
const MOST_BYTES: u64 = 512 * 1024 * 1024;
const DEEPEST: usize = 64;

/// Why a directory was not copied.
#[derive(Debug, Error)]
pub enum CopyError {
    /// A file or directory could not be read or written.
    #[error("cannot copy {}: {source}", path.display())]
    Io {
        /// Which one.
        path: PathBuf,
        /// Why.
        source: io::Error,
    },
    /// It is too large.
    #[error("{} has more than {what}", path.display())]
    TooLarge {
        /// The directory.
        path: PathBuf,
        /// What there is too much of.
        what: String,
    },
}

/// Copies what is in `from` into `to`, which does not exist. Links are followed that stay in `root`, a directory around
/// `from`; the answer has those that were left out.
pub(super) fn copy(from: &Path, to: &Path, root: &Path) -> Result<Vec<PathBuf>, CopyError> {
    copy_up_to(MOST_BYTES, from, to, root)
}

fn copy_up_to(most: u64, from: &Path, to: &Path, root: &Path) -> Result<Vec<PathBuf>, CopyError> {
    let real =
        |path: &Path| path.canonicalize().map_err(|source| CopyError::Io { path: path.to_owned(), source });
    let mut copying =
        Copying { from: real(from)?, root: real(root)?, most, files: 0, bytes: 0, left_out: Vec::new() };
    let top = copying.from.clone();
    copying.directory(&top, to, &mut Vec::new())?;
    Ok(copying.left_out)
}

struct Copying {
    from: PathBuf,
    root: PathBuf,
    /// Bytes.
    most: u64,
    files: usize,
    bytes: u64,
    left_out: Vec<PathBuf>,
}

impl Copying {
    /// `above` are the directories on the way here, behind links: one of them again is a circle.
    fn directory(&mut self, from: &Path, to: &Path, above: &mut Vec<PathBuf>) -> Result<(), CopyError> {
        let failed = |source| CopyError::Io { path: from.to_owned(), source };
        if above.len() == DEEPEST {
            return Err(self.too_large(format!("{DEEPEST} directory levels")));
        }
        DirBuilder::new().mode(0o755).create(to).map_err(failed)?;
        let mut names: Vec<_> = std::fs::read_dir(from)
            .map_err(failed)?
            .filter_map(|entry| entry.ok().map(|entry| entry.file_name()))
            .collect();
        names.sort();
        above.push(from.to_owned());
        for name in names.into_iter().filter(|name| name != ".git") {
            self.entry(&from.join(&name), &to.join(&name), above)?;
        }
        above.pop();
        Ok(())
    }

    fn entry(&mut self, from: &Path, to: &Path, above: &mut Vec<PathBuf>) -> Result<(), CopyError> {
        self.files += 1;
        if self.files > MOST_FILES {
            return Err(self.too_large(format!("{MOST_FILES} files")));
        }
        let Ok(facts) = from.symlink_metadata() else { return Ok(()) };
        if !facts.is_symlink() {
            return match facts.is_dir() {
                true => self.directory(from, to, above),
                false => self.file(from, to),
            };
        }
        match from.canonicalize() {
            Ok(real) if !real.starts_with(&self.root) => self.leave_out(from),
            Ok(real) if real.is_dir() && above.contains(&real) => self.leave_out(from),
            Ok(real) if real.is_dir() => self.directory(&real, to, above)?,
            Ok(real) => self.file(&real, to)?,
            Err(_) => self.leave_out(from),
        }
        Ok(())
    }

    fn file(&mut self, from: &Path, to: &Path) -> Result<(), CopyError> {
        let failed = |source| CopyError::Io { path: from.to_owned(), source };
        let (file, facts) = match open(from).map_err(failed)? {
            OpenedPath::File(file, facts) => (file, facts),
            OpenedPath::Directory | OpenedPath::Special(_) => {
                self.leave_out(from);
                return Ok(());
            }
        };
        // Whoever may run it may run the copy; nothing else of the mode counts.
        let mode = if facts.permissions().mode() & 0o100 == 0 { 0o644 } else { 0o755 };
        let mut copy: File =
            OpenOptions::new().write(true).create_new(true).mode(mode).open(to).map_err(failed)?;
        let room = self.most - self.bytes;
        let copied = io::copy(&mut file.take(room + 1), &mut copy).map_err(failed)?;
        self.bytes += copied;
        match copied > room {
            true => Err(self.too_large(format!("{} MiB", self.most >> 20))),
            false => Ok(()),
        }
    }

    fn leave_out(&mut self, path: &Path) {
        self.left_out.push(path.strip_prefix(&self.from).unwrap_or(path).to_owned());
    }

    fn too_large(&self, what: String) -> CopyError {
        CopyError::TooLarge { path: self.from.clone(), what }
    }
}

#[cfg(test)]
mod tests {
    use std::os::unix::fs::symlink;

    use super::*;

    #[test]
    fn links_lead_nowhere_else() {
        let scratch = tempfile::tempdir().unwrap();
        let root = scratch.path().join("market");
        let plugin = root.join("plugin");
        for directory in ["plugin/skills/one", "plugin/.git", "shared"] {
            std::fs::create_dir_all(root.join(directory)).unwrap();
        }
        std::fs::write(scratch.path().join("secret"), "secret").unwrap();
        std::fs::write(root.join("shared/text"), "shared").unwrap();
        std::fs::write(plugin.join("run.sh"), "#!").unwrap();
        std::fs::set_permissions(plugin.join("run.sh"), std::fs::Permissions::from_mode(0o4777)).unwrap();
        for (target, link) in [
            ("../../secret", "secret"),
            ("/etc", "etc"),
            ("../shared", "shared"),
            ("../shared/text", "text"),
            (".", "circle"),
            ("../../market", "around"),
            ("nowhere", "dangling"),
        ] {
            symlink(target, plugin.join(link)).unwrap();
        }
        let _socket = std::os::unix::net::UnixListener::bind(plugin.join("socket")).unwrap();
        let to = scratch.path().join("copy");
        let mut left_out = copy(&plugin, &to, &root).unwrap();
        left_out.sort();
        let names: Vec<_> = left_out.iter().map(|path| path.to_string_lossy().into_owned()).collect();
        // "around" leads to the marketplace, and from there to the plugin again.
        assert!(
            ["circle", "dangling", "etc", "secret", "socket"]
                .iter()
                .all(|name| names.contains(&(*name).to_owned())),
            "{names:?}"
        );
        assert_eq!(std::fs::read_to_string(to.join("text")).unwrap(), "shared");
        assert_eq!(std::fs::read_to_string(to.join("shared/text")).unwrap(), "shared");
        assert!(!to.join(".git").exists() && !to.join("secret").exists());
        assert_eq!(to.join("run.sh").metadata().unwrap().permissions().mode() & 0o7700, 0o700);
        assert!(to.join("shared").symlink_metadata().unwrap().is_dir());
    }

    #[test]
    fn copies_end() {
        let scratch = tempfile::tempdir().unwrap();
        let deep: PathBuf = std::iter::repeat_n("d", DEEPEST + 1).collect();
        std::fs::create_dir_all(scratch.path().join("deep").join(deep)).unwrap();
        let said = copy(&scratch.path().join("deep"), &scratch.path().join("a"), scratch.path()).unwrap_err();
        assert!(said.to_string().contains("64 directory levels"), "{said}");
        let large = scratch.path().join("large");
        std::fs::create_dir(&large).unwrap();
        File::create(large.join("x")).unwrap().set_len((1 << 20) + 1).unwrap();
        let said = copy_up_to(1 << 20, &large, &scratch.path().join("b"), scratch.path()).unwrap_err();
        assert!(said.to_string().contains("1 MiB"), "{said}");
    }
}
