//! The edit tool in the modes that name the text they change.

use std::os::unix::fs::PermissionsExt;

use crate::support::session::Session;
use crate::support::{Project, text};
use omp_tools::{EditMode, Fuzzy};
use serde_json::{Value, json};

fn session(mode: EditMode) -> Session {
    let mut project = Project::new();
    project.settings.edit.mode = mode;
    Session::with(project)
}

async fn edit(session: &Session, arguments: Value) -> Result<String, String> {
    session.call("edit", arguments).await.map(|output| text(&output))
}

fn schema(mode: EditMode) -> (Vec<String>, Value, String, bool) {
    let session = session(mode);
    let tool = session.tools.iter().find(|tool| tool.definition().name == "edit").unwrap();
    let definition = tool.definition();
    let fields = definition.parameters["properties"].as_object().unwrap().keys().cloned().collect();
    (fields, definition.parameters["required"].clone(), definition.description.clone(), definition.free_text)
}

/// Every mode has its own fields and its own words.
#[test]
fn each_mode_has_its_schema_and_prompt() {
    let (fields, required, hashline, free) = schema(EditMode::Hashline);
    assert_eq!((fields, required, free), (vec!["input".into()], json!(["input"]), false));
    let (fields, required, envelope, free) = schema(EditMode::ApplyPatch);
    assert_eq!((fields, required, free), (vec!["input".into()], json!(["input"]), true));
    let (fields, required, patch, free) = schema(EditMode::Patch);
    assert_eq!(
        (fields, required, free),
        (vec!["path".into(), "edits".into()], json!(["path", "edits"]), false)
    );
    let (fields, required, replace, free) = schema(EditMode::Replace);
    let all = ["path", "old_string", "new_string", "replace_all"].map(String::from).to_vec();
    assert_eq!((fields, required, free), (all, json!(["path", "old_string", "new_string"]), false));
    assert!(hashline.contains("[PATH#TAG]") && envelope.contains("*** Begin Patch"));
    assert!(patch.contains("`create`") && replace.contains("`old_string`"));
    for prompt in [envelope, patch, replace] {
        assert!(prompt.split_whitespace().count() <= 280, "{prompt}");
    }
}

/// One edit per mode, and what the answers say.
// proves: FIL-013
#[tokio::test]
async fn one_edit_per_mode() {
    let old = "fn a() {\n    one();\n}\n\nfn b() {\n    one();\n}\n";
    let new = old.replacen("b() {\n    one", "b() {\n    two", 1);

    let replace = session(EditMode::Replace);
    replace.project.file("a.rs", old);
    let arguments = json!({"path": "a.rs", "old_string": "b() {\n    one", "new_string": "b() {\n    two"});
    let output = replace.call("edit", arguments).await.unwrap();
    assert_eq!(text(&output), "Updated a.rs (+1 -1 lines)");
    let details = output.details.unwrap();
    assert_eq!((&details["firstChangedLine"], &details["op"]), (&json!(6), &json!("update")));
    assert!(details["diff"].as_str().unwrap().contains("-    one();\n+    two();"), "{details}");
    assert_eq!(replace.project.content("a.rs"), new.as_bytes());
    let all = json!({"path": "a.rs", "old_string": "fn ", "new_string": "pub fn ", "replace_all": true});
    edit(&replace, all).await.unwrap();
    assert_eq!(replace.project.content("a.rs"), new.replace("fn ", "pub fn ").as_bytes());

    let patch = session(EditMode::Patch);
    patch.project.file("a.rs", old);
    let diff = "@@ fn b\n-    one();\n+    two();\n";
    let edits = json!([{"op": "update", "diff": diff}, {"rename": "c/d.rs"}]);
    let said = edit(&patch, json!({"path": "a.rs", "edits": edits})).await.unwrap();
    assert_eq!(said, "Moved a.rs to c/d.rs (+1 -1 lines)");
    assert_eq!(patch.project.content("c/d.rs"), new.as_bytes());
    assert!(!patch.project.path().join("a.rs").exists());
    let create = json!({"path": "new.txt", "edits": [{"op": "create", "diff": "x\ny"}]});
    assert_eq!(edit(&patch, create).await.unwrap(), "Created new.txt (2 lines)");
    assert_eq!(patch.project.content("new.txt"), b"x\ny\n");
    let delete = json!({"path": "new.txt", "edits": [{"op": "delete"}]});
    assert_eq!(edit(&patch, delete).await.unwrap(), "Deleted new.txt");
    assert!(!patch.project.path().join("new.txt").exists());

    let envelope = session(EditMode::ApplyPatch);
    envelope.project.file("a.rs", old);
    envelope.project.file("gone.txt", "x\n");
    let input = format!(
        "*** Begin Patch\n*** Update File: a.rs\n{diff}*** Add File: s/run\n+#!/bin/sh\n*** Delete File: gone.txt\n*** End Patch"
    );
    let said = edit(&envelope, json!({ "input": input })).await.unwrap();
    assert_eq!(said, "Updated a.rs (+1 -1 lines)\nCreated s/run (1 lines)\nDeleted gone.txt");
    assert_eq!(envelope.project.content("a.rs"), new.as_bytes());
    let mode = std::fs::metadata(envelope.project.path().join("s/run")).unwrap().permissions().mode();
    assert_eq!(mode & 0o111, 0o111, "{mode:o}");
}

