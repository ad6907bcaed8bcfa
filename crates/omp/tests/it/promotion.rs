//! A conversation that outgrows its model goes on with a larger one.

use omp_testkit::{Home, Output, RecordedRequest, Reply, Scenario, Server, Wire, run};
use serde_json::{Value, json};

use crate::support::{LIMIT, json_lines, omp, omp_run, types};

const CONFIG: &str = "home/.omp/agent/config.yml";
const MODELS: &str = "home/.omp/agent/models.yml";

/// What a server says to a request that is too long.
fn overflow() -> Reply {
    let error = json!({"message": "This model's maximum context length is 1000 tokens.", "code": "context_length_exceeded"});
    Reply::status(400).body(json!({ "error": error }))
}

/// Refuses these models for their windows and lets all others answer.
fn too_small_for(small: &'static [&'static str]) -> Server {
    let scenario = Scenario::dynamic(move |request: &RecordedRequest| {
        let model = request.body["model"].as_str().unwrap_or_default();
        if small.contains(&model) { overflow() } else { Reply::new().text("answered") }
    });
    Server::start(scenario.keyless(true))
}

fn provider(name: &str, server: &Server, fields: &str, models: &str) -> String {
    let base = server.base_url_for(Wire::OpenAiCompletions);
    format!(
        "  {name}:\n    baseUrl: {base}\n    api: openai-completions\n    {fields}\n    models: [{models}]\n"
    )
}

/// Three windows on one wire, and one that is larger but speaks another wire.
const SIZES: &str = "{id: huge, contextWindow: 9000}, {id: small, contextWindow: 1000}, \
                     {id: middle, contextWindow: 3000}, {id: other, contextWindow: 2000, api: openai-responses}";

fn home(server: &Server, models: &str) -> Home {
    let home = Home::new();
    home.write(MODELS, format!("providers:\n{}", provider("one", server, "auth: none", models)));
    home
}

fn asked(server: &Server) -> Vec<String> {
    let model = |request: &RecordedRequest| request.body["model"].as_str().unwrap_or_default().to_owned();
    server.requests().iter().map(model).collect()
}

fn session_lines(home: &Home) -> Vec<Value> {
    let file = home.list_files().into_iter().find(|file| file.ends_with(".jsonl")).expect("a session");
    home.read(file).lines().map(|line| serde_json::from_str(line).expect("JSON")).collect()
}

fn fails(home: &Home, args: &[&str]) -> Output {
    let output = omp_run(home, args);
    assert_eq!(output.code, Some(1), "{}", output.stdout);
    output
}

/// Without any configuration the smallest larger model of the same provider and wire takes over, for this session
/// only; the answer that failed is not part of what it reads.
/// proves: MOD-153, MOD-154, MOD-158, MOD-161, MOD-162
#[test]
fn the_next_larger_model_takes_over() {
    let server = too_small_for(&["small"]);
    let home = home(&server, SIZES);
    let config = "# mine\nmodelRoles:\n  default: one/small\n";
    home.write(CONFIG, config);
    let output = omp_run(&home, &["-p", "--mode", "json", "a long story"]);
    output.assert_success();
    assert_eq!(asked(&server), ["small", "middle"]);
    let requests = server.requests();
    assert_eq!(requests[0].body["messages"], requests[1].body["messages"], "the failure is not sent along");

    let lines = json_lines(&output);
    let promoted = lines.iter().find(|line| line["type"] == "context_promoted").expect("an event");
    assert_eq!((&promoted["from"], &promoted["to"]), (&json!("one/small"), &json!("one/middle")));
    assert!(!types(&lines).contains(&"auto_retry_start"), "{:?}", types(&lines));

    let saved = session_lines(&home);
    let changes: Vec<_> = saved.iter().filter(|line| line["type"] == "model_change").collect();
    assert_eq!(changes.len(), 2);
    assert_eq!((&changes[1]["model"], &changes[1]["role"]), (&json!("one/middle"), &json!("temporary")));
    assert!(saved.iter().all(|line| line["type"] != "compaction"));
    assert_eq!(home.read(CONFIG), config);

    omp_run(&home, &["-p", "--continue", "more"]).assert_success();
    assert_eq!(asked(&server)[2..], ["small", "middle"], "a resumed session begins with its own model");
    server.finish();
}

/// The larger model stays for the later prompts of the run.
#[test]
fn a_promotion_lasts_for_the_session() {
    let server = too_small_for(&["small"]);
    let home = home(&server, SIZES);
    let output = omp_run(&home, &["-p", "--model", "one/small", "one", "two"]);
    output.assert_success();
    assert_eq!(asked(&server), ["small", "middle", "middle"]);
    let note = "The conversation exceeds the context window of one/small; continuing with one/middle";
    assert!(output.stderr.contains(note), "{}", output.stderr);
    server.finish();
}

