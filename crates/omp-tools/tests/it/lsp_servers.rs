//! Processes of language servers: which one is asked, how it begins and ends.

use std::path::Path;

use omp_testkit::LanguageServer;
use serde_json::{Value, json};

use crate::support::servers::{Bench, StoppedClock, until};
use crate::support::text;

fn hovering() -> Value {
    json!({"answers": {
        "textDocument/hover": {"result": {"contents": "about it"}},
        "textDocument/definition": {"result": null},
        "x/echo": {"echo": true},
    }})
}

fn hover(file: &str) -> Value {
    json!({"action": "hover", "file": file})
}

fn request(method: &str) -> Value {
    json!({"action": "request", "query": method})
}

fn status() -> Value {
    json!({"action": "status"})
}

#[allow(unsafe_code, reason = "there is no other way to ask for a process by its number")]
fn is_alive(pid: i32) -> bool {
    // SAFETY: signal zero only asks.
    unsafe { libc::kill(pid, 0) == 0 }
}

/// proves: INT-015, INT-016
#[tokio::test]
async fn the_first_server_that_is_no_linter_is_asked() {
    let bench = Bench::new();
    let linter = bench.server("a-linter", &hovering(), &json!({"isLinter": true}));
    let first = bench.server("first", &hovering(), &json!({"fileTypes": [".fake", "Fakefile"]}));
    let second = bench.server("second", &hovering(), &json!({"fileTypes": [".fake", ".lint"]}));
    let only = bench.server("only", &hovering(), &json!({"fileTypes": [".strict"], "isLinter": true}));
    let biome = bench.server("biome", &hovering(), &json!({"fileTypes": [".strict"]}));
    let seat = bench.sit();
    for name in ["a.fake", "Fakefile", "b.lint", "a.strict", "MyFakefile"] {
        bench.file(name, "one\n");
    }
    for (file, by) in [("a.fake", "first"), ("Fakefile", "first"), ("b.lint", "second")] {
        for action in ["hover", "definition"] {
            let output = seat.lsp(json!({"action": action, "file": file})).await;
            assert_eq!(output.details.unwrap()["serverName"], by, "{file}");
        }
    }
    for file in ["a.strict", "MyFakefile"] {
        for action in ["definition", "references", "hover", "rename", "code_actions", "symbols"] {
            let said = seat.refused(json!({"action": action, "file": file, "new_name": "x"})).await;
            assert!(said.starts_with(&format!("No language server found for {file}.")), "{action}: {said}");
        }
    }
    for server in [&linter, &only, &biome] {
        assert!(server.starts().is_empty());
    }
    // For diagnostics they are asked, last.
    let output = seat.lsp(json!({"action": "diagnostics", "file": "a.fake"})).await;
    assert_eq!(output.details.unwrap()["serverName"], "first, second, a-linter");
    seat.leave().await;
    first.finish();
    second.finish();
}

/// proves: INT-017
#[tokio::test]
async fn a_server_is_started_once() {
    let (bench, server, seat) = Bench::with(&hovering());
    bench.file("a.fake", "one\n");
    // Another name for the same program is the same process.
    bench.server("again", &hovering(), &json!({"command": server.program(), "fileTypes": [".again"]}));
    bench.file("a.again", "one\n");
    tokio::join!(seat.ask(hover("a.fake")), seat.ask(hover("a.fake")), seat.ask(hover("a.again")));
    for _ in 0..3 {
        seat.ask(hover("a.fake")).await;
    }
    assert_eq!(server.starts().len(), 1);
    assert_eq!(server.params("textDocument/hover").len(), 6);
    seat.leave().await;
    assert_eq!(server.farewells(), 1);
    server.finish();
}

