//! Requests of streamable HTTP, as the SDK wants them: sessions, resumption and revisions are its business, bodies and
//! redirects ours.

use std::collections::HashMap;
use std::sync::Arc;

use futures_util::StreamExt as _;
use futures_util::stream::{self, BoxStream};
use http::{HeaderName, HeaderValue, StatusCode};
use reqwest::header::{ACCEPT, CONTENT_TYPE, WWW_AUTHENTICATE};
use reqwest::{RequestBuilder, Response};
use rmcp::model::{
    ClientJsonRpcMessage, ClientRequest, ErrorData, JsonRpcMessage, RequestId, ServerJsonRpcMessage,
};
use rmcp::transport::streamable_http_client::{
    AuthRequiredError, HttpStatusError, InsufficientScopeError, SseError, StreamableHttpClient,
    StreamableHttpError, StreamableHttpPostResponse,
};
use sse_stream::Sse;
use url::Url;

use super::Connector;
use super::events::events;
use super::inbound::of_bytes;
use super::sse::reason;
use crate::limits;
use crate::log::Log;

const SESSION: &str = "mcp-session-id";
const LAST_EVENT: &str = "last-event-id";
const JSON: &str = "application/json";
const EVENTS: &str = "text/event-stream";
/// How often a server may send us elsewhere within itself.
const REDIRECTS: usize = 5;

type Headers = HashMap<HeaderName, HeaderValue>;
type Failure = StreamableHttpError<reqwest::Error>;

/// Sends requests to one server.
#[derive(Clone, Debug)]
pub(crate) struct HttpClient {
    inner: reqwest::Client,
    /// Of the server that is spoken to.
    log: Log,
}

#[derive(Debug, thiserror::Error)]
#[error("it redirects to {0}, which is another server")]
struct Elsewhere(String);

/// Whether both are the same server: what is sent to one may be sent to the other.
pub(crate) fn is_same_origin(one: &Url, other: &Url) -> bool {
    one.origin() == other.origin()
}

impl HttpClient {
    pub(crate) fn new(connector: &Connector) -> Result<Self, String> {
        let policy = reqwest::redirect::Policy::custom(|attempt| {
            let first = attempt.previous().first().cloned();
            if first.is_some_and(|first| !is_same_origin(&first, attempt.url())) {
                let elsewhere = attempt.url().origin().ascii_serialization();
                return attempt.error(Elsewhere(elsewhere));
            }
            if attempt.previous().len() > REDIRECTS { attempt.stop() } else { attempt.follow() }
        });
        let builder = connector()?.redirect(policy);
        let inner = builder.build().map_err(|error| error.to_string())?;
        Ok(Self { inner, log: Log::default() })
    }

    /// The same, for the server with this log.
    pub(crate) fn logged(mut self, log: &Log) -> Self {
        self.log = log.clone();
        self
    }

    /// The events of a response. What is in them is a message or nothing, and no answer to anything but `asked`: the SDK
    /// would end the connection, or the stream.
    fn events(
        &self,
        response: Response,
        most: usize,
        asked: Option<RequestId>,
    ) -> BoxStream<'static, Result<Sse, SseError>> {
        let mut reader = EventReader { log: self.log.clone(), asked, is_settled: false };
        let all = events(response.bytes_stream(), most).map(Some).chain(stream::iter([None]));
        all.flat_map(move |event| stream::iter(reader.read(event))).boxed()
    }

    pub(crate) fn inner(&self) -> &reqwest::Client {
        &self.inner
    }

    async fn send(
        &self,
        request: RequestBuilder,
        session: Option<&str>,
        token: Option<String>,
        headers: Headers,
    ) -> Result<Response, Failure> {
        let mut request = request.headers(headers.into_iter().collect());
        if let Some(session) = session {
            request = request.header(SESSION, session);
        }
        if let Some(token) = token {
            request = request.bearer_auth(token);
        }
        let response = request.send().await.map_err(StreamableHttpError::Client)?;
        match response.status() {
            StatusCode::UNAUTHORIZED => {
                self.log.add(format!("HTTP 401{}", hints(response.headers())));
                let challenge = challenge(&response).unwrap_or_else(|| "Bearer".to_owned());
                Err(StreamableHttpError::AuthRequired(AuthRequiredError::new(challenge)))
            }
            StatusCode::FORBIDDEN => match challenge(&response) {
                Some(challenge) => {
                    let scope = parameter(&challenge, "scope");
                    Err(StreamableHttpError::InsufficientScope(InsufficientScopeError::new(challenge, scope)))
                }
                None => Ok(response),
            },
            _ => Ok(response),
        }
    }
}

