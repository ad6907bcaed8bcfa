//! Merge conflicts: found by reads, resolved by writes.

use crate::support::Project;
use crate::support::session::Session;
use crate::support::text;
use serde_json::json;

const TWO: &str = "top
<<<<<<< HEAD
our one
=======
their one
>>>>>>> topic
middle
<<<<<<< HEAD
our two
||||||| 1a2b3c4
base two
=======
their two a
their two b
>>>>>>> topic
bottom
";

fn session() -> Session {
    let session = Session::new();
    session.project.file("a.txt", TWO);
    session
}

async fn write(session: &Session, path: &str, content: &str) -> Result<String, String> {
    session.call("write", json!({"path": path, "content": content})).await.map(|output| text(&output))
}

fn content(session: &Session, name: &str) -> String {
    String::from_utf8(session.project.content(name)).unwrap()
}

// proves: FIL-046
#[tokio::test]
async fn a_read_warns_of_the_conflicts_it_shows() {
    let session = session();
    let shown = session.read("a.txt").await;
    let (_, warning) = shown.split_once("[Warning: 2 unresolved merge conflicts in these lines]\n").unwrap();
    let expected = "conflict://1, lines 2-6
  ours (HEAD):
    our one
  theirs (topic):
    their one
conflict://2, lines 8-15
  ours (HEAD):
    our two
  base:
    base two
  theirs (topic):
    their two a
    their two b
To resolve one, write to conflict://1: ";
    assert!(warning.starts_with(expected), "{warning}");
    // Numbers stay with their text, wherever it moves, and part of a file shows its part.
    session.project.file("a.txt", format!("new first line\n{TWO}"));
    let part = session.read("a.txt:8-20").await;
    assert!(
        part.contains("1 unresolved merge conflict in") && part.contains("conflict://2, lines 9-16"),
        "{part}"
    );
    session.project.file("b.txt", TWO);
    assert!(session.read("b.txt").await.contains("conflict://3, lines 2-6"), "another file, another number");
    assert!(session.read("a.txt").await.contains("conflict://1, lines 3-7"));
    // Neither half of a conflict nor verbatim text.
    assert!(!session.read("a.txt:1-2").await.contains("[Warning"));
    assert!(!session.read("a.txt:raw").await.contains("[Warning"));
    session.project.file("doc.md", "  <<<<<<< HEAD\n=======\n>>>>>>> x\n");
    assert!(!session.read("doc.md").await.contains("[Warning"), "markers stand in the first column");
}

// proves: FIL-020
#[tokio::test]
async fn conflicts_of_a_file_are_listed() {
    let session = session();
    let list = session.read("a.txt:conflicts").await;
    assert!(
        list.starts_with("2 unresolved merge conflicts in a.txt:\n\nconflict://1, lines 2-6\n"),
        "{list}"
    );
    assert!(list.contains("\n\nconflict://2, lines 8-15\n") && list.contains("    their two b\n"), "{list}");
    assert!(!list.contains("middle"), "nothing but conflicts: {list}");
    session.project.file("clean.txt", "x\n");
    assert_eq!(session.read("clean.txt:conflicts").await, "clean.txt has no unresolved conflicts.");
    session.project.file("odd:conflicts", "a file of that name\n");
    assert!(session.read("odd:conflicts").await.contains("a file of that name"));
    let read = |path: &str| session.call("read", json!({ "path": path }));
    assert!(read("missing.txt:conflicts").await.is_err());
    assert!(read(".:conflicts").await.unwrap_err().contains("needs a text file"));
}

