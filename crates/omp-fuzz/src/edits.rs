//! Edits that models write.

use std::path::Path;

use omp_edits::hashline::{self, File, NoSyntax, Patcher, Snapshots, Tag, parse, parse_partial, preview};
use omp_edits::patch::{
    FileChange, Fuzzy, Hunk, HunkLine, Matcher, Occurrences, apply, parse_envelope, parse_envelope_start,
    parse_hunks, parse_hunks_start,
};

/// A text and a patch for it, split at the first byte 0xff: parsing and planning end in a result or an error, and the
/// changes of a result make its text.
pub(crate) fn hashline(data: &[u8]) {
    let Some(split) = data.iter().position(|byte| *byte == 0xff) else { return };
    let text = String::from_utf8_lossy(&data[..split]).replace('\r', "");
    let rest = String::from_utf8_lossy(&data[split + 1..]).into_owned();
    // `#T` stands for the tag of the text, which nobody guesses.
    let input = rest.replace("#T", &format!("#{}", Tag::of(&text)));
    let _ = parse_partial(&input, Path::new("/w"));
    let Ok(patch) = parse(&input, Path::new("/w")) else { return };
    let mut snapshots = Snapshots::default();
    snapshots.record("f", &text);
    let live = text.replacen('a', "b", 1);
    for current in [&text, &live] {
        for (enforce_seen, section) in [false, true]
            .into_iter()
            .flat_map(|seen| patch.sections.iter().map(move |section| (seen, section)))
        {
            let patcher = Patcher { syntax: &NoSyntax, enforce_seen };
            let file = File { key: "f", text: current };
            let Ok(planned) = patcher.plan(section, file, &mut snapshots) else { continue };
            check(current, &planned.changes, &planned.text);
            let _ = preview(&planned.text, &planned.changes);
        }
    }
}

/// Puts the changes into the text line by line.
fn check(old: &str, changes: &[hashline::Change], new: &str) {
    let lines: Vec<&str> = old.split_terminator('\n').collect();
    let mut rows: Vec<&str> = Vec::new();
    let mut position = 0;
    for change in changes {
        rows.extend_from_slice(&lines[position..change.start]);
        rows.extend(change.inserted.iter().map(String::as_str));
        position = change.start + change.removed;
    }
    rows.extend_from_slice(&lines[position..]);
    let mut text = rows.join("\n");
    if (old.is_empty() || old.ends_with('\n')) && !rows.is_empty() {
        text.push('\n');
    }
    assert_eq!(text, new);
}

/// A text and a patch for it, split at the first byte 0xff: parsing and applying end in a result or an error, lines
/// outside of the changes stay, and the beginning of a patch never says more than the whole.
pub(crate) fn patch(data: &[u8]) {
    let Some(split) = data.iter().position(|byte| *byte == 0xff) else { return };
    let text = String::from_utf8_lossy(&data[..split]).into_owned();
    let patch = String::from_utf8_lossy(&data[split + 1..]).into_owned();
    let half = (0..=patch.len() / 2).rev().find(|end| patch.is_char_boundary(*end)).unwrap_or(0);
    let _ = parse_envelope_start(&patch[..half]);
    let _ = parse_hunks_start(&patch[..half]);
    let mut all: Vec<Vec<Hunk>> = parse_hunks(&patch).into_iter().collect();
    for change in parse_envelope(&patch).into_iter().flatten() {
        if let FileChange::Update { hunks, .. } = change {
            all.push(hunks);
        }
    }
    for fuzzy in [Fuzzy::Off, Fuzzy::From(0.95), Fuzzy::From(0.5)] {
        for hunks in &all {
            let Ok(edited) = apply(&text, hunks, &Matcher { fuzzy }) else { continue };
            let count = if text.is_empty() {
                0
            } else {
                text.strip_suffix('\n').unwrap_or(&text).split('\n').count()
            };
            let removed: usize = edited.changes.iter().map(|change| change.removed).sum();
            let inserted: usize = edited.changes.iter().map(|change| change.inserted.len()).sum();
            let rows = || hunks.iter().flat_map(|hunk| &hunk.rows);
            assert_eq!(removed, rows().filter(|row| matches!(row, HunkLine::Remove(_))).count());
            assert_eq!(inserted, rows().filter(|row| matches!(row, HunkLine::Add(_))).count());
            let mut end = 0;
            for change in &edited.changes {
                assert!(change.start >= end && change.start + change.removed <= count);
                end = change.start + change.removed;
            }
            let _ = edited.rewrite(&text);
        }
    }
}

/// A text, an old and a new string, split at bytes 0xff: an exact replacement is that of the standard library, any other
/// ends in whole lines or an error.
pub(crate) fn replace(data: &[u8]) {
    let mut parts =
        data.splitn(3, |byte| *byte == 0xff).map(|part| String::from_utf8_lossy(part).into_owned());
    let (Some(text), Some(old), Some(new)) = (parts.next(), parts.next(), parts.next()) else { return };
    let plain = !text.contains('\r') && !old.contains('\r') && !new.contains('\r');
    for fuzzy in [Fuzzy::Off, Fuzzy::From(0.95), Fuzzy::From(0.5)] {
        for occurrences in [Occurrences::Only, Occurrences::All] {
            let result = omp_edits::patch::replace(&text, &old, &new, occurrences, &Matcher { fuzzy });
            let exact = plain && !old.is_empty() && text.contains(&old);
            match (result, occurrences) {
                (Ok(edited), Occurrences::All) if exact => {
                    assert_eq!(edited.rewrite(&text), text.replace(&old, &new));
                }
                (Ok(edited), Occurrences::Only) if exact => {
                    assert_eq!(edited.rewrite(&text), text.replacen(&old, &new, 1));
                    assert_eq!(edited.changes.len(), 1);
                }
                (Ok(edited), _) => drop(edited.rewrite(&text)),
                (Err(_), Occurrences::All) => assert!(!exact),
                (Err(_), Occurrences::Only) => {}
            }
        }
    }
}
