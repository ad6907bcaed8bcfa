//! What is plain HTTP: the client, headers, and what failures of the transport are called.

use std::time::Duration;

use omp_types::address::masked;
use omp_types::{Failure, FailureKind};
use reqwest::header::{ACCEPT, AUTHORIZATION, CONTENT_TYPE, HeaderMap, HeaderName, HeaderValue, USER_AGENT};

use super::{ClientError, ClientOptions, ProxySource};
use crate::failure::{fatal, transient};
use crate::model::{Api, Model, Transport};
use crate::shaping::Shaping;
use crate::tls::TlsOptions;
use crate::wire::{self, WireRequest};

pub(super) fn client(options: &ClientOptions) -> Result<reqwest::Client, ClientError> {
    Ok(builder(options)?.build()?)
}

/// For connections that become something else, which HTTP/2 does not know.
pub(super) fn upgradable_client(options: &ClientOptions) -> Result<reqwest::Client, ClientError> {
    Ok(builder(options)?.http1_only().build()?)
}

/// For requests to strangers, who have no business with the certificate that gateways ask for.
pub(super) fn stranger_builder(options: &ClientOptions) -> Result<reqwest::ClientBuilder, ClientError> {
    let tls = TlsOptions { identity: None, ..options.tls.clone() };
    builder(&ClientOptions { tls, ..options.clone() })
}

fn builder(options: &ClientOptions) -> Result<reqwest::ClientBuilder, ClientError> {
    let builder = reqwest::Client::builder()
        .tls_backend_preconfigured(crate::tls::config_with(&options.tls)?)
        .connect_timeout(options.connect_timeout)
        .tcp_nodelay(true)
        // A connection that died while the laptop slept must be noticed, not waited for.
        .http2_keep_alive_interval(Duration::from_secs(20))
        .http2_keep_alive_timeout(Duration::from_secs(20))
        .user_agent(options.user_agent.clone())
        // Following would turn the request into a GET or take `x-api-key` to a stranger.
        .redirect(reqwest::redirect::Policy::none());
    Ok(match &options.proxy {
        ProxySource::Environment => builder,
        ProxySource::Url(url) => builder.proxy(reqwest::Proxy::all(url)?),
        ProxySource::Direct => builder.no_proxy(),
    })
}

pub(super) fn headers(model: &Model, request: &WireRequest) -> Result<HeaderMap, Failure> {
    let mut headers = HeaderMap::new();
    headers.insert(CONTENT_TYPE, HeaderValue::from_static("application/json"));
    headers.insert(ACCEPT, HeaderValue::from_static("text/event-stream"));
    for (name, value) in &request.headers {
        insert(&mut headers, name, value)?;
    }
    if let Some(key) = wire::proof(model) {
        let (name, text) =
            match key_header(model.api).filter(|_| !model.bearer && model.transport == Transport::Provider) {
                Some(name) => (HeaderName::from_static(name), key.reveal().to_owned()),
                None => (AUTHORIZATION, format!("Bearer {}", key.reveal())),
            };
        let mut value = HeaderValue::from_str(&text).map_err(|_| {
            fatal(format!(
                "the key of provider {} contains characters that cannot be sent in a header",
                model.provider
            ))
        })?;
        value.set_sensitive(true);
        headers.insert(name, value);
    }
    for (name, value) in &model.headers {
        // Betas add up; every other header of the user replaces ours.
        let ours = header(&headers, name).filter(|_| name.eq_ignore_ascii_case("anthropic-beta"));
        let value = ours.map_or_else(|| value.clone(), |ours| format!("{ours},{value}"));
        insert(&mut headers, name, &value)?;
    }
    shape(&mut headers, &model.shaping)?;
    Ok(headers)
}

/// The user's last word on the headers.
fn shape(headers: &mut HeaderMap, shaping: &Shaping) -> Result<(), Failure> {
    let stripped: Vec<HeaderName> =
        headers.keys().filter(|name| shaping.strips(name.as_str())).cloned().collect();
    for name in stripped {
        headers.remove(name);
    }
    for (name, value) in &shaping.set_headers {
        match value {
            Some(value) => insert(headers, name, value)?,
            // The client names itself where nothing else is said; an empty name is as little as can be said.
            None if name == USER_AGENT.as_str() => insert(headers, name, "")?,
            None => drop(headers.remove(name.as_str())),
        }
    }
    Ok(())
}

