//! The tool `lsp`: how it is called, and which place of a file a call means.

use std::sync::Arc;
use std::sync::Mutex;

use omp_agent::Updates;
use omp_types::{Approval, UserBlock};
use serde_json::{Value, json};
use tokio_util::sync::CancellationToken;

use crate::support::servers::{Bench, StoppedClock, until};
use crate::support::{invocation, text};

const READING: [&str; 9] = [
    "diagnostics",
    "definition",
    "references",
    "hover",
    "symbols",
    "type_definition",
    "implementation",
    "status",
    "capabilities",
];
const WRITING: [&str; 5] = ["rename", "rename_file", "code_actions", "reload", "request"];

fn hovering() -> Value {
    json!({"answers": {"textDocument/hover": {"result": {"contents": "about it"}}, "x/echo": {"echo": true}}})
}

fn hover(file: &str) -> Value {
    json!({"action": "hover", "file": file})
}

/// proves: INT-002, INT-003
#[tokio::test]
async fn the_schema_has_every_action_and_parameter() {
    let (_bench, server, seat) = Bench::with(&json!({}));
    let schema = seat.tool("lsp").definition().parameters.clone();
    let named = |values: &[Value]| {
        let mut names: Vec<String> = values.iter().map(|value| value.as_str().unwrap().to_owned()).collect();
        names.sort();
        names
    };
    let mut actions = [&READING[..], &WRITING[..]].concat();
    actions.sort_unstable();
    assert_eq!(named(schema["properties"]["action"]["enum"].as_array().unwrap()), actions);
    assert_eq!(schema["required"], json!(["action"]));
    let parameters: Vec<&str> =
        schema["properties"].as_object().unwrap().keys().map(String::as_str).collect();
    let expected = ["action", "apply", "file", "line", "new_name", "payload", "query", "symbol", "timeout"];
    let mut sorted = parameters.clone();
    sorted.sort_unstable();
    assert_eq!(sorted, expected);
    assert_eq!(schema["properties"]["payload"]["type"], "string");

    let said = seat.refused(json!({"action": "guess"})).await;
    assert!(said.contains("\"guess\""), "{said}");
    let error = seat.call("lsp", json!({"file": "a.fake"})).await.unwrap_err();
    assert!(error.message.contains("action"), "{}", error.message);
    assert!(server.starts().is_empty());
    seat.leave().await;
}

/// proves: INT-006
#[tokio::test]
async fn a_result_is_one_text_and_what_was_asked() {
    let mut script = hovering();
    script["answers"]["textDocument/documentSymbol"] = json!({"error": {"code": -1, "message": "broken"}});
    let (bench, server, seat) = Bench::with(&script);
    bench.file("a.fake", "one\n");
    for (arguments, success, by) in [
        (json!({"action": "status"}), true, Value::Null),
        (json!({"action": "hover", "file": "a.fake", "line": 1, "timeout": 9}), true, json!("fake")),
        (json!({"action": "symbols", "file": "a.fake"}), false, Value::Null),
        (json!({"action": "rename", "file": "a.fake"}), false, Value::Null),
        (json!({"action": "request", "query": "x/echo", "payload": "[1]"}), true, json!("fake")),
    ] {
        let partial = Arc::new(Mutex::new(0));
        let seen = partial.clone();
        let updates = Updates::new(move |_| *seen.lock().unwrap() += 1);
        let call = invocation(&arguments, CancellationToken::new(), updates);
        let output = seat.tool("lsp").run(call).await.unwrap();
        assert!(matches!(output.content.as_slice(), [UserBlock::Text(_)]), "{output:?}");
        let details = output.details.unwrap();
        assert_eq!(details["action"], arguments["action"]);
        assert_eq!(details["success"], success, "{arguments}");
        assert_eq!(details["request"], arguments);
        assert_eq!(details["serverName"], by, "{arguments}");
        let known = ["action", "success", "request", "serverName"];
        assert!(details.as_object().unwrap().keys().all(|key| known.contains(&key.as_str())), "{details}");
        assert_eq!(*partial.lock().unwrap(), 0);
    }
    seat.leave().await;
    server.finish();
}

