//! `find`: files and directories by name.

mod grouped;

use std::collections::HashSet;
use std::path::{Path, PathBuf};
use std::sync::atomic::{AtomicUsize, Ordering};
use std::sync::{Arc, Mutex, PoisonError};
use std::time::{Duration, Instant, SystemTime};

use omp_agent::{Invocation, ToolError, Updates};
use omp_types::{BuiltinTool, ToolOutput, builtin};
use omp_workspace::tree::printable;
use omp_workspace::walk::{End, Options, walk};
use serde::Deserialize;
use tokio_util::sync::CancellationToken;

use crate::Context;
use crate::output::{Details, Limits, Meta, ResultLimit, Source, cap};
use crate::search_roots::{SearchRoot, SearchRoots};
use crate::uniform::UniformTool;

pub(crate) const TOOL: &BuiltinTool = &builtin::FIND;

const MAX_RESULTS: usize = 200;
const DEFAULT_SECONDS: f64 = 5.0;
/// Entries looked at before a directory is called too large.
const MAX_ENTRIES: u64 = 400_000;
/// Matches looked at, to find the newest, before there are too many of them.
const MAX_MATCHES: usize = 50_000;
/// Entries of `paths` that are looked at at once.
const AT_ONCE: usize = 16;
/// The least time between two reports of progress.
const REPORT_EVERY: Duration = Duration::from_millis(200);

pub(crate) struct Find {
    context: Arc<Context>,
}

#[derive(Deserialize)]
struct Arguments {
    paths: Vec<String>,
    hidden: Option<bool>,
    gitignore: Option<bool>,
    limit: Option<f64>,
    timeout: Option<f64>,
}

impl Find {
    pub(crate) fn new(context: &Arc<Context>) -> Self {
        Self { context: Arc::clone(context) }
    }
}

impl UniformTool for Find {
    const ROW: &'static BuiltinTool = TOOL;
    const TEXT: &'static str = include_str!("tool.md");

    async fn call(&self, call: Invocation) -> Result<ToolOutput, ToolError> {
        let context = self.context.clone();
        let arguments: Arguments = crate::arguments(call.arguments)?;
        crate::blocking(move || find(&context, &arguments, &call.cancel, &call.updates)).await
    }
}

/// Something that was found.
#[derive(Clone, Debug)]
struct Hit {
    path: PathBuf,
    directory: bool,
    modified: SystemTime,
}

impl Hit {
    fn at(path: PathBuf) -> Self {
        let metadata = path.symlink_metadata().ok();
        Self {
            directory: metadata.as_ref().is_some_and(std::fs::Metadata::is_dir),
            modified: metadata
                .and_then(|metadata| metadata.modified().ok())
                .unwrap_or(SystemTime::UNIX_EPOCH),
            path,
        }
    }
}

fn find(
    context: &Context,
    arguments: &Arguments,
    cancel: &CancellationToken,
    updates: &Updates,
) -> Result<ToolOutput, ToolError> {
    let limit = match arguments.limit {
        Some(limit) if !limit.is_finite() || limit <= 0.0 => {
            return Err(ToolError::new("Limit must be a positive number"));
        }
        Some(limit) => (limit.floor() as usize).clamp(1, MAX_RESULTS),
        None => MAX_RESULTS,
    };
    let seconds = patience(arguments.timeout);
    let places =
        SearchRoots::new(context, &arguments.paths, "`paths` must contain non-empty globs or paths")?;
    let look = Look {
        context,
        hidden: arguments.hidden.unwrap_or(true),
        gitignore: arguments.gitignore.unwrap_or(true),
        deadline: Instant::now() + Duration::from_secs_f64(seconds),
        cancel,
        progress: Progress { updates, last: Mutex::new(Instant::now()) },
        limit,
    };
    look.answer(&places, seconds)
}

/// How long a search may take, in seconds.
fn patience(asked: Option<f64>) -> f64 {
    asked.filter(|seconds| seconds.is_finite()).unwrap_or(DEFAULT_SECONDS).clamp(0.5, 60.0)
}

