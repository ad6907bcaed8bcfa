//! The entries of a session file.

use std::sync::Arc;

use omp_types::{CustomMessage, Message, Usage, UserContent};
use serde::{Deserialize, Serialize, Serializer};
use serde_json::{Map, Value, json};

use crate::envelope::{self, Envelope};
use crate::{foreign, message, time};

/// One line below the header.
#[derive(Clone, Debug, PartialEq)]
pub struct Entry {
    /// Unique in its session.
    pub id: String,
    /// `None` for the first entry of a tree.
    pub parent_id: Option<String>,
    /// ISO 8601, UTC, milliseconds.
    pub timestamp: String,
    pub kind: EntryKind,
}

/// What an entry is to those that follow it.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) enum EntryRole {
    /// Nothing beyond what it says.
    Record,
    /// It holds until the next of its type.
    Setting,
    /// What is before it is told in other words, or not at all.
    Boundary,
}

/// The table of entry types: name in the file, name here, fields, role.
macro_rules! entry_kinds {
    ($($name:literal => $kind:ident($fields:ident) is $role:ident,)+) => {
        /// What an entry says.
        #[derive(Clone, Debug, PartialEq)]
        pub enum EntryKind {
            $($kind($fields),)+
            /// A type, or a form of a known type, that this version cannot read: the whole line as it was found.
            Unknown(Value),
        }

        impl EntryKind {
            /// The types this version reads and writes.
            pub const NAMES: &[&str] = &[$($name),+];

            /// The entry's `type`.
            pub fn name(&self) -> &str {
                match self {
                    $(Self::$kind(_) => $name,)+
                    Self::Unknown(line) => line["type"].as_str().unwrap_or_default(),
                }
            }

            /// What an entry of that type is to those that follow it.
            pub(crate) fn role(name: &str) -> EntryRole {
                match name {
                    $($name => EntryRole::$role,)+
                    _ => EntryRole::Record,
                }
            }

            fn read(name: &str, fields: Value) -> Option<Self> {
                match name {
                    $($name => serde_json::from_value(fields).ok().map(Self::$kind),)+
                    _ => None,
                }
            }

            /// Reads the fields in place: images may make a line large. `None` for a type, or a form of a known type, that
            /// this version cannot read.
            pub fn read_in_place(name: &str, line: &Value) -> Option<Self> {
                match name {
                    $($name => $fields::deserialize(line).ok().map(Self::$kind),)+
                    _ => None,
                }
            }
        }

        impl Serialize for EntryKind {
            /// The fields alone; [`Entry`] writes the type in front of them.
            fn serialize<S: Serializer>(&self, serializer: S) -> Result<S::Ok, S::Error> {
                match self {
                    $(Self::$kind(fields) => fields.serialize(serializer),)+
                    Self::Unknown(line) => line.serialize(serializer),
                }
            }
        }
    };
}

entry_kinds! {
    "message" => Message(MessageEntry) is Record,
    "thinking_level_change" => ThinkingLevelChange(ThinkingLevelChange) is Setting,
    "model_change" => ModelChange(ModelChange) is Setting,
    "service_tier_change" => ServiceTierChange(ServiceTierChange) is Setting,
    "compaction" => Compaction(Compaction) is Boundary,
    "branch_summary" => BranchSummary(BranchSummary) is Record,
    "custom" => Custom(Custom) is Record,
    "custom_message" => CustomMessage(CustomMessageEntry) is Record,
    "label" => Label(Label) is Record,
    "ttsr_injection" => TtsrInjection(TtsrInjection) is Setting,
    "session_init" => SessionInit(SessionInit) is Record,
    "mode_change" => ModeChange(ModeChange) is Setting,
    "mcp_tool_selection" => McpToolSelection(McpToolSelection) is Setting,
    "reset_boundary" => ResetBoundary(ResetBoundary) is Boundary,
    "title_change" => TitleChange(TitleChange) is Record,
    "model_usage" => ModelUsage(ModelUsage) is Record,
}

/// What the user, the model or a tool said.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize)]
pub struct MessageEntry {
    #[serde(deserialize_with = "message::read", serialize_with = "message::write")]
    pub message: Arc<Message>,
}

/// From here on the model thinks this hard.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize)]
#[serde(rename_all = "camelCase")]
pub struct ThinkingLevelChange {
    #[serde(deserialize_with = "foreign::thinking_level", default = "foreign::no_thinking")]
    pub thinking_level: String,
    /// What was chosen, where the program makes the level of it; later releases write it.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub configured: Option<String>,
}