/// proves: INT-007, INT-045, INT-057, INT-080
#[tokio::test]
async fn calls_that_make_no_sense_are_answered_in_words() {
    let (bench, server, seat) = Bench::with(&hovering());
    bench.file("a.fake", "one\n");
    bench.file("a.txt", "one\n");
    for (arguments, expected) in [
        (json!({"action": "diagnostics"}), vec!["`file`", "glob", "\"*\""]),
        (json!({"action": "definition"}), vec!["definition", "`file`"]),
        (json!({"action": "hover", "file": "*"}), vec!["hover", "`file`"]),
        (json!({"action": "rename", "new_name": "b"}), vec!["rename", "`file`"]),
        (json!({"action": "rename", "file": "a.fake"}), vec!["rename", "`new_name`"]),
        (json!({"action": "rename_file", "file": "a.fake"}), vec!["rename_file", "`new_name`"]),
        (json!({"action": "rename_file", "file": "no.fake", "new_name": "b"}), vec!["no.fake", "exist"]),
        (json!({"action": "code_actions", "file": "a.fake", "apply": true}), vec!["`query`"]),
        (json!({"action": "symbols"}), vec!["`query`"]),
        (json!({"action": "symbols", "file": "*"}), vec!["`query`"]),
        (json!({"action": "request"}), vec!["`query`"]),
        (json!({"action": "request", "query": "x/echo", "payload": "{"}), vec!["`payload`", "JSON"]),
        (json!({"action": "hover", "file": "a.txt"}), vec!["No language server found", "a.txt"]),
        (json!({"action": "diagnostics", "file": "a.txt"}), vec!["No language server found", "a.txt"]),
    ] {
        let said = seat.refused(arguments.clone()).await;
        assert!(expected.iter().all(|part| said.contains(part)), "{arguments}: {said}");
        assert!(!said.starts_with("LSP error"), "{arguments}: {said}");
    }
    assert!(server.starts().is_empty(), "nothing of that needs a server");
    seat.leave().await;
}

/// proves: INT-008, INT-009
#[tokio::test]
async fn an_aborted_call_is_no_error_of_the_server() {
    let (bench, server, seat) = Bench::with(&json!({"answers": {"textDocument/hover": {"hang": true}}}));
    bench.file("a.fake", "one\n");
    let (call, cancel) = seat.begin(&hover("a.fake"));
    let asked = || server.received().into_iter().find(|message| message["method"] == "textDocument/hover");
    until("the question", || asked().is_some()).await;
    cancel.cancel();
    let error = call.await.unwrap().unwrap_err();
    assert!(error.message.contains("aborted") && !error.message.contains("LSP error"), "{}", error.message);
    until("the cancellation", || !server.params("$/cancelRequest").is_empty()).await;
    assert_eq!(server.params("$/cancelRequest"), [json!({"id": asked().unwrap()["id"]})]);
    seat.leave().await;
    server.finish();
}

/// proves: INT-010
#[tokio::test]
async fn an_error_of_the_server_is_told() {
    let script =
        json!({"answers": {"textDocument/hover": {"error": {"code": -32000, "message": "not today"}}}});
    let (bench, server, seat) = Bench::with(&script);
    bench.file("a.fake", "one\n");
    assert_eq!(seat.refused(hover("a.fake")).await, "LSP error: not today");
    seat.leave().await;
    server.finish();
}

/// A program that never ends shows the whole time, a server that never answers what a request may take of it.
///
/// proves: INT-005, INT-011
#[tokio::test]
async fn calls_take_five_to_sixty_seconds() {
    let script = json!({"answers": {"textDocument/hover": {"hang": true}, "x/echo": {"echo": true}}});
    let (bench, server, seat) = Bench::with(&script);
    bench.file("a.fake", "one\n");
    bench.file("Cargo.toml", "");
    bench.program("cargo", "exec sleep 1000");
    seat.ask(json!({"action": "request", "query": "x/echo", "file": "a.fake"})).await;
    tokio::time::pause();
    tokio::time::advance(std::time::Duration::from_secs(1)).await;
    for (timeout, whole, request) in
        [(json!(1), 5, 5_000), (Value::Null, 20, 20_000), (json!(500), 60, 30_000), (json!(7), 7, 7_000)]
    {
        let begun = tokio::time::Instant::now();
        let project = json!({"action": "diagnostics", "file": "*", "timeout": timeout});
        assert!(seat.refused(project).await.contains("timed out"));
        assert_eq!(begun.elapsed().as_secs(), whole, "{timeout}");

        let said = seat.refused(json!({"action": "hover", "file": "a.fake", "timeout": timeout})).await;
        let expected = format!("LSP error: LSP request textDocument/hover timed out after {request}ms");
        assert_eq!(said, expected);
    }
    tokio::time::resume();
    seat.leave().await;
    server.finish();
}

