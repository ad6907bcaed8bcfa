//! Arguments of prompts, completed by their server while they are typed.

use serde_json::{Value, json};

use super::{McpHome, done, until};
use crate::tui::Screen;

fn travel() -> Value {
    let arguments = json!([
        {"name": "city", "description": "Where to", "required": true},
        {"name": "units", "description": "Of temperatures"},
    ]);
    let hostile = json!(["New York", "Newcastle\u{1b}[31m", "New\nfangled", "Newark", "n".repeat(300)]);
    json!({
        "prompts": [{"name": "trip", "arguments": arguments, "texts": ["To {city} in {units}"]},
                    {"name": "mute", "arguments": [{"name": "word", "required": true}], "texts": ["{word}"]}],
        "values": {"city": hostile, "units": ["metric", "imperial"], "word": "never"},
    })
}

/// A session whose completion knows the prompts of the server.
fn start(values: Value) -> (Screen, std::path::PathBuf) {
    let world = McpHome::new([done()]).user([("s", values)]);
    let log = world.home.path("s.json.log");
    let McpHome { home, server } = world;
    let mut screen = Screen::in_home(home, server, &[], 40, 100);
    // Whenever the prompts arrive, the open list takes them up.
    screen.send("/s:").wait_for("/s:mute").wait_for("/s:trip").send("\x15").wait_for("Ask anything");
    (screen, log)
}

/// The parameters of the questions that the server was asked.
fn asked(log: &std::path::Path) -> Vec<Value> {
    let log = std::fs::read_to_string(log).unwrap();
    let messages = log.lines().filter_map(|line| serde_json::from_str::<Value>(line).ok());
    let questions = messages.filter(|message| message["method"] == "completion/complete");
    questions.map(|message| message["params"].clone()).collect()
}

/// Names of arguments, then values, which the server knows with the arguments before them in mind. What cannot be typed as it
/// is, or is too long, is not offered.
#[test]
fn the_server_of_a_prompt_completes_its_arguments() {
    let (mut screen, log) = start(travel());
    screen.send("/s:trip ").wait_for("Where to").wait_for("Of temperatures");
    screen.send("ci\t").wait_for("│ /s:trip city=").wait_for("New York").wait_for("Newark");
    let shown = screen.terminal.screen();
    assert!(!shown.contains("Newcastle") && !shown.contains("fangled") && !shown.contains("nnn"), "{shown}");
    screen.send("\"new y").wait_for("city=\"new y");
    screen.terminal.wait_without("Newark");
    screen.send("\x7f\x7f").wait_for("Newark").send("\t").wait_for("│ /s:trip city=\"New York\"");
    screen.send("u").wait_for("Of temperatures");
    assert!(!screen.terminal.screen().contains("Where to"), "it has a value");
    screen.send("\t").wait_for("imperial").send("\x1b[B\t").wait_for("city=\"New York\" units=imperial");
    screen.send("\r").wait_for("To New York in imperial");
    until("the request", || screen.server.requests().len() == 1);
    let questions = asked(&log);
    let units = questions.iter().find(|question| question["argument"]["name"] == "units").unwrap();
    assert_eq!(units["context"]["arguments"], json!({"city": "New York"}));
    assert_eq!(units["ref"], json!({"type": "ref/prompt", "name": "trip"}));
    screen.wait_for("done");
    screen.leave();
}

/// A server that never answers holds up neither typing nor sending; what is typed on cancels the question, and keys that come
/// quickly are one question.
#[test]
fn a_silent_server_changes_nothing() {
    let (mut screen, log) = start(travel());
    let cancelled = || {
        let log = std::fs::read_to_string(&log).unwrap();
        log.lines().filter(|line| line.contains("notifications/cancelled")).count()
    };
    screen.send("/s:mute ");
    until("a question", || asked(&log).len() == 1);
    screen.send("w").wait_for("│ /s:mute w");
    until("the first question is cancelled", || cancelled() == 1);
    until("a second question", || asked(&log).len() == 2);
    screen.send("o").send("r").send("d").wait_for("│ /s:mute word");
    until("the last question", || asked(&log).last().unwrap()["argument"]["value"] == "word");
    screen.send("\r");
    until("the request", || screen.server.requests().len() == 1);
    until("nothing is asked any more", || cancelled() == asked(&log).len());
    screen.wait_for("done");
    screen.leave();
}

/// A server that completes nothing is not asked; names are completed all the same.
#[test]
fn a_server_without_completion_is_not_asked() {
    let mut plain = travel();
    plain.as_object_mut().unwrap().remove("values");
    let (mut screen, log) = start(plain);
    screen.send("/s:trip un").wait_for("Of temperatures").send("\t").wait_for("│ /s:trip units=");
    screen.send("metric city=Oslo\r").wait_for("To Oslo in metric");
    assert_eq!(asked(&log).len(), 0);
    screen.wait_for("done");
    screen.leave();
}
