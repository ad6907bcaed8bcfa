//! Findings about a text that has been changed since.

use std::path::Path;
use std::sync::Arc;

use omp_lsp::Client;
use serde_json::{Value, json};

use crate::support::servers::{Bench, Seat, StoppedClock, range, until};
use crate::support::text;

fn check(file: &str) -> Value {
    json!({"action": "diagnostics", "file": file})
}

/// A server that publishes what a script says when it is asked for it: each of `late` under its name.
fn script(publish: &str, late: &[(&str, Value)]) -> Value {
    let mut script = json!({"rules": [{"word": "BAD", "severity": 1, "message": "bad"}], "publish": publish,
        "answers": {}});
    for (name, version) in late {
        let item = json!({"range": range(0, 0, 1), "severity": 1, "message": name});
        let mut params = json!({"uri": "${root}/a.fake", "diagnostics": [item]});
        if !version.is_null() {
            params["version"] = version.clone();
        }
        let first = json!([{"notify": "textDocument/publishDiagnostics", "params": params}]);
        script["answers"][format!("x/{name}")] = json!({"first": first, "result": null});
    }
    script
}

/// Has the server publish something, and waits until that has arrived.
async fn publish(seat: &Seat, name: &str) {
    seat.ask(json!({"action": "request", "query": format!("x/{name}")})).await;
}

async fn running(seat: &Seat) -> Arc<Client> {
    let config = seat.desk.servers.config().await;
    seat.desk.servers.running(&config.servers[0]).await.unwrap()
}

fn known(client: &Client, path: &Path) -> Vec<String> {
    client.known(path).into_iter().map(|one| one.message).collect()
}

/// proves: INT-040
#[tokio::test]
async fn late_findings_do_not_hide_newer_ones() {
    let late = [("first", json!(1)), ("second", json!(2)), ("current", Value::Null)];
    let (bench, server, seat) = Bench::with(&script("versioned", &late));
    let path = bench.file("a.fake", "fine\n");
    assert_eq!(seat.ask(check("a.fake")).await, "OK");
    bench.file("a.fake", "BAD\n");
    assert_eq!(seat.ask(check("a.fake")).await, "1 error:\na.fake:1:1 error: bad");
    let client = running(&seat).await;
    for (name, expected) in [
        // The text has version 2 now.
        ("first", "bad"),
        ("second", "second"),
        ("first", "second"),
        ("current", "current"),
        ("first", "current"),
        ("second", "second"),
    ] {
        publish(&seat, name).await;
        assert_eq!(known(&client, &path), [expected], "after {name}");
    }
    drop(client);
    seat.leave().await;
    server.finish();
}

/// Without a version the findings are those of the text as it is, and older ones do not come before them.
///
/// proves: INT-040
#[tokio::test]
async fn findings_without_a_version_are_about_the_last_text() {
    let late = [("first", json!(1)), ("current", Value::Null)];
    let (bench, server, seat) = Bench::with(&script("never", &late));
    let path = bench.file("a.fake", "one\n");
    // Version 1.
    seat.ask(json!({"action": "request", "query": "x/first", "file": "a.fake"})).await;
    let client = running(&seat).await;
    assert_eq!(known(&client, &path), ["first"]);
    bench.file("a.fake", "two\n");
    let clock = StoppedClock::stop();
    clock.forward(1_000).await;
    let (call, _) = seat.begin(&check("a.fake"));
    until("version 2", || !server.params("textDocument/didSave").is_empty()).await;
    publish(&seat, "current").await;
    publish(&seat, "first").await;
    clock.forward(151).await;
    assert_eq!(text(&call.await.unwrap().unwrap()), "1 error:\na.fake:1:1 error: current");
    drop((clock, client));
    seat.leave().await;
    server.finish();
}

/// Words about an older text are better than none, as long as they are called old.
///
/// proves: INT-040
#[tokio::test]
async fn late_findings_count_where_nothing_newer_is_known() {
    let (bench, server, seat) = Bench::with(&script("never", &[("first", json!(1))]));
    bench.file("a.fake", "one\n");
    seat.ask(json!({"action": "request", "query": "x/first", "file": "a.fake"})).await;
    bench.file("a.fake", "two\n");
    tokio::time::pause();
    let said = seat.ask(check("a.fake")).await;
    tokio::time::resume();
    assert!(said.starts_with("No diagnostics yet.\nStill waiting for: fake\n"), "{said}");
    assert!(said.contains("Possibly outdated, 1 error:\na.fake:1:1 error: first"), "{said}");
    seat.leave().await;
    server.finish();
}

/// A file that was closed for others begins anew, and what was found before is not taken for news.
///
/// proves: INT-040
#[tokio::test]
async fn a_file_that_is_opened_again_has_new_findings() {
    let (bench, server, seat) = Bench::with(&script("versioned", &[("third", json!(3))]));
    let path = bench.file("a.fake", "BAD\n");
    for content in ["BAD\n", "fine\n", "BAD\n"] {
        bench.file("a.fake", content);
        seat.ask(check("a.fake")).await;
    }
    let client = running(&seat).await;
    for number in 0..200 {
        client.open(&bench.project().join(format!("{number}.fake")), "x\n").await.unwrap();
    }
    bench.file("a.fake", "fine\n");
    assert_eq!(seat.ask(check("a.fake")).await, "OK");
    assert!(known(&client, &path).is_empty());
    publish(&seat, "third").await;
    assert!(known(&client, &path).is_empty(), "that was before it was closed");
    bench.file("a.fake", "BAD\n");
    assert_eq!(seat.ask(check("a.fake")).await, "1 error:\na.fake:1:1 error: bad");
    drop(client);

    // The same for one that was away.
    for (from, to) in [("a.fake", "b.fake"), ("b.fake", "a.fake")] {
        seat.ask(json!({"action": "rename_file", "file": from, "new_name": to})).await;
    }
    bench.file("a.fake", "fine\n");
    assert_eq!(seat.ask(check("a.fake")).await, "OK");
    let client = running(&seat).await;
    publish(&seat, "third").await;
    assert!(known(&client, &path).is_empty());
    drop(client);
    let uri = url::Url::from_file_path(&path).unwrap().to_string();
    let opened = server.params("textDocument/didOpen").into_iter();
    let opened = opened.filter(|params| params["textDocument"]["uri"] == uri).count();
    assert_eq!(opened, 3, "it was closed twice");
    seat.leave().await;
    server.finish();
}
