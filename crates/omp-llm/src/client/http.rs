//! What is plain HTTP: the client, headers, and what failures of the transport are called.

use std::time::Duration;

use omp_types::Failure;
use reqwest::header::{ACCEPT, AUTHORIZATION, CONTENT_TYPE, HeaderMap, HeaderName, HeaderValue};

use super::{ClientError, ClientOptions, ProxySource};
use crate::failure::{fatal, transient};
use crate::model::{Api, Model};
use crate::wire::WireRequest;

pub(super) fn client(options: &ClientOptions) -> Result<reqwest::Client, ClientError> {
    let builder = reqwest::Client::builder()
        .tls_backend_preconfigured(crate::tls::config()?)
        .connect_timeout(options.connect_timeout)
        .tcp_nodelay(true)
        // A connection that died while the laptop slept must be noticed, not waited for.
        .http2_keep_alive_interval(Duration::from_secs(20))
        .http2_keep_alive_timeout(Duration::from_secs(20))
        .user_agent(options.user_agent.clone())
        // Following would turn the request into a GET or take `x-api-key` to a stranger.
        .redirect(reqwest::redirect::Policy::none());
    let builder = match &options.proxy {
        ProxySource::Environment => builder,
        ProxySource::Url(url) => builder.proxy(reqwest::Proxy::all(url)?),
        ProxySource::Direct => builder.no_proxy(),
    };
    Ok(builder.build()?)
}

pub(super) fn headers(model: &Model, request: &WireRequest) -> Result<HeaderMap, Failure> {
    let mut headers = HeaderMap::new();
    headers.insert(CONTENT_TYPE, HeaderValue::from_static("application/json"));
    headers.insert(ACCEPT, HeaderValue::from_static("text/event-stream"));
    for (name, value) in &request.headers {
        insert(&mut headers, name, value)?;
    }
    if let Some(key) = &model.key {
        let (name, text) = match key_header(model.api).filter(|_| !model.bearer) {
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
    Ok(headers)
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
pub(super) fn content_type(response: &reqwest::Response) -> String {
    let full = header(response.headers(), "content-type").unwrap_or_default();
    full.split(';').next().unwrap_or_default().trim().to_ascii_lowercase()
}

pub(super) fn redirect_target(response: &reqwest::Response) -> Option<String> {
    let target = header(response.headers(), "location").filter(|_| response.status().is_redirection())?;
    Some(without_secrets(target))
}

/// An address as it may be shown: no user, no password, no query.
pub(super) fn without_secrets(address: &str) -> String {
    let Ok(mut url) = url::Url::parse(address) else { return address.to_owned() };
    url.set_query(None);
    url.set_fragment(None);
    // Both fail only for addresses that cannot have a user.
    let _ = url.set_username("");
    let _ = url.set_password(None);
    url.to_string()
}

pub(super) fn transport_failure(error: &reqwest::Error, place: &str) -> Failure {
    let cause = deepest_cause(error);
    if error.is_builder() {
        return fatal(format!("{place} is not a usable address: {cause}"));
    }
    if cause.contains("certificate") {
        // Asking again does not make a stranger trustworthy.
        return fatal(format!(
            "{place} shows a certificate that this machine does not trust: {cause}. \
             If it is your own server, name its authority's file in SSL_CERT_FILE."
        ));
    }
    if error.is_connect() {
        return transient(format!("cannot connect to {place}: {cause}"));
    }
    if error.is_timeout() {
        return transient(format!("{place} timed out: {cause}"));
    }
    transient(format!("network error with {place}: {cause}"))
}

/// reqwest nests the useful sentence three levels deep.
pub(super) fn deepest_cause(error: &dyn std::error::Error) -> String {
    let mut cause = error;
    while let Some(source) = cause.source() {
        cause = source;
    }
    cause.to_string()
}
