//! `omp stats`.

use std::io::{Read, Write};
use std::net::TcpStream;
use std::sync::atomic::{AtomicU64, Ordering};

use omp_testkit::{Home, RecordedRequest, Reply, Scenario, Server, Usage, Wire, start};
use serde_json::Value;

use crate::support::{LIMIT, home, omp, omp_run};

/// A home in which two prompts were answered and one failed.
fn used() -> Home {
    let usage = Usage { input: 1000, output: 200, cache_read: 3000, cache_write: 0 };
    let server = Server::start([
        Reply::new().text("one").usage(usage),
        Reply::new().text("two").usage(usage),
        Reply::status(400)
            .body(serde_json::json!({"error": {"message": "no", "type": "invalid_request_error"}})),
    ]);
    let home = home(&server, Wire::OpenAiCompletions);
    omp_run(&home, &["-p", "first"]).assert_success();
    omp_run(&home, &["-p", "second"]).assert_success();
    omp_run(&home, &["--continue", "-p", "third"]);
    server.finish();
    home
}

pub(crate) fn get(address: &str, path: &str) -> String {
    let mut stream = TcpStream::connect(address).expect("the dashboard");
    write!(stream, "GET {path} HTTP/1.1\r\nHost: {address}\r\n\r\n").expect("a request");
    let mut answer = String::new();
    stream.read_to_string(&mut answer).expect("an answer");
    answer
}

/// proves: CLI-100
#[test]
fn sessions_become_a_database_json_a_summary_and_a_dashboard() {
    let home = used();
    let output = omp_run(&home, &["stats", "-j"]);
    output.assert_success();
    let document: Value = serde_json::from_str(&output.stdout).expect("one JSON document");
    let total = &document["total"];
    assert_eq!((&total["requests"], &total["errors"], &total["sessions"]), (&3.into(), &1.into(), &2.into()));
    assert_eq!((&total["inputTokens"], &total["outputTokens"]), (&2000.into(), &400.into()));
    assert_eq!((&total["cacheReadTokens"], &total["cacheRate"]), (&6000.into(), &0.75.into()));
    // 1 $ for a million tokens that are read, 2 $ for those that are written, 0.1 $ for those from a cache.
    let cost = total["cost"].as_f64().expect("a number");
    assert!((cost - (0.002 + 0.0008 + 0.0006)).abs() < 1e-9, "{cost}");
    assert!(total["durationMs"].is_u64() && total["averageDurationMs"].is_u64(), "{total}");
    assert_eq!(document["models"][0]["name"], "test/scripted");
    assert_eq!(document["projects"][0]["name"], home.work_dir().display().to_string());
    assert_eq!(document["days"].as_array().map(Vec::len), Some(1));
    assert!(home.exists("home/.omp/agent/stats.db"));

    let summary = omp_run(&home, &["stats", "-s"]);
    summary.assert_success();
    for wanted in [
        "3 in 2 sessions, 1 errors",
        "2.0k in, 400 out, 6.0k from cache",
        "75.0 %",
        "$0.0034",
        "on average",
        "test/scripted",
    ] {
        assert!(summary.stdout.contains(wanted), "{wanted}: {}", summary.stdout);
    }

    let dashboard = start(omp(&home, &["stats", "-p", "0"]));
    dashboard.wait_for_stdout("http://127.0.0.1:", LIMIT);
    dashboard.wait_for_stdout("\n", LIMIT);
    let printed = dashboard.stdout_so_far();
    let address =
        printed.split("http://").nth(1).and_then(|rest| rest.split('/').next()).expect("an address");
    let page = get(address, "/");
    assert!(
        page.starts_with("HTTP/1.1 200 ") && page.contains("<svg") && page.contains("test/scripted"),
        "{page}"
    );
    let taken = omp_run(&home, &["stats", "--port", address.split(':').nth(1).expect("a port")]);
    assert!(
        taken.code == Some(1) && taken.stderr.contains("cannot serve the dashboard on port"),
        "{}",
        taken.stderr
    );
    drop(dashboard);
    let refused = omp_run(&home, &["stats", "--port", "70000"]);
    assert!(refused.code == Some(1) && refused.stderr.contains("invalid port 70000"), "{}", refused.stderr);
}

/// What is asked beside the conversation, here summaries, is counted and shown apart. The session file knows nothing of it.
#[test]
fn side_requests_are_counted_and_shown_apart() {
    let words: Vec<String> = (0..1_500).map(|number| number.to_string()).collect();
    let long = words.join(" ");
    let turns = AtomicU64::new(0);
    let side = Usage { input: 10_000, output: 500, ..Usage::default() };
    let scenario = Scenario::dynamic(move |request: &RecordedRequest| {
        match request.body["tools"].as_array().is_some_and(|tools| !tools.is_empty()) {
            true => {
                let input = 60_000 * (turns.fetch_add(1, Ordering::SeqCst) + 1);
                Reply::new().text(&long).usage(Usage { input, output: 1_000, ..Usage::default() })
            }
            false => Reply::new().text("notes").usage(side),
        }
    });
    let server = Server::start(scenario);
    let home = home(&server, Wire::OpenAiCompletions);
    let config = "compaction:\n  thresholdTokens: 50000\n  keepRecentTokens: 500\n  autoContinue: false\n";
    home.write("home/.omp/agent/config.yml", config);
    omp_run(&home, &["-p", "first"]).assert_success();
    omp_run(&home, &["--continue", "-p", "second"]).assert_success();
    let requests = server.requests();
    let sides = requests.iter().filter(|request| request.body["tools"].is_null()).count();
    let turns = requests.len() - sides;
    assert!(turns == 2 && sides >= 2, "{turns} and {sides}");

    let stats = || -> Value {
        let output = omp_run(&home, &["stats", "--json"]);
        output.assert_success();
        serde_json::from_str(&output.stdout).expect("one JSON document")
    };
    let document = stats();
    assert_eq!(document["side"]["requests"], sides, "{document}");
    assert_eq!(document["side"]["inputTokens"], 10_000 * sides, "{document}");
    assert_eq!(document["total"]["requests"], turns + sides, "{document}");
    assert_eq!(document["total"]["sessions"], 1, "{document}");
    let (all, beside) = (document["total"]["cost"].as_f64(), document["side"]["cost"].as_f64());
    let (all, beside) = (all.expect("a number"), beside.expect("a number"));
    assert!((beside - 0.011 * sides as f64).abs() < 1e-9, "{beside}");
    assert!((all - beside - 0.062 - 0.122).abs() < 1e-9, "{all}");
    assert_eq!(stats(), document, "nothing counts twice");
    let summary = omp_run(&home, &["stats", "--summary"]);
    assert!(summary.stdout.contains(&format!("for {sides} side requests")), "{}", summary.stdout);

    let file = home.list_files().into_iter().find(|file| file.ends_with(".jsonl")).expect("a session");
    assert!(!home.read(&file).contains("side_request"), "{}", home.read(&file));
    assert!(home.exists(format!("{}/side-requests.log", file.trim_end_matches(".jsonl"))));
}

/// What a profile spent is its own.
#[test]
fn profiles_have_their_own_statistics() {
    let home = used();
    let output = omp_run(&home, &["--profile", "other", "stats", "--json"]);
    output.assert_success();
    let document: Value = serde_json::from_str(&output.stdout).expect("one JSON document");
    assert_eq!(document["total"]["requests"], 0);
}
