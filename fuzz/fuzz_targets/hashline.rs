//! A text and a patch for it, split at the first byte 0xff: parsing and planning end in a result or an error, and the
//! changes of a result make its text.
#![no_main]

use std::path::Path;

use libfuzzer_sys::fuzz_target;
use omp_edits::hashline::{File, NoSyntax, Patcher, Snapshots, Tag, parse, parse_partial, preview};

fuzz_target!(|data: &[u8]| {
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
});

/// Puts the changes into the text line by line.
fn check(old: &str, changes: &[omp_edits::hashline::Change], new: &str) {
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
