//! From a neutral reply to the bytes of one wire.

use super::fragments;
use super::journal::RecordedRequest;
use super::mint::Mint;
use super::reply::{Reply, ReplyPart};
use super::sse::Rendered;
use super::turn::Turn;
use super::wire::Wire;
use super::{render_anthropic, render_bedrock, render_chat, render_google, render_ollama, render_responses};
use serde_json::Value;

/// Every stream claims to be from the same second, so that two runs give the same bytes.
pub(crate) const CREATED: u64 = 1_700_000_000;

/// What a renderer works with.
pub(crate) struct Rendering<'a> {
    pub(crate) reply: &'a Reply,
    pub(crate) body: &'a Value,
    pub(crate) request: usize,
    pub(crate) mint: &'a Mint,
}

impl Rendering<'_> {
    pub(crate) fn model(&self) -> &str {
        self.body["model"].as_str().unwrap_or("scripted")
    }

    pub(crate) fn id(&self, prefix: &str, place: usize) -> String {
        self.mint.id(prefix, self.request, place)
    }

    /// Id of the call at `place`: the script's own or a minted one.
    pub(crate) fn call_id(&self, prefix: &str, place: usize) -> String {
        match &self.reply.parts[place] {
            ReplyPart::ToolCall { id: Some(id), .. } => id.clone(),
            _ => self.id(prefix, place),
        }
    }

    pub(crate) fn argument_pieces<'t>(&self, arguments: &'t str) -> Vec<&'t str> {
        fragments::arguments(arguments, self.reply.argument_size)
    }

    pub(crate) fn thinking_pieces<'t>(&self, text: &'t str) -> Vec<&'t str> {
        fragments::even(text, self.reply.delta_size)
    }
}

/// The stream of one wire while it is written.
pub(crate) trait Stream {
    fn part(&mut self, place: usize, part: &ReplyPart);
    /// The reply ends with an error of this kind and text.
    fn error(&mut self, kind: &str, message: &str);
    fn end(&mut self);

    /// Writes a whole reply, behind what the wire begins with.
    fn reply(&mut self, reply: &Reply) {
        for (place, part) in reply.parts.iter().enumerate() {
            self.part(place, part);
        }
        match &reply.error {
            Some((kind, message)) => self.error(kind, message),
            None => self.end(),
        }
    }
}

/// Deltas of a text part; `None` for any other part.
pub(crate) fn text_pieces(part: &ReplyPart, delta_size: usize) -> Option<Vec<&str>> {
    match part {
        ReplyPart::Text(text) => Some(fragments::even(text, delta_size)),
        ReplyPart::TextDeltas { count, token } => Some(vec![token.as_str(); *count]),
        _ => None,
    }
}

/// Name and arguments of a call as JSON text; `None` for any other part.
pub(crate) fn call_text(part: &ReplyPart) -> Option<(&str, String)> {
    match part {
        ReplyPart::ToolCall { name, arguments, .. } => Some((name, arguments.clone())),
        ReplyPart::CustomToolCall { name, input } => {
            Some((name, serde_json::json!({"input": input}).to_string()))
        }
        _ => None,
    }
}

/// The event stream of a turn on the wire of its request, and what must be remembered of it.
pub(crate) fn turn(reply: &Reply, request: &RecordedRequest, mint: &Mint) -> (Rendered, Turn) {
    let rendering = Rendering { reply, body: &request.body, request: request.index, mint };
    match request.wire {
        Wire::OpenAiCompletions => render_chat::render(&rendering),
        Wire::OpenAiResponses | Wire::AzureOpenAiResponses | Wire::OpenAiCodexResponses => {
            render_responses::render(&rendering)
        }
        Wire::BedrockConverseStream => render_bedrock::render(&rendering),
        Wire::OllamaChat => render_ollama::render(&rendering),
        Wire::AnthropicMessages => render_anthropic::render(&rendering),
        Wire::GoogleGenerativeAi | Wire::GoogleVertex => render_google::render(&rendering, ("", "")),
        Wire::GoogleGeminiCli => render_google::render(&rendering, render_google::ENVELOPE),
    }
}
