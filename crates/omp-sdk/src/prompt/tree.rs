//! The workspace as a short indented list.

use std::collections::BTreeMap;
use std::path::{Path, PathBuf};

use omp_config::discovery::{Survey, SurveyEntry};

/// Levels that are shown.
const DEPTH: usize = 3;
/// Entries of one folder that are shown; the workspace itself may show more.
const TOP_ENTRIES: usize = 60;
const ENTRIES: usize = 10;
/// Longer names are cut.
const NAME: usize = 60;

/// The tree of a survey in so many lines; `None` for an empty workspace.
pub(crate) fn tree(survey: &Survey, lines: usize) -> Option<String> {
    let mut children: BTreeMap<&Path, Vec<&SurveyEntry>> = BTreeMap::new();
    for entry in &survey.tree {
        children.entry(entry.path.parent().unwrap_or(Path::new(""))).or_default().push(entry);
    }
    let shown = within(&children, lines);
    let mut drawing = Drawing { children: &children, shown: &shown, lines: Vec::new() };
    drawing.folder(Path::new(""), 0);
    if !survey.complete {
        drawing.lines.push("… (truncated)".to_owned());
    }
    (!survey.tree.is_empty()).then(|| drawing.lines.join("\n"))
}

/// How many entries of each folder are shown: level by level, so that what is left out is the deepest.
fn within<'a>(
    children: &BTreeMap<&'a Path, Vec<&'a SurveyEntry>>,
    mut left: usize,
) -> BTreeMap<PathBuf, usize> {
    let mut shown = BTreeMap::new();
    let mut level = vec![PathBuf::new()];
    for depth in 0..DEPTH {
        let most = if depth == 0 { TOP_ENTRIES } else { ENTRIES };
        let mut next = Vec::new();
        for folder in level {
            let entries = children.get(folder.as_path()).map(Vec::as_slice).unwrap_or_default();
            let count = entries.len().min(most).min(left);
            left -= count;
            let folders = entries[..count].iter().filter(|entry| entry.is_directory);
            next.extend(folders.map(|entry| entry.path.clone()));
            shown.insert(folder, count);
        }
        level = next;
    }
    shown
}

struct Drawing<'a> {
    children: &'a BTreeMap<&'a Path, Vec<&'a SurveyEntry>>,
    shown: &'a BTreeMap<PathBuf, usize>,
    lines: Vec<String>,
}

impl Drawing<'_> {
    fn folder(&mut self, folder: &Path, depth: usize) {
        let (Some(entries), Some(count)) = (self.children.get(folder), self.shown.get(folder)) else {
            return;
        };
        let indent = "  ".repeat(depth);
        for entry in &entries[..*count] {
            let slash = if entry.is_directory { "/" } else { "" };
            self.lines.push(format!("{indent}{}{slash}", name(&entry.path)));
            if entry.is_directory {
                self.folder(&entry.path, depth + 1);
            }
        }
        if entries.len() > *count {
            self.lines.push(format!("{indent}… {} more", entries.len() - count));
        }
    }
}

fn name(path: &Path) -> String {
    let name = path.file_name().unwrap_or_default().to_string_lossy();
    let clean = name.chars().map(|letter| if letter.is_control() || letter == '<' { '?' } else { letter });
    let short: String = clean.clone().take(NAME).collect();
    if clean.count() > NAME { format!("{short}…") } else { short }
}

#[cfg(test)]
mod tests {
    use super::*;

    const LINES: usize = 120;

    fn survey(paths: &[&str], complete: bool) -> Survey {
        let entry = |path: &&str| SurveyEntry {
            path: PathBuf::from(path.trim_end_matches('/')),
            is_directory: path.ends_with('/'),
        };
        Survey { tree: paths.iter().map(entry).collect(), agents_files: Vec::new(), complete }
    }

    #[test]
    fn folders_hold_their_entries() {
        let found = survey(&["a/", "b.txt", "a/c/", "a/d.rs", "a/c/e.rs"], true);
        assert_eq!(tree(&found, LINES).unwrap(), "a/\n  c/\n    e.rs\n  d.rs\nb.txt");
        assert_eq!(tree(&survey(&[], true), LINES), None);
    }

    /// The deepest level goes first; what is not there is counted.
    #[test]
    fn the_tree_is_bounded() {
        let mut paths: Vec<String> = (0..50).map(|number| format!("folder{number:02}/")).collect();
        for folder in 0..50 {
            paths.extend((0..20).map(|file| format!("folder{folder:02}/file{file:02}")));
        }
        let paths: Vec<&str> = paths.iter().map(String::as_str).collect();
        let text = tree(&survey(&paths, false), LINES).unwrap();
        assert_eq!(text.lines().filter(|line| line.starts_with("folder")).count(), 50);
        let files = text.lines().filter(|line| line.starts_with("  file")).count();
        assert_eq!(files, LINES - 50);
        assert!(text.contains("  … 10 more") && text.contains("  … 20 more"));
        assert!(text.ends_with("… (truncated)"));
        let long = tree(&survey(&["a\nb<c", &"x".repeat(90)], true), LINES).unwrap();
        assert_eq!(long, format!("a?b?c\n{}…", "x".repeat(60)));
    }
}
