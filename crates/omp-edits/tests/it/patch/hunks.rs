//! Hunks of a diff.

use omp_edits::patch::{Fuzzy, MatchError, Matcher, PatchError, apply, parse_hunks, parse_hunks_start};

const USUAL: Matcher = Matcher { fuzzy: Fuzzy::From(0.95) };

fn applied(text: &str, diff: &str) -> Result<String, String> {
    let hunks = parse_hunks(diff).map_err(|error| error.to_string())?;
    apply(text, &hunks, &USUAL).map(|edited| edited.rewrite(text)).map_err(|error| error.to_string())
}

const TWO: &str =
    "class A:\n    def f(self):\n        return 1\n\nclass B:\n    def f(self):\n        return 1\n";

#[test]
fn an_anchor_chooses_among_equal_places() {
    let diff = "@@ class B:\n     def f(self):\n-        return 1\n+        return 2\n";
    assert_eq!(
        applied(TWO, diff).unwrap(),
        TWO.replace(
            "class B:\n    def f(self):\n        return 1",
            "class B:\n    def f(self):\n        return 2"
        )
    );
    let nested = "@@ class B:\n@@     def f(self):\n-        return 1\n+        return 2\n";
    assert_eq!(applied(TWO, nested), applied(TWO, diff));
    let part = "@@ class B\n-        return 1\n+        return 2\n";
    assert_eq!(applied(TWO, part), applied(TWO, diff), "a part of the line is enough");
}

#[test]
fn equal_places_are_refused_without_an_anchor() {
    let error = applied(TWO, "@@\n-        return 1\n+        return 2\n").unwrap_err();
    assert!(error.contains("2 times, at lines 3, 7") && error.contains("`@@ `"), "{error}");
}

#[test]
fn a_line_number_chooses_among_equal_places() {
    let diff = "--- a/x\n+++ b/x\n@@ -7 +7 @@ class B:\n-        return 1\n+        return 2\n";
    let text = applied(TWO, diff).unwrap();
    assert!(text.ends_with("return 2\n") && text.contains("return 1"), "{text}");
}

#[test]
fn later_hunks_are_looked_for_below_earlier_ones() {
    let diff = "@@\n-class A:\n+class C:\n@@\n     def f(self):\n-        return 1\n+        return 2\n@@\n class B:\n     def f(self):\n-        return 1\n+        return 3\n";
    let error = applied(TWO, diff).unwrap_err();
    assert!(error.contains("line 4") && error.contains("lines 2, 6"), "{error}");
    let text = "x\na\nx\nb\n";
    assert_eq!(applied(text, "@@\n-a\n+A\n@@\n-x\n+X\n").unwrap(), "x\nA\nX\nb\n");
}

#[test]
fn lines_without_old_ones_go_below_the_anchor_or_to_the_end() {
    assert_eq!(applied("a\nb\n", "@@ a\n+new\n").unwrap(), "a\nnew\nb\n");
    assert_eq!(applied("a\nb\n", "+new\n").unwrap(), "a\nb\nnew\n");
    assert_eq!(applied("a\nb\n", "@@ -1,0 +2 @@\n+new\n").unwrap(), "a\nnew\nb\n");
    assert_eq!(applied("", "+new\n").unwrap(), "new\n");
}

#[test]
fn the_end_of_the_file_chooses_the_last_place() {
    assert_eq!(applied("x\ny\nx\n", "@@\n-x\n+z\n*** End of File\n").unwrap(), "x\ny\nz\n");
}

#[test]
fn the_last_line_end_comes_and_goes() {
    assert_eq!(applied("a\nb\n", "-b\n+b\n\\ No newline at end of file\n").unwrap(), "a\nb");
    assert_eq!(applied("a\nb", "-b\n\\ No newline at end of file\n+b\n").unwrap(), "a\nb\n");
    assert_eq!(applied("a\nb", " a\n-b\n+c\n").unwrap(), "a\nc", "not named, not changed");
}

#[test]
fn context_with_other_blanks_adapts_new_lines_and_keeps_the_old() {
    let text = "if a:\n\tb()  \n\tc()\n";
    let diff = "@@\n if a:\n     b()\n-    c()\n+    c()\n+    if d:\n+        e()\n";
    assert_eq!(applied(text, diff).unwrap(), "if a:\n\tb()  \n\tc()\n\tif d:\n\t\te()\n");
}

#[test]
fn hunks_that_change_the_same_lines_are_refused() {
    let error = applied("a\nb\nc\n", "@@\n-a\n-b\n+x\n@@\n-b\n+y\n").unwrap_err();
    assert!(error.contains("line 1") && error.contains("line 5"), "{error}");
}

#[test]
fn malformed_diffs_are_explained() {
    assert_eq!(parse_hunks(""), Err(PatchError::NoHunks));
    assert_eq!(parse_hunks("@@\n"), Err(PatchError::EmptyHunk { at: 1 }));
    assert_eq!(parse_hunks("@@\n a\n"), Err(PatchError::NoChange { at: 1 }));
    let error = parse_hunks("@@\n-a\nb\n").unwrap_err().to_string();
    assert!(error.starts_with("line 3: lines of a hunk begin with"), "{error}");
}

#[test]
fn blank_lines_between_hunks_are_layout_and_within_them_context() {
    assert_eq!(applied("a\n\nb\nc\n", "@@\n a\n\n-b\n+B\n\n@@\n-c\n+C\n").unwrap(), "a\n\nB\nC\n");
    let crlf = "@@\r\n-a\r\n+x\r\n";
    assert_eq!(applied("a\nb\n", crlf).unwrap(), "x\nb\n");
}

#[test]
fn a_diff_that_breaks_off_gives_its_whole_hunks() {
    let started = parse_hunks_start("@@\n-a\n+b\n@@\n-c\n+d\n+unfin").unwrap();
    assert_eq!(started.complete.len(), 1);
    assert_eq!(started.open.unwrap().rows.len(), 2);
    assert_eq!(parse_hunks_start("@@").unwrap(), Default::default());
}

#[test]
fn what_is_nowhere_is_named() {
    let hunks = parse_hunks("@@\n-nowhere to be found\n+x\n").unwrap();
    assert!(matches!(apply("a\nb\n", &hunks, &USUAL), Err(MatchError::NotFound { .. })));
    let error = applied(TWO, "@@ class Z:\n-        return 1\n+        return 2\n").unwrap_err();
    assert!(
        error.starts_with("The line \"class Z:\" that the hunk at line 1 names is not in the file"),
        "{error}"
    );
}

/// A row without its sign is refused, also if its first letter takes several bytes: it must not pass for an empty line.
#[test]
fn a_row_without_its_sign_is_refused_whatever_its_first_letter() {
    for row in ["b", "été", "→ b", "日本"] {
        let refused = |at: usize| Err(PatchError::BadRow { at, text: row.to_owned() });
        assert_eq!(parse_hunks(&format!("@@\n-a\n{row}\n+c\n")), refused(3));
        assert_eq!(parse_hunks(&format!("@@\n-a\n+c\n{row}\n")), refused(4));
    }
}

/// Lines that are all the same, with something else at the end: no place is compared with all the others again.
#[test]
fn lines_that_repeat_are_searched_once() {
    let text = "0, 0, 0, 0\n".repeat(100_000);
    let rows = "-0, 0, 0, 0\n".repeat(3_000);
    let hunks = parse_hunks(&format!("@@\n{rows}-something else altogether\n+x\n")).unwrap();
    assert!(matches!(apply(&text, &hunks, &USUAL), Err(MatchError::NotFound { .. })));
}
