//! Requests. Following redirections is the script's side of it (`js/node/omp/fetch.js`).

use std::cell::OnceCell;
use std::rc::Rc;

use futures_util::future::LocalBoxFuture;
use reqwest::header::{HeaderName, HeaderValue};
use serde_json::{Value, json};
use tokio::sync::Mutex;

use super::{Arguments, NOTHING, Op, OpError, Outcome, Reply};
use crate::engine::Connector;
use crate::state::State;
use crate::unit::Touch;

pub(super) const OPS: &[(&str, Op)] = &[("http.request", Op::Later(request)), ("http.body", Op::Later(body))];

/// The client of an engine, made with its first request.
#[derive(Default)]
pub(crate) struct Http {
    connector: Option<Connector>,
    client: OnceCell<Result<reqwest::Client, String>>,
}

impl Http {
    pub(crate) fn new(connector: Option<Connector>) -> Self {
        Self { connector, client: OnceCell::new() }
    }

    fn client(&self) -> Result<&reqwest::Client, OpError> {
        let client = self.client.get_or_init(|| {
            let builder =
                self.connector
                    .as_ref()
                    .ok_or_else(|| "this program has no network for scripts".to_owned())?()?;
            builder.redirect(reqwest::redirect::Policy::none()).build().map_err(|error| error.to_string())
        });
        client.as_ref().map_err(OpError::new)
    }
}

/// A response whose body is not read yet.
struct Response(Mutex<reqwest::Response>);

fn failed(error: &reqwest::Error) -> OpError {
    let mut words = error.to_string();
    let mut source = std::error::Error::source(error);
    while let Some(inner) = source {
        words = inner.to_string();
        source = inner.source();
    }
    let refused = matches!(io_kind(error), Some(std::io::ErrorKind::ConnectionRefused));
    let code = if error.is_timeout() {
        "UND_ERR_CONNECT_TIMEOUT"
    } else if refused {
        "ECONNREFUSED"
    } else if words.contains("dns") || words.contains("lookup") || words.contains("resolve") {
        "ENOTFOUND"
    } else if words.contains("reset") {
        "ECONNRESET"
    } else {
        "UND_ERR_SOCKET"
    };
    OpError::new(words).with("code", code)
}

/// The kind of the error of the system below, if there is one.
fn io_kind(error: &reqwest::Error) -> Option<std::io::ErrorKind> {
    let mut source = std::error::Error::source(error);
    while let Some(inner) = source {
        if let Some(io) = inner.downcast_ref::<std::io::Error>()
            && io.raw_os_error().is_some()
        {
            return Some(io.kind());
        }
        source = inner.source();
    }
    None
}

fn request(state: Rc<State>, arguments: Arguments) -> LocalBoxFuture<'static, Outcome> {
    Box::pin(async move {
        let client = state.http.client()?;
        let url =
            reqwest::Url::parse(arguments.text("url")).map_err(|error| OpError::new(error.to_string()))?;
        state.shared.touch(Touch::Host, url.host_str().unwrap_or_default());
        let method = reqwest::Method::from_bytes(arguments.text("method").as_bytes())
            .map_err(|_| OpError::new("unknown method"))?;
        let mut request = client.request(method, url);
        for pair in arguments.json.get("headers").and_then(Value::as_array).into_iter().flatten() {
            let text = |at: usize| pair.get(at).and_then(Value::as_str).unwrap_or_default();
            let name = HeaderName::from_bytes(text(0).as_bytes())
                .map_err(|_| OpError::new("invalid header name"))?;
            let value = HeaderValue::from_bytes(text(1).as_bytes())
                .map_err(|_| OpError::new("invalid header value"))?;
            request = request.header(name, value);
        }
        if let Some(bytes) = arguments.bytes {
            request = request.body(bytes);
        }
        let response = request.send().await.map_err(|error| failed(&error))?;
        let headers: Vec<Value> = response
            .headers()
            .iter()
            .map(|(name, value)| json!([name.as_str(), String::from_utf8_lossy(value.as_bytes())]))
            .collect();
        let status = response.status();
        let text = status.canonical_reason().unwrap_or_default();
        let id = state.keep(Rc::new(Response(Mutex::new(response))));
        Ok(Reply::Json(
            json!({ "id": id, "status": status.as_u16(), "statusText": text, "headers": headers }),
        ))
    })
}

/// The next bytes of a body; nothing at its end.
fn body(state: Rc<State>, arguments: Arguments) -> LocalBoxFuture<'static, Outcome> {
    Box::pin(async move {
        let Some(response) = state.resource::<Response>(arguments.id()) else { return NOTHING };
        let chunk = response.0.lock().await.chunk().await.map_err(|error| failed(&error))?;
        match chunk {
            Some(bytes) => Ok(Reply::Bytes(bytes.to_vec())),
            None => {
                state.release(arguments.id());
                NOTHING
            }
        }
    })
}
