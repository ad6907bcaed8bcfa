//! Lists of models that are kept from one run to the next.

use omp_testkit::{Home, ListReply, ListServer, Output, Reply, Scenario, Server, run};
use rusqlite::Connection;
use serde_json::{Value, json};

use crate::support::{LIMIT, omp, omp_run};

const MODELS: &str = "home/.omp/agent/models.yml";
const CACHE: &str = "home/.omp/cache/models.db";

/// A provider whose models are on a list; much time, for busy machines.
fn discovered(base: &str) -> String {
    format!(
        "providers:\n  mine:\n    baseUrl: {base}\n    auth: none\n    api: openai-completions\n    discovery: {{type: openai-models-list, timeoutMs: 20000}}\n"
    )
}

/// A provider whose model is described.
fn answering(server: &Server) -> String {
    let base = server.base_url();
    format!(
        "  answering:\n    baseUrl: {base}/v1\n    auth: none\n    api: openai-completions\n    models: [{{id: m}}]\n"
    )
}

/// A hosted provider that was moved to a server of ours.
fn moved(provider: &str, base: &str) -> String {
    format!("providers:\n  {provider}:\n    baseUrl: {base}\n    apiKey: k\n")
}

fn list(ids: &[&str]) -> Value {
    json!({"data": ids.iter().map(|id| json!({"id": id})).collect::<Vec<_>>()})
}

fn models(home: &Home, args: &[&str]) -> Vec<Value> {
    let output = omp_run(home, &[&["models"], args, &["--json"]].concat());
    output.assert_success();
    serde_json::from_str(&output.stdout).expect("a JSON array")
}

fn ids(home: &Home, provider: &str) -> Vec<String> {
    models(home, &[provider]).iter().map(|row| row["id"].as_str().unwrap().to_owned()).collect()
}

fn refresh(home: &Home) -> Output {
    let output = omp_run(home, &["models", "refresh"]);
    output.assert_success();
    output
}

fn cache(home: &Home) -> Connection {
    Connection::open(home.path(CACHE)).unwrap()
}

fn change(home: &Home, statement: &str) {
    let changed = cache(home).execute(statement, []).unwrap();
    assert_eq!(changed, 1, "{statement}");
}

/// Rows as if they had been written three hours ago.
const AGE: &str = "UPDATE model_cache SET updated_at = updated_at - 3 * 3600 * 1000";

/// One row for each provider, with the version of its form and the fingerprint of what is compiled in.
///
/// proves: MOD-064, MOD-235
#[test]
fn lists_are_kept_in_a_database() {
    let server = ListServer::start([("/v1/models", ListReply::Json(list(&["a", "b"])))]);
    let home = Home::new();
    home.write(MODELS, discovered(&server.base_url()));
    assert_eq!(ids(&home, "mine"), ["a", "b"]);
    let row = "SELECT version, static_fingerprint, authoritative, models FROM model_cache WHERE provider_id = 'mine'";
    let (version, fingerprint, authoritative, text): (i64, String, bool, String) = cache(&home)
        .query_row(row, [], |row| Ok((row.get(0)?, row.get(1)?, row.get(2)?, row.get(3)?)))
        .unwrap();
    assert_eq!((version, authoritative), (5, true));
    assert!(!fingerprint.is_empty() && text.contains("\"a\""), "{fingerprint} {text}");
    assert_eq!(ids(&home, "mine"), ["a", "b"]);
    assert_eq!(server.calls(), ["GET /v1/models"], "a fresh list is not asked for again");
    let moved = ListServer::start([("/v1/models", ListReply::Json(list(&["elsewhere"])))]);
    home.write(MODELS, discovered(&moved.base_url()));
    assert_eq!(ids(&home, "mine"), ["elsewhere"], "a list from another address is of no use");
    server.finish();
    moved.finish();
}