/// `edit.fuzzyMatch` and `edit.fuzzyThreshold`.
// proves: FIL-013
#[tokio::test]
async fn nearly_equal_text_depends_on_the_settings() {
    let text = "let total = compute_everything(alpha, beta, gamma);\n";
    let old = "let total = compute_everythin(alpha, beta, gamma);";
    for (fuzzy, fits) in [(Fuzzy::From(0.95), true), (Fuzzy::Off, false), (Fuzzy::From(0.995), false)] {
        for mode in [EditMode::Replace, EditMode::Patch, EditMode::ApplyPatch] {
            let mut project = Project::new();
            (project.settings.edit.mode, project.settings.edit.fuzzy) = (mode, fuzzy);
            project.file("a.rs", text);
            let session = Session::with(project);
            let arguments = match mode {
                EditMode::Replace => json!({"path": "a.rs", "old_string": old, "new_string": "done"}),
                EditMode::Patch => json!({"path": "a.rs", "edits": [{"diff": format!("-{old}\n+done")}]}),
                _ => json!({"input": format!("*** Update File: a.rs\n-{old}\n+done")}),
            };
            let said = edit(&session, arguments).await;
            assert_eq!(said.is_ok(), fits, "{mode:?} {fuzzy:?}: {said:?}");
            match said {
                Ok(said) => {
                    assert!(
                        said.contains("Warnings:\na.rs: The ") && said.contains("98 % like it"),
                        "{said}"
                    );
                    assert!(said.ends_with("1:done"), "{said}");
                }
                Err(said) => assert!(said.contains("The closest place is lines 1-1"), "{said}"),
            }
        }
    }
}

/// Byte order mark, mixed line ends, bytes that are no text: all that is not named stays.
#[tokio::test]
async fn bytes_that_are_not_named_stay() {
    let session = session(EditMode::Replace);
    session.project.file("a.txt", b"\xef\xbb\xbfone\r\ntwo\nthr\xffee\r\nfour");
    let call = |old: &str, new: &str| json!({"path": "a.txt", "old_string": old, "new_string": new});
    edit(&session, call("one\ntwo", "1\n2")).await.unwrap();
    edit(&session, call("four", "4\n")).await.unwrap();
    assert_eq!(session.project.content("a.txt"), b"\xef\xbb\xbf1\r\n2\nthr\xffee\r\n4\r\n");
    let error = edit(&session, call("thr", "THR")).await.unwrap_err();
    assert!(error.contains("line 3 contains bytes that are not valid text"), "{error}");
    edit(&session, call("thr\u{fffd}ee\n", "three\n")).await.unwrap();
    assert_eq!(session.project.content("a.txt"), b"\xef\xbb\xbf1\r\n2\nthree\r\n4\r\n");
}

