//! What holds for every text.

use omp_edits::patch::{
    Fuzzy, Matcher, Occurrences, apply, parse_envelope, parse_envelope_start, parse_hunks, replace,
};
use proptest::prelude::*;
use similar::TextDiff;

/// Few different lines, so that many places look alike, with and without a line end at the end.
fn text() -> impl Strategy<Value = String> {
    let line = prop_oneof![Just(String::new()), "[ab]{1,2}", "  [ab]", "[-+@ ]{1,2}", "ä"];
    (prop::collection::vec(line, 0..12), any::<bool>()).prop_map(|(lines, ended)| {
        let mut text = lines.join("\n");
        if ended && !text.is_empty() {
            text.push('\n');
        }
        text
    })
}

fn matcher() -> impl Strategy<Value = Matcher> {
    prop_oneof![Just(Fuzzy::Off), Just(Fuzzy::From(0.95)), Just(Fuzzy::From(0.5))]
        .prop_map(|fuzzy| Matcher { fuzzy })
}

proptest! {
    #![proptest_config(ProptestConfig { cases: 1024, ..ProptestConfig::default() })]

    /// A diff of two texts makes the second out of the first, wherever its hunks have equals.
    #[test]
    fn a_diff_leads_to_the_second_text(one in text(), other in text(), radius in 0usize..4, matcher in matcher()) {
        prop_assume!(one != other);
        let diff = TextDiff::from_lines(one.as_str(), other.as_str());
        let diff = diff.unified_diff().context_radius(radius).header("a", "b").to_string();
        let edited = apply(&one, &parse_hunks(&diff).unwrap(), &matcher).unwrap();
        prop_assert_eq!(edited.rewrite(&one), other, "{}", diff);
    }

    /// An exact replacement is that of the standard library.
    #[test]
    fn replacing_all_is_what_it_says(text in text(), old in "[ab\n ]{1,3}", new in "[xy\n]{0,3}", matcher in matcher()) {
        if text.contains(&old) {
            let edited = replace(&text, &old, &new, Occurrences::All, &matcher).unwrap();
            prop_assert_eq!(edited.rewrite(&text), text.replace(&old, &new));
        }
    }

    /// One replacement touches the lines that hold the text and no others.
    #[test]
    fn one_replacement_touches_its_lines_only(text in text(), old in "[ab\n ]{1,4}", new in "[xy\n]{0,3}", matcher in matcher()) {
        let Ok(edited) = replace(&text, &old, &new, Occurrences::Only, &matcher) else { return Ok(()) };
        prop_assert_eq!(edited.changes.len(), 1);
        let exact = text.find(&old);
        if let Some(start) = exact {
            prop_assert_eq!(edited.rewrite(&text), text.replacen(&old, &new, 1));
            let line = text[..start].matches('\n').count();
            prop_assert_eq!(edited.changes[0].start, line);
            prop_assert!(edited.changes[0].removed <= old.matches('\n').count() + 1);
        }
    }

    /// Nothing that a model can write is more than an error.
    #[test]
    fn anything_can_be_parsed_and_applied(
        text in text(),
        patch in prop::collection::vec(
            prop_oneof![Just("@@".to_owned()), Just("*** Update File: a".to_owned()), Just("*** Add File: b".to_owned()),
                Just("*** End of File".to_owned()), Just("\\ No newline at end of file".to_owned()),
                Just("*** Move to: c".to_owned()), "[-+ ][ab]{0,2}", "@@ -[0-9],[0-9] \\+[0-9] @@", "@@ [ab]", "\\PC{0,4}"], 0..12),
        matcher in matcher(),
    ) {
        let patch = patch.join("\n");
        let _ = parse_envelope(&patch);
        let _ = parse_envelope_start(&patch);
        if let Ok(hunks) = parse_hunks(&patch)
            && let Ok(edited) = apply(&text, &hunks, &matcher)
        {
            let _ = edited.rewrite(&text);
        }
    }
}
