//! The write tool, as a model uses it.

use std::os::unix::fs::PermissionsExt;

use crate::support::session::Session;
use crate::support::{Project, meta, text};
use omp_agent::Scheduling;
use omp_types::ToolOutput;
use serde_json::{Map, json};

async fn write(project: &Project, path: &str, content: &str) -> ToolOutput {
    project.call("write", json!({ "path": path, "content": content })).await.unwrap()
}

async fn write_error(project: &Project, path: &str, content: &str) -> String {
    project.call("write", json!({ "path": path, "content": content })).await.unwrap_err().message
}

fn mode(project: &Project, name: &str) -> u32 {
    std::fs::metadata(project.path().join(name)).unwrap().permissions().mode() & 0o777
}

// proves: FIL-082
#[tokio::test]
async fn creates_and_overwrites_exclusively() {
    let project = Project::new();
    let output = write(&project, "f.txt", "one\n").await;
    assert_eq!(output.details.as_ref().unwrap()["created"], true);
    assert_eq!(project.content("f.txt"), b"one\n");
    let output = write(&project, "f.txt", "two").await;
    assert_eq!(output.details.as_ref().unwrap()["created"], false);
    assert_eq!(project.content("f.txt"), b"two");
    assert_eq!(project.tool("write").scheduling(&Map::new()), Scheduling::Exclusive);
}

// proves: FIL-083
#[tokio::test]
async fn the_count_is_in_utf_16_units() {
    let project = Project::new();
    assert_eq!(text(&write(&project, "e.txt", "a😀é\n").await), "Successfully wrote 5 bytes to e.txt");
    let outside = project.home().join("g.txt");
    let shown = text(&write(&project, "~/g.txt", "").await);
    assert_eq!(shown, format!("Successfully wrote 0 bytes to {}", outside.display()));
}

// proves: FIL-085
#[tokio::test]
async fn missing_directories_are_created() {
    let project = Project::new();
    let output = write(&project, "a/b/c.txt", "x").await;
    assert_eq!(text(&output), "Successfully wrote 1 bytes to a/b/c.txt");
    assert_eq!(project.content("a/b/c.txt"), b"x");
    assert_eq!(meta(&output)["source"]["value"], project.path().join("a/b/c.txt").to_str().unwrap());
}

// proves: FIL-090
#[tokio::test]
async fn scripts_become_executable() {
    let project = Project::new();
    let output = write(&project, "run.sh", "#!/bin/sh\necho hi\n").await;
    assert_eq!(output.details.unwrap()["madeExecutable"], true);
    assert_eq!(mode(&project, "run.sh") & 0o111, mode(&project, "run.sh") >> 2 & 0o111);
    assert_ne!(mode(&project, "run.sh") & 0o100, 0);
    let output = write(&project, "plain.txt", "no script\n").await;
    assert_eq!(output.details.unwrap().get("madeExecutable"), None);
    assert_eq!(mode(&project, "plain.txt") & 0o111, 0);
    // A file that is there becomes executable for those who may read it.
    let path = project.path().join("plain.txt");
    std::fs::set_permissions(path, std::fs::Permissions::from_mode(0o640)).unwrap();
    let output = write(&project, "plain.txt", "#!/bin/sh\n").await;
    assert_eq!(
        (output.details.unwrap()["madeExecutable"].as_bool(), mode(&project, "plain.txt")),
        (Some(true), 0o750)
    );
}

