//! Edits of files that are not what the model thinks: gone, renamed, replaced, somewhere else, not text. The edit that
//! was meant, or a sentence from which the next call succeeds; no other byte changes.

use std::os::unix::fs::{MetadataExt, PermissionsExt, symlink};

use omp_agent::Updates;
use omp_tools::EditMode;
use omp_types::Approval;
use omp_workspace::turn::Turn;
use serde_json::{Value, json};
use tokio_util::sync::CancellationToken;

use crate::support::session::Session;
use crate::support::{Project, invocation, numbered};

fn session(mode: EditMode) -> Session {
    let mut project = Project::new();
    project.settings.edit.mode = mode;
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
    assert!(error.starts_with("File not found: a.txt. It was deleted or renamed"), "{error}");
    assert!(error.contains("renamed") && error.contains("write tool"), "{error}");
    assert_eq!(session.project.content("b.txt"), b"one\n");
    std::fs::create_dir(&path).unwrap();
    assert_eq!(session.edit(&edit).await.unwrap_err(), "a.txt is a directory; name a file in it.");
    std::fs::remove_dir(&path).unwrap();
    symlink("nowhere", &path).unwrap();
    let error = session.edit(&edit).await.unwrap_err();
    assert!(error.starts_with("a.txt is a symbolic link to a file that does not exist."), "{error}");
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
        "Nothing was written because of b.txt: Line 9 does not exist (file has 1 lines)\n\n 1:two"
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
        error.starts_with("a.rs was not changed: the new text contains \"// ... existing code ...\""),
        "{error}"
    );
    let error = hashline.call("write", json!({ "path": "a.rs", "content": stub })).await.unwrap_err();
    assert!(error.contains("Change only the lines that differ"), "{error}");
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
    assert!(error.contains("line 1 contains bytes that are not valid text"), "{error}");
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

/// The same file under two names is one file, in every mode: it is refused at once, not half done.
#[tokio::test]
async fn one_file_under_two_names_is_refused_whatever_leads_to_it() {
    let old = "one\ntwo\nthree\n";
    let with_names = |mode: EditMode| {
        let session = session(mode);
        let real = session.project.file("a.txt", old);
        session.project.file("sub/x", "");
        symlink("a.txt", session.project.path().join("link")).unwrap();
        std::fs::hard_link(&real, session.project.path().join("hard")).unwrap();
        session
    };
    let hashline = with_names(EditMode::Hashline);
    let header = hashline.header("a.txt").await;
    let envelope = with_names(EditMode::ApplyPatch);
    for other in ["link", "hard", "sub/../a.txt"] {
        let two = header.replace("a.txt", other);
        let error = hashline.edit(&format!("{header}\nDEL 1\n{two}\nDEL 2\n")).await.unwrap_err();
        assert!(error.contains(&format!("'a.txt' and '{other}' are the same file.")), "{error}");
        assert_eq!(hashline.project.content("a.txt"), old.as_bytes());
        for change in ["-two\n+TWO\n", "*** Move to: moved\n"] {
            let input = format!("*** Update File: a.txt\n-one\n+ONE\n*** Update File: {other}\n{change}");
            let error = envelope.call("edit", json!({ "input": input })).await.unwrap_err();
            assert!(error.contains(&format!("'a.txt' and '{other}' are the same file.")), "{error}");
            assert_eq!(envelope.project.content("a.txt"), old.as_bytes());
        }
    }
}

/// A call that was cancelled while it waited for its turn writes nothing afterwards.
#[tokio::test]
async fn what_was_cancelled_is_not_written_later() {
    for mode in EditMode::ALL {
        let session = session(mode);
        let path = session.project.file("a.txt", "one\ntwo\n");
        let arguments = match mode {
            EditMode::Hashline => {
                json!({ "input": format!("{}\nSWAP 1:\n+ONE\n", session.header("a.txt").await) })
            }
            EditMode::ApplyPatch => json!({ "input": "*** Update File: a.txt\n-one\n+ONE\n" }),
            EditMode::Patch => json!({ "path": "a.txt", "edits": [{ "diff": "-one\n+ONE\n" }] }),
            EditMode::Replace => json!({ "path": "a.txt", "old_string": "one", "new_string": "ONE" }),
        };
        let tool = session.tools.iter().find(|tool| tool.definition().name == "edit").unwrap().clone();
        let turn = Turn::wait(&path);
        let cancel = CancellationToken::new();
        let call = invocation(&arguments, cancel.clone(), Updates::ignored());
        let running = tokio::spawn(async move { tool.run(call).await });
        tokio::task::yield_now().await;
        cancel.cancel();
        drop(turn);
        let error = running.await.unwrap().unwrap_err().message;
        assert!(error.contains("nothing was written"), "{mode:?}: {error}");
        assert_eq!(session.project.content("a.txt"), b"one\ntwo\n", "{mode:?}");
    }
}

/// A header that was made of what was read, with its range, names no file.
#[tokio::test]
async fn a_range_in_a_header_is_told() {
    let session = Session::new();
    session.project.file("a.txt", numbered(30));
    let header = session.header("a.txt:10-12").await;
    for range in ["10-12", "10", "raw", "5+3"] {
        let wrong = header.replace("a.txt", &format!("a.txt:{range}"));
        let error = session.edit(&format!("{wrong}\nDEL 10\n")).await.unwrap_err();
        assert!(error.starts_with(&format!("File not found: a.txt:{range}.")), "{error}");
        assert!(error.ends_with(&format!("write {header}.")), "{error}");
    }
    // A file that is called so is that file.
    session.project.file("a.txt:10", "one\n");
    let tag = omp_edits::hashline::Tag::of("one\n");
    session.edit(&format!("[a.txt:10#{tag}]\nSWAP 1:\n+ONE\n")).await.unwrap();
    assert_eq!(session.project.content("a.txt:10"), b"ONE\n");
}