/// proves: INT-018, INT-019
#[tokio::test]
async fn servers_are_introduced_and_told_their_settings() {
    let bench = Bench::new();
    let items = json!([{"section": "a.b"}, {"section": "missing"}, {"scopeUri": "file:///x"}]);
    let mut script = hovering();
    script["capabilities"] = json!({"colourProvider": "all of them"});
    script["after_initialized"] =
        json!([{"request": "workspace/configuration", "params": {"items": items}, "wait": true}]);
    let (options, settings) = (json!({"deep": [1, 2]}), json!({"a": {"b": {"c": 7}}}));
    let server = bench.server(
        "fake",
        &script,
        &json!({"initOptions": options, "settings": settings, "args": ["-v", "2"]}),
    );
    let seat = bench.sit();
    let said = seat.ask(json!({"action": "capabilities"})).await;
    assert!(said.contains("\"colourProvider\": \"all of them\""), "{said}");
    seat.ask(request("x/echo")).await;
    until("the answer", || !server.answers().is_empty()).await;
    let methods = server.methods();
    assert_eq!(methods, ["initialize", "initialized", "workspace/didChangeConfiguration", "x/echo"]);
    assert_eq!(server.params("initialize")[0]["initializationOptions"], options);
    assert_eq!(server.params("workspace/didChangeConfiguration")[0], json!({"settings": settings}));
    assert_eq!(server.answers()[0]["result"], json!([{"c": 7}, null, settings]));
    assert_eq!(server.starts(), [json!(["-v", "2"])]);
    seat.leave().await;
    server.finish();
}

/// proves: INT-012
#[tokio::test]
async fn the_end_of_a_server_ends_every_question() {
    let script = json!({"answers": {
        "textDocument/hover": {"hang": true},
        "x/die": {"first": [{"stderr": "the roof is on fire\n"}, {"exit": 3}]},
    }});
    let (bench, server, seat) = Bench::with(&script);
    bench.file("a.fake", "one\n");
    let (call, _) = seat.begin(&hover("a.fake"));
    until("the first question", || !server.params("textDocument/hover").is_empty()).await;
    let second = seat.refused(request("x/die")).await;
    let first = text(&call.await.unwrap().unwrap());
    for said in [first, second] {
        assert!(said.contains("fake exited with code 3: the roof is on fire"), "{said}");
    }
    seat.leave().await;
}

/// proves: INT-014, INT-072
#[tokio::test]
async fn the_configuration_is_read_once() {
    let bench = Bench::new();
    let seat = bench.sit();
    assert_eq!(seat.ask(status()).await, "No language servers configured for this project");
    seat.leave().await;

    let server = bench.server("fake", &hovering(), &json!({}));
    bench.server("other", &hovering(), &json!({"fileTypes": [".other"]}));
    let seat = bench.sit();
    let waits = |names: &[&str]| {
        let rows: Vec<String> =
            names.iter().map(|name| format!("\n- {name}: installed, starts on the first request")).collect();
        format!("Active language servers: {}{}", names.join(", "), rows.concat())
    };
    assert_eq!(seat.ask(status()).await, waits(&["fake", "other"]));
    assert!(server.starts().is_empty(), "that needs no process");
    bench.server("third", &hovering(), &json!({}));
    assert_eq!(seat.ask(status()).await, waits(&["fake", "other"]));
    seat.leave().await;
    assert_eq!(bench.sit().ask(status()).await, waits(&["fake", "other", "third"]));
}

/// Only what can be used is called active, and why the others cannot.
///
/// proves: INT-072
#[tokio::test]
async fn the_status_of_servers_is_true() {
    let bench = Bench::new();
    let mut mortal = hovering();
    mortal["answers"]["x/die"] = json!({"first": [{"stderr": "the roof is on fire"}, {"exit": 3}]});
    let good = bench.server("good", &hovering(), &json!({}));
    let crashes = bench.server("crashes", &mortal, &json!({"fileTypes": [".crashes"]}));
    let exits = json!({"before_initialize": [{"stderr": "no licence"}, {"exit": 4}]});
    let exits = bench.server("exits", &exits, &json!({"fileTypes": [".exits"]}));
    let refuses = json!({"before_initialize": [{"raw": "Content-Length: 65\r\n\r\n\
        {\"jsonrpc\":\"2.0\",\"id\":1,\"error\":{\"code\":-1,\"message\":\"not here\"}}"}]});
    let refuses = bench.server("refuses", &refuses, &json!({"fileTypes": [".refuses"]}));
    bench.server("absent", &json!({}), &json!({"command": "absent-program", "fileTypes": [".absent"]}));
    let seat = bench.sit();
    for name in ["good", "crashes", "exits", "refuses"] {
        let ending = if name == "good" { "fake" } else { name };
        bench.file(&format!("a.{ending}"), "one\n");
        seat.call("lsp", hover(&format!("a.{ending}"))).await.unwrap();
    }
    seat.refused(json!({"action": "request", "query": "x/die", "file": "a.crashes"})).await;
    let said = seat.ask(status()).await;
    let rows: Vec<&str> = said.lines().collect();
    assert_eq!(rows[0], "Active language servers: good", "{said}");
    let row = |name: &str| *rows.iter().find(|row| row.starts_with(&format!("- {name}: "))).unwrap();
    assert_eq!(row("good"), "- good: running");
    assert!(
        row("crashes").starts_with("- crashes: failed: exited with code 3: the roof is on fire"),
        "{said}"
    );
    assert!(row("exits").starts_with("- exits: failed: ") && row("exits").contains("no licence"), "{said}");
    assert!(
        row("refuses").starts_with("- refuses: failed: ") && row("refuses").contains("not here"),
        "{said}"
    );
    assert_eq!(rows.last(), Some(&"Not installed: absent (absent-program)"));
    assert!(good.starts().len() == 1 && crashes.starts().len() == 1, "a status starts nothing");

    // What is mended is used again, and one that crashed starts when it is needed.
    exits.play(&hovering());
    seat.ask(hover("a.exits")).await;
    seat.ask(hover("a.crashes")).await;
    refuses.play(&hovering());
    seat.ask(hover("a.refuses")).await;
    let said = seat.ask(status()).await;
    assert!(said.starts_with("Active language servers: good, crashes, exits, refuses\n"), "{said}");
    assert!(!said.contains("failed"), "{said}");
    seat.leave().await;
}

