//! Where a page goes, and what cannot have one.

use std::path::{Path, PathBuf};
use std::sync::Arc;

use omp_export::{HtmlError, PageOptions, SessionView, TargetError, dump, html, share, target};
use omp_session::SessionWriter;
use omp_types::Message;

/// proves: LOP-153
#[test]
fn the_name_of_a_page() {
    let session = Path::new("/s/-p/2026-03-14T09-20-00-000Z_4f1c.jsonl");
    let named = |typed: &str| target(typed, session, Path::new("/my project"));
    let default = "/my project/omp-session-2026-03-14T09-20-00-000Z_4f1c.html";
    for (typed, expected) in [
        ("", default),
        ("  ", default),
        ("out.html", "/my project/out.html"),
        ("/tmp/x.html", "/tmp/x.html"),
        ("\"my talk.html\"", "/my project/my talk.html"),
        (" 'a \"quoted\" name.html' ", "/my project/a \"quoted\" name.html"),
    ] {
        assert_eq!(named(typed), Ok(PathBuf::from(expected)), "{typed}");
    }
    assert_eq!(named("\"my talk.html"), Err(TargetError::OpenQuote("\"my talk.html".to_owned())));
    assert_eq!(named("my talk.html"), Err(TargetError::Several("talk.html".to_owned())));
    assert!(named("my talk.html").unwrap_err().to_string().contains("quote a path that contains spaces"));
}

/// proves: LOP-154
#[test]
fn a_conversation_in_memory_has_no_page() {
    let mut writer = SessionWriter::in_memory(Path::new("/p"));
    writer.append_message(&Arc::new(Message::user("only in memory", 0)));
    let view = SessionView::in_memory(writer.header(), writer.entries());

    let mut out = Vec::new();
    let error = html(&view, &PageOptions::default(), &mut out).unwrap_err();
    assert!(matches!(error, HtmlError::InMemory) && out.is_empty());
    assert_eq!(error.to_string(), "Cannot export in-memory session to HTML");

    dump::text(&view, &dump::DumpOptions::default(), &mut out).unwrap();
    assert!(String::from_utf8(out).unwrap().contains("only in memory"));
    let sealed = share::seal(&view, &share::ShareOptions::default(), 1 << 20).unwrap();
    let opened = crate::share::open(&sealed);
    assert_eq!(opened["entries"][0]["message"]["content"], "only in memory");
}
