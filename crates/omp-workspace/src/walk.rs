//! Walks through directories, as fast as the cores allow, in bounded memory, and never for longer than it may take.
//!
//! A directory is read piece by piece: one with a million entries takes no more memory than others. Several threads
//! read and visit; what one of them finds the others may do (see [`tasks`]).

mod gate;
mod rules;
mod tasks;

use std::fs::{FileType, ReadDir};
use std::io;
use std::path::{Path, PathBuf};
use std::sync::Arc;
use std::time::Instant;

use gate::Gate;
use rules::{Marks, Rules, Verdict};
use tasks::{Task, Tasks};

/// What a walk passes over, and when it ends.
pub struct Options<'a> {
    /// Look at names that begin with a dot.
    pub hidden: bool,
    /// Pass over what `.gitignore` and its kin name.
    pub gitignore: bool,
    /// Give up then; what was found stays.
    pub deadline: Option<Instant>,
    /// Give up after so many entries.
    pub entries: u64,
    /// Somebody no longer wants to know.
    pub cancelled: &'a (dyn Fn() -> bool + Sync),
}

/// Why a walk ended.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum End {
    Complete,
    Deadline,
    Entries,
    Cancelled,
}

/// Something below the root of a walk.
#[derive(Clone, Debug)]
pub struct WalkEntry {
    path: PathBuf,
    kind: FileType,
}

impl WalkEntry {
    /// The path, which begins as the root was given.
    pub fn path(&self) -> &Path {
        &self.path
    }

    /// A regular file; a link to one is none.
    pub fn is_file(&self) -> bool {
        self.kind.is_file()
    }

    /// A directory; a link to one is none.
    pub fn is_directory(&self) -> bool {
        self.kind.is_dir()
    }
}

/// Entries that are read of a directory before they are looked at.
const PIECE: usize = 1024;
/// Files that are visited by one thread in a row.
const GROUP: usize = 16;
/// Directories that one thread holds open at once, each below the one before.
const OPEN: usize = 64;

/// Visits everything below `root`, but not `root` itself. Several threads visit at once. What cannot be read is passed
/// over, and so is the inside of `.git`.
pub fn walk(root: &Path, options: &Options<'_>, visit: &(dyn Fn(&WalkEntry) + Sync)) -> End {
    go(root, options, visit, &|_| {}, &|_| true)
}

/// As [`walk`], but only into directories for which `enters` says so; the others are not visited either.
pub fn walk_choosing(
    root: &Path,
    options: &Options<'_>,
    enters: &(dyn Fn(&WalkEntry) -> bool + Sync),
    visit: &(dyn Fn(&WalkEntry) + Sync),
) -> End {
    go(root, options, visit, &|_| {}, enters)
}

/// As [`walk`]. `ignored` is told what is skipped because of a rule: files, and directories with all that is below
/// them.
pub fn walk_telling(
    root: &Path,
    options: &Options<'_>,
    visit: &(dyn Fn(&WalkEntry) + Sync),
    ignored: &(dyn Fn(&WalkEntry) + Sync),
) -> End {
    go(root, options, visit, ignored, &|_| true)
}

fn go(
    root: &Path,
    options: &Options<'_>,
    visit: &(dyn Fn(&WalkEntry) + Sync),
    ignored: &(dyn Fn(&WalkEntry) + Sync),
    enters: &(dyn Fn(&WalkEntry) -> bool + Sync),
) -> End {
    let gate = Gate::new(options);
    let tasks = Tasks::default();
    let walk = Walk { options, visit, ignored, enters, gate: &gate, tasks: &tasks };
    tasks.offer(Task::Read(Directory::root(root, options.gitignore)));
    let helpers = std::thread::available_parallelism().map_or(1, |cores| usize::from(cores) - 1);
    std::thread::scope(|scope| {
        for _ in 0..helpers {
            // Without a helper it takes longer.
            let _missed = std::thread::Builder::new().spawn_scoped(scope, || walk.work());
        }
        walk.work();
    });
    gate.end()
}

/// A directory that is to be read.
struct Directory {
    path: PathBuf,
    /// The path behind links, where it differs: what rules are about.
    real: Option<PathBuf>,
    /// The rules of the directories above.
    rules: Option<Arc<Rules>>,
}

impl Directory {
    fn root(path: &Path, gitignore: bool) -> Self {
        let real = path.canonicalize().unwrap_or_else(|_| path.to_owned());
        let rules = gitignore.then(|| Rules::above(&real));
        Self { path: path.to_owned(), real: (real != path).then_some(real), rules }
    }

    fn real(&self) -> &Path {
        self.real.as_deref().unwrap_or(&self.path)
    }
}

/// A directory that is being read.
struct Open {
    directory: Directory,
    reader: ReadDir,
    is_new: bool,
    /// Directories in it that nobody else has time for.
    rest: Vec<Directory>,
}

