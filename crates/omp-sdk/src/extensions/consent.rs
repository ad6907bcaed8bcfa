//! What a user agrees to who trusts an extension of the project: its code, wherever that is, as it is then.

use std::path::{Path, PathBuf};

use omp_extension_host::{CodeSeal, ExtensionSource, ExtensionSpec};
use omp_guard::trust::content_hash;
use omp_workspace::open::content;

use crate::guard::trust::MAX_HASHED;

/// The most files that one consent covers beside those that are imported.
const MOST_FILES: usize = 5_000;
const DEEPEST: usize = 8;

/// Does it come with the project, wherever it was named?
pub(crate) fn needs_consent(spec: &ExtensionSpec, cwd: &Path) -> bool {
    match spec.source {
        ExtensionSource::Project => true,
        ExtensionSource::User | ExtensionSource::Plugin(_) => false,
        // What a person types, or has in his own settings, is what he wants; a path into the project is the project's all the same.
        ExtensionSource::CommandLine => {
            let real = |path: &Path| path.canonicalize().unwrap_or_else(|_| path.to_owned());
            real(&spec.path).starts_with(real(cwd))
        }
    }
}

/// The code of an extension.
pub(crate) struct ExtensionCode {
    /// In the order of the alphabet.
    pub(crate) files: Vec<PathBuf>,
    /// The checksum of their names and contents.
    pub(crate) hash: String,
    /// Lets just these contents be loaded.
    pub(crate) seal: CodeSeal,
}

impl ExtensionCode {
    /// Everything that it imports, wherever that is, and the files beside it: a name that is made up at run time mostly means one of
    /// those.
    pub(crate) fn of(spec: &ExtensionSpec) -> Self {
        let mut files = omp_extension_host::scan(&spec.path).files;
        files.push(spec.path.clone());
        collect(spec.path.parent().unwrap_or(Path::new(".")), 0, &mut files, MOST_FILES);
        files.sort();
        files.dedup();
        // Each is read once, so that what was agreed to is what is sealed.
        let mut seal = CodeSeal::default();
        let contents = files.iter().map(|file| (file.display().to_string(), content(file, MAX_HASHED)));
        let contents: Vec<(String, Vec<u8>)> = contents.collect();
        for (file, (_, content)) in files.iter().zip(&contents) {
            seal.add(file, content);
        }
        let hash = content_hash(contents.iter().map(|(name, content)| (name.as_str(), content.as_slice())));
        Self { files, hash, seal }
    }
}

fn collect(folder: &Path, depth: usize, files: &mut Vec<PathBuf>, most: usize) {
    let Ok(entries) = std::fs::read_dir(folder) else { return };
    for entry in entries.flatten() {
        if files.len() >= most {
            return;
        }
        let path = entry.path();
        match entry.file_type() {
            Ok(kind) if kind.is_dir() && depth < DEEPEST => collect(&path, depth + 1, files, most),
            Ok(kind) if kind.is_file() || kind.is_symlink() => files.push(path),
            _ => {}
        }
    }
}
