//! Bodies that say more, or less, than was meant.

use std::path::Path;

use omp_edits::hashline::{File, NoopGuard, Patcher, Snapshots, Syntax, Tag, parse};

use crate::hashline::support::{Session, apply_to};

const TEXT: &str = "fn a() {\n    let x = 1;\n    let y = 2;\n    let z = 3;\n}\n\nfn b() {\n    b();\n}\n";

fn rust(hunks: &str) -> (String, Vec<String>) {
    let planned = apply_to("a.rs", TEXT, hunks).unwrap();
    (planned.text, planned.warnings)
}

/// proves: FIL-177
#[test]
fn copies_of_both_neighbours_are_left_out() {
    let (text, warnings) = rust("SWAP 3.=3:\n+    let x = 1;\n+    let y = 20;\n+    let z = 3;\n");
    assert_eq!(text, TEXT.replace("y = 2", "y = 20"));
    assert!(warnings[0].contains("copies were left out"), "{warnings:?}");
    // Without a line of its own the body stands as written.
    let (text, _) = rust("SWAP 3.=3:\n+    let x = 1;\n+    let z = 3;\n");
    assert_eq!(text, TEXT.replace("    let y = 2;\n", "    let x = 1;\n    let z = 3;\n"));
    // Copies that are whole in themselves have nothing to do with a bracket that the body leaves open.
    let (text, _) = rust("SWAP 3.=3:\n+    let x = 1;\n+    if y {\n+    let z = 3;\n");
    assert_eq!(text, TEXT.replace("    let y = 2;\n", "    if y {\n"));
    // Copies without which the brackets would be wrong are none.
    let (text, _) = rust("SWAP 5.=7:\n+    let z = 3;\n+}\n+fn c() {\n+    b();\n+}\n");
    assert_eq!(text, TEXT.replace("}\n\nfn b() {\n    b();\n", "}\nfn c() {\n    b();\n"));
    // A line that another hunk takes away is not there to be restated.
    let (text, _) = rust("SWAP 3.=3:\n+    let x = 1;\n+    let y = 20;\n+    let z = 3;\nDEL 2\n");
    assert_eq!(text, TEXT.replace("let y = 2;\n", "let y = 20;\n    let z = 3;\n"));
}

/// proves: FIL-178
#[test]
fn a_closing_line_is_not_doubled() {
    let (text, warnings) = rust("SWAP 8.=8:\n+    bb();\n+}\n");
    assert_eq!(text, TEXT.replace("b();\n}\n", "bb();\n}\n"));
    assert!(warnings[0].contains("0 line(s) above and 1 line(s) below the range"), "{warnings:?}");
    // Several lines, and an opening line above.
    let (text, _) = rust("SWAP 8.=8:\n+fn b() {\n+    bb();\n");
    assert_eq!(text, TEXT.replace("b();\n}\n", "bb();\n}\n"));
    let nested = "fn a() {\n    if x {\n        y();\n    }\n}\n";
    let planned = apply_to("a.rs", nested, "SWAP 3:\n+        z();\n+    }\n+}\n").unwrap();
    assert_eq!(planned.text, nested.replace("y();", "z();"));
    // A body that is nothing else is what was written.
    assert_eq!(rust("SWAP 8:\n+}\n").0, TEXT.replace("    b();\n", "}\n"));
    // A balanced body keeps its closing line.
    let (text, warnings) = rust("SWAP 8.=8:\n+    b();\n+}\n+fn c() {\n+    c();\n");
    assert_eq!(text, TEXT.replace("    b();\n", "    b();\n}\nfn c() {\n    c();\n"));
    assert!(warnings.is_empty(), "{warnings:?}");
}

