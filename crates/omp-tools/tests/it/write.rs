//! The write tool, as a model uses it.

use std::os::unix::fs::PermissionsExt;

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
}

#[tokio::test]
async fn encoding_and_line_ends_survive() {
    let project = Project::new();
    project.file("crlf.txt", "a\r\nb\r\n");
    let output = write(&project, "crlf.txt", "x\ny\n").await;
    assert_eq!(project.content("crlf.txt"), b"x\r\ny\r\n");
    assert_eq!(text(&output), "Successfully wrote 4 bytes to crlf.txt\n[Kept the file's CRLF line ends]");
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
    assert_eq!(
        write_error(&project, "new/", "x").await,
        "'new/' names a directory. Add the name of the file to write."
    );
    assert_eq!(
        write_error(&project, "/dev/null", "x").await,
        "/dev/null is a character device, not a file; it was left alone."
    );
    assert!(write_error(&project, "d/f/below", "x").await.contains("d/f"));
    assert_eq!(write_error(&project, "", "x").await, "The path is empty. Name a file or a directory.");
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