/// A remark about one of several files says about which.
#[tokio::test]
async fn warnings_of_several_files_say_which() {
    let session = Session::new();
    let code = "fn a() {\n    x();\n    y();\n    z();\n}\n";
    session.project.file("a.rs", code);
    session.project.file("b.rs", code);
    let (a, b) = (session.header("a.rs").await, session.header("b.rs").await);
    let hunk = "SWAP 3:\n+    x();\n+    yy();\n+    z();\n";
    let answer = session.edit(&format!("{a}\nSWAP 2:\n+    xx();\n{b}\n{hunk}")).await.unwrap();
    let (_, warnings) = answer.split_once("\n\nWarnings:\n").unwrap();
    assert!(warnings.starts_with("b.rs: `SWAP 3.=3:`: the body repeated"), "{warnings}");
    let a = session.header("a.rs").await;
    let alone = session.edit(&format!("{a}\nSWAP 3:\n+    xx();\n+    yy();\n+    z();\n")).await.unwrap();
    assert!(alone.contains("Warnings:\n`SWAP 3.=3:`"), "{alone}");
}

/// What a mode does not know of has no say in whether a question is asked.
#[test]
fn only_what_a_mode_reads_decides_about_a_question() {
    let session = session(EditMode::Hashline);
    let tool = session.tools.iter().find(|tool| tool.definition().name == "edit").unwrap();
    let arguments = json!({ "path": "local://plan.md", "input": "[src/a.rs#0000]\nDEL 1\n" });
    assert_eq!(tool.approval(arguments.as_object().unwrap()).unwrap().tier, Approval::WRITE.tier);
}

/// Makes a file that nobody may write. The superuser may write more than others; false if there is no way.
#[allow(clippy::disallowed_methods, reason = "a helper that is waited for at once")]
fn protect(path: &std::path::Path, on: bool) -> bool {
    let mode = if on { 0o444 } else { 0o644 };
    let immutable = |sign: &str| std::process::Command::new("chattr").arg(sign).arg(path).output();
    if !on {
        let _ = immutable("-i");
    }
    std::fs::set_permissions(path, std::fs::Permissions::from_mode(mode)).unwrap();
    let writable = || std::fs::OpenOptions::new().write(true).open(path).is_ok();
    if on && writable() {
        let _ = immutable("+i");
    }
    on != writable()
}

/// A file that cannot be written is found before the first is written.
///
/// proves: FIL-187
#[tokio::test]
async fn a_protected_file_keeps_the_others_as_they_are() {
    for mode in [EditMode::Hashline, EditMode::ApplyPatch] {
        let session = session(mode);
        let (a, b) = (session.project.file("a.txt", "one\n"), session.project.file("b.txt", "two\n"));
        let input = match mode {
            EditMode::Hashline => {
                let (a, b) = (session.header("a.txt").await, session.header("b.txt").await);
                format!("{a}\nSWAP 1:\n+ONE\n{b}\nSWAP 1:\n+TWO\n")
            }
            _ => "*** Update File: a.txt\n-one\n+ONE\n*** Update File: b.txt\n-two\n+TWO\n".to_owned(),
        };
        if !protect(&b, true) {
            return;
        }
        let before = std::fs::metadata(&a).unwrap().ino();
        let said = session.call("edit", json!({ "input": input })).await;
        assert!(protect(&b, false));
        let error = said.unwrap_err();
        assert!(error.starts_with("b.txt is write-protected"), "{mode:?}: {error}");
        assert!(error.contains("Written: nothing.") || error.ends_with("Nothing was changed."), "{error}");
        assert_eq!(session.project.content("a.txt"), b"one\n", "{mode:?}: {error}");
        assert_eq!(std::fs::metadata(&a).unwrap().ino(), before, "it was not even rewritten: {mode:?}");
    }
}

/// What a read shows as the name of a file can be given back, whatever the name is.
#[tokio::test]
async fn odd_names_come_back() {
    let session = Session::new();
    for name in [
        "a b.txt",
        "app/[id]/[...rest].tsx",
        "it's \"quoted\".txt",
        "a:12",
        "a.txt:raw",
        "ünï \u{1f600}.txt",
        "-dash",
        "+plus",
        "a]b[c",
        "*?{x}.txt",
        "back\\slash",
        "a.=b",
    ] {
        session.project.file(name, "one\ntwo\n");
        let tag = omp_edits::hashline::Tag::of("one\ntwo\n");
        let answer = session.edit(&format!("[{name}#{tag}]\nSWAP 1:\n+ONE\n")).await.unwrap();
        let header = answer.lines().next().unwrap();
        assert_eq!(header, format!("[{name}#{}]", omp_edits::hashline::Tag::of("ONE\ntwo\n")));
        session.edit(&format!("{header}\nSWAP 2:\n+TWO\n")).await.unwrap();
        assert_eq!(session.project.content(name), b"ONE\nTWO\n", "{name}");
    }
}
