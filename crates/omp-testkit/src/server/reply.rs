//! One scripted answer of the model, in a form that knows nothing of the wire.

use serde_json::Value;
use std::time::Duration;

/// Token counts. `input` is what was neither read from nor written to the cache; the OpenAI wires, whose prompt
/// count includes cached tokens, get the sum.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, serde::Deserialize)]
#[serde(default, deny_unknown_fields)]
pub struct Usage {
    pub input: u64,
    pub output: u64,
    pub cache_read: u64,
    pub cache_write: u64,
}

/// Why the model stopped. Without one, a reply with tool calls stops with `ToolUse`, any other with `Stop`.
#[derive(Clone, Copy, Debug, PartialEq, Eq, serde::Deserialize)]
#[serde(rename_all = "snake_case")]
pub enum Stop {
    /// `end_turn`, `stop`, `response.completed`.
    Stop,
    /// `max_tokens`, `length`, `response.incomplete` with `max_output_tokens`.
    Length,
    /// `tool_use`, `tool_calls`, `response.completed`.
    ToolUse,
    /// `stop_sequence`, `stop`, `response.completed`.
    StopSequence,
    /// `refusal`, `content_filter`, `response.completed` whose text is a refusal part.
    Refusal,
    /// `pause_turn`; the OpenAI wires have no such thing and say `stop`.
    PauseTurn,
    /// `model_context_window_exceeded`, `content_filter`, `response.incomplete` with `content_filter`.
    Incomplete,
}

/// Where the bytes of a body are cut into separate TCP writes, each an HTTP chunk of its own.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub enum Split {
    #[default]
    Whole,
    EveryByte,
    /// Pieces of this many bytes.
    Chunks(usize),
    /// Cuts before these byte offsets.
    At(Vec<usize>),
}

/// A place in a body: after so many bytes, or after so many events (comments do not count).
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) enum BodyPosition {
    Bytes(usize),
    Event(usize),
}

/// How a body ends before its natural end.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) enum Cutoff {
    /// The socket closes: the client sees a broken transfer.
    Drop,
    /// The connection is reset: the client sees an error of its socket.
    Reset,
    /// The HTTP body ends well-formed: the client sees a stream without its final event.
    End,
}

#[derive(Clone, Debug, PartialEq)]
pub(crate) enum ReplyPart {
    Thinking(String),
    RedactedThinking,
    Text(String),
    TextDeltas { count: usize, token: String },
    ToolCall { name: String, arguments: String, id: Option<String> },
    CustomToolCall { name: String, input: String },
    AnthropicBlock(Value),
}

impl ReplyPart {
    pub(crate) fn is_call(&self) -> bool {
        matches!(self, Self::ToolCall { .. } | Self::CustomToolCall { .. })
    }
}

#[derive(Clone, Debug, PartialEq)]
pub(crate) enum Body {
    /// A model turn, rendered for the wire of the request.
    Turn,
    /// The wire's own error JSON for the status.
    Error,
    /// These bytes.
    Raw { content_type: String, bytes: Vec<u8>, chunked: bool },
}

/// One answer to one model request. Built fluently; see the crate documentation for an example.
#[derive(Clone, Debug)]
pub struct Reply {
    pub(crate) status: u16,
    pub(crate) headers: Vec<(String, String)>,
    pub(crate) body: Body,
    pub(crate) parts: Vec<ReplyPart>,
    pub(crate) usage: Usage,
    pub(crate) stop: Option<Stop>,
    pub(crate) stop_raw: Option<String>,
    pub(crate) error: Option<(String, String)>,
    pub(crate) delta_size: usize,
    pub(crate) argument_size: Option<usize>,
    pub(crate) interleave: bool,
    pub(crate) crlf: bool,
    pub(crate) comments: bool,
    pub(crate) split: Split,
    pub(crate) delay_before: Duration,
    pub(crate) stalls: Vec<(BodyPosition, Duration)>,
    pub(crate) cutoff: Option<(BodyPosition, Cutoff)>,
}

