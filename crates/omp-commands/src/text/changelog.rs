//! `/changelog`: what is new.

use std::borrow::Cow;
use std::io::Read;
use std::path::Path;

use omp_sdk::Session;

use super::blocking;
use crate::answer::Answer;

/// What came with the program.
const BUNDLED: &str = include_str!("../../../../CHANGELOG.md");
/// How many versions are shown unless all are asked for.
const NEWEST: usize = 3;
/// A changelog that somebody else wrote is read no further.
const LARGEST: u64 = 1024 * 1024;

pub(crate) async fn run(session: &Session, arguments: &str) -> Answer {
    let entries = match arguments {
        "" => Some(NEWEST),
        "full" => None,
        _ => return Answer::refused("Usage: /changelog [full]"),
    };
    let directory = session.environment().var("PI_PACKAGE_DIR");
    blocking(move || Answer::Markdown(changelog(&changelog_of(directory.as_deref()), entries))).await
}

/// The changelog in a directory, if it has one, else the one that came with the program.
pub fn changelog_of(directory: Option<&str>) -> Cow<'static, str> {
    let elsewhere = directory.and_then(|directory| read(Path::new(directory)));
    elsewhere.map_or(Cow::Borrowed(BUNDLED), Cow::Owned)
}

fn read(directory: &Path) -> Option<String> {
    let file = std::fs::File::open(directory.join("CHANGELOG.md")).ok()?;
    let mut bytes = Vec::new();
    file.take(LARGEST).read_to_end(&mut bytes).ok()?;
    Some(String::from_utf8_lossy(&bytes).into_owned())
}

/// The newest entries of a changelog, or all of them: a section per version, the newest first.
pub fn changelog(text: &str, entries: Option<usize>) -> String {
    let starts: Vec<usize> = text.match_indices("\n## ").map(|(at, _)| at + 1).collect();
    let Some(first) = starts.first() else { return text.trim().to_owned() };
    let end = entries.and_then(|entries| starts.get(entries)).copied().unwrap_or(text.len());
    text[*first..end].trim_end().to_owned()
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn entries_are_sections() {
        let text =
            "# Changelog\n\nNewest first.\n\n## 4\n\n- d\n\n## 3\n\n- c\n\n## 2\n\n- b\n\n## 1\n\n- a\n";
        assert_eq!(changelog(text, Some(3)), "## 4\n\n- d\n\n## 3\n\n- c\n\n## 2\n\n- b");
        assert!(changelog(text, None).ends_with("## 1\n\n- a"));
        assert_eq!(changelog("nothing", Some(3)), "nothing");
    }
}