#[tokio::test]
async fn encoding_and_line_ends_survive() {
    let project = Project::new();
    project.file("crlf.txt", "a\r\nb\r\n");
    let output = write(&project, "crlf.txt", "x\ny\n").await;
    assert_eq!(project.content("crlf.txt"), b"x\r\ny\r\n");
    assert_eq!(text(&output), "Successfully wrote 4 bytes to crlf.txt\n[Kept the file's CRLF line endings]");
    write(&project, "crlf.txt", "mixed\r\nx\n").await;
    assert_eq!(project.content("crlf.txt"), b"mixed\r\nx\n");

    project.file("bom.txt", "\u{feff}a\n");
    let output = write(&project, "bom.txt", "b\n").await;
    assert_eq!(project.content("bom.txt"), "\u{feff}b\n".as_bytes());
    assert!(text(&output).ends_with("\n[Kept the file's encoding: UTF-8 with BOM]"));

    let utf16 = |text: &str| text.encode_utf16().flat_map(u16::to_le_bytes).collect::<Vec<u8>>();
    project.file("wide.txt", utf16("\u{feff}a\r\n"));
    write(&project, "wide.txt", "ü\n").await;
    assert_eq!(project.content("wide.txt"), utf16("\u{feff}ü\r\n"));

    project.file("lf.txt", "a\nb\n");
    write(&project, "lf.txt", "x\r\n").await;
    assert_eq!(project.content("lf.txt"), b"x\r\n");
}

#[tokio::test]
async fn links_and_modes_stay() {
    let project = Project::new();
    let real = project.file("real", "old");
    std::fs::set_permissions(&real, std::fs::Permissions::from_mode(0o640)).unwrap();
    std::os::unix::fs::symlink("real", project.path().join("link")).unwrap();
    write(&project, "link", "new").await;
    assert_eq!(project.content("real"), b"new");
    assert!(project.path().join("link").is_symlink());
    assert_eq!(mode(&project, "real"), 0o640);
}

#[tokio::test]
async fn what_is_no_file_is_left_alone() {
    let project = Project::new();
    project.file("d/f", "old");
    assert_eq!(write_error(&project, "d", "x").await, "d is a directory. Name a file inside it.");
    assert_eq!(write_error(&project, "new/", "x").await, "'new/' names a directory. Add a file name.");
    assert_eq!(
        write_error(&project, "/dev/null", "x").await,
        "/dev/null is a character device, not a file, and was left alone."
    );
    assert!(write_error(&project, "d/f/below", "x").await.contains("d/f"));
    assert_eq!(write_error(&project, "", "x").await, "The path is empty. Specify a file or directory.");
    assert_eq!(project.content("d/f"), b"old");
}

#[tokio::test]
async fn resources_of_later_releases_are_refused() {
    let project = Project::new();
    project.file("app.data", b"SQLite format 3\0rest");
    for path in ["local://plan.md"] {
        assert!(write_error(&project, path, "x").await.contains("not available yet"), "{path}");
    }
    assert!(write_error(&project, "app.data", "x").await.contains("SQLite database"));
    assert_eq!(std::fs::read_dir(project.path()).unwrap().count(), 1);
    assert_eq!(project.content("app.data"), b"SQLite format 3\0rest");
}

// proves: FIL-100
#[tokio::test]
async fn a_database_by_name_only_is_a_plain_file() {
    let project = Project::new();
    project.file("x.db", "text\n");
    write(&project, "x.db", "other text\n").await;
    assert_eq!(project.content("x.db"), b"other text\n");
}

/// A selector is for reading: a file of that name would surprise.
#[tokio::test]
async fn a_selector_is_no_part_of_a_new_name() {
    let project = Project::new();
    project.file("a.txt", "one\ntwo\n");
    for selector in [":1-2", ":5", ":raw", ":raw:1-2", ":2+3,9-", ":conflicts", ":0"] {
        let error = write_error(&project, &format!("a.txt{selector}"), "x").await;
        assert_eq!(
            error,
            format!(
                "a.txt exists, and '{selector}' selects part of it, but write replaces whole files. Use edit \
                 to change lines, or write to a.txt."
            )
        );
    }
    assert_eq!(project.content("a.txt"), b"one\ntwo\n");
    assert_eq!(std::fs::read_dir(project.path()).unwrap().count(), 1);
    // Nothing else of that name, or a file that is really called so: it is meant as it is written.
    write(&project, "log:12", "x").await;
    write(&project, "log:12", "y").await;
    write(&project, "a.txt:b", "z").await;
    assert_eq!((project.content("log:12"), project.content("a.txt:b")), (b"y".to_vec(), b"z".to_vec()));
}

