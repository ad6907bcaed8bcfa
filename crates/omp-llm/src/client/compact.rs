//! Asks a provider for a conversation in a form that only its model can read. The answer is one piece, no stream.

use std::sync::Arc;

use futures_util::{StreamExt, stream};
use omp_types::{Failure, ModelRequest, StopReason, StreamEvent, Usage};
use serde_json::Value;
use tokio_util::sync::CancellationToken;

use super::exchange::{hide_key, watch};
use super::watch::{Watch, refused};
use super::{BatchStream, Client, failed, http, now_ms, tape};
use crate::answer::Answer;
use crate::failure::{fatal, transient};
use crate::model::Model;
use crate::wire::{self, WireRequest, responses};

/// The most that a provider may send.
const LIMIT: usize = 32 * 1024 * 1024;

/// An answer of native blocks, or a failure.
pub(super) fn stream(
    client: &Client,
    model: Arc<Model>,
    request: &ModelRequest,
    cancel: CancellationToken,
) -> BatchStream {
    let Some(wire_request) = wire::compaction(&model, request) else {
        return failed(&model, fatal(format!("{} does not support compaction", model.provider)));
    };
    let client = client.clone();
    Box::pin(stream::once(async move { answered(&client, &model, wire_request, cancel).await }))
}

async fn answered(
    client: &Client,
    model: &Model,
    request: WireRequest,
    cancel: CancellationToken,
) -> Vec<StreamEvent> {
    let mut answer = Answer::new(model, Default::default(), now_ms());
    let watch = watch(model, &client.options, cancel);
    match ask(client, model, request, &watch).await {
        Ok((items, usage)) => {
            answer.start();
            answer.set_usage(usage);
            for item in items {
                answer.add_native(item);
            }
            answer.finish(StopReason::Stop);
        }
        Err(mut failure) => {
            hide_key(&mut failure, wire::proof(model).as_ref());
            answer.fail(failure);
        }
    }
    answer.take_events()
}

async fn ask(
    client: &Client,
    model: &Model,
    request: WireRequest,
    watch: &Watch,
) -> Result<(Vec<Value>, Usage), Failure> {
    wire::check_access(model, &request, &client.options.hosts)?;
    let headers = http::headers(model, &request)?;
    let place = http::without_secrets(&request.url);
    let call = client.http.post(&request.url).headers(headers);
    let sent = tape::send(client.options.tape.as_ref(), call, &request.url, request.body);
    let response = watch.wait(sent).await??;
    if !response.status().is_success() {
        return Err(refused(response, &place, watch, model.api).await);
    }
    let body = whole(response, watch, &place).await?;
    responses::compacted(&body).ok_or_else(|| fatal(format!("{place} returned no compacted conversation")))
}

async fn whole(response: reqwest::Response, watch: &Watch, place: &str) -> Result<String, Failure> {
    let mut stream = response.bytes_stream();
    let mut body = Vec::new();
    while let Some(chunk) = watch.wait(stream.next()).await? {
        body.extend_from_slice(&chunk.map_err(|error| transient(http::deepest_cause(&error)))?);
        if body.len() > LIMIT {
            return Err(fatal(format!("{place} returned more than {} MiB", LIMIT / (1024 * 1024))));
        }
    }
    Ok(String::from_utf8_lossy(&body).into_owned())
}
