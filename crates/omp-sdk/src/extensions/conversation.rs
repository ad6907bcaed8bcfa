//! What extensions do to a conversation.

use std::sync::Arc;

use omp_agent::{Prompt, PromptForm};
use omp_session::{Custom, EntryKind};
use omp_types::{CustomMessage, Message, UserContent};
use serde_json::{Value, json};

use crate::extensions::lock;
use crate::extensions::port::{SessionPort, custom_message, text};
use crate::session::Session;

/// The largest entry that an extension may keep.
const LARGEST_ENTRY: usize = 4 * 1024 * 1024;

/// Data of an extension, which no model sees.
pub(crate) fn append_entry(port: &SessionPort, arguments: &Value) -> Result<Value, String> {
    port.session()?;
    let data = arguments.get("data").filter(|data| !data.is_null()).cloned();
    if data.as_ref().is_some_and(|data| data.to_string().len() > LARGEST_ENTRY) {
        return Err(format!("an entry may have at most {} MiB", LARGEST_ENTRY / 1024 / 1024));
    }
    let custom_type = text(arguments, "customType").to_owned();
    let id = port.record.lock().append(EntryKind::Custom(Custom { custom_type, data }));
    Ok(json!(id))
}

pub(crate) fn set_label(port: &SessionPort, arguments: &Value) -> Result<Value, String> {
    port.session()?;
    let label = arguments["label"].as_str();
    let entry = text(arguments, "entryId");
    let labelled = port.record.lock().append_label(entry, label).map(|_| Value::Null);
    labelled.map_err(|error| error.to_string())
}

/// Words that an extension says for the user. While the model works they steer it, unless they are to wait.
pub(crate) fn send_user_message(port: &SessionPort, arguments: &Value) -> Result<Value, String> {
    let session = port.session()?;
    let content: UserContent =
        serde_json::from_value(arguments["content"].clone()).map_err(|error| error.to_string())?;
    match (port.control.is_running(), text(&arguments["options"], "deliverAs")) {
        (true, "followUp") => drop(port.control.follow_up(content)),
        (true, _) => drop(port.control.steer(content)),
        (false, _) => session.extensions.send(Prompt::words(content)),
    }
    Ok(Value::Null)
}

/// A message of the extension's own.
pub(crate) fn send_message(port: &SessionPort, arguments: &Value) -> Result<Value, String> {
    let session = port.session()?;
    let message =
        custom_message(&arguments["message"]).ok_or("the message has no content that can be sent")?;
    let options = &arguments["options"];
    let triggers = options["triggerTurn"] == true;
    let running = port.control.is_running();
    match text(options, "deliverAs") {
        "nextTurn" if !triggers || running => port.control.next_prompt(message),
        "followUp" if running => session.extensions.send(as_prompt(message)),
        _ if running => port.control.aside(Box::new(move || Some(message))),
        _ if triggers => session.extensions.send(as_prompt(message)),
        _ => {
            let noting = Arc::clone(&session);
            let task = tokio::spawn(async move {
                let _ = noting.agent.note(Message::Custom(message)).await;
            });
            lock(&session.extensions.noting).push(task);
        }
    }
    Ok(Value::Null)
}

fn as_prompt(message: CustomMessage) -> Prompt {
    let custom_type = message.custom_type.into();
    let form = match message.display {
        true => PromptForm::Custom { custom_type, details: message.details.unwrap_or_default() },
        false => PromptForm::Hidden { custom_type },
    };
    Prompt { content: message.content, form }
}

/// Makes the conversation shorter.
pub(crate) async fn compact(session: Arc<Session>, arguments: Value) -> Result<Value, String> {
    let focus = arguments["customInstructions"].as_str().filter(|focus| !focus.trim().is_empty());
    let done = session.context().compact(focus, tokio_util::sync::CancellationToken::new()).await;
    let done = done.map_err(|error| error.to_string())?;
    Ok(json!(done.result))
}

/// Puts what an extension prepared for a new session into it; what could not be kept is said.
pub(crate) async fn prepare(session: &Session, entries: Vec<Value>) -> Vec<String> {
    let mut problems = Vec::new();
    for mut entry in entries {
        let done = match entry["type"].as_str() {
            Some("message") => match serde_json::from_value::<Message>(entry["message"].take()) {
                Ok(message) => session.agent.note(message).await.map_err(|error| error.to_string()),
                Err(error) => Err(error.to_string()),
            },
            Some("custom_message") => match custom_message(&entry) {
                Some(message) => {
                    session.agent.note(Message::Custom(message)).await.map_err(|error| error.to_string())
                }
                None => Err("it has no content".to_owned()),
            },
            Some("custom") if entry["data"].to_string().len() > LARGEST_ENTRY => {
                Err(format!("an entry may have at most {} MiB", LARGEST_ENTRY / 1024 / 1024))
            }
            Some("custom") => {
                let custom_type = text(&entry, "customType").to_owned();
                let data = entry.get("data").filter(|data| !data.is_null()).cloned();
                session.record.lock().append(EntryKind::Custom(Custom { custom_type, data }));
                Ok(())
            }
            Some("title") => session.rename(text(&entry, "title")).map_err(|error| error.to_string()),
            _ => Err("it is no entry".to_owned()),
        };
        if let Err(reason) = done {
            problems.push(format!("a prepared entry was not added to the session: {reason}"));
        }
    }
    problems
}
