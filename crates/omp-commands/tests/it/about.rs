//! What there is: commands, tools, jobs, the session, what is new.

use omp_commands::{ListedFor, listed};
use omp_sdk::Persistence;
use omp_testkit::Reply;
use serde_json::json;

use crate::support::{Room, Variables};

/// All tools are named, and exactly those that the request offers are marked.
/// proves: CLI-197
#[tokio::test]
async fn tools_are_marked_as_the_request_has_them() {
    let room = Room::new([Reply::new().text("ok")]).await;
    let text = room.text("/tools").await;
    room.say("hi").await;
    let tools = room.request()["tools"].as_array().unwrap().clone();
    let mut offered: Vec<&str> =
        tools.iter().map(|tool| tool["function"]["name"].as_str().unwrap()).collect();
    let mut marked: Vec<&str> =
        text.lines().filter_map(|line| line.trim().strip_prefix("* ")?.split(' ').next()).collect();
    offered.sort_unstable();
    marked.sort_unstable();
    assert_eq!(marked, offered);
    for name in omp_sdk::TOOL_NAMES {
        assert!(
            text.lines().any(|line| line.trim_start_matches([' ', '*']).starts_with(&format!("{name}  "))),
            "{name} and what it does: {text}"
        );
    }
    assert!(
        text.lines().any(|line| line.trim().starts_with("ssh  ")),
        "there is no host, so it is not active: {text}"
    );
}

#[tokio::test]
async fn commands_are_listed_with_their_sources() {
    let room = Room::with([], Persistence::New, Variables::default(), |home| {
        home.write(
            "work/.omp/commands/greet.md",
            "---\ndescription: Says hello\nargument-hint: <name>\n---\nHi\n",
        );
        home.write("home/.omp/agent/prompts/poem.md", "A poem\n");
        home.write(
            "home/.omp/agent/skills/pdf/SKILL.md",
            "---\nname: pdf\ndescription: Reads PDFs\n---\nDo\n",
        );
        home.write("work/.omp/commands/tools.md", "mine\n");
    })
    .await;
    let text = room.text("/help").await;
    let line = |start: &str| {
        text.lines().map(str::trim).find(|line| line.starts_with(start)).unwrap_or_default().to_owned()
    };
    let words = |text: &str| text.split_whitespace().collect::<Vec<_>>().join(" ");
    let told = |start: &str| line(start).split_once("  ").map(|(_, rest)| words(rest)).unwrap_or_default();
    assert_eq!(told("/greet <name>"), "project Says hello", "{text}");
    assert!(told("/poem").starts_with("template, user A poem"), "{text}");
    assert_eq!(told("/skill:pdf [arguments]"), "skill Reads PDFs", "{text}");
    let at = |row: &str| text.lines().position(|line| line.trim() == row || line.trim().starts_with(row));
    assert!(at("Conversation") < at("/new ") && at("/new ") < at("Sessions"), "by topic: {text}");
    assert!(at("Skills and commands of your own") < at("/greet <name>"), "{text}");
    assert!(told("/model, /models [id]").starts_with("built-in "), "{text}");
    assert_eq!(text.matches("/tools ").count(), 1, "a built-in hides a file of its name: {text}");
    let session = room.context.host.session();
    let elsewhere = listed(&session, ListedFor::Programs);
    let names: Vec<&str> = elsewhere.iter().map(|command| command.name.as_str()).collect();
    assert!(names.contains(&"tools") && names.contains(&"greet") && !names.contains(&"hotkeys"), "{names:?}");
}

/// proves: CLI-192
#[tokio::test]
async fn jobs_are_listed_with_what_they_are() {
    let room = Room::with(
        [
            Reply::new().tool_call("bash", json!({"_i": "x", "command": "sleep 600", "async": true})),
            Reply::new().text("started"),
        ],
        Persistence::New,
        Variables::default(),
        |home| {
            home.write("home/.omp/agent/config.yml", "async:\n  enabled: true\n");
        },
    )
    .await;
    let none = room.text("/jobs").await;
    assert!(none.contains("No background jobs") && none.contains("bash.autoBackground.enabled"), "{none}");
    room.say("go").await;
    let text = room.text("/jobs").await;
    let row = text.lines().nth(1).expect("a job");
    assert!(row.contains("bash running") && row.contains("sleep 600"), "{text}");
    let id = room.context.host.session().jobs().list()[0].id.clone();
    assert!(row.trim_start().starts_with(&id), "{text}");
    assert!(
        row.split_whitespace()
            .any(|word| word.ends_with('s') && word.len() > 1 && word.as_bytes()[0].is_ascii_digit()),
        "its age: {text}"
    );
    room.context.host.session().close().await;
}

/// proves: CLI-195
#[tokio::test]
async fn the_changelog_is_short_or_full() {
    let room = Room::new([]).await;
    assert!(room.text("/changelog").await.starts_with("## "));
    let entries: String = (1..=5).rev().map(|entry| format!("## {entry}\n\n- change {entry}\n\n")).collect();
    let home = omp_testkit::Home::new();
    home.write("work/CHANGELOG.md", format!("# Changelog\n\n{entries}"));
    let package = home.work_dir().display().to_string();
    let variables = Variables(vec![("PI_PACKAGE_DIR", package)]);
    let room = Room::with([], Persistence::New, variables, |_| {}).await;
    let short = room.text("/changelog").await;
    assert!(
        short.contains("change 5") && short.contains("change 3") && !short.contains("change 2"),
        "{short}"
    );
    let full = room.text("/changelog full").await;
    assert!(full.contains("change 5") && full.contains("change 1"), "{full}");
    assert!(room.text("/changelog all").await.starts_with("Usage"));
}
