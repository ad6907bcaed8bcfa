//! What is refused, and in which words.

use std::path::Path;

use omp_edits::hashline::parse;

use crate::hashline::support::{apply_to, refused};

const FIVE: &str = "one\ntwo\nthree\nfour\nfive\n";

fn parse_error(input: &str) -> String {
    parse(input, Path::new("/project")).unwrap_err().to_string()
}

/// proves: FIL-138
#[test]
fn a_patch_begins_with_a_header() {
    let error = parse_error("\n\nSWAP 1.=1:\n+x\n");
    let refused = "input must begin with \"[PATH#HASH]\" on the first non-blank line for anchored edits; got: \"SWAP 1.=1:\". ";
    assert!(error.starts_with(refused), "{error}");
    assert!(error.ends_with("with only the new lines as `+TEXT` rows."), "{error}");
    assert!(parse_error("").starts_with("input must begin with \"[PATH#HASH]\""));
    assert!(parse_error("+x\n[a#0000]\nDEL 1\n").contains("got: \"+x\". "));
}

/// Whoever writes in another dialect is told so.
#[test]
fn other_dialects_are_named() {
    for (input, name) in [
        ("--- a/f\n+++ b/f\n@@ -1 +1 @@\n-a\n+b\n", "Unified diffs"),
        ("diff --git a/f b/f\n", "Unified diffs"),
        ("*** Begin Patch\n*** Update File: f\n@@\n-a\n+b\n*** End Patch\n", "Patch envelopes"),
        ("<<<<<<< SEARCH\na\n=======\nb\n>>>>>>> REPLACE\n", "SEARCH/REPLACE blocks"),
    ] {
        let error = parse_error(input);
        assert!(error.contains(name) && error.contains("are not taken. Copy the header"), "{error}");
    }
    assert!(!parse_error("src/f.rs\n").contains("are not taken"));
}

/// proves: FIL-139
#[test]
fn every_section_needs_its_tag() {
    for hunks in ["SWAP 1.=1:\n+x\n", "INS.HEAD:\n+x\n", "INS.TAIL:\n+x\n"] {
        let error = parse_error(&format!("[a.ts]\n{hunks}"));
        assert!(error.starts_with("Missing hashline snapshot tag for edit to a.ts;"), "{error}");
        assert!(error.ends_with("To create a new file, use the write tool."), "{error}");
        let second = parse_error(&format!("[a.ts#0000]\nDEL 1\n[b.ts]\n{hunks}"));
        assert!(second.starts_with("Missing hashline snapshot tag for edit to b.ts;"), "{second}");
    }
}

/// proves: FIL-140
#[test]
fn rows_need_a_hunk() {
    assert_eq!(
        parse_error("[a#0000]\n+x\n"),
        "line 2: payload line has no preceding hunk header. Use `SWAP N.=M:`, `DEL N.=M`, or \
         `INS.PRE|POST|HEAD|TAIL:` above the body. Got \"+x\"."
    );
    assert!(parse_error("[a#0000]\nhello\nDEL 1\n").contains("Got \"hello\"."));
}

/// proves: FIL-141
#[test]
fn minus_rows_are_refused() {
    let error = parse_error("[a#0000]\nSWAP 1.=1:\n-old\n+new\n");
    assert_eq!(
        error,
        "line 3: `-` rows are not valid; hashline ranges already name the lines being changed. To insert a literal \
         line starting with `-`, write `+-…`."
    );
}

/// proves: FIL-142
#[test]
fn empty_bodies_are_refused() {
    let errors = ["SWAP 3.=4:", "INS.POST 3:", "SWAP.BLK 7:", "INS.TAIL:"]
        .map(|hunk| parse_error(&format!("[a#0000]\n{hunk}\n\n")));
    assert_eq!(
        errors[0],
        "line 2: `SWAP 3.=4:` needs at least one `+TEXT` body row. To delete lines, use `DEL 3.=4`."
    );
    assert!(
        errors[1].starts_with("line 2: `INS.POST 3:` needs at least one `+TEXT` body row"),
        "{}",
        errors[1]
    );
    assert_eq!(
        errors[2],
        "line 2: `SWAP.BLK 7:` needs at least one `+TEXT` body row. To delete a block, use `DEL.BLK 7`."
    );
    assert!(errors[3].contains("`INS.TAIL:` needs at least one"));
}

