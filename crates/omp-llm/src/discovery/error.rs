//! Why there is no list.

use std::time::Duration;

/// Why a server's list could not be had. The sentences go behind the provider's name.
#[derive(Clone, Debug, PartialEq, Eq, thiserror::Error)]
pub enum ListError {
    #[error("no model list within {} ms; raise discovery.timeoutMs if the server is slow", .0.as_millis())]
    TimedOut(Duration),
    /// The sentence of the transport.
    #[error("cannot fetch its model list: {0}")]
    Transport(String),
    #[error("{place} returned HTTP {status} instead of a model list{}", hint(*.status))]
    Status { place: String, status: u16 },
    #[error("{place} sent more than {} MiB instead of a model list", .limit / (1024 * 1024))]
    TooLarge { place: String, limit: usize },
    #[error("{place} sent {what} instead of a model list")]
    NoList { place: String, what: String },
    #[error("its model list has no address; set \"baseUrl\"")]
    NoAddress,
    #[error("its key command failed or printed nothing")]
    KeyCommand,
    #[error("header {0:?} has an invalid name or value")]
    Header(String),
    #[error("the key contains characters that cannot be sent in a header")]
    Key,
    #[error("its model list has more than {0} pages")]
    Endless(usize),
    #[error("the fetch of its model list was cancelled")]
    Cancelled,
}

fn hint(status: u16) -> &'static str {
    match status {
        401 | 403 => "; check the provider's key",
        404 => "; check the provider's baseUrl and discovery.type",
        _ => "",
    }
}
