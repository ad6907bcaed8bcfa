//! Scenarios from JSON files; the format is in the crate documentation.

use super::reply::{Reply, ReplyPart, Split, Stop, Usage};
use super::scenario::Scenario;
use serde::Deserialize;
use serde_json::Value;
use std::collections::BTreeMap;
use std::fmt;
use std::path::Path;
use std::time::Duration;

/// Why a scenario file was not understood: names the file, and the line for a mistake in it.
#[derive(Debug)]
pub struct ScenarioError(String);

impl fmt::Display for ScenarioError {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str(&self.0)
    }
}

impl std::error::Error for ScenarioError {}

impl Scenario {
    /// Reads a scenario file; the format is in the crate documentation.
    pub fn from_json_file(path: impl AsRef<Path>) -> Result<Self, ScenarioError> {
        let path = path.as_ref();
        let named = |error: &dyn fmt::Display| ScenarioError(format!("{}: {error}", path.display()));
        let text = std::fs::read_to_string(path).map_err(|error| named(&error))?;
        Self::from_json(&text).map_err(|error| named(&error))
    }

    /// Reads a scenario from JSON text.
    pub fn from_json(text: &str) -> Result<Self, ScenarioError> {
        let file: ScenarioFile =
            serde_json::from_str(text).map_err(|error| ScenarioError(error.to_string()))?;
        Ok(file.into_scenario())
    }
}

#[derive(Deserialize)]
#[serde(deny_unknown_fields)]
struct ScenarioFile {
    #[serde(default)]
    keyless: bool,
    expect_key: Option<String>,
    #[serde(default)]
    lenient: bool,
    #[serde(default)]
    repeat: bool,
    #[serde(default)]
    require_stable_prefix: bool,
    models: Option<Vec<String>>,
    ollama: Option<Vec<String>>,
    #[serde(default)]
    allow_fields: Vec<String>,
    secret: Option<String>,
    id_seed: Option<String>,
    replies: Vec<ReplyFile>,
}

impl ScenarioFile {
    fn into_scenario(self) -> Scenario {
        let mut scenario = Scenario::replies(self.replies.into_iter().map(ReplyFile::into_reply))
            .keyless(self.keyless)
            .lenient(self.lenient)
            .repeat(self.repeat)
            .require_stable_prefix(self.require_stable_prefix);
        scenario.rules.expect_key = self.expect_key;
        scenario.rules.allow_fields = self.allow_fields;
        scenario.models = self.models.unwrap_or(scenario.models);
        scenario.ollama = self.ollama;
        scenario.secret = self.secret;
        scenario.id_seed = self.id_seed;
        scenario
    }
}

#[derive(Deserialize, Default)]
#[serde(default, deny_unknown_fields)]
struct ReplyFile {
    content: Vec<PartFile>,
    text: Option<String>,
    thinking: Option<String>,
    tool_call: Option<CallFile>,
    usage: Option<Usage>,
    stop: Option<Stop>,
    stop_raw: Option<String>,
    error: Option<ErrorFile>,
    status: Option<u16>,
    headers: BTreeMap<String, String>,
    body: Option<Value>,
    raw: Option<RawFile>,
    split: Option<SplitFile>,
    delta_size: Option<usize>,
    argument_size: Option<usize>,
    interleave: bool,
    crlf: bool,
    comments: bool,
    delay_before_ms: u64,
    stall: Vec<StallFile>,
    drop_after_bytes: Option<usize>,
    drop_after_event: Option<usize>,
    reset_after_bytes: Option<usize>,
    end_after_bytes: Option<usize>,
    end_after_event: Option<usize>,
}

#[derive(Deserialize)]
#[serde(rename_all = "snake_case", deny_unknown_fields)]
enum PartFile {
    Text(String),
    Thinking(String),
    RedactedThinking(bool),
    TextDeltas { count: usize, token: String },
    ToolCall(CallFile),
    CustomToolCall { name: String, input: String },
    AnthropicBlock(Value),
}

/// `arguments` as a string is sent as it is, broken JSON included.
#[derive(Deserialize)]
#[serde(deny_unknown_fields)]
struct CallFile {
    name: String,
    #[serde(default)]
    arguments: Value,
    id: Option<String>,
}

#[derive(Deserialize)]
#[serde(deny_unknown_fields)]
struct ErrorFile {
    r#type: String,
    message: String,
}

