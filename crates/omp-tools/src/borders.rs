//! Where the session may write without a question, and which files it never reads.
//!
//! [`omp_guard::protected`] has the tables; here they meet the disk. Paths are judged behind all links: before a call
//! runs, to decide whether somebody is asked, and again when a file is opened or written.

use std::collections::HashSet;
use std::fs::{File, Metadata};
use std::io;
use std::os::unix::fs::MetadataExt;
use std::path::{Path, PathBuf};
use std::sync::{Mutex, PoisonError, RwLock};
use std::time::{Duration, Instant};

use omp_guard::protected::{
    PROGRAM_SECRET_IN_HOME, Roots, SECRET_IN_HOME, in_workspace, may_hold_secrets, protected, secret,
};
use omp_workspace::open::{self, OpenedPath, path_of};
use omp_workspace::path::{real_entry, real_path};

/// How long it is remembered which files are credential stores.
const REMEMBERED: Duration = Duration::from_secs(2);
/// Names in directories of ours whose other names are looked for.
const OWN_STORES: [&str; 6] =
    ["agent.db", "agent.db-wal", "agent.db-shm", "agent.db-journal", "auth.json", ".env"];

/// The device and the number of a file: what all its names have in common.
type FileId = (u64, u64);

/// The borders of a session. All paths in it are behind links.
#[derive(Debug, Default)]
pub struct Borders {
    workspace: RwLock<Vec<PathBuf>>,
    home: Option<PathBuf>,
    own: Vec<PathBuf>,
    /// The credential stores that exist, and when that was looked up.
    stores: Mutex<Option<(Instant, HashSet<FileId>)>>,
}

/// What a change of a path means.
#[derive(Clone, Debug, PartialEq, Eq)]
pub(crate) enum Spot {
    /// In the workspace, and nothing special.
    Free,
    Outside,
    /// Why it is protected.
    Protected(&'static str),
}

impl Borders {
    /// `own` are the directories of omp itself. May wait for the disk.
    pub fn new(workspace: &[PathBuf], home: Option<&Path>, own: &[PathBuf]) -> Self {
        let all = |paths: &[PathBuf]| paths.iter().map(|path| real_path(path)).collect();
        let home = home.map(real_path);
        Self { workspace: RwLock::new(all(workspace)), home, own: all(own), stores: Mutex::default() }
    }

    /// Another directory belongs to the workspace from now on.
    pub fn add(&self, directory: &Path) {
        self.workspace.write().unwrap_or_else(PoisonError::into_inner).push(real_path(directory));
    }

    /// A directory is no longer part of the workspace.
    pub fn remove(&self, directory: &Path) {
        let directory = real_path(directory);
        self.workspace.write().unwrap_or_else(PoisonError::into_inner).retain(|root| *root != directory);
    }

    /// The directories in which writing needs no question.
    pub(crate) fn workspace(&self) -> Vec<PathBuf> {
        self.workspace.read().unwrap_or_else(PoisonError::into_inner).clone()
    }

    pub(crate) fn home(&self) -> Option<&Path> {
        self.home.as_deref()
    }

    /// The directories of omp itself.
    pub(crate) fn own(&self) -> &[PathBuf] {
        &self.own
    }

    fn with_roots<T>(&self, ask: impl FnOnce(&Roots<'_>) -> T) -> T {
        let workspace = self.workspace.read().unwrap_or_else(PoisonError::into_inner);
        ask(&Roots { workspace: &workspace, home: self.home.as_deref(), own: &self.own })
    }

    /// What writing to a path behind links means.
    pub(crate) fn spot(&self, real: &Path) -> Spot {
        self.with_roots(|roots| match protected(real, roots) {
            Some(why) => Spot::Protected(why),
            None if in_workspace(real, roots) => Spot::Free,
            None => Spot::Outside,
        })
    }

    /// Why the content of the file at a path is never read, by the path itself and by what it leads to.
    pub fn secret(&self, path: &Path) -> Option<&'static str> {
        self.with_roots(|roots| secret(&real_path(path), roots).or_else(|| secret(&real_entry(path), roots)))
    }

    /// As [`open::open`], but for credential stores, whatever their name is.
    pub fn open(&self, path: &Path) -> io::Result<OpenedPath> {
        let found = open::open(path)?;
        if let OpenedPath::File(file, metadata) = &found {
            let real = path_of(file).unwrap_or_else(|| real_path(path));
            let why = self.with_roots(|roots| secret(&real, roots));
            let by_name = || if real == path { None } else { self.secret(path) };
            let why = why.or_else(by_name).or_else(|| self.store(metadata));
            why.map_or(Ok(()), |why| Err(refused(why)))?;
        }
        Ok(found)
    }

