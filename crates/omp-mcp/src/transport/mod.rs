//! How messages travel: over the standard streams of a process, over streamable HTTP, over the older event stream.
//!
//! The SDK has its own transports for the first two. Ours differ in what they bear: processes are started by
//! [`omp_shell::scope`], every body and every line has a limit, what is not a message is logged and skipped, and no
//! credential follows a redirect to another host.

mod events;
pub(crate) mod frame;
pub(crate) mod http;
mod inbound;
pub(crate) mod sse;
pub(crate) mod stdio;
mod watched;

pub(crate) use watched::Watched;

/// Makes what connections have in common: TLS, proxies and our name. Called for the first server that needs it.
pub type Connector = std::sync::Arc<dyn Fn() -> Result<reqwest::ClientBuilder, String> + Send + Sync>;
