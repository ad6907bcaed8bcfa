//! One string in the place of another.

use omp_edits::patch::{Fuzzy, MatchError, Matcher, Occurrences, replace};

const STRICT: Matcher = Matcher { fuzzy: Fuzzy::Off };
const USUAL: Matcher = Matcher { fuzzy: Fuzzy::From(0.95) };

fn replaced(text: &str, old: &str, new: &str, matcher: &Matcher) -> Result<String, MatchError> {
    replace(text, old, new, Occurrences::Only, matcher).map(|edited| edited.rewrite(text))
}

#[test]
fn a_part_of_a_line_is_replaced() {
    assert_eq!(
        replaced("let a = 1;\nlet b = 2;\n", "b = 2", "c = 3", &STRICT).unwrap(),
        "let a = 1;\nlet c = 3;\n"
    );
    assert_eq!(replaced("ab\ncd\n", "b\nc", "-", &STRICT).unwrap(), "a-d\n");
    assert_eq!(replaced("a\nb\nc\n", "b\n", "", &STRICT).unwrap(), "a\nc\n");
    assert_eq!(replaced("a\nb", "b", "c\n", &STRICT).unwrap(), "a\nc\n");
    assert_eq!(replaced("a\nb\n", "b\n", "c", &STRICT).unwrap(), "a\nc");
}

#[test]
fn only_the_lines_that_are_touched_change() {
    let edited = replace("a\nb\nc\nd\n", "b\n", "x\ny\n", Occurrences::Only, &STRICT).unwrap();
    assert_eq!((edited.changes[0].start, edited.changes[0].removed), (1, 1));
    assert_eq!(edited.changes[0].inserted, ["x", "y"]);
}

#[test]
fn what_is_there_twice_is_refused_and_named() {
    let error = replaced("x\ny\nx\n", "x", "z", &USUAL).unwrap_err().to_string();
    assert!(error.contains("2 times, at lines 1, 3") && error.contains("replace_all"), "{error}");
    let error = replaced("aaa", "aa", "b", &USUAL).unwrap_err().to_string();
    assert!(error.contains("2 times"), "overlapping occurrences count: {error}");
    let all = replace("x\ny\nx\n", "x", "z", Occurrences::All, &USUAL).unwrap();
    assert_eq!(all.rewrite("x\ny\nx\n"), "z\ny\nz\n");
}

#[test]
fn other_blanks_are_forgiven_and_the_indentation_follows_the_file() {
    let text = "fn f() {\n\tif a {\n\t\tb();\n\t}\n}\n";
    let edited = replace(
        text,
        "    if a {\n        b();\n    }",
        "    if a {\n        c();\n        d();\n    }",
        Occurrences::Only,
        &STRICT,
    )
    .unwrap();
    assert_eq!(edited.rewrite(text), "fn f() {\n\tif a {\n\t\tc();\n\t\td();\n\t}\n}\n");
    assert!(edited.notes[0].contains("Lines 2-4"), "{:?}", edited.notes);
}

#[test]
fn typographic_signs_are_forgiven() {
    let text = "say(\u{201c}it\u{2019}s\u{201d}) \u{2013} now\n";
    assert_eq!(replaced(text, "say(\"it's\") - now", "quiet", &STRICT).unwrap(), "quiet\n");
}

#[test]
fn nearly_the_same_is_enough_only_above_the_threshold() {
    let text = "fn one() {}\nlet total = compute_everything(alpha, beta, gamma);\nfn two() {}\n";
    let old = "let total = compute_everythin(alpha, beta, gamma);";
    assert!(matches!(replaced(text, old, "x", &STRICT), Err(MatchError::NotFound { .. })));
    assert_eq!(replaced(text, old, "x", &USUAL).unwrap(), "fn one() {}\nx\nfn two() {}\n");
    let exact = Matcher { fuzzy: Fuzzy::From(1.0) };
    assert!(matches!(replaced(text, old, "x", &exact), Err(MatchError::NotFound { .. })));
    let twice = format!("{text}{text}");
    assert!(matches!(replaced(&twice, old, "x", &USUAL), Err(MatchError::Ambiguous { .. })));
}

#[test]
fn the_closest_place_is_shown() {
    let text = "a\nfn start() {\n    first();\n    second(1);\n}\nz\n";
    let error = replaced(text, "fn start() {\n    first();\n    other(2, 3);\n}", "", &USUAL)
        .unwrap_err()
        .to_string();
    assert!(
        error.starts_with("The text to replace is not in the file. The closest place is lines 2-5"),
        "{error}"
    );
    assert!(error.contains("line 4 is \"    second(1);\", not \"    other(2, 3);\""), "{error}");
    assert!(error.contains("\n4:    second(1);"), "{error}");
    let error = replaced("abc\n", "entirely different words", "", &USUAL).unwrap_err().to_string();
    assert!(error.ends_with("Read the file again and copy the text from it."), "{error}");
}

#[test]
fn nothing_cannot_be_replaced() {
    assert_eq!(replaced("a\n", "", "b", &USUAL), Err(MatchError::EmptyOld));
}

/// However often a text is there, its lines are counted once.
#[test]
fn what_is_there_very_often_is_counted_at_once() {
    let text = "x\n".repeat(400_000);
    let error = replaced(&text, "x", "y", &USUAL).unwrap_err().to_string();
    assert!(error.contains("400000 times, at lines 1, 2, 3,"), "{error}");
    assert!(error.contains("12, …."), "{error}");
}