    /// Refuses a path whose file is a credential store, for whoever opens it by its path later.
    pub fn check(&self, path: &Path) -> io::Result<()> {
        match self.open(path) {
            Err(error) if is_refusal(&error) => Err(error),
            // Whatever else is wrong is told by whoever opens it.
            _ => Ok(()),
        }
    }

    /// A look at the files of one walk.
    pub(crate) fn walk(&self, base: &Path) -> WalkCheck<'_> {
        let real = real_path(base);
        let near = self.with_roots(|roots| may_hold_secrets(&real, roots));
        WalkCheck { borders: self, base: base.to_owned(), real, near }
    }

    /// Is it one of the credential stores under another name? Only a file with several names can be.
    fn store(&self, metadata: &Metadata) -> Option<&'static str> {
        if metadata.nlink() < 2 {
            return None;
        }
        let mut stores = self.stores.lock().unwrap_or_else(PoisonError::into_inner);
        let fresh = stores.as_ref().filter(|(looked, _)| looked.elapsed() < REMEMBERED);
        if fresh.is_none() {
            *stores = Some((Instant::now(), self.stores()));
        }
        let known = stores.as_ref().is_some_and(|(_, ids)| ids.contains(&(metadata.dev(), metadata.ino())));
        known.then_some("a hard link to a credential store")
    }

    /// The credential stores with several names.
    fn stores(&self) -> HashSet<FileId> {
        let named = self.own.iter().flat_map(|own| own_stores(own));
        let literal = |(entry, _): &(&str, _)| (!entry.contains('*')).then(|| (*entry).to_owned());
        let in_home = SECRET_IN_HOME.iter().chain(PROGRAM_SECRET_IN_HOME).filter_map(literal);
        let home = self.home.iter();
        let listed = home.flat_map(|home| in_home.clone().map(|entry| home.join(entry)).collect::<Vec<_>>());
        let keys = self.home.iter().flat_map(|home| below(&home.join(".ssh")));
        let keys = keys.filter(|path| self.with_roots(|roots| secret(path, roots)).is_some());
        let ids = named.chain(listed).chain(keys).filter_map(|path| {
            let metadata =
                std::fs::metadata(path).ok().filter(|found| found.is_file() && found.nlink() > 1)?;
            Some((metadata.dev(), metadata.ino()))
        });
        ids.collect()
    }
}

/// Where the stores of ours are in one directory: in it, in `agent`, and in each profile.
fn own_stores(own: &Path) -> Vec<PathBuf> {
    let profiles = below(&own.join("profiles")).into_iter().flat_map(|one| [one.join("agent"), one]);
    let places = [own.to_owned(), own.join("agent")].into_iter().chain(profiles);
    places.flat_map(|place| OWN_STORES.map(|name| place.join(name))).collect()
}

fn below(directory: &Path) -> Vec<PathBuf> {
    let entries = std::fs::read_dir(directory).into_iter().flatten();
    entries.filter_map(|entry| Some(entry.ok()?.path())).collect()
}

/// Opens the files of one walk.
pub(crate) struct WalkCheck<'a> {
    borders: &'a Borders,
    base: PathBuf,
    real: PathBuf,
    /// Can there be a store among them by its name?
    near: bool,
}

impl WalkCheck<'_> {
    /// Opens a file below the base. Walks follow no links, so its name says what it is.
    pub(crate) fn open(&self, path: &Path) -> io::Result<File> {
        if self.near {
            let real =
                path.strip_prefix(&self.base).map_or_else(|_| real_path(path), |rest| self.real.join(rest));
            let why = self.borders.with_roots(|roots| secret(&real, roots));
            why.map_or(Ok(()), |why| Err(refused(why)))?;
        }
        let file = open::open_entry(path)?;
        match self.borders.store(&file.metadata()?) {
            Some(why) => Err(refused(why)),
            None => Ok(file),
        }
    }
}

/// The error of a file that is never read.
#[derive(Debug, thiserror::Error)]
#[error("it holds credentials ({0}), which omp never reads")]
struct Refused(&'static str);

fn refused(why: &'static str) -> io::Error {
    io::Error::other(Refused(why))
}

/// Was a file refused because it is a credential store?
pub(crate) fn is_refusal(error: &io::Error) -> bool {
    error.get_ref().is_some_and(|inner| inner.is::<Refused>())
}

#[cfg(test)]
mod tests;