/// One section that does not fit leaves all files as they are, and so does a failure while writing.
#[tokio::test]
async fn a_patch_is_carried_out_whole_or_not_at_all() {
    let session = session(EditMode::ApplyPatch);
    session.project.file("a.txt", "a\n");
    session.project.file("b.txt", "b\n");
    session.project.file("c.txt", "c\n");
    session.project.file("d.txt", "d\n");
    let good = "*** Update File: a.txt\n-a\n+A\n*** Add File: new/deep/x.txt\n+new\n*** Delete File: c.txt\n\
                *** Update File: d.txt\n*** Move to: made/up/d.txt\n";
    for bad in [
        "*** Update File: b.txt\n-nowhere\n+B\n",
        "*** Update File: missing.txt\n-b\n+B\n",
        "*** Add File: b.txt\n+B\n",
        "*** Update File: b.txt\n*** Move to: c.txt\n-b\n+B\n",
        "*** Update File: c.txt\n-c\n+C\n",
        // Known only when it is tried: the parent of the new name is a file.
        "*** Update File: b.txt\n*** Move to: a.txt/b.txt\n-b\n+B\n",
    ] {
        let error = edit(&session, json!({ "input": format!("{good}{bad}") })).await.unwrap_err();
        let names = ["a.txt", "b.txt", "c.txt"].map(|name| session.project.content(name));
        assert_eq!(names, [b"a\n", b"b\n", b"c\n"], "{bad}: {error}");
        let left = std::fs::read_dir(session.project.path()).unwrap();
        let mut left: Vec<_> = left.map(|entry| entry.unwrap().file_name()).collect();
        left.sort();
        assert_eq!(left, ["a.txt", "b.txt", "c.txt", "d.txt"], "no new directories either: {bad}: {error}");
    }
}

/// Places that look alike, files that are generated or not there: the answers say what to do.
#[tokio::test]
async fn refusals_say_what_to_do() {
    let session = session(EditMode::Replace);
    session.project.file("a.txt", "x\ny\nx\n");
    session.project.file("g.go", "// Code generated by protoc. DO NOT EDIT.\nx\n");
    let call = |path: &str, old: &str| json!({"path": path, "old_string": old, "new_string": "z"});
    let error = edit(&session, call("a.txt", "x")).await.unwrap_err();
    assert!(
        error
            .starts_with("a.txt was not changed: The text to replace is in the file 2 times, at lines 1, 3."),
        "{error}"
    );
    let error = edit(&session, call("b.txt", "x")).await.unwrap_err();
    assert!(error.contains("File not found: b.txt. Use the write tool"), "{error}");
    let error = edit(&session, call("g.go", "x")).await.unwrap_err();
    assert!(error.contains("is a generated file"), "{error}");
    for round in 1..=3 {
        let same = json!({"path": "a.txt", "old_string": "y", "new_string": "y"});
        let said = edit(&session, same).await;
        assert_eq!(said.is_err(), round == 3, "{said:?}");
    }
}

/// Anchors are of use in one mode only.
// proves: FIL-014
#[tokio::test]
async fn anchors_are_shown_in_hashline_mode_only() {
    for mode in EditMode::ALL {
        let session = session(mode);
        let written = session.call("write", json!({"path": "a.txt", "content": "one\n"})).await.unwrap();
        let found = session.call("search", json!({"pattern": "one", "paths": "a.txt"})).await.unwrap();
        for shown in [session.read("a.txt").await, text(&written), text(&found)] {
            assert_eq!(shown.contains("a.txt#"), mode == EditMode::Hashline, "{mode:?}: {shown}");
        }
    }
}

