//! The provider wires and how each of them words an error.

use serde_json::{Value, json};
use std::fmt;

/// A provider wire; displayed as the `api` value of `models.yml`.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash, PartialOrd, Ord)]
pub enum Wire {
    OpenAiCompletions,
    OpenAiResponses,
    AnthropicMessages,
    AzureOpenAiResponses,
    OpenAiCodexResponses,
    BedrockConverseStream,
    OllamaChat,
    GoogleGenerativeAi,
    /// Cloud Code Assist: the bodies of [`Wire::GoogleGenerativeAi`] in an envelope.
    GoogleGeminiCli,
    /// The same bodies as [`Wire::GoogleGenerativeAi`] at another door; not among [`Wire::ALL`].
    GoogleVertex,
}

impl Wire {
    pub const ALL: [Self; 9] = [
        Self::OpenAiCompletions,
        Self::OpenAiResponses,
        Self::AnthropicMessages,
        Self::AzureOpenAiResponses,
        Self::OpenAiCodexResponses,
        Self::BedrockConverseStream,
        Self::OllamaChat,
        Self::GoogleGenerativeAi,
        Self::GoogleGeminiCli,
    ];

    /// The `api` value of `models.yml`.
    pub fn api(self) -> &'static str {
        match self {
            Self::OpenAiCompletions => "openai-completions",
            Self::OpenAiResponses => "openai-responses",
            Self::AnthropicMessages => "anthropic-messages",
            Self::GoogleGenerativeAi => "google-generative-ai",
            Self::GoogleGeminiCli => "google-gemini-cli",
            Self::GoogleVertex => "google-vertex",
            Self::AzureOpenAiResponses => "azure-openai-responses",
            Self::OpenAiCodexResponses => "openai-codex-responses",
            Self::BedrockConverseStream => "bedrock-converse-stream",
            Self::OllamaChat => "ollama-chat",
        }
    }

    /// Path below [`crate::Server::base_url_for`], with its query.
    pub fn path(self) -> &'static str {
        match self {
            Self::OpenAiCompletions => "/chat/completions",
            Self::OpenAiResponses | Self::AzureOpenAiResponses => "/responses",
            Self::OpenAiCodexResponses => "/codex/responses",
            Self::BedrockConverseStream => "/model/scripted/converse-stream",
            Self::OllamaChat => "/api/chat",
            Self::AnthropicMessages => "/v1/messages",
            Self::GoogleGenerativeAi | Self::GoogleVertex => "/models/scripted:streamGenerateContent?alt=sse",
            Self::GoogleGeminiCli => "/v1internal:streamGenerateContent?alt=sse",
        }
    }

    /// Content type of a streamed answer.
    pub(crate) fn stream_type(self) -> &'static str {
        match self {
            Self::BedrockConverseStream => "application/vnd.amazon.eventstream",
            Self::OllamaChat => "application/x-ndjson",
            _ => "text/event-stream; charset=utf-8",
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
            Self::BedrockConverseStream => json!({"message": message}),
            Self::OllamaChat => json!({"error": message}),
            Self::GoogleGenerativeAi | Self::GoogleGeminiCli | Self::GoogleVertex => json!({
                "error": {"code": status, "message": message, "status": kind},
            }),
            Self::OpenAiCompletions
            | Self::OpenAiResponses
            | Self::AzureOpenAiResponses
            | Self::OpenAiCodexResponses => json!({
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
            Self::GoogleGenerativeAi | Self::GoogleGeminiCli | Self::GoogleVertex => match status {
                400 => "INVALID_ARGUMENT",
                401 => "UNAUTHENTICATED",
                403 => "PERMISSION_DENIED",
                404 => "NOT_FOUND",
                429 => "RESOURCE_EXHAUSTED",
                503 => "UNAVAILABLE",
                504 => "DEADLINE_EXCEEDED",
                _ => "INTERNAL",
            },
            _ => match status {
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
