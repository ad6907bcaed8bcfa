//! Asks servers which models they have.
//!
//! One engine for every kind of server: `source` says who is asked and how, `ask` gets a bounded answer, and one
//! file per family (`openai`, `ollama`, `hosted`) reads it. What comes back are statements of a stranger: they are
//! checked in `listed` before anybody sees them. `local` knows where servers of this machine usually are.

mod ask;
mod error;
mod hosted;
mod listed;
mod local;
mod ollama;
mod openai;
mod source;

use std::time::Duration;

use futures_util::StreamExt;
use futures_util::stream;
use tokio_util::sync::CancellationToken;

use crate::client::Client;
pub use error::ListError;
pub use listed::{Listed, ListedModel};
pub use local::LocalServers;
pub use source::{DiscoveryKind, Source};

use ask::Asker;

/// How many servers are asked at the same time.
const AT_ONCE: usize = 8;

/// Budget of a server on this machine: one that is not there must not be noticed.
pub const LOOPBACK_LIMIT: Duration = Duration::from_millis(250);

/// Budget of any other server.
pub const NETWORK_LIMIT: Duration = Duration::from_secs(10);

/// What one server said.
pub type Outcome = Result<Listed, ListError>;

/// Asks one server, within its time.
pub async fn fetch(client: &Client, source: &Source) -> Outcome {
    let asker = Asker::new(client, source);
    match source.kind {
        DiscoveryKind::Ollama => ollama::list(&asker).await,
        DiscoveryKind::LlamaCpp => openai::llama_cpp(&asker).await,
        DiscoveryKind::LmStudio
        | DiscoveryKind::OpenAiList
        | DiscoveryKind::Proxy
        | DiscoveryKind::HostedOpenAi => openai::list(&asker).await,
        DiscoveryKind::Anthropic => hosted::anthropic(&asker).await,
        DiscoveryKind::Google => hosted::google(&asker).await,
    }
}

/// Asks all of them, a few at a time; the answers come in the order of the sources. Who was not asked before
/// `cancel` fired is [`ListError::Cancelled`].
pub async fn fetch_all(client: &Client, sources: &[Source], cancel: &CancellationToken) -> Vec<Outcome> {
    // A proxy that stands between us and the world would look for the server on its own machine.
    let local = sources.iter().any(Source::is_loopback);
    let direct = local.then(|| client.direct().ok()).flatten();
    let answers = sources.iter().map(|source| {
        let client = direct.as_ref().filter(|_| source.is_loopback()).unwrap_or(client);
        async move {
            let answer = cancel.run_until_cancelled(fetch(client, source)).await;
            answer.unwrap_or(Err(ListError::Cancelled))
        }
    });
    let answers: Vec<_> = answers.collect();
    stream::iter(answers).buffered(AT_ONCE).collect().await
}
