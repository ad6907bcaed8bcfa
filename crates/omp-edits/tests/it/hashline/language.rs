//! What each operation does.

use std::path::Path;

use omp_edits::hashline::{Operation, parse};

use crate::hashline::support::{apply_to, edited, numbered};

const FIVE: &str = "one\ntwo\nthree\nfour\nfive\n";

/// proves: FIL-108
#[test]
fn numbers_count_in_the_tagged_text() {
    assert_eq!(edited(FIVE, "DEL 1\nSWAP 5.=5:\n+FIVE\n"), "two\nthree\nfour\nFIVE\n");
    assert_eq!(edited(FIVE, "SWAP 5.=5:\n+FIVE\nINS.PRE 1:\n+zero\n"), "zero\none\ntwo\nthree\nfour\nFIVE\n");
}

/// proves: FIL-109
#[test]
fn a_swap_takes_any_number_of_lines() {
    assert_eq!(edited(FIVE, "SWAP 2.=2:\n+a\n+b\n+c\n"), "one\na\nb\nc\nthree\nfour\nfive\n");
    assert_eq!(edited(FIVE, "SWAP 2.=4:\n+a\n"), "one\na\nfive\n");
}

/// proves: FIL-110
#[test]
fn lines_go() {
    assert_eq!(edited(FIVE, "DEL 2.=4\n"), "one\nfive\n");
    assert_eq!(edited(FIVE, "DEL 1.=5\n"), "");
}

/// proves: FIL-111
#[test]
fn lines_come_before_and_after() {
    assert_eq!(edited(FIVE, "INS.PRE 5:\n+x\nINS.POST 5:\n+y\n"), "one\ntwo\nthree\nfour\nx\nfive\ny\n");
}

/// proves: FIL-112
#[test]
fn head_and_tail() {
    let hunks = "INS.HEAD:\n+h\nINS.TAIL:\n+t\n";
    assert_eq!(edited("a\n", hunks), "h\na\nt\n");
    assert_eq!(edited("a", hunks), "h\na\nt");
    assert_eq!(edited("", hunks), "h\nt\n");
    assert_eq!(edited("", "INS.HEAD:\n+h\n"), "h\n");
    assert_eq!(edited("", "INS.TAIL:\n+t\n"), "t\n");
    assert_eq!(edited("a\n\n", "INS.TAIL:\n+t\n"), "a\n\nt\n");
}

/// proves: FIL-113
#[test]
fn rows_are_verbatim() {
    let hunks = "SWAP 1.=5:\n+\ttab  \n+\n+-minus\n++plus\n+[bracket]\n+SWAP 1.=2:\n+# hash\n";
    assert_eq!(edited(FIVE, hunks), "\ttab  \n\n-minus\n+plus\n[bracket]\nSWAP 1.=2:\n# hash\n");
}

/// proves: FIL-114
#[test]
fn there_are_no_context_rows() {
    let planned = apply_to("a.txt", FIVE, "SWAP 2.=2:\n two\n+TWO\n").unwrap();
    assert_eq!(planned.text, "one\n two\nTWO\nthree\nfour\nfive\n");
}

/// proves: FIL-115
#[test]
fn one_input_may_edit_several_files() {
    let patch =
        parse("[src/a.ts#0A3B]\nSWAP 4.=4:\n+x\n\n[src/b c.ts#1F7C]\nDEL 20\n", Path::new("/project"))
            .unwrap();
    let sections: Vec<_> = patch
        .sections
        .iter()
        .map(|section| (section.path.as_str(), section.tag.to_string(), section.hunks[0].operation))
        .collect();
    assert_eq!(
        sections,
        [
            ("src/a.ts", "0A3B".to_owned(), Operation::Swap { first: 4, last: 4 }),
            ("src/b c.ts", "1F7C".to_owned(), Operation::Delete { first: 20, last: 20 }),
        ]
    );
}

/// proves: FIL-119
#[test]
fn inserts_at_one_place_keep_their_order() {
    let hunks = "INS.POST 2:\n+a\nINS.PRE 3:\n+c\nINS.POST 2:\n+b\nINS.PRE 3:\n+d\nSWAP 3.=3:\n+THREE\n";
    assert_eq!(edited(FIVE, hunks), "one\ntwo\na\nb\nc\nd\nTHREE\nfour\nfive\n");
}

