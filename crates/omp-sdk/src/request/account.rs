//! A model whose credential is one of several: chosen, renewed and changed between requests.

use std::sync::Arc;

use futures_util::{StreamExt, stream};
use omp_agent::{AccountAnswer, BatchStream, Model, ModelIdentity};
use omp_auth::{AuthError, Exhausted, Grant, Vault};
use omp_llm::{Client, failed};
use omp_types::{Failure, FailureKind, ModelRequest, StreamEvent};
use tokio_util::sync::CancellationToken;
use url::Url;

use crate::request::client_model::ClientModel;

/// The model as the loop asks it. A key that came from the store is looked at again for every request.
pub(crate) fn serve(
    client: Client,
    model: Arc<omp_llm::Model>,
    vault: Option<&Arc<Vault>>,
) -> Arc<dyn Model> {
    let plain = ClientModel { client, model };
    let stored = vault.filter(|vault| {
        let key = plain.model.key.as_ref();
        key.is_some_and(|key| vault.showed(&plain.model.provider, key))
    });
    match stored {
        Some(vault) => Arc::new(AccountModel { plain, vault: Arc::clone(vault) }),
        None => Arc::new(plain),
    }
}

/// What the loop is told about an account that reached its limit.
pub(crate) fn exhausted(vault: &Vault, provider: &str, hint_ms: Option<u64>) -> AccountAnswer {
    match vault.exhausted(provider, hint_ms) {
        Ok(Exhausted::Switched) => AccountAnswer::Switched,
        Ok(Exhausted::FreeAfterMs(ms)) => AccountAnswer::FreeAfterMs(ms),
        // A store that cannot be written has no other account to offer.
        Ok(Exhausted::NoSibling) | Err(_) => AccountAnswer::NoSibling,
    }
}

struct AccountModel {
    plain: ClientModel,
    vault: Arc<Vault>,
}

impl Model for AccountModel {
    fn identity(&self) -> ModelIdentity {
        self.plain.identity()
    }

    fn stream(&self, request: ModelRequest, cancel: CancellationToken) -> BatchStream {
        let attempt = Attempt {
            client: self.plain.client.clone(),
            model: Arc::clone(&self.plain.model),
            vault: Arc::clone(&self.vault),
            request,
            cancel,
        };
        Box::pin(stream::once(attempt.begin()).flatten())
    }

    fn can_force_tools(&self) -> bool {
        self.plain.can_force_tools()
    }
}

/// One request, with as many credentials as it takes.
struct Attempt {
    client: Client,
    model: Arc<omp_llm::Model>,
    vault: Arc<Vault>,
    request: ModelRequest,
    cancel: CancellationToken,
}

impl Attempt {
    /// The answer's stream, from the first credential that the provider accepts. When none is left, the first
    /// refusal is the answer: it belongs to the account the session works with.
    async fn begin(self) -> BatchStream {
        let first = self.uncancelled(self.vault.grant(&self.client, &self.model.provider)).await;
        let mut grant = match first {
            Some(Ok(Some(grant))) => grant,
            Some(Ok(None)) => return failed(&self.model, logged_out(&self.model.provider)),
            Some(Err(error)) => return failed(&self.model, failure(&error)),
            None => return failed(&self.model, aborted()),
        };
        let mut refusal = None;
        loop {
            let mut answer = self.ask(&grant);
            let Some(batch) = answer.next().await else { return answer };
            if !is_refusal(&batch) {
                return Box::pin(stream::iter([batch]).chain(answer));
            }
            let refusal = refusal.get_or_insert(batch);
            match self.uncancelled(self.vault.refused(&self.client, &grant)).await {
                Some(Ok(Some(next))) => grant = next,
                _ => return Box::pin(stream::iter([std::mem::take(refusal)])),
            }
        }
    }

    fn ask(&self, grant: &Grant) -> BatchStream {
        let mut model = self.model.rekeyed(grant.secret.clone());
        if let Some(base_url) = grant.endpoint.as_deref().and_then(|to| moved(&model.base_url, to)) {
            model.base_url = base_url;
        }
        self.client.stream(Arc::new(model), &self.request, self.cancel.clone())
    }

    async fn uncancelled<T>(&self, work: impl Future<Output = T>) -> Option<T> {
        self.cancel.run_until_cancelled(work).await
    }
}

/// The address of a provider for an account that is served elsewhere. A server can only send us around within its own
/// domain: neither to a stranger, nor away from where the user sent us.
fn moved(base_url: &str, endpoint: &str) -> Option<String> {
    let domain = |url: &Url| {
        let labels: Vec<String> = url.host_str()?.rsplit('.').take(2).map(str::to_owned).collect();
        (labels.len() == 2 && url.domain().is_some()).then_some(labels)
    };
    let (old, mut new) = (Url::parse(base_url).ok()?, Url::parse(endpoint).ok()?);
    if new.scheme() != "https" || old.scheme() != "https" || domain(&old)? != domain(&new)? {
        return None;
    }
    if new.path() == "/" {
        new.set_path(old.path());
    }
    Some(new.as_str().trim_end_matches('/').to_owned())
}

/// Did the provider refuse the credential before it said anything else?
fn is_refusal(batch: &[StreamEvent]) -> bool {
    let refused = |event: &StreamEvent| matches!(event, StreamEvent::Error { failure, .. } if failure.kind == FailureKind::Auth);
    batch.iter().all(|event| matches!(event, StreamEvent::Start) || refused(event))
        && batch.iter().any(refused)
}

fn failure(error: &AuthError) -> Failure {
    let kind = match error {
        AuthError::Unreachable { .. } | AuthError::Lock(_) => FailureKind::Transient,
        AuthError::Refused { .. } | AuthError::Gone { .. } | AuthError::Store(_) => FailureKind::Auth,
    };
    plain(kind, error.to_string())
}

fn logged_out(provider: &str) -> Failure {
    plain(FailureKind::Auth, format!("the login for {provider} was removed: run `omp login {provider}`"))
}

fn aborted() -> Failure {
    plain(FailureKind::Aborted, "Request was aborted".to_owned())
}

fn plain(kind: FailureKind, message: String) -> Failure {
    Failure { kind, message, status: None, retry_after_ms: None }
}

#[cfg(test)]
mod tests {
    use super::moved;

    #[test]
    fn a_server_sends_accounts_around_within_its_own_domain() {
        let usual = "https://api.githubcopilot.com";
        let other = "https://api.individual.githubcopilot.com";
        assert_eq!(moved(usual, other).as_deref(), Some(other));
        assert_eq!(
            moved("https://portal.qwen.ai/v1", "https://other.qwen.ai").as_deref(),
            Some("https://other.qwen.ai/v1")
        );
        for (base, endpoint) in [
            (usual, "https://evil.example"),
            (usual, "http://api.githubcopilot.com"),
            ("http://127.0.0.1:8080/v1", other),
            ("https://10.0.0.1/v1", "https://11.0.0.1/v1"),
            ("https://proxy.company.example", other),
        ] {
            assert_eq!(moved(base, endpoint), None, "{base} {endpoint}");
        }
    }
}
