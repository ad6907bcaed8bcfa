//! Servers that want to hear which files our tools change.

use std::panic::AssertUnwindSafe;

use omp_testkit::LanguageServer;
use omp_tools::EditMode;
use serde_json::{Value, json};

use crate::support::servers::{Bench, Seat, text_edit};
use crate::support::text;

const CREATED: u64 = 1;
const CHANGED: u64 = 2;
const DELETED: u64 = 3;

/// A step that registers patterns.
fn watch(id: &str, watchers: &Value) -> Value {
    let one = json!({"id": id, "method": "workspace/didChangeWatchedFiles",
        "registerOptions": {"watchers": watchers}});
    json!({"request": "client/registerCapability", "params": {"registrations": [one]}, "wait": true})
}

/// A server that registers patterns when it is started.
fn watching(watchers: &Value) -> Value {
    json!({"after_initialized": [watch("w", watchers)], "answers": {"x/echo": {"echo": true}}})
}

fn everything() -> Value {
    json!([{"globPattern": "**/*"}])
}

/// Asks the server something, so that all that was said before is done.
async fn echo(seat: &Seat) {
    seat.ask(json!({"action": "request", "query": "x/echo"})).await;
}

/// What the server was told, message by message.
async fn told(bench: &Bench, server: &LanguageServer, seat: &Seat) -> Vec<Vec<(String, u64)>> {
    echo(seat).await;
    let project = format!("file://{}/", bench.project().display());
    let one = |change: &Value| {
        let uri = change["uri"].as_str().unwrap();
        (uri.strip_prefix(&project).unwrap_or(uri).to_owned(), change["type"].as_u64().unwrap())
    };
    let messages = server.params("workspace/didChangeWatchedFiles");
    messages.iter().map(|params| params["changes"].as_array().unwrap().iter().map(one).collect()).collect()
}

fn named<const N: usize>(all: [(&str, u64); N]) -> Vec<(String, u64)> {
    all.into_iter().map(|(name, kind)| (name.to_owned(), kind)).collect()
}

fn written(path: &str, content: &str) -> Value {
    json!({"path": path, "content": content})
}

/// Also a file that is open at the server: it hears of the change and of the file.
#[tokio::test]
async fn writes_are_told_to_servers_that_want_to_hear_of_them() {
    let (bench, server, seat) = Bench::with(&watching(&json!([{"globPattern": "**/*.{fake,toml}"}])));
    echo(&seat).await;
    let abilities = &server.params("initialize")[0]["capabilities"]["workspace"]["didChangeWatchedFiles"];
    assert_eq!(*abilities, json!({"dynamicRegistration": true, "relativePatternSupport": true}));
    for (path, content) in [
        ("sub dir/a.fake", "one\n"),
        ("sub dir/a.fake", "two\n"),
        ("notes.txt", "nobody wants to hear of this\n"),
        ("made.toml", "not open at any server\n"),
    ] {
        seat.call("write", written(path, content)).await.unwrap();
    }
    let expected = [
        named([("sub%20dir/a.fake", CREATED)]),
        named([("sub%20dir/a.fake", CHANGED)]),
        named([("made.toml", CREATED)]),
    ];
    assert_eq!(told(&bench, &server, &seat).await, expected);
    let both = ["workspace/didChangeWatchedFiles", "textDocument/didOpen", "textDocument/didChange"];
    let methods: Vec<String> =
        server.methods().into_iter().filter(|method| both.contains(&method.as_str())).collect();
    assert_eq!(methods, [both[0], both[1], both[0], both[2], both[0]]);
    seat.leave().await;
    server.finish();
}

/// What one call does to several files is one message.
#[tokio::test]
async fn edits_are_told_with_what_became_of_each_file() {
    let mut bench = Bench::new();
    bench.tools.edit.mode = EditMode::ApplyPatch;
    let server = bench.server("fake", &watching(&everything()), &json!({}));
    let seat = bench.sit();
    echo(&seat).await;
    for name in ["changed", "moved", "gone"] {
        bench.file(&format!("{name}.fake"), "one\n");
    }
    let input = "*** Begin Patch\n*** Add File: new/made.fake\n+one\n*** Update File: changed.fake\n@@\n-one\n+two\n\
                 *** Update File: moved.fake\n*** Move to: there.fake\n@@\n-one\n+two\n*** Delete File: gone.fake\n\
                 *** End Patch\n";
    seat.call("edit", json!({ "input": input })).await.unwrap();
    let expected = named([
        ("changed.fake", CHANGED),
        ("gone.fake", DELETED),
        ("moved.fake", DELETED),
        ("new/made.fake", CREATED),
        ("there.fake", CREATED),
    ]);
    assert_eq!(told(&bench, &server, &seat).await, [expected]);

    // A new file that is taken away again has come and gone; files that are put back were written.
    bench.file("wall", "");
    let input = "*** Begin Patch\n*** Add File: brief.fake\n+one\n*** Update File: changed.fake\n@@\n-two\n+three\n\
                 *** Update File: there.fake\n*** Move to: wall/there.fake\n@@\n-two\n+three\n*** End Patch\n";
    let error = seat.call("edit", json!({ "input": input })).await.unwrap_err();
    assert!(error.message.contains("Nothing was changed."), "{}", error.message);
    let last = told(&bench, &server, &seat).await.split_off(1);
    assert_eq!(last, [named([("changed.fake", CHANGED), ("there.fake", CHANGED)])]);
    seat.leave().await;
    server.finish();
}

