//! A text and a patch for it, split at the first byte 0xff: parsing and applying end in a result or an error, lines
//! outside of the changes stay, and the beginning of a patch never says more than the whole.
#![no_main]

use libfuzzer_sys::fuzz_target;
use omp_edits::patch::{
    FileChange, Fuzzy, Hunk, Matcher, Row, apply, parse_envelope, parse_envelope_start, parse_hunks, parse_hunks_start,
};

fuzz_target!(|data: &[u8]| {
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
            let count = if text.is_empty() { 0 } else { text.strip_suffix('\n').unwrap_or(&text).split('\n').count() };
            let removed: usize = edited.changes.iter().map(|change| change.removed).sum();
            let inserted: usize = edited.changes.iter().map(|change| change.inserted.len()).sum();
            let rows = || hunks.iter().flat_map(|hunk| &hunk.rows);
            assert_eq!(removed, rows().filter(|row| matches!(row, Row::Remove(_))).count());
            assert_eq!(inserted, rows().filter(|row| matches!(row, Row::Add(_))).count());
            let mut end = 0;
            for change in &edited.changes {
                assert!(change.start >= end && change.start + change.removed <= count);
                end = change.start + change.removed;
            }
            let _ = edited.rewrite(&text);
        }
    }
});
