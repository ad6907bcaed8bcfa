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

/// How many messages and how many problems the chunks of a stream hold.
pub(crate) fn read_messages(chunks: &[&[u8]]) -> (usize, usize) {
    let mut frames = frame::Frames::new(1 << 12);
    let found = chunks.iter().flat_map(|chunk| frames.take(chunk)).map(inbound::of_frame);
    found.fold((0, 0), |(messages, problems), inbound| {
        (messages + inbound.messages.len(), problems + usize::from(inbound.problem.is_some()))
    })
}

/// Makes what connections have in common: TLS, proxies and our name. Called for the first server that needs it.
pub type Connector = std::sync::Arc<dyn Fn() -> Result<reqwest::ClientBuilder, String> + Send + Sync>;
