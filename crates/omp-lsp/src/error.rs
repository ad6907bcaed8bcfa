//! What can go wrong with a language server.

/// Why a server gave no answer.
#[derive(Clone, Debug, PartialEq, Eq, thiserror::Error)]
pub enum LspError {
    /// The server answered with an error of its own.
    #[error("{message}")]
    Answer { code: i64, message: String },
    #[error("LSP request {method} timed out after {milliseconds}ms")]
    TimedOut { method: String, milliseconds: u64 },
    /// Somebody no longer wants to know.
    #[error("the request was cancelled")]
    Cancelled,
    /// The process is gone, or was ended because it talked nonsense.
    #[error("{server} {how}")]
    Ended { server: String, how: String },
    #[error("cannot start {server}: {reason}")]
    Start { server: String, reason: String },
    /// It would execute code of a project that the user has not agreed to.
    #[error("{server} is not allowed to run: {reason}")]
    Refused { server: String, reason: String },
    /// What a server says that is invalid.
    #[error("{0}")]
    Nonsense(String),
}

impl LspError {
    /// The server does not know the method.
    pub fn is_unknown_method(&self) -> bool {
        matches!(self, Self::Answer { code: -32601, .. })
    }

    /// What the question was about changed while the server thought, or it had something more urgent to do: the same
    /// question can be asked again.
    pub(crate) fn is_passing(&self) -> bool {
        matches!(self, Self::Answer { code: -32801 | -32802, .. })
    }
}
