//! `omp grep`: the search engine of the search tool, by hand.

use std::fmt::Write as _;
use std::path::{Path, PathBuf};
use std::sync::atomic::{AtomicUsize, Ordering};
use std::sync::{Mutex, PoisonError};

use globset::{Glob, GlobMatcher};
use omp_cli::CommandCall;
use omp_workspace::grep::{FileMatches, Query, Style};
use omp_workspace::walk::{Options, walk};

use crate::output::{self, Stream};

/// Matches that are printed, unless another number is asked for.
const LIMIT: usize = 20;
/// Lines around a match.
const CONTEXT: usize = 2;
/// Matches that are kept of one file; one with more is no text that somebody wrote.
const PER_FILE: usize = 10_000;

/// What was asked for.
struct GrepRequest {
    query: Query,
    place: PathBuf,
    glob: Option<GlobMatcher>,
    limit: usize,
    form: Form,
    gitignore: bool,
}

#[derive(Clone, Copy, PartialEq, Eq)]
enum Form {
    Lines,
    Files,
    Counts,
}

/// What there is.
#[derive(Default)]
struct Hits {
    files: Vec<(PathBuf, FileMatches)>,
    searched: usize,
}

pub(crate) fn run(call: &CommandCall) -> u8 {
    let wish = match GrepRequest::read(call) {
        Ok(wish) => wish,
        Err(message) => return output::fail(&message, &[]),
    };
    let hits = wish.search();
    output::print(Stream::Out, &wish.report(&hits))
}

impl GrepRequest {
    fn read(call: &CommandCall) -> Result<Self, String> {
        let pattern = call.args.text("pattern").unwrap_or_default();
        if pattern.is_empty() {
            return Err("missing pattern (for example: omp grep 'fn main' src)".to_owned());
        }
        let number = |name: &str, usual: usize| match call.values.integer(name) {
            Some(number) => usize::try_from(number).map_err(|_| format!("--{name} must not be negative")),
            None => Ok(usual),
        };
        let around = number("context", CONTEXT)?;
        let style = Style { ignore_case: false, before: around, after: around, limit: PER_FILE };
        let glob = call.values.text("glob").map(Glob::new).transpose().map_err(|error| error.to_string())?;
        let place = PathBuf::from(call.args.path("path").unwrap_or(Path::new(".")));
        if !place.exists() {
            return Err(format!("no such file or directory: {}", place.display()));
        }
        Ok(Self {
            query: Query::new(pattern, style).map_err(|error| format!("invalid pattern: {error}"))?,
            place,
            glob: glob.map(|glob| glob.compile_matcher()),
            limit: number("limit", LIMIT)?,
            form: match (call.values.has("files"), call.values.has("count")) {
                (true, _) => Form::Files,
                (false, true) => Form::Counts,
                (false, false) => Form::Lines,
            },
            gitignore: !call.values.has("no-gitignore"),
        })
    }

    fn search(&self) -> Hits {
        if self.place.is_file() {
            let found = self.query.file(&self.place).unwrap_or_default();
            let files = if found.matches > 0 { vec![(self.place.clone(), found)] } else { Vec::new() };
            return Hits { files, searched: 1 };
        }
        let (files, searched) = (Mutex::new(Vec::new()), AtomicUsize::new(0));
        let never = || false;
        let options = Options {
            hidden: true,
            gitignore: self.gitignore,
            deadline: None,
            entries: u64::MAX,
            cancelled: &never,
        };
        walk(&self.place, &options, &|entry| {
            let path = entry.path();
            if !entry.is_file() || !self.wants(path) {
                return;
            }
            searched.fetch_add(1, Ordering::Relaxed);
            // A file that cannot be read does not spoil the search in the others.
            let found = self.query.entry(entry, &never).unwrap_or_default();
            if found.matches > 0 {
                files.lock().unwrap_or_else(PoisonError::into_inner).push((path.to_owned(), found));
            }
        });
        let mut files = files.into_inner().unwrap_or_else(PoisonError::into_inner);
        files.sort_by(|one, two| one.0.cmp(&two.0));
        Hits { files, searched: searched.into_inner() }
    }

    /// A glob without a slash is about names, one with a slash about paths.
    fn wants(&self, path: &Path) -> bool {
        let Some(glob) = &self.glob else { return true };
        let below = path.strip_prefix(&self.place).unwrap_or(path);
        let name = path.file_name().map(Path::new);
        glob.is_match(below)
            || (!glob.glob().glob().contains('/') && name.is_some_and(|name| glob.is_match(name)))
    }

    /// Totals, then what was found.
    fn report(&self, hits: &Hits) -> String {
        let matches: usize = hits.files.iter().map(|(_, found)| found.matches).sum();
        let mut text = format!(
            "Total matches: {matches}\nFiles with matches: {}\nFiles searched: {}\n",
            hits.files.len(),
            hits.searched
        );
        let mut left = self.limit;
        for (path, found) in &hits.files {
            if left == 0 {
                break;
            }
            let name = path.strip_prefix("./").unwrap_or(path).display();
            match self.form {
                Form::Files => {
                    let _ = writeln!(text, "{name}");
                    left -= 1;
                }
                Form::Counts => {
                    let _ = writeln!(text, "{name}: {}", found.matches);
                    left -= 1;
                }
                Form::Lines => {
                    let _ = writeln!(text, "\n{name}");
                    left -= lines(&mut text, found, left);
                }
            }
        }
        let shown = self.limit - left;
        let all = if self.form == Form::Lines { matches } else { hits.files.len() };
        if shown < all {
            let _ = writeln!(text, "\nShowing {shown} of {all} matches (use -l to show more)");
        }
        text
    }
}

/// Writes at most so many matches with the lines around them; how many there were.
fn lines(text: &mut String, found: &FileMatches, most: usize) -> usize {
    let (mut matches, mut last) = (0, None);
    for row in &found.rows {
        if row.matched && matches == most {
            break;
        }
        if last.is_some_and(|last| last + 1 != row.line) {
            text.push_str("  …\n");
        }
        last = Some(row.line);
        matches += usize::from(row.matched);
        let sign = if row.matched { ':' } else { '-' };
        let _ = writeln!(text, "  {}{sign} {}{}", row.line, row.text, if row.cut { "…" } else { "" });
    }
    matches
}