// proves: FIL-103
#[tokio::test]
async fn sides_can_be_read_and_not_written() {
    let session = session();
    session.read("a.txt").await;
    assert_eq!(session.read("conflict://2/theirs").await, "their two a\ntheir two b");
    assert_eq!(session.read("conflict://2/base").await, "base two");
    assert_eq!(session.read("conflict://2/ours").await, "our two");
    assert!(session.read("conflict://1").await.starts_with("<<<<<<< HEAD\nour one\n"));
    assert_eq!(
        session.read("conflict://*").await,
        "a.txt: conflict://1, lines 2-6\na.txt: conflict://2, lines 8-15"
    );
    let error = session.call("read", json!({"path": "conflict://1/base"})).await.unwrap_err();
    assert!(error.contains("has no base"), "{error}");
    let error = write(&session, "conflict://1/ours", "x").await.unwrap_err();
    assert!(
        error.contains("is read-only") && error.contains("write to conflict://1 without a side"),
        "{error}"
    );
    let error = write(&session, "conflict://99", "x").await.unwrap_err();
    assert!(error.contains("Conflict 99 does not exist; known conflicts: 1, 2"), "{error}");
    for wrong in ["conflict://", "conflict://one", "conflict://1/mine", "conflict://*/ours"] {
        assert!(
            write(&session, wrong, "x").await.unwrap_err().contains("does not name a conflict"),
            "{wrong}"
        );
    }
    assert_eq!(content(&session, "a.txt"), TWO);
}

// proves: FIL-102, FIL-084
#[tokio::test]
async fn one_conflict_is_replaced_and_the_rest_stays() {
    let session = session();
    session.read("a.txt").await;
    let said = write(&session, "conflict://2", "merged\n@ours\n").await.unwrap();
    let header = said.lines().next().unwrap();
    assert!(
        said.ends_with("Resolved conflict 2 in a.txt: now lines 8-9. Still unresolved in a.txt: 1."),
        "{said}"
    );
    let (top, bottom) = (TWO.split("<<<<<<< HEAD\nour two").next().unwrap(), "bottom\n");
    assert_eq!(content(&session, "a.txt"), format!("{top}merged\nour two\n{bottom}"));
    session.edit(&format!("{header}\nSWAP 8:\n+MERGED\n")).await.unwrap();
    assert!(write(&session, "conflict://2", "x").await.unwrap_err().contains("is already resolved"));
    // The region changed on disk: nothing is written.
    let changed = content(&session, "a.txt").replace("our one", "our uno");
    session.project.file("a.txt", &changed);
    let error = write(&session, "conflict://1", "x").await.unwrap_err();
    assert!(error.contains("Conflict 1 in a.txt has changed since it was read"), "{error}");
    assert_eq!(content(&session, "a.txt"), changed);
    // It moved and is otherwise the same: it is found.
    let moved = format!("first\r\n{}", changed.replace("our uno", "our one"));
    session.project.file("a.txt", &moved);
    write(&session, "conflict://1", "").await.unwrap();
    let rest = content(&session, "a.txt");
    assert_eq!(rest, "first\r\ntop\nmiddle\nMERGED\nour two\nbottom\n");
}

/// Bytes around a conflict stay: line ends, encodings. Content that was pasted from a read loses its numbers.
#[tokio::test]
async fn bytes_around_a_conflict_stay() {
    let session = Session::new();
    let old = b"a\xff\r\n<<<<<<< x\r\none\r\n=======\r\ntwo\r\n>>>>>>> y\r\nb\n";
    session.project.file("a.txt", old);
    assert!(session.read("a.txt").await.contains("conflict://1"));
    write(&session, "conflict://1", "1:@both\n2:three\n").await.unwrap();
    assert_eq!(session.project.content("a.txt"), b"a\xff\r\none\r\ntwo\r\nthree\r\nb\n");
}

