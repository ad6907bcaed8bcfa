//! What a server says: answers, questions and notices.

use serde::Deserialize;
use serde_json::{Value, json};

/// Error code of a method that nobody knows.
pub(crate) const UNKNOWN_METHOD: i64 = -32601;
/// The longest message of an error that is kept.
const LONGEST_ERROR: usize = 4 * 1024;

/// One message of a server.
#[derive(Debug)]
pub(crate) enum Incoming {
    Answer { id: u64, result: Result<Value, (i64, String)> },
    Question { id: Value, method: String, params: Value },
    Notice { method: String, params: Value },
}

#[derive(Deserialize)]
struct Raw {
    #[serde(default)]
    id: Option<Value>,
    #[serde(default)]
    method: Option<String>,
    #[serde(default)]
    params: Value,
    #[serde(default)]
    result: Value,
    #[serde(default)]
    error: Option<RawError>,
}

#[derive(Deserialize)]
struct RawError {
    #[serde(default)]
    code: i64,
    #[serde(default)]
    message: String,
}

impl Incoming {
    /// `None` for what is none of the three.
    pub(crate) fn parse(body: &[u8]) -> Option<Self> {
        let raw: Raw = serde_json::from_slice(body).ok()?;
        match (raw.method, raw.id) {
            (Some(method), Some(id)) => Some(Self::Question { id, method, params: raw.params }),
            (Some(method), None) => Some(Self::Notice { method, params: raw.params }),
            (None, Some(id)) => {
                let id = id.as_u64().or_else(|| id.as_str()?.parse().ok())?;
                let result = match raw.error {
                    Some(error) => Err((error.code, shortened(error.message))),
                    None => Ok(raw.result),
                };
                Some(Self::Answer { id, result })
            }
            (None, None) => None,
        }
    }
}

fn shortened(mut text: String) -> String {
    if text.len() > LONGEST_ERROR {
        let end = (0..=LONGEST_ERROR).rev().find(|end| text.is_char_boundary(*end)).unwrap_or(0);
        text.truncate(end);
        text.push('…');
    }
    text
}

pub(crate) fn request(id: u64, method: &str, params: &Value) -> Vec<u8> {
    bytes(&json!({"jsonrpc": "2.0", "id": id, "method": method, "params": params}))
}

pub(crate) fn notification(method: &str, params: &Value) -> Vec<u8> {
    bytes(&json!({"jsonrpc": "2.0", "method": method, "params": params}))
}

pub(crate) fn answer(id: &Value, result: Result<Value, (i64, String)>) -> Vec<u8> {
    bytes(&match result {
        Ok(result) => json!({"jsonrpc": "2.0", "id": id, "result": result}),
        Err((code, message)) => {
            json!({"jsonrpc": "2.0", "id": id, "error": {"code": code, "message": message}})
        }
    })
}

fn bytes(message: &Value) -> Vec<u8> {
    crate::frame::encode(message.to_string().as_bytes())
}
