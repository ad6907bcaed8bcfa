use omp_types::{CustomMessage, UserContent, UserMessage};

use super::*;
use crate::testing::{look, texts};
use crate::tool::Expansion;
use crate::{approval, todo, working};

fn custom_message(display: bool) -> CustomMessage {
    CustomMessage {
        custom_type: "hook".into(),
        content: UserContent::Text("**hi**".into()),
        display,
        details: None,
        timestamp: 0,
    }
}

#[test]
fn messages_that_are_not_for_people_are_not_drawn() {
    assert!(custom(&look(40), &custom_message(false)).is_empty());
    assert_eq!(texts(&custom(&look(40), &custom_message(true))), [" [hook]", " hi"]);
}

#[test]
fn a_prompt_is_shown_as_it_was_written_on_its_own_ground() {
    let content = UserContent::Text("# not a heading\n\n  two".into());
    let rows = user(&look(20), &UserMessage { content, steering: false, sealed: None, timestamp: 0 });
    assert_eq!(texts(&rows), ["❯ # not a heading", "", "    two"]);
    assert!(rows.iter().all(|row| row.width() == 20));
}

#[test]
fn summaries_are_a_line_until_they_are_expanded() {
    let rows = compaction(&look(60), "one\ntwo", 1_234, Expansion::Collapsed);
    assert!(rows[0].text().contains("Compacted from 1,234 tokens") && rows[0].width() == 60);
    assert_eq!(rows.len(), 1, "one line");
    assert!(rows[0].text().contains("Ctrl+O"), "{}", rows[0].text());
    assert_eq!(texts(&compaction(&look(60), "one\ntwo", 0, Expansion::Expanded))[1..], ["one", "two"]);
}

#[test]
fn a_question_shows_every_value_behind_its_label() {
    let values =
        [("Origin", "MCP server tool"), ("Reason", "Deletes files"), ("Command", "rm -rf a\nReason: none")];
    assert_eq!(
        texts(&approval::rows(&look(60), "Allow tool: bash", values, 12).rows),
        [
            "? Allow tool: bash",
            "  Origin: MCP server tool",
            "  Reason: Deletes files",
            "  Command: rm -rf a",
            "           Reason: none",
        ]
    );
    let long = format!("first {} last", "word ".repeat(2_000));
    let rows = texts(&approval::rows(&look(60), "Allow tool: bash", [("Command", long.as_str())], 12).rows);
    assert!(
        rows.len() < 16 && rows[1].contains("first") && rows.last().unwrap().ends_with("last"),
        "{rows:?}"
    );
}

#[test]
fn the_panel_is_there_while_something_is_open() {
    let list = |status: &str| {
        let phases = serde_json::json!([{ "name": "A", "tasks": [{ "content": "x", "status": status }] }]);
        todo::Todos::of_json(&phases).unwrap()
    };
    assert_eq!(texts(&todo::panel(&look(40), &list("pending"))), ["□ Todo · 0 of 1 done", "└─ □ x"]);
    assert!(todo::panel(&look(40), &list("completed")).is_empty());
    assert_eq!(todo::Todos::of_json(&serde_json::json!({ "phases": 1 })), None);
}

#[test]
fn what_goes_on_says_how_to_stop_it() {
    let activity = working::Activity::Retrying {
        attempt: 2,
        attempts: 10,
        wait: std::time::Duration::from_secs(8),
        error: "too\nbusy".to_owned(),
    };
    let row = working::row(&look(60), &activity, std::time::Duration::from_secs(3), "Esc");
    assert!(row.text().ends_with(" Retrying (2/10) in 5s… (esc to cancel) · too busy"), "{}", row.text());
}
