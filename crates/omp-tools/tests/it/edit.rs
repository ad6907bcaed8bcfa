//! The edit tool, as a model uses it: with what the results of read, write and edit say, and nothing else.

use std::os::unix::fs::PermissionsExt;

use crate::support::session::Session;
use crate::support::{Project, numbered, text};
use omp_agent::Scheduling;
use omp_edits::hashline::Tag;
use serde_json::{Map, json};

// proves: FIL-107
#[tokio::test]
async fn the_tool_takes_one_string() {
    let session = Session::new();
    let tool = session.tools.iter().find(|tool| tool.definition().name == "edit").unwrap();
    let schema = &tool.definition().parameters;
    assert_eq!(schema["required"], json!(["input"]));
    assert_eq!(schema["properties"].as_object().unwrap().len(), 1);
    assert_eq!(tool.scheduling(&Map::new()), Scheduling::Exclusive);
    assert_eq!(tool.line_input().unwrap().parameter, "input");
    session.project.file("a.txt", "one\ntwo\n");
    let header = session.header("a.txt").await;
    session.edit(&format!("{header}\nSWAP 1:\n+ONE\n")).await.unwrap();
    assert_eq!(session.project.content("a.txt"), b"ONE\ntwo\n");
}

// proves: FIL-032, FIL-008, FIL-009
#[tokio::test]
async fn a_read_shows_the_header_and_numbered_lines() {
    let session = Session::new();
    let content = numbered(12);
    session.project.file("src/a.txt", &content);
    let tag = Tag::of(&content);
    let rows: String = (1..=12).map(|line| format!("\n{line}:line {line}")).collect();
    let shown = session.read("src/a.txt").await;
    assert_eq!(shown, format!("[src/a.txt#{tag}]{rows}"));
    session.project.file("src/a.txt", &content);
    assert_eq!(session.read("src/a.txt").await, shown, "the same text has the same tag");
    let window = session.read("src/a.txt:5-6").await;
    assert!(window.starts_with(&format!("[src/a.txt#{tag}]\n4:line 4\n5:line 5\n")), "{window}");
    session.edit(&format!("[src/a.txt#{tag}]\nDEL 5\n")).await.unwrap();
}

// proves: FIL-014
#[tokio::test]
async fn anchors_are_shown_only_where_they_can_be_used() {
    let mut project = Project::new();
    project.file("a.txt", "one\n");
    assert_eq!(project.read("a.txt").await, "one", "no edit tool");
    project.settings.edit.active = true;
    assert!(project.read("a.txt").await.starts_with("[a.txt#"));
    assert_eq!(project.read("a.txt:raw").await, "one\n");
    project.settings.read.line_numbers = true;
    assert!(project.read("a.txt").await.starts_with("[a.txt#"), "anchors go before plain numbers");
    project.settings.read.hash_lines = false;
    assert_eq!(project.read("a.txt").await, "1|one");
    project.settings.read.line_numbers = false;
    assert_eq!(project.read("a.txt").await, "one");
}

// proves: FIL-015
#[tokio::test]
async fn every_tool_writes_the_same_header() {
    let session = Session::new();
    let written = text(&session.call("write", json!({ "path": "a.txt", "content": "one\n" })).await.unwrap());
    let header = written.lines().next().unwrap();
    assert_eq!(header, session.header("a.txt").await);
    let edited = session.edit(&format!("{header}\nSWAP 1:\n+two\n")).await.unwrap();
    assert_eq!(edited.lines().next().unwrap(), session.header("a.txt").await);
    assert_eq!(header, format!("[a.txt#{}]", Tag::of("one\n")));
    let found = text(&session.call("search", json!({ "pattern": "two", "paths": ["a.txt"] })).await.unwrap());
    assert!(found.contains(&format!("{}\n", session.header("a.txt").await)), "{found}");
}