/// A search in progress.
struct Look<'a> {
    context: &'a Context,
    hidden: bool,
    gitignore: bool,
    deadline: Instant,
    cancel: &'a CancellationToken,
    progress: Progress<'a>,
    limit: usize,
}

impl Look<'_> {
    fn answer(&self, places: &SearchRoots, seconds: f64) -> Result<ToolOutput, ToolError> {
        let (hits, end, total) = self.everywhere(&places.found);
        // An abort may come too late for the walk to notice.
        if end == End::Cancelled || self.cancel.is_cancelled() {
            return Err(ToolError::new("Operation aborted"));
        }
        Ok(Answer { context: self.context, places, hits, total, end, limit: self.limit, seconds }.output())
    }

    /// Many places at once: each is a walk of its own. Newest first, each path once.
    fn everywhere(&self, places: &[SearchRoot]) -> (Vec<Hit>, End, usize) {
        let newest = Newest::new(self.limit);
        let (next, ends) = (AtomicUsize::new(0), Mutex::new(Vec::new()));
        let work = || {
            while let Some(place) = places.get(next.fetch_add(1, Ordering::Relaxed)) {
                let end = self.one(place, &newest);
                ends.lock().unwrap_or_else(PoisonError::into_inner).push(end);
            }
        };
        std::thread::scope(|scope| {
            for _ in 1..places.len().min(AT_ONCE) {
                // Without a helper it takes longer.
                let _missed = std::thread::Builder::new().spawn_scoped(scope, work);
            }
            work();
        });
        let ends = ends.into_inner().unwrap_or_else(PoisonError::into_inner);
        let worst = [End::Cancelled, End::Deadline, End::Entries].into_iter().find(|end| ends.contains(end));
        let (hits, total) = newest.sorted();
        (hits, worst.unwrap_or(End::Complete), total)
    }

    fn one(&self, place: &SearchRoot, newest: &Newest) -> End {
        if !place.base.is_dir() {
            newest.add(Hit::at(place.base.clone()));
            return End::Complete;
        }
        let options = Options {
            hidden: self.hidden,
            gitignore: self.gitignore,
            deadline: Some(self.deadline),
            entries: MAX_ENTRIES,
            cancelled: &|| self.cancel.is_cancelled() || newest.is_full(),
        };
        let end = walk(&place.base, &options, &|entry| {
            if place.wants_entry(entry) {
                newest.add(Hit::at(entry.path().to_owned()));
                self.progress.report(self.context, newest);
            }
        });
        match end {
            End::Cancelled if !self.cancel.is_cancelled() => End::Entries,
            end => end,
        }
    }
}

/// The newest hits so far: a bounded number, whatever is found. All paths are known, so that none counts twice.
struct Newest {
    keep: usize,
    inside: Mutex<(Vec<Hit>, HashSet<PathBuf>)>,
}

impl Newest {
    fn new(keep: usize) -> Self {
        Self { keep, inside: Mutex::default() }
    }

    /// So many were found that those left out do not matter.
    fn is_full(&self) -> bool {
        self.inside.lock().unwrap_or_else(PoisonError::into_inner).1.len() >= MAX_MATCHES
    }

    fn add(&self, hit: Hit) {
        let mut inside = self.inside.lock().unwrap_or_else(PoisonError::into_inner);
        let (hits, known) = &mut *inside;
        if !known.insert(hit.path.clone()) {
            return;
        }
        hits.push(hit);
        // Sorting now and then keeps it cheap.
        if hits.len() >= 8 * self.keep.max(64) {
            order(hits);
            hits.truncate(self.keep);
        }
    }

    fn sorted(&self) -> (Vec<Hit>, usize) {
        let inside = self.inside.lock().unwrap_or_else(PoisonError::into_inner);
        let mut hits = inside.0.clone();
        order(&mut hits);
        hits.truncate(self.keep);
        (hits, inside.1.len())
    }
}

