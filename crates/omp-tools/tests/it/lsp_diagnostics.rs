//! What language servers, linters and the project's own checker find.

use omp_testkit::LanguageServer;
use serde_json::{Value, json};

use crate::support::servers::{Bench, StoppedClock, range, until};
use crate::support::text;

fn rule(word: &str, severity: u8, message: &str) -> Value {
    json!({"word": word, "severity": severity, "message": message})
}

fn check(file: &str) -> Value {
    json!({"action": "diagnostics", "file": file})
}

/// proves: INT-035, INT-038
#[tokio::test]
async fn findings_of_a_file() {
    let rules = json!([
        {"word": "BAD", "severity": 1, "message": "a bad word", "code": "E1", "source": "lint"},
        {"word": "MEH", "severity": 2, "message": "a weak word", "code": 7},
        rule("FYI", 3, "a note"),
        rule("HMM", 4, "a thought"),
    ]);
    let (bench, server, seat) = Bench::with(&json!({ "rules": rules }));
    bench.file("sub/a.fake", "fine\n");
    assert_eq!(seat.ask(check("sub/a.fake")).await, "OK");
    bench.file("sub/a.fake", "HMM\n  FYI\nMEH\nBAD\nBAD\n");
    let expected = "2 errors, 1 warning, 1 info, 1 hint:\n\
                    sub/a.fake:4:1 error: a bad word [lint E1]\n\
                    sub/a.fake:5:1 error: a bad word [lint E1]\n\
                    sub/a.fake:3:1 warning: a weak word [7]\n\
                    sub/a.fake:2:3 info: a note\n\
                    sub/a.fake:1:1 hint: a thought";
    assert_eq!(seat.ask(check("sub/a.fake")).await, expected);
    bench.file("sub/a.fake", "fine again\n");
    assert_eq!(seat.ask(check("sub/a.fake")).await, "OK");
    seat.leave().await;
    server.finish();
}

/// A server, a linter that speaks the protocol, one that is a program, and one that crashes.
///
/// proves: INT-036, INT-037
#[tokio::test]
async fn findings_of_all_servers_are_put_together() {
    let bench = Bench::new();
    let servers = [
        bench.server(
            "one",
            &json!({"rules": [rule("BAD", 2, "from one"), rule("BAD", 1, "from both")]}),
            &json!({}),
        ),
        bench.server(
            "two",
            &json!({"rules": [rule("BAD", 1, "from both"), rule("MEH", 1, "worse")]}),
            &json!({"isLinter": true}),
        ),
        bench.server(
            "crash",
            &json!({"before_initialize": [{"stderr": "out of order"}, {"exit": 9}]}),
            &json!({}),
        ),
    ];
    let report = r#"{"diagnostics":[{"category":"lint/x","severity":"error","description":"from biome",
        "location":{"span":[0,3]}}]}"#;
    let biome = bench.program("biome-stub", &format!("cat <<'END'\n{report}\nEND"));
    let path = bench.project().join("lsp.json");
    let mut config: Value = serde_json::from_slice(&std::fs::read(&path).unwrap()).unwrap();
    config["servers"]["biome"] =
        json!({"command": biome, "fileTypes": [".fake"], "rootMarkers": ["lsp.json"]});
    std::fs::write(&path, config.to_string()).unwrap();
    bench.file("a.fake", "MEH\nBAD\n");
    let seat = bench.sit();
    let output = seat.lsp(check("a.fake")).await;
    let said = text(&output);
    let start = "3 errors, 1 warning:\n\
                 a.fake:1:1 error: from biome [biome lint/x]\n\
                 a.fake:1:1 error: worse\n\
                 a.fake:2:1 error: from both\n\
                 a.fake:2:1 warning: from one\n";
    assert!(said.starts_with(start), "{said}");
    assert!(said.contains("cannot start crash") && said.contains("code 9: out of order"), "{said}");
    let details = output.details.unwrap();
    assert_eq!(details["success"], true);
    assert_eq!(details["serverName"], "one, biome, two");
    seat.leave().await;
    servers[..2].iter().for_each(LanguageServer::finish);
}

/// proves: INT-039
#[tokio::test]
async fn fifty_findings_are_shown() {
    let (bench, server, seat) = Bench::with(&json!({"rules": [rule("BAD", 1, "bad")]}));
    bench.file("a.fake", "BAD\n".repeat(60));
    let said = seat.ask(check("a.fake")).await;
    assert!(said.starts_with("60 errors:\n"), "{said}");
    assert_eq!(said.lines().filter(|line| line.ends_with("error: bad")).count(), 50);
    assert!(said.ends_with("a.fake:50:1 error: bad\n... 10 more not shown"), "{said}");
    seat.leave().await;
    server.finish();
}