// proves: FIL-183, FIL-193
#[tokio::test]
async fn ten_edits_are_chained_from_results_alone() {
    let session = Session::new();
    session.project.file("a.txt", numbered(60));
    let mut answer = session.read("a.txt").await;
    for round in 1..=10 {
        let header = answer.lines().next().unwrap();
        let number = |text: &str| text.split(':').next().unwrap().parse::<usize>().unwrap();
        // Aim by the numbers of the last answer.
        let row = answer.lines().rfind(|row| row.ends_with(":line 30") || row.contains(":round")).unwrap();
        let line = number(row);
        let input =
            format!("{header}\nINS.POST {line}:\n+round {round} a\n+round {round} b\nDEL {}\n", line + 1);
        answer = session.edit(&input).await.unwrap();
        assert!(!answer.contains("Warnings:"), "{answer}");
    }
    let rounds: String = (1..=10).map(|round| format!("round {round} a\nround {round} b\n")).collect();
    let mut expected = numbered(60);
    for gone in 31..=40 {
        expected = expected.replace(&format!("line {gone}\n"), "");
    }
    let expected = expected.replace("line 30\n", &format!("line 30\n{rounds}"));
    assert_eq!(String::from_utf8(session.project.content("a.txt")).unwrap(), expected);
    assert!(!answer.contains("line 40"), "removed lines are not shown: {answer}");
}

// proves: FIL-183
#[tokio::test]
async fn long_insertions_are_shown_by_their_ends() {
    let session = Session::new();
    session.project.file("a.txt", numbered(5));
    let header = session.header("a.txt").await;
    let rows: String = (1..=100).map(|row| format!("+new {row}\n")).collect();
    let answer = session.edit(&format!("{header}\nINS.POST 2:\n{rows}")).await.unwrap();
    assert!(
        answer.contains("\n2:line 2\n3:new 1\n")
            && answer.contains("\n…\n")
            && answer.contains("\n102:new 100\n103:line 3"),
        "{answer}"
    );
    assert!(answer.lines().count() < 30, "{answer}");
}

// proves: FIL-185
#[tokio::test]
async fn warnings_stand_at_the_end() {
    let session = Session::new();
    session.project.file("a.txt", "one\n");
    let header = session.header("a.txt").await;
    let answer = session.edit(&format!("{header}\nSWAP 1:\nbare\n")).await.unwrap();
    let (_, warnings) = answer.split_once("\n\nWarnings:\n").unwrap();
    assert!(warnings.starts_with("Auto-prefixed bare body row(s) with +."), "{warnings}");
}

// proves: FIL-186
#[tokio::test]
async fn details_hold_the_difference() {
    let session = Session::new();
    session.project.file("a.txt", "one\ntwo\nthree\n");
    session.project.file("b.txt", "x\n");
    let (a, b) = (session.header("a.txt").await, session.header("b.txt").await);
    let output = session.call("edit", json!({ "input": format!("{a}\nSWAP 2:\n+TWO\n") })).await.unwrap();
    let details = output.details.unwrap();
    assert_eq!(details["op"], "update");
    assert_eq!(details["firstChangedLine"], 2);
    assert_eq!(details["diff"], "--- a/a.txt\n+++ b/a.txt\n@@ -1,3 +1,3 @@\n one\n-two\n+TWO\n three\n");
    assert!(details["meta"]["source"]["value"].as_str().unwrap().ends_with("/a.txt"));
    let a = session.header("a.txt").await;
    let input = format!("{a}\nDEL 1\n{b}\nINS.TAIL:\n+y\n");
    let details = session.call("edit", json!({ "input": input })).await.unwrap().details.unwrap();
    let each: Vec<_> = details["perFileResults"]
        .as_array()
        .unwrap()
        .iter()
        .map(|one| {
            (
                one["path"].as_str().unwrap(),
                one["firstChangedLine"].as_u64().unwrap(),
                one["op"].as_str().unwrap(),
            )
        })
        .collect();
    assert_eq!(each, [("a.txt", 1, "update"), ("b.txt", 2, "update")]);
}

