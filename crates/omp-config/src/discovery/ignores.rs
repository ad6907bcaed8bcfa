//! What git leaves out.

use std::path::{Path, PathBuf};

use ignore::gitignore::{Gitignore, GitignoreBuilder};

/// The `.gitignore` files that speak about the files of one directory, nearest first.
///
/// As with git tools that are given a directory by name, the directory itself is not asked about: a project may
/// ignore all of `.omp` and still use it.
#[derive(Clone, Debug, Default)]
pub(super) struct Ignores {
    files: Vec<Gitignore>,
}

impl Ignores {
    /// For `directory`, with every file from `top` down to it.
    pub(super) fn between(top: &Path, directory: &Path) -> Self {
        let mut below: Vec<PathBuf> = directory
            .ancestors()
            .take_while(|ancestor| ancestor.starts_with(top))
            .map(Path::to_path_buf)
            .collect();
        let mut files: Vec<_> = below.drain(..).filter_map(|folder| load(&folder, ".gitignore")).collect();
        files.extend(load(top, ".git/info/exclude"));
        Self { files }
    }

    /// The same for a folder directly below.
    pub(super) fn enter(&self, folder: &Path) -> Self {
        match load(folder, ".gitignore") {
            Some(file) => Self { files: std::iter::once(file).chain(self.files.iter().cloned()).collect() },
            None => self.clone(),
        }
    }

    pub(super) fn is_file_ignored(&self, path: &Path) -> bool {
        self.is_ignored(path, Asked::File)
    }

    pub(super) fn is_folder_ignored(&self, path: &Path) -> bool {
        self.is_ignored(path, Asked::Folder)
    }

    fn is_ignored(&self, path: &Path, asked: Asked) -> bool {
        self.files
            .iter()
            .map(|file| file.matched(path, asked == Asked::Folder))
            .find(|matched| !matched.is_none())
            .is_some_and(|matched| matched.is_ignore())
    }
}

#[derive(Clone, Copy, PartialEq, Eq)]
enum Asked {
    File,
    Folder,
}

/// Reads one file of patterns; without any it is not kept.
fn load(folder: &Path, name: &str) -> Option<Gitignore> {
    let text = super::disk::read_text(&folder.join(name), super::disk::FILE_LIMIT).ok()?;
    let mut builder = GitignoreBuilder::new(folder);
    for line in text.text.lines() {
        // A pattern that cannot be understood ignores nothing.
        let _ = builder.add_line(None, line);
    }
    builder.build().ok().filter(|file| !file.is_empty())
}
