//! Where things are and what they are, as language servers tell it.

use serde_json::{Value, json};

use crate::support::servers::{Bench, StoppedClock, location, range, until};
use crate::support::text;

fn answers(method: &str, result: &Value) -> Value {
    json!({"answers": {method: {"result": result}}})
}

fn about(action: &str) -> Value {
    json!({"action": action, "file": "a.fake", "line": 2, "symbol": "two"})
}

/// proves: INT-047, INT-048
#[tokio::test]
async fn places_are_shown_with_a_line_above_and_below() {
    for (action, method, noun) in [
        ("definition", "textDocument/definition", "definition"),
        ("type_definition", "textDocument/typeDefinition", "type definition"),
        ("implementation", "textDocument/implementation", "implementation"),
    ] {
        let some = json!([location("a.fake", 0, 1, 2), location("sub/b.fake", 2, 0, 5)]);
        let script = json!({"answers": {method: [{"result": some}, {"result": []}, {"result": null}]}});
        let (bench, server, seat) = Bench::with(&script);
        bench.file("a.fake", "one\ntwo\n");
        bench.file("sub/b.fake", "1\n2\nthree\n4\n5\n");
        let expected = format!(
            "Found 2 {noun}(s):\na.fake:1:2\n  1: one\n  2: two\nsub/b.fake:3:1\n  2: 2\n  3: three\n  4: 4"
        );
        assert_eq!(seat.ask(about(action)).await, expected);
        assert_eq!(seat.ask(about(action)).await, format!("No {noun} found"));
        assert_eq!(seat.ask(about(action)).await, format!("No {noun} found"));
        let asked = server.params(method);
        assert_eq!(asked[0]["position"], json!({"line": 1, "character": 0}));
        assert!(asked[0]["textDocument"]["uri"].as_str().unwrap().ends_with("/project/a.fake"));
        seat.leave().await;
        server.finish();
    }
}

/// proves: INT-049
#[tokio::test]
async fn places_come_in_four_forms() {
    let uri = "${root}/a.fake";
    let whole = json!({"start": {"line": 0, "character": 0}, "end": {"line": 1, "character": 3}});
    let link = json!({"targetUri": uri, "targetRange": whole, "targetSelectionRange": range(1, 1, 2)});
    let bare = json!({"targetUri": uri, "targetRange": whole});
    let one = location("a.fake", 1, 2, 3);
    for (result, expected) in [
        (one.clone(), vec!["a.fake:2:3"]),
        (json!([one]), vec!["a.fake:2:3"]),
        (link.clone(), vec!["a.fake:2:2"]),
        (json!([bare, link]), vec!["a.fake:1:1", "a.fake:2:2"]),
    ] {
        let (bench, server, seat) = Bench::with(&answers("textDocument/definition", &result));
        bench.file("a.fake", "one\ntwo\n");
        let said = seat.ask(about("definition")).await;
        let places: Vec<&str> = said.lines().filter(|line| line.starts_with("a.fake")).collect();
        assert_eq!(places, expected, "{result}");
        seat.leave().await;
        server.finish();
    }
}

/// proves: INT-050
#[tokio::test]
async fn references_include_the_declaration() {
    let some = json!([location("a.fake", 0, 0, 3), location("a.fake", 1, 0, 3)]);
    let script = json!({"answers": {"textDocument/references": [{"result": some}, {"result": null}]}});
    let (bench, server, seat) = Bench::with(&script);
    bench.file("a.fake", "one\ntwo");
    let expected = "Found 2 reference(s):\na.fake:1:1\n  1: one\n  2: two\na.fake:2:1\n  1: one\n  2: two";
    assert_eq!(seat.ask(about("references")).await, expected);
    assert_eq!(seat.ask(about("references")).await, "No references found");
    let asked = server.params("textDocument/references");
    assert_eq!(asked[0]["context"], json!({"includeDeclaration": true}));
    seat.leave().await;
    server.finish();
}