/// proves: INT-013
#[tokio::test]
async fn only_some_actions_change_something() {
    let (_bench, _server, seat) = Bench::with(&json!({}));
    let tool = seat.tool("lsp");
    let said = |action: &str| tool.approval(json!({"action": action}).as_object().unwrap()).unwrap();
    for action in READING {
        assert_eq!(said(action), Approval::READ, "{action}");
    }
    for action in WRITING {
        assert_eq!(said(action), Approval::WRITE, "{action}");
    }
    seat.leave().await;
}

/// proves: INT-004, INT-025, INT-026, INT-028
#[tokio::test]
async fn a_word_on_a_line_is_a_place() {
    let (bench, server, seat) = Bench::with(&hovering());
    bench.file("a.fake", "  foo(foo)\n\t Bar = Foo + bar\n'😀' + name\n");
    for (line, symbol, expected) in [
        (None, None, (0, 2)),
        (Some(2), None, (1, 2)),
        (Some(1), Some("foo"), (0, 2)),
        (Some(1), Some("foo#1"), (0, 2)),
        (Some(1), Some("foo#2"), (0, 6)),
        (Some(2), Some("bar"), (1, 14)),
        (Some(2), Some("Bar"), (1, 2)),
        (Some(2), Some("foo"), (1, 8)),
        (Some(2), Some("BAR#2"), (1, 14)),
        (Some(3), Some("name"), (2, 7)),
    ] {
        let asked = json!({"action": "hover", "file": "a.fake", "line": line, "symbol": symbol});
        let mut asked = asked.as_object().unwrap().clone();
        asked.retain(|_, value| !value.is_null());
        seat.ask(Value::Object(asked)).await;
        let position = server.params("textDocument/hover").pop().unwrap()["position"].take();
        assert_eq!(position, json!({"line": expected.0, "character": expected.1}), "{line:?} {symbol:?}");
    }
    seat.leave().await;
    server.finish();

    for (encoding, expected) in [("utf-8", 9), ("utf-32", 6)] {
        let mut script = hovering();
        script["capabilities"] = json!({"positionEncoding": encoding});
        let (bench, server, seat) = Bench::with(&script);
        bench.file("a.fake", "'😀' + name\n");
        seat.ask(json!({"action": "hover", "file": "a.fake", "symbol": "name"})).await;
        assert_eq!(server.params("textDocument/hover")[0]["position"]["character"], expected, "{encoding}");
        seat.leave().await;
        server.finish();
    }
}

/// proves: INT-027
#[tokio::test]
async fn places_that_are_not_there() {
    let (bench, server, seat) = Bench::with(&hovering());
    bench.file("a.fake", "foo(foo)\nbar\n");
    let at = |action: &str, file: &str, symbol: &str| json!({"action": action, "file": file, "line": 1, "symbol": symbol, "query": "textDocument/hover"});
    for (file, symbol, expected) in [
        ("no.fake", "foo", "no.fake does not exist"),
        ("a.fake", "bar", "Symbol \"bar\" not found on line 1"),
        ("a.fake", "foo#3", "Symbol \"foo\" occurs 2 time(s) on line 1; occurrence #3 does not exist"),
    ] {
        let said = seat.refused(at("hover", file, symbol)).await;
        assert!(said.starts_with("LSP error: ") && said.contains(expected), "{said}");
        let said = seat.refused(at("request", file, symbol)).await;
        let start = "LSP error from fake on textDocument/hover: ";
        assert!(said.starts_with(start) && said.contains(expected), "{said}");
    }
    assert!(server.params("textDocument/hover").is_empty());
    seat.leave().await;
    server.finish();
}

/// proves: INT-022
#[tokio::test]
async fn servers_know_the_text_as_it_is() {
    let (bench, server, seat) = Bench::with(&hovering());
    bench.file("a.fake", "one\n");
    seat.ask(hover("a.fake")).await;
    seat.ask(hover("a.fake")).await;
    bench.file("a.fake", "two\n");
    seat.ask(hover("a.fake")).await;
    let told = ["textDocument/didOpen", "textDocument/didChange", "textDocument/hover"];
    let methods: Vec<String> =
        server.methods().into_iter().filter(|method| told.contains(&method.as_str())).collect();
    assert_eq!(
        methods,
        [
            "textDocument/didOpen",
            "textDocument/hover",
            "textDocument/hover",
            "textDocument/didChange",
            "textDocument/hover"
        ]
    );
    assert_eq!(server.params("textDocument/didOpen")[0]["textDocument"]["text"], "one\n");
    assert_eq!(server.params("textDocument/didChange")[0]["contentChanges"], json!([{"text": "two\n"}]));
    seat.leave().await;
    server.finish();
}

