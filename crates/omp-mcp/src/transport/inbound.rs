//! From bytes to messages. Whatever is not a message is named, and a request whose answer cannot be read fails at once
//! instead of by its time limit.

use rmcp::model::{ErrorData, JsonRpcMessage, NumberOrString, RequestId, ServerJsonRpcMessage};
use serde_json::Value;

use super::frame::Frame;
use crate::limits;

/// What a line means.
#[derive(Debug, Default)]
pub(super) struct Inbound {
    pub(super) messages: Vec<ServerJsonRpcMessage>,
    /// For the log.
    pub(super) problem: Option<String>,
}

pub(super) fn of_frame(frame: Frame) -> Inbound {
    match frame {
        Frame::Whole(line) => of_bytes(&line),
        Frame::TooLong { head, tail } => {
            let problem = format!("a message of more than {} MiB was skipped", limits::FRAME >> 20);
            let id = last_id(&tail).or_else(|| last_id(&head));
            Inbound { messages: failed(id, &problem), problem: Some(problem) }
        }
    }
}

pub(super) fn of_bytes(bytes: &[u8]) -> Inbound {
    let quoted = || limits::shortened(String::from_utf8_lossy(bytes).trim(), 200);
    match bytes.iter().find(|byte| !byte.is_ascii_whitespace()) {
        Some(b'{') => match serde_json::from_slice::<ServerJsonRpcMessage>(bytes) {
            Ok(message) => Inbound { messages: vec![message], problem: None },
            Err(error) => of_broken(bytes, &error, &quoted()),
        },
        // Batches, in the one revision that had them.
        Some(b'[') => match serde_json::from_slice::<Vec<Value>>(bytes) {
            Ok(items) => items.into_iter().map(|item| of_bytes(item.to_string().as_bytes())).fold(
                Inbound::default(),
                |mut all, one| {
                    all.messages.extend(one.messages);
                    all.problem = all.problem.or(one.problem);
                    all
                },
            ),
            Err(_) => Inbound { messages: Vec::new(), problem: Some(format!("not a message: {}", quoted())) },
        },
        None => Inbound::default(),
        Some(_) => Inbound { messages: Vec::new(), problem: Some(format!("not a message: {}", quoted())) },
    }
}

/// An object that is not a message as we know them.
fn of_broken(bytes: &[u8], error: &serde_json::Error, quoted: &str) -> Inbound {
    let problem = format!("invalid message ({error}): {quoted}");
    let value: Option<Value> = serde_json::from_slice(bytes).ok();
    // Only answers concern a request of ours.
    let id = value.as_ref().filter(|value| value.get("method").is_none()).and_then(|value| value.get("id"));
    let id = id.and_then(|id| match id {
        Value::Number(number) => number.as_i64().map(RequestId::Number),
        Value::String(text) => Some(NumberOrString::String(text.as_str().into())),
        _ => None,
    });
    Inbound { messages: failed(id, "the response is not valid JSON-RPC"), problem: Some(problem) }
}

fn failed(id: Option<RequestId>, why: &str) -> Vec<ServerJsonRpcMessage> {
    let error = ErrorData::internal_error(why.to_owned(), None);
    id.map(|id| JsonRpcMessage::error(error, Some(id))).into_iter().collect()
}

/// The number behind the last `"id":` in a piece of JSON.
fn last_id(bytes: &[u8]) -> Option<RequestId> {
    let text = String::from_utf8_lossy(bytes);
    let (_, rest) = text.rsplit_once("\"id\"")?;
    let digits: String =
        rest.trim_start().strip_prefix(':')?.trim_start().chars().take_while(char::is_ascii_digit).collect();
    digits.parse().ok().map(RequestId::Number)
}

#[cfg(test)]
mod tests {
    use super::*;

    fn read(text: &str) -> (Vec<Value>, Option<String>) {
        let Inbound { messages, problem } = of_bytes(text.as_bytes());
        (messages.iter().map(|message| serde_json::to_value(message).unwrap()).collect(), problem)
    }

    #[test]
    fn what_is_not_a_message_is_named() {
        for text in ["hello", "Server listening…", "\x1b[31mred", "[1", "{", "{}", "{\"jsonrpc\": \"1.0\"}"]
        {
            let (messages, problem) = read(text);
            assert!(messages.is_empty() && problem.is_some(), "{text}: {messages:?}");
        }
        assert_eq!(read("  "), (Vec::new(), None));
    }

    #[test]
    fn batches() {
        let note = r#"{"jsonrpc":"2.0","method":"notifications/tools/list_changed"}"#;
        let (messages, problem) = read(&format!("[{note}, 5, {note}]"));
        assert_eq!((messages.len(), problem.is_some()), (2, true));
    }

    #[test]
    fn a_broken_answer_fails_its_request() {
        let (messages, _) = read(r#"{"jsonrpc":"2.0","id":7,"error":"no"}"#);
        assert_eq!(messages[0]["id"], 7);
        assert!(messages[0]["error"]["message"].is_string());
        let tail = b"...\"},\"jsonrpc\":\"2.0\",\"id\":12}".to_vec();
        let Inbound { messages, problem } = of_frame(Frame::TooLong { head: b"{\"result\":".to_vec(), tail });
        let message = serde_json::to_value(&messages[0]).unwrap();
        assert_eq!(message["id"], 12);
        assert_eq!(problem.as_deref(), Some("a message of more than 16 MiB was skipped"));
    }
}