/// An edit is carried out by its own call; nothing waits for a decision.
// proves: FIL-191
#[tokio::test]
async fn an_edit_leaves_nothing_to_resolve() {
    let session = session(EditMode::Hashline);
    session.project.file("a.txt", "one\n");
    let header = session.header("a.txt").await;
    session.edit(&format!("{header}\nSWAP 1:\n+two\n")).await.unwrap();
    assert_eq!(session.project.content("a.txt"), b"two\n");
    let resolve = session.tools.iter().find(|tool| tool.definition().name == "resolve").unwrap();
    assert!(resolve.demand().is_none());
    let error = session.call("resolve", json!({"action": "apply", "reason": "r"})).await.unwrap_err();
    assert!(error.starts_with("No pending action"), "{error}");
}

/// Nothing takes the name that another file of the same call gets.
#[tokio::test]
async fn two_files_are_not_moved_to_one_name() {
    let session = session(EditMode::ApplyPatch);
    for name in ["a.txt", "b.txt", "sub/x"] {
        session.project.file(name, format!("{name}\n"));
    }
    let first = "*** Update File: a.txt\n*** Move to: c.txt\n";
    for second in [
        "*** Update File: b.txt\n*** Move to: c.txt\n",
        "*** Update File: b.txt\n*** Move to: sub/../c.txt\n",
        "*** Add File: c.txt\n+new\n",
    ] {
        let error = edit(&session, json!({ "input": format!("{first}{second}") })).await.unwrap_err();
        assert!(error.contains("c.txt") && error.contains("already exists"), "{second}: {error}");
        assert_eq!(session.project.content("a.txt"), b"a.txt\n", "{second}: {error}");
        assert_eq!(session.project.content("b.txt"), b"b.txt\n", "{second}: {error}");
        assert!(!session.project.path().join("c.txt").exists(), "{second}: {error}");
    }
}

/// Strict schemas make models fill in what they could leave out.
#[tokio::test]
async fn a_move_alone_may_have_an_empty_diff() {
    let session = session(EditMode::Patch);
    session.project.file("a.txt", "a\n");
    let edits = json!([{ "op": "update", "rename": "b.txt", "diff": "" }]);
    let said = edit(&session, json!({ "path": "a.txt", "edits": edits })).await.unwrap();
    assert_eq!(said, "Moved a.txt to b.txt (+0 -0 lines)");
    assert_eq!(session.project.content("b.txt"), b"a\n");
    let error = edit(&session, json!({ "path": "b.txt", "edits": [{ "diff": "" }] })).await.unwrap_err();
    assert!(error.contains("There is no hunk"), "{error}");
}

/// A file may be named several times in one patch: what is done later is done to what was made of it before.
#[tokio::test]
async fn later_sections_go_on_where_earlier_ones_left_off() {
    let session = session(EditMode::ApplyPatch);
    let path = session.project.file("a.txt", "a\n");
    std::fs::set_permissions(&path, std::fs::Permissions::from_mode(0o755)).unwrap();
    let run = |input: &'static str| edit(&session, json!({ "input": input }));
    let there = |name: &str| session.project.path().join(name).exists();
    // Deleted and written anew, as models that know the envelope rewrite a file.
    let said = run("*** Delete File: a.txt\n*** Add File: a.txt\n+b\n+c\n").await.unwrap();
    assert_eq!(said, "Updated a.txt (+2 -1 lines)");
    assert_eq!(session.project.content("a.txt"), b"b\nc\n");
    assert_eq!(std::fs::metadata(&path).unwrap().permissions().mode() & 0o777, 0o755);
    // Made and moved.
    let said = run("*** Add File: x.txt\n+1\n*** Update File: x.txt\n*** Move to: y.txt\n-1\n+2\n").await;
    assert_eq!(said.unwrap(), "Created y.txt (1 lines)");
    assert_eq!((session.project.content("y.txt"), there("x.txt")), (b"2\n".to_vec(), false));
    // Made and deleted.
    let said = run("*** Add File: z.txt\n+1\n*** Delete File: z.txt\n*** Update File: a.txt\n-b\n+B\n").await;
    assert_eq!(said.unwrap(), "Deleted z.txt\nUpdated a.txt (+1 -1 lines)");
    assert!(!there("z.txt"));
    assert_eq!(session.project.content("a.txt"), b"B\nc\n");
}

