//! Does git ignore a file? Asked before a tool changes it, where there is no time for a process.

use std::path::Path;

use ignore::Match;
use ignore::gitignore::{Gitignore, GitignoreBuilder};

/// Is the file, or a directory on the way to it, ignored in the repository at `root`? Rules of the user for all
/// repositories count, too.
pub(crate) fn is_ignored(root: &Path, path: &Path) -> bool {
    let Ok(inside) = path.strip_prefix(root) else { return false };
    let (everywhere, _) = Gitignore::global();
    let mut rules =
        vec![everywhere, rules(root, &root.join(".git/info/exclude")), rules(root, &root.join(".gitignore"))];
    let mut way = root.to_owned();
    let mut parts = inside.components().peekable();
    while let Some(part) = parts.next() {
        way.push(part);
        let is_directory = parts.peek().is_some();
        if decided(&rules, &way, is_directory) {
            return true;
        }
        if is_directory {
            rules.push(self::rules(&way, &way.join(".gitignore")));
        }
    }
    false
}

/// The last file of rules that has a word decides.
fn decided(rules: &[Gitignore], path: &Path, is_directory: bool) -> bool {
    for file in rules.iter().rev() {
        match file.matched(path, is_directory) {
            Match::Ignore(_) => return true,
            Match::Whitelist(_) => return false,
            Match::None => {}
        }
    }
    false
}

fn rules(directory: &Path, file: &Path) -> Gitignore {
    let mut builder = GitignoreBuilder::new(directory);
    // A line that is no rule does not spoil the others.
    let _ = builder.add(file);
    builder.build().unwrap_or_else(|_| Gitignore::empty())
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn rules_of_all_directories_on_the_way_count() {
        let place = tempfile::tempdir().unwrap();
        let root = place.path();
        std::fs::create_dir_all(root.join("a/b")).unwrap();
        std::fs::write(root.join(".gitignore"), "*.log\nbuilt/\n").unwrap();
        std::fs::write(root.join("a/.gitignore"), "!kept.log\n/own\n").unwrap();
        let ignored = |path: &str| is_ignored(root, &root.join(path));
        assert!(ignored("x.log") && ignored("a/b/x.log") && ignored("built/deep/file") && ignored("a/own"));
        assert!(!ignored("x.rs") && !ignored("a/kept.log") && !ignored("own") && !ignored("a/b/own"));
        assert!(!is_ignored(root, Path::new("/elsewhere/x.log")));
    }
}
