//! WebSockets: how one is opened, and which ones are kept between the requests of a session.

use std::collections::{HashMap, HashSet};
use std::sync::{Mutex, MutexGuard, OnceLock, PoisonError};
use std::time::Duration;

use base64::Engine;
use base64::prelude::BASE64_STANDARD;
use omp_types::Failure;
use reqwest::header::{
    ACCEPT, CONNECTION, CONTENT_TYPE, HeaderMap, HeaderValue, SEC_WEBSOCKET_ACCEPT, SEC_WEBSOCKET_KEY,
    SEC_WEBSOCKET_VERSION, UPGRADE,
};
use ring::digest::{SHA1_FOR_LEGACY_USE_ONLY, digest};
use tokio_tungstenite::WebSocketStream;
use tokio_tungstenite::tungstenite::protocol::{Role, WebSocketConfig};

use super::{ClientOptions, http};
use crate::failure::{fatal, transient};
use crate::model::{Model, Secret};
use crate::wire::codex::SOCKET_BETA;

/// Whether and how WebSockets are used where a provider has them (`providers.openaiWebsockets`).
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct SocketOptions {
    pub mode: SocketMode,
    /// Longest silence inside an answer; zero waits for ever.
    pub idle_timeout: Duration,
    /// How often a connection that breaks before it says anything is opened again.
    pub retry_budget: u32,
    /// The first wait before that; it doubles.
    pub retry_delay: Duration,
}

/// Which transport is used.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub enum SocketMode {
    /// Requests only.
    #[default]
    Off,
    /// A WebSocket, and requests where there is none to be had.
    Auto,
    /// A WebSocket or a failure.
    On,
}

impl SocketMode {
    /// As the setting says it.
    pub fn parse(text: &str) -> Option<Self> {
        match text {
            "off" => Some(Self::Off),
            "auto" => Some(Self::Auto),
            "on" => Some(Self::On),
            _ => None,
        }
    }
}

impl Default for SocketOptions {
    fn default() -> Self {
        Self {
            mode: SocketMode::Off,
            idle_timeout: Duration::from_secs(300),
            retry_budget: 5,
            retry_delay: Duration::from_millis(500),
        }
    }
}

pub(super) type Socket = WebSocketStream<reqwest::Upgraded>;

/// How many sessions keep an idle WebSocket.
const MAX_IDLE: usize = 8;
/// How long a peer may take to hear good-bye.
const GOODBYE: Duration = Duration::from_millis(200);

/// What a WebSocket was opened for; it serves nothing else.
#[derive(Clone, Debug, PartialEq)]
pub(super) struct Purpose {
    url: String,
    model: String,
    key: Option<Secret>,
}

impl Purpose {
    pub(super) fn new(model: &Model, url: &str) -> Self {
        Self { url: url.to_owned(), model: model.id.clone(), key: model.key.clone() }
    }
}

/// WebSockets that wait for the next request of their session, and addresses that have none.
#[derive(Default)]
pub(super) struct Sockets {
    idle: Mutex<HashMap<String, (Purpose, Socket)>>,
    refusing: Mutex<HashSet<String>>,
    http: OnceLock<Option<reqwest::Client>>,
}

