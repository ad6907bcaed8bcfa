//! Office documents, PDF files and books in `read`.

use std::path::Path;

use crate::support::files::pdf_of;
use crate::support::{Project, invocation, meta, text};
use serde_json::json;
use tokio_util::sync::CancellationToken;

/// A page with `lines` lines of text.
fn pdf(lines: usize) -> Vec<u8> {
    let rows: String = (1..=lines).map(|number| format!("(Row {number} of the page) Tj 0 -14 Td ")).collect();
    let content = format!("BT /F1 12 Tf 72 9000 Td {rows} ET");
    let objects = [
        "<< /Type /Catalog /Pages 2 0 R >>".to_owned(),
        "<< /Type /Pages /Kids [3 0 R] /Count 1 >>".to_owned(),
        "<< /Type /Page /Parent 2 0 R /MediaBox [0 0 612 9000] /Contents 4 0 R /Resources << /Font << /F1 5 0 R >> >> >>".to_owned(),
        format!("<< /Length {} >>\nstream\n{content}\nendstream", content.len()),
        "<< /Type /Font /Subtype /Type1 /BaseFont /Helvetica /Encoding /WinAnsiEncoding >>".to_owned(),
    ];
    pdf_of(&objects)
}

fn fixture(name: &str) -> Vec<u8> {
    std::fs::read(Path::new(env!("CARGO_MANIFEST_DIR")).join("../omp-documents/tests/fixtures").join(name))
        .unwrap()
}

/// proves: FIL-064
#[tokio::test]
async fn documents_are_converted_and_cut_at_the_shared_limits() {
    let project = Project::new();
    project.file("small.pdf", pdf(2));
    let output = project.read_output("small.pdf").await;
    assert_eq!(text(&output), "Row 1 of the page\nRow 2 of the page");
    assert_eq!(meta(&output)["source"]["value"], project.path().join("small.pdf").to_str().unwrap());
    for (name, bytes, word) in [
        ("a.doc", fixture("letter.doc"), "Dear reader,"),
        ("a.xls", fixture("people.xls"), "Grace"),
        ("a.ppt", fixture("talk.ppt"), "Second point"),
        ("A.RTF", fixture("rich.rtf"), "Hello World"),
        ("a.docx", fixture("words.docx"), "Some **bold** words"),
        ("a.xlsx", fixture("cells.xlsx"), "| Ada | 36 |"),
        ("a.pptx", fixture("slide.pptx"), "First point"),
        ("a.epub", fixture("book.epub"), "First *words*."),
    ] {
        project.file(name, bytes);
        let shown = project.read(name).await;
        assert!(shown.contains(word) && !shown.contains("[Cannot"), "{name}: {shown}");
    }
    project.file("long.pdf", pdf(4000));
    let output = project.read_output("long.pdf").await;
    let shown = text(&output);
    assert!(shown.len() < 52 * 1024 && shown.contains("Use :"), "{}", shown.len());
    assert_eq!(meta(&output)["truncation"]["direction"], "head");
    assert_eq!(project.read("long.pdf:3000-3000").await.lines().next(), Some("Row 3000 of the page"));
    let rows: String = (1..=4_000).map(|number| format!("r{number}\\par ")).collect();
    project.file("rows.rtf", format!("{{\\rtf1 {rows}}}"));
    let output = project.read_output("rows.rtf").await;
    assert!(text(&output).ends_with(
        "[Showing lines 1-3000 of 4000 (3000 line limit); 1000 more lines. Use :3001 to continue]"
    ));
    let truncation = &meta(&output)["truncation"];
    assert_eq!((&truncation["truncatedBy"], &truncation["nextOffset"]), (&json!("lines"), &json!(3_001)));
    for (name, bytes) in
        [("bad.pdf", &b"%PDF-1.7 garbage"[..]), ("bad.docx", b"PK\x03\x04"), ("bad.epub", b"x")]
    {
        project.file(name, bytes);
        let output = project.read_output(name).await;
        let kind = name.rsplit('.').next().unwrap();
        assert!(text(&output).starts_with(&format!("[Cannot read .{kind} file: ")), "{}", text(&output));
        assert!(text(&output).ends_with(']') && output.content.len() == 1);
    }
    project.file("locked.docx", fixture("locked.docx"));
    assert_eq!(project.read("locked.docx").await, "[Cannot read .docx file: it is password-protected]");
}

/// Conversions are given up when the call is cancelled.
#[tokio::test]
async fn a_cancelled_conversion_ends() {
    let project = Project::new();
    project.file("a.pdf", pdf(4000));
    let cancel = CancellationToken::new();
    cancel.cancel();
    let call = invocation(&json!({ "path": "a.pdf" }), cancel, omp_agent::Updates::ignored());
    let error = project.tool("read").run(call).await.unwrap_err().message;
    assert!(error.to_lowercase().contains("abort"), "{error}");
}

/// Repositories with Git LFS hold a few lines in place of large files.
#[tokio::test]
async fn what_stands_for_a_file_is_named() {
    let project = Project::new();
    let pointer = "version https://git-lfs.github.com/spec/v1\noid sha256:4d7a\nsize 12345\n";
    for kind in ["pdf", "docx", "xls", "epub", "rtf"] {
        project.file(&format!("a.{kind}"), pointer);
        let expected = format!(
            "[Cannot read .{kind} file: it is a Git LFS pointer, not the file itself; fetch it with git lfs pull]"
        );
        assert_eq!(project.read(&format!("a.{kind}")).await, expected);
        project.file(&format!("b.{kind}"), "");
        assert_eq!(
            project.read(&format!("b.{kind}")).await,
            format!("[Cannot read .{kind} file: it is empty]")
        );
    }
    for name in ["a.zip", "a.tar", "a.tgz"] {
        project.file(name, pointer);
        let error = project.read_error(&format!("{name}:x")).await;
        let expected = "it is a Git LFS pointer, not the file itself; fetch it with git lfs pull.";
        assert_eq!(error, format!("Cannot read {name}: {expected}"));
        let arguments = json!({ "path": format!("{name}:x"), "content": "y" });
        let error = project.call("write", arguments).await.unwrap_err().message;
        assert_eq!(error, format!("{name} was not changed: {expected}"));
        assert_eq!(project.content(name), pointer.as_bytes());
    }
}
