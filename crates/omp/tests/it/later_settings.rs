//! A `config.yml` that a later release keeps.

use omp_testkit::{Home, Reply, Server, Wire};
use serde_json::Value;

use crate::support::{home, omp_run};

const CONFIG: &str = "\
grep: {enabled: false, contextBefore: 2, contextAfter: 0}
glob: {enabled: false}
tier: {openai: flex, subagent: inherit}
todo: {reminders: true, remindersMax: 1}
providers: {webSearchOrder: [exa, brave], imageOrder: [], tinyModelDevice: metal, maxInFlightRequests: {acme: 2}}
tui: {renderMermaid: false, titleSpinner: dots, mouse: true}
async: {pollWaitDuration: smart}
startup: {changelogMode: hidden, showSplash: false}
compaction: {methodOrder: [remote, soft], asyncEnabled: true}
task: {isolation: {enabled: false}, agentAdvisor: {task: off}, prewalk: false}
dev: {autoqaConsent: denied}
doubleEscapeAction: rewind
power: {sleepPrevention: idle}
skillful: true
";

fn tools(body: &Value) -> Vec<&str> {
    body["tools"].as_array().unwrap().iter().filter_map(|tool| tool["name"].as_str()).collect()
}

fn with_config(server: &Server, text: &str) -> Home {
    let home = home(server, Wire::OpenAiResponses);
    std::fs::write(home.agent_dir().join("config.yml"), text).unwrap();
    home
}

// proves: IOP-005
#[test]
fn settings_that_were_renamed_are_understood() {
    let server = Server::start([Reply::new().text("ok"), Reply::new().text("ok")]);
    let home = with_config(&server, CONFIG);
    let output = omp_run(&home, &["-p", "hi"]);
    assert_eq!((output.stdout.as_str(), output.stderr.as_str()), ("ok\n", ""));
    let body = server.requests()[0].body.clone();
    let offered = tools(&body);
    assert!(
        offered.contains(&"read") && !offered.contains(&"search") && !offered.contains(&"find"),
        "{offered:?}"
    );
    for (name, value) in [
        ("search.contextBefore", "2"),
        ("serviceTier", "flex"),
        ("todo.reminders.max", "1"),
        ("providers.webSearch", "exa"),
        ("renderMermaid.enabled", "false"),
        ("async.pollWaitDuration", "30s"),
        ("compaction.strategy", "context-full"),
        ("task.isolation.mode", "none"),
        ("doubleEscapeAction", "branch"),
    ] {
        assert_eq!(omp_run(&home, &["config", "get", name]).stdout.trim(), value, "{name}");
    }
    let listed = omp_run(&home, &["config", "list"]);
    assert_eq!(listed.stderr.lines().count(), 1, "{}", listed.stderr);
    assert!(listed.stderr.contains("tui.mouse") && listed.stderr.contains("skillful"), "{}", listed.stderr);
    // What is saved is put beside what the other program wrote, and that stays.
    omp_run(&home, &["config", "set", "search.enabled", "true"]).assert_success();
    let now = std::fs::read_to_string(home.agent_dir().join("config.yml")).unwrap();
    assert!(now.starts_with("grep: {enabled: false") && now.contains("skillful: true"), "{now}");
    omp_run(&home, &["-p", "hi"]).assert_success();
    assert!(tools(&server.requests()[1].body).contains(&"search"));
    server.finish();
}

// proves: IOP-005
#[test]
fn unknown_settings_give_one_line() {
    let server = Server::start([Reply::new().text("ok")]);
    let names: String = (0..40).map(|number| format!("invented{number}: 1\n")).collect();
    let home = with_config(&server, &format!("{names}{CONFIG}"));
    let output = omp_run(&home, &["-p", "hi"]);
    assert_eq!(output.stdout, "ok\n");
    assert_eq!(output.stderr.lines().count(), 1, "{}", output.stderr);
    assert!(
        output.stderr.contains("unknown settings invented0,") && output.stderr.contains("30 more"),
        "{}",
        output.stderr
    );
    server.finish();
}