fn lines(path: &Path) -> Vec<String> {
    std::fs::read_to_string(path).unwrap_or_default().lines().map(str::to_owned).collect()
}

/// A project for `rust-analyzer`, and a multiplexer that notes its arguments.
fn multiplexed(status: &str) -> (Bench, LanguageServer, std::path::PathBuf) {
    let bench = Bench::new();
    bench.file("Cargo.toml", "");
    bench.file("a.rs", "one\n");
    bench.file("a.fake", "one\n");
    let server = LanguageServer::install(&bench.at("bin"), "rust-analyzer", &hovering());
    let log = bench.at("log");
    let (shown, bin) = (log.display(), bench.at("bin"));
    let script = format!(
        "echo \"$*\" >> {shown}\ncase $1 in status) {status};; *) exec {}/rust-analyzer;; esac",
        bin.display()
    );
    bench.program("lspmux", &script);
    (bench, server, log)
}

/// proves: INT-029, INT-073
#[tokio::test]
async fn servers_are_shared_where_that_is_possible() {
    let (bench, server, log) = multiplexed("exit 0");
    let fake = bench.server("fake", &hovering(), &json!({}));
    bench.server(
        "rust-analyzer",
        &hovering(),
        &json!({"command": "rust-analyzer", "fileTypes": [".rs"],
        "args": ["--log", "x"]}),
    );
    let seat = bench.sit();
    let said = seat.ask(status()).await;
    assert!(said.starts_with("Active language servers: rust-analyzer, fake\n"), "{said}");
    assert!(said.ends_with("\nlspmux: active (multiplexing enabled)"), "{said}");
    seat.ask(hover("a.rs")).await;
    seat.ask(hover("a.fake")).await;
    let program = server.program().display();
    assert_eq!(lines(&log), ["status".to_owned(), format!("client --server-path {program} -- --log x")]);
    assert_eq!(fake.starts(), [json!([])]);
    seat.leave().await;

    let (bench, server, log) = multiplexed("exit 1");
    let seat = bench.sit();
    let said = seat.ask(status()).await;
    assert!(said.starts_with("Active language servers: rust-analyzer\n"), "{said}");
    assert!(said.ends_with("\nlspmux: installed but server not running"), "{said}");
    seat.ask(hover("a.rs")).await;
    assert_eq!(lines(&log), ["status"]);
    assert_eq!(server.starts().len(), 1);
    seat.leave().await;
    server.finish();
}

