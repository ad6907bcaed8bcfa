//! How this crate reaches the network: whoever uses it knows about TLS, proxies and the user's certificates.

use futures_util::future::BoxFuture;
use thiserror::Error;

/// A request that did not give a body.
#[derive(Clone, Debug, Error, PartialEq, Eq)]
pub enum FetchError {
    /// The server answered with another status than success.
    #[error("the server answered with status {0}")]
    Status(u16),
    /// Larger than the limit that came with the request.
    #[error("the answer has more than {0} bytes")]
    TooLarge(u64),
    /// Anything else, as a sentence.
    #[error("{0}")]
    Failed(String),
}

/// A body, and where it came from after redirects.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Fetched {
    /// The content, decoded.
    pub body: Vec<u8>,
}

/// GET requests.
pub trait Fetch: Send + Sync {
    /// Gets `url` with these header fields, at most `limit` bytes of it. Headers are not sent on to other hosts.
    fn get<'a>(
        &'a self,
        url: &'a str,
        headers: &'a [(String, String)],
        limit: u64,
    ) -> BoxFuture<'a, Result<Fetched, FetchError>>;
}