/// proves: INT-052
#[tokio::test]
async fn so_many_references_have_their_lines() {
    let many: Vec<Value> = (0..60).map(|line| location("a.fake", line, 0, 1)).collect();
    let (bench, server, seat) = Bench::with(&answers("textDocument/references", &json!(many)));
    let lines: String = (0..61).map(|line| format!("two line-{line}\n")).collect();
    bench.file("a.fake", lines);
    let said = seat.ask(about("references")).await;
    assert!(said.starts_with("Found 60 reference(s):\n"), "{said}");
    let (with, without) =
        said.split_once("\n... 10 additional reference(s) shown without context\n").expect("the rest");
    assert_eq!(with.lines().filter(|line| line.starts_with("a.fake:")).count(), 50);
    assert!(with.contains("a.fake:50:1\n  49: two line-48\n  50: two line-49\n  51: two line-50"), "{with}");
    let rest: Vec<String> = (51..=60).map(|line| format!("a.fake:{line}:1")).collect();
    assert_eq!(without.lines().collect::<Vec<_>>(), rest);
    seat.leave().await;
    server.finish();
}

fn progress(kind: &str) -> Value {
    json!({"notify": "$/progress", "params": {"token": "t", "value": {"kind": kind}}})
}

/// A server that loads something, and answers in this order.
fn loads(results: &[Value]) -> Value {
    let answers: Vec<Value> = results.iter().map(|result| json!({"result": result})).collect();
    json!({"after_initialized": [progress("begin"), progress("end")],
        "answers": {"textDocument/references": answers, "x/echo": {"echo": true}}})
}

/// proves: INT-051
#[tokio::test]
async fn a_server_that_only_knows_the_place_itself_is_asked_again() {
    let itself = json!([location("a.fake", 1, 0, 3)]);
    let all = json!([location("a.fake", 1, 0, 3), location("a.fake", 0, 0, 3)]);
    for (results, found, asked) in [
        (vec![itself.clone(), itself.clone(), all.clone()], 2, 3),
        (vec![itself.clone(), itself.clone(), itself.clone(), all.clone()], 1, 3),
        (vec![all], 2, 1),
    ] {
        let (bench, server, seat) = Bench::with(&loads(&results));
        bench.file("a.fake", "one\ntwo\n");
        let said = seat.ask(about("references")).await;
        assert!(said.starts_with(&format!("Found {found} reference(s):")), "{said}");
        assert_eq!(server.params("textDocument/references").len(), asked);
        seat.leave().await;
        server.finish();
    }
    // A server that loads nothing knows all it will ever know.
    let (bench, server, seat) = Bench::with(&answers("textDocument/references", &itself));
    bench.file("a.fake", "one\ntwo\n");
    seat.ask(about("references")).await;
    assert_eq!(server.params("textDocument/references").len(), 1);
    seat.leave().await;
    server.finish();
}

/// Before each question a tenth of a second passes in which loading could begin.
///
/// proves: INT-051
#[tokio::test]
async fn the_next_question_comes_after_a_quarter_of_a_second() {
    let itself = json!([location("a.fake", 1, 0, 3)]);
    let (bench, server, seat) = Bench::with(&loads(&[itself.clone(), itself, json!([])]));
    bench.file("a.fake", "one\ntwo\n");
    let echo = json!({"action": "request", "query": "x/echo"});
    seat.ask(echo.clone()).await;
    let asked = || server.params("textDocument/references").len();
    let clock = StoppedClock::stop();
    let (call, _) = seat.begin(&about("references"));
    until("the file is open", || !server.params("textDocument/didOpen").is_empty()).await;
    clock.forward(101).await;
    for number in 1..=2 {
        until("a question", || asked() == number).await;
        // Its answer is here when that of a later one is.
        seat.ask(echo.clone()).await;
        clock.forward(248).await;
        clock.forward(101).await;
        seat.ask(echo.clone()).await;
        assert_eq!(asked(), number, "it is too early");
        clock.forward(2).await;
        clock.forward(101).await;
    }
    assert_eq!(text(&call.await.unwrap().unwrap()), "No references found");
    assert_eq!(asked(), 3);
    drop(clock);
    seat.leave().await;
    server.finish();
}