/// proves: FIL-143
#[test]
fn a_delete_takes_no_body() {
    assert_eq!(
        parse_error("[a#0000]\nDEL 3.=4\n+x\n"),
        "line 3: `DEL 3.=4` does not take body rows. Remove the body, or use `SWAP 3.=4:`."
    );
    assert_eq!(
        parse_error("[a#0000]\nDEL.BLK 3\n\nx\n"),
        "line 4: `DEL.BLK 3` does not take body rows. Remove the body, or use `SWAP.BLK 3:` to replace the block."
    );
}

/// proves: FIL-144
#[test]
fn a_delete_has_no_colon() {
    for hunk in ["DEL 3.=4:", "DEL 3:", "DEL.BLK 3:"] {
        let error = parse_error(&format!("[a#0000]\n{hunk}\n"));
        assert!(error.contains("does not end with a colon"), "{error}");
    }
}

/// proves: FIL-145
#[test]
fn ranges_run_forwards() {
    assert_eq!(parse_error("[a#0000]\nSWAP 9.=3:\n+x\n"), "line 2: range 9.=3 ends before it starts.");
    assert_eq!(parse_error("[a#0000]\nDEL 2-1\n"), "line 2: range 2.=1 ends before it starts.");
}

/// proves: FIL-146
#[test]
fn no_line_is_meant_twice() {
    let error = refused(FIVE, "SWAP 1.=3:\n+x\nSWAP 3.=4:\n+y\n");
    assert_eq!(
        error,
        "line 4: anchor line 3 is already targeted by another hunk on line 2. Issue ONE hunk per range; payload is \
         only the final desired content, never a before/after pair."
    );
    for hunks in ["DEL 2\nDEL 2\n", "SWAP 2.=4:\n+x\nDEL 3\n", "SWAP 6:\n+x\nDEL 5.=6\n"] {
        assert!(refused(FIVE, hunks).contains("already targeted by another hunk"), "{hunks}");
    }
    // The one place of an empty file is a line, too.
    let empty = refused("", "SWAP 1.=1:\n+x\nSWAP 1.=1:\n+y\n");
    assert!(
        empty.starts_with("line 4: anchor line 1 is already targeted by another hunk on line 2."),
        "{empty}"
    );
    let nested = refused(FIVE, "DEL 3\nDEL 1.=5\n");
    assert!(
        nested.starts_with("line 3: anchor line 3 is already targeted by another hunk on line 2."),
        "{nested}"
    );
}

/// proves: FIL-147
#[test]
fn words_of_another_patch_language_are_refused() {
    for sentinel in ["Update File: a", "Add File: a", "Delete File: a", "Move to: b"] {
        let error = parse_error(&format!("[a#0000]\nSWAP 1.=1:\n*** {sentinel}\n"));
        let start = format!("line 3: apply_patch sentinel \"*** {sentinel}\" is not valid in hashline. ");
        assert!(error.starts_with(&start), "{error}");
    }
}

/// proves: FIL-148
#[test]
fn headers_of_unified_diffs_are_refused() {
    let unified = parse_error("[a#0000]\n@@ -1,2 +1,2 @@\n-x\n+y\n");
    assert!(
        unified
            .starts_with("line 2: unified-diff hunk header (`@@ -N,M +N,M @@`) is not valid in hashline. "),
        "{unified}"
    );
    let other = parse_error("[a#0000]\n@@ 5..7 @@\n+y\n");
    assert!(other.starts_with("line 2: `@@`-bracketed hunk header \"@@ 5..7 @@\" is not valid"), "{other}");
    assert!(other.contains("Drop the `@@ ... @@` brackets"), "{other}");
}

