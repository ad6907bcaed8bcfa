//! What language servers do to files that were written.

use std::sync::Arc;
use std::sync::Mutex;

use omp_tools::LspSettings;
use serde_json::{Value, json};

use crate::support::servers::{Bench, StoppedClock, until};
use crate::support::text;

fn bad_words() -> Value {
    json!([
        {"word": "BAD", "severity": 1, "message": "a bad word", "code": "E1", "source": "fake"},
        {"word": "MEH", "severity": 2, "message": "a weak word"},
    ])
}

/// Puts `let` in capital letters at the start of the first line.
fn formatting() -> Value {
    let range = json!({"start": {"line": 0, "character": 0}, "end": {"line": 0, "character": 3}});
    json!({"textDocument/formatting": {"result": [{"range": range, "newText": "LET"}]}})
}

/// Normal, formatted, slow and absent servers: the file is written in every case.
///
/// proves: FIL-091
#[tokio::test]
async fn written_files_are_formatted_and_checked() {
    let mut bench = Bench::new();
    bench.settings.format_on_write = true;
    let gate = bench.at("gate");
    let script = json!({"rules": bad_words(), "answers": formatting(),
        "publish": {"unless": "W ", "file": gate}});
    let server = bench.server("fake", &script, &json!({}));
    let seat = bench.sit();
    let late = Arc::new(Mutex::new(Vec::new()));
    let (sender, mut arrived) = tokio::sync::mpsc::unbounded_channel();
    let kept = late.clone();
    seat.desk.deliver_to(Box::new(move |findings| {
        kept.lock().unwrap().push(findings);
        sender.send(()).unwrap();
    }));

    let output = seat.call("write", json!({"path": "a.fake", "content": "let BAD\nMEH\n"})).await.unwrap();
    assert_eq!(bench.content("a.fake"), "LET BAD\nMEH\n");
    let said = text(&output);
    assert!(said.contains("Formatted by fake"), "{said}");
    assert!(
        said.contains(
            "1 error, 1 warning:\na.fake:1:5 error: a bad word [fake E1]\na.fake:2:1 warning: a weak"
        ),
        "{said}"
    );
    let details = output.details.unwrap();
    assert_eq!(details["diagnostics"]["summary"], "1 error, 1 warning");
    assert_eq!(details["diagnostics"]["errored"], true);
    assert_eq!(details["diagnostics"]["messages"].as_array().unwrap().len(), 2);
    assert_eq!(details["meta"]["diagnostics"], details["diagnostics"]);

    // Slow: the call gives up after five seconds, and what is found comes later.
    let clock = StoppedClock::stop();
    let (call, _) = seat.begin_with("write", &json!({"path": "a.fake", "content": "SLOW BAD\n"}));
    until("the formatting", || bench.content("a.fake") == "LETW BAD\n").await;
    clock.forward(4_990).await;
    assert!(!call.is_finished(), "it is too early");
    clock.forward(20).await;
    let output = call.await.unwrap().unwrap();
    drop(clock);
    assert!(output.details.unwrap().get("diagnostics").is_none());
    assert!(late.lock().unwrap().is_empty());
    std::fs::write(&gate, "").unwrap();
    arrived.recv().await.unwrap();
    let findings = late.lock().unwrap().remove(0);
    assert_eq!((findings.file.as_str(), findings.summary.as_str()), ("a.fake", "1 error"));
    assert!(findings.text.contains("a.fake:1:6 error: a bad word"), "{findings:?}");

    // Twenty-five seconds after that nobody waits any more, and what was found before the write is not news.
    seat.call("write", json!({"path": "c.fake", "content": "let BAD\n"})).await.unwrap();
    std::fs::remove_file(&gate).unwrap();
    let clock = StoppedClock::stop();
    let (call, _) = seat.begin_with("write", &json!({"path": "c.fake", "content": "SLOW MEH\n"}));
    until("the formatting", || bench.content("c.fake") == "LETW MEH\n").await;
    clock.forward(5_010).await;
    call.await.unwrap().unwrap();
    until("the check", || server.params("textDocument/didSave").len() == 4).await;
    clock.forward(30_010).await;
    drop(clock);
    std::fs::write(&gate, "").unwrap();
    let config = seat.desk.servers.config().await;
    let client = seat.desk.servers.running(&config.servers[0]).await.unwrap();
    let path = bench.project().join("c.fake");
    until("the findings", || client.known(&path).iter().any(|one| one.message == "a weak word")).await;
    drop(client);
    seat.call("write", json!({"path": "d.fake", "content": "let it be\n"})).await.unwrap();
    assert_eq!(*late.lock().unwrap(), []);

    // No server for such files: nothing is started or said.
    let output = seat.call("write", json!({"path": "a.txt", "content": "let BAD\n"})).await.unwrap();
    assert_eq!(bench.content("a.txt"), "let BAD\n");
    assert!(output.details.unwrap().get("diagnostics").is_none());
    assert_eq!(server.starts().len(), 1);
    seat.leave().await;
    assert_eq!(server.farewells(), 1);
    server.finish();
}

