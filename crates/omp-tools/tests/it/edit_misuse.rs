//! Edits of files that are not what the model thinks: gone, renamed, replaced, somewhere else, not text. The edit that
//! was meant, or a sentence from which the next call succeeds; no other byte changes.

use std::os::unix::fs::{PermissionsExt, symlink};

use omp_tools::EditMode;
use omp_types::Approval;
use serde_json::{Value, json};

use crate::support::session::Session;
use crate::support::{Project, numbered};

fn session(mode: EditMode) -> Session {
    let mut project = Project::new();
    project.settings.edit_mode = mode;
    Session::with(project)
}

#[tokio::test]
async fn a_file_that_went_away_is_told_apart_from_one_that_never_was() {
    let session = Session::new();
    let path = session.project.file("a.txt", "one\n");
    let header = session.header("a.txt").await;
    let edit = format!("{header}\nSWAP 1:\n+ONE\n");
    std::fs::rename(&path, session.project.path().join("b.txt")).unwrap();
    let error = session.edit(&edit).await.unwrap_err();
    assert!(error.starts_with("File not found: a.txt. It was there when it was read"), "{error}");
    assert!(error.contains("renamed") && error.contains("write tool"), "{error}");
    assert_eq!(session.project.content("b.txt"), b"one\n");
    std::fs::create_dir(&path).unwrap();
    assert_eq!(session.edit(&edit).await.unwrap_err(), "a.txt is a directory; name a file in it.");
    std::fs::remove_dir(&path).unwrap();
    symlink("nowhere", &path).unwrap();
    let error = session.edit(&edit).await.unwrap_err();
    assert!(error.starts_with("a.txt is a link to a file that does not exist."), "{error}");
    std::fs::remove_file(&path).unwrap();
    // The same text behind a link is the same text.
    symlink("b.txt", &path).unwrap();
    session.edit(&edit).await.unwrap();
    assert_eq!(session.project.content("b.txt"), b"ONE\n");
    assert!(path.is_symlink());
}

#[tokio::test]
async fn links_lead_to_the_file_that_is_changed() {
    let session = Session::new();
    let outside = session.project.home().join("outside.txt");
    std::fs::write(&outside, "one\ntwo\n").unwrap();
    std::fs::set_permissions(&outside, std::fs::Permissions::from_mode(0o604)).unwrap();
    session.project.file("sub/real.txt", "one\ntwo\n");
    symlink("../../home/outside.txt", session.project.path().join("sub/out")).unwrap();
    symlink("sub/real.txt", session.project.path().join("relative")).unwrap();
    symlink("loop", session.project.path().join("loop")).unwrap();
    for (link, file) in [("sub/out", outside), ("relative", session.project.path().join("sub/real.txt"))] {
        let header = session.header(link).await;
        session.edit(&format!("{header}\nSWAP 2:\n+TWO\n")).await.unwrap();
        assert_eq!(std::fs::read(&file).unwrap(), b"one\nTWO\n");
        assert!(session.project.path().join(link).is_symlink(), "{link}");
    }
    let mode = std::fs::metadata(session.project.home().join("outside.txt")).unwrap().permissions().mode();
    assert_eq!(mode & 0o777, 0o604);
    let error = session.edit("[loop#0000]\nDEL 1\n").await.unwrap_err();
    assert!(error.starts_with("loop cannot be read: "), "{error}");
}

/// One bad section: its file is named, and nothing is written.
#[tokio::test]
async fn errors_of_several_files_say_which() {
    let session = Session::new();
    session.project.file("a.txt", "one\n");
    session.project.file("b.txt", "two\n");
    let (a, b) = (session.header("a.txt").await, session.header("b.txt").await);
    let error = session.edit(&format!("{a}\nSWAP 1:\n+ONE\n{b}\nSWAP 9:\n+x\n")).await.unwrap_err();
    assert_eq!(
        error,
        "Nothing was written, because of b.txt: Line 9 does not exist (file has 1 lines)\n\n 1:two"
    );
    assert_eq!(session.project.content("a.txt"), b"one\n");
}

#[tokio::test]
async fn lines_that_stand_for_others_are_not_written() {
    let stub = "fn a() {}\n// ... existing code ...\n";
    let hashline = Session::new();
    hashline.project.file("a.rs", numbered(9));
    let header = hashline.header("a.rs").await;
    let call = json!({ "input": format!("{header}\nSWAP 2.=8:\n+new\n+// ... existing code ...\n") });
    let error = hashline.call("edit", call).await.unwrap_err();
    assert!(
        error.starts_with("a.rs was not changed: the new text says \"// ... existing code ...\""),
        "{error}"
    );
    let error = hashline.call("write", json!({ "path": "a.rs", "content": stub })).await.unwrap_err();
    assert!(error.contains("change only the lines that differ"), "{error}");
    assert_eq!(hashline.project.content("a.rs"), numbered(9).as_bytes());
    // A new file, and one that says so already.
    hashline.call("write", json!({ "path": "new.rs", "content": stub })).await.unwrap();
    hashline.call("write", json!({ "path": "new.rs", "content": format!("{stub}x\n") })).await.unwrap();
    let replace = session(EditMode::Replace);
    replace.project.file("a.rs", "one\ntwo\n");
    let call = json!({ "path": "a.rs", "old_string": "one", "new_string": "# ... rest of the file ..." });
    let error = replace.call("edit", call).await.unwrap_err();
    assert!(error.contains("would be lost"), "{error}");
    assert_eq!(replace.project.content("a.rs"), b"one\ntwo\n");
}