/// proves: FIL-149
#[test]
fn a_number_alone_is_no_hunk() {
    assert_eq!(
        parse_error("[a#0000]\n5\n+x\n"),
        "line 2: hunk headers need a verb. Use `SWAP 5.=5:` to replace, or `DEL 5` to delete."
    );
    for row in ["5 9", "5.=9", "5-9:"] {
        let error = parse_error(&format!("[a#0000]\n{row}\n+x\n"));
        assert!(error.contains(&format!("bare range hunk header \"{row}\" is not valid")), "{error}");
        assert!(error.ends_with("write `SWAP 5.=9:` or `DEL 5.=9`."), "{error}");
    }
}

/// proves: FIL-150
#[test]
fn anchors_are_in_the_file() {
    let said =
        |text: &str, hunks: &str| refused(text, hunks).split('\n').next().unwrap_or_default().to_owned();
    assert_eq!(said(FIVE, "SWAP 999.=999:\n+x\n"), "Line 999 does not exist (file has 5 lines)");
    assert_eq!(said(FIVE, "DEL 5.=7\n"), "Line 7 does not exist (file has 5 lines)");
    assert_eq!(said("a", "INS.POST 2:\n+x\n"), "Line 2 does not exist (file has 1 lines)");
}

/// proves: FIL-151
#[test]
fn blocks_that_are_not_there_are_refused_with_the_place() {
    let text = "fn a() {\n    one();\n}\n\nfn b() {\n";
    let error = apply_to("a.rs", text, "SWAP.BLK 4:\n+x\n").unwrap_err();
    let (sentence, rows) = error.split_once("\n\n").unwrap();
    assert!(
        sentence
            .starts_with("line 2: `SWAP.BLK 4:` could not resolve a syntactic block beginning on line 4. "),
        "{sentence}"
    );
    assert!(sentence.ends_with("Use `SWAP 4.=M:` with the block's explicit end line instead."), "{sentence}");
    assert_eq!(rows, " 2:    one();\n 3:}\n*4:\n 5:fn b() {");
    let broken = apply_to("a.rs", text, "DEL.BLK 5\n").unwrap_err();
    assert!(broken.contains("Use `DEL 5.=M`"), "{broken}");
    let closing = apply_to("a.rs", text, "SWAP.BLK 3:\n+x\n").unwrap_err();
    assert!(closing.contains("could not resolve"), "{closing}");
    let unknown = apply_to("a.xyz", text, "INS.BLK.POST 1:\n+x\n").unwrap_err();
    assert!(unknown.contains("Use `INS.POST M:` with the block's explicit last line instead."), "{unknown}");
}

/// proves: FIL-157
#[test]
fn malformed_headers_are_refused() {
    for header in [
        "[a#1A2]",
        "[a#1A2B:42]",
        "[a#1A2BC]",
        "[a#XYZW]",
        "[a#b.ts#0A3B]",
        "[]",
        "[#0A3B]",
        "[a",
        "[a#1A2B] x",
    ] {
        let error = parse_error(&format!("{header}\nDEL 1\n"));
        assert!(
            error
                .starts_with("Input header must be [PATH] or [PATH#TAG] with a 4-hex content-hash tag; got "),
            "{header}: {error}"
        );
    }
    assert!(parse_error("[a#0000]\nSWAP 1.=1:\n[x](y)\n").starts_with("Input header must be"));
}

/// proves: FIL-158
#[test]
fn headers_alone_are_no_patch() {
    assert!(parse_error("[a#0000]\n\n[b#0000]\n").starts_with("No hashline sections found in input."));
}

/// proves: FIL-123
#[test]
fn absurd_numbers_are_refused() {
    assert!(parse_error("[a#0000]\nDEL 1.=999999999\n").contains("more than 100,000 lines"));
    assert!(parse_error("[a#0000]\nDEL 1.=100001\n").contains("more than 100,000 lines"));
    assert!(parse("[a#0000]\nDEL 1.=100000\n", Path::new("/")).is_ok());
    for number in ["9007199254740992", "99999999999999999999999"] {
        assert!(parse_error(&format!("[a#0000]\nINS.PRE {number}:\n+x\n")).contains("is no line number"));
    }
    assert!(parse_error("[a#0000]\nSWAP 0.=3:\n+x\n").contains("there is no line 0"));
}
