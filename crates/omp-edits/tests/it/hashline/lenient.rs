//! What is understood although it is not written as it should be.

use std::path::Path;

use omp_edits::hashline::{Patch, Snapshots, parse, parse_partial};

use crate::hashline::support::{apply_to, edited, plan};

const FIVE: &str = "one\ntwo\nthree\nfour\nfive\n";

fn read(input: &str) -> Patch {
    parse(input, Path::new("/project")).unwrap()
}

fn body(hunks: &str) -> (Vec<String>, usize) {
    let patch = read(&format!("[a#0000]\n{hunks}"));
    (patch.sections[0].hunks[0].body.clone(), patch.warnings.len())
}

/// proves: FIL-125
#[test]
fn the_envelope_is_ignored() {
    let patch = read("\u{feff}\n*** Begin Patch\n[a#0000]\nDEL 1\n*** End Patch\njunk\n[b]\n");
    assert_eq!((patch.sections.len(), patch.warnings.len()), (1, 0));
}

/// proves: FIL-126
#[test]
fn what_stands_before_an_abort_counts() {
    let patch = read("[a#0000]\nDEL 1\nSWAP 2.=2:\n+x\n*** Abort\nDEL 3\n");
    assert_eq!((patch.sections[0].hunks.len(), patch.warnings.len()), (2, 0));
}

/// proves: FIL-127
#[test]
fn one_number_is_one_line() {
    assert_eq!(edited(FIVE, "SWAP 2:\n+TWO\nDEL 4\n"), "one\nTWO\nthree\nfive\n");
}

/// proves: FIL-128
#[test]
fn the_colon_may_be_missing() {
    assert_eq!(edited(FIVE, "SWAP 3.=4\n+x\nINS.TAIL\n+t\nINS.PRE 1\n+h\n"), "h\none\ntwo\nx\nfive\nt\n");
}

/// proves: FIL-129
#[test]
fn separators_are_many() {
    for range in ["2.=4", "2-4", "2…4", "2 4", "2..4", "2 .= 4", "2 - 4", "2...4", "2=4"] {
        assert_eq!(edited(FIVE, &format!("SWAP {range}:\n+x\n")), "one\nx\nfive\n", "{range}");
    }
}

/// proves: FIL-130
#[test]
fn rows_without_plus_are_text() {
    let planned = apply_to("a.txt", FIVE, "SWAP 1.=1:\nuno\n  due\nSWAP 3.=3:\ntre\n").unwrap();
    assert_eq!(planned.text, "uno\n  due\ntwo\ntre\nfour\nfive\n");
    assert_eq!(planned.warnings.len(), 1);
    assert!(
        planned.warnings[0]
            .starts_with("Auto-prefixed bare body row(s) with +. Body rows must be +TEXT literal lines"),
        "{:?}",
        planned.warnings
    );
}

/// proves: FIL-131
#[test]
fn blank_rows_count_only_between_others() {
    assert_eq!(body("SWAP 1:\n\n\na\n\n\nb\n\n\n").0, ["a", "", "", "b"]);
}

/// proves: FIL-132
#[test]
fn numbers_of_a_pasted_read_go() {
    assert_eq!(body("SWAP 1:\n3:foo\n4:  bar\n\n5:\n").0, ["foo", "  bar", "", ""]);
    assert_eq!(body("SWAP 1:\n3:4:foo\n").0, ["4:foo"]);
    assert_eq!(body("SWAP 1:\n1: \"one\",\n2: \"two\",\n").0, ["1: \"one\",", "2: \"two\","]);
    assert_eq!(body("SWAP 1:\n1: 10,\n2: 20\n").0, ["1: 10,", "2: 20"]);
    assert_eq!(body("SWAP 1:\n3:foo\nbar\n").0, ["3:foo", "bar"]);
    assert_eq!(body("SWAP 1:\n+3:foo\n"), (vec!["3:foo".to_owned()], 0));
}

/// proves: FIL-133
#[test]
fn remarks_above_a_hunk_are_ignored() {
    let patch = read("[a#0000]\n# first\n# and why\nSWAP 1:\n+x\n# then\nDEL 2\n# last\n\nDEL 3\n");
    let hunks: Vec<_> = patch.sections[0].hunks.iter().map(|hunk| hunk.body.len()).collect();
    assert_eq!((hunks, patch.warnings.len()), (vec![1, 0, 0], 0));
    assert_eq!(body("SWAP 1:\n# all there is\nDEL 2\n").0, ["# all there is"]);
}

