//! Random patches against a plain model of what they mean, and random changes behind the edit's back.

use std::path::Path;

use omp_edits::hashline::{Tag, parse, parse_partial, preview};
use proptest::prelude::*;

use crate::hashline::support::{Session, apply_to};

/// Lines that are easy to take for one another.
fn text() -> impl Strategy<Value = String> {
    let line = prop_oneof![Just("a"), Just("b"), Just(""), Just("  c"), Just("same"), Just("}")];
    (proptest::collection::vec(line, 0..20), any::<bool>()).prop_map(|(lines, ended)| {
        let text = lines.join("\n");
        if ended && !text.is_empty() { format!("{text}\n") } else { text }
    })
}

proptest! {
    /// Whatever is fed in, the answer is a patch or a sentence.
    #[test]
    fn nothing_panics(input in "(\\[[a-z]#[0-9A-F]{4}\\]|SWAP|DEL|INS\\.(PRE|POST|HEAD|TAIL)|[0-9 .=:+\\-#@*\\[\\]…\n]|[a-z]){0,60}") {
        let _ = parse(&input, Path::new("/project"));
        let _ = parse_partial(&input, Path::new("/project"));
    }

    /// A swap does to the lines what replacing a slice does to a list.
    #[test]
    fn a_swap_is_a_splice(text in text(), first in 1_usize..22, length in 0_usize..6, body in proptest::collection::vec("[w-z]{1,3}", 1..4)) {
        let lines: Vec<&str> = text.lines().collect();
        let last = first + length;
        let rows: String = body.iter().map(|row| format!("+{row}\n")).collect();
        let result = apply_to("a.txt", &text, &format!("SWAP {first}.={last}:\n{rows}"));
        let ended = text.is_empty() || text.ends_with('\n');
        if last > text.split('\n').count() {
            prop_assert!(result.unwrap_err().starts_with("Line "));
            return Ok(());
        }
        let mut expected: Vec<&str> = text.split('\n').collect();
        if ended { expected.pop(); }
        let end = last.min(expected.len());
        expected.splice((first - 1).min(end)..end, body.iter().map(String::as_str));
        let mut expected = expected.join("\n");
        if ended && !expected.is_empty() { expected.push('\n'); }
        let planned = result.unwrap();
        prop_assert_eq!(&planned.text, &expected, "{:?}", lines);
    }

    /// An edit with a stale tag changes just the lines it named, or is refused: every other line of the file as it
    /// is stays, in order.
    #[test]
    fn a_stale_edit_keeps_everything_else(text in text(), other in text(), line in 1_usize..20) {
        let (mut session, tag) = Session::read("a.txt", &text);
        session.live.clone_from(&other);
        prop_assume!(Tag::of(&other) != tag);
        let Ok(planned) = session.edit(tag, &format!("SWAP {line}:\n+NEW\n")) else { return Ok(()) };
        let named = text.split('\n').nth(line - 1).unwrap();
        let position = planned.text.split('\n').position(|row| row == "NEW").unwrap();
        let mut restored: Vec<&str> = planned.text.split('\n').collect();
        restored[position] = named;
        prop_assert_eq!(restored.join("\n"), other);
    }

    /// Edits chained from results alone: the preview's numbers are those of the text.
    #[test]
    fn a_preview_tells_the_truth(text in text(), line in 1_usize..20, body in proptest::collection::vec("[w-z]{1,3}", 1..40)) {
        let rows: String = body.iter().map(|row| format!("+{row}\n")).collect();
        let Ok(planned) = apply_to("a.txt", &text, &format!("INS.POST {line}:\n{rows}")) else { return Ok(()) };
        let lines: Vec<&str> = planned.text.split('\n').collect();
        for row in preview(&planned.text, &planned.changes).lines().filter(|row| *row != "…") {
            let (number, shown) = row.split_once(':').unwrap();
            prop_assert_eq!(lines[number.parse::<usize>().unwrap() - 1], shown);
        }
    }
}
