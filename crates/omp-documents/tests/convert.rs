//! Documents of every kind, whole and broken.

#[path = "support/files.rs"]
mod files;

use std::io::{Cursor, Write};
use std::path::{Path, PathBuf};

use omp_documents::Stop;
use omp_documents::convert::{ConvertError, DocumentKind, convert};
use tempfile::TempDir;
use zip::write::SimpleFileOptions;

fn zip(members: &[(&str, &str)]) -> Vec<u8> {
    let mut writer = zip::ZipWriter::new(Cursor::new(Vec::new()));
    for (name, content) in members {
        writer.start_file(*name, SimpleFileOptions::default()).unwrap();
        writer.write_all(content.as_bytes()).unwrap();
    }
    writer.finish().unwrap().into_inner()
}

fn fixture(name: &str) -> PathBuf {
    Path::new(env!("CARGO_MANIFEST_DIR")).join("tests/fixtures").join(name)
}

fn scratch(name: &str, bytes: &[u8]) -> (TempDir, PathBuf) {
    let directory = tempfile::tempdir().unwrap();
    let path = directory.path().join(name);
    std::fs::write(&path, bytes).unwrap();
    (directory, path)
}

fn text_of(name: &str, bytes: &[u8]) -> Result<String, ConvertError> {
    let (_directory, path) = scratch(name, bytes);
    convert(&path, DocumentKind::of(&path).unwrap(), &Stop::never())
}

const TYPES: &str = r#"<?xml version="1.0"?><Types xmlns="http://schemas.openxmlformats.org/package/2006/content-types"><Default Extension="rels" ContentType="application/vnd.openxmlformats-package.relationships+xml"/><Default Extension="xml" ContentType="application/xml"/></Types>"#;

