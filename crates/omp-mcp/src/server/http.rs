//! Streamable HTTP, for clients on this machine that know the token.

use std::convert::Infallible;
use std::io;
use std::net::SocketAddr;
use std::sync::Arc;
use std::time::Duration;

use bytes::Bytes;
use http::header::{AUTHORIZATION, CONTENT_TYPE, WWW_AUTHENTICATE};
use http::{Request, Response, StatusCode};
use http_body_util::combinators::BoxBody;
use http_body_util::{BodyExt as _, Full, LengthLimitError, Limited};
use hyper::body::Incoming;
use hyper::server::conn::http1;
use hyper::service::service_fn;
use hyper_util::rt::{TokioIo, TokioTimer};
use ring::rand::{SecureRandom as _, SystemRandom};
use rmcp::model::{ErrorData, JsonRpcError};
use rmcp::transport::streamable_http_server::StreamableHttpServerConfig;
use rmcp::transport::streamable_http_server::session::local::LocalSessionManager;
use rmcp::transport::streamable_http_server::tower::StreamableHttpService;
use tokio::net::{TcpListener, TcpStream};
use tokio::sync::Semaphore;
use tokio_util::sync::CancellationToken;

use super::backend::Backend;
use super::handler::{Handler, Shared};
use crate::definition::hex;

/// Where the protocol is spoken.
const PATH: &str = "/mcp";
/// Connections at once; more wait.
const CONNECTIONS: usize = 64;
/// How long a client may take to send the head of a request.
const HEAD: Duration = Duration::from_secs(10);
/// One request.
const BODY: usize = 4 * 1024 * 1024;
/// How long a client may take to send it.
const BODY_TIME: Duration = Duration::from_secs(30);
/// The head of a request.
const HEAD_BYTES: usize = 64 * 1024;
/// How long open requests may take to finish when the server ends.
const FAREWELL: Duration = Duration::from_secs(6);

type Answer = Response<BoxBody<Bytes, Infallible>>;
type Service = StreamableHttpService<Handler, LocalSessionManager>;

/// A name that nobody guesses: 128 bits.
pub fn new_token() -> String {
    let mut bytes = [0; 16];
    // It fails only where the system has no random numbers at all, and there nothing of TLS works either.
    SystemRandom::new().fill(&mut bytes).expect("the system has random numbers");
    hex(&bytes)
}

/// A server that listens.
pub struct HttpServer {
    listener: TcpListener,
    token: String,
}

impl HttpServer {
    /// Listens. An address that others can reach is refused.
    pub async fn bind(address: SocketAddr, token: String) -> io::Result<Self> {
        if !address.ip().is_loopback() {
            let why =
                "only loopback addresses are served: use 127.0.0.1 or [::1], and a tunnel for other machines";
            return Err(io::Error::new(io::ErrorKind::InvalidInput, why));
        }
        Ok(Self { listener: TcpListener::bind(address).await?, token })
    }

    /// Where clients find it.
    pub fn url(&self) -> String {
        match self.listener.local_addr() {
            Ok(address) => format!("http://{address}{PATH}"),
            Err(_) => String::new(),
        }
    }

    /// Serves until `stop` fires.
    pub async fn serve(self, backend: Arc<dyn Backend>, stop: CancellationToken) {
        let shared = Shared::new(backend);
        let config = StreamableHttpServerConfig::default()
            .with_cancellation_token(stop.child_token())
            .with_max_request_body_bytes(BODY)
            .with_allowed_origins(["http://localhost:*", "http://127.0.0.1:*", "http://[::1]:*"])
            .enforce_origin_validation();
        let made = Arc::clone(&shared);
        let service: Service =
            StreamableHttpService::new(move || Ok(Handler::new(&made)), Arc::default(), config);
        let door = Arc::new(Door { service, token: self.token });
        let room = Arc::new(Semaphore::new(CONNECTIONS));
        loop {
            let permit = tokio::select! {
                permit = Arc::clone(&room).acquire_owned() => permit,
                () = stop.cancelled() => break,
            };
            let accepted = tokio::select! {
                accepted = self.listener.accept() => accepted,
                () = stop.cancelled() => break,
            };
            match accepted {
                Ok((stream, _)) => {
                    let (door, stop) = (Arc::clone(&door), stop.clone());
                    tokio::spawn(async move {
                        converse(door, stream, stop).await;
                        drop(permit);
                    });
                }
                // Too many open files: those that are there will be closed.
                Err(_) => tokio::time::sleep(Duration::from_millis(100)).await,
            }
        }
        shared.calls.close();
        let _ = tokio::time::timeout(FAREWELL, room.acquire_many(CONNECTIONS as u32)).await;
    }
}

