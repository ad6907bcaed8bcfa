use serde::{Deserialize, Serialize};
use serde_json::{Map, Value};

use crate::Usage;

/// One entry of a conversation, in the form that session files keep.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize)]
#[serde(tag = "role", rename_all = "camelCase")]
pub enum Message {
    User(UserMessage),
    Assistant(AssistantMessage),
    ToolResult(ToolResultMessage),
    /// A message that the program wrote: reminders, asides, background results. The model reads it as user
    /// input; people see it only when `display` is set.
    Custom(CustomMessage),
}

#[derive(Clone, Debug, PartialEq, Serialize, Deserialize)]
#[serde(rename_all = "camelCase")]
pub struct UserMessage {
    pub content: UserContent,
    /// The user sent this while a run was in progress; the wire copy is wrapped so that the model notices.
    #[serde(default, skip_serializing_if = "std::ops::Not::not")]
    pub steering: bool,
    /// What one model reads in the place of this message.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub sealed: Option<Box<SealedHistory>>,
    #[serde(default)]
    pub timestamp: u64,
}

/// A part of a conversation that a provider put into a form of its own. Only the model it was made for can read it; all
/// others read the words of the message that carries it.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize)]
#[serde(rename_all = "camelCase")]
pub struct SealedHistory {
    /// The wire, the provider and the model that can read it.
    pub api: String,
    pub provider: String,
    pub model: String,
    /// The provider's items, as they came.
    pub items: Vec<Value>,
    /// How long it is, as the provider counted it.
    #[serde(default)]
    pub tokens: u64,
    /// What the model reads after the items.
    #[serde(default)]
    pub note: String,
}

/// A user message is a plain string or a list of blocks; both forms occur in session files.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize)]
#[serde(untagged)]
pub enum UserContent {
    Text(String),
    Blocks(Vec<UserBlock>),
}

#[derive(Clone, Debug, PartialEq, Serialize, Deserialize)]
#[serde(tag = "type", rename_all = "camelCase")]
pub enum UserBlock {
    Text(TextBlock),
    Image(ImageBlock),
}

#[derive(Clone, Debug, Default, PartialEq, Serialize, Deserialize)]
#[serde(rename_all = "camelCase")]
pub struct TextBlock {
    pub text: String,
    /// Provider's identity of this block (Responses message item id), replayed to the same model only.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub text_signature: Option<String>,
}

#[derive(Clone, Debug, PartialEq, Serialize, Deserialize)]
#[serde(rename_all = "camelCase")]
pub struct ImageBlock {
    /// Base64, without a `data:` prefix.
    pub data: String,
    pub mime_type: String,
    /// How closely a model should look, where its provider lets one say so.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub detail: Option<ImageDetail>,
}

/// How closely a model should look at an image.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Serialize, Deserialize)]
#[serde(rename_all = "lowercase")]
pub enum ImageDetail {
    /// Pixel by pixel: the image is text, and must not be made smaller.
    Original,
}

#[derive(Clone, Debug, PartialEq, Serialize, Deserialize)]
#[serde(rename_all = "camelCase")]
pub struct AssistantMessage {
    pub content: Vec<AssistantBlock>,
    pub api: String,
    pub provider: String,
    pub model: String,
    /// The provider's own id of the answer.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub response_id: Option<String>,
    #[serde(default)]
    pub usage: Usage,
    pub stop_reason: StopReason,
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub error_message: Option<String>,
    #[serde(default)]
    pub timestamp: u64,
}

#[derive(Clone, Debug, PartialEq, Serialize, Deserialize)]
#[serde(tag = "type", rename_all = "camelCase")]
pub enum AssistantBlock {
    Text(TextBlock),
    Thinking(ThinkingBlock),
    RedactedThinking(RedactedBlock),
    ToolCall(ToolCall),
    /// A block only the provider that made it understands (server tools and their results), kept verbatim.
    Native(NativeBlock),
}

#[derive(Clone, Debug, Default, PartialEq, Serialize, Deserialize)]
#[serde(rename_all = "camelCase")]
pub struct ThinkingBlock {
    pub thinking: String,
    /// What the provider needs to accept the block again: a signature, or a whole encrypted reasoning item.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub thinking_signature: Option<String>,
}

#[derive(Clone, Debug, PartialEq, Serialize, Deserialize)]
#[serde(rename_all = "camelCase")]
pub struct RedactedBlock {
    pub data: String,
}

