//! What models send although they were told otherwise: the edit that was meant, or a sentence from which the next call
//! succeeds. Never something else in the file.

use std::path::Path;

use omp_edits::hashline::{EditError, File, Patcher, Snapshots, Tag, parse};

use crate::hashline::support::{Braces, Session, apply_to, edited, numbered, refused};

const FIVE: &str = "one\ntwo\nthree\nfour\nfive\n";

fn parse_error(input: &str) -> String {
    parse(input, Path::new("/project")).unwrap_err().to_string()
}

fn whole(input: &str) -> String {
    let mut snapshots = Snapshots::new();
    let tag = snapshots.record("a.txt", FIVE);
    let input = input.replace("#T", &format!("#{tag}"));
    crate::hashline::support::plan(&mut snapshots, "a.txt", FIVE, &input).unwrap().text
}

#[test]
fn a_code_block_around_the_patch_is_no_part_of_it() {
    for fence in ["```", "```text", "```diff"] {
        assert_eq!(whole(&format!("{fence}\n[a.txt#T]\nSWAP 1:\n+ONE\n```\n")), FIVE.replace("one", "ONE"));
    }
    assert_eq!(whole("```\n[a.txt#T]\nSWAP 1:\n+ONE\n``` \n\n"), FIVE.replace("one", "ONE"));
    let error = parse_error("```\n[a.txt#0000]\nSWAP 1:\n+ONE\n```\nThis replaces the line.\n");
    assert!(error.starts_with("line 6: there is text behind the closing ```"), "{error}");
    // Without a block of its own, the row is text.
    assert_eq!(whole("[a.txt#T]\nSWAP 1:\n+```sh\n+ls\n+```\n"), FIVE.replace("one", "```sh\nls\n```"));
}

#[test]
fn a_patch_may_be_indented_as_a_whole() {
    let indented = "    [a.txt#T]\n    SWAP 1:\n    +ONE\n    +  deep\n    DEL 5\n";
    assert_eq!(whole(indented), "ONE\n  deep\ntwo\nthree\nfour\n");
    assert_eq!(whole("[a.txt#T]\n  SWAP 1:\n  +ONE\n  DEL 5\n"), "ONE\ntwo\nthree\nfour\n");
    // Rows deeper than their header are text, as all rows without `+` are.
    assert_eq!(whole("[a.txt#T]\nSWAP 1:\n  +ONE\n"), FIVE.replace("one", "  +ONE"));
}

#[test]
fn text_that_was_escaped_twice_is_told() {
    let error = parse_error("[a.txt#0000]\\nSWAP 1:\\n+ONE\\n");
    assert!(error.contains("`\\n` written out") && error.contains("real line breaks"), "{error}");
}

/// A row without `+` becomes text, so one that was meant as a header must not pass for a row.
#[test]
fn half_a_header_is_no_text() {
    for header in [
        "swap 3:",
        "Swap 3.=4:",
        "REPLACE 3.=4:",
        "delete 3",
        "DEL 3,4",
        "DEL 3, 4",
        "SWAP 3.=:",
        "INS.AFTER 3:",
        "INS 3:",
        "insert.post 3:",
        "INS.END:",
        "SWAP 3.=4: +three",
        "SWAP.BLK 3.=4:",
    ] {
        let error = refused(FIVE, &format!("SWAP 1:\n+ONE\n{header}\n+x\n"));
        assert!(
            error.starts_with("line 4: \"") && error.contains("is not a hunk header"),
            "{header}: {error}"
        );
        assert!(error.contains("needs its `+`"), "{error}");
        let first = refused(FIVE, &format!("{header}\n+x\n"));
        assert!(first.contains("is not a hunk header"), "{header}: {first}");
    }
    for text in
        ["delete the third", "Delete 5 files", "swap(a, b)", "INSERT INTO t VALUES (1)", "deluxe 3", "ins:"]
    {
        assert_eq!(edited(FIVE, &format!("SWAP 1:\n{text}\n")), FIVE.replace("one", text), "{text}");
    }
}