impl Sockets {
    fn idle(&self) -> MutexGuard<'_, HashMap<String, (Purpose, Socket)>> {
        self.idle.lock().unwrap_or_else(PoisonError::into_inner)
    }

    /// The session's WebSocket, if it serves this purpose. One that serves another is closed: whoever switches
    /// models starts clean.
    pub(super) async fn take(&self, session: Option<&str>, purpose: Option<&Purpose>) -> Option<Socket> {
        let (kept, mut socket) = self.idle().remove(session?)?;
        if purpose == Some(&kept) {
            return Some(socket);
        }
        // A peer that is gone already needs no good-bye.
        let _ = tokio::time::timeout(GOODBYE, socket.close(None)).await;
        None
    }

    /// Keeps a WebSocket for the next request of its session.
    pub(super) fn keep(&self, session: Option<String>, purpose: Purpose, socket: Socket) {
        let mut idle = self.idle();
        if let Some(session) = session.filter(|session| idle.len() < MAX_IDLE || idle.contains_key(session)) {
            idle.insert(session, (purpose, socket));
        }
    }

    /// Says good-bye to all that are kept, one after the other but not for long. Answers with how many there were.
    pub(super) async fn close(&self) -> usize {
        let kept = std::mem::take(&mut *self.idle());
        let count = kept.len();
        for (_, mut socket) in kept.into_values() {
            let _ = tokio::time::timeout(GOODBYE, socket.close(None)).await;
        }
        count
    }

    /// Was this address found to have no WebSockets?
    pub(super) fn is_refused(&self, url: &str) -> bool {
        self.refusing.lock().unwrap_or_else(PoisonError::into_inner).contains(url)
    }

    pub(super) fn note_refusal(&self, url: &str) {
        self.refusing.lock().unwrap_or_else(PoisonError::into_inner).insert(url.to_owned());
    }

    /// Opens a WebSocket with the headers that a request would have.
    pub(super) async fn open(
        &self,
        options: &ClientOptions,
        url: &str,
        mut headers: HeaderMap,
    ) -> Result<Socket, OpenError> {
        let place = http::without_secrets(url);
        let client = self.http.get_or_init(|| http::upgradable_client(options).ok());
        let client =
            client.as_ref().ok_or_else(|| OpenError::Broken(fatal("cannot set up the HTTP client")))?;
        let key = BASE64_STANDARD.encode(fastrand::u128(..).to_be_bytes());
        handshake(&mut headers, &key);
        let sent = client.get(url).headers(headers).send().await;
        let response = sent.map_err(|error| OpenError::Broken(http::transport_failure(&error, &place)))?;
        let accepted = http::header(response.headers(), SEC_WEBSOCKET_ACCEPT.as_str());
        if response.status() != reqwest::StatusCode::SWITCHING_PROTOCOLS || accepted != Some(&accept(&key)) {
            return Err(OpenError::Refused(response));
        }
        let cause = |error: reqwest::Error| OpenError::Broken(http::transport_failure(&error, &place));
        let upgraded = response.upgrade().await.map_err(cause)?;
        let limit = Some(options.max_event_bytes);
        let config = WebSocketConfig::default().max_message_size(limit).max_frame_size(limit);
        Ok(WebSocketStream::from_raw_socket(upgraded, Role::Client, Some(config)).await)
    }
}

/// Why there is no WebSocket.
pub(super) enum OpenError {
    /// The server answered something else.
    Refused(reqwest::Response),
    Broken(Failure),
}

fn handshake(headers: &mut HeaderMap, key: &str) {
    headers.remove(CONTENT_TYPE);
    headers.remove(ACCEPT);
    headers.insert("openai-beta", HeaderValue::from_static(SOCKET_BETA));
    headers.insert(CONNECTION, HeaderValue::from_static("upgrade"));
    headers.insert(UPGRADE, HeaderValue::from_static("websocket"));
    headers.insert(SEC_WEBSOCKET_VERSION, HeaderValue::from_static("13"));
    if let Ok(key) = HeaderValue::from_str(key) {
        headers.insert(SEC_WEBSOCKET_KEY, key);
    }
}

/// What a server makes of our key when it understood us.
fn accept(key: &str) -> String {
    const GUID: &str = "258EAFA5-E914-47DA-95CA-C5AB0DC85B11";
    BASE64_STANDARD.encode(digest(&SHA1_FOR_LEGACY_USE_ONLY, format!("{key}{GUID}").as_bytes()))
}

/// The connection ended where an answer should be.
pub(super) fn broken(cause: impl std::fmt::Display) -> Failure {
    transient(format!("the WebSocket failed: {cause}"))
}

/// The wait before attempt `tries + 1`.
pub(super) fn backoff(options: SocketOptions, tries: u32) -> Duration {
    const CEILING: Duration = Duration::from_secs(8);
    options.retry_delay.saturating_mul(1 << tries.min(16)).min(CEILING)
}