// proves: FIL-187
#[tokio::test]
async fn one_bad_section_means_that_nothing_is_written() {
    let session = Session::new();
    session.project.file("a.txt", "one\n");
    session.project.file("b.txt", "two\n");
    let a = session.header("a.txt").await;
    let error =
        session.edit(&format!("{a}\nSWAP 1:\n+ONE\n[b.txt#0000]\nSWAP 1:\n+TWO\n")).await.unwrap_err();
    assert!(error.contains("#0000 is not a hash of b.txt"), "{error}");
    assert_eq!(session.project.content("a.txt"), b"one\n");
    let b = session.header("b.txt").await;
    let answer = session.edit(&format!("{a}\nSWAP 1:\n+ONE\n{b}\nSWAP 1:\n+TWO\n")).await.unwrap();
    assert!(answer.contains("[a.txt#") && answer.contains("[b.txt#"), "{answer}");
    assert_eq!(
        (session.project.content("a.txt"), session.project.content("b.txt")),
        (b"ONE\n".to_vec(), b"TWO\n".to_vec())
    );
}

// proves: FIL-189, FIL-190
#[tokio::test]
async fn edits_that_change_nothing_are_told_and_then_stopped() {
    let session = Session::new();
    session.project.file("a.txt", "one\ntwo\n");
    let header = session.header("a.txt").await;
    let input = format!("{header}\nSWAP 1:\n+one\n");
    for _ in 0..2 {
        let answer = session.edit(&input).await.unwrap();
        assert!(
            answer.starts_with("Edits to a.txt parsed and applied cleanly, but produced no change: "),
            "{answer}"
        );
    }
    let stop = session.edit(&input).await.unwrap_err();
    assert!(
        stop.starts_with("STOP. Edits to a.txt have been a byte-identical no-op 3 times in a row"),
        "{stop}"
    );
    assert!(
        session.edit(&format!("{header}\nSWAP 2:\n+two\n")).await.is_ok(),
        "another payload starts again"
    );
    assert!(session.edit(&input).await.is_ok());
    // So does an edit that changes something, whatever the tag.
    assert!(session.edit(&input).await.is_ok());
    session.edit(&format!("{header}\nSWAP 2:\n+TWO\n")).await.unwrap();
    for round in 1..=3 {
        let said = session.edit(&input).await;
        assert_eq!(said.is_err(), round == 3, "{said:?}");
    }
    session.project.file("b.txt", "x\n");
    let b = session.header("b.txt").await;
    let error = session.edit(&format!("{header}\nSWAP 1:\n+one\n{b}\nSWAP 1:\n+y\n")).await.unwrap_err();
    assert!(error.contains("change nothing"), "{error}");
    assert_eq!(session.project.content("b.txt"), b"x\n");
}

// proves: FIL-121
#[tokio::test]
async fn one_file_under_two_names_is_refused() {
    let session = Session::new();
    session.project.file("src/a.txt", "one\ntwo\n");
    let header = session.header("src/a.txt").await;
    let other = header.replace("src/a.txt", "./src/../src/a.txt");
    let error = session.edit(&format!("{header}\nDEL 1\n{other}\nDEL 2\n")).await.unwrap_err();
    assert!(error.contains("are the same file") && error.contains("one header"), "{error}");
    std::os::unix::fs::symlink("src/a.txt", session.project.path().join("link")).unwrap();
    let link = header.replace("src/a.txt", "link");
    assert!(session.edit(&format!("{header}\nDEL 1\n{link}\nDEL 2\n")).await.is_err());
}