#[derive(Clone, Debug, PartialEq, Serialize, Deserialize)]
#[serde(rename_all = "camelCase")]
pub struct ToolCall {
    pub id: String,
    pub name: String,
    /// Always an object once complete. Arguments that were not a JSON object are kept in `invalid_arguments`.
    pub arguments: Map<String, Value>,
    /// The raw text of arguments that did not parse; such a call is answered with an error, never run.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub invalid_arguments: Option<String>,
    /// Wire identity beyond the id (Responses item id, Google thought signature), replayed verbatim.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub thought_signature: Option<String>,
    /// Why the model makes the call, taken out of the arguments before the tool sees them.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub intent: Option<String>,
    /// The call came through a free-text tool; `arguments` is `{input: <raw>}`.
    #[serde(default, skip_serializing_if = "std::ops::Not::not")]
    pub custom: bool,
}

#[derive(Clone, Debug, PartialEq, Serialize, Deserialize)]
#[serde(rename_all = "camelCase")]
pub struct NativeBlock {
    /// The `api` whose wire this block belongs to.
    pub api: String,
    pub value: Value,
}

#[derive(Clone, Copy, Debug, PartialEq, Eq, Serialize, Deserialize)]
#[serde(rename_all = "camelCase")]
pub enum StopReason {
    Stop,
    Length,
    ToolUse,
    Error,
    Aborted,
    /// The provider paused a long turn; the same conversation is sent again to continue it.
    Pause,
}

#[derive(Clone, Debug, PartialEq, Serialize, Deserialize)]
#[serde(rename_all = "camelCase")]
pub struct ToolResultMessage {
    pub tool_call_id: String,
    pub tool_name: String,
    pub content: Vec<UserBlock>,
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub details: Option<Value>,
    pub is_error: bool,
    #[serde(default)]
    pub timestamp: u64,
}

#[derive(Clone, Debug, PartialEq, Serialize, Deserialize)]
#[serde(rename_all = "camelCase")]
pub struct CustomMessage {
    pub custom_type: String,
    pub content: UserContent,
    pub display: bool,
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub details: Option<Value>,
    #[serde(default)]
    pub timestamp: u64,
}

impl UserBlock {
    pub fn text(text: impl Into<String>) -> Self {
        Self::Text(TextBlock { text: text.into(), text_signature: None })
    }

    pub fn as_text(&self) -> Option<&str> {
        match self {
            Self::Text(block) => Some(&block.text),
            Self::Image(_) => None,
        }
    }
}

impl UserContent {
    /// All text of the content; blocks are joined by newlines.
    pub fn text(&self) -> String {
        match self {
            Self::Text(text) => text.clone(),
            Self::Blocks(blocks) => {
                blocks.iter().filter_map(UserBlock::as_text).collect::<Vec<_>>().join("\n")
            }
        }
    }
}

impl Message {
    pub fn user(text: impl Into<String>, timestamp: u64) -> Self {
        Self::User(UserMessage {
            content: UserContent::Text(text.into()),
            steering: false,
            sealed: None,
            timestamp,
        })
    }

    pub fn as_assistant(&self) -> Option<&AssistantMessage> {
        match self {
            Self::Assistant(message) => Some(message),
            _ => None,
        }
    }

    pub fn as_tool_result(&self) -> Option<&ToolResultMessage> {
        match self {
            Self::ToolResult(message) => Some(message),
            _ => None,
        }
    }
}

/// The mark of a result that said nothing, in its details.
pub(crate) const USELESS: &str = "useless";

impl ToolResultMessage {
    /// Did the call come to nothing? An error never does: it says something.
    pub fn is_useless(&self) -> bool {
        let marked = |details: &Value| details.get(USELESS).and_then(Value::as_bool);
        !self.is_error && self.details.as_ref().and_then(marked).unwrap_or_default()
    }
}

impl AssistantMessage {
    pub fn tool_calls(&self) -> impl Iterator<Item = &ToolCall> {
        self.content.iter().filter_map(|block| match block {
            AssistantBlock::ToolCall(call) => Some(call),
            _ => None,
        })
    }

    /// The visible text blocks, in order.
    pub fn texts(&self) -> impl Iterator<Item = &str> {
        self.content.iter().filter_map(|block| match block {
            AssistantBlock::Text(text) => Some(text.text.as_str()),
            _ => None,
        })
    }

    pub fn has_visible_text(&self) -> bool {
        self.texts().any(|text| !text.trim().is_empty())
    }
}
