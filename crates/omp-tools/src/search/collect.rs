//! Looks through everything, on all cores.

use std::io::{self, ErrorKind};
use std::path::PathBuf;
use std::sync::atomic::{AtomicUsize, Ordering};
use std::sync::{Mutex, PoisonError};
use std::time::{Duration, Instant};

use omp_agent::ToolError;
use omp_workspace::grep::{FileMatches, LineRange, Query};
use omp_workspace::open;
use omp_workspace::walk::{Options, WalkEntry, walk, walk_telling};
use tokio_util::sync::CancellationToken;

use super::TOTAL;
use super::targets::{Single, SourceText, Targets};
use crate::borders::WalkCheck;
use crate::search_roots::SearchRoot;
use crate::{Borders, Context};

/// Entries that rules leave out, remembered for the case that nothing is found.
const MAX_IGNORED: usize = 1000;
/// How long those are looked at then.
const SECOND_LOOK: Duration = Duration::from_millis(300);

/// A file with matches.
pub(super) struct FileHit {
    /// `None` for what cannot be edited.
    pub(super) path: Option<PathBuf>,
    /// How an internal URL or a named file is called.
    pub(super) label: Option<String>,
    pub(super) found: FileMatches,
}

/// Files with matches, in the order of their names; named ones first.
#[derive(Default)]
pub(super) struct Collected {
    pub(super) files: Vec<FileHit>,
    /// So much was found that looking was stopped.
    pub(super) stopped: bool,
    /// Files that are too large for the pattern.
    pub(super) too_large: usize,
    /// How many files were looked through.
    pub(super) searched: usize,
    /// Named files that could not be searched, each with its reason.
    pub(super) failed: Vec<String>,
    /// Nothing was found, but a file that rules leave out has a match.
    pub(super) hidden_match: Option<PathBuf>,
}

/// Looks for `query` in all targets.
pub(super) fn collect(
    context: &Context,
    targets: &Targets,
    query: &Query,
    gitignore: bool,
    cancel: &CancellationToken,
) -> Result<Collected, ToolError> {
    let mut collected = Collected::default();
    for single in &targets.singles {
        if cancel.is_cancelled() {
            break;
        }
        let found = match in_single(context, single, query, cancel) {
            Err(error) if targets.is_one_file() => {
                return Err(ToolError::new(format!("Cannot search {}: {error}.", single.label)));
            }
            Err(error) => {
                collected.failed.push(format!("{} ({error})", single.label));
                continue;
            }
            Ok(found) => found,
        };
        collected.searched += 1;
        if found.binary {
            collected.failed.push(format!("{} (not text)", single.label));
        }
        let path = match &single.source {
            SourceText::File(path) => Some(path.clone()),
            SourceText::Fixed(_) | SourceText::Text(_) => None,
        };
        if found.matches > 0 {
            collected.files.push(FileHit { path, label: Some(single.label.clone()), found });
        }
    }
    let already = collected.files.iter().map(|file| file.found.matches).sum();
    let walks = Walks::new(&context.borders, query, cancel, already);
    targets.places.iter().for_each(|place| walks.one(place, gitignore));
    walks.finish(&targets.places, &mut collected);
    Ok(collected)
}

/// The walks of a search.
struct Walks<'a> {
    borders: &'a Borders,
    query: &'a Query,
    cancel: &'a CancellationToken,
    hits: Mutex<Vec<FileHit>>,
    ignored: Mutex<Vec<WalkEntry>>,
    /// Matches so far, those in named files too.
    total: AtomicUsize,
    too_large: AtomicUsize,
    searched: AtomicUsize,
}

impl<'a> Walks<'a> {
    fn new(borders: &'a Borders, query: &'a Query, cancel: &'a CancellationToken, total: usize) -> Self {
        Self {
            borders,
            query,
            cancel,
            hits: Mutex::default(),
            ignored: Mutex::default(),
            total: AtomicUsize::new(total),
            too_large: AtomicUsize::new(0),
            searched: AtomicUsize::new(0),
        }
    }

    fn is_enough(&self) -> bool {
        self.total.load(Ordering::Relaxed) >= TOTAL
    }

    fn one(&self, place: &SearchRoot, gitignore: bool) {
        let stop = || self.cancel.is_cancelled() || self.is_enough();
        let options =
            Options { hidden: true, gitignore, deadline: None, entries: u64::MAX, cancelled: &stop };
        let check = self.borders.walk(&place.base);
        let visit = |entry: &WalkEntry| {
            if entry.is_file() && !self.is_enough() && place.wants(entry.path()) {
                self.look(&check, entry);
            }
        };
        walk_telling(&place.base, &options, &visit, &|entry| self.remember(entry));
    }