// proves: FIL-154
#[tokio::test]
async fn a_missing_file_is_made_with_write() {
    let session = Session::new();
    let error = session.edit("[new.txt#0A3B]\nINS.HEAD:\n+x\n").await.unwrap_err();
    assert_eq!(error, "File not found: new.txt. Use the write tool to create new files.");
    session.project.file("dir/x", "");
    assert!(session.edit("[dir#0A3B]\nINS.HEAD:\n+x\n").await.unwrap_err().contains("is a directory"));
    session.project.file("bin", b"\x7fELF\0\0");
    assert!(session.edit("[bin#0A3B]\nINS.HEAD:\n+x\n").await.unwrap_err().contains("is not a text file"));
}

// proves: FIL-171
#[tokio::test]
async fn a_wrong_directory_is_put_right_by_name_and_tag() {
    let session = Session::new();
    session.project.file("src/deep/a.txt", "one\n");
    let header = session.header("src/deep/a.txt").await;
    let wrong = header.replace("src/deep/", "src/");
    let answer = session.edit(&format!("{wrong}\nSWAP 1:\n+ONE\n")).await.unwrap();
    assert!(
        answer.starts_with("[src/deep/a.txt#") && answer.contains("which was edited instead"),
        "{answer}"
    );
    assert_eq!(session.project.content("src/deep/a.txt"), b"ONE\n");
    // Of two that it could be, none is taken.
    for name in ["one/b.txt", "two/b.txt"] {
        session.project.file(name, "same\n");
    }
    let (header, _) = (session.header("one/b.txt").await, session.header("two/b.txt").await);
    let wrong = header.replace("one/", "three/");
    let error = session.edit(&format!("{wrong}\nDEL 1\n")).await.unwrap_err();
    assert_eq!(error, "File not found: three/b.txt. Use the write tool to create new files.");
}

// proves: FIL-122
#[tokio::test]
async fn an_absolute_path_in_the_project_is_its_relative_form() {
    let session = Session::new();
    let path = session.project.file("src/a b.txt", "one\ntwo\n");
    let header = session.header("src/a b.txt").await;
    let absolute = header.replace("src/a b.txt", path.to_str().unwrap());
    let quoted = header.replace("src/a b.txt", "\"src/a b.txt\"");
    let input = format!("{absolute}\nSWAP 1:\n+ONE\n{quoted}\nSWAP 2:\n+TWO\n");
    let answer = session.edit(&input).await.unwrap();
    assert!(answer.starts_with("[src/a b.txt#"), "{answer}");
    assert_eq!(session.project.content("src/a b.txt"), b"ONE\nTWO\n");
}

// proves: FIL-155, FIL-089
#[tokio::test]
async fn generated_files_are_left_alone() {
    let generated = [
        ("a.go", "// Code generated by protoc-gen-go. DO NOT EDIT.\npackage a\n"),
        ("b.js", "/** @generated */\nx();\n"),
        ("c_pb2.py", "import x\n"),
        ("d.cs", "//----------\n// <auto-generated>\n//     This code was generated by a tool.\nclass A;\n"),
    ];
    let session = Session::new();
    for (name, content) in generated {
        session.project.file(name, content);
        let header = session.header(name).await;
        let input = format!("{header}\nSWAP 1:\n+x\n");
        let error = session.edit(&input).await.unwrap_err();
        assert!(
            error.contains("is a generated file") && error.contains("edit.blockAutoGenerated"),
            "{error}"
        );
        let write = session.call("write", json!({ "path": name, "content": "x\n" })).await.unwrap_err();
        assert!(write.contains("is a generated file"), "{write}");
        assert_eq!(session.project.content(name), content.as_bytes());
    }
    // Who writes about such files has none.
    for (name, content) in [
        (
            "README.md",
            "# Runner\n\nRuns code generated by models; nothing is automatically generated by it.\n",
        ),
        ("run.py", "\"\"\"Runs code generated by a model.\"\"\"\nx = 1\n"),
        ("marks.rs", "const MARK: &str = \"@generated\";\n"),
    ] {
        session.project.file(name, content);
        let header = session.header(name).await;
        session.edit(&format!("{header}\nINS.TAIL:\n+more\n")).await.unwrap();
    }
    let mut project = Project::new();
    project.settings.edit.block_generated = false;
    let free = Session::with(project);
    free.project.file("a.go", generated[0].1);
    let header = free.header("a.go").await;
    free.edit(&format!("{header}\nSWAP 1:\n+x\n")).await.unwrap();
    free.call("write", json!({ "path": "a.go", "content": "y\n" })).await.unwrap();
    session.call("write", json!({ "path": "new_pb2.py", "content": "y\n" })).await.unwrap();
}

