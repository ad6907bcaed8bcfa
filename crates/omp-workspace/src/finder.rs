//! Files by parts of their names, as somebody types them.

use std::collections::BinaryHeap;
use std::path::PathBuf;
use std::sync::Arc;

use nucleo_matcher::pattern::{CaseMatching, Normalization, Pattern};
use nucleo_matcher::{Config, Matcher, Utf32Str};

use crate::scans::{Options, Scans};

/// How often cancellation is looked at.
const CHECK_EVERY: usize = 1024;

/// Finds files and directories of one project.
#[derive(Clone)]
pub struct Finder {
    pub root: PathBuf,
    pub options: Options,
    pub scans: Arc<Scans>,
}

/// A file or directory that fits.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct FinderMatch {
    /// Relative to the root; of a directory with `/` at its end.
    pub path: String,
    /// The higher, the better it fits.
    pub score: u32,
}

impl Finder {
    /// Finds in `root` what a person would want to name.
    pub fn new(root: PathBuf, scans: Arc<Scans>) -> Self {
        Self { root, options: Options::default(), scans }
    }

    /// The best `limit` paths for `query`, best first; for an empty one those nearest to the root. Waits for the
    /// disk. A search that is cancelled gives what it has.
    pub fn find(&self, query: &str, limit: usize, cancelled: &(dyn Fn() -> bool + Sync)) -> Vec<FinderMatch> {
        self.scans.ask(&self.root, self.options, cancelled, |scan| {
            let paths = scan.entries.iter().map(|entry| entry.path.as_ref());
            let ranked = rank(paths, query, limit, cancelled).into_iter();
            ranked.map(|Ranked { path, score }| FinderMatch { path: path.to_owned(), score }).collect()
        })
    }
}

/// A path and how well it fits.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Ranked<'a> {
    pub path: &'a str,
    pub score: u32,
}

impl Ord for Ranked<'_> {
    /// The better one is less: it comes first.
    fn cmp(&self, other: &Self) -> std::cmp::Ordering {
        let key = |one: &Self| (std::cmp::Reverse(one.score), depth(one.path), one.path.len());
        key(self).cmp(&key(other)).then_with(|| self.path.cmp(other.path))
    }
}

impl PartialOrd for Ranked<'_> {
    fn partial_cmp(&self, other: &Self) -> Option<std::cmp::Ordering> {
        Some(self.cmp(other))
    }
}

fn depth(path: &str) -> usize {
    path.trim_end_matches('/').matches('/').count()
}

/// The best `limit` of `paths` for `query`, best first. Letters may be left out between those of the query; words in
/// it fit in any order; capital letters count only where it has some.
pub fn rank<'a>(
    paths: impl Iterator<Item = &'a str>,
    query: &str,
    limit: usize,
    cancelled: &(dyn Fn() -> bool + Sync),
) -> Vec<Ranked<'a>> {
    let mut config = Config::DEFAULT.match_paths();
    config.prefer_prefix = true;
    let mut matcher = Matcher::new(config);
    let pattern = Pattern::parse(query.trim(), CaseMatching::Smart, Normalization::Smart);
    let mut letters = Vec::new();
    // The worst of the best is on top.
    let mut best: BinaryHeap<Ranked<'a>> = BinaryHeap::with_capacity(limit + 1);
    for (count, path) in paths.enumerate() {
        if count % CHECK_EVERY == 0 && cancelled() {
            break;
        }
        let Some(score) = pattern.score(Utf32Str::new(path, &mut letters), &mut matcher) else { continue };
        let ranked = Ranked { path, score };
        if best.len() < limit {
            best.push(ranked);
        } else if best.peek().is_some_and(|worst| ranked < *worst) {
            best.pop();
            best.push(ranked);
        }
    }
    best.into_sorted_vec()
}
