//! The transport of 2024: one event stream for everything the server says, and an address for what it is told.

use std::collections::HashMap;
use std::time::Duration;

use futures_util::StreamExt as _;
use http::{HeaderName, HeaderValue, StatusCode};
use reqwest::header::ACCEPT;
use rmcp::RoleClient;
use rmcp::model::{ClientJsonRpcMessage, ServerJsonRpcMessage};
use rmcp::transport::Transport;
use sse_stream::{Error, Sse};
use tokio::sync::mpsc;
use tokio_util::sync::{CancellationToken, DropGuard};
use url::Url;

use super::events::events;
use super::http::{HttpClient, bounded, is_same_origin, status_line};
use super::inbound::of_bytes;
use crate::limits;
use crate::log::Log;

const QUEUE: usize = 64;
/// How long a server may take to say where it wants to be told things.
const ENDPOINT_LIMIT: Duration = Duration::from_secs(10);

#[derive(Debug, thiserror::Error)]
pub(crate) enum SseTransportError {
    #[error("{}", reason(.0))]
    Request(#[from] reqwest::Error),
    #[error("{0}")]
    Status(String),
    #[error("the server requires a login")]
    Login,
    #[error("this is not an MCP server: {0}")]
    Nonsense(String),
}

/// The innermost cause: the outer ones only repeat the address.
pub(crate) fn reason(error: &dyn std::error::Error) -> String {
    let mut cause = error;
    while let Some(next) = cause.source() {
        cause = next;
    }
    cause.to_string()
}

/// Both directions.
pub(crate) struct SseTransport {
    client: HttpClient,
    endpoint: Url,
    headers: http::HeaderMap,
    incoming: mpsc::Receiver<ServerJsonRpcMessage>,
    _reading: DropGuard,
}

impl SseTransport {
    pub(crate) async fn open(
        client: HttpClient,
        url: &Url,
        headers: HashMap<HeaderName, HeaderValue>,
        log: &Log,
    ) -> Result<Self, SseTransportError> {
        let headers: http::HeaderMap = headers.into_iter().collect();
        let request =
            client.inner().get(url.clone()).headers(headers.clone()).header(ACCEPT, "text/event-stream");
        let response = accepted(request.send().await?).await?;
        let mut stream = events(response.bytes_stream(), limits::FRAME);
        let first = tokio::time::timeout(ENDPOINT_LIMIT, endpoint(&mut stream)).await;
        let first = first.map_err(|_| SseTransportError::Nonsense("it named no endpoint".to_owned()))?;
        let endpoint = first.and_then(|text| url.join(text.trim()).ok());
        let endpoint =
            endpoint.ok_or_else(|| SseTransportError::Nonsense("it named no endpoint".to_owned()))?;
        if !is_same_origin(url, &endpoint) {
            let elsewhere = endpoint.origin().ascii_serialization();
            return Err(SseTransportError::Nonsense(format!(
                "its endpoint is on another server, {elsewhere}"
            )));
        }
        let (sender, incoming) = mpsc::channel(QUEUE);
        let end = CancellationToken::new();
        let log = log.clone();
        tokio::spawn(end.clone().run_until_cancelled_owned(async move {
            while let Some(Ok(event)) = stream.next().await {
                let inbound = of_bytes(event.data.unwrap_or_default().as_bytes());
                if let Some(problem) = inbound.problem {
                    log.add(problem);
                }
                for message in inbound.messages {
                    if sender.send(message).await.is_err() {
                        return;
                    }
                }
            }
        }));
        Ok(Self { client, endpoint, headers, incoming, _reading: end.drop_guard() })
    }
}

/// The data of the event that says where messages go.
async fn endpoint(
    stream: &mut (impl futures_util::Stream<Item = Result<Sse, Error>> + Unpin),
) -> Option<String> {
    while let Some(Ok(event)) = stream.next().await {
        if event.event.as_deref() == Some("endpoint") {
            return event.data;
        }
    }
    None
}

/// The response, if it is none that ends the connection.
async fn accepted(response: reqwest::Response) -> Result<reqwest::Response, SseTransportError> {
    let status = response.status();
    if status == StatusCode::UNAUTHORIZED {
        return Err(SseTransportError::Login);
    }
    if !status.is_success() {
        let body = bounded(response, limits::LOG).await.unwrap_or_default();
        return Err(SseTransportError::Status(status_line(status, &body)));
    }
    Ok(response)
}

impl Transport<RoleClient> for SseTransport {
    type Error = SseTransportError;

    fn send(
        &mut self,
        message: ClientJsonRpcMessage,
    ) -> impl Future<Output = Result<(), Self::Error>> + Send + 'static {
        let request =
            self.client.inner().post(self.endpoint.clone()).headers(self.headers.clone()).json(&message);
        async move {
            accepted(request.send().await?).await?;
            Ok(())
        }
    }

    fn receive(&mut self) -> impl Future<Output = Option<ServerJsonRpcMessage>> + Send {
        self.incoming.recv()
    }

    async fn close(&mut self) -> Result<(), Self::Error> {
        Ok(())
    }
}
