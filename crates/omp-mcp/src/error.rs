//! What can go wrong with a server, each in one sentence.

use std::time::Duration;

/// Why there is no connection.
#[derive(Clone, Debug, PartialEq, Eq, thiserror::Error)]
pub enum ConnectError {
    #[error("cannot start {command}: {reason}")]
    Start { command: String, reason: String },
    /// The process ended, or the connection broke, before the server was ready.
    #[error("the server closed the connection during startup{detail}")]
    Closed { detail: String },
    #[error("no answer within {} (set \"timeout\" to wait longer)", seconds(*.0))]
    TimedOut(Duration),
    #[error("the server requires a login")]
    NeedsLogin {
        /// What the server said about how to log in.
        challenge: String,
    },
    #[error("access denied: {0}")]
    Denied(String),
    #[error("{0}")]
    Http(String),
    #[error("cannot reach {address}: {reason}")]
    Unreachable { address: String, reason: String },
    #[error("no common protocol revision: the server speaks {server}, omp speaks {ours}")]
    Revision { server: String, ours: String },
    #[error("the server refused the connection: {0}")]
    Refused(String),
    #[error("the server does not speak MCP: {0}")]
    Nonsense(String),
    #[error("login failed: {0}")]
    Login(String),
    #[error("the connection was cancelled")]
    Cancelled,
}

impl ConnectError {
    /// Whether an automatic retry makes sense.
    pub fn is_passing(&self) -> bool {
        matches!(self, Self::Closed { .. } | Self::TimedOut(_) | Self::Http(_) | Self::Unreachable { .. })
    }
}

/// Why a request to a server has no result.
#[derive(Clone, Debug, PartialEq, Eq, thiserror::Error)]
pub enum CallError {
    /// The server answered with an error.
    #[error("MCP error {code}: {message}")]
    Answer { code: i32, message: String },
    #[error("Transport closed")]
    Closed,
    #[error("{0}")]
    Transport(String),
    #[error("request timed out after {}", seconds(*.0))]
    TimedOut(Duration),
    #[error("the request was cancelled")]
    Cancelled,
    #[error("the server requires a login")]
    NeedsLogin { challenge: String },
    #[error("the server requires more permissions: {}", .scope.as_deref().unwrap_or("it does not say which"))]
    NeedsScope { scope: Option<String>, challenge: String },
    #[error("the server sent an invalid response: {0}")]
    Nonsense(String),
    #[error("the server kept asking: {0} rounds of questions without a result")]
    Rounds(usize),
    #[error("no server named \"{0}\" is configured")]
    Unknown(String),
    #[error("Server \"{0}\" is disabled. Run /mcp enable {0} first.")]
    Disabled(String),
    #[error("{server} is not connected: {reason}")]
    NotConnected { server: String, reason: String },
    #[error("the result does not match the tool's output schema: {0}")]
    Schema(String),
    #[error("the server does not support {0}")]
    Unsupported(&'static str),
}

impl CallError {
    /// Whether a new connection could help.
    pub fn is_connection(&self) -> bool {
        matches!(self, Self::Closed | Self::Transport(_))
    }
}

fn seconds(duration: Duration) -> String {
    match duration.subsec_millis() {
        0 => format!("{} s", duration.as_secs()),
        _ => format!("{} ms", duration.as_millis()),
    }
}
