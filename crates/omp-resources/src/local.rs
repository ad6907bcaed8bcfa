//! `local://`: a scratch area of the session, for plans and notes that are no part of the project.

use std::fs::{DirBuilder, Permissions};
use std::io;
use std::os::unix::fs::{DirBuilderExt, PermissionsExt};
use std::path::{Component, Path, PathBuf};
use std::sync::Arc;

use futures_util::FutureExt;
use futures_util::future::BoxFuture;
use omp_session::Artifacts;
use omp_tools::{Completion, InternalUrl, Resource, Scheme};
use omp_workspace::tree::size;
use omp_workspace::write::{Mode, private_directory, write};
use tokio_util::sync::CancellationToken;

/// Files that a listing names.
const MOST_LISTED: usize = 500;
/// Names that an error suggests.
const MOST_NAMED: usize = 20;

/// The scratch area of one session. Sub-agents are given the one of their parent.
#[derive(Clone)]
pub(crate) struct Local {
    root: Arc<Path>,
    place: ScratchArea,
}

/// Where the scratch area is.
#[derive(Clone, Copy)]
enum ScratchArea {
    /// In the directory of a saved session.
    Session,
    /// In a directory that all users of the machine share.
    Temporary,
}

impl Local {
    /// Beside the artifacts of the session; for a session that is never saved, below the directory of temporary
    /// files.
    pub(crate) fn new(artifacts: &Artifacts, session: &str) -> Self {
        let (root, place) = match artifacts.directory() {
            Some(directory) => (directory.join("local"), ScratchArea::Session),
            None => (std::env::temp_dir().join("omp-local").join(session), ScratchArea::Temporary),
        };
        Self { root: root.into(), place }
    }

    /// The path that `url` names, whether something is there or not. It never leads out of the area.
    fn path(&self, url: &InternalUrl) -> Result<PathBuf, String> {
        let inside = url.decoded()?;
        refuse_tricks(url, &inside)?;
        let path = self.root.join(inside.trim_end_matches('/'));
        let escapes = || format!("'{url}' leads outside the scratch area {}.", self.root.display());
        // A link may lead anywhere, and a file that does not exist yet would be created behind it.
        let Ok(root) = self.root.canonicalize() else { return Ok(path) };
        let existing = path.ancestors().find(|ancestor| ancestor.symlink_metadata().is_ok());
        match existing.map(Path::canonicalize) {
            Some(Ok(real)) if real.starts_with(&root) => Ok(path),
            None => Ok(path),
            Some(_) => Err(escapes()),
        }
    }

    fn open_now(&self, url: &InternalUrl) -> Result<Resource, String> {
        let path = self.path(url)?;
        if path.as_path() == self.root.as_ref() {
            return Ok(Resource::text(self.listing(), "text/markdown"));
        }
        match path.symlink_metadata() {
            Ok(_) => Ok(Resource::path(&path, mime(&path)).mutable()),
            Err(error) if error.kind() == io::ErrorKind::NotFound => Err(self.missing(url)),
            Err(error) => Err(format!("'{url}' cannot be read: {error}.")),
        }
    }

    fn write_now(&self, url: &InternalUrl, content: &str) -> Result<(), String> {
        let path = self.path(url)?;
        if path.as_path() == self.root.as_ref() || url.target().ends_with('/') {
            return Err(format!("'{url}' names a directory. Add the name of the file to write."));
        }
        self.create()?;
        write(&path, content.as_bytes(), Mode::Private).map_err(|error| error.to_string())?;
        Ok(())
    }

    /// Creates the area, for its owner only: it may hold whatever the conversation is about.
    fn create(&self) -> Result<(), String> {
        let make = || {
            if let (ScratchArea::Temporary, Some(shared)) = (self.place, self.root.parent())
                && !shared.exists()
            {
                std::fs::create_dir_all(shared)?;
                // Others put theirs beside it, and cannot touch ours.
                std::fs::set_permissions(shared, Permissions::from_mode(0o1777))?;
            }
            DirBuilder::new().recursive(true).mode(0o700).create(&self.root)
        };
        make().map_err(|error| format!("Cannot create the scratch area {}: {error}.", self.root.display()))
    }

    fn listing(&self) -> String {
        let files = self.files();
        let mut text = format!("Root: {}\n", self.root.display());
        if files.is_empty() {
            text.push_str("(empty)\n");
            return text;
        }
        let count = files.len();
        let many = if count > MOST_LISTED { format!("more than {MOST_LISTED}") } else { count.to_string() };
        text.push_str(&format!("{many} {}\n\n", if count == 1 { "file" } else { "files" }));
        for (name, bytes) in files.iter().take(MOST_LISTED) {
            text.push_str(&format!("- [{name}]({}) ({})\n", link(name), size(*bytes)));
        }
        text
    }