/// A program that is no server at all, and one that is not installed.
#[tokio::test]
async fn broken_servers_do_not_hold_up_a_write() {
    let bench = Bench::new();
    bench.program("broken", "echo out of order >&2; exit 7");
    let entry = json!({"command": "broken", "fileTypes": [".fake"], "rootMarkers": ["lsp.json"]});
    let missing = json!({"command": "nowhere", "fileTypes": [".fake"], "rootMarkers": ["lsp.json"]});
    bench.file("lsp.json", json!({"broken": entry, "missing": missing}).to_string());
    let seat = bench.sit();
    let output = seat.call("write", json!({"path": "a.fake", "content": "x\n"})).await.unwrap();
    assert_eq!(bench.content("a.fake"), "x\n");
    let diagnostics = &output.details.unwrap()["diagnostics"];
    assert_eq!(diagnostics["messages"], json!([]));
    assert_eq!(diagnostics["summary"], "not checked by a server yet");
    let said = seat.refused(json!({"action": "diagnostics", "file": "a.fake"})).await;
    assert!(said.contains("cannot start broken") && said.contains("code 7: out of order"), "{said}");
    seat.leave().await;
}

/// Edits are checked only where the user wants it, and formatted where writes are.
///
/// proves: FIL-192
#[tokio::test]
async fn edits_are_checked_on_demand() {
    for (on_edit, format) in [(false, false), (true, false), (false, true), (true, true)] {
        let mut bench = Bench::new();
        bench.settings =
            LspSettings { diagnostics_on_edit: on_edit, format_on_write: format, ..bench.settings };
        bench.file("a.fake", "let it\nbe\n");
        let server =
            bench.server("fake", &json!({"rules": bad_words(), "answers": formatting()}), &json!({}));
        let seat = bench.sit();
        let shown = text(&seat.call("read", json!({"path": "a.fake"})).await.unwrap());
        let header = shown.lines().next().unwrap();
        let input = format!("{header}\nSWAP 2.=2:\n+BAD\n");
        let output = seat.call("edit", json!({ "input": input })).await.unwrap();
        let said = text(&output);
        let first = if format { "LET" } else { "let" };
        assert_eq!(bench.content("a.fake"), format!("{first} it\nBAD\n"), "{said}");
        assert_eq!(said.contains("a.fake:2:1 error: a bad word"), on_edit, "{said}");
        assert_eq!(output.details.unwrap().get("diagnostics").is_some(), on_edit);
        // The header names the text as it is now.
        let again = text(&seat.call("read", json!({"path": "a.fake"})).await.unwrap());
        assert_eq!(said.lines().next(), again.lines().next());
        assert_eq!(server.starts().len(), usize::from(on_edit || format));
        seat.leave().await;
        server.finish();
    }
}

