//! Requests beside a conversation.

use serde::{Deserialize, Serialize};

use crate::usage::Usage;

/// A request that a session made beside its conversation: a summary, a name, a question on the side. It is no part of the
/// conversation, so it is not in the session file.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize)]
#[serde(rename_all = "camelCase", tag = "type", rename = "side_request")]
pub struct SideRequest {
    /// Unique among all requests of all sessions.
    pub id: String,
    /// When it was made, in milliseconds since 1970.
    pub at: u64,
    /// How long the answer took, in milliseconds.
    pub duration_ms: u64,
    pub provider: String,
    pub model: String,
    pub stop_reason: String,
    pub usage: Usage,
}

impl SideRequest {
    /// The file among a session's artifacts that has one of them a line, below a line with the session's id and directory.
    pub const FILE: &'static str = "side-requests.log";
}