/// proves: FIL-179
#[test]
fn half_an_echo_is_not_guessed() {
    let error = apply_to("a.rs", TEXT, "SWAP 3.=4:\n+    let x = 1;\n+    let yz = 5;\n").unwrap_err();
    assert!(error.contains("too short to be the widened content"), "{error}");
    // Long enough, it is the widened content.
    let (text, _) = rust("SWAP 3.=4:\n+    let x = 1;\n+    let yz = 5;\n+    done();\n");
    assert_eq!(text, TEXT.replace("    let y = 2;\n    let z = 3;\n", "    let yz = 5;\n    done();\n"));
    // The first line of the range itself is no copy of the one above that says the same.
    let same = "a();\na();\nb();\nc();\n";
    for rows in ["+a();\n+B();\n", "+a();\n+B();\n+C();\n"] {
        let planned = apply_to("a.rs", same, &format!("SWAP 2.=3:\n{rows}")).unwrap();
        assert_eq!(planned.text, same.replacen("a();\nb();\n", &rows.replace('+', ""), 1));
    }
}

/// proves: FIL-180
#[test]
fn a_closing_line_is_kept_when_the_language_proves_it() {
    let (text, warnings) = rust("SWAP 8.=9:\n+    bb();\n");
    assert_eq!(text, TEXT.replace("    b();\n", "    bb();\n"));
    assert!(
        warnings[0].contains("took away line 9") && warnings[0].contains("1 closing line(s)"),
        "{warnings:?}"
    );
    // At the other end of the range, the body goes behind it.
    let (text, warnings) = rust("SWAP 5.=6:\n+// between\n");
    assert_eq!(text, TEXT.replace("}\n\n", "}\n// between\n"));
    assert!(warnings[0].contains("took away line 5"), "{warnings:?}");
    // Where it proves nothing, the edit is what was written.
    let planned = apply_to("a.txt", TEXT, "SWAP 8.=9:\n+    bb();\n").unwrap();
    assert_eq!(planned.text, TEXT.replace("    b();\n}\n", "    bb();\n"));
    // So it is where the body does not say on which side it belongs, and where another hunk is wrong as well.
    assert_eq!(rust("SWAP 8.=9:\n+bb();\n").0, TEXT.replace("    b();\n}\n", "bb();\n"));
    let both = rust("SWAP 8.=9:\n+    bb();\nDEL 1\n").0;
    assert_eq!(both, TEXT.replace("fn a() {\n", "").replace("    b();\n}\n", "    bb();\n"));
}

/// There is no body that could have restated the line.
/// proves: FIL-110
#[test]
fn a_closing_line_that_is_deleted_goes() {
    assert_eq!(rust("DEL 8.=9\n").0, TEXT.replace("    b();\n}\n", ""));
    assert_eq!(rust("DEL 7.=9\n").0, TEXT.replace("fn b() {\n    b();\n}\n", ""));
    let main = "int main() {\n    go();\n    return 0;\n}\n";
    assert_eq!(apply_to("a.rs", main, "DEL 3.=4\n").unwrap().text, "int main() {\n    go();\n");
}

/// proves: FIL-181
#[test]
fn text_for_outside_goes_outside() {
    let (text, warnings) = rust("INS.POST 4:\n+\n+fn c() {}\n");
    assert_eq!(text, TEXT.replace("z = 3;\n}\n", "z = 3;\n}\n\nfn c() {}\n"));
    assert!(warnings[0].contains("after line 5"), "{warnings:?}");
    // Not across text, and not across lines of another hunk.
    let (text, _) = rust("INS.POST 3:\n+fn c() {}\n");
    assert_eq!(text, TEXT.replace("y = 2;\n", "y = 2;\nfn c() {}\n"));
    let (text, _) = rust("INS.POST 4:\n+fn c() {}\nSWAP 5:\n+};\n");
    assert_eq!(text, TEXT.replace("z = 3;\n}\n", "z = 3;\nfn c() {}\n};\n"));
    let (text, _) = rust("INS.POST 4:\n+fn c() {}\nINS.POST 5:\n+// end\n");
    assert_eq!(text, TEXT.replace("z = 3;\n}\n", "z = 3;\nfn c() {}\n}\n// end\n"));
    // A hunk that only begins behind the closing line does not touch it.
    for neighbour in ["SWAP 6:\n+\n", "INS.PRE 6:\n+\n"] {
        let (text, _) = rust(&format!("INS.POST 4:\n+fn c() {{}}\n{neighbour}"));
        assert!(text.contains("z = 3;\n}\nfn c() {}\n\n"), "{neighbour}{text}");
    }
    // The row that is indented least counts, blank lines are passed, and rows that only close say nothing.
    let deep = "fn a() {\n    if x {\n        y();\n\n    }\n}\n";
    let edit = |hunks: &str| apply_to("a.rs", deep, hunks).unwrap().text;
    assert_eq!(edit("INS.POST 3:\n+    z();\n"), deep.replace("    }\n", "    }\n    z();\n"));
    assert_eq!(edit("INS.POST 3:\n+      z();\n+fn b() {}\n"), format!("{deep}      z();\nfn b() {{}}\n"));
    assert_eq!(edit("INS.POST 3:\n+}\n"), deep.replace("y();\n", "y();\n}\n"));
}