/// Reads the events of one response.
struct EventReader {
    log: Log,
    asked: Option<RequestId>,
    /// The answer has come, or the stream can be resumed.
    is_settled: bool,
}

impl EventReader {
    /// The next event, or the end of the stream.
    fn read(&mut self, event: Option<Result<Sse, SseError>>) -> Vec<Result<Sse, SseError>> {
        let event = match event {
            Some(Ok(event)) => event,
            Some(Err(error)) if self.asked.is_none() || self.is_settled => return vec![Err(error)],
            Some(Err(error)) => {
                return self.unanswered(&format!(": {}", reason(&error)));
            }
            None => return self.unanswered(""),
        };
        let inbound = of_bytes(event.data.as_deref().unwrap_or_default().as_bytes());
        if let Some(problem) = inbound.problem {
            self.log.add(problem);
        }
        let asked = self.asked.as_ref();
        let wanted: Vec<_> = inbound.messages.iter().filter(|message| is_wanted(message, asked)).collect();
        self.is_settled |= event.id.is_some() || wanted.iter().any(|message| is_answer(message));
        let texts = wanted.into_iter().filter_map(|message| serde_json::to_string(message).ok());
        let mut found: Vec<_> = texts.map(|data| Ok(Sse { data: Some(data), ..event.clone() })).collect();
        if found.is_empty() {
            // It may still say where to resume.
            found.push(Ok(Sse { data: None, ..event }));
        }
        found
    }

    /// Nothing more will come: the request fails now, and not by its time limit.
    fn unanswered(&mut self, why: &str) -> Vec<Result<Sse, SseError>> {
        if std::mem::replace(&mut self.is_settled, true) {
            return Vec::new();
        }
        let Some(id) = self.asked.clone() else { return Vec::new() };
        let error = ErrorData::internal_error(format!("No response received for request ID {id}{why}"), None);
        let message: ServerJsonRpcMessage = JsonRpcMessage::error(error, Some(id));
        let data = serde_json::to_string(&message).ok();
        vec![Ok(Sse { data, ..Sse::default() })]
    }
}

fn is_answer(message: &ServerJsonRpcMessage) -> bool {
    matches!(message, JsonRpcMessage::Response(_) | JsonRpcMessage::Error(_))
}

/// Answers to other requests than the one that was asked are nobody's.
fn is_wanted(message: &ServerJsonRpcMessage, asked: Option<&RequestId>) -> bool {
    let answered = match message {
        JsonRpcMessage::Response(response) => Some(&response.id),
        JsonRpcMessage::Error(error) => error.id.as_ref(),
        _ => None,
    };
    // Some servers turn numbers into texts.
    asked.zip(answered).is_none_or(|(asked, answered)| asked.to_string() == answered.to_string())
}

fn challenge(response: &Response) -> Option<String> {
    let mut values =
        response.headers().get_all(WWW_AUTHENTICATE).iter().filter_map(|value| value.to_str().ok());
    let bearer =
        values.find(|value| value.get(..6).is_some_and(|scheme| scheme.eq_ignore_ascii_case("bearer")));
    bearer.map(|value| limits::cut(value, 4 * limits::QUOTE).to_owned())
}

/// What a refusal says about who could let us in, for people.
fn hints(headers: &http::HeaderMap) -> String {
    let named = [("WWW-Authenticate", WWW_AUTHENTICATE.as_str()), ("Mcp-Auth-Server", "mcp-auth-server")];
    let hint = |(name, header): (&str, &str)| {
        let value = headers.get(header)?.to_str().ok()?;
        Some(format!("{name}: {}", limits::shortened(value, limits::QUOTE)))
    };
    let hints: Vec<String> = named.into_iter().filter_map(hint).collect();
    if hints.is_empty() { String::new() } else { format!(" ({})", hints.join("; ")) }
}

/// A parameter of a challenge.
pub(crate) fn parameter(challenge: &str, name: &str) -> Option<String> {
    let lower = challenge.to_ascii_lowercase();
    let at = lower
        .match_indices(&format!("{name}="))
        .map(|(at, _)| at)
        .find(|at| !lower[..*at].ends_with(|c: char| c.is_ascii_alphanumeric() || c == '_' || c == '-'))?;
    let rest = &challenge[at + name.len() + 1..];
    let value = match rest.strip_prefix('"') {
        Some(quoted) => quoted.split('"').next(),
        None => rest.split([',', ' ', ';']).next(),
    };
    value.filter(|value| !value.is_empty()).map(str::to_owned)
}