/// Edits by line, structural edits, resolved conflicts and formatting write files as well.
#[tokio::test]
async fn every_tool_that_writes_tells_it() {
    let mut bench = Bench::new();
    bench.settings.format_on_write = true;
    let mut script = watching(&json!([{"globPattern": "**/*"}]));
    script["answers"]["textDocument/formatting"] = json!({"result": [text_edit(0, 0, 3, "LET")]});
    let server = bench.server("fake", &script, &json!({}));
    let seat = bench.sit();
    echo(&seat).await;

    seat.call("write", written("a.fake", "let it\nbe\n")).await.unwrap();
    assert_eq!(bench.content("a.fake"), "LET it\nbe\n");
    let mut expected = vec![named([("a.fake", CREATED)]), named([("a.fake", CHANGED)])];

    bench.file("b.txt", "one\n");
    let shown = text(&seat.call("read", json!({"path": "b.txt"})).await.unwrap());
    let input = format!("{}\nSWAP 1.=1:\n+two\n", shown.lines().next().unwrap());
    seat.call("edit", json!({ "input": input })).await.unwrap();
    expected.push(named([("b.txt", CHANGED)]));

    bench.file("c.js", "f(1);\n");
    let plan = json!({"ops": [{"pat": "f($A)", "out": "g($A)"}], "paths": ["c.js"]});
    seat.call("ast_edit", plan).await.unwrap();
    seat.call("resolve", json!({"action": "apply", "reason": "because"})).await.unwrap();
    expected.push(named([("c.js", CHANGED)]));

    bench.file("d.txt", "<<<<<<< HEAD\nours\n=======\ntheirs\n>>>>>>> topic\n");
    seat.call("read", json!({"path": "d.txt"})).await.unwrap();
    seat.call("write", written("conflict://1", "@ours")).await.unwrap();
    expected.push(named([("d.txt", CHANGED)]));

    seat.call("write", written("e.zip:inside.txt", "one\n")).await.unwrap();
    seat.call("write", written("e.zip:inside.txt", "two\n")).await.unwrap();
    expected.extend([named([("e.zip", CREATED)]), named([("e.zip", CHANGED)])]);

    assert_eq!(told(&bench, &server, &seat).await, expected);
    seat.leave().await;
    server.finish();
}

/// What a server proposes is done by us, and so is a move.
#[tokio::test]
async fn renames_are_told_file_by_file() {
    let bench = Bench::new();
    let proposal = json!({"documentChanges": [
        {"kind": "create", "uri": "${root}/made.fake"},
        {"kind": "rename", "oldUri": "${root}/b.fake", "newUri": "${root}/c.fake"},
        {"textDocument": {"uri": "${root}/a.fake", "version": null}, "edits": [text_edit(0, 0, 3, "new")]},
        {"kind": "delete", "uri": "${root}/gone.fake"},
    ]});
    let mut script = watching(&everything());
    script["answers"]["textDocument/rename"] = json!({"result": proposal});
    let server = bench.server("fake", &script, &json!({}));
    let seat = bench.sit();
    echo(&seat).await;
    for name in ["a", "b", "gone", "old/1", "old/deep/2"] {
        bench.file(&format!("{name}.fake"), "old\n");
    }
    seat.ask(json!({"action": "rename", "file": "a.fake", "new_name": "new"})).await;
    seat.ask(json!({"action": "rename_file", "file": "old", "new_name": "new"})).await;
    let first = named([
        ("a.fake", CHANGED),
        ("b.fake", DELETED),
        ("c.fake", CREATED),
        ("gone.fake", DELETED),
        ("made.fake", CREATED),
    ]);
    let second = named([
        ("new/1.fake", CREATED),
        ("new/deep/2.fake", CREATED),
        ("old/1.fake", DELETED),
        ("old/deep/2.fake", DELETED),
    ]);
    assert_eq!(told(&bench, &server, &seat).await, [first, second]);
    seat.leave().await;
    server.finish();
}