impl ThinkingLevelChange {
    /// What holds from here on: the choice, or the level where nothing else was chosen.
    pub fn chosen(&self) -> &str {
        self.configured.as_deref().unwrap_or(&self.thinking_level)
    }
}

/// From here on another model answers.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize)]
#[serde(rename_all = "camelCase")]
pub struct ModelChange {
    /// `provider/modelId`.
    pub model: String,
    /// Which of the session's models changed; `default` when missing.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub role: Option<String>,
}

/// From here on requests ask for another service tier.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize)]
#[serde(rename_all = "camelCase")]
pub struct ServiceTierChange {
    /// `None`, written as `null`, clears the tier.
    #[serde(deserialize_with = "foreign::service_tier")]
    pub service_tier: Option<String>,
}

/// The conversation before `first_kept_entry_id` is replaced by a summary.
#[derive(Clone, Debug, Default, PartialEq, Serialize, Deserialize)]
#[serde(rename_all = "camelCase")]
pub struct Compaction {
    pub summary: String,
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub short_summary: Option<String>,
    /// `None` when nothing before the compaction is kept.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub first_kept_entry_id: Option<String>,
    #[serde(default)]
    pub tokens_before: u64,
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub details: Option<Value>,
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub preserve_data: Option<Value>,
    #[serde(default, skip_serializing_if = "std::ops::Not::not")]
    pub from_extension: bool,
}

/// What happened on a branch that was left.
#[derive(Clone, Debug, Default, PartialEq, Serialize, Deserialize)]
#[serde(rename_all = "camelCase")]
pub struct BranchSummary {
    /// The entry the branch was left for; [`BranchSummary::ROOT`] before the first one.
    pub from_id: String,
    pub summary: String,
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub details: Option<Value>,
    #[serde(default, skip_serializing_if = "std::ops::Not::not")]
    pub from_extension: bool,
}

impl BranchSummary {
    /// Stands for the place before the first entry.
    pub const ROOT: &str = "root";
}

/// State of an extension; no model sees it.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize)]
#[serde(rename_all = "camelCase")]
pub struct Custom {
    pub custom_type: String,
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub data: Option<Value>,
}

/// A message that the program or an extension wrote, for the model to read.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize)]
#[serde(rename_all = "camelCase")]
pub struct CustomMessageEntry {
    pub custom_type: String,
    pub content: UserContent,
    /// Is it drawn in the chat?
    #[serde(default)]
    pub display: bool,
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub details: Option<Value>,
    #[serde(default)]
    pub attribution: Attribution,
}

/// Who is behind a custom message.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, Serialize, Deserialize)]
#[serde(rename_all = "lowercase", from = "String")]
pub enum Attribution {
    User,
    #[default]
    Agent,
}

impl From<String> for Attribution {
    fn from(name: String) -> Self {
        if name == "user" { Self::User } else { Self::Agent }
    }
}

/// A name for an entry, for people to find it by.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize)]
#[serde(rename_all = "camelCase")]
pub struct Label {
    pub target_id: String,
    /// `None` takes the label away.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub label: Option<String>,
}

/// Rules that were told to the model in the middle of an answer.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize)]
#[serde(rename_all = "camelCase")]
pub struct TtsrInjection {
    pub injected_rules: Vec<String>,
}

/// How a sub-agent was started.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize)]
#[serde(rename_all = "camelCase")]
pub struct SessionInit {
    pub system_prompt: String,
    pub task: String,
    pub tools: Vec<String>,
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub output_schema: Option<Value>,
}

/// From here on the session is in another mode, such as planning.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize)]
#[serde(rename_all = "camelCase")]
pub struct ModeChange {
    pub mode: String,
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub data: Option<Value>,
}

/// From here on these discovered tools are offered to the model.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize)]
#[serde(rename_all = "camelCase")]
pub struct McpToolSelection {
    pub selected_tool_names: Vec<String>,
}

/// The conversation before it is no longer told to the model. Later releases write it where the user clears the context.
#[derive(Clone, Debug, Default, PartialEq, Eq, Serialize, Deserialize)]
pub struct ResetBoundary {}

/// The session got another name. Later releases write it with each name.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize)]
#[serde(rename_all = "camelCase")]
pub struct TitleChange {
    pub title: String,
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub previous_title: Option<String>,
    /// Who named the session, as in the header.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub source: Option<String>,
    /// What the program was doing when it chose the name.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub trigger: Option<String>,
}

