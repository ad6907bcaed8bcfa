//! The rules every model request is checked against before the script is asked.
//!
//! Each rule is a function from the parts it concerns to [`Check`]; its message says which field is wrong, in the
//! words of the real service where those are known. Where the services are forgiving, we are not: a request that
//! passes here should pass everywhere.

mod anthropic;
mod anthropic_cache;
mod anthropic_messages;
mod anthropic_results;
mod anthropic_thinking;
mod anthropic_turns;
mod aws_signature;
mod azure;
mod bedrock;
mod bedrock_messages;
mod bedrock_thinking;
mod chat;
mod chat_messages;
mod code_assist;
mod codex;
mod compaction;
mod fields;
mod google;
mod google_contents;
mod google_schema;
mod headers;
mod ollama;
mod ollama_messages;
mod prefix;
mod responses;
mod responses_items;
mod responses_reasoning;
mod schema;
mod schema_strict;

use crate::server::{Mint, RecordedRequest, Rules, Turns, Wire};

/// `Err` holds what is wrong.
pub(crate) type Check = Result<(), String>;

/// Why a request is refused, and with which status.
#[derive(Clone, Debug, PartialEq, Eq)]
pub(crate) struct Refusal {
    pub(crate) status: u16,
    pub(crate) message: String,
    /// A wrong key is an answer a test may ask for; everything else is a fault of the client.
    pub(crate) is_violation: bool,
}

impl Refusal {
    pub(crate) fn new(status: u16, message: impl Into<String>) -> Self {
        Self { status, message: message.into(), is_violation: true }
    }
}

impl From<String> for Refusal {
    fn from(message: String) -> Self {
        Self::new(400, message)
    }
}

/// What a check may look at besides the request.
pub(crate) struct Checker<'a> {
    pub(crate) rules: &'a Rules,
    pub(crate) mint: &'a Mint,
    pub(crate) turns: &'a Turns,
    /// The last request that was accepted.
    pub(crate) previous: Option<&'a RecordedRequest>,
}

/// All rules for a request, in the order in which a service would notice.
pub(crate) fn check(request: &RecordedRequest, checker: &Checker<'_>) -> Result<(), Refusal> {
    headers::expected_key(request, checker.rules)?;
    if !checker.rules.lenient {
        headers::key_present(request, checker.rules)?;
        headers::content_type(request)?;
    }
    fields::json_body(request)?;
    if checker.rules.lenient {
        return Ok(());
    }
    if request.is_compaction() {
        // It extends nothing, and nothing extends it.
        return Ok(compaction::check(request, checker)?);
    }
    match request.wire {
        Wire::OpenAiCompletions => chat::check(&request.body, checker)?,
        Wire::OpenAiResponses => responses::check(&request.body, checker)?,
        Wire::GoogleGenerativeAi | Wire::GoogleVertex => {
            headers::google_key(request, checker)?;
            google::check(request, checker)?;
        }
        Wire::GoogleGeminiCli => code_assist::check(request, checker)?,
        Wire::AzureOpenAiResponses => azure::check(request, checker)?,
        Wire::OpenAiCodexResponses => codex::check(request, checker)?,
        Wire::BedrockConverseStream => {
            aws_signature::check(request, checker.rules)?;
            bedrock::check(request, checker)?;
        }
        Wire::OllamaChat => ollama::check(&request.body, checker)?,
        Wire::AnthropicMessages => {
            headers::anthropic_version(request)?;
            anthropic::check(&request.body, checker)?;
        }
    }
    if checker.rules.stable_prefix {
        prefix::extends(request, checker.previous)?;
    }
    Ok(())
}
