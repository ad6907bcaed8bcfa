//! `omp usage`.

use std::sync::Arc;

use omp_sdk::Secret;
use omp_sdk::auth::{Credential, Extra, Logins, NewCredential, SystemClock, Tokens, Vault};
use omp_testkit::{Home, Page, PageServer};
use serde_json::{Value, json};

use crate::support::omp_run;

/// Stores an account as a login would.
fn log_in(home: &Home, provider: &str, identity: &str, token: &str) {
    let vault = Vault::new(home.path("home/.omp/agent/agent.db"), Logins::default(), Arc::new(SystemClock));
    let tokens = Tokens {
        access: Secret::new(token),
        refresh: None,
        obtained_ms: 0,
        expires_ms: None,
        extra: Extra::default(),
    };
    let new = NewCredential { credential: Credential::OAuth(tokens), identity: identity.to_owned() };
    vault.save(provider, provider, &new).expect("stored");
}

fn json_page(value: &Value) -> Page {
    Page::new("application/json", value.to_string())
}

fn world() -> (PageServer, Home) {
    let anthropic = json!({
        "five_hour": {"utilization": 31.5, "resets_at": "2999-01-01T00:00:00Z"},
        "seven_day": {"utilization": 8.0, "resets_at": null},
    });
    let codex = json!({"rate_limit": {
        "primary_window": {"used_percent": 77, "limit_window_seconds": 18000, "reset_at": 32_503_680_000_i64},
    }});
    let pages = PageServer::start([
        ("/anthropic/api/oauth/usage", json_page(&anthropic)),
        ("/codex/wham/usage", json_page(&codex)),
        ("/kimi/usages", json_page(&json!({"error": "no"})).status(500)),
    ]);
    let home = Home::new();
    let base = pages.url("");
    let models = format!(
        "providers:\n  anthropic:\n    baseUrl: {base}/anthropic\n  openai-codex:\n    baseUrl: {base}/codex\n  kimi-code:\n    baseUrl: {base}/kimi\n"
    );
    home.write("home/.omp/agent/models.yml", models);
    log_in(&home, "anthropic", "me@example.org", "token-one");
    log_in(&home, "anthropic", "me@example.com", "token-two");
    log_in(&home, "openai-codex", "you@example.org", "token-three");
    (pages, home)
}

fn document(home: &Home, args: &[&str]) -> Value {
    let output = omp_run(home, args);
    output.assert_success();
    serde_json::from_str(&output.stdout).expect("one JSON document")
}

/// proves: CLI-101
#[test]
fn quotas_are_shown_by_account_and_remembered() {
    let (pages, home) = world();
    let now = document(&home, &["usage", "-j"]);
    let accounts = now["accounts"].as_array().expect("accounts");
    let shown: Vec<(&str, &str)> = accounts
        .iter()
        .map(|row| {
            (row["provider"].as_str().unwrap_or_default(), row["account"].as_str().unwrap_or_default())
        })
        .collect();
    let expected = [
        ("anthropic", "me@example.org"),
        ("anthropic", "me@example.com"),
        ("openai-codex", "you@example.org"),
    ];
    assert_eq!(shown, expected);
    let first = json!({"name": "5 hours", "usedPercent": 31.5, "resetsAt": 32_472_144_000_000_i64});
    assert_eq!(
        accounts[0]["windows"],
        json!([first, {"name": "7 days", "usedPercent": 8.0, "resetsAt": null}])
    );
    assert_eq!(accounts[2]["windows"][0]["usedPercent"], 77.0);
    let tokens: Vec<String> = pages
        .requests()
        .iter()
        .filter_map(|request| request.header("authorization").map(str::to_owned))
        .collect();
    assert!(
        ["Bearer token-one", "Bearer token-two", "Bearer token-three"]
            .iter()
            .all(|token| tokens.iter().any(|sent| sent == token)),
        "{tokens:?}"
    );

    let text = omp_run(&home, &["usage", "-p", "anthropic"]);
    text.assert_success();
    assert!(
        text.stdout.contains("me@example.com") && !text.stdout.contains("you@example.org"),
        "{}",
        text.stdout
    );
    assert!(
        text.stdout.contains("5 hours") && text.stdout.contains("31.5 % used, resets in "),
        "{}",
        text.stdout
    );
    assert!(!text.stdout.contains("token-one"));
    let elsewhere = document(&home, &["--profile", "other", "usage", "-j"]);
    assert_eq!(elsewhere["accounts"], json!([]), "accounts belong to a profile");

    let redacted = document(&home, &["usage", "--json", "--redact"]);
    let names: Vec<&str> = redacted["accounts"]
        .as_array()
        .expect("accounts")
        .iter()
        .filter_map(|row| row["account"].as_str())
        .collect();
    assert_eq!(names, ["me@example.o…", "me@example.c…", "yo…"]);

    let past = document(&home, &["usage", "--history", "-j"]);
    // Five windows, then the four of one provider, then five again.
    assert_eq!(past["history"].as_array().map(Vec::len), Some(14), "{past}");
    let past = document(&home, &["usage", "--history", "-d", "1", "-p", "openai-codex", "-r", "-j"]);
    let past = past["history"].as_array().expect("rows").clone();
    assert_eq!((past.len(), &past[0]["account"], &past[0]["usedPercent"]), (2, &json!("yo…"), &json!(77.0)));
    let text = omp_run(&home, &["usage", "--history"]);
    assert_eq!(text.assert_success().stdout.lines().count(), 14, "{}", text.stdout);
    let database = rusqlite::Connection::open(home.path("home/.omp/agent/quotas.db")).expect("a database");
    database.execute("UPDATE quotas SET at = at - 3 * 24 * 3600 * 1000", []).expect("older");
    assert_eq!(document(&home, &["usage", "--history", "-d", "2", "-j"])["history"], json!([]));
    assert_eq!(document(&home, &["usage", "--history", "-j"])["history"].as_array().map(Vec::len), Some(14));
}

/// A provider that does not answer is named; the others are shown.
#[test]
fn what_cannot_be_asked_is_said() {
    let (_pages, home) = world();
    log_in(&home, "kimi-code", "k@example.org", "token-four");
    let output = omp_run(&home, &["usage"]);
    output.assert_success();
    assert!(
        output.stdout.contains("status 500") && output.stdout.contains("77.0 % used"),
        "{}",
        output.stdout
    );
    let alone = omp_run(&home, &["usage", "-p", "kimi-code"]);
    assert_eq!(alone.code, Some(1), "{}", alone.stdout);
    let unknown = omp_run(&home, &["usage", "-p", "nobody"]);
    assert_eq!(unknown.code, Some(1));
    assert!(
        unknown.stderr.contains("nobody does not report quotas") && unknown.stderr.contains("anthropic"),
        "{}",
        unknown.stderr
    );
    let nothing = omp_run(&Home::new(), &["usage"]);
    assert_eq!(nothing.assert_success().stdout.lines().count(), 1, "{}", nothing.stdout);
    assert!(nothing.stdout.contains("omp login"), "{}", nothing.stdout);
}
