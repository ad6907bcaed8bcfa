//! The three provider wires and how each of them words an error.

use serde_json::{Value, json};
use std::fmt;

/// A provider wire; displayed as the `api` value of `models.yml`.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash, PartialOrd, Ord)]
pub enum Wire {
    OpenAiCompletions,
    OpenAiResponses,
    AnthropicMessages,
}

impl Wire {
    pub const ALL: [Self; 3] = [Self::OpenAiCompletions, Self::OpenAiResponses, Self::AnthropicMessages];

    /// The `api` value of `models.yml`.
    pub fn api(self) -> &'static str {
        match self {
            Self::OpenAiCompletions => "openai-completions",
            Self::OpenAiResponses => "openai-responses",
            Self::AnthropicMessages => "anthropic-messages",
        }
    }

    /// Path below [`crate::Server::base_url_for`].
    pub fn path(self) -> &'static str {
        match self {
            Self::OpenAiCompletions => "/chat/completions",
            Self::OpenAiResponses => "/responses",
            Self::AnthropicMessages => "/v1/messages",
        }
    }

    /// Body of an error response in this wire's shape.
    pub(crate) fn error_body(self, status: u16, message: &str) -> Value {
        let kind = self.error_type(status);
        match self {
            Self::AnthropicMessages => json!({
                "type": "error",
                "error": {"type": kind, "message": message},
                "request_id": "req_scripted",
            }),
            Self::OpenAiCompletions | Self::OpenAiResponses => json!({
                "error": {"message": message, "type": kind, "param": null, "code": openai_code(status)},
            }),
        }
    }

    fn error_type(self, status: u16) -> &'static str {
        match self {
            Self::AnthropicMessages => match status {
                400 | 422 => "invalid_request_error",
                401 => "authentication_error",
                402 => "billing_error",
                403 => "permission_error",
                404 => "not_found_error",
                413 => "request_too_large",
                429 => "rate_limit_error",
                504 => "timeout_error",
                529 => "overloaded_error",
                _ => "api_error",
            },
            Self::OpenAiCompletions | Self::OpenAiResponses => match status {
                429 => "rate_limit_error",
                400..=499 => "invalid_request_error",
                _ => "server_error",
            },
        }
    }
}

fn openai_code(status: u16) -> Value {
    match status {
        401 => json!("invalid_api_key"),
        404 => json!("model_not_found"),
        429 => json!("rate_limit_exceeded"),
        500.. => json!("server_error"),
        _ => Value::Null,
    }
}

impl fmt::Display for Wire {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str(self.api())
    }
}