/// Tables of numbers look like lines of a read and are none.
#[tokio::test]
async fn numbers_of_the_content_itself_stay() {
    let session = Session::new();
    for content in [
        "200: OK\n404: Not Found\n",
        "1: one\n2: two\n3: three\n",
        "8080:http\n22:ssh\n",
        "7: x\n",
        "5:\n9:\n",
        "8080:80",
    ] {
        let arguments = json!({ "path": "codes.yml", "content": content });
        let said = session.call("write", arguments).await.unwrap();
        assert_eq!(String::from_utf8(session.project.content("codes.yml")).unwrap(), content, "{said:?}");
    }
    for (content, expected) in [
        ("[a.txt#0A3B]\n200: OK\n404: x\n", " OK\n x\n"),
        ("5:    one\n6:    two\n", "    one\n    two\n"),
        ("9:fn a() {\n10: b\n11:}\n", "fn a() {\n b\n}\n"),
    ] {
        let arguments = json!({ "path": "pasted", "content": content });
        session.call("write", arguments).await.unwrap();
        assert_eq!(session.project.content("pasted"), expected.as_bytes(), "{content}");
    }
}

/// Errors name files as the model does.
#[tokio::test]
async fn errors_name_paths_of_the_project() {
    let project = Project::new();
    project.file("f", "old");
    std::os::unix::fs::symlink("circle", project.path().join("circle")).unwrap();
    assert_eq!(write_error(&project, "f/g.txt", "x").await, "f is a file, not a directory.");
    assert_eq!(write_error(&project, "f/g/h.txt", "x").await, "f is a file, not a directory.");
    assert_eq!(
        write_error(&project, "circle", "x").await,
        "Cannot follow circle: too many levels of symbolic links."
    );
    let long = "y".repeat(300);
    let said = write_error(&project, &long, "x").await;
    assert!(
        said.starts_with(&format!("Cannot write {long}: ")) && said.ends_with("The file is unchanged."),
        "{said}"
    );
}

/// JSON is stored as it is; whether it is a notebook is said at once.
#[tokio::test]
async fn json_that_is_no_notebook_is_stored_with_a_warning() {
    let project = Project::new();
    let said = text(&write(&project, "n.ipynb", "{\"cells\": [").await);
    assert!(
        said.starts_with(
            "Successfully wrote 11 bytes to n.ipynb\n[Warning: not a valid notebook: Invalid JSON"
        ),
        "{said}"
    );
    assert_eq!(project.content("n.ipynb"), b"{\"cells\": [");
    let said = text(&write(&project, "n.ipynb", "{\"cells\": []}").await);
    assert_eq!(said, "Successfully wrote 13 bytes to n.ipynb");
}

/// The tag of a write is that of a read, whatever the file's encoding: an edit can follow at once.
// proves: FIL-084
#[tokio::test]
async fn an_edit_can_follow_a_write() {
    let session = Session::new();
    let wide = |text: &str| text.encode_utf16().flat_map(u16::to_le_bytes).collect::<Vec<u8>>();
    session.project.file("crlf.txt", "a\r\nb\r\n");
    session.project.file("mark.txt", "\u{feff}a\n");
    session.project.file("wide.txt", wide("\u{feff}a\r\n"));
    session.project.file("latin.txt", b"caf\xe9\n");
    for (name, content) in [
        ("sub/new.txt", "one\ntwo\nthree"),
        ("crlf.txt", "one\ntwo\n"),
        ("mark.txt", "one\ntwo\n"),
        ("wide.txt", "eins\nzwei ü\n"),
        ("latin.txt", "un\ndeux é\n"),
        ("returns.txt", "one\r\ntwo\r\n"),
        ("marked.txt", "\u{feff}one\ntwo\n"),
    ] {
        let said = text(&session.call("write", json!({ "path": name, "content": content })).await.unwrap());
        let header = said.lines().next().unwrap();
        assert!(header.starts_with(&format!("[{name}#")), "{said}");
        assert_eq!(session.header(name).await, header, "{name}");
        session.edit(&format!("{header}\nSWAP 2:\n+changed\n")).await.unwrap();
        assert!(session.read(name).await.contains("\n2:changed"), "{name}");
    }
}