/// Old findings are not taken for new ones.
///
/// proves: INT-040
#[tokio::test]
async fn findings_are_those_of_the_text_as_it_is() {
    // A publication for an older version comes before the one that counts.
    let script = json!({"rules": [rule("BAD", 1, "bad")], "publish": "stale-first"});
    let (bench, server, seat) = Bench::with(&script);
    for (content, expected) in [("BAD\n", "1 error:\na.fake:1:1 error: bad"), ("fine\n", "OK")] {
        bench.file("a.fake", content);
        assert_eq!(seat.ask(check("a.fake")).await, expected);
    }
    seat.leave().await;
    server.finish();
}

/// A server that says nothing about the new text: what it said about the old one is not taken for news.
///
/// proves: INT-040
#[tokio::test]
async fn old_findings_are_called_old() {
    let bench = Bench::new();
    let script =
        json!({"rules": [rule("BAD", 1, "bad")], "publish": {"unless": "later", "file": bench.at("gate")}});
    let server = bench.server("fake", &script, &json!({}));
    let seat = bench.sit();
    bench.file("a.fake", "BAD\n");
    assert_eq!(seat.ask(check("a.fake")).await, "1 error:\na.fake:1:1 error: bad");
    bench.file("a.fake", "later\n");
    tokio::time::pause();
    let said = seat.ask(check("a.fake")).await;
    tokio::time::resume();
    let expected = "No diagnostics yet.\nStill waiting for: fake\nPossibly outdated, 1 error:\na.fake:1:1 \
                    error: bad";
    assert_eq!(said, expected);
    seat.leave().await;
    server.finish();
}

/// Without versions the last publication counts, and one for this version counts at once: here the clock stands.
///
/// proves: INT-040
#[tokio::test]
async fn the_last_publication_counts() {
    let script = json!({"rules": [rule("BAD", 1, "bad")], "publish": "twice"});
    let (bench, server, seat) = Bench::with(&script);
    let path = bench.file("a.fake", "BAD\n");
    seat.ask(json!({"action": "capabilities"})).await;
    let config = seat.desk.servers.config().await;
    let client = seat.desk.servers.running(&config.servers[0]).await.unwrap();
    let clock = StoppedClock::stop();
    clock.forward(1_000).await;
    let (call, _) = seat.begin(&check("a.fake"));
    until("the second publication", || !client.known(&path).is_empty()).await;
    clock.forward(140).await;
    assert!(!call.is_finished(), "a third one may come");
    clock.forward(11).await;
    assert_eq!(text(&call.await.unwrap().unwrap()), "1 error:\na.fake:1:1 error: bad");
    drop((clock, client));
    seat.leave().await;
    server.finish();

    let (bench, server, seat) = Bench::with(&json!({"rules": [rule("BAD", 1, "bad")]}));
    bench.file("a.fake", "BAD\n");
    seat.ask(json!({"action": "capabilities"})).await;
    let clock = StoppedClock::stop();
    clock.forward(1_000).await;
    assert_eq!(seat.ask(check("a.fake")).await, "1 error:\na.fake:1:1 error: bad");
    drop(clock);
    seat.leave().await;
    server.finish();
}

/// proves: INT-041
#[tokio::test]
async fn silent_servers_are_waited_for_three_seconds_or_less() {
    let (bench, server, seat) = Bench::with(&json!({"publish": "never"}));
    for name in ["a", "b", "c"] {
        bench.file(&format!("{name}.fake"), "text\n");
    }
    seat.ask(json!({"action": "capabilities"})).await;
    tokio::time::pause();
    tokio::time::advance(std::time::Duration::from_secs(1)).await;
    for (file, expected) in [("a.fake", 3_000), ("*.fake", 3 * 400)] {
        let begun = tokio::time::Instant::now();
        let said = seat.ask(check(file)).await;
        assert!(said.contains("No diagnostics yet.\nStill waiting for: fake"), "{said}");
        let waited = begun.elapsed().as_millis();
        assert!((expected..expected + 10).contains(&waited), "{file}: {waited}");
    }
    tokio::time::resume();
    seat.leave().await;
    server.finish();
}

/// What a server said about a text that has not changed holds among many files as well, and a server that takes its time
/// with each has the time of all.
#[tokio::test]
async fn files_of_a_pattern_are_not_called_unheard_of() {
    let rules = json!([rule("BAD", 1, "bad")]);
    for publish in ["once-a-text", "slowly"] {
        let (bench, server, seat) = Bench::with(&json!({"rules": rules, "publish": publish}));
        bench.file("a.fake", "BAD\n");
        assert_eq!(seat.ask(check("a.fake")).await, "1 error:\na.fake:1:1 error: bad");
        for name in ["b", "c"] {
            bench.file(&format!("{name}.fake"), "BAD\n");
        }
        let said = seat.ask(check("*.fake")).await;
        let section = |name: &str| format!("{name}.fake: 1 error:\n{name}.fake:1:1 error: bad");
        assert_eq!(said, ["a", "b", "c"].map(section).join("\n\n"), "{publish}");
        let said = seat.ask(check("a.f*e")).await;
        assert_eq!(said, section("a"), "{publish}");
        seat.leave().await;
        server.finish();
    }
}