/// What follows a line stays with it, what precedes the next one with that, and the ends of the file are outside,
/// whatever the order of the patch.
/// proves: FIL-111, FIL-112
#[test]
fn inserts_stay_at_the_line_that_they_name() {
    assert_eq!(edited("1\n2\n3\n", "INS.TAIL:\n+tail\nINS.POST 3:\n+post\n"), "1\n2\n3\npost\ntail\n");
    assert_eq!(edited("1\n2\n3\n", "INS.PRE 2:\n+pre\nINS.POST 1:\n+post\n"), "1\npost\npre\n2\n3\n");
    assert_eq!(edited("1\n2\n", "INS.PRE 1:\n+pre\nINS.HEAD:\n+head\n"), "head\npre\n1\n2\n");
    assert_eq!(edited("1\n2\n", "INS.TAIL:\n+tail\nSWAP 3:\n+end\n"), "1\n2\nend\ntail\n");
}

/// Numbers are those of the file as it was read, so a line that goes can be named, and what is inserted beside it stays.
/// proves: FIL-108
#[test]
fn inserts_among_lines_that_go_follow_what_replaces_them() {
    for (hunks, result) in [
        ("SWAP 2.=4:\n+x\nINS.POST 3:\n+y\n", "one\nx\ny\nfive\n"),
        ("INS.PRE 3:\n+y\nSWAP 2.=4:\n+x\n", "one\nx\ny\nfive\n"),
        ("SWAP 2.=4:\n+x\nINS.PRE 2:\n+y\nINS.POST 4:\n+z\n", "one\ny\nx\nz\nfive\n"),
        ("INS.POST 3:\n+z\nDEL 2.=4\nINS.POST 2:\n+y\n", "one\ny\nz\nfive\n"),
    ] {
        assert_eq!(edited(FIVE, hunks), result, "{hunks}");
    }
}

/// proves: FIL-124
#[test]
fn the_final_line_end_survives_a_range_that_names_the_place_behind_it() {
    assert_eq!(edited("1\n2\n3\n", "DEL 2.=4\n"), "1\n");
    assert_eq!(edited("1\n2\n3\n", "SWAP 3.=4:\n+x\n"), "1\n2\nx\n");
    assert_eq!(edited("1\n2\n3\n", "INS.POST 4:\n+x\n"), "1\n2\n3\nx\n");
    assert_eq!(edited("1\n2\n3", "DEL 3\n"), "1\n2");
}

const RUST: &str = "/// doc\nfn a() {\n    one();\n}\n\nfn b() {\n    two();\n}\n";

/// proves: FIL-184
#[test]
fn blocks_are_found_by_their_first_line() {
    let planned = apply_to("a.rs", RUST, "SWAP.BLK 2:\n+fn c() {}\nDEL.BLK 6\nSWAP.BLK 3:\n+    more();\n");
    assert!(
        planned.unwrap_err().contains("line 5: anchor line 3 is already targeted by another hunk on line 2")
    );
    let planned = apply_to("a.rs", RUST, "SWAP.BLK 2:\n+fn c() {}\nINS.BLK.POST 6:\n+// end\n").unwrap();
    assert_eq!(planned.text, "/// doc\nfn c() {}\n\nfn b() {\n    two();\n}\n// end\n");
    let shown: Vec<_> = planned.blocks.iter().map(|span| span.shown()).collect();
    assert_eq!(
        shown,
        [
            "SWAP.BLK 2 → resolved lines 2-4 (3 lines)",
            "INS.BLK.POST 6 → resolved lines 6-8 (3 lines); body lands after line 8"
        ]
    );
    let one = apply_to("a.rs", RUST, "DEL.BLK 3\n").unwrap();
    assert_eq!(one.blocks[0].shown(), "DEL.BLK 3 → resolved line 3 (1 line)");
    assert_eq!(one.text, "/// doc\nfn a() {\n}\n\nfn b() {\n    two();\n}\n");
}

/// proves: FIL-152
#[test]
fn an_insert_after_a_closing_line_is_a_plain_insert() {
    let planned = apply_to("a.rs", RUST, "INS.BLK.POST 4:\n+// after a\n").unwrap();
    assert_eq!(planned.text, RUST.replace("}\n\nfn b", "}\n// after a\n\nfn b"));
    assert_eq!(planned.warnings.len(), 1);
    assert!(planned.warnings[0].contains("applied as `INS.POST 4:`"), "{:?}", planned.warnings);
}

#[test]
fn a_long_file_changes_only_where_it_is_told() {
    let text = numbered(10_000);
    let new = edited(&text, "SWAP 5000.=5001:\n+x\nDEL 9999\n");
    let expected = text.replace("line 5000\nline 5001\n", "x\n").replace("line 9999\n", "");
    assert_eq!(new, expected);
}