fn is_type(response: &Response, wanted: &str) -> bool {
    let kind = response.headers().get(CONTENT_TYPE).map(HeaderValue::as_bytes).unwrap_or_default();
    kind.get(..wanted.len()).is_some_and(|kind| kind.eq_ignore_ascii_case(wanted.as_bytes()))
}

/// The body, unless it is too large.
pub(super) async fn bounded(response: Response, most: usize) -> Result<Vec<u8>, Failure> {
    let mut body = Vec::new();
    let mut chunks = response.bytes_stream();
    while let Some(chunk) = chunks.next().await {
        let chunk = chunk.map_err(StreamableHttpError::Client)?;
        if body.len() + chunk.len() > most {
            return Err(unexpected(format!("the response is larger than {} MiB", most >> 20)));
        }
        body.extend_from_slice(&chunk);
    }
    Ok(body)
}

fn unexpected(what: String) -> Failure {
    StreamableHttpError::UnexpectedServerResponse(what.into())
}

/// `HTTP 502: the first line of the body`.
pub(super) fn status_line(status: StatusCode, body: &[u8]) -> String {
    let text = String::from_utf8_lossy(body);
    match text.trim() {
        "" => format!("HTTP {}", status.as_u16()),
        text => format!("HTTP {}: {}", status.as_u16(), limits::shortened(text, limits::QUOTE)),
    }
}

/// What a server of an older revision says to `server/discover`. Errors that are not about the protocol stay what they
/// are: a login must not look like an old server.
fn legacy(
    message: &ClientJsonRpcMessage,
    session: Option<&str>,
    status: StatusCode,
    body: &[u8],
) -> Option<ServerJsonRpcMessage> {
    let JsonRpcMessage::Request(request) = message else { return None };
    let is_probe = matches!(request.request, ClientRequest::DiscoverRequest(_)) && session.is_none();
    if !is_probe
        || !status.is_client_error()
        || matches!(status, StatusCode::UNAUTHORIZED | StatusCode::FORBIDDEN)
    {
        return None;
    }
    let error = match serde_json::from_slice(body) {
        Ok(ServerJsonRpcMessage::Error(error)) => error.error,
        _ => ErrorData::invalid_request(status_line(status, body), None),
    };
    Some(JsonRpcMessage::error(error, Some(request.id.clone())))
}

impl HttpClient {
    /// What an unsuccessful response to a message means.
    async fn refusal(
        message: &ClientJsonRpcMessage,
        session: Option<&str>,
        response: Response,
    ) -> Result<StreamableHttpPostResponse, Failure> {
        let status = response.status();
        if status == StatusCode::NOT_FOUND && session.is_some() {
            return Err(StreamableHttpError::SessionExpired);
        }
        let (is_json, hints) = (is_type(&response, JSON), hints(response.headers()));
        let retry_after =
            response.headers().get("retry-after").and_then(|value| value.to_str().ok()).map(str::to_owned);
        let body = bounded(response, limits::FRAME).await.unwrap_or_default();
        if let Some(message) = legacy(message, session, status, &body) {
            return Ok(StreamableHttpPostResponse::Json(message, None));
        }
        let is_protocol = is_json && !matches!(status, StatusCode::UNAUTHORIZED | StatusCode::FORBIDDEN);
        if is_protocol && let Ok(error @ ServerJsonRpcMessage::Error(_)) = serde_json::from_slice(&body) {
            return Ok(StreamableHttpPostResponse::Json(error, None));
        }
        match status.is_server_error() && body.is_empty() || status == StatusCode::TOO_MANY_REQUESTS {
            true => Err(HttpStatusError::new(status.as_u16(), retry_after).into()),
            false => Err(unexpected(format!("{}{hints}", status_line(status, &body)))),
        }
    }
}

impl StreamableHttpClient for HttpClient {
    type Error = reqwest::Error;

    async fn post_message(
        &self,
        uri: Arc<str>,
        message: ClientJsonRpcMessage,
        session_id: Option<Arc<str>>,
        auth_header: Option<String>,
        custom_headers: Headers,
    ) -> Result<StreamableHttpPostResponse, Failure> {
        self.post_message_with_max_sse_event_size(
            uri,
            message,
            session_id,
            auth_header,
            custom_headers,
            limits::FRAME,
        )
        .await
    }