/// What fits is used as it is; what was made with other models compiled in is merged anew; what has another form or no
/// fingerprint is not relied on.
///
/// proves: MOD-065, MOD-066, MOD-067
#[test]
fn kept_lists_are_used_as_they_are_while_they_fit() {
    let server = ListServer::start([("/v1/models", ListReply::Json(list(&["gpt-next"])))]);
    let home = Home::new();
    home.write(MODELS, moved("openai", &format!("{}/v1", server.base_url())));
    refresh(&home);
    let bundled = || models(&home, &["openai"]).into_iter().filter(|row| row["id"] != "gpt-next").count();
    let name = || {
        models(&home, &["openai"]).iter().find(|row| row["id"] == "gpt-next").map(|row| row["name"].clone())
    };
    let all = bundled();
    assert!(all > 2);
    assert_eq!(name(), Some(json!("gpt-next")));
    let kept = json!([{"id": "gpt-next", "name": "Tampered"}]);
    change(&home, &format!("UPDATE model_cache SET models = '{kept}'"));
    assert_eq!((bundled(), name()), (0, Some(json!("Tampered"))), "nothing is merged into it");
    change(&home, "UPDATE model_cache SET static_fingerprint = 'of another release'");
    assert_eq!((bundled(), name()), (all, Some(json!("gpt-next"))), "merged with what is compiled in");
    change(&home, "UPDATE model_cache SET static_fingerprint = ''");
    assert_eq!((bundled(), name()), (all, Some(json!("gpt-next"))));
    change(&home, "UPDATE model_cache SET version = 1");
    assert_eq!((bundled(), name()), (all, None), "a row of another form is not there");
    assert_eq!(server.calls().len(), 1, "all of this was offline");
    refresh(&home);
    assert_eq!((bundled(), name()), (all, Some(json!("gpt-next"))));
    let rows: i64 = cache(&home)
        .query_row("SELECT count(*) FROM model_cache WHERE version <> 5", [], |row| row.get(0))
        .unwrap();
    assert_eq!(rows, 0, "it was dropped");
    server.finish();
}

/// Everybody is asked again, fresh or not.
///
/// proves: MOD-070
#[test]
fn refresh_asks_again() {
    let server = ListServer::start([("/v1/models", ListReply::Json(list(&["a"])))]);
    let hosted = ListServer::start([("/v1/models", ListReply::Json(list(&["new"])))])
        .require("authorization", "Bearer k");
    let home = Home::new();
    let other = moved("groq", &format!("{}/v1", hosted.base_url()));
    home.write(
        MODELS,
        format!("{}{}", discovered(&server.base_url()), other.trim_start_matches("providers:\n")),
    );
    assert_eq!(ids(&home, "mine"), ["a"]);
    assert_eq!(hosted.calls().len(), 0, "a listing asks only the user's own servers");
    let said = refresh(&home).stdout;
    assert!(said.contains("mine: 1 models\n") && said.contains("groq: 1 models\n"), "{said}");
    server.set("/v1/models", ListReply::Json(list(&["b"])));
    let output = omp_run(&home, &["models", "refresh", "--json"]);
    let lists: Vec<Value> = serde_json::from_str(&output.stdout).unwrap();
    let mine = lists.iter().find(|list| list["provider"] == "mine").unwrap();
    assert_eq!((&mine["state"], &mine["models"]), (&json!("fresh"), &json!(1)));
    assert_eq!((server.calls().len(), hosted.calls().len()), (3, 2));
    assert_eq!(ids(&home, "mine"), ["b"]);
    assert!(ids(&home, "groq").contains(&"new".to_owned()));
    let one = omp_run(&home, &["models", "refresh", "mine"]);
    assert_eq!((one.stdout.as_str(), server.calls().len(), hosted.calls().len()), ("mine: 1 models\n", 4, 2));
    server.finish();
    hosted.finish();
}

/// A list that is complete replaces what is compiled in; any other adds to it.
///
/// proves: MOD-071
#[test]
fn complete_lists_replace_what_is_compiled_in() {
    for (provider, complete) in [("synthetic", true), ("groq", false)] {
        let home = Home::new();
        let before = ids(&home, provider);
        let server = ListServer::start([("/v1/models", ListReply::Json(list(&["acme/new"])))]);
        home.write(MODELS, moved(provider, &format!("{}/v1", server.base_url())));
        refresh(&home);
        let after = ids(&home, provider);
        assert!(!before.is_empty() && after.contains(&"acme/new".to_owned()), "{after:?}");
        assert_eq!(!after.contains(&before[0]), complete, "{provider}: {before:?} {after:?}");
        server.set("/v1/models", ListReply::Status(500));
        assert_eq!(omp_run(&home, &["models", "refresh"]).code, Some(1));
        assert_eq!(ids(&home, provider), after, "a failure changes nothing");
        server.finish();
    }
}