impl Default for Reply {
    fn default() -> Self {
        Self {
            status: 200,
            headers: Vec::new(),
            body: Body::Turn,
            parts: Vec::new(),
            usage: Usage { input: 100, output: 10, ..Usage::default() },
            stop: None,
            stop_raw: None,
            error: None,
            delta_size: 16,
            argument_size: None,
            interleave: false,
            crlf: false,
            comments: false,
            split: Split::Whole,
            delay_before: Duration::ZERO,
            stalls: Vec::new(),
            cutoff: None,
        }
    }
}

/// Constructors.
impl Reply {
    /// An empty model turn; add content to it. Unless told otherwise it used 100 input and 10 output tokens.
    pub fn new() -> Self {
        Self::default()
    }

    /// A response with this status and the wire's own error body, unless [`Reply::body`] gives another.
    pub fn status(status: u16) -> Self {
        Self { status, body: Body::Error, ..Self::default() }
    }

    /// A stream that breaks with an error event in the wire's form. Content added to it is sent first.
    pub fn error_event(kind: &str, message: &str) -> Self {
        Self::new().then_error(kind, message)
    }

    /// These bytes with status 200: an HTML page, or a hand-made event stream of one wire.
    pub fn raw(content_type: &str, bytes: impl Into<Vec<u8>>) -> Self {
        let body = Body::Raw { content_type: content_type.into(), bytes: bytes.into(), chunked: true };
        Self { body, ..Self::default() }
    }

    /// A turn of `count` text deltas that each say `token`.
    pub fn text_deltas(count: usize, token: &str) -> Self {
        Self::new().part(ReplyPart::TextDeltas { count, token: token.into() })
    }
}

/// Content, in the order of the calls.
impl Reply {
    pub(crate) fn part(mut self, part: ReplyPart) -> Self {
        self.parts.push(part);
        self
    }

    pub fn thinking(self, text: &str) -> Self {
        self.part(ReplyPart::Thinking(text.into()))
    }

    /// Anthropic `redacted_thinking`; a reasoning item without summary on Responses; nothing on Chat Completions.
    pub fn redacted_thinking(self) -> Self {
        self.part(ReplyPart::RedactedThinking)
    }

    pub fn text(self, text: &str) -> Self {
        self.part(ReplyPart::Text(text.into()))
    }

    /// A tool call with an id minted by the server.
    #[expect(clippy::needless_pass_by_value, reason = "callers write json!({…}) in place")]
    pub fn tool_call(self, name: &str, arguments: Value) -> Self {
        self.part(ReplyPart::ToolCall { name: name.into(), arguments: arguments.to_string(), id: None })
    }

    /// A tool call with this id.
    #[expect(clippy::needless_pass_by_value, reason = "callers write json!({…}) in place")]
    pub fn tool_call_with_id(self, id: &str, name: &str, arguments: Value) -> Self {
        self.part(ReplyPart::ToolCall {
            name: name.into(),
            arguments: arguments.to_string(),
            id: Some(id.into()),
        })
    }

    /// A tool call whose arguments are this text, which need not be JSON.
    pub fn tool_call_raw(self, name: &str, arguments: &str) -> Self {
        self.part(ReplyPart::ToolCall { name: name.into(), arguments: arguments.into(), id: None })
    }

    /// A free-form tool call of the Responses wire; the others send `{"input": …}`.
    pub fn custom_tool_call(self, name: &str, input: &str) -> Self {
        self.part(ReplyPart::CustomToolCall { name: name.into(), input: input.into() })
    }

    /// An Anthropic content block as it is, such as `server_tool_use`. The other wires skip it.
    pub fn anthropic_block(self, block: Value) -> Self {
        self.part(ReplyPart::AnthropicBlock(block))
    }

    pub fn usage(mut self, usage: Usage) -> Self {
        self.usage = usage;
        self
    }

    pub fn stop(mut self, stop: Stop) -> Self {
        self.stop = Some(stop);
        self
    }

    /// The stop reason as a raw string of the wire. On Responses a known status sets the status, anything else
    /// becomes `incomplete_details.reason`.
    pub fn stop_raw(mut self, reason: &str) -> Self {
        self.stop_raw = Some(reason.into());
        self
    }