    async fn post_message_with_max_sse_event_size(
        &self,
        uri: Arc<str>,
        message: ClientJsonRpcMessage,
        session_id: Option<Arc<str>>,
        auth_header: Option<String>,
        custom_headers: Headers,
        max_sse_event_size: usize,
    ) -> Result<StreamableHttpPostResponse, Failure> {
        let request =
            self.inner.post(uri.as_ref()).header(ACCEPT, format!("{JSON}, {EVENTS}")).json(&message);
        let session = session_id.as_deref();
        let response = self.send(request, session, auth_header, custom_headers).await?;
        let status = response.status();
        if !status.is_success() {
            return Self::refusal(&message, session, response).await;
        }
        if matches!(status, StatusCode::ACCEPTED | StatusCode::NO_CONTENT) {
            return Ok(StreamableHttpPostResponse::Accepted);
        }
        let session =
            response.headers().get(SESSION).and_then(|value| value.to_str().ok()).map(str::to_owned);
        if is_type(&response, EVENTS) {
            let asked = match &message {
                JsonRpcMessage::Request(request) => Some(request.id.clone()),
                _ => None,
            };
            return Ok(StreamableHttpPostResponse::Sse(
                self.events(response, max_sse_event_size, asked),
                session,
            ));
        }
        let is_question = matches!(message, JsonRpcMessage::Request(_));
        let kind = response
            .headers()
            .get(CONTENT_TYPE)
            .map(|kind| String::from_utf8_lossy(kind.as_bytes()).into_owned());
        let is_json = is_type(&response, JSON);
        let body = bounded(response, limits::FRAME).await?;
        match serde_json::from_slice::<ServerJsonRpcMessage>(&body) {
            Ok(answer) if is_json => Ok(StreamableHttpPostResponse::Json(answer, session)),
            _ if !is_question => Ok(StreamableHttpPostResponse::Accepted),
            _ if !is_json => Err(StreamableHttpError::UnexpectedContentType(kind)),
            Ok(_) => Ok(StreamableHttpPostResponse::Accepted),
            Err(error) => Err(unexpected(format!("the response is not valid JSON-RPC: {error}"))),
        }
    }

    async fn delete_session(
        &self,
        uri: Arc<str>,
        session_id: Arc<str>,
        auth_header: Option<String>,
        custom_headers: Headers,
    ) -> Result<(), Failure> {
        // Whether it worked changes nothing: nobody uses the session any more.
        self.send(self.inner.delete(uri.as_ref()), Some(&session_id), auth_header, custom_headers)
            .await
            .map(drop)
    }

    async fn get_stream(
        &self,
        uri: Arc<str>,
        session_id: Option<Arc<str>>,
        last_event_id: Option<String>,
        auth_header: Option<String>,
        custom_headers: Headers,
    ) -> Result<BoxStream<'static, Result<Sse, SseError>>, Failure> {
        let most = limits::FRAME;
        self.get_stream_with_max_sse_event_size(
            uri,
            session_id,
            last_event_id,
            auth_header,
            custom_headers,
            most,
        )
        .await
    }

    async fn get_stream_with_max_sse_event_size(
        &self,
        uri: Arc<str>,
        session_id: Option<Arc<str>>,
        last_event_id: Option<String>,
        auth_header: Option<String>,
        custom_headers: Headers,
        max_sse_event_size: usize,
    ) -> Result<BoxStream<'static, Result<Sse, SseError>>, Failure> {
        let mut request = self.inner.get(uri.as_ref()).header(ACCEPT, EVENTS);
        if let Some(id) = last_event_id.and_then(|id| HeaderValue::from_str(&id).ok()) {
            request = request.header(LAST_EVENT, id);
        }
        let response = self.send(request, session_id.as_deref(), auth_header, custom_headers).await?;
        match response.status() {
            StatusCode::METHOD_NOT_ALLOWED => Err(StreamableHttpError::ServerDoesNotSupportSse),
            status if !status.is_success() => Err(HttpStatusError::new(status.as_u16(), None).into()),
            _ if !is_type(&response, EVENTS) => Err(StreamableHttpError::ServerDoesNotSupportSse),
            _ => Ok(self.events(response, max_sse_event_size, None)),
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn parameters_of_challenges() {
        let challenge = r#"Bearer realm="x", error=insufficient_scope, scope="a b", x_scope="no""#;
        assert_eq!(parameter(challenge, "scope").as_deref(), Some("a b"));
        assert_eq!(parameter(challenge, "error").as_deref(), Some("insufficient_scope"));
        assert_eq!(parameter(r#"Bearer x_scope="no""#, "scope"), None);
        assert_eq!(parameter("Bearer", "scope"), None);
    }

    #[test]
    fn origins() {
        let url = |text: &str| Url::parse(text).unwrap();
        let server = url("https://a.example/mcp");
        assert!(is_same_origin(&server, &url("https://a.example:443/other?x")));
        for other in ["http://a.example/mcp", "https://b.example/mcp", "https://a.example:444/mcp"] {
            assert!(!is_same_origin(&server, &url(other)), "{other}");
        }
    }
}