// proves: FIL-175
#[tokio::test]
async fn bytes_that_are_not_named_stay() {
    let utf16 = |text: &str| -> Vec<u8> {
        std::iter::once(0xfeff).chain(text.encode_utf16()).flat_map(u16::to_le_bytes).collect()
    };
    let cases: Vec<(&str, Vec<u8>, Vec<u8>)> = vec![
        (
            "crlf and mark",
            b"\xef\xbb\xbfone\r\ntwo\r\n".to_vec(),
            b"\xef\xbb\xbfone\r\nTWO\r\nmore\r\n".to_vec(),
        ),
        ("mixed", b"one\r\ntwo\nthree\r\n".to_vec(), b"one\r\nTWO\nmore\r\nthree\r\n".to_vec()),
        ("no final end", b"one\ntwo".to_vec(), b"one\nTWO\nmore".to_vec()),
        ("utf-16", utf16("one\r\ntwo\r\n"), utf16("one\r\nTWO\r\nmore\r\n")),
        ("latin", b"caf\xe9 ol\xe9\ntwo\n".to_vec(), b"caf\xe9 ol\xe9\nTWO\nmore\n".to_vec()),
        (
            "broken",
            "größe\ntwo\n\u{e9}\u{e8}".bytes().chain(*b"\xff\n").collect(),
            "größe\nTWO\nmore\n\u{e9}\u{e8}".bytes().chain(*b"\xff\n").collect(),
        ),
        ("trailing blanks", b"one  \t\ntwo \nthree \n".to_vec(), b"one  \t\nTWO\nmore\nthree \n".to_vec()),
    ];
    let session = Session::new();
    for (name, before, after) in cases {
        let path = session.project.file(name, &before);
        std::fs::set_permissions(&path, std::fs::Permissions::from_mode(0o750)).unwrap();
        let header = session.header(name).await;
        session.edit(&format!("{header}\nSWAP 2:\n+TWO\n+more\n")).await.unwrap();
        assert_eq!(session.project.content(name), after, "{name}");
        assert_eq!(std::fs::metadata(&path).unwrap().permissions().mode() & 0o777, 0o750, "{name}");
    }
}

#[tokio::test]
async fn a_character_that_the_encoding_lacks_is_refused() {
    let session = Session::new();
    session.project.file("latin.txt", b"caf\xe9 ol\xe9\n");
    let header = session.header("latin.txt").await;
    let error = session.edit(&format!("{header}\nSWAP 1:\n+漢字\n")).await.unwrap_err();
    assert!(error.contains("cannot encode '漢'") && error.contains("iconv"), "{error}");
    assert_eq!(session.project.content("latin.txt"), b"caf\xe9 ol\xe9\n");
    let error = session.call("write", json!({ "path": "latin.txt", "content": "漢字" })).await.unwrap_err();
    assert!(error.contains("cannot encode '漢'"), "{error}");
}

// proves: FIL-084
#[tokio::test]
async fn a_write_can_be_edited_at_once() {
    let session = Session::new();
    let answer =
        text(&session.call("write", json!({ "path": "a.txt", "content": "one\ntwo\n" })).await.unwrap());
    let (header, rest) = answer.split_once('\n').unwrap();
    assert_eq!(rest, "Successfully wrote 8 bytes to a.txt");
    session.edit(&format!("{header}\nSWAP 2:\n+TWO\n")).await.unwrap();
    assert_eq!(session.project.content("a.txt"), b"one\nTWO\n");
}