    /// Breaks the stream with an error event after the content.
    pub fn then_error(mut self, kind: &str, message: &str) -> Self {
        self.error = Some((kind.into(), message.into()));
        self
    }

    /// A response header, also on streams. Replaces the server's own header of that name.
    pub fn header(mut self, name: &str, value: &str) -> Self {
        self.headers.push((name.to_ascii_lowercase(), value.into()));
        self
    }

    /// A JSON body instead of the wire's error body.
    #[expect(clippy::needless_pass_by_value, reason = "callers write json!({…}) in place")]
    pub fn body(self, body: Value) -> Self {
        self.body_bytes("application/json", body.to_string())
    }

    /// A body of any type, with a Content-Length.
    pub fn body_bytes(mut self, content_type: &str, bytes: impl Into<Vec<u8>>) -> Self {
        self.body = Body::Raw { content_type: content_type.into(), bytes: bytes.into(), chunked: false };
        self
    }
}

/// How it is streamed.
impl Reply {
    /// Characters per text and thinking delta; 16 by default.
    pub fn delta_size(mut self, characters: usize) -> Self {
        self.delta_size = characters.max(1);
        self
    }

    /// Characters per argument fragment; by default fragments of changing, awkward sizes.
    pub fn argument_size(mut self, characters: usize) -> Self {
        self.argument_size = Some(characters.max(1));
        self
    }

    /// Chat Completions: argument fragments of parallel calls take turns instead of following each other.
    pub fn interleave(mut self, on: bool) -> Self {
        self.interleave = on;
        self
    }

    pub fn split(mut self, split: Split) -> Self {
        self.split = split;
        self
    }

    /// SSE with CRLF line ends.
    pub fn crlf(mut self, on: bool) -> Self {
        self.crlf = on;
        self
    }

    /// `: ping` comment lines everywhere and, on the Anthropic wire, `ping` events.
    pub fn comments(mut self, on: bool) -> Self {
        self.comments = on;
        self
    }

    /// Silence before the status line.
    pub fn delay_before(mut self, delay: Duration) -> Self {
        self.delay_before = delay;
        self
    }

    /// Silence after this many bytes of the body. May be given several times.
    pub fn stall_after_bytes(mut self, bytes: usize, pause: Duration) -> Self {
        self.stalls.push((BodyPosition::Bytes(bytes), pause));
        self
    }

    /// Silence after this many events of the body. May be given several times.
    pub fn stall_after_event(mut self, events: usize, pause: Duration) -> Self {
        self.stalls.push((BodyPosition::Event(events), pause));
        self
    }

    /// Closes the socket after this many bytes of the body.
    pub fn drop_after_bytes(mut self, bytes: usize) -> Self {
        self.cutoff = Some((BodyPosition::Bytes(bytes), Cutoff::Drop));
        self
    }

    /// Closes the socket after this many events; 0 is after the response head.
    pub fn drop_after_event(mut self, events: usize) -> Self {
        self.cutoff = Some((BodyPosition::Event(events), Cutoff::Drop));
        self
    }

    /// Resets the connection after this many bytes of the body, as a router does that forgot it.
    pub fn reset_after_bytes(mut self, bytes: usize) -> Self {
        self.cutoff = Some((BodyPosition::Bytes(bytes), Cutoff::Reset));
        self
    }

    /// Ends the HTTP body properly after this many bytes, as a proxy does that lost its upstream.
    pub fn end_after_bytes(mut self, bytes: usize) -> Self {
        self.cutoff = Some((BodyPosition::Bytes(bytes), Cutoff::End));
        self
    }

    /// Ends the HTTP body properly after this many events.
    pub fn end_after_event(mut self, events: usize) -> Self {
        self.cutoff = Some((BodyPosition::Event(events), Cutoff::End));
        self
    }

    pub(crate) fn effective_stop(&self) -> Stop {
        let implied = if self.parts.iter().any(ReplyPart::is_call) { Stop::ToolUse } else { Stop::Stop };
        self.stop.unwrap_or(implied)
    }
}
