//! Files that a crash or a bad disk left behind.

use omp_export::{PageOptions, SessionView, ViewError, dump, html, share};
use proptest::prelude::*;
use serde_json::json;

use crate::dom::{page, parse};
use crate::sample::{self, Script};

proptest! {
    #![proptest_config(ProptestConfig::with_cases(8))]

    /// A file that was cut or changed anywhere gives a page that a browser reads, or an error, and stays as it was.
    #[test]
    fn any_file_gives_a_page_or_an_error(cut in 0.0..1.0_f64, flips in prop::collection::vec((0.0..1.0_f64, any::<u8>()), 0..6)) {
        let home = tempfile::tempdir().unwrap();
        let (session, blobs) = sample::save(home.path());
        let mut bytes = std::fs::read(&session).unwrap();
        for (at, byte) in flips {
            let at = (at * bytes.len() as f64) as usize;
            bytes[at] = byte;
        }
        bytes.truncate((cut * bytes.len() as f64) as usize);
        // A version that no longer reads as 3 would be brought up to date on disk, which is another test's matter.
        prop_assume!(bytes.windows(11).any(|part| part == b"\"version\":3"));
        std::fs::write(&session, &bytes).unwrap();
        if let Ok(view) = SessionView::open(&session) {
            let mut out = Vec::new();
            html(&view, &PageOptions { blobs: Some(&blobs), ..PageOptions::default() }, &mut out).unwrap();
            parse(&String::from_utf8(out).unwrap());
            dump::text(&view, &dump::DumpOptions::default(), &mut Vec::new()).unwrap();
            share::seal(&view, &share::ShareOptions::default(), 30_000).unwrap();
        }
        prop_assert_eq!(std::fs::read(&session).unwrap(), bytes);
    }
}

#[test]
fn what_is_no_session() {
    let home = tempfile::tempdir().unwrap();
    let open = |name: &str| SessionView::open(&home.path().join(name));
    std::fs::write(home.path().join("text.jsonl"), "no JSON\n").unwrap();
    std::fs::write(home.path().join("entry.jsonl"), "{\"type\":\"message\",\"id\":\"a\"}\n").unwrap();
    for name in ["missing.jsonl", "text.jsonl", "entry.jsonl", "."] {
        let error = open(name).unwrap_err();
        assert!(matches!(error, ViewError::NotASession(_)), "{name}: {error}");
        assert!(error.to_string().contains("is not a session; specify a session file"), "{error}");
    }
}

/// Entries that are their own ancestors, that have no parent, or share an id.
#[test]
fn strange_trees() {
    let home = tempfile::tempdir().unwrap();
    let path = home.path().join("strange.jsonl");
    let lines = [
        json!({"type": "session", "version": 3, "id": "s"}),
        json!({"type": "message", "id": "a", "parentId": "b", "message": {"role": "user", "content": "first"}}),
        json!({"type": "message", "id": "b", "parentId": "a", "message": {"role": "user", "content": "second"}}),
        json!({"type": "message", "id": "c", "parentId": "gone", "message": {"role": "user", "content": "orphan"}}),
        json!({"type": "message", "id": "c", "parentId": "c", "message": {"role": "user", "content": "again"}}),
        json!({"type": "message", "id": "d", "parentId": "d", "message": {"role": "toolResult", "toolCallId": "x",
            "toolName": "read", "content": [{"type": "text", "text": "alone"}], "isError": false}}),
    ];
    std::fs::write(&path, lines.map(|line| format!("{line}\n\n")).concat() + "{\"type\":\"mess").unwrap();
    let (_, root) = page(&path, &PageOptions::default());
    assert!(root.with_class("hero").next().unwrap().text.contains("1 line of the session could not be read"));
    for said in ["first", "second", "orphan", "again", "alone"] {
        let shown = root.all("article").filter(|article| article.text.contains(said)).count();
        assert_eq!(shown, 1, "{said}");
    }
}

/// A session of the first version has no ids; it is brought up to date like any session that is opened.
#[test]
fn old_sessions() {
    let home = tempfile::tempdir().unwrap();
    let path = home.path().join("old.jsonl");
    let lines = [
        json!({"type": "session", "id": "old", "timestamp": "2024-01-01T00:00:00.000Z", "cwd": "/p"}),
        json!({"type": "message", "timestamp": "2024-01-01T00:00:01.000Z", "message": {"role": "user", "content": "an old question"}}),
    ];
    std::fs::write(&path, lines.map(|line| format!("{line}\n")).concat()).unwrap();
    let (_, root) = page(&path, &PageOptions::default());
    assert!(root.by_id("flow").text.contains("an old question"));
}

/// A model may give two calls one id; the page still has each place once.
#[test]
fn calls_that_share_an_id() {
    let home = tempfile::tempdir().unwrap();
    let path = home.path().join("twins.jsonl");
    let mut script = Script::new("t", "Twins");
    let call = || sample::call("c", "bash", json!({"command": "date"}));
    script.answer(json!([call(), call()]));
    script.result("c", "bash", "Monday", json!(null));
    script.save(&path);
    let (_, root) = page(&path, &PageOptions::default());
    assert_eq!(root.inside.iter().filter(|element| element.attribute("id") == Some("e1")).count(), 1);
    assert_eq!(root.by_id("e0").with_class("tool").count(), 2);
}

/// Two results of one call on two branches are both in its card.
#[test]
fn results_on_branches() {
    let home = tempfile::tempdir().unwrap();
    let path = home.path().join("branches.jsonl");
    let mut script = Script::new("b", "Branches");
    let answer = script.answer(json!([sample::call("c", "bash", json!({"command": "date"}))]));
    script.result("c", "bash", "Monday", json!(null));
    script.back_to(&answer);
    script.result("c", "bash", "Tuesday", json!(null));
    script.save(&path);
    let (_, root) = page(&path, &PageOptions::default());
    let results: Vec<&str> =
        root.by_id("e0").with_class("result").map(|it| it.attribute("id").unwrap()).collect();
    assert_eq!(results, ["e1", "e2"]);
    assert_eq!(root.by_id("rows").all("li").filter(|row| row.has_class("on")).count(), 2);
}
