//! What stands between a client and the network when a session is recorded or played back.

use std::fmt;
use std::io;
use std::pin::Pin;
use std::sync::Arc;

use bytes::Bytes;
use futures_util::{Stream, StreamExt};
use omp_types::Failure;
use reqwest::header::HeaderMap;

use super::http;
use crate::failure::{fatal, transient};

/// Headers of an answer that decide something; the others are not kept.
const KEPT: [&str; 4] = ["content-type", "location", "retry-after", "retry-after-ms"];
/// The same by their beginnings.
const KEPT_BEGINNINGS: [&str; 2] = ["x-ratelimit-", "anthropic-ratelimit-"];

/// Keeps what passes, or answers in the place of a provider.
pub trait Tape: Send + Sync + fmt::Debug {
    /// The answer to a request that does not go to the network; `None` lets it pass.
    fn answer(&self, request: &TapedRequest<'_>) -> Option<Result<TapedAnswer, Failure>>;

    /// A request goes to the network. Whoever is named here hears what comes back.
    fn hears(&self, request: &TapedRequest<'_>) -> Option<Box<dyn Hearing>>;
}

/// A request on its way to a provider. Its headers, where the key is, are nobody's business.
#[derive(Clone, Copy, Debug)]
pub struct TapedRequest<'a> {
    /// Where it goes, without what is secret in an address.
    pub url: &'a str,
    /// What it says.
    pub body: &'a [u8],
}

/// An answer from a tape.
pub struct TapedAnswer {
    /// The status of HTTP.
    pub status: u16,
    /// The headers that were kept.
    pub headers: Vec<(String, String)>,
    /// What the provider sent.
    pub body: TapedBody,
}

/// Bytes of an answer; an error is a connection that broke.
pub type TapedBody = Pin<Box<dyn Stream<Item = io::Result<Bytes>> + Send>>;

/// Hears an answer. One that is dropped before its end heard a request that was stopped.
pub trait Hearing: Send + Sync {
    /// The provider has begun to answer.
    fn begun(&mut self, status: u16, headers: Vec<(String, String)>);

    /// It sent this.
    fn chunk(&mut self, bytes: &[u8]);

    /// It sent everything, or the connection broke for this reason.
    fn ended(&mut self, broken: Option<&str>);
}

/// Sends a request past the tape.
pub(super) async fn send(
    tape: Option<&Arc<dyn Tape>>,
    call: reqwest::RequestBuilder,
    url: &str,
    body: String,
) -> Result<reqwest::Response, Failure> {
    let place = http::without_secrets(url);
    let request = TapedRequest { url: &place, body: body.as_bytes() };
    if let Some(answer) = tape.and_then(|tape| tape.answer(&request)) {
        return played(answer?);
    }
    let hearing = tape.and_then(|tape| tape.hears(&request));
    match (call.body(body).send().await, hearing) {
        (Ok(response), None) => Ok(response),
        (Ok(response), Some(hearing)) => heard(response, hearing),
        (Err(error), hearing) => {
            let failure = http::transport_failure(&error, &place);
            if let Some(mut hearing) = hearing {
                hearing.ended(Some(&failure.message));
            }
            Err(failure)
        }
    }
}

fn played(answer: TapedAnswer) -> Result<reqwest::Response, Failure> {
    response(answer.status, &answer.headers, reqwest::Body::wrap_stream(answer.body))
}

/// The same response, with somebody who listens to its body.
fn heard(response: reqwest::Response, mut hearing: Box<dyn Hearing>) -> Result<reqwest::Response, Failure> {
    let (status, headers) = (response.status().as_u16(), kept(response.headers()));
    hearing.begun(status, headers.clone());
    let mut listener = Some(hearing);
    // A last item that is nothing notices the end.
    let chunks = response.bytes_stream().map(Some).chain(futures_util::stream::iter([None]));
    let body = chunks.filter_map(move |chunk| {
        let passed = match chunk {
            Some(Ok(bytes)) => {
                listener.iter_mut().for_each(|hearing| hearing.chunk(&bytes));
                Some(Ok(bytes))
            }
            Some(Err(error)) => {
                let cause = http::deepest_cause(&error);
                listener.take().iter_mut().for_each(|hearing| hearing.ended(Some(&cause)));
                Some(Err(error))
            }
            None => {
                listener.take().iter_mut().for_each(|hearing| hearing.ended(None));
                None
            }
        };
        std::future::ready(passed)
    });
    self::response(status, &headers, reqwest::Body::wrap_stream(body))
}

fn response(
    status: u16,
    headers: &[(String, String)],
    body: reqwest::Body,
) -> Result<reqwest::Response, Failure> {
    let mut builder = ::http::Response::builder().status(status);
    for (name, value) in headers {
        builder = builder.header(name, value);
    }
    let response =
        builder.body(body).map_err(|error| fatal(format!("the recorded answer is not valid: {error}")))?;
    Ok(reqwest::Response::from(response))
}

fn kept(headers: &HeaderMap) -> Vec<(String, String)> {
    let is_kept =
        |name: &str| KEPT.contains(&name) || KEPT_BEGINNINGS.iter().any(|front| name.starts_with(front));
    let pair = |name: &str| Some((name.to_owned(), http::header(headers, name)?.to_owned()));
    headers
        .keys()
        .map(reqwest::header::HeaderName::as_str)
        .filter(|name| is_kept(name))
        .filter_map(pair)
        .collect()
}

/// What a tape says of a request that never reached a provider.
pub fn unreached(message: &str) -> Failure {
    transient(message.to_owned())
}
