//! Small requests that are no model calls: token endpoints, device codes, metadata servers.

use std::time::Duration;

use omp_types::Failure;
use reqwest::Method;
use reqwest::header::{ACCEPT, CONTENT_TYPE, HeaderName, HeaderValue};
use serde_json::Value;

use super::{Client, http};
use crate::failure::{fatal, transient};

/// No token endpoint says more than this.
const MAX_BODY: usize = 64 * 1024;

/// What is sent.
#[derive(Clone)]
pub enum PlainBody {
    /// Names and values, as a web form sends them.
    Form(Vec<(String, String)>),
    Json(Value),
    /// Exactly these bytes, because a signature covers them.
    Signed {
        content_type: &'static str,
        text: String,
    },
    /// Bytes that are no text.
    Bytes {
        content_type: &'static str,
        bytes: Vec<u8>,
    },
}

/// One small request. No `Debug`: it may hold a token.
#[derive(Clone)]
pub struct PlainCall {
    method: Method,
    url: String,
    headers: Vec<(String, String)>,
    body: Option<PlainBody>,
    route: Route,
}

/// The way to a server.
#[derive(Clone, Copy, PartialEq, Eq)]
enum Route {
    /// As all requests go.
    Usual,
    /// Past every proxy: the server belongs to this machine.
    Direct,
}

impl PlainCall {
    pub fn get(url: impl Into<String>) -> Self {
        Self::new(Method::GET, url.into(), None)
    }

    pub fn put(url: impl Into<String>) -> Self {
        Self::new(Method::PUT, url.into(), None)
    }

    pub fn post(url: impl Into<String>, body: PlainBody) -> Self {
        Self::new(Method::POST, url.into(), Some(body))
    }

    fn new(method: Method, url: String, body: Option<PlainBody>) -> Self {
        Self { method, url, headers: Vec::new(), body, route: Route::Usual }
    }

    /// Adds a header. Values are never shown.
    pub fn header(mut self, name: impl Into<String>, value: impl Into<String>) -> Self {
        self.headers.push((name.into(), value.into()));
        self
    }

    /// For servers of this machine, which no proxy knows.
    pub fn direct(mut self) -> Self {
        self.route = Route::Direct;
        self
    }
}

/// What came back, whatever the status. No `Debug`: it may hold a token.
pub struct PlainAnswer {
    pub status: u16,
    pub body: String,
}

impl Client {
    /// Posts and reads the whole answer, all within `limit`. Redirects are not followed.
    pub async fn post_plain(
        &self,
        url: &str,
        body: &PlainBody,
        limit: Duration,
    ) -> Result<PlainAnswer, Failure> {
        self.call(&PlainCall::post(url, body.clone()), limit).await
    }

    /// Sends and reads the whole answer, all within `limit`. Redirects are not followed.
    pub async fn call(&self, call: &PlainCall, limit: Duration) -> Result<PlainAnswer, Failure> {
        let place = http::without_secrets(&call.url);
        within(limit, &place, async {
            let response = self.send_plain(call, &place).await?;
            read(response, &place).await
        })
        .await
    }

    /// How the server receives the request; what it says is not read.
    pub async fn status(&self, call: &PlainCall, limit: Duration) -> Result<u16, Failure> {
        let place = http::without_secrets(&call.url);
        within(limit, &place, async { Ok(self.send_plain(call, &place).await?.status().as_u16()) }).await
    }

    async fn send_plain(&self, call: &PlainCall, place: &str) -> Result<reqwest::Response, Failure> {
        let direct = match call.route {
            Route::Usual => None,
            Route::Direct => Some(self.direct().map_err(|error| fatal(error.to_string()))?),
        };
        let client = direct.as_ref().unwrap_or(self);
        let mut request = client.http().request(call.method.clone(), &call.url);
        if !call.headers.iter().any(|(name, _)| name == ACCEPT.as_str()) {
            request = request.header(ACCEPT, "application/json");
        }
        for (name, value) in &call.headers {
            let parsed = HeaderName::from_bytes(name.as_bytes()).ok().zip(HeaderValue::from_str(value).ok());
            let (name, mut value) =
                parsed.ok_or_else(|| fatal(format!("header {name:?} cannot be sent to {place}")))?;
            value.set_sensitive(true);
            request = request.header(name, value);
        }
        if let Some(body) = &call.body {
            let (kind, bytes) = body.encoded();
            request = request.header(CONTENT_TYPE, kind).body(bytes);
        }
        request.send().await.map_err(|error| http::transport_failure(&error, place))
    }
}

async fn within<T>(
    limit: Duration,
    place: &str,
    work: impl Future<Output = Result<T, Failure>>,
) -> Result<T, Failure> {
    match tokio::time::timeout(limit, work).await {
        Ok(outcome) => outcome,
        Err(_) => Err(transient(format!("{place} did not answer within {} seconds", limit.as_secs()))),
    }
}

async fn read(mut response: reqwest::Response, place: &str) -> Result<PlainAnswer, Failure> {
    let status = response.status().as_u16();
    let mut bytes = Vec::new();
    let failed = |error: reqwest::Error| http::transport_failure(&error, place);
    while let Some(chunk) = response.chunk().await.map_err(failed)? {
        bytes.extend_from_slice(&chunk);
        if bytes.len() > MAX_BODY {
            return Err(transient(format!("{place} returned more than 64 KiB")));
        }
    }
    Ok(PlainAnswer { status, body: String::from_utf8_lossy(&bytes).into_owned() })
}

impl PlainBody {
    fn encoded(&self) -> (&'static str, Vec<u8>) {
        match self {
            Self::Form(fields) => ("application/x-www-form-urlencoded", form(fields).into_bytes()),
            Self::Json(value) => ("application/json", value.to_string().into_bytes()),
            Self::Signed { content_type, text } => (content_type, text.clone().into_bytes()),
            Self::Bytes { content_type, bytes } => (content_type, bytes.clone()),
        }
    }
}

fn form(fields: &[(String, String)]) -> String {
    url::form_urlencoded::Serializer::new(String::new()).extend_pairs(fields).finish()
}