async fn converse(door: Arc<Door>, stream: TcpStream, stop: CancellationToken) {
    let _ = stream.set_nodelay(true);
    let service = service_fn(move |request| {
        let door = Arc::clone(&door);
        async move { Ok::<_, Infallible>(door.admit(request).await) }
    });
    let connection = http1::Builder::new()
        .timer(TokioTimer::new())
        .header_read_timeout(HEAD)
        .max_buf_size(HEAD_BYTES)
        .serve_connection(TokioIo::new(stream), service);
    tokio::pin!(connection);
    tokio::select! {
        _ = connection.as_mut() => return,
        () = stop.cancelled() => connection.as_mut().graceful_shutdown(),
    }
    let _ = tokio::time::timeout(FAREWELL, connection).await;
}

/// Lets those in who know the token.
struct Door {
    service: Service,
    token: String,
}

impl Door {
    async fn admit(&self, request: Request<Incoming>) -> Answer {
        if !self.knows_token(&request) {
            let mut answer = said(StatusCode::UNAUTHORIZED, "a bearer token is required");
            answer.headers_mut().insert(WWW_AUTHENTICATE, http::HeaderValue::from_static("Bearer"));
            return answer;
        }
        if request.uri().path() != PATH {
            return said(StatusCode::NOT_FOUND, "the server is at /mcp");
        }
        if request.method() != http::Method::POST {
            return self.service.handle(request).await;
        }
        // Read here: the SDK waits for a body for ever, and calls one that is not JSON an unsupported media type.
        let (head, body) = request.into_parts();
        match tokio::time::timeout(BODY_TIME, Limited::new(body, BODY).collect()).await {
            Err(_) => said(StatusCode::REQUEST_TIMEOUT, "the body of the request did not arrive in time"),
            Ok(Err(error)) if error.is::<LengthLimitError>() => {
                said(StatusCode::PAYLOAD_TOO_LARGE, "a request may have at most 4 MiB")
            }
            Ok(Err(_)) => said(StatusCode::BAD_REQUEST, "the body of the request is incomplete"),
            Ok(Ok(body)) => {
                let body = body.to_bytes();
                if let Err(error) = serde_json::from_slice::<serde::de::IgnoredAny>(&body) {
                    return not_json(&error);
                }
                self.service.handle(Request::from_parts(head, Full::new(body))).await
            }
        }
    }

    fn knows_token(&self, request: &Request<Incoming>) -> bool {
        let mut given = request.headers().get_all(AUTHORIZATION).iter();
        let (Some(only), None) = (given.next(), given.next()) else { return false };
        let Some((scheme, token)) = only.to_str().ok().and_then(|value| value.split_once(' ')) else {
            return false;
        };
        // Compared by their digests, which says nothing about where they differ.
        let digest = |text: &str| ring::digest::digest(&ring::digest::SHA256, text.as_bytes());
        scheme.eq_ignore_ascii_case("bearer") && digest(token.trim()).as_ref() == digest(&self.token).as_ref()
    }
}

fn not_json(error: &serde_json::Error) -> Answer {
    let error = ErrorData::parse_error(format!("not JSON: {error}"), None);
    let message = serde_json::to_vec(&JsonRpcError::new(None, error)).unwrap_or_default();
    let mut answer = Response::new(Full::new(Bytes::from(message)).boxed());
    *answer.status_mut() = StatusCode::BAD_REQUEST;
    answer.headers_mut().insert(CONTENT_TYPE, http::HeaderValue::from_static("application/json"));
    answer
}

fn said(status: StatusCode, text: &'static str) -> Answer {
    let mut answer = Response::new(Full::new(Bytes::from_static(text.as_bytes())).boxed());
    *answer.status_mut() = status;
    answer.headers_mut().insert(CONTENT_TYPE, http::HeaderValue::from_static("text/plain"));
    answer
}
