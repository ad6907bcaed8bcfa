use serde::{Deserialize, Serialize};

/// Why a conversation is made shorter.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash, Serialize, Deserialize)]
#[serde(rename_all = "lowercase")]
pub enum CompactionReason {
    /// The user asked for it.
    Manual,
    /// A turn left more behind than the threshold.
    Threshold,
    /// The provider refused a request that did not fit.
    Overflow,
    /// The answer was cut off.
    Incomplete,
    /// Nothing happened for a while.
    Idle,
}

/// How a conversation is made shorter.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, Hash, Serialize, Deserialize)]
#[serde(rename_all = "kebab-case")]
pub enum CompactionStrategy {
    /// A model sums it up, in the same session.
    #[default]
    ContextFull,
    /// A model writes a document that a new session begins with.
    Handoff,
    /// Heavy parts are taken out; artifacts keep them.
    Shake,
    /// It is printed on pictures.
    Snapcompact,
    /// Nothing happens by itself.
    Off,
}

impl CompactionStrategy {
    /// The strategy of a word in the settings.
    pub fn from_word(word: &str) -> Option<Self> {
        Some(match word {
            "context-full" => Self::ContextFull,
            "handoff" => Self::Handoff,
            "shake" => Self::Shake,
            "snapcompact" => Self::Snapcompact,
            "off" => Self::Off,
            _ => return None,
        })
    }
}

/// What a compaction made of a conversation.
#[derive(Clone, Debug, Default, PartialEq, Eq, Serialize, Deserialize)]
#[serde(rename_all = "camelCase")]
pub struct CompactionResult {
    /// The entry of the session.
    pub entry_id: String,
    /// What stands for the messages that went.
    pub summary: String,
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub short_summary: Option<String>,
    /// The first entry that is still sent as it was.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub first_kept_entry_id: Option<String>,
    /// Tokens of the conversation before.
    pub tokens_before: u64,
    /// Tokens of the conversation after, as far as they can be told.
    pub tokens_after: u64,
}