/// clangd publishes before it has read changed headers again, and once more for the same version after that.
#[tokio::test]
async fn findings_in_a_hurry_are_not_the_last_word() {
    let script = json!({"rules": [rule("BAD", 1, "bad")], "publish": "hasty"});
    let (bench, server, seat) = Bench::with(&script);
    bench.file("a.fake", "BAD\n");
    for _ in 0..2 {
        assert_eq!(seat.ask(check("a.fake")).await, "1 error:\na.fake:1:1 error: bad");
    }
    seat.leave().await;
    server.finish();
}

/// Whoever names a time wants to wait for so long.
#[tokio::test]
async fn a_named_time_is_waited_for() {
    let (bench, server, seat) = Bench::with(&json!({"publish": "never"}));
    bench.file("a.fake", "text\n");
    seat.ask(json!({"action": "capabilities"})).await;
    tokio::time::pause();
    tokio::time::advance(std::time::Duration::from_secs(1)).await;
    let begun = tokio::time::Instant::now();
    let said = seat.ask(json!({"action": "diagnostics", "file": "a.fake", "timeout": 12})).await;
    assert!(said.contains("Still waiting for: fake"), "{said}");
    let waited = begun.elapsed().as_millis();
    assert!((11_000..12_010).contains(&waited), "{waited}");
    tokio::time::resume();
    seat.leave().await;
    server.finish();
}

/// A server that the question itself starts reads the project first.
#[tokio::test]
async fn a_server_that_just_starts_is_waited_for() {
    let bench = Bench::new();
    let script =
        json!({"rules": [rule("BAD", 1, "bad")], "publish": {"unless": "later", "file": bench.at("gate")}});
    let server = bench.server("fake", &script, &json!({}));
    let seat = bench.sit();
    bench.file("a.fake", "BAD later\n");
    let (call, _) = seat.begin(&check("a.fake"));
    // Longer than a server that is ready gets.
    tokio::time::sleep(std::time::Duration::from_millis(4_500)).await;
    assert!(!call.is_finished(), "it is not given up");
    std::fs::write(bench.at("gate"), "").unwrap();
    assert_eq!(text(&call.await.unwrap().unwrap()), "1 error:\na.fake:1:1 error: bad");
    seat.leave().await;
    server.finish();
}

/// Some servers say nothing about a text that they have looked at: what they said holds.
#[tokio::test]
async fn findings_hold_as_long_as_the_text_does() {
    let script = json!({"rules": [rule("BAD", 1, "bad")], "publish": "once-a-text"});
    let (bench, server, seat) = Bench::with(&script);
    for (content, expected) in [("BAD\n", "1 error:\na.fake:1:1 error: bad"), ("fine\n", "OK")] {
        bench.file("a.fake", content);
        for _ in 0..2 {
            assert_eq!(seat.ask(check("a.fake")).await, expected);
        }
    }
    seat.leave().await;
    server.finish();
}

/// proves: INT-042
#[tokio::test]
async fn a_pattern_means_twenty_files() {
    let (bench, server, seat) = Bench::with(&json!({"rules": [rule("BAD", 1, "bad")]}));
    for number in 10..35 {
        bench.file(&format!("src/{number}.fake"), if number == 12 { "BAD\n" } else { "fine\n" });
    }
    let said = seat.ask(check("src/*.fake")).await;
    let sections: Vec<&str> = said.split("\n\n").collect();
    assert_eq!(sections.len(), 21, "{said}");
    assert!(sections[0].contains("More than 20 files match src/*.fake"), "{said}");
    assert_eq!(sections[1], "src/10.fake: OK");
    assert_eq!(sections[3], "src/12.fake: 1 error:\nsrc/12.fake:1:1 error: bad");
    assert_eq!(sections[20], "src/29.fake: OK");
    let few = seat.ask(check("src/1[01].fake")).await;
    assert_eq!(few, "src/10.fake: OK\n\nsrc/11.fake: OK");
    assert_eq!(seat.refused(check("src/*.nothing")).await, "No file matches src/*.nothing.");
    seat.leave().await;
    server.finish();
}