    fn missing(&self, url: &InternalUrl) -> String {
        let names: Vec<String> =
            self.files().into_iter().take(MOST_NAMED).map(|(name, _)| link(&name)).collect();
        match names.is_empty() {
            true => format!("File not found: {url}. The scratch area is empty."),
            false => format!("File not found: {url}. There are: {}.", names.join(", ")),
        }
    }

    /// Names below the root with their sizes, sorted, and not too many of them.
    fn files(&self) -> Vec<(String, u64)> {
        let mut files = Vec::new();
        let mut directories = vec![self.root.to_path_buf()];
        while let Some(directory) = directories.pop().filter(|_| files.len() <= MOST_LISTED) {
            let Ok(entries) = directory.read_dir() else { continue };
            for entry in entries.flatten() {
                let Ok(metadata) = entry.metadata() else { continue };
                if metadata.is_dir() {
                    directories.push(entry.path());
                    continue;
                }
                let path = entry.path();
                let name = path.strip_prefix(&self.root).unwrap_or(&path);
                files.push((name.to_string_lossy().into_owned(), metadata.len()));
                if files.len() > MOST_LISTED {
                    break;
                }
            }
        }
        files.sort_unstable();
        files
    }
}

impl Scheme for Local {
    fn name(&self) -> &'static str {
        "local"
    }

    fn open<'a>(
        &'a self,
        url: &'a InternalUrl,
        _cancel: &'a CancellationToken,
    ) -> BoxFuture<'a, Result<Resource, String>> {
        let (local, url) = (self.clone(), url.clone());
        crate::blocking(move || local.open_now(&url)).boxed()
    }

    fn write<'a>(
        &'a self,
        url: &'a InternalUrl,
        content: &'a str,
        _cancel: &'a CancellationToken,
    ) -> BoxFuture<'a, Result<(), String>> {
        let (local, url, content) = (self.clone(), url.clone(), content.to_owned());
        crate::blocking(move || local.write_now(&url, &content)).boxed()
    }

    fn locate(&self, url: &InternalUrl) -> Result<PathBuf, String> {
        self.path(url)
    }

    fn creates_files(&self) -> bool {
        true
    }

    fn make_room(&self, url: &InternalUrl) -> Result<(), String> {
        let path = self.path(url)?;
        self.create()?;
        let is_directory = path.as_path() == self.root.as_ref() || url.target().ends_with('/');
        let Some(directory) = (if is_directory { Some(path.as_path()) } else { path.parent() }) else {
            return Ok(());
        };
        private_directory(directory)
            .map_err(|error| format!("Cannot create the directory {}: {error}.", directory.display()))
    }

    fn complete(&self, typed: &str) -> Vec<Completion> {
        let files = self.files().into_iter();
        let matching = files.map(|(name, bytes)| (link(&name), bytes));
        matching
            .filter(|(url, _)| url.strip_prefix("local://").is_some_and(|name| name.starts_with(typed)))
            .map(|(url, bytes)| Completion { url, description: size(bytes) })
            .collect()
    }
}

/// Names that are wrong before anything is looked at. Backslashes count as slashes: they are never meant otherwise.
fn refuse_tricks(url: &InternalUrl, inside: &str) -> Result<(), String> {
    let slashes = inside.replace('\\', "/");
    if slashes.starts_with('/') || slashes.as_bytes().get(1..3) == Some(b":/") {
        return Err(format!("'{url}': absolute paths are not allowed. Give a name inside the scratch area."));
    }
    if Path::new(&slashes).components().any(|component| component == Component::ParentDir) {
        return Err(format!("'{url}': `..` is not allowed. Give a name inside the scratch area."));
    }
    if inside.contains('\0') {
        return Err(format!("'{url}': a name cannot contain the character NUL."));
    }
    Ok(())
}

/// A file name as a URL.
fn link(name: &str) -> String {
    let encoded = |letter: char| match letter {
        '%' | ':' | '?' | '#' | ' ' | '(' | ')' => format!("%{:02X}", u32::from(letter)),
        _ => letter.to_string(),
    };
    format!("local://{}", name.chars().map(encoded).collect::<String>())
}

fn mime(path: &Path) -> &'static str {
    match path.extension().and_then(|extension| extension.to_str()) {
        Some("md") => "text/markdown",
        Some("json") => "application/json",
        _ => "text/plain",
    }
}