/// proves: INT-023
#[tokio::test]
async fn odd_names_of_files_survive_the_way_there_and_back() {
    let name = "ä b#1%25?.fake";
    let (bench, server, seat) = Bench::with(&json!({"answers": {"textDocument/definition": {"echo": true}}}));
    bench.file(name, "one\n");
    let uri = url::Url::from_file_path(bench.project().join(name)).unwrap().to_string();
    let place = json!({"uri": uri, "range": {"start": {"line": 0, "character": 0}, "end": {"line": 0, "character": 1}}});
    server.play(&json!({"answers": {"textDocument/definition": {"result": place}}}));
    let said = seat.ask(json!({"action": "definition", "file": name})).await;
    assert_eq!(said, format!("Found 1 definition(s):\n{name}:1:1\n  1: one\n  2: "));
    let told = server.params("textDocument/didOpen")[0]["textDocument"]["uri"].clone();
    assert_eq!(told, uri);
    assert!(uri.ends_with("/%C3%A4%20b%231%2525%3F.fake"), "{uri}");
    seat.leave().await;
    server.finish();
}

/// proves: INT-024
#[tokio::test]
async fn a_star_means_the_project_for_some_actions() {
    let mut script = hovering();
    script["answers"]["workspace/symbol"] = json!({"result": []});
    script["answers"]["rust-analyzer/reloadWorkspace"] = json!({"result": null});
    let (bench, server, seat) = Bench::with(&script);
    bench.server("other", &script, &json!({"fileTypes": [".other"]}));
    bench.file("go.mod", "module x\n");
    bench.file("a.fake", "one\n");
    bench.program("go", "echo built");
    let project = seat.ask(json!({"action": "diagnostics", "file": "*"})).await;
    assert!(project.starts_with("Workspace diagnostics (Go"), "{project}");
    let symbols = seat.ask(json!({"action": "symbols", "file": "*", "query": "x"})).await;
    assert_eq!(symbols, "No symbols matching \"x\"");
    assert_eq!(seat.ask(json!({"action": "reload", "file": "*"})).await, "Reloaded fake\nReloaded other");
    for (star, none) in [
        (json!({"action": "capabilities", "file": "*"}), json!({"action": "capabilities"})),
        (json!({"action": "status", "file": "*"}), json!({"action": "status"})),
        (json!({"action": "status", "file": "no/such.file"}), json!({"action": "status"})),
        (
            json!({"action": "request", "query": "x/echo", "file": "*", "line": 3}),
            json!({"action": "request", "query": "x/echo"}),
        ),
    ] {
        assert_eq!(seat.ask(star).await, seat.ask(none).await);
    }
    assert!(seat.ask(json!({"action": "capabilities", "file": "*"})).await.contains("\n\nother:\n"));
    let one = seat.ask(json!({"action": "capabilities", "file": "a.fake"})).await;
    assert!(one.starts_with("fake:") && !one.contains("other:"), "{one}");
    for action in ["definition", "references", "hover", "rename", "code_actions"] {
        let said = seat.refused(json!({"action": action, "file": "*", "new_name": "x"})).await;
        assert!(said.contains("`file`"), "{action}: {said}");
    }
    seat.leave().await;
    server.finish();
}

/// proves: INT-077, INT-078
#[tokio::test]
async fn requests_have_the_parameters_that_were_meant() {
    let (bench, server, seat) = Bench::with(&hovering());
    let other = bench.server("other", &hovering(), &json!({"fileTypes": [".other"]}));
    let uri = format!("file://{}", bench.file("a.other", "one two\n").display());
    let payload = r#"{"any": [1, "thing"]}"#;
    for (arguments, by, expected) in [
        (
            json!({"file": "a.other", "line": 1, "symbol": "two", "payload": payload}),
            "other",
            json!({"any": [1, "thing"]}),
        ),
        (
            json!({"file": "a.other", "line": 1, "symbol": "two"}),
            "other",
            json!({"textDocument": {"uri": uri}, "position": {"line": 0, "character": 4}}),
        ),
        (json!({"file": "a.other", "symbol": "two"}), "other", json!({"textDocument": {"uri": uri}})),
        (json!({}), "fake", json!({})),
    ] {
        let mut asked = arguments.clone();
        asked["action"] = json!("request");
        asked["query"] = json!("x/echo");
        let said = seat.ask(asked).await;
        let answer = said.strip_prefix(&format!("{by} ← x/echo:\n")).unwrap_or_else(|| panic!("{said}"));
        assert_eq!(serde_json::from_str::<Value>(answer).unwrap(), expected);
    }
    let methods = other.methods();
    let place = |name: &str| methods.iter().position(|method| method == name).unwrap();
    assert!(place("textDocument/didOpen") < place("x/echo"), "{methods:?}");
    assert!(server.params("textDocument/didOpen").is_empty());
    seat.leave().await;
    server.finish();
    other.finish();
}

