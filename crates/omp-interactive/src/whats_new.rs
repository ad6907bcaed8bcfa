//! What is new since the version that was started last, shown once.

use std::path::{Path, PathBuf};

use omp_sdk::Directories;
use omp_workspace::write::{Mode, write};

const VERSION: &str = env!("CARGO_PKG_VERSION");

/// The version whose changes were shown last.
const MARKER: &str = "last-changelog-version";

/// A longer text is for `/changelog`.
const MOST_LINES: usize = 30;

/// How much is told.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) enum Length {
    /// The entries.
    Full,
    /// That there are some.
    Short,
}

/// The changes between the version that was started last and this one, as Markdown, and remembers this one. Nothing
/// on the first start.
pub(crate) fn since_last_start(directories: &Directories, changelog: &str, length: Length) -> Option<String> {
    let marker = marker(directories);
    let seen = std::fs::read_to_string(&marker).ok();
    let seen = seen.as_deref().map(str::trim);
    if seen == Some(VERSION) {
        return None;
    }
    remember(&marker);
    let news = newer(changelog, parts(seen?)?);
    let first = news.first()?;
    if length == Length::Short {
        return Some(format!("Updated to {VERSION}. See /changelog for what's new."));
    }
    let mut lines: Vec<&str> = vec![first.0];
    lines.extend(news.iter().flat_map(|(_, text)| text.lines()).skip(1));
    let cut = lines.len() > MOST_LINES;
    lines.truncate(MOST_LINES);
    let more = if cut { "\n\nSee /changelog for the rest." } else { "" };
    Some(format!("{}{more}", lines.join("\n").trim_end()))
}

fn marker(directories: &Directories) -> PathBuf {
    directories.agent.join(MARKER)
}

fn remember(marker: &Path) {
    // Who cannot write there sees the news again.
    let _ = write(marker, VERSION.as_bytes(), Mode::Private);
}

/// The sections of versions after `seen`: their headings and all of their text.
fn newer(changelog: &str, seen: [u64; 3]) -> Vec<(&str, &str)> {
    let mut sections = Vec::new();
    let mut rest = changelog;
    while let Some(start) = rest.find("\n## ").map(|at| at + 1) {
        let section = &rest[start..];
        let end = section[1..].find("\n## ").map_or(section.len(), |at| at + 2);
        let text = &section[..end];
        let heading = text.lines().next().unwrap_or_default();
        let version = heading.trim_start_matches("## ").split_whitespace().next().and_then(parts);
        if version.is_some_and(|version| version > seen) {
            sections.push((heading, text));
        }
        rest = &section[end - usize::from(end < section.len())..];
    }
    sections
}

/// The numbers of a version; what follows them does not count.
fn parts(version: &str) -> Option<[u64; 3]> {
    let mut numbers = version.trim_start_matches('v').split(['.', '-', '+']).map(str::parse::<u64>);
    let mut next = || numbers.next().and_then(Result::ok);
    Some([next()?, next().unwrap_or(0), next().unwrap_or(0)])
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn sections_after_a_version() {
        let text =
            "# Changelog\n\nWords.\n\n## 1.10.0 (today)\n\n- c\n\n## 1.9.2\n\n- b\n\n## 1.9.1\n\n- a\n";
        let since = |version: &str| -> Vec<&str> {
            newer(text, parts(version).unwrap()).into_iter().map(|(heading, _)| heading).collect()
        };
        assert_eq!(since("1.9.1"), ["## 1.10.0 (today)", "## 1.9.2"]);
        assert_eq!(since("1.10"), Vec::<&str>::new());
        assert_eq!(newer(text, [1, 9, 2])[0].1, "## 1.10.0 (today)\n\n- c\n\n");
        assert_eq!(parts("nonsense"), None);
    }
}