/// proves: INT-043
#[tokio::test]
async fn the_project_is_checked_by_its_own_program() {
    for (marker, program, arguments) in [
        ("Cargo.toml", "cargo", "check --offline --message-format=short"),
        ("tsconfig.json", "tsc", "--noEmit"),
        ("go.mod", "go", "build ./..."),
        ("pyproject.toml", "pyright", ""),
    ] {
        let bench = Bench::new();
        bench.file(marker, "");
        bench.program(program, "echo \"in $PWD with $*\"; echo from stderr >&2; exit 1");
        let seat = bench.sit();
        let said = seat.ask(check("*")).await;
        let (head, output) = said.split_once('\n').unwrap();
        assert!(head.starts_with("Workspace diagnostics (") && head.ends_with("):"), "{said}");
        let expected = format!("in {} with {arguments}\nfrom stderr", bench.project().display());
        assert_eq!(output, expected);
        seat.leave().await;
    }
    let seat = Bench::new().sit();
    assert!(seat.refused(check("*")).await.starts_with("No project type detected"));
    seat.leave().await;
}

/// proves: INT-044
#[tokio::test]
async fn fifty_lines_of_the_checker_are_shown() {
    let bench = Bench::new();
    bench.file("go.mod", "");
    bench.program("go", "seq 1 80");
    let seat = bench.sit();
    let said = seat.ask(check("*")).await;
    let rows: Vec<&str> = said.lines().skip(1).collect();
    assert_eq!(rows.len(), 51);
    assert_eq!((rows[0], rows[49], rows[50]), ("1", "50", "... 30 more lines"));
    seat.leave().await;
}

/// proves: INT-046
#[tokio::test]
async fn two_linters_are_asked_through_their_programs() {
    let biome = r#"{"diagnostics":[{"category":"lint/style","severity":"warning","description":"use const",
        "location":{"span":[5,8]}}]}"#;
    let swift = r#"[{"line":2,"character":3,"severity":"Error","reason":"too long","rule_id":"length"}]"#;
    for (name, marker, file, report, arguments, expected) in [
        (
            "biome",
            "biome.json",
            "a.ts",
            biome,
            "lint --reporter=json",
            "1 warning:\na.ts:2:2 warning: use const [biome lint/style]",
        ),
        (
            "swiftlint",
            ".swiftlint.yml",
            "a.swift",
            swift,
            "lint --quiet --reporter json",
            "1 error:\na.swift:2:3 error: too long [swiftlint length]",
        ),
    ] {
        let bench = Bench::new();
        bench.file(marker, "{}");
        let path = bench.file(file, "one\ntwo\n");
        let log = bench.at("log");
        // It finds something, so it exits with an error.
        let script = format!("echo \"$*\" >> {}\ncat <<'END'\n{report}\nEND\nexit 1", log.display());
        bench.program(name, &script);
        let seat = bench.sit();
        assert_eq!(seat.ask(check(file)).await, expected);
        let run = std::fs::read_to_string(&log).unwrap();
        assert_eq!(run, format!("{arguments} {}\n", path.display()));
        seat.leave().await;
    }
}

/// A server that is asked for its findings instead of publishing them.
#[tokio::test]
async fn findings_can_be_asked_for() {
    let script = json!({"capabilities": {"diagnosticProvider": {}}, "publish": "never",
        "rules": [rule("BAD", 1, "bad")]});
    let (bench, server, seat) = Bench::with(&script);
    bench.file("a.fake", "fine BAD\n");
    assert_eq!(seat.ask(check("a.fake")).await, "1 error:\na.fake:1:6 error: bad");
    assert_eq!(server.params("textDocument/diagnostic").len(), 1);
    seat.leave().await;
    server.finish();
}

/// What a server found is part of the question what can be done about it.
///
/// proves: INT-067
#[tokio::test]
async fn code_actions_are_asked_for_with_what_was_found() {
    let action = json!({"title": "Repair", "kind": "quickfix"});
    let command = json!({"title": "Run it", "command": "x.run"});
    let script = json!({"rules": [rule("BAD", 1, "bad")],
        "answers": {"textDocument/codeAction": [{"result": [action, command]}, {"result": null}]}});
    let (bench, server, seat) = Bench::with(&script);
    bench.file("a.fake", "fine\n  BAD\nBAD\n");
    seat.ask(check("a.fake")).await;
    let asked = json!({"action": "code_actions", "file": "a.fake", "line": 2, "symbol": "BAD"});
    let expected = "2 code action(s):\n  0: [quickfix] Repair\n  1: [command] Run it";
    assert_eq!(seat.ask(asked.clone()).await, expected);
    assert_eq!(seat.ask(asked).await, "No code actions available");
    let params = &server.params("textDocument/codeAction")[0];
    assert_eq!(params["range"], range(1, 2, 2));
    let found = params["context"]["diagnostics"].as_array().unwrap();
    assert_eq!(found.len(), 1, "{params}");
    assert_eq!((&found[0]["message"], &found[0]["range"]), (&json!("bad"), &range(1, 2, 5)));
    assert!(params["context"].get("only").is_none());
    seat.leave().await;
    server.finish();
}