#[test]
fn search_and_replace_blocks_are_refused() {
    let block = "<<<<<<< SEARCH\none\n=======\nONE\n>>>>>>> REPLACE\n";
    for hunks in [block.to_owned(), format!("SWAP 1:\n{block}"), "SWAP 1:\n+x\n>>>>>>> REPLACE\n".to_owned()]
    {
        let error = refused(FIVE, &hunks);
        assert!(error.contains("SEARCH/REPLACE marker") && error.contains("only the new ones"), "{error}");
    }
    assert_eq!(edited(FIVE, "SWAP 1:\n+<<<<<<< HEAD\n"), FIVE.replace("one", "<<<<<<< HEAD"));
}

#[test]
fn a_tag_without_its_sign_is_told() {
    for header in ["[src/a.rs 0A3B]", "[src/a.rs:0A3B]", "[src/a.rs]"] {
        let error = parse_error(&format!("{header}\nDEL 1\n"));
        let start = "Missing hashline snapshot tag for edit to src/a.rs; use `[src/a.rs#tag]`";
        assert!(error.starts_with(start), "{header}: {error}");
    }
    let error = parse_error("[c#/a.cs#0A3B]\nDEL 1\n");
    assert!(error.contains("A path with `#` in it") && error.contains("sed"), "{error}");
}

/// Behind its `+` a row is text, whatever it looks like.
/// proves: FIL-113
#[test]
fn line_numbers_behind_a_plus_are_written_and_told() {
    let planned = apply_to("a.txt", FIVE, "SWAP 2.=3:\n+2:TWO\n+3:    THREE\n+4:\n").unwrap();
    assert_eq!(planned.text, "one\n2:TWO\n3:    THREE\n4:\nfour\nfive\n");
    assert!(planned.warnings[0].contains("every row begins with its line number"), "{:?}", planned.warnings);
    // One row alone, other numbers, or a file whose lines are numbered: nothing to tell.
    for (text, hunks) in [
        (FIVE, "SWAP 3:\n+3:30 pm\n"),
        (FIVE, "SWAP 2.=3:\n+7:TWO\n+8:THREE\n"),
        ("1: a\n2: b\n3: c\n", "SWAP 2.=3:\n+2: x\n+3: y\n"),
    ] {
        assert_eq!(apply_to("a.txt", text, hunks).unwrap().warnings, [""; 0], "{hunks}");
    }
}

/// proves: FIL-132
#[test]
fn the_keys_of_a_map_are_not_line_numbers() {
    let map = edited("x\n", "SWAP 1.=1:\n1: \"one\",\n2: \"two\",\n");
    assert_eq!(map, "1: \"one\",\n2: \"two\",\n");
    assert_eq!(edited("x\n", "SWAP 1.=1:\n1: 10,\n2: -2.5\n"), "1: 10,\n2: -2.5\n");
    // A word is no literal, so these rows come from a read; and so do those of a search, which marks what it found.
    assert_eq!(edited("x\n", "SWAP 1.=1:\n1:inf\n2:nan\n"), "inf\nnan\n");
    assert_eq!(edited("x\n", "SWAP 1.=1:\n*1:found\n 2|beside\n3:  \n4:end\n"), "found\nbeside\n  \nend\n");
    // Rows with their plus do not count among those without.
    assert_eq!(edited("x\n", "SWAP 1.=1:\n1:one\n+two\n3:three\n"), "one\ntwo\nthree\n");
}

/// proves: FIL-130, FIL-131
#[test]
fn rows_without_plus_are_kept_to_the_letter() {
    assert_eq!(edited("x\n", "SWAP 1:\n\na\n  \nb\n\n"), "a\n  \nb\n");
    // A line that looks like a remark is text where all rows are without their plus.
    assert_eq!(edited(FIVE, "SWAP 1:\na = 1\n# end\nDEL 5\n"), "a = 1\n# end\ntwo\nthree\nfour\n");
    assert_eq!(edited(FIVE, "SWAP 1:\n+a = 1\n# remark\nDEL 5\n"), "a = 1\ntwo\nthree\nfour\n");
}

