//! Choices that a resumed session takes up again.

use std::path::PathBuf;

use omp_testkit::{Home, ModelOptions, Reply, Scenario, Server, Wire};
use serde_json::{Value, json};

use crate::sessions::{lines, session_files};
use crate::support::omp_run;

const CONFIG: &str = "home/.omp/agent/config.yml";

fn forever() -> Server {
    Server::start(Scenario::replies([Reply::new().text("ok")]).repeat(true))
}

/// The request of a run with these settings and flags.
fn body(server: &Server, home: &Home, config: &str, args: &[&str]) -> Value {
    home.write(CONFIG, config);
    omp_run(home, &[&["-p", "x"], args].concat()).assert_success();
    server.requests().pop().unwrap().body
}

fn thinking_model(home: &Home, server: &Server, levels: &str) {
    let options = ModelOptions::new()
        .reasoning(true)
        .max_tokens(64_000)
        .model(&format!("thinking: {{levels: [{levels}]}}"));
    home.models_yml(server, Wire::AnthropicMessages, options);
}

/// The session without a word about its settings.
fn bare(file: &PathBuf) -> String {
    let mut text = String::new();
    let mut before = Value::Null;
    for mut line in lines(file) {
        if line["type"] == "message" {
            line["parentId"] = before;
            before = line["id"].clone();
        } else if line["type"] != "session" {
            continue;
        }
        text += &format!("{line}\n");
    }
    text
}

/// The level that was last in force, whatever the settings say; without one the settings, as far as the model can.
// proves: SES-054
#[test]
fn the_thinking_level_is_taken_up_again() {
    let server = forever();
    let home = Home::new();
    thinking_model(&home, &server, "minimal, low, medium, high, xhigh");
    let budget = |config: &str, args: &[&str]| {
        body(&server, &home, config, args)["thinking"]["budget_tokens"].as_u64()
    };
    assert_eq!(budget("", &["--thinking", "low"]), Some(2048));
    let file = session_files(&home)[0].clone();
    let without = bare(&file);
    assert_eq!(budget("defaultThinkingLevel: xhigh\n", &["-c"]), Some(2048));
    assert_eq!(budget("", &["-c", "--thinking", "medium"]), Some(8192));
    assert_eq!(budget("", &["-c"]), Some(8192), "the latest");
    let levels: Vec<Value> = lines(&file).iter().map(|line| line["thinkingLevel"].clone()).collect();
    let noted: Vec<&Value> = levels.iter().filter(|level| level.is_string()).collect();
    assert_eq!(noted, ["low", "medium"]);

    let silent = home.write("work/silent.jsonl", &without);
    assert_eq!(
        budget("defaultThinkingLevel: minimal\n", &["--resume", silent.to_str().unwrap()]),
        Some(1024)
    );
    home.write("work/silent.jsonl", &without);
    thinking_model(&home, &server, "minimal, low, medium");
    let clamped = budget("defaultThinkingLevel: xhigh\n", &["--resume", silent.to_str().unwrap()]);
    assert_eq!(clamped, Some(8192), "no more than the model can");
}

/// The tier that was last asked for, also none; without a word about it the settings.
// proves: SES-056
#[test]
fn the_service_tier_is_taken_up_again() {
    let server = forever();
    let home = Home::new();
    home.models_yml(&server, Wire::OpenAiCompletions, ModelOptions::new());
    let tier = |config: &str, args: &[&str]| body(&server, &home, config, args)["service_tier"].clone();
    assert_eq!(tier("serviceTier: scale\n", &[]), "scale");
    assert_eq!(tier("serviceTier: none\n", &["-c"]), Value::Null, "the settings are not the session's");
    assert_eq!(tier("", &["-c", "--service-tier", "flex"]), "flex");
    assert_eq!(tier("serviceTier: priority\n", &["-c"]), "flex");
    assert_eq!(tier("serviceTier: priority\n", &["-c", "--service-tier", "none"]), Value::Null);
    assert_eq!(tier("serviceTier: priority\n", &["-c"]), Value::Null, "cleared");
    let saved = lines(&session_files(&home)[0]);
    let noted: Vec<&Value> = saved
        .iter()
        .filter(|line| line["type"] == "service_tier_change")
        .map(|line| &line["serviceTier"])
        .collect();
    assert_eq!(noted, [&json!("flex"), &Value::Null]);
}

/// Summaries are the user's words in a template. What the program or an extension said is the developer's, as it is,
/// where the wire has that voice.
// proves: SES-061, CMP-004
#[test]
fn every_voice_is_heard_as_its_own() {
    for (developer, role) in [(true, "developer"), (false, "user")] {
        let server = forever();
        let home = Home::new();
        let compat = format!("compat: {{supportsDeveloperRole: {developer}}}");
        home.models_yml(&server, Wire::OpenAiResponses, ModelOptions::new().model(&compat));
        omp_run(&home, &["-p", "first"]).assert_success();
        let file = session_files(&home)[0].clone();
        let leaf = lines(&file).pop().unwrap()["id"].clone();
        let entry = |id: &str, parent: &Value, kind: &str, rest: Value| {
            let mut entry =
                json!({"type": kind, "id": id, "parentId": parent, "timestamp": "2026-01-01T00:00:00.000Z"});
            entry.as_object_mut().unwrap().extend(rest.as_object().unwrap().clone());
            format!("{entry}\n")
        };
        let added = [
            entry("aaaaaaa1", &leaf, "branch_summary", json!({"fromId": leaf, "summary": "went astray"})),
            entry(
                "aaaaaaa2",
                &json!("aaaaaaa1"),
                "custom_message",
                json!({"customType": "note", "content": "Mind <this>.", "display": false}),
            ),
            entry(
                "aaaaaaa3",
                &json!("aaaaaaa2"),
                "compaction",
                json!({"summary": "all before", "firstKeptEntryId": "aaaaaaa1", "tokensBefore": 9}),
            ),
        ];
        let text = std::fs::read_to_string(&file).unwrap();
        std::fs::write(&file, text + &added.concat()).unwrap();
        omp_run(&home, &["-c", "-p", "go on"]).assert_success();
        let input = server.requests().pop().unwrap().body["input"].clone();
        let said: Vec<(String, String)> = input
            .as_array()
            .unwrap()
            .iter()
            .map(|item| {
                (
                    item["role"].as_str().unwrap().to_owned(),
                    item["content"][0]["text"].as_str().unwrap().to_owned(),
                )
            })
            .collect();
        assert_eq!(said.len(), 4, "{said:?}");
        assert_eq!((said[0].0.as_str(), said[1].0.as_str()), ("user", "user"));
        assert!(said[0].1.ends_with("<summary>\nall before\n</summary>"), "{said:?}");
        assert!(said[1].1.ends_with("<summary>\nwent astray\n</summary>"), "{said:?}");
        assert_eq!(said[2], (role.to_owned(), "Mind <this>.".to_owned()));
        assert_eq!(said[3], ("user".to_owned(), "go on".to_owned()));
        server.assert_clean();
    }
}
