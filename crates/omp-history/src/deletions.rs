//! What a command is about to delete or overwrite, file by file.

use std::fs::{read_dir, symlink_metadata};
use std::path::{Path, PathBuf};

/// As many files of one place are kept. Build directories and package caches have more, and can be made again.
const MOST_FILES: usize = 2000;
/// As many bytes of one place.
const MOST_BYTES: u64 = 64 << 20;

/// The files at and below a place, links as what they are; `None` if they are too many or too large to be kept.
pub(crate) fn files(place: &Path) -> Option<Vec<PathBuf>> {
    let (mut files, mut bytes) = (Vec::new(), 0);
    let mut waiting = vec![place.to_owned()];
    while let Some(path) = waiting.pop() {
        let Ok(metadata) = symlink_metadata(&path) else { continue };
        if metadata.is_dir() {
            // What cannot be listed cannot be deleted either.
            let entries = read_dir(&path).into_iter().flatten().flatten();
            waiting.extend(entries.map(|entry| entry.path()).take(MOST_FILES + 1));
        } else {
            bytes += metadata.len();
            files.push(path);
        }
        if files.len() + waiting.len() > MOST_FILES || bytes > MOST_BYTES {
            return None;
        }
    }
    Some(files)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn places_are_walked_within_bounds() {
        let directory = tempfile::tempdir().unwrap();
        let root = directory.path();
        std::fs::create_dir_all(root.join("a/b")).unwrap();
        std::fs::write(root.join("a/one"), "1").unwrap();
        std::fs::write(root.join("a/b/two"), "2").unwrap();
        std::os::unix::fs::symlink("/etc", root.join("a/link")).unwrap();
        let mut found = files(&root.join("a")).unwrap();
        found.sort();
        assert_eq!(found, ["a/b/two", "a/link", "a/one"].map(|name| root.join(name)));
        assert_eq!(files(&root.join("missing")), Some(Vec::new()));
        for number in 0..=MOST_FILES {
            std::fs::write(root.join(format!("a/{number}")), "").unwrap();
        }
        assert_eq!(files(&root.join("a")), None);
        let large = std::fs::File::create(root.join("large")).unwrap();
        large.set_len(MOST_BYTES + 1).unwrap();
        assert_eq!(files(&root.join("large")), None);
    }
}
