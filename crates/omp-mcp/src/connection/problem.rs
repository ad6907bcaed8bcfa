//! Errors of the SDK in our words.

use std::error::Error;

use rmcp::service::{ClientInitializeError, ServiceError};
use rmcp::transport::AuthError;
use rmcp::transport::DynamicTransportError;
use rmcp::transport::streamable_http_client::{
    AuthRequiredError, InsufficientScopeError, StreamableHttpError,
};

use crate::error::{CallError, ConnectError};
use crate::limits;
use crate::log::Log;
use crate::transport::sse::{SseTransportError, reason};
use crate::transport::stdio::StdioError;

type HttpFailure = StreamableHttpError<reqwest::Error>;

/// What a failed transport means.
pub(super) enum TransportProblem {
    Login(String),
    Scope {
        challenge: String,
        scope: Option<String>,
    },
    Unreachable(String),
    Refused(String),
    /// The address is not one of streamable HTTP: an older server may be there.
    NotStreamable(String),
    Other(String),
}

fn find<T: Error + 'static>(error: &DynamicTransportError) -> Option<&T> {
    let mut next: Option<&(dyn Error + 'static)> = Some(error.error.as_ref());
    while let Some(error) = next {
        if let Some(found) = error.downcast_ref() {
            return Some(found);
        }
        next = error.source();
    }
    None
}

pub(super) fn of_transport(error: &DynamicTransportError) -> TransportProblem {
    if let Some(login) = find::<AuthRequiredError>(error) {
        return TransportProblem::Login(login.www_authenticate_header.clone());
    }
    if let Some(scope) = find::<InsufficientScopeError>(error) {
        let (challenge, scope) = (scope.www_authenticate_header.clone(), scope.required_scope.clone());
        return TransportProblem::Scope { challenge, scope };
    }
    if let Some(SseTransportError::Login) = find::<SseTransportError>(error) {
        return TransportProblem::Login("Bearer".to_owned());
    }
    if let Some(AuthError::AuthorizationRequired) = find::<AuthError>(error) {
        return TransportProblem::Login("Bearer".to_owned());
    }
    if let Some(pipe) = find::<StdioError>(error) {
        return TransportProblem::Other(pipe.to_string());
    }
    // The SDK does not name the cause of this one, and its own words repeat the address with everything secret in it.
    let of_client = match find::<HttpFailure>(error) {
        Some(StreamableHttpError::Client(request)) => Some(request),
        _ => None,
    };
    if let Some(request) = of_client.or_else(|| find::<reqwest::Error>(error)) {
        let reason = limits::shortened(&reason(request), limits::QUOTE);
        return match request.is_redirect() {
            true => TransportProblem::Refused(reason),
            false => TransportProblem::Unreachable(reason),
        };
    }
    match find::<HttpFailure>(error) {
        Some(StreamableHttpError::UnexpectedServerResponse(text)) if is_not_streamable(text) => {
            TransportProblem::NotStreamable(text.to_string())
        }
        Some(StreamableHttpError::UnexpectedServerResponse(text)) => {
            TransportProblem::Other(text.to_string())
        }
        Some(StreamableHttpError::UnexpectedContentType(kind)) => {
            let kind = kind.as_deref().unwrap_or("no content type");
            TransportProblem::NotStreamable(format!("the response is not MCP ({kind})"))
        }
        _ => TransportProblem::Other(limits::shortened(&reason(error.error.as_ref()), limits::QUOTE)),
    }
}

fn is_not_streamable(text: &str) -> bool {
    ["HTTP 400", "HTTP 404", "HTTP 405", "HTTP 406", "HTTP 415"].iter().any(|status| text.starts_with(status))
}

/// Why a connection was not made, and whether the address might be one of the older event stream.
pub(super) struct Startup {
    pub(super) error: ConnectError,
    pub(super) maybe_older: bool,
    /// The first question was no question for it: it went away, or answered something else.
    pub(super) confused: bool,
}

pub(super) fn of_startup(error: &ClientInitializeError, address: &str, log: &Log) -> Startup {
    let plain = |error| Startup { error, maybe_older: false, confused: false };
    match error {
        ClientInitializeError::LegacyFallbackFailed { fallback, .. } => of_startup(fallback, address, log),
        ClientInitializeError::TransportError { error, .. } => of_failed_transport(error, address, log),
        ClientInitializeError::ConnectionClosed(_) => closed(log),
        ClientInitializeError::JsonRpcError(error) => Startup {
            // What a plain web server says to the handshake is an error of the transport, made one of the protocol.
            maybe_older: is_not_streamable(&error.message),
            error: ConnectError::Refused(limits::shortened(&error.message, limits::QUOTE)),
            confused: false,
        },
        ClientInitializeError::NoCompatibleProtocolVersion { client_supported, server_supported } => {
            let list = |versions: &[rmcp::model::ProtocolVersion]| {
                let names: Vec<&str> = versions.iter().take(8).map(|version| version.as_str()).collect();
                if names.is_empty() { "none that it names".to_owned() } else { names.join(", ") }
            };
            plain(ConnectError::Revision { server: list(server_supported), ours: list(client_supported) })
        }
        ClientInitializeError::Cancelled => plain(ConnectError::Cancelled),
        other => Startup {
            error: ConnectError::Nonsense(limits::shortened(&other.to_string(), 200)),
            maybe_older: false,
            confused: true,
        },
    }
}

fn closed(log: &Log) -> Startup {
    let detail = log.last().map(|line| format!(": {line}")).unwrap_or_default();
    Startup { error: ConnectError::Closed { detail }, maybe_older: false, confused: true }
}

fn of_failed_transport(error: &DynamicTransportError, address: &str, log: &Log) -> Startup {
    let plain = |error| Startup { error, maybe_older: false, confused: false };
    match of_transport(error) {
        TransportProblem::Login(challenge) | TransportProblem::Scope { challenge, .. } => {
            plain(ConnectError::NeedsLogin { challenge })
        }
        TransportProblem::Unreachable(reason) => {
            plain(ConnectError::Unreachable { address: address.to_owned(), reason })
        }
        TransportProblem::Refused(reason) => plain(ConnectError::Refused(reason)),
        TransportProblem::NotStreamable(text) => {
            Startup { error: ConnectError::Http(text), maybe_older: true, confused: false }
        }
        TransportProblem::Other(_) if address.is_empty() => closed(log),
        TransportProblem::Other(text) => plain(ConnectError::Http(text)),
    }
}

pub(super) fn of_request(error: &ServiceError) -> CallError {
    match error {
        ServiceError::McpError(error) => CallError::Answer {
            code: error.code.0,
            message: limits::shortened(&error.message, limits::DESCRIPTION),
        },
        ServiceError::TransportSend(error) => match of_transport(error) {
            TransportProblem::Login(challenge) => CallError::NeedsLogin { challenge },
            TransportProblem::Scope { challenge, scope } => CallError::NeedsScope { scope, challenge },
            TransportProblem::Unreachable(reason)
            | TransportProblem::Refused(reason)
            | TransportProblem::NotStreamable(reason)
            | TransportProblem::Other(reason) => CallError::Transport(reason),
        },
        ServiceError::TransportClosed => CallError::Closed,
        ServiceError::Timeout { timeout } => CallError::TimedOut(*timeout),
        ServiceError::Cancelled { .. } => CallError::Cancelled,
        ServiceError::InputRequiredRoundsExceeded { max_rounds } => CallError::Rounds(*max_rounds),
        other => CallError::Nonsense(limits::shortened(&other.to_string(), limits::QUOTE)),
    }
}