    /// A file that cannot be read does not spoil the search in the others, and neither does one that must not be read.
    fn look(&self, check: &WalkCheck<'_>, entry: &WalkEntry) {
        let stop = || self.cancel.is_cancelled();
        let found = match check.open(entry.path()).and_then(|file| self.query.opened(&file, &[], &stop)) {
            Ok(found) => found,
            Err(error) => {
                let large = error.kind() == ErrorKind::FileTooLarge;
                self.too_large.fetch_add(usize::from(large), Ordering::Relaxed);
                return;
            }
        };
        self.searched.fetch_add(1, Ordering::Relaxed);
        if found.matches > 0 {
            self.total.fetch_add(found.matches, Ordering::Relaxed);
            let hit = FileHit { path: Some(entry.path().to_owned()), label: None, found };
            self.hits.lock().unwrap_or_else(PoisonError::into_inner).push(hit);
        }
    }

    fn remember(&self, entry: &WalkEntry) {
        let mut ignored = self.ignored.lock().unwrap_or_else(PoisonError::into_inner);
        if ignored.len() < MAX_IGNORED {
            ignored.push(entry.clone());
        }
    }

    fn finish(self, places: &[SearchRoot], collected: &mut Collected) {
        // Named files are always looked at.
        collected.stopped = self.is_enough() && !places.is_empty();
        collected.too_large = self.too_large.load(Ordering::Relaxed);
        collected.searched += self.searched.load(Ordering::Relaxed);
        let mut below = std::mem::take(&mut *self.hits.lock().unwrap_or_else(PoisonError::into_inner));
        if below.is_empty() && collected.files.is_empty() {
            collected.hidden_match = self.second_look(places);
        }
        below.sort_by(|one, two| one.path.cmp(&two.path));
        below.dedup_by(|one, two| one.path == two.path);
        let named: Vec<PathBuf> = collected.files.iter().filter_map(|file| file.path.clone()).collect();
        let is_new = |file: &FileHit| file.path.as_ref().is_none_or(|path| !named.contains(path));
        collected.files.extend(below.into_iter().filter(is_new));
    }

    /// A file with a match among what rules left out, if there is one to be found in a moment.
    fn second_look(&self, places: &[SearchRoot]) -> Option<PathBuf> {
        let deadline = Instant::now() + SECOND_LOOK;
        let first = Mutex::new(None);
        let known = || first.lock().unwrap_or_else(PoisonError::into_inner).is_some();
        let stop = || self.cancel.is_cancelled() || known() || Instant::now() >= deadline;
        let visit = |check: &WalkCheck<'_>, entry: &WalkEntry| {
            let wanted = entry.is_file() && places.iter().any(|place| place.wants(entry.path()));
            let found = || self.query.opened(&check.open(entry.path())?, &[], &stop);
            if wanted && !stop() && found().is_ok_and(|found| found.matches > 0) {
                *first.lock().unwrap_or_else(PoisonError::into_inner) = Some(entry.path().to_owned());
            }
        };
        let ignored = std::mem::take(&mut *self.ignored.lock().unwrap_or_else(PoisonError::into_inner));
        for entry in &ignored {
            if stop() {
                break;
            }
            let check = self.borders.walk(entry.path());
            if !entry.is_directory() {
                visit(&check, entry);
                continue;
            }
            let options = Options {
                hidden: true,
                gitignore: false,
                deadline: Some(deadline),
                entries: u64::MAX,
                cancelled: &stop,
            };
            walk(entry.path(), &options, &|entry| visit(&check, entry));
        }
        first.into_inner().unwrap_or_else(PoisonError::into_inner)
    }
}

fn in_single(
    context: &Context,
    single: &Single,
    query: &Query,
    cancel: &CancellationToken,
) -> io::Result<FileMatches> {
    let ranges: Vec<LineRange> = single.ranges.iter().flatten().map(line_range).collect();
    let stop = || cancel.is_cancelled();
    let found = match &single.source {
        SourceText::File(path) | SourceText::Fixed(path) => match context.open(path) {
            Ok(open::OpenedPath::File(file, _)) => query.opened(&file, &ranges, &stop),
            Ok(open::OpenedPath::Directory) => Err(io::Error::from(ErrorKind::IsADirectory)),
            Ok(open::OpenedPath::Special(special)) => {
                Err(io::Error::other(format!("it is {}", special.name())))
            }
            Err(error) => Err(error),
        },
        SourceText::Text(text) => query.text_within(text, &ranges),
    };
    match found {
        Err(_) if cancel.is_cancelled() => Ok(FileMatches::default()),
        found => found,
    }
}

fn line_range(range: &crate::read::selector::Range) -> LineRange {
    LineRange { first: range.start, last: range.end }
}