/// proves: INT-053
#[tokio::test]
async fn hover_texts_are_plain() {
    for (result, expected) in [
        (json!({"contents": "a plain text"}), "a plain text"),
        (json!({"contents": {"kind": "markdown", "value": "**bold**\n"}}), "**bold**"),
        (json!({"contents": {"language": "rust", "value": "fn f()"}}), "fn f()"),
        (json!({"contents": ["first", {"language": "rust", "value": "second"}, ""]}), "first\n\nsecond"),
        (json!({"contents": []}), "No hover information"),
        (Value::Null, "No hover information"),
    ] {
        let (bench, server, seat) = Bench::with(&answers("textDocument/hover", &result));
        bench.file("a.fake", "one\ntwo\n");
        assert_eq!(seat.ask(about("hover")).await, expected);
        seat.leave().await;
        server.finish();
    }
}

/// proves: INT-054
#[tokio::test]
async fn the_outline_of_a_file() {
    let inner =
        json!({"name": "inner", "kind": 6, "range": range(2, 0, 9), "selectionRange": range(2, 4, 9)});
    let outer = json!({"name": "Outer", "kind": 5, "detail": "a class", "range": range(1, 0, 9),
        "selectionRange": range(1, 2, 9), "children": [inner]});
    let flat = json!([
        {"name": "Outer", "kind": 5, "location": location("a.fake", 1, 0, 9)},
        {"name": "inner", "kind": 6, "location": location("a.fake", 2, 0, 9), "containerName": "Outer"},
    ]);
    for (result, expected) in [
        (json!([outer]), "Symbols in a.fake:\n  class Outer a class @ line 2\n    method inner @ line 3"),
        (flat, "Symbols in a.fake:\n  class Outer @ line 2\n  method inner in Outer @ line 3"),
    ] {
        let (bench, server, seat) = Bench::with(&answers("textDocument/documentSymbol", &result));
        bench.file("a.fake", "1\n2\n3\n");
        assert_eq!(seat.ask(json!({"action": "symbols", "file": "a.fake"})).await, expected);
        seat.leave().await;
        server.finish();
    }
}

fn symbol(name: &str, line: u32) -> Value {
    json!({"name": name, "kind": 12, "location": location("a.fake", line, 2, 9)})
}

/// proves: INT-055
#[tokio::test]
async fn names_of_the_project_come_from_all_servers() {
    let bench = Bench::new();
    let one = answers("workspace/symbol", &json!([symbol("load_all", 3), symbol("unrelated", 4)]));
    let two = answers("workspace/symbol", &json!([symbol("load_all", 3), symbol("ReLoad", 8)]));
    let servers = [
        bench.server("one", &one, &json!({})),
        bench.server("two", &two, &json!({"fileTypes": [".other"], "isLinter": true})),
        bench.server("three", &json!({}), &json!({"fileTypes": [".third"]})),
        bench.server("biome", &json!({}), &json!({})),
    ];
    let seat = bench.sit();
    let expected = "Found 2 symbol(s) matching \"load\":\n  function load_all @ a.fake:4:3\n  \
                    function ReLoad @ a.fake:9:3";
    for arguments in [json!({"file": "*"}), json!({})] {
        let mut arguments = arguments;
        arguments["action"] = json!("symbols");
        arguments["query"] = json!("load");
        assert_eq!(seat.ask(arguments).await, expected);
    }
    let asked: Vec<Value> = servers.iter().flat_map(|server| server.params("workspace/symbol")).collect();
    assert_eq!(asked, vec![json!({"query": "load"}); 6]);
    assert!(servers[3].starts().is_empty(), "biome is not talked to in the protocol");
    seat.leave().await;
    servers.iter().for_each(omp_testkit::LanguageServer::finish);
}

/// proves: INT-056
#[tokio::test]
async fn so_many_names_and_no_more() {
    let many: Vec<Value> = (0..250).map(|line| symbol(&format!("name-{line}"), line)).collect();
    let (_bench, server, seat) = Bench::with(&answers("workspace/symbol", &json!(many)));
    let said = seat.ask(json!({"action": "symbols", "query": "name"})).await;
    let rows: Vec<&str> = said.lines().collect();
    assert_eq!(rows.len(), 202);
    assert_eq!(rows[0], "Found 250 symbol(s) matching \"name\":");
    assert_eq!(rows[200], "  function name-199 @ a.fake:200:3");
    assert_eq!(rows[201], "... 50 additional symbol(s) omitted");
    seat.leave().await;
    server.finish();
}
