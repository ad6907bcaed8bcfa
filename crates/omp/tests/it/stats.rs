//! `omp stats`.

use std::io::{Read, Write};
use std::net::TcpStream;

use omp_testkit::{Home, Reply, Server, Usage, Wire, start};
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
    assert!(taken.code == Some(1) && taken.stderr.contains("cannot use port"), "{}", taken.stderr);
    drop(dashboard);
    let refused = omp_run(&home, &["stats", "--port", "70000"]);
    assert!(refused.code == Some(1) && refused.stderr.contains("70000 is no port"), "{}", refused.stderr);
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