fn order(hits: &mut [Hit]) {
    hits.sort_by(|one, two| two.modified.cmp(&one.modified).then_with(|| one.path.cmp(&two.path)));
}

/// Tells now and then what was found so far.
struct Progress<'a> {
    updates: &'a Updates,
    last: Mutex<Instant>,
}

impl Progress<'_> {
    fn report(&self, context: &Context, newest: &Newest) {
        let mut last = self.last.lock().unwrap_or_else(PoisonError::into_inner);
        if last.elapsed() < REPORT_EVERY {
            return;
        }
        *last = Instant::now();
        let (hits, _) = newest.sorted();
        let rows: Vec<String> = hits.iter().map(|hit| shown(context, hit)).collect();
        self.updates.send(ToolOutput::text(rows.join("\n")));
    }
}

fn shown(context: &Context, hit: &Hit) -> String {
    let path = context.base().display(&hit.path);
    if hit.directory { format!("{}/", path.trim_end_matches('/')) } else { path }
}

/// What is said about a finished search.
struct Answer<'a> {
    context: &'a Context,
    places: &'a SearchRoots,
    hits: Vec<Hit>,
    total: usize,
    end: End,
    limit: usize,
    seconds: f64,
}

impl Answer<'_> {
    fn output(&self) -> ToolOutput {
        let files: Vec<String> = self.hits.iter().map(|hit| shown(self.context, hit)).collect();
        let reached = self.total > self.limit;
        let mut text = match files.is_empty() {
            true => "No files found matching pattern".to_owned(),
            // A name may hold line ends; what is listed is one line each.
            false => {
                let lines: Vec<String> = files.iter().map(|file| printable(Path::new(file))).collect();
                grouped::grouped(&lines)
            }
        };
        let notices = [self.end_notice(), self.places.missing_notice(), reached.then(|| self.limit_notice())];
        for notice in notices.into_iter().flatten() {
            text.push_str(&format!("\n\n{notice}"));
        }
        let (text, truncation) = cap(text);
        let scope = self.places.shown(self.context);
        let mut meta = Meta { source: Some(Source::Path(scope.clone())), truncation, ..Meta::default() };
        if reached {
            let limit = ResultLimit { reached: self.limit, suggestion: self.limit };
            meta.limits = Some(Limits { result_limit: Some(limit), ..Limits::default() });
        }
        let truncated = reached || self.end != End::Complete || meta.truncation.is_some();
        let nothing = files.is_empty() && self.end == End::Complete;
        let mut details = Details::default()
            .with("scopePath", scope)
            .with("fileCount", files.len())
            .with("files", files)
            .with("truncated", truncated);
        if reached {
            details = details.with("resultLimitReached", self.limit);
        }
        if !self.places.missing.is_empty() {
            details = details.with("missingPaths", self.places.missing.clone());
        }
        let output = ToolOutput::text(text).with_details(details.finish(&meta));
        if nothing { output.uneventful() } else { output }
    }

    fn end_notice(&self) -> Option<String> {
        let count = self.hits.len();
        match self.end {
            End::Deadline => Some(format!(
                "find timed out after {}s; returning {count} partial matches — increase timeout or narrow pattern",
                self.seconds
            )),
            End::Entries if self.total >= MAX_MATCHES => Some(format!(
                "find stopped after {MAX_MATCHES} matches; returning {count} partial matches — narrow the pattern or \
                 name a smaller directory"
            )),
            End::Entries => Some(format!(
                "find stopped after {MAX_ENTRIES} entries; returning {count} partial matches — narrow the pattern or \
                 name a smaller directory"
            )),
            End::Complete | End::Cancelled => None,
        }
    }

    fn limit_notice(&self) -> String {
        format!(
            "[Showing the newest {} of {} matches. Narrow the pattern to see the others]",
            self.limit, self.total
        )
    }
}

#[cfg(test)]
mod tests;