/// A pattern may begin in another directory and be for some changes only.
#[tokio::test]
async fn servers_hear_only_what_they_asked_for() {
    let mut bench = Bench::new();
    bench.tools.edit.mode = EditMode::ApplyPatch;
    let absolute = format!("{}/abs/*.txt", bench.project().display());
    let watchers = json!([
        {"globPattern": {"baseUri": "${root}/in", "pattern": "*.txt"}, "kind": 1},
        {"globPattern": {"baseUri": {"uri": "${root}/out", "name": "out"}, "pattern": "**/*.txt"}, "kind": 6},
        {"globPattern": absolute, "kind": 2},
    ]);
    let one = bench.server("one", &watching(&watchers), &json!({}));
    let two = bench.server("two", &json!({"answers": {"x/echo": {"echo": true}}}), &json!({}));
    let seat = bench.sit();
    seat.ask(json!({"action": "capabilities"})).await;
    echo(&seat).await;
    for path in ["in/a.txt", "in/deep/a.txt", "out/deep/a.txt", "abs/a.txt", "a.txt"] {
        for content in ["one\n", "two\n"] {
            seat.call("write", written(path, content)).await.unwrap();
        }
        let input = format!("*** Begin Patch\n*** Delete File: {path}\n*** End Patch\n");
        seat.call("edit", json!({ "input": input })).await.unwrap();
    }
    let expected = [
        named([("in/a.txt", CREATED)]),
        named([("out/deep/a.txt", CHANGED)]),
        named([("out/deep/a.txt", DELETED)]),
        named([("abs/a.txt", CHANGED)]),
    ];
    assert_eq!(told(&bench, &one, &seat).await, expected);
    seat.leave().await;
    assert!(two.params("workspace/didChangeWatchedFiles").is_empty(), "it has asked for nothing");
    one.finish();
    two.finish();
}

#[tokio::test]
async fn what_is_taken_back_is_told_no_longer() {
    let mut script = watching(&json!([{"globPattern": "*.one"}]));
    let other = json!({"unregisterations": [{"id": "w", "method": "workspace/didChangeWatchedFiles"}]});
    let ends = json!({"request": "client/unregisterCapability", "params": other, "wait": true});
    script["answers"]["x/more"] =
        json!({"first": [watch("v", &json!([{"globPattern": "*.two"}]))], "result": 1});
    script["answers"]["x/less"] = json!({"first": [ends], "result": 1});
    let (bench, server, seat) = Bench::with(&script);
    echo(&seat).await;
    let mut number = 0;
    for (method, expected) in
        [("x/echo", vec!["1.one"]), ("x/more", vec!["2.one", "2.two"]), ("x/less", vec!["3.two"])]
    {
        seat.ask(json!({"action": "request", "query": method})).await;
        let before = told(&bench, &server, &seat).await.len();
        number += 1;
        for ending in ["one", "two"] {
            seat.call("write", written(&format!("{number}.{ending}"), "x\n")).await.unwrap();
        }
        let all = told(&bench, &server, &seat).await.split_off(before);
        let names: Vec<&str> = all.iter().flatten().map(|(name, _)| name.as_str()).collect();
        assert_eq!(names, expected, "{method}");
    }
    seat.leave().await;
    server.finish();
}

/// The server of these tests notices a client that tells it what it has not asked for.
#[tokio::test]
async fn the_scripted_server_is_strict_about_changes_of_files() {
    let good = json!([{"globPattern": "*.fake", "kind": 2}]);
    let change =
        |name: &str, kind: u64| json!({"changes": [{"uri": format!("file://{name}"), "type": kind}]});
    for (watchers, name, kind, fine) in [
        (json!([]), "a.fake", CHANGED, false),
        (good.clone(), "a.fake", CHANGED, true),
        (good.clone(), "a.fake", CREATED, false),
        (good.clone(), "a.txt", CHANGED, false),
        (good.clone(), "sub/a.fake", CHANGED, false),
        (good, "a.fake", 4, false),
    ] {
        let mut script = watching(&watchers);
        if watchers == json!([]) {
            script["after_initialized"] = json!([]);
        }
        let (bench, server, seat) = Bench::with(&script);
        echo(&seat).await;
        let config = seat.desk.servers.config().await;
        let client = seat.desk.servers.running(&config.servers[0]).await.unwrap();
        let path = bench.project().join(name);
        let params = change(path.to_str().unwrap(), kind);
        client.notify("workspace/didChangeWatchedFiles", &params).await.unwrap();
        drop(client);
        seat.leave().await;
        let finished = std::panic::catch_unwind(AssertUnwindSafe(|| server.finish()));
        assert_eq!(finished.is_ok(), fine, "{name} {kind}");
    }
}