/// proves: INT-030
#[tokio::test]
async fn what_is_known_about_sharing_is_believed_for_five_minutes() {
    let (bench, _server, log) = multiplexed("exit 0");
    let seat = bench.sit();
    for (minutes, asked) in [(0, 1), (0, 1), (4, 1), (2, 2)] {
        {
            let clock = StoppedClock::stop();
            clock.forward(minutes * 60_000).await;
        }
        seat.ask(status()).await;
        assert_eq!(lines(&log).len(), asked);
    }
    seat.leave().await;

    let (mut bench, server, log) = multiplexed("exit 0");
    bench.variables.push(("PI_DISABLE_LSPMUX".to_owned(), "1".to_owned()));
    let seat = bench.sit();
    let said = seat.ask(status()).await;
    assert!(
        said.starts_with("Active language servers: rust-analyzer\n") && !said.contains("lspmux"),
        "{said}"
    );
    seat.ask(hover("a.rs")).await;
    assert!(lines(&log).is_empty());
    assert_eq!(server.starts().len(), 1);
    seat.leave().await;
}

/// proves: INT-030
#[tokio::test]
async fn a_multiplexer_that_hangs_is_given_up_after_a_second() {
    let (bench, _server, log) = multiplexed("exec sleep 1000");
    let seat = bench.sit();
    let clock = StoppedClock::stop();
    let (call, _) = seat.begin(&status());
    until("the question", || !lines(&log).is_empty()).await;
    clock.forward(990).await;
    assert!(!call.is_finished());
    clock.forward(20).await;
    let said = text(&call.await.unwrap().unwrap());
    assert!(said.ends_with("lspmux: installed but server not running"), "{said}");
    drop(clock);
    seat.leave().await;
}

/// proves: INT-031
#[tokio::test]
async fn idle_servers_are_ended() {
    let (bench, server, seat) = Bench::with(&hovering());
    let path = bench.project().join("lsp.json");
    let mut config: Value = serde_json::from_slice(&std::fs::read(&path).unwrap()).unwrap();
    config["idleTimeoutMs"] = json!(1_000);
    std::fs::write(&path, config.to_string()).unwrap();
    bench.file("a.fake", "one\n");
    seat.ask(hover("a.fake")).await;
    let pid = server.pids()[0];
    {
        let clock = StoppedClock::stop();
        clock.forward(59_000).await;
        let config = seat.desk.servers.config().await;
        let runs = seat.desk.servers.running(&config.servers[0]).await.is_some();
        assert!(runs && is_alive(pid), "nobody looks before a minute is over");
        clock.forward(1_100).await;
        until("the end of the server", || server.farewells() == 1 && !is_alive(pid)).await;
    }
    seat.ask(hover("a.fake")).await;
    assert_eq!(server.starts().len(), 2);
    seat.leave().await;
    server.finish();

    let (bench, server, seat) = Bench::with(&hovering());
    bench.file("a.fake", "one\n");
    seat.ask(hover("a.fake")).await;
    {
        let clock = StoppedClock::stop();
        for _ in 0..10 {
            clock.forward(60_000).await;
        }
    }
    seat.ask(hover("a.fake")).await;
    assert_eq!(server.starts().len(), 1);
    seat.leave().await;
    server.finish();
}

/// proves: INT-074, INT-075
#[tokio::test]
async fn servers_look_anew_or_are_ended() {
    let bench = Bench::new();
    let one = json!({"answers": {"rust-analyzer/reloadWorkspace": {"result": null}}});
    let two = json!({"answers": {"workspace/didChangeConfiguration": {"result": null}}});
    let one = bench.server("one", &one, &json!({}));
    let two = bench.server("two", &two, &json!({"fileTypes": [".two"]}));
    let three = bench.server("three", &hovering(), &json!({"fileTypes": [".three"]}));
    let broken = json!({"before_initialize": [{"exit": 4}]});
    bench.server("broken", &broken, &json!({"fileTypes": [".broken"]}));
    let biome = bench.server("biome", &hovering(), &json!({}));
    bench.file("a.two", "x\n");
    bench.file("a.three", "x\n");
    let seat = bench.sit();
    let said = seat.ask(json!({"action": "reload"})).await;
    let rows: Vec<&str> = said.lines().collect();
    assert_eq!(rows[..3], ["Reloaded one", "Reloaded two", "Restarted three"]);
    assert!(rows[3].starts_with("Failed to reload broken: ") && rows[3].contains("code 4"), "{said}");
    assert_eq!(rows.len(), 4);
    assert!(biome.starts().is_empty());
    let asked = |server: &LanguageServer| server.methods().into_iter().skip(2).collect::<Vec<_>>();
    assert_eq!(asked(&one), ["rust-analyzer/reloadWorkspace"]);
    assert_eq!(asked(&two), ["rust-analyzer/reloadWorkspace", "workspace/didChangeConfiguration"]);
    assert_eq!(two.params("workspace/didChangeConfiguration"), [json!({"settings": {}})]);
    until("the end of the third", || !is_alive(three.pids()[0])).await;
    assert_eq!(three.starts().len(), 1);
    seat.ask(hover("a.three")).await;
    assert_eq!(three.starts().len(), 2);

    assert_eq!(seat.ask(json!({"action": "reload", "file": "a.two"})).await, "Reloaded two");
    assert_eq!((asked(&one).len(), asked(&two).len()), (1, 4));
    assert_eq!(one.starts().len() + two.starts().len(), 2);
    seat.leave().await;
    one.finish();
    two.finish();
}

