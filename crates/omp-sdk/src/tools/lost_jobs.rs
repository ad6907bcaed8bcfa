//! Background jobs that ended with the program that ran them: a resumed conversation would wait for them.

use std::sync::Arc;

use omp_agent::Clock;
use omp_types::{CustomMessage, Message, UserContent};
use serde_json::{Value, json};

use crate::clock::SystemClock;

/// The kind of the message in session files.
const LOST_JOBS: &str = "lost-jobs";
const HEAD: &str = include_str!("../../prompts/lost-jobs.md");
/// More are counted, not named.
const MOST_NAMED: usize = 20;
/// A command is named by its beginning.
const LABEL_LENGTH: usize = 200;

/// What the model has to know of jobs that the conversation began and nobody runs any longer. `None` if every one of
/// them has reported, or was said to be lost before.
pub(crate) fn note(messages: &[Arc<Message>]) -> Option<CustomMessage> {
    let lost = lost(messages);
    if lost.is_empty() {
        return None;
    }
    let mut lines = vec![HEAD.trim_end().to_owned()];
    lines.extend(lost.iter().take(MOST_NAMED).map(|(id, command)| format!("- {id}: {command}")));
    if lost.len() > MOST_NAMED {
        lines.push(format!("- and {} more", lost.len() - MOST_NAMED));
    }
    let jobs: Vec<Value> = lost.iter().map(|(id, _)| json!({"jobId": id, "status": "lost"})).collect();
    Some(CustomMessage {
        custom_type: LOST_JOBS.to_owned(),
        content: UserContent::Text(lines.join("\n")),
        display: true,
        details: Some(json!({ "jobs": jobs })),
        timestamp: SystemClock.now_ms(),
    })
}

/// The jobs that began and did not end, with their commands.
fn lost(messages: &[Arc<Message>]) -> Vec<(String, String)> {
    let mut running: Vec<(String, String)> = Vec::new();
    for message in messages {
        let details = match &**message {
            Message::ToolResult(result) => result.details.as_ref(),
            Message::Custom(custom) => custom.details.as_ref(),
            _ => None,
        };
        let Some(details) = details else { continue };
        for ended in ended(details) {
            running.retain(|(id, _)| id != ended);
        }
        let begun = &details["async"];
        if let (Some(id), true) = (begun["jobId"].as_str(), begun["state"] == "running") {
            running.retain(|(other, _)| other != id);
            running.push((id.to_owned(), command_of(message, messages)));
        }
    }
    running
}

/// The jobs that a message says have ended: a delivery, a look at jobs, a cancellation.
fn ended(details: &Value) -> impl Iterator<Item = &str> {
    let lists = ["jobs", "cancelled"].into_iter().filter_map(|list| details[list].as_array());
    let ended = lists.flatten().filter(|job| job["status"] != "running");
    ended.filter_map(|job| job["jobId"].as_str().or_else(|| job["id"].as_str()))
}

/// What was run, from the call that a result belongs to.
fn command_of(result: &Message, messages: &[Arc<Message>]) -> String {
    let Message::ToolResult(result) = result else { return String::new() };
    let answers = messages.iter().rev().filter_map(|message| message.as_assistant());
    let call = answers.flat_map(|answer| answer.tool_calls()).find(|call| call.id == result.tool_call_id);
    let command = call.and_then(|call| call.arguments.get("command")).and_then(Value::as_str);
    let words = command.unwrap_or(&result.tool_name).split_whitespace().collect::<Vec<_>>().join(" ");
    words.chars().take(LABEL_LENGTH).collect()
}

#[cfg(test)]
mod tests {
    use super::*;

    fn result(details: &Value) -> Arc<Message> {
        let message = json!({"role": "toolResult", "toolCallId": "c", "toolName": "bash", "content": [], "isError": false, "details": details});
        Arc::new(serde_json::from_value(message).unwrap())
    }

    fn began(id: &str) -> Arc<Message> {
        result(&json!({"async": {"state": "running", "jobId": id}}))
    }

    #[test]
    fn jobs_that_reported_are_not_lost() {
        let ids =
            |messages: &[Arc<Message>]| lost(messages).into_iter().map(|(id, _)| id).collect::<Vec<_>>();
        assert_eq!(ids(&[began("bg_1"), began("bg_2")]), ["bg_1", "bg_2"]);
        let looked = result(
            &json!({"jobs": [{"id": "bg_1", "status": "running"}, {"id": "bg_2", "status": "completed"}]}),
        );
        assert_eq!(ids(&[began("bg_1"), began("bg_2"), looked]), ["bg_1"]);
        let cancelled = result(&json!({"jobs": [], "cancelled": [{"id": "bg_1", "status": "cancelled"}]}));
        assert_eq!(ids(&[began("bg_1"), cancelled]), [""; 0]);
        // Said once; a job of the same name that began later is another one.
        let said = Arc::new(Message::Custom(note(&[began("bg_1")]).unwrap()));
        assert_eq!(note(&[began("bg_1"), Arc::clone(&said)]), None);
        assert_eq!(ids(&[began("bg_1"), said, began("bg_1")]), ["bg_1"]);
    }

    #[test]
    fn many_jobs_are_counted() {
        let messages: Vec<_> = (0..25).map(|number| began(&format!("bg_{number}"))).collect();
        let text = note(&messages).unwrap().content.text();
        assert!(text.contains("- bg_19: bash\n- and 5 more") && !text.contains("bg_20"), "{text}");
    }
}