// proves: FIL-104
#[tokio::test]
async fn lines_stand_for_sides_and_all_can_be_resolved_at_once() {
    let three = format!("{TWO}<<<<<<< HEAD\nour three\n=======\ntheir three\n>>>>>>> topic\n");
    for (content_written, expected) in [
        ("@ours", "top\nour one\nmiddle\nour two\nbottom\nour three\n"),
        ("@theirs\n", "top\ntheir one\nmiddle\ntheir two a\ntheir two b\nbottom\ntheir three\n"),
        (
            "@both\n--",
            "top\nour one\ntheir one\n--\nmiddle\nour two\ntheir two a\ntheir two b\n--\nbottom\nour three\ntheir three\n--\n",
        ),
    ] {
        let session = session();
        session.project.file("a.txt", &three);
        session.read("a.txt").await;
        let said = write(&session, "conflict://*", content_written).await.unwrap();
        assert!(said.starts_with("Resolved 3 conflicts in 1 file.\na.txt: 1, 2, 3."), "{said}");
        assert_eq!(content(&session, "a.txt"), expected);
        assert!(
            write(&session, "conflict://*", "@ours").await.unwrap_err().contains("No conflicts to resolve")
        );
    }
    let session = session();
    session.project.file("a.txt", &three);
    session.read("a.txt").await;
    let error = write(&session, "conflict://*", "@base").await.unwrap_err();
    assert!(error.contains("Conflict 1 has no base"), "{error}");
    assert!(
        write(&session, "conflict://*", "1: @ours\n7: @theirs\n")
            .await
            .unwrap_err()
            .contains("Conflict 7 does not exist")
    );
    assert!(
        write(&session, "conflict://*", "1: @ours\n1: @theirs\n").await.unwrap_err().contains("listed twice")
    );
    assert_eq!(content(&session, "a.txt"), three, "nothing was written");
    let said = write(&session, "conflict://*", "3: @both\n\n1: @ours\n2: @base").await.unwrap();
    assert!(said.contains("a.txt: 1, 2, 3."), "{said}");
    assert_eq!(
        content(&session, "a.txt"),
        "top\nour one\nmiddle\nbase two\nbottom\nour three\ntheir three\n"
    );
    // A line that only contains such a word is text.
    session.project.file("b.txt", TWO);
    session.read("b.txt").await;
    write(&session, "conflict://4", " @ours\n@ours and more").await.unwrap();
    assert!(content(&session, "b.txt").starts_with("top\n @ours\n@ours and more\nmiddle\n"));
}

// proves: FIL-105
#[tokio::test]
async fn each_file_of_a_bulk_is_resolved_whole_or_not_at_all() {
    let session = session();
    session.project.file("b.txt", TWO);
    session.project.file("c.txt", TWO);
    for name in ["a.txt", "b.txt", "c.txt"] {
        session.read(name).await;
    }
    let stale = TWO.replace("their two b", "their two c");
    session.project.file("b.txt", &stale);
    let said = write(&session, "conflict://*", "@ours").await.unwrap();
    assert!(said.starts_with("Resolved 4 conflicts in 2 files."), "{said}");
    assert!(
        said.contains("Conflict 4 in b.txt has changed since it was read; nothing was written there."),
        "{said}"
    );
    assert_eq!(content(&session, "b.txt"), stale, "not even the conflict that is unchanged");
    let (_, snapshots) = said.split_once("\n\nSnapshots:\n").unwrap();
    let headers: Vec<&str> = snapshots.lines().collect();
    assert_eq!(headers.len(), 2);
    for (header, name) in headers.iter().zip(["a.txt", "c.txt"]) {
        assert!(header.starts_with(&format!("[{name}#")), "{header}");
        session.edit(&format!("{header}\nSWAP 1:\n+TOP\n")).await.unwrap();
        assert_eq!(content(&session, name), "TOP\nour one\nmiddle\nour two\nbottom\n");
    }
}

/// Other modes have no tags to tell.
#[tokio::test]
async fn without_anchors_there_are_no_snapshots() {
    let mut project = Project::new();
    project.settings.edit.mode = omp_tools::EditMode::Replace;
    project.file("a.txt", TWO);
    let session = Session::with(project);
    session.read("a.txt").await;
    let said = write(&session, "conflict://1", "@theirs").await.unwrap();
    assert_eq!(said, "Resolved conflict 1 in a.txt: now line 2. Still unresolved in a.txt: 2.");
    let said = write(&session, "conflict://*", "@theirs").await.unwrap();
    assert_eq!(said, "Resolved 1 conflict in 1 file.\na.txt: 2.");
}