/// The model names its successor, with or without the provider, also at another provider.
/// proves: MOD-157
#[test]
fn a_model_may_name_its_successor() {
    for (target, expected) in
        [("huge", "huge"), ("one/huge", "huge"), ("two/far", "far"), ("ONE/Huge", "huge")]
    {
        let server = too_small_for(&["small"]);
        let home = Home::new();
        let models = SIZES.replace("{id: small,", &format!("{{id: small, contextPromotionTarget: {target},"));
        let one = provider("one", &server, "auth: none", &models);
        let two = provider("two", &server, "auth: none", "{id: far}, {id: huge}");
        home.write(MODELS, format!("providers:\n{two}{one}"));
        omp_run(&home, &["-p", "--mode", "json", "--model", "one/small", "x"]).assert_success();
        assert_eq!(asked(&server), ["small", expected], "{target}");
        server.finish();
    }
}

/// A successor without a key is passed over, and so is one that nobody knows.
/// proves: MOD-155
#[test]
fn a_successor_needs_a_credential() {
    for target in ["locked/far", "nobody/far", "nothing"] {
        let server = too_small_for(&["small"]);
        let home = Home::new();
        let models = SIZES.replace("{id: small,", &format!("{{id: small, contextPromotionTarget: {target},"));
        let one = provider("one", &server, "auth: none", &models);
        let locked = provider("locked", &server, "apiKey: \"!false\"", "{id: far, contextWindow: 90000}");
        home.write(MODELS, format!("providers:\n{one}{locked}"));
        omp_run(&home, &["-p", "--model", "one/small", "x"]).assert_success();
        assert_eq!(asked(&server), ["small", "middle"], "{target}");
        server.finish();
    }
}

/// A key of the command line also opens the larger model of the same provider.
#[test]
fn a_key_for_one_run_is_kept() {
    let scenario = Scenario::replies([overflow(), Reply::new().text("answered")]).expect_key("for-now");
    let server = Server::start(scenario);
    let home = Home::new();
    home.write(MODELS, format!("providers:\n{}", provider("one", &server, "apiKey: \"!false\"", SIZES)));
    omp_run(&home, &["-p", "--model", "one/small", "--api-key", "for-now", "x"]).assert_success();
    assert_eq!(asked(&server), ["small", "middle"]);
    server.finish();
}

/// Models that name each other are each asked once, and the last one's words end the turn.
#[test]
fn promotion_never_goes_round() {
    let server = too_small_for(&["small", "middle", "huge"]);
    let home = home(&server, &SIZES.replace("{id: huge,", "{id: huge, contextPromotionTarget: small,"));
    let output = fails(&home, &["-p", "--model", "one/small", "x"]);
    assert_eq!(asked(&server), ["small", "middle", "huge"]);
    assert!(output.stderr.contains("maximum context length"), "{}", output.stderr);
    server.finish();
}

/// Switched off, the overflow is said as it is.
#[test]
fn promotion_can_be_switched_off() {
    let server = too_small_for(&["small"]);
    let home = home(&server, SIZES);
    home.write(CONFIG, "contextPromotion:\n  enabled: false\n");
    let output = fails(&home, &["-p", "--model", "one/small", "x"]);
    assert_eq!(asked(&server), ["small"]);
    assert!(output.stderr.contains("context_length_exceeded"), "{}", output.stderr);
    server.finish();
}

/// The documented chain of the ChatGPT models.
/// proves: MOD-203
#[test]
fn the_documented_chain_is_followed() {
    let server = Server::start(Scenario::replies([overflow(), Reply::new().text("answered")]));
    let home = Home::new();
    let base = server.base_url_for(Wire::OpenAiCodexResponses);
    home.write(
        MODELS,
        format!(
            "providers:\n  openai-codex:\n    baseUrl: {base}\n    modelOverrides:\n      gpt-5.5:\n        contextPromotionTarget: openai-codex/gpt-5.4\n"
        ),
    );
    let token =
        "e30.eyJodHRwczovL2FwaS5vcGVuYWkuY29tL2F1dGgiOnsiY2hhdGdwdF9hY2NvdW50X2lkIjoiYWNjb3VudC0xIn19.c2ln";
    let mut command = omp(&home, &["-p", "--model", "openai-codex/gpt-5.5", "x"]);
    command.env("OPENAI_CODEX_OAUTH_TOKEN", token);
    run(command, Some(b""), LIMIT).assert_success();
    assert_eq!(asked(&server), ["gpt-5.5", "gpt-5.4"]);
    server.finish();
}