impl Open {
    fn new(directory: Directory) -> io::Result<Self> {
        let reader = std::fs::read_dir(&directory.path)?;
        Ok(Self { directory, reader, is_new: true, rest: Vec::new() })
    }

    /// The next entries; nothing at the end. With the first of them the rules of this directory are known.
    fn piece(&mut self) -> Vec<std::fs::DirEntry> {
        let piece: Vec<_> = self.reader.by_ref().take(PIECE).filter_map(Result::ok).collect();
        if std::mem::take(&mut self.is_new)
            && let Some(rules) = &self.directory.rules
        {
            let mut marks = Marks::default();
            match piece.len() < PIECE {
                true => piece.iter().for_each(|entry| marks.note(&entry.file_name())),
                false => marks = Marks::of(self.directory.real()),
            }
            self.directory.rules = Some(rules.below(self.directory.real(), marks));
        }
        piece
    }
}

/// What all threads of a walk know.
struct Walk<'a> {
    options: &'a Options<'a>,
    visit: &'a (dyn Fn(&WalkEntry) + Sync),
    ignored: &'a (dyn Fn(&WalkEntry) + Sync),
    enters: &'a (dyn Fn(&WalkEntry) -> bool + Sync),
    gate: &'a Gate<'a>,
    tasks: &'a Tasks,
}

impl Walk<'_> {
    /// Works until there is nothing left to do.
    fn work(&self) {
        let mut worker = self.tasks.worker();
        while let Some(task) = worker.next() {
            match task {
                Task::Read(directory) => self.read(directory),
                Task::Visit(files) => self.look(&files),
            }
        }
    }

    /// Reads a directory to its end, with those below it that nobody else has time for.
    fn read(&self, directory: Directory) {
        let mut open = Vec::new();
        self.open(directory, &mut open);
        loop {
            let depth = open.len();
            let Some(top) = open.last_mut() else { return };
            if self.gate.is_closed_now() {
                return;
            }
            if let Some(next) = top.rest.pop() {
                self.open(next, &mut open);
                continue;
            }
            let piece = top.piece();
            if piece.is_empty() {
                open.pop();
                continue;
            }
            top.rest = self.sort_out(&top.directory, piece);
            if depth >= OPEN {
                top.rest.drain(..).for_each(|directory| self.tasks.add(Task::Read(directory)));
            }
        }
    }

    fn open(&self, directory: Directory, open: &mut Vec<Open>) {
        if !self.gate.is_closed_now() {
            open.extend(Open::new(directory).ok());
        }
    }

    /// Hands out the work for the entries of a directory. Returns directories that cannot wait.
    fn sort_out(&self, directory: &Directory, piece: Vec<std::fs::DirEntry>) -> Vec<Directory> {
        let (mut rest, mut files) = (Vec::new(), Vec::new());
        for found in piece {
            let Some(entry) = self.admitted(directory, &found) else { continue };
            if !entry.is_directory() {
                files.push(entry);
                if files.len() >= GROUP {
                    self.hand_over(std::mem::take(&mut files));
                }
                continue;
            }
            self.look(std::slice::from_ref(&entry));
            let real = directory.real.as_ref().map(|real| real.join(found.file_name()));
            let below = Directory { path: entry.path, real, rules: directory.rules.clone() };
            if let Some(Task::Read(below)) = self.tasks.offer(Task::Read(below)) {
                rest.push(below);
            }
        }
        self.hand_over(files);
        rest
    }

    fn hand_over(&self, files: Vec<WalkEntry>) {
        if files.is_empty() {
            return;
        }
        if let Some(Task::Visit(files)) = self.tasks.offer(Task::Visit(files)) {
            self.look(&files);
        }
    }

    /// An entry that nothing speaks against.
    fn admitted(&self, directory: &Directory, found: &std::fs::DirEntry) -> Option<WalkEntry> {
        let name = found.file_name();
        let kind = found.file_type().ok().filter(|_| name != ".git")?;
        let entry = WalkEntry { path: directory.path.join(&name), kind };
        let verdict = match (&directory.rules, &directory.real) {
            (None, _) => Verdict::Unnamed,
            (Some(rules), None) => rules.about(&entry.path, kind.is_dir()),
            (Some(rules), Some(real)) => rules.about(&real.join(&name), kind.is_dir()),
        };
        let is_hidden = name.as_encoded_bytes().starts_with(b".") && !self.options.hidden;
        match verdict {
            Verdict::Ignored => {
                (self.ignored)(&entry);
                None
            }
            Verdict::Unnamed if is_hidden => None,
            _ if entry.is_directory() && !(self.enters)(&entry) => None,
            Verdict::Unnamed | Verdict::Wanted => self.gate.admits().then_some(entry),
        }
    }

    fn look(&self, entries: &[WalkEntry]) {
        for entry in entries {
            if self.gate.is_abandoned() {
                self.tasks.end();
                return;
            }
            (self.visit)(entry);
        }
    }
}