#[derive(Deserialize)]
#[serde(deny_unknown_fields)]
struct RawFile {
    content_type: String,
    body: String,
}

#[derive(Deserialize)]
#[serde(rename_all = "snake_case")]
enum SplitFile {
    Whole,
    EveryByte,
    Chunks(usize),
    At(Vec<usize>),
}

#[derive(Deserialize)]
#[serde(deny_unknown_fields)]
struct StallFile {
    after_bytes: Option<usize>,
    after_event: Option<usize>,
    ms: u64,
}

impl ReplyFile {
    fn into_reply(mut self) -> Reply {
        let mut reply = self.base();
        for (name, value) in &self.headers {
            reply = reply.header(name, value);
        }
        for part in self.parts() {
            reply = reply.part(part);
        }
        reply.usage = self.usage.unwrap_or(reply.usage);
        reply.stop = self.stop;
        reply.stop_raw = self.stop_raw.take();
        reply.error = self.error.take().map(|error| (error.r#type, error.message));
        reply.delta_size = self.delta_size.unwrap_or(reply.delta_size).max(1);
        reply.argument_size = self.argument_size.map(|size| size.max(1));
        reply.interleave = self.interleave;
        self.delivery(reply)
    }

    fn base(&mut self) -> Reply {
        let reply = match (self.raw.take(), self.status) {
            (Some(raw), _) => Reply::raw(&raw.content_type, raw.body),
            (None, Some(status)) => Reply::status(status),
            (None, None) => Reply::new(),
        };
        match self.body.take() {
            Some(body) => reply.body(body),
            None => reply,
        }
    }

    fn parts(&mut self) -> Vec<ReplyPart> {
        let thinking = self.thinking.take().map(ReplyPart::Thinking);
        let text = self.text.take().map(ReplyPart::Text);
        let call = self.tool_call.take().map(CallFile::into_part);
        let listed = std::mem::take(&mut self.content).into_iter().filter_map(PartFile::into_part);
        thinking.into_iter().chain(text).chain(listed).chain(call).collect()
    }

    fn delivery(self, mut reply: Reply) -> Reply {
        reply = reply.crlf(self.crlf).comments(self.comments);
        reply = reply.delay_before(Duration::from_millis(self.delay_before_ms));
        if let Some(split) = self.split {
            reply = reply.split(match split {
                SplitFile::Whole => Split::Whole,
                SplitFile::EveryByte => Split::EveryByte,
                SplitFile::Chunks(size) => Split::Chunks(size),
                SplitFile::At(offsets) => Split::At(offsets),
            });
        }
        for stall in self.stall {
            let pause = Duration::from_millis(stall.ms);
            reply = match (stall.after_bytes, stall.after_event) {
                (Some(bytes), _) => reply.stall_after_bytes(bytes, pause),
                (None, events) => reply.stall_after_event(events.unwrap_or_default(), pause),
            };
        }
        let reply = self.drop_after_bytes.into_iter().fold(reply, Reply::drop_after_bytes);
        let reply = self.drop_after_event.into_iter().fold(reply, Reply::drop_after_event);
        let reply = self.reset_after_bytes.into_iter().fold(reply, Reply::reset_after_bytes);
        let reply = self.end_after_bytes.into_iter().fold(reply, Reply::end_after_bytes);
        self.end_after_event.into_iter().fold(reply, Reply::end_after_event)
    }
}

impl PartFile {
    fn into_part(self) -> Option<ReplyPart> {
        Some(match self {
            Self::Text(text) => ReplyPart::Text(text),
            Self::Thinking(text) => ReplyPart::Thinking(text),
            Self::RedactedThinking(true) => ReplyPart::RedactedThinking,
            Self::RedactedThinking(false) => return None,
            Self::TextDeltas { count, token } => ReplyPart::TextDeltas { count, token },
            Self::ToolCall(call) => call.into_part(),
            Self::CustomToolCall { name, input } => ReplyPart::CustomToolCall { name, input },
            Self::AnthropicBlock(block) => ReplyPart::AnthropicBlock(block),
        })
    }
}

impl CallFile {
    fn into_part(self) -> ReplyPart {
        let arguments = match self.arguments {
            Value::String(raw) => raw,
            Value::Null => "{}".to_owned(),
            other => other.to_string(),
        };
        ReplyPart::ToolCall { name: self.name, arguments, id: self.id }
    }
}
