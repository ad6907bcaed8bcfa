//! Waiting for the network, and what a refusal says.

use std::time::Duration;

use futures_util::StreamExt;
use omp_types::{Failure, FailureKind};
use tokio::time::Instant;
use tokio_util::sync::CancellationToken;

use super::{http, now_ms};
use crate::failure::{self, aborted, fatal, transient};
use crate::model::Api;
use crate::wire;

/// What ends a wait for the network: an abort or too long a silence.
pub(super) struct Watch {
    pub(super) cancel: CancellationToken,
    pub(super) idle: Option<Duration>,
    /// Where the first event has a limit of its own, until it is there.
    pub(super) first_event: Option<FirstEvent>,
}

/// How long the first event of an answer may take, whatever else arrives before it.
#[derive(Clone, Copy)]
pub(super) struct FirstEvent {
    /// `None` waits for ever.
    limit: Option<Duration>,
    asked: Instant,
}

impl FirstEvent {
    /// Time runs from now on.
    pub(super) fn within(limit: Option<Duration>) -> Self {
        Self { limit, asked: Instant::now() }
    }
}

impl Watch {
    pub(super) async fn wait<T>(&self, future: impl Future<Output = T>) -> Result<T, Failure> {
        let (from, limit) = match self.first_event {
            Some(first) => (first.asked, first.limit),
            None => (Instant::now(), self.idle),
        };
        let silence = async {
            match limit.and_then(|limit| from.checked_add(limit)) {
                Some(end) => tokio::time::sleep_until(end).await,
                None => std::future::pending().await,
            }
        };
        tokio::select! {
            biased;
            () = self.cancel.cancelled() => Err(aborted()),
            value = future => Ok(value),
            () = silence => Err(self.silent(limit.unwrap_or_default().as_secs_f64())),
        }
    }

    fn silent(&self, seconds: f64) -> Failure {
        transient(match self.first_event {
            Some(_) => format!("the provider sent no answer within {seconds} s (first event timeout)"),
            None => format!("the provider sent nothing for {seconds} s (stream idle timeout)"),
        })
    }
}

/// What a status other than success means.
pub(super) async fn refused(response: reqwest::Response, place: &str, watch: &Watch, api: Api) -> Failure {
    let status = response.status();
    if let Some(target) = http::redirect_target(&response) {
        return fatal(format!(
            "{status}: {place} redirects to {target}; keys are never forwarded, set the provider's baseUrl \
             to the new address"
        ));
    }
    let wait = failure::retry_after_ms(|name| http::header(response.headers(), name), now_ms());
    let body = match bounded_body(response, watch).await {
        Ok(body) => body,
        Err(failure) if failure.kind == FailureKind::Aborted => return failure,
        // The status alone says enough.
        Err(_) => String::new(),
    };
    let reason = status.canonical_reason().unwrap_or_default();
    wire::refine(api, failure::from_status(status.as_u16(), reason, &body, wait), &body)
}

/// Error bodies are short; one that is not is cut.
pub(super) async fn bounded_body(response: reqwest::Response, watch: &Watch) -> Result<String, Failure> {
    const LIMIT: usize = 64 * 1024;
    let mut stream = response.bytes_stream();
    let mut body = Vec::new();
    while body.len() < LIMIT {
        match watch.wait(stream.next()).await? {
            Some(Ok(bytes)) => body.extend_from_slice(&bytes),
            Some(Err(error)) => return Err(transient(http::deepest_cause(&error))),
            None => break,
        }
    }
    body.truncate(LIMIT);
    Ok(String::from_utf8_lossy(&body).into_owned())
}

/// The configured limit, raised to the model's own floor; zero means no limit.
pub(super) fn idle_timeout(configured: Duration, floor_ms: u64) -> Option<Duration> {
    (!configured.is_zero()).then(|| configured.max(Duration::from_millis(floor_ms)))
}