/// proves: INT-079
#[tokio::test]
async fn answers_of_requests_are_shown_as_they_are() {
    let script = json!({"answers": {
        "x/text": {"result": "two\nlines"},
        "x/list": {"result": [1, {"a": true}]},
        "x/none": {"result": null},
        "x/bad": {"error": {"code": 7, "message": "no such luck"}},
    }});
    let (_bench, server, seat) = Bench::with(&script);
    let ask = |method: &str| json!({"action": "request", "query": method});
    assert_eq!(seat.ask(ask("x/text")).await, "fake ← x/text:\ntwo\nlines");
    let list = "fake ← x/list:\n[\n  1,\n  {\n    \"a\": true\n  }\n]";
    assert_eq!(seat.ask(ask("x/list")).await, list);
    assert_eq!(seat.ask(ask("x/none")).await, "fake ← x/none:\nnull");
    assert_eq!(seat.refused(ask("x/bad")).await, "LSP error from fake on x/bad: no such luck");
    seat.leave().await;
    server.finish();
}

/// Between two steps of loading a server may be silent for a tenth of a second.
///
/// proves: INT-020
#[tokio::test]
async fn actions_about_the_project_wait_until_it_is_loaded() {
    let bench = Bench::new();
    let gate = bench.at("gate");
    let end = json!([{"wait_for": gate}, progress("end"), {"request": "workspace/workspaceFolders"}]);
    let server = bench.server("fake", &loading(&json!([progress("begin"), {"background": end}])), &json!({}));
    let seat = bench.sit();
    bench.file("a.fake", "one\n");
    let echo = json!({"action": "request", "query": "x/echo"});
    seat.ask(echo.clone()).await;
    let clock = StoppedClock::stop();
    let (call, _) = seat.begin(&json!({"action": "definition", "file": "a.fake"}));
    until("the file is open", || !server.params("textDocument/didOpen").is_empty()).await;
    clock.forward(1_000).await;
    seat.ask(echo).await;
    assert!(server.params("textDocument/definition").is_empty(), "the project is loading");
    std::fs::write(&gate, "").unwrap();
    until("the end of loading", || !server.answers().is_empty()).await;
    clock.forward(101).await;
    assert_eq!(text(&call.await.unwrap().unwrap()), "No definition found");
    drop(clock);
    seat.leave().await;
    server.finish();
}

/// A task that nothing is heard of is waited for once.
///
/// proves: INT-020
#[tokio::test]
async fn loading_that_never_ends_is_waited_for_fifteen_seconds() {
    let mut script = loading(&json!([]));
    script["answers"]["x/begin"] = json!({"first": [progress("begin")], "result": null});
    script["answers"]["x/report"] = json!({"first": [progress("report")], "result": null});
    let (bench, server, seat) = Bench::with(&script);
    bench.file("a.fake", "one\n");
    let ask = |method: &str| json!({"action": "request", "query": method});
    let definition = json!({"action": "definition", "file": "a.fake", "timeout": 60});
    seat.ask(ask("x/echo")).await;
    let clock = StoppedClock::stop();
    seat.ask(ask("x/begin")).await;
    clock.forward(5_000).await;
    seat.ask(ask("x/report")).await;
    let (call, _) = seat.begin(&definition);
    until("the file is open", || !server.params("textDocument/didOpen").is_empty()).await;
    clock.forward(14_990).await;
    seat.ask(ask("x/echo")).await;
    assert!(server.params("textDocument/definition").is_empty());
    clock.forward(20).await;
    assert_eq!(text(&call.await.unwrap().unwrap()), "No definition found");
    drop(clock);
    // Whoever waits again has no time left for the question.
    let again = json!({"action": "definition", "file": "a.fake", "timeout": 5});
    assert_eq!(seat.ask(again).await, "No definition found");
    seat.leave().await;
    server.finish();
}

fn progress(kind: &str) -> Value {
    json!({"notify": "$/progress", "params": {"token": 7, "value": {"kind": kind}}})
}

fn loading(steps: &Value) -> Value {
    let answers = json!({"textDocument/definition": {"result": null}, "x/echo": {"echo": true}});
    json!({"after_initialized": steps, "answers": answers})
}
