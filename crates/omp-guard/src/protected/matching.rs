//! Entries of the tables against the components of a path.

use std::path::{Component, Path};

/// The components of `path` below `root`; none if it is not there. A name that is not UTF-8 is in no table.
pub(super) fn parts<'a>(path: &'a Path, root: &Path) -> Option<Vec<&'a str>> {
    let rest = path.strip_prefix(root).ok()?;
    let named = rest.components().filter_map(|component| match component {
        Component::Normal(name) => Some(name.to_str().unwrap_or_default()),
        _ => None,
    });
    Some(named.collect())
}

/// Is the path the entry, or below it?
pub(super) fn covers(entry: &str, relative: &[&str]) -> bool {
    let mut rest = relative.iter();
    entry.split('/').all(|pattern| rest.next().is_some_and(|part| names(pattern, part)))
}

/// Does the entry cover the path when it starts at some directory of it?
pub(super) fn covers_somewhere(entry: &str, relative: &[&str]) -> bool {
    (0..relative.len()).any(|start| covers(entry, &relative[start..]))
}

/// Is the path a directory that the entry is in?
pub(super) fn is_on_the_way(entry: &str, relative: &[&str]) -> bool {
    let mut patterns = entry.split('/');
    let matched = relative.iter().all(|part| patterns.next().is_some_and(|pattern| names(pattern, part)));
    matched && !relative.is_empty() && patterns.next().is_some()
}

/// Does one component fit one pattern, in which each `*` stands for any characters?
pub(super) fn names(pattern: &str, part: &str) -> bool {
    let Some((start, rest)) = pattern.split_once('*') else { return pattern.eq_ignore_ascii_case(part) };
    let Some(tail) = strip_start(part, start) else { return false };
    match rest.contains('*') {
        true => tail.char_indices().any(|(at, _)| names(rest, &tail[at..])),
        false => ends_with(tail, rest),
    }
}

fn strip_start<'a>(part: &'a str, start: &str) -> Option<&'a str> {
    let head = part.get(..start.len())?;
    head.eq_ignore_ascii_case(start).then(|| &part[start.len()..])
}

fn ends_with(part: &str, end: &str) -> bool {
    let at = part.len().checked_sub(end.len());
    at.and_then(|at| part.get(at..)).is_some_and(|tail| tail.eq_ignore_ascii_case(end))
}