#[test]
fn a_line_behind_the_end_is_refused_with_the_end() {
    assert_eq!(
        refused(&numbered(9), "SWAP 40:\n+x\n"),
        "Line 40 does not exist (file has 9 lines)\n\n 7:line 7\n 8:line 8\n 9:line 9"
    );
    assert_eq!(refused("a", "INS.POST 2:\n+x\n"), "Line 2 does not exist (file has 1 lines)\n\n 1:a");
    assert_eq!(refused("", "DEL 3\n"), "Line 3 does not exist (file has 0 lines)");
    let (mut session, tag) = Session::read("f", &numbered(30));
    session.live = numbered(4);
    let error = session.edit(tag, "SWAP 20:\n+x\n").unwrap_err();
    assert!(error.ends_with("\n\n 2:line 2\n 3:line 3\n 4:line 4"), "{error}");
}

/// Less indentation is the beginning of more; a tab is not less than four spaces.
#[test]
fn text_moves_out_of_a_block_only_where_its_indentation_says_so() {
    let text = "fn a() {\n    x();\n}\n";
    assert_eq!(edited(text, "INS.POST 2:\n+\ty();\n"), "fn a() {\n    x();\n\ty();\n}\n");
    assert_eq!(edited(text, "INS.POST 2:\n+#endif\n"), "fn a() {\n    x();\n#endif\n}\n");
    assert_eq!(
        edited(text, "INS.POST 2:\n+#[test]\n+fn b() {}\n"),
        "fn a() {\n    x();\n}\n#[test]\nfn b() {}\n"
    );
    let tabs = "fn a() {\n\tif b {\n\t\tx();\n\t}\n}\n";
    assert_eq!(edited(tabs, "INS.POST 3:\n+\ty();\n"), "fn a() {\n\tif b {\n\t\tx();\n\t}\n\ty();\n}\n");
}

/// Four digits are few: another text may have the tag of the one that was read.
#[test]
fn a_tag_that_fits_by_chance_is_not_enough() {
    let read = numbered(6);
    let wanted = Tag::of(&read);
    let other = (0..).map(|number| format!("theirs {number}\n{read}")).find(|text| Tag::of(text) == wanted);
    let (mut session, tag) = Session::read("f", &read);
    session.live = other.unwrap();
    let planned = session.edit(tag, "SWAP 4:\n+FOUR\n").unwrap();
    assert_eq!(planned.text, session.live);
    assert!(planned.text.contains("line 3\nFOUR\nline 5\n"), "{}", planned.text);
    assert!(planned.warnings.iter().any(|warning| warning.contains("moved by +1")), "{:?}", planned.warnings);
    // Blanks at the ends of lines do not count, as for the tag itself.
    let (mut session, tag) = Session::read("f", &read);
    session.live = read.replace("line 2\n", "line 2  \n");
    assert!(session.edit(tag, "SWAP 2:\n+TWO\n").unwrap().warnings.is_empty());
}

/// What a result shows is displayed as much as what a read shows, and what is stale is asked for, too.
#[test]
fn lines_shown_by_a_result_are_seen() {
    let strict = Patcher { syntax: &Braces, enforce_seen: true };
    let mut snapshots = Snapshots::new();
    let text = numbered(60);
    let mut edit = |tag: Tag, text: &str, hunks: &str| -> Result<(Tag, String), EditError> {
        let patch = parse(&format!("[f#{tag}]\n{hunks}"), Path::new("/")).unwrap();
        let planned = strict.plan(&patch.sections[0], File { key: "f", text }, &mut snapshots)?;
        Ok((snapshots.record_edit("f", text, &planned.text, planned.changes), planned.text))
    };
    let first = Tag::of(&text);
    let unseen = edit(first, &text, "SWAP 20:\n+a\n+b\n").unwrap_err().to_string();
    assert!(unseen.ends_with("\n20:line 20"), "{unseen}");
    let (tag, text) = edit(first, &text, "SWAP 20:\n+a\n+b\n").unwrap();
    let (tag, text) = edit(tag, &text, "SWAP 20:\n+c\nDEL 23\n").unwrap();
    assert!(edit(tag, &text, "DEL 40\n").is_err());
    // The first text again: its line 50 was never displayed, and it is line 50 of today.
    let stale = edit(first, &text, "DEL 50\n").unwrap_err().to_string();
    assert!(stale.ends_with("\n50:line 50"), "{stale}");
}