/// proves: INT-076
#[tokio::test]
async fn what_servers_can_do() {
    let bench = Bench::new();
    let good = json!({"capabilities": {"x": {"deep": [true]}}});
    let good = bench.server("good", &good, &json!({}));
    bench.program("broken-stub", "echo no licence >&2; exit 5");
    bench.server("broken", &json!({}), &json!({"command": "broken-stub"}));
    let seat = bench.sit();
    let said = seat.ask(json!({"action": "capabilities"})).await;
    let (first, second) = said.split_once("\n\n").unwrap();
    let shown = first.strip_prefix("good:\n").unwrap();
    assert!(shown.contains("    \"x\": {\n      \"deep\": [\n        true\n"), "{shown}");
    let value: Value = serde_json::from_str(shown).unwrap();
    assert_eq!(value["capabilities"]["x"], json!({"deep": [true]}));
    assert_eq!(value["capabilities"]["hoverProvider"], true);
    assert!(second.starts_with("broken: failed to start (") && second.contains("no licence"), "{second}");
    assert_eq!(good.starts().len(), 1);
    seat.leave().await;
    good.finish();
}

/// A server that does not get ready before anybody needs it has five seconds, or what its entry says.
///
/// proves: INT-033
#[tokio::test]
async fn warming_up_takes_five_seconds_at_most() {
    let bench = Bench::new();
    let never = json!({"before_initialize": [{"wait_for": bench.at("never")}]});
    bench.server("usual", &never, &json!({}));
    bench.server("patient", &never, &json!({"warmupTimeoutMs": 45_000}));
    bench.server("fake", &hovering(), &json!({}));
    let seat = bench.sit();
    let config = seat.desk.servers.config().await;
    let [usual, patient, fake] = config.servers.as_slice() else { panic!("{config:?}") };
    seat.desk.servers.warm_up(fake).await.unwrap();
    assert!(seat.desk.servers.running(fake).await.is_some());
    tokio::time::pause();
    for (server, milliseconds) in [(usual, 5_000), (patient, 45_000)] {
        let error = seat.desk.servers.warm_up(server).await.unwrap_err().to_string();
        let expected = format!("LSP request initialize timed out after {milliseconds}ms");
        assert!(error.ends_with(&expected), "{error}");
        assert!(seat.desk.servers.running(server).await.is_none());
    }
    tokio::time::resume();
    seat.leave().await;
}

/// A server that loads a project lets questions fall; the model need not know.
#[tokio::test]
async fn a_question_that_falls_is_asked_again() {
    let falls = |code: i64| json!({"error": {"code": code, "message": "content modified"}});
    let never = json!({"error": {"code": -32803, "message": "no such thing"}});
    let script = json!({"answers": {
        "textDocument/hover": [falls(-32801), falls(-32802), {"result": {"contents": "at last"}}],
        "textDocument/definition": [never, {"result": null}],
        "textDocument/references": falls(-32801),
    }});
    let (bench, server, seat) = Bench::with(&script);
    bench.file("a.fake", "x\n");
    assert_eq!(seat.ask(hover("a.fake")).await, "at last");
    assert_eq!(server.params("textDocument/hover").len(), 3);
    let refused = seat.refused(json!({"action": "definition", "file": "a.fake"})).await;
    assert!(refused.contains("no such thing"), "{refused}");
    let refused = seat.refused(json!({"action": "references", "file": "a.fake"})).await;
    assert!(refused.contains("content modified"), "not for ever: {refused}");
    seat.leave().await;
    server.finish();
}