/// proves: FIL-182
#[test]
fn a_new_syntax_error_is_told() {
    let (text, warnings) = rust("SWAP 2:\n+    if x {\n");
    assert!(text.contains("if x {"));
    assert!(
        warnings.iter().any(|warning| warning.contains("syntax error") || warning.contains("has one now")),
        "{warnings:?}"
    );
    assert!(warnings[0].contains("near line 2"), "{warnings:?}");
    let (mut session, tag) = Session::read("a.rs", "fn a() {\n");
    let planned = session.edit(tag, "SWAP 1:\n+fn b() {\n").unwrap();
    assert!(planned.warnings.is_empty(), "it was broken before");
}

/// The third time in a row is an error, unless something else happened between.
#[test]
fn doing_nothing_again_and_again_is_stopped() {
    let mut guard = NoopGuard::default();
    assert!(
        guard
            .unchanged("f", "p")
            .unwrap()
            .starts_with("Edits to f parsed and applied cleanly, but produced no change: ")
    );
    assert!(guard.unchanged("f", "p").is_ok());
    assert!(guard.unchanged("g", "p").is_ok());
    let stop = guard.unchanged("f", "p").unwrap_err();
    assert!(stop.starts_with("STOP. Edits to f have been a byte-identical no-op 3 times in a row"), "{stop}");
    assert!(guard.unchanged("f", "q").is_ok());
    assert!(guard.unchanged("f", "q").is_ok());
    guard.changed("f");
    assert!(guard.unchanged("f", "q").is_ok());
}

/// Counts how often a text is parsed.
#[derive(Default)]
struct Counting(std::cell::Cell<usize>);

impl Syntax for Counting {
    fn block(&self, _path: &str, _text: &str, _line: usize) -> Option<(usize, usize)> {
        None
    }

    fn parses(&self, _path: &str, text: &str) -> Option<bool> {
        self.0.set(self.0.get() + 1);
        Some(text.matches('{').count() == text.matches('}').count())
    }
}

/// A patch that takes away many closing lines does not make the language prove each of them.
#[test]
fn only_some_closing_lines_are_put_to_the_proof() {
    let text = "fn a() {\n    b();\n}\n".repeat(200);
    let hunks: String = (0..200).map(|block| format!("DEL {}.={}\n", block * 3 + 2, block * 3 + 3)).collect();
    let input = format!("[a.rs#{}]\n{hunks}", Tag::of(&text));
    let patch = parse(&input, Path::new("/project")).unwrap();
    let syntax = Counting::default();
    let patcher = Patcher { syntax: &syntax, enforce_seen: false };
    let file = File { key: "a.rs", text: &text };
    let planned = patcher.plan(&patch.sections[0], file, &mut Snapshots::new()).unwrap();
    assert_eq!(planned.text, "fn a() {\n".repeat(200), "nothing is proved, so it is what was written");
    assert!(syntax.0.get() < 20, "{} times", syntax.0.get());
}

/// Rows and lines that are all the same are compared once, not each with all the others.
#[test]
fn a_long_body_of_equal_rows_is_compared_once() {
    let lines = 200_000;
    let above = "x\n".repeat(lines);
    let text = format!("{above}y\nz\n");
    let rows = "+x\n".repeat(lines);
    let planned = apply_to("a.txt", &text, &format!("SWAP {}:\n{rows}", lines + 2)).unwrap();
    assert_eq!(planned.text, format!("{above}y\n{above}"));
}