/// proves: FIL-134
#[test]
fn noise_in_a_header_is_dropped() {
    for header in [
        "[*** Update File:foo.ts#CB5A]",
        "[Add File: foo.ts#CB5A]",
        "[*** foo.ts ***#CB5A]",
        "[*** Move to: foo.ts#CB5A]",
    ] {
        let patch = read(&format!("{header}\nDEL 1\n"));
        assert_eq!(patch.sections[0].path, "foo.ts", "{header}");
    }
    let error = parse("[*** Update File:foo.ts]\nDEL 1\n", Path::new("/project")).unwrap_err().to_string();
    assert!(error.starts_with("Missing hashline snapshot tag for edit to foo.ts;"), "{error}");
}

/// proves: FIL-122
#[test]
fn a_path_may_be_quoted_or_absolute() {
    for header in ["\"src/a b.rs\"", "'src/a b.rs'", "/project/src/a b.rs", "\"/project/src/a b.rs\""] {
        assert_eq!(read(&format!("[{header}#0A3B]\nDEL 1\n")).sections[0].path, "src/a b.rs", "{header}");
    }
    assert_eq!(read("[/projects/a#0A3B]\nDEL 1\n").sections[0].path, "/projects/a");
    assert!(parse("[a#b.ts#0A3B]\nDEL 1\n", Path::new("/project")).is_err());
}

/// proves: FIL-135
#[test]
fn tags_are_read_in_any_case() {
    assert_eq!(read("[a#0a3b]\nDEL 1\n").sections[0].tag.to_string(), "0A3B");
}

/// proves: FIL-120
#[test]
fn sections_of_one_file_are_one() {
    let patch = read("[a#0A3B]\nDEL 1\n[b#1111]\nDEL 1\n[a#0a3b]\nDEL 2\n");
    assert_eq!(patch.sections.iter().map(|section| section.hunks.len()).collect::<Vec<_>>(), [2, 1]);
    // As one batch: no section counts in what another has made of the file.
    let mut snapshots = Snapshots::new();
    let header = format!("[a.txt#{}]", snapshots.record("a.txt", FIVE));
    let input = format!("{header}\nDEL 1\n{header}\nSWAP 5:\n+FIVE\nINS.POST 1:\n+new\n");
    let planned = plan(&mut snapshots, "a.txt", FIVE, &input).unwrap();
    assert_eq!(planned.text, "new\ntwo\nthree\nfour\nFIVE\n");
    let error = parse("[a#0A3B]\nDEL 1\n[a#0A3C]\nDEL 2\n", Path::new("/project")).unwrap_err().to_string();
    assert!(error.contains("#0A3B and #0A3C"), "{error}");
}

/// proves: FIL-137
#[test]
fn carriage_returns_are_ignored() {
    assert_eq!(edited(FIVE, "SWAP 2.=2:\r\n+TWO\r\nDEL 4\r\n"), "one\nTWO\nthree\nfive\n");
}

/// proves: FIL-136
#[test]
fn a_patch_that_is_being_written_shows_what_is_complete() {
    let whole = "[a#0000]\nSWAP 1.=1:\n+x\n+y\nDEL 3\nINS.TAIL:\n+end\n";
    let mut most = 0;
    for (end, _) in whole.char_indices() {
        let patch = parse_partial(&whole[..end], Path::new("/project"));
        let hunks = patch.sections.first().map_or(0, |section| section.hunks.len());
        assert!(hunks >= most, "{:?} lost a hunk", &whole[..end]);
        most = hunks;
    }
    assert_eq!(most, 3);
    let last = |input: &str| parse_partial(input, Path::new("/project")).sections.pop().map(|one| one.hunks);
    // Half a header is nothing yet; half a row is a row.
    assert_eq!(last("[a#0000]\nDEL 1\nSWAP 2").unwrap().len(), 1);
    assert_eq!(last("[a#0000]\nSWAP 1:\n+x\n+ha").unwrap()[0].body, ["x", "ha"]);
    // A mistake ends the reading; what stands before it counts.
    assert_eq!(last("[a#0000]\nDEL 1\nDEL 2\n@@ -1 +1 @@\n").unwrap().len(), 1);
    assert_eq!(last("[a#0000]\nSWAP 1:\n+x\n-y\n"), None);
}
