//! Reading messages that other versions wrote.

use std::sync::Arc;

use omp_types::{AssistantBlock, BashExecution, Message, Usage, UserBlock};
use serde::de::{DeserializeOwned, Error};
use serde::{Deserialize, Deserializer, Serialize, Serializer};
use serde_json::{Map, Value, json};

use crate::foreign;

/// Reads a message as it is; failing that, without the parts that are not understood.
pub(crate) fn read<'de, D: Deserializer<'de>>(deserializer: D) -> Result<Arc<Message>, D::Error> {
    let value = Value::deserialize(deserializer)?;
    if value["role"] == BashExecution::ROLE {
        let execution = BashExecution::deserialize(&value).map_err(D::Error::custom)?;
        return Ok(Arc::new(Message::Custom(execution.into())));
    }
    if foreign::is_superseded(&value) {
        return Err(D::Error::custom("replaced by another answer"));
    }
    if let Some(message) = foreign::read(&value) {
        return Ok(Arc::new(message));
    }
    if let Ok(message) = Message::deserialize(&value) {
        return Ok(Arc::new(message));
    }
    let Value::Object(fields) = value else { return Err(D::Error::custom("a message is an object")) };
    serde_json::from_value(Value::Object(mended(fields))).map(Arc::new).map_err(D::Error::custom)
}

/// Writes a message. A command of the user has a role of its own, and what other releases said theirs.
pub(crate) fn write<S: Serializer>(message: &Arc<Message>, serializer: S) -> Result<S::Ok, S::Error> {
    #[derive(Serialize)]
    struct Line {
        role: &'static str,
        #[serde(flatten)]
        execution: BashExecution,
    }
    if let Message::Custom(custom) = &**message
        && let Some(found) = foreign::written(custom)
    {
        return found.serialize(serializer);
    }
    match user_command(message) {
        Some(execution) => Line { role: BashExecution::ROLE, execution }.serialize(serializer),
        None => message.serialize(serializer),
    }
}

/// The command of the user that a message stands for, if it does.
pub(crate) fn user_command(message: &Message) -> Option<BashExecution> {
    match message {
        Message::Custom(custom) => BashExecution::of(custom),
        _ => None,
    }
}

/// Fills in what early versions left out and leaves out what this one cannot read.
fn mended(mut fields: Map<String, Value>) -> Map<String, Value> {
    let role = fields.get("role").and_then(Value::as_str).unwrap_or_default().to_owned();
    drop_unless::<u64>(&mut fields, "timestamp");
    match role.as_str() {
        "assistant" => {
            for (name, value) in [("api", ""), ("provider", ""), ("model", ""), ("stopReason", "stop")] {
                fields.entry(name).or_insert_with(|| json!(value));
            }
            drop_unless::<Usage>(&mut fields, "usage");
            keep_blocks::<AssistantBlock>(&mut fields);
        }
        "toolResult" => {
            fields.entry("isError").or_insert_with(|| json!(false));
            keep_blocks::<UserBlock>(&mut fields);
        }
        "custom" => {
            fields.entry("display").or_insert_with(|| json!(true));
            keep_blocks::<UserBlock>(&mut fields);
        }
        "user" => keep_blocks::<UserBlock>(&mut fields),
        _ => {}
    }
    fields
}

fn reads<T: DeserializeOwned>(value: &Value) -> bool {
    T::deserialize(value).is_ok()
}

fn drop_unless<T: DeserializeOwned>(fields: &mut Map<String, Value>, name: &str) {
    if fields.get(name).is_some_and(|value| !reads::<T>(value)) {
        fields.remove(name);
    }
}

fn keep_blocks<T: DeserializeOwned>(fields: &mut Map<String, Value>) {
    if let Some(Value::Array(blocks)) = fields.get_mut("content") {
        blocks.retain(reads::<T>);
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn reading(value: Value) -> Option<Message> {
        read(value).ok().map(|message| (*message).clone())
    }

    #[test]
    fn an_early_answer_is_read() {
        let value = json!({"role": "assistant", "provider": "anthropic", "model": "claude",
            "content": [{"type": "text", "text": "Done."}, {"type": "hologram", "data": 1}],
            "usage": {"input": "many"}, "timestamp": 1.5});
        let message = reading(value).unwrap();
        let answer = message.as_assistant().unwrap();
        assert_eq!(answer.texts().collect::<Vec<_>>(), ["Done."]);
        assert_eq!((answer.usage, answer.timestamp), (Usage::default(), 0));
    }

    #[test]
    fn a_command_of_the_user_has_its_role() {
        let value = json!({"role": "bashExecution", "command": "ls", "output": "a\n", "exitCode": 0,
            "cancelled": false, "truncated": false, "timestamp": 5});
        let message = reading(value.clone()).unwrap();
        let Message::Custom(custom) = &message else { panic!("{message:?}") };
        assert!(custom.content.text().contains("$ ls\na"), "the model reads of it");
        assert_eq!(write(&Arc::new(message), serde_json::value::Serializer).unwrap(), value);
        let private = reading(json!({"role": "bashExecution", "command": "ls", "excludeFromContext": true}));
        let Some(Message::Custom(custom)) = private else { panic!("{private:?}") };
        assert_eq!(custom.content.text(), "", "the model reads nothing of it");
    }

    #[test]
    fn roles_of_other_versions_are_not_guessed() {
        assert_eq!(reading(json!({"role": "hologram", "command": "ls"})), None);
        assert_eq!(reading(json!("text")), None);
    }
}