fn relations(rows: &[(&str, &str, &str)]) -> String {
    let rows: String = rows
        .iter()
        .map(|(id, kind, target)| {
            format!(r#"<Relationship Id="{id}" Type="http://schemas.openxmlformats.org/officeDocument/2006/relationships/{kind}" Target="{target}"/>"#)
        })
        .collect();
    format!(
        r#"<?xml version="1.0"?><Relationships xmlns="http://schemas.openxmlformats.org/package/2006/relationships">{rows}</Relationships>"#
    )
}

fn docx(body: &str) -> Vec<u8> {
    let document = format!(
        r#"<?xml version="1.0"?><w:document xmlns:w="http://schemas.openxmlformats.org/wordprocessingml/2006/main"><w:body>{body}</w:body></w:document>"#
    );
    zip(&[
        ("[Content_Types].xml", TYPES),
        ("_rels/.rels", &relations(&[("r1", "officeDocument", "word/document.xml")])),
        ("word/document.xml", &document),
    ])
}

fn pdf(content: &str, more: &str) -> Vec<u8> {
    let objects = [
        "<< /Type /Catalog /Pages 2 0 R >>".to_owned(),
        "<< /Type /Pages /Kids [3 0 R] /Count 1 >>".to_owned(),
        format!(
            "<< /Type /Page /Parent 2 0 R /MediaBox [0 0 612 792] /Contents 4 0 R /Resources << /Font << /F1 5 0 R >> {more} >> >>"
        ),
        format!("<< /Length {} >>\nstream\n{content}\nendstream", content.len()),
        "<< /Type /Font /Subtype /Type1 /BaseFont /Helvetica /Encoding /WinAnsiEncoding >>".to_owned(),
        format!(
            "<< /Type /XObject /Subtype /Form /BBox [0 0 9 9] /Resources << /XObject << /X 6 0 R >> /Font << /F1 5 0 R >> >> /Length {} >>\nstream\n/X Do\nendstream",
            "/X Do".len()
        ),
        "<< /Type /XObject /Subtype /Form /BBox [0 0 9 9] /Length 7 >>\nstream\n/Open Do\nendstream"
            .replace("/Length 7", "/Length 8"),
    ];
    files::pdf_of(&objects)
}

const HELLO: &str = "BT /F1 24 Tf 72 700 Td (Hello from a page) Tj 0 -40 Td (Second line) Tj ET";

#[test]
fn pdf_files() {
    let text = text_of("a.pdf", &pdf(HELLO, "")).unwrap();
    assert!(text.contains("Hello from a page\n") && text.ends_with("Second line"), "{text:?}");
    assert!(matches!(text_of("a.pdf", &pdf("", "")), Err(ConvertError::NoText)));
    assert!(matches!(text_of("a.pdf", b"%PDF-1.4 not really"), Err(ConvertError::Unreadable(_))));
    assert!(text_of("a.pdf", b"").is_err());
}

/// Forms that draw themselves would end the program, not only the conversion.
#[test]
fn pdf_files_that_draw_themselves() {
    for form in ["6 0 R", "7 0 R"] {
        let content = format!("{HELLO} /X Do /Open Do");
        let bytes = pdf(&content, &format!("/XObject << /X 6 0 R /Open {form} >>"));
        let text = text_of("a.pdf", &bytes).unwrap();
        assert!(text.contains("Hello from a page"), "{text}");
    }
}

/// A few kilobytes that would become gigabytes.
#[test]
fn pdf_files_that_explode() {
    let mut encoder = flate2::write::ZlibEncoder::new(Vec::new(), flate2::Compression::fast());
    let blanks = vec![b' '; 1 << 20];
    for _ in 0..200 {
        encoder.write_all(&blanks).unwrap();
    }
    let bomb = encoder.finish().unwrap();
    let mut bytes = b"%PDF-1.4\n1 0 obj\n<< /Filter /FlateDecode >>\nstream\n".to_vec();
    bytes.extend(bomb);
    bytes.extend(b"\nendstream\nendobj\n");
    let error = text_of("a.pdf", &bytes).unwrap_err().to_string();
    assert!(error.contains("more than a gigabyte"), "{error}");
}

#[test]
fn word_files() {
    let body = r#"<w:p><w:pPr><w:pStyle w:val="Heading1"/></w:pPr><w:r><w:t>Title</w:t></w:r></w:p><w:p><w:r><w:t xml:space="preserve">Some </w:t></w:r><w:r><w:rPr><w:b/></w:rPr><w:t>bold</w:t></w:r><w:r><w:t xml:space="preserve"> words</w:t></w:r></w:p><w:tbl><w:tr><w:tc><w:p><w:r><w:t>a</w:t></w:r></w:p></w:tc><w:tc><w:p><w:r><w:t>b</w:t></w:r></w:p></w:tc></w:tr></w:tbl>"#;
    let text = text_of("a.docx", &docx(body)).unwrap();
    assert!(text.contains("Title") && text.contains("**bold**") && text.contains("| a | b |"), "{text}");
    assert_eq!(text_of("a.docx", &docx("")).unwrap(), "", "an empty document is no error");
    let text = text_of("a.doc", &docx(body)).unwrap();
    assert!(text.contains("**bold**"), "the name does not decide: {text}");
    let text = convert(&fixture("letter.doc"), DocumentKind::Doc, &Stop::never()).unwrap();
    assert!(text.contains("Dear reader,") && text.contains("this is a café."), "{text}");
}

#[test]
fn excel_files() {
    let text = convert(&fixture("cells.xlsx"), DocumentKind::Xlsx, &Stop::never()).unwrap();
    assert!(text.contains("People") && text.contains("| Ada | 36 |"), "{text}");
    let text = convert(&fixture("people.xls"), DocumentKind::Xls, &Stop::never()).unwrap();
    assert!(text.contains("Name") && text.contains("Grace") && text.contains("85"), "{text}");
}

#[test]
fn powerpoint_files() {
    let text = convert(&fixture("slide.pptx"), DocumentKind::Pptx, &Stop::never()).unwrap();
    assert!(text.contains("Opening words") && text.contains("First point"), "{text}");
    let text = convert(&fixture("talk.ppt"), DocumentKind::Ppt, &Stop::never()).unwrap();
    assert!(text.contains("Opening words") && text.contains("Second point"), "{text}");
}

#[test]
fn rtf_files() {
    assert_eq!(text_of("a.rtf", b"{\\rtf1\\ansi Hello \\b World\\b0\\par Bye}").unwrap(), "Hello World\nBye");
    assert_eq!(text_of("a.doc", b"{\\rtf1 old}").unwrap(), "old");
    assert!(text_of("a.rtf", b"plain").is_err());
}

fn epub(chapter: &str) -> Vec<u8> {
    zip(&[
        ("mimetype", "application/epub+zip"),
        (
            "META-INF/container.xml",
            r#"<container><rootfiles><rootfile full-path="OEBPS/book.opf" media-type="x"/></rootfiles></container>"#,
        ),
        (
            "OEBPS/book.opf",
            r#"<package xmlns:dc="x"><metadata><dc:title>A Book &amp; more</dc:title></metadata><manifest><item id="two" href="text/ch%202.xhtml"/><item id="one" href="../OEBPS/ch1.xhtml"/></manifest><spine><itemref idref="one"/><itemref idref="two"/></spine></package>"#,
        ),
        (
            "OEBPS/ch1.xhtml",
            "<html><head><title>no</title></head><body><h2>One</h2><p>First <em>words</em>.</p><script>no()</script></body></html>",
        ),
        ("OEBPS/text/ch 2.xhtml", chapter),
    ])
}

/// A chapter that is not there does not spoil the others, and nothing in one takes for ever.
#[test]
fn epub_books_with_bad_chapters() {
    let chapters = r#"<package><metadata><title/></metadata><manifest><item id="a" href="gone.xhtml"/><item id="b" href="b.xhtml"/></manifest><spine><itemref idref="a"/><itemref idref="b"/></spine></package>"#;
    let container = r#"<container><rootfile full-path="book.opf"/></container>"#;
    let book = |more: &[(&str, &str)]| {
        zip(&[&[("META-INF/container.xml", container), ("book.opf", chapters)], more].concat())
    };
    let text = text_of("a.epub", &book(&[("b.xhtml", "<p>Still here.</p>")])).unwrap();
    assert_eq!(text, "Still here.\n\n[These chapters could not be read: gone.xhtml]");
    let error = text_of("a.epub", &book(&[])).unwrap_err();
    assert!(error.to_string().contains("'gone.xhtml' is missing"), "{error}");
    let attributes: String = (0..100_000).map(|number| format!(" a{number}=x")).collect();
    let text = text_of("a.epub", &epub(&format!("<p{attributes}>words</p>"))).unwrap();
    assert!(text.contains("words"), "{text}");
}

#[test]
fn epub_books() {
    let text = text_of("a.epub", &epub("<html><body><h2>Two</h2><ul><li>a</li></ul></body></html>")).unwrap();
    assert!(text.starts_with("# A Book & more\n\n"), "{text}");
    assert!(text.contains("## One\n\nFirst *words*.") && !text.contains("no()"), "{text}");
    assert!(text.find("## One") < text.find("## Two"), "{text}");
    let deep =
        format!("<html><body>{}deep down{}</body></html>", "<div>".repeat(200_000), "</div>".repeat(200_000));
    assert!(text_of("a.epub", &epub(&deep)).unwrap().contains("deep down"));
    assert!(
        text_of("a.epub", &zip(&[("mimetype", "application/epub+zip")]))
            .unwrap_err()
            .to_string()
            .contains("container.xml")
    );
}

#[test]
fn documents_with_a_password() {
    for name in ["a.docx", "a.xlsx", "a.pptx"] {
        let bytes = std::fs::read(fixture("locked.docx")).unwrap();
        let error = text_of(name, &bytes).unwrap_err();
        assert!(matches!(error, ConvertError::Protected), "{name}: {error}");
    }
}

/// Every kind of file cut off or with wrong bytes: an error or some text, and the program goes on.
#[test]
fn damaged_documents_are_errors() {
    let sound: Vec<(&str, Vec<u8>)> = vec![
        ("a.pdf", pdf(HELLO, "")),
        ("a.docx", docx("<w:p><w:r><w:t>words</w:t></w:r></w:p>")),
        ("a.doc", std::fs::read(fixture("letter.doc")).unwrap()),
        ("a.xls", std::fs::read(fixture("people.xls")).unwrap()),
        ("a.ppt", std::fs::read(fixture("talk.ppt")).unwrap()),
        ("a.epub", epub("<p>x</p>")),
    ];
    for (name, bytes) in sound {
        for step in 1..12 {
            let _ = text_of(name, &bytes[..bytes.len() * step / 12]);
            let mut wrong = bytes.clone();
            for byte in wrong.iter_mut().skip(step).step_by(37 + step) {
                *byte = byte.wrapping_mul(31).wrapping_add(17);
            }
            let _ = text_of(name, &wrong);
        }
        assert!(text_of(name, b"\0\x01\x02 nothing of the kind").is_err(), "{name}");
    }
}

/// Tables in tables in tables.
#[test]
fn deep_documents_are_survived() {
    let depth = 5_000;
    let body = format!(
        "{}<w:p><w:r><w:t>deep</w:t></w:r></w:p>{}",
        "<w:tbl><w:tr><w:tc>".repeat(depth),
        "</w:tc></w:tr></w:tbl>".repeat(depth)
    );
    let _ = text_of("a.docx", &docx(&body));
}

#[test]
fn a_conversion_ends_when_it_is_asked_to() {
    let (_directory, path) = scratch("a.docx", &docx("<w:p/>"));
    assert!(convert(&path, DocumentKind::Docx, &Stop::when(|| true)).is_err());
}