/// The header a wire has for keys, if it has one of its own.
fn key_header(api: Api) -> Option<&'static str> {
    match api {
        Api::AnthropicMessages => Some("x-api-key"),
        Api::AzureOpenAiResponses => Some("api-key"),
        Api::GoogleGenerativeAi | Api::GoogleVertex => Some("x-goog-api-key"),
        _ => None,
    }
}

fn insert(headers: &mut HeaderMap, name: &str, value: &str) -> Result<(), Failure> {
    let parsed = HeaderName::from_bytes(name.as_bytes()).ok().zip(HeaderValue::from_str(value).ok());
    let (name, value) =
        parsed.ok_or_else(|| fatal(format!("header {name:?} of the provider is not a valid HTTP header")))?;
    headers.insert(name, value);
    Ok(())
}

pub(super) fn header<'a>(headers: &'a HeaderMap, name: &str) -> Option<&'a str> {
    headers.get(name).and_then(|value| value.to_str().ok())
}

/// In lower case, without parameters.
pub(crate) fn content_type(response: &reqwest::Response) -> String {
    let full = header(response.headers(), "content-type").unwrap_or_default();
    full.split(';').next().unwrap_or_default().trim().to_ascii_lowercase()
}

pub(super) fn redirect_target(response: &reqwest::Response) -> Option<String> {
    let target = header(response.headers(), "location").filter(|_| response.status().is_redirection())?;
    Some(without_secrets(target))
}

/// An address as it may be shown: no user, no password, no query.
pub(crate) fn without_secrets(address: &str) -> String {
    let Ok(mut url) = url::Url::parse(address) else { return masked(address).into_owned() };
    url.set_query(None);
    url.set_fragment(None);
    // Both fail only for addresses that cannot have a user.
    let _ = url.set_username("");
    let _ = url.set_password(None);
    url.to_string()
}

pub(crate) fn transport_failure(error: &reqwest::Error, place: &str) -> Failure {
    let cause = deepest_cause(error);
    if error.is_builder() {
        return fatal(format!("{place} is not a valid address: {cause}"));
    }
    if cause.contains("certificate") {
        // Asking again does not make a stranger trustworthy.
        return fatal(format!(
            "the certificate of {place} is not trusted: {cause} (for your own server, set SSL_CERT_FILE to \
             the file of its certificate authority)"
        ));
    }
    if cause.contains("fatal alert") && (cause.contains("Certificate") || cause.contains("UnknownCA")) {
        // Nor does it make us known.
        return fatal(format!(
            "{place} requires a client certificate: {cause} (check CLAUDE_CODE_CLIENT_CERT and \
             CLAUDE_CODE_CLIENT_KEY)"
        ));
    }
    if error.is_connect() && is_local(place) && is_refused(error) {
        let message = format!("cannot connect to {place}: nothing is listening there");
        return Failure { kind: FailureKind::NotListening, message, status: None, retry_after_ms: None };
    }
    if error.is_connect() {
        return transient(format!("cannot connect to {place}: {cause}"));
    }
    if error.is_timeout() {
        return transient(format!("{place} timed out: {cause}"));
    }
    transient(format!("network error with {place}: {cause}"))
}

/// Is the address one of this machine? A server that is not running there does not start while somebody waits.
fn is_local(place: &str) -> bool {
    match url::Url::parse(place).ok().as_ref().and_then(url::Url::host) {
        Some(url::Host::Domain(name)) => name == "localhost" || name.ends_with(".localhost"),
        Some(url::Host::Ipv4(address)) => address.is_loopback() || address.is_unspecified(),
        Some(url::Host::Ipv6(address)) => address.is_loopback() || address.is_unspecified(),
        None => false,
    }
}

fn is_refused(error: &reqwest::Error) -> bool {
    let mut cause: Option<&dyn std::error::Error> = Some(error);
    while let Some(error) = cause {
        let refused = |error: &std::io::Error| error.kind() == std::io::ErrorKind::ConnectionRefused;
        if error.downcast_ref().is_some_and(refused) {
            return true;
        }
        cause = error.source();
    }
    false
}

/// reqwest nests the useful sentence three levels deep.
pub(super) fn deepest_cause(error: &dyn std::error::Error) -> String {
    let mut cause = error;
    while let Some(source) = cause.source() {
        cause = source;
    }
    cause.to_string()
}