/// What a request beside the conversation took, such as one for a title. Later releases write it; omp keeps its own in a file
/// beside the session ([`crate::side_requests`]).
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize)]
#[serde(rename_all = "camelCase")]
pub struct ModelUsage {
    /// What was asked for.
    pub purpose: String,
    pub provider: String,
    pub model: String,
    pub usage: Usage,
    /// The role that chose the model, the wire it was reached on, how the request ended.
    #[serde(flatten)]
    pub others: Map<String, Value>,
}

impl Entry {
    /// Reads a line; `None` if it is not an entry at all, which needs an object with a type and an id.
    pub(crate) fn read(line: &[u8]) -> Option<Self> {
        if let Some(entry) = Self::read_whole(line) {
            return Some(entry);
        }
        // A text cut in the middle of a character is no reason to lose the message around it.
        envelope::mended(line)
            .and_then(|line| Self::read_whole(line.as_bytes()))
            .or_else(|| Self::read_outside(line))
    }

    fn read_whole(line: &[u8]) -> Option<Self> {
        let mut fields: Map<String, Value> = serde_json::from_slice(line).ok()?;
        let name = take_text(&mut fields, "type")?;
        let id = take_text(&mut fields, "id")?;
        let parent_id = take_text(&mut fields, "parentId");
        let timestamp = take_text(&mut fields, "timestamp").unwrap_or_default();
        let kind = EntryKind::read(&name, Value::Object(fields));
        // Reading takes the fields apart, so a line that was not understood is read again, whole.
        let kind = kind.or_else(|| serde_json::from_slice(line).ok().map(EntryKind::Unknown))?;
        Some(Self { id, parent_id, timestamp, kind })
    }

    /// Of a line with values that nobody can hold, such as numbers out of range, its place in the tree is kept.
    fn read_outside(line: &[u8]) -> Option<Self> {
        let Envelope { name, id, parent_id, timestamp, .. } = Envelope::read(line)?;
        let line = json!({"type": name, "id": id, "parentId": parent_id, "timestamp": timestamp});
        Some(Self { id, parent_id, timestamp: timestamp.unwrap_or_default(), kind: EntryKind::Unknown(line) })
    }

    pub(crate) fn line(&self) -> Vec<u8> {
        let mut line = serde_json::to_vec(self).expect("an entry is plain data");
        line.push(b'\n');
        line
    }

    /// Is the entry for people? Settings and what the program tells the model alone are not.
    pub fn is_drawn(&self) -> bool {
        match &self.kind {
            EntryKind::Message(entry) => {
                !matches!(&*entry.message, Message::Custom(custom) if !custom.display)
            }
            EntryKind::CustomMessage(custom) => custom.display,
            EntryKind::Compaction(_) | EntryKind::BranchSummary(_) => true,
            _ => false,
        }
    }

    /// The message of a `message` entry.
    pub fn message(&self) -> Option<&Arc<Message>> {
        match &self.kind {
            EntryKind::Message(entry) => Some(&entry.message),
            _ => None,
        }
    }
}

/// Takes a text out of an object; something else under its name is dropped.
pub(crate) fn take_text(fields: &mut Map<String, Value>, name: &str) -> Option<String> {
    match fields.remove(name)? {
        Value::String(text) => Some(text),
        _ => None,
    }
}

impl Serialize for Entry {
    fn serialize<S: Serializer>(&self, serializer: S) -> Result<S::Ok, S::Error> {
        #[derive(Serialize)]
        #[serde(rename_all = "camelCase")]
        struct Line<'a> {
            r#type: &'a str,
            id: &'a str,
            parent_id: Option<&'a str>,
            timestamp: &'a str,
            #[serde(flatten)]
            fields: &'a EntryKind,
        }
        if let EntryKind::Unknown(line) = &self.kind {
            return line.serialize(serializer);
        }
        let line = Line {
            r#type: self.kind.name(),
            id: &self.id,
            parent_id: self.parent_id.as_deref(),
            timestamp: &self.timestamp,
            fields: &self.kind,
        };
        line.serialize(serializer)
    }
}

impl From<&CustomMessage> for CustomMessageEntry {
    fn from(message: &CustomMessage) -> Self {
        Self {
            custom_type: message.custom_type.clone(),
            content: message.content.clone(),
            display: message.display,
            details: message.details.clone(),
            attribution: Attribution::Agent,
        }
    }
}

impl CustomMessageEntry {
    /// The message the model reads, as of the entry's time.
    pub(crate) fn message(&self, timestamp: &str) -> Message {
        Message::Custom(CustomMessage {
            custom_type: self.custom_type.clone(),
            content: self.content.clone(),
            display: self.display,
            details: self.details.clone(),
            timestamp: time::to_millis(timestamp),
        })
    }
}
