//! New lines in a changelog, under what is not released yet.

use crate::message::ChangelogEntry;

/// The text with the entries in it; `None` if it has no section for what is not released. Everything else stays as it is,
/// line ends included.
pub(crate) fn insert(text: &str, entries: &[&ChangelogEntry]) -> Option<String> {
    let end = if text.contains("\r\n") { "\r\n" } else { "\n" };
    let mut lines: Vec<String> = text.split_inclusive('\n').map(str::to_owned).collect();
    if let Some(last) = lines.last_mut().filter(|last| !last.ends_with('\n')) {
        last.push_str(end);
    }
    let start = lines.iter().position(|line| is_unreleased(line))? + 1;
    for entry in entries {
        add(&mut lines, start, entry, end);
    }
    Some(lines.concat())
}

fn is_unreleased(line: &str) -> bool {
    level(line) == Some(2) && line.to_lowercase().contains("unreleased")
}

fn level(line: &str) -> Option<usize> {
    let marks = line.bytes().take_while(|byte| *byte == b'#').count();
    (marks > 0 && line[marks..].starts_with(' ')).then_some(marks)
}

/// Puts one entry behind those of its category. A section without categories is one list.
fn add(lines: &mut Vec<String>, start: usize, entry: &ChangelogEntry, end: &str) {
    let heads = |line: &String, deepest: usize| level(line).is_some_and(|level| level <= deepest);
    let stop = lines[start..].iter().position(|line| heads(line, 2)).map_or(lines.len(), |at| start + at);
    let item = format!("- {}{end}", entry.text.split_whitespace().collect::<Vec<_>>().join(" "));
    let categories = lines[start..stop].iter().any(|line| level(line) == Some(3));
    let items = lines[start..stop].iter().any(|line| !line.trim().is_empty());
    let named = |line: &String| {
        let title = line.trim_start_matches('#').trim();
        level(line) == Some(3) && title.eq_ignore_ascii_case(&entry.category)
    };
    let head = lines[start..stop].iter().position(named).map(|at| start + at);
    match head {
        Some(head) => {
            let next = lines[head + 1..stop].iter().position(|line| heads(line, 3));
            let at = behind_text(lines, head + 1, next.map_or(stop, |at| head + 1 + at));
            let gap = if at == head + 1 { vec![end.to_owned()] } else { Vec::new() };
            lines.splice(at..at, gap.into_iter().chain([item]));
        }
        None if items && !categories => {
            let at = behind_text(lines, start, stop);
            lines.insert(at, item);
        }
        None => {
            let at = behind_text(lines, start, stop);
            let new = [end.to_owned(), format!("### {}{end}", entry.category), end.to_owned(), item];
            lines.splice(at..at, new);
        }
    }
}

/// The place behind the last line that is not empty.
fn behind_text(lines: &[String], from: usize, to: usize) -> usize {
    let last = lines[from..to].iter().rposition(|line| !line.trim().is_empty());
    last.map_or(from, |last| from + last + 1)
}

#[cfg(test)]
mod tests {
    use super::*;

    fn entry(category: &str, text: &str) -> ChangelogEntry {
        ChangelogEntry { path: None, category: category.to_owned(), text: text.to_owned() }
    }

    fn inserted(text: &str, entries: &[ChangelogEntry]) -> Option<String> {
        insert(text, &entries.iter().collect::<Vec<_>>())
    }

    #[test]
    fn entries_join_their_category_or_begin_it() {
        let before = "# Changes\n\n## [Unreleased]\n\n### Fixed\n\n- old\n  on two lines\n\n## [1.0]\n\n### Fixed\n\n- older\n";
        let after = inserted(before, &[entry("Fixed", "new\none"), entry("Added", "a thing")]);
        let expected = "# Changes\n\n## [Unreleased]\n\n### Fixed\n\n- old\n  on two lines\n- new one\n\n### Added\n\n- a thing\n\n## [1.0]\n\n### Fixed\n\n- older\n";
        assert_eq!(after.as_deref(), Some(expected));
    }

    #[test]
    fn an_empty_section_and_a_plain_list() {
        let after = inserted("## Unreleased\n", &[entry("Added", "x")]);
        assert_eq!(after.as_deref(), Some("## Unreleased\n\n### Added\n\n- x\n"));
        let after = inserted("## 2.0 (unreleased)\r\n\r\n- a\r\n\r\n## 1.0\r\n", &[entry("Added", "b")]);
        assert_eq!(after.as_deref(), Some("## 2.0 (unreleased)\r\n\r\n- a\r\n- b\r\n\r\n## 1.0\r\n"));
        let after = inserted("## Unreleased\n\n- a", &[entry("Added", "b")]);
        assert_eq!(after.as_deref(), Some("## Unreleased\n\n- a\n- b\n"));
        let after = inserted("## Unreleased\n\n### Added\n\n## 1.0\n", &[entry("Added", "b")]);
        assert_eq!(after.as_deref(), Some("## Unreleased\n\n### Added\n\n- b\n\n## 1.0\n"));
    }

    #[test]
    fn nothing_happens_without_a_place_for_it() {
        assert_eq!(inserted("## 1.0\n\n- unreleased words\n", &[entry("Added", "b")]), None);
        assert_eq!(inserted("", &[entry("Added", "b")]), None);
    }
}