/// The header of a result can be used for the next edit, whatever a server has made of the file.
///
/// proves: FIL-176
#[tokio::test]
async fn the_tag_is_that_of_the_formatted_file() {
    let mut bench = Bench::new();
    bench.settings.format_on_write = true;
    let server = bench.server("fake", &json!({"answers": formatting()}), &json!({}));
    let seat = bench.sit();
    let header = |said: &str| said.lines().find(|line| line.starts_with("[a.fake#")).unwrap().to_owned();
    let said = text(&seat.call("write", json!({"path": "a.fake", "content": "let it\nbe\n"})).await.unwrap());
    assert!(said.contains("Formatted by fake; line numbers may have changed."), "{said}");
    assert_eq!(bench.content("a.fake"), "LET it\nbe\n");

    let input = format!("{}\nSWAP 1.=1:\n+let us\n", header(&said));
    let said = text(&seat.call("edit", json!({ "input": input })).await.unwrap());
    assert!(said.contains("Formatted by fake; line numbers may have changed."), "{said}");
    assert_eq!(bench.content("a.fake"), "LET us\nbe\n");

    let input = format!("{}\nSWAP 2.=2:\n+go\n", header(&said));
    let said = text(&seat.call("edit", json!({ "input": input })).await.unwrap());
    assert!(!said.contains("Formatted"), "it is what was sent: {said}");
    assert_eq!(bench.content("a.fake"), "LET us\ngo\n");
    let read = text(&seat.call("read", json!({"path": "a.fake"})).await.unwrap());
    assert_eq!(header(&said), header(&read));
    seat.leave().await;
    server.finish();
}

/// What a server says about one text is not done to another.
#[tokio::test]
async fn a_file_that_changed_while_it_was_formatted_is_left_alone() {
    let mut bench = Bench::new();
    bench.settings.format_on_write = true;
    let gate = bench.at("gate");
    let mut answers = formatting();
    answers["textDocument/formatting"]["first"] = json!([{ "wait_for": gate }]);
    let server = bench.server("fake", &json!({ "answers": answers }), &json!({}));
    let seat = bench.sit();
    for (content, formatted) in [("let it\r\nbe\r\n", "LET it\r\nbe\r\n"), ("let it\nbe\n", "not it\nbe\n")] {
        let _closed = std::fs::remove_file(&gate);
        let asked = || server.params("textDocument/formatting").len();
        let before = asked();
        let (begun, _) = seat.begin_with("write", &json!({"path": "a.fake", "content": content}));
        until("the server is asked", || asked() > before).await;
        if formatted.starts_with("not") {
            bench.file("a.fake", formatted);
        }
        std::fs::write(&gate, "").unwrap();
        let said = text(&begun.await.unwrap().unwrap());
        assert_eq!(bench.content("a.fake"), formatted, "{said}");
        assert_eq!(said.contains("it has changed in the meantime"), formatted.starts_with("not"), "{said}");
        std::fs::remove_file(bench.project().join("a.fake")).unwrap();
    }
    seat.leave().await;
    server.finish();
}

/// proves: LOP-126
#[tokio::test]
async fn structural_edits_are_followed_by_the_same() {
    let mut bench = Bench::new();
    bench.settings.format_on_write = true;
    bench.settings.diagnostics_on_edit = true;
    let script = json!({"rules": bad_words(), "answers": formatting()});
    let server = bench.server("fake", &script, &json!({"fileTypes": [".js"]}));
    bench.file("a.js", "let x = f(1);\n");
    bench.file("b.js", "f(2);\n");
    let seat = bench.sit();
    let plan = json!({"ops": [{"pat": "f($A)", "out": "BAD($A)"}], "paths": ["a.js"]});
    let resolve = |action: &str| json!({"action": action, "reason": "because"});
    seat.call("ast_edit", plan.clone()).await.unwrap();
    assert!(server.starts().is_empty(), "a preview writes nothing");

    seat.context.modes.planning.set(true);
    let error = seat.call("resolve", resolve("apply")).await.unwrap_err();
    assert!(error.message.contains("Plan mode"), "{}", error.message);
    assert_eq!(bench.content("a.js"), "let x = f(1);\n");
    seat.context.modes.planning.set(false);

    let output = seat.call("resolve", resolve("apply")).await.unwrap();
    let said = text(&output);
    assert_eq!(bench.content("a.js"), "LET x = BAD(1);\n");
    assert!(
        said.contains("1 error:\na.js:1:9 error: a bad word") && said.contains("Formatted by fake"),
        "{said}"
    );
    assert_eq!(output.details.unwrap()["diagnostics"]["summary"], "1 error");
    let header = said.lines().find(|line| line.starts_with("[a.js#")).unwrap();
    let input = format!("{header}\nSWAP 1.=1:\n+x\n");
    seat.call("edit", json!({ "input": input })).await.unwrap();
    seat.leave().await;
    server.finish();
}