/// Waits for something that another process does.
fn wait_until(mut done: impl FnMut() -> bool) {
    let deadline = std::time::Instant::now() + LIMIT;
    while !done() {
        assert!(std::time::Instant::now() < deadline, "it does not happen");
        std::thread::sleep(std::time::Duration::from_millis(5));
    }
}

/// A model of an old list answers while its server's list hangs.
///
/// proves: MOD-101
#[test]
fn kept_models_are_usable_at_once() {
    let answer = json!({"id": "x", "object": "chat.completion.chunk", "created": 1, "model": "a",
        "choices": [{"index": 0, "delta": {"role": "assistant", "content": "ok"}, "finish_reason": "stop"}]});
    let stream = format!("data: {answer}\n\ndata: [DONE]\n\n");
    let server = ListServer::start([
        ("/v1/models", ListReply::Json(list(&["a"]))),
        ("/v1/chat/completions", ListReply::Page("text/event-stream", stream)),
    ]);
    let home = Home::new();
    home.write(MODELS, discovered(&server.base_url()));
    assert_eq!(ids(&home, "mine"), ["a"]);
    change(&home, AGE);
    server.set("/v1/models", ListReply::Hang);
    for args in [&["-p", "--model", "mine/a", "x"][..], &["-p", "x"]] {
        let output = omp_run(&home, args);
        assert_eq!((output.stdout.as_str(), output.stderr.as_str()), ("ok\n", ""), "{args:?}");
    }
    server.finish();
}

/// What the refresh behind a session learns is there for the next one.
#[test]
fn old_lists_are_renewed_behind_a_session() {
    let lists = ListServer::start([("/v1/models", ListReply::Json(list(&["a", "b"])))]);
    let home = Home::new();
    let file = home.path(CACHE);
    let model = Server::start(
        Scenario::dynamic(move |_| {
            let renewed = "SELECT models LIKE '%\"c\"%' FROM model_cache";
            wait_until(|| {
                let cache = Connection::open(&file).unwrap();
                cache.query_row(renewed, [], |row| row.get(0)).unwrap_or(false)
            });
            Reply::new().text("ok")
        })
        .keyless(true),
    );
    home.write(MODELS, format!("{}{}", discovered(&lists.base_url()), answering(&model)));
    assert_eq!(ids(&home, "mine"), ["a", "b"]);
    change(&home, AGE);
    lists.set("/v1/models", ListReply::Json(list(&["a", "c"])));
    let output = omp_run(&home, &["-p", "--model", "answering/m", "x"]);
    assert_eq!((output.stdout.as_str(), output.stderr.as_str()), ("ok\n", ""));
    assert_eq!(ids(&home, "mine"), ["a", "c"]);
    assert_eq!(lists.calls().len(), 2);
    model.finish();
    lists.finish();
}

/// Whatever lies where the lists are kept, nothing is said about it and everything works.
#[test]
fn a_ruined_cache_is_nobodys_problem() {
    let server = ListServer::start([("/v1/models", ListReply::Json(list(&["a"])))]);
    for ruin in ["garbage that is no database", ""] {
        let home = Home::new();
        home.write(MODELS, discovered(&server.base_url()));
        home.write(CACHE, ruin.repeat(500));
        let output = omp_run(&home, &["models", "mine"]);
        output.assert_success();
        assert_eq!(output.stderr, "");
        assert!(output.stdout.contains("mine/a"));
        assert_eq!(ids(&home, "mine"), ["a"]);
    }
    let home = Home::new();
    home.write(MODELS, discovered(&server.base_url()));
    std::fs::create_dir_all(home.path(CACHE)).unwrap();
    let mut command = omp(&home, &["models", "mine"]);
    command.env("PI_TIMING", "");
    let output = run(command, Some(b""), LIMIT);
    assert_eq!((output.code, output.stderr.as_str()), (Some(0), ""));
    assert!(output.stdout.contains("mine/a"));
    server.finish();
}