// proves: FIL-086
#[tokio::test]
async fn pasted_anchors_are_left_out_of_a_write() {
    let session = Session::new();
    session.project.file("a.txt", "one\n\nthree\n");
    let pasted = session.read("a.txt").await;
    for content in
        [pasted.clone(), "¶a.txt#0A3B\n1:one\n2:\n3:three".to_owned(), "1:one\n2:\n3:three".to_owned()]
    {
        let answer = session.call("write", json!({ "path": "b.txt", "content": content })).await.unwrap();
        assert!(text(&answer).contains("Removed the header and line numbers"), "{answer:?}");
        assert_eq!(session.project.content("b.txt"), b"one\n\nthree");
    }
    let partly = "1:one\nplain\n";
    session.call("write", json!({ "path": "c.txt", "content": partly })).await.unwrap();
    assert_eq!(session.project.content("c.txt"), partly.as_bytes());
    let plain = Project::new();
    plain.call("write", json!({ "path": "d.txt", "content": pasted })).await.unwrap();
    assert_eq!(plain.content("d.txt"), pasted.as_bytes());
}

#[tokio::test]
async fn a_change_from_outside_is_survived_or_shown() {
    let session = Session::new();
    session.project.file("a.txt", numbered(30));
    let header = session.header("a.txt").await;
    session.project.file("a.txt", format!("top\n{}", numbered(30)));
    let answer = session.edit(&format!("{header}\nSWAP 20:\n+twenty\n")).await.unwrap();
    assert!(
        answer.contains("21:twenty") && answer.contains("Warnings:") && answer.contains("moved by +1"),
        "{answer}"
    );
    session.project.file("a.txt", numbered(30).replace("line 5\n", "theirs\n"));
    let error = session.edit(&format!("{header}\nSWAP 5:\n+mine\n")).await.unwrap_err();
    assert!(error.contains("*5:theirs"), "{error}");
    let fresh = error.split('[').nth(1).unwrap().split(']').next().unwrap();
    session.edit(&format!("[{fresh}]\nSWAP 5:\n+mine\n")).await.unwrap();
}

#[tokio::test]
async fn a_huge_file_is_read_without_anchors() {
    let session = Session::new();
    let path = session.project.file("huge.txt", numbered(2000));
    std::fs::OpenOptions::new().write(true).open(&path).unwrap().set_len(64 * 1024 * 1024).unwrap();
    let shown = session.read("huge.txt:1-2").await;
    assert!(shown.starts_with("1|line 1\n2|line 2\n"), "{}", &shown[..shown.len().min(80)]);
    let error = session.edit("[huge.txt#0000]\nDEL 1\n").await.unwrap_err();
    assert!(error.contains("larger than 16 MB"), "{error}");
}

/// With `edit.enforceSeenLines`, a line is edited after it was shown: by a read, or by the refusal.
///
/// proves: FIL-173
#[tokio::test]
async fn lines_that_were_not_shown_are_shown_first() {
    let mut project = Project::new();
    project.settings.edit.enforce_seen_lines = true;
    let session = Session::with(project);
    session.project.file("a.txt", numbered(100));
    let header = session.header("a.txt:1-10").await;
    session.edit(&format!("{header}\nSWAP 5:\n+five\n")).await.unwrap();
    let header = session.header("a.txt:1-10").await;
    let input = format!("{header}\nSWAP 50:\n+fifty\n");
    let error = session.edit(&input).await.unwrap_err();
    assert!(error.starts_with("a.txt was not displayed at these lines"), "{error}");
    assert!(error.ends_with("\n\n50:line 50"), "{error}");
    session.edit(&input).await.unwrap();
    assert!(session.read("a.txt:50-50").await.contains("50:fifty"));
    let free = Session::new();
    free.project.file("a.txt", numbered(100));
    let header = free.header("a.txt:1-10").await;
    free.edit(&format!("{header}\nSWAP 50:\n+fifty\n")).await.unwrap();
}