/// Bytes that are no text show as U+FFFD: a row that repeats it would write something else.
#[tokio::test]
async fn broken_bytes_are_not_written_as_their_sign() {
    let session = Session::new();
    let old = b"gr\xc3\xb6\xc3\x9fer \xff x\ntwo\n";
    session.project.file("a.txt", old);
    let header = session.header("a.txt").await;
    let error = session.edit(&format!("{header}\nSWAP 1:\n+größer \u{fffd} y\n")).await.unwrap_err();
    assert!(error.contains("line 1 holds bytes that are no text"), "{error}");
    assert_eq!(session.project.content("a.txt"), old);
    session.edit(&format!("{header}\nSWAP 1:\n+größer\n")).await.unwrap();
    assert_eq!(session.project.content("a.txt"), "größer\ntwo\n".as_bytes());
}

#[tokio::test]
async fn a_line_of_ten_megabytes_is_a_line() {
    let session = Session::new();
    let long = "x".repeat(10 << 20);
    session.project.file("long.txt", format!("one\n{long}\nthree\n"));
    let header = session.header("long.txt:1-1").await;
    let answer = session.edit(&format!("{header}\nSWAP 3:\n+THREE\n")).await.unwrap();
    assert!(answer.len() < 2_000 && answer.contains("3:THREE"), "{} bytes", answer.len());
    assert!(session.project.content("long.txt").ends_with(b"x\nTHREE\n"));
    let replace = self::session(EditMode::Replace);
    replace.project.file("long.txt", format!("one\n{long}\nthree\n"));
    let call = |old: &str| json!({ "path": "long.txt", "old_string": old, "new_string": "THREE" });
    let error = replace.call("edit", call("threee")).await.unwrap_err();
    assert!(error.len() < 2_000 && error.contains("3:three"), "{error}");
    replace.call("edit", call("three")).await.unwrap();
    assert!(replace.project.content("long.txt").ends_with(b"x\nTHREE\n"));
}

/// An edit of what belongs to the session alone needs no question; every file that a call touches counts for that.
#[tokio::test]
async fn no_file_slips_past_a_question() {
    let approval = |mode: EditMode, arguments: Value| {
        let session = session(mode);
        let tool = session.tools.iter().find(|tool| tool.definition().name == "edit").unwrap().clone();
        tool.approval(arguments.as_object().unwrap()).unwrap().tier
    };
    let own = "*** Update File: local://plan.md\n-a\n+b\n";
    let envelope = |more: &str| approval(EditMode::ApplyPatch, json!({ "input": format!("{own}{more}") }));
    assert_eq!(envelope(""), Approval::READ.tier);
    for more in [
        "***Update File:src/a.rs\n-a\n+b\n",
        "***  Delete File: src/a.rs\n",
        "*** Update File: local://b.md\n*** Move to: src/b.md\n",
    ] {
        assert_eq!(envelope(more), Approval::WRITE.tier, "{more}");
    }
    let patch = |rename: &str| {
        let edits = json!([{ "diff": "-a\n+b" }, { "rename": rename }]);
        approval(EditMode::Patch, json!({ "path": "local://plan.md", "edits": edits }))
    };
    assert_eq!(patch("local://b.md"), Approval::READ.tier);
    assert_eq!(patch("src/b.md"), Approval::WRITE.tier);
    // Nor is a file of the project taken for one of the session because it has the name and the tag.
    let session = Session::new();
    session.project.file("plan.md", "one\n");
    let header = session.header("plan.md").await.replace("plan.md", "local://x/plan.md");
    session.edit(&format!("{header}\nSWAP 1:\n+ONE\n")).await.unwrap_err();
    assert_eq!(session.project.content("plan.md"), b"one\n");
}

/// A link that a failed patch had deleted is a link again.
#[tokio::test]
async fn a_deleted_link_comes_back_as_a_link() {
    let session = session(EditMode::ApplyPatch);
    session.project.file("real.txt", "x\n");
    session.project.file("b.txt", "b\n");
    let link = session.project.path().join("link");
    symlink("real.txt", &link).unwrap();
    let input = "*** Delete File: link\n*** Update File: b.txt\n*** Move to: real.txt/c.txt\n-b\n+B\n";
    let error = session.call("edit", json!({ "input": input })).await.unwrap_err();
    assert!(error.contains("Nothing was changed."), "{error}");
    assert_eq!(std::fs::read_link(&link).unwrap().to_str(), Some("real.txt"));
    assert_eq!(session.project.content("b.txt"), b"b\n");
}