/// Whoever is asked sees what would be done, in every mode.
#[test]
fn a_question_shows_the_edit() {
    let details = |mode: EditMode, arguments: Value| {
        let session = session(mode);
        session.project.file("a.txt", "a\n");
        let tool = session.tools.iter().find(|tool| tool.definition().name == "edit").unwrap().clone();
        let details = tool.approval_details(arguments.as_object().unwrap());
        details.into_iter().map(|detail| (detail.label, detail.value)).collect::<Vec<_>>()
    };
    let pair = |label: &'static str, value: &str| (label, value.to_owned());
    let input = "*** Update File: a.txt\n*** Move to: b.txt\n-a\n+b\n";
    let said = details(EditMode::ApplyPatch, json!({ "input": input }));
    let difference = pair("Difference", "--- a/a.txt\n+++ b/a.txt\n@@ -1 +1 @@\n-a\n+b\n");
    let moves = pair("Moves", "a.txt to b.txt");
    assert_eq!(said, [pair("Path", "a.txt"), pair("Path", "b.txt"), moves, difference.clone()]);
    let said = details(EditMode::Replace, json!({"path": "a.txt", "old_string": "a", "new_string": "b"}));
    assert_eq!(said, [pair("Path", "a.txt"), difference]);
    let said = details(EditMode::Replace, json!({"path": "a.txt", "old_string": "x", "new_string": "b"}));
    assert!(said[1].0 == "Fails" && said[2..] == [pair("Replace", "x"), pair("With", "b")], "{said:?}");
    let edits = json!([{"diff": "-a\n+b"}, {"op": "delete"}]);
    let said = details(EditMode::Patch, json!({"path": "a.txt", "edits": edits}));
    let removed = pair("Difference", "--- a/a.txt\n+++ b/a.txt\n@@ -1 +0,0 @@\n-a\n");
    assert_eq!(said, [pair("Path", "a.txt"), pair("Deletes", "a.txt"), removed]);
}

/// Another file system is as good a place as any, and what cannot be done after the move takes it back.
#[tokio::test]
async fn a_file_can_be_moved_to_another_file_system() {
    use std::os::unix::fs::MetadataExt;
    let session = session(EditMode::ApplyPatch);
    let memory = tempfile::tempdir_in("/dev/shm").unwrap();
    let device = |path: &std::path::Path| std::fs::metadata(path).unwrap().dev();
    assert_ne!(device(memory.path()), device(&session.project.path()), "two file systems");
    let path = session.project.file("a.sh", "one\n");
    std::fs::set_permissions(&path, std::fs::Permissions::from_mode(0o750)).unwrap();
    let to = memory.path().join("sub/b.sh");
    let patch = format!("*** Update File: a.sh\n*** Move to: {}\n@@\n-one\n+two\n", to.display());

    let failing = format!("{patch}*** Add File: wall/x\n+1\n");
    session.project.file("wall", "");
    let error = edit(&session, json!({ "input": failing })).await.unwrap_err();
    assert!(error.ends_with("Nothing was changed."), "{error}");
    assert_eq!((session.project.content("a.sh"), to.exists()), (b"one\n".to_vec(), false));
    assert_eq!(std::fs::metadata(&path).unwrap().permissions().mode() & 0o777, 0o750);

    edit(&session, json!({ "input": patch })).await.unwrap();
    assert_eq!((std::fs::read(&to).unwrap(), path.exists()), (b"two\n".to_vec(), false));
    assert_eq!(std::fs::metadata(&to).unwrap().permissions().mode() & 0o777, 0o750);
}
