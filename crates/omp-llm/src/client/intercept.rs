//! Somebody who sees requests as they leave, and may change them.

use std::fmt;
use std::future::Future;
use std::pin::Pin;

use reqwest::header::HeaderMap;
use serde_json::Value;

use super::{Client, exchange::Prepared, http};
use crate::wire;

/// What is never shown of an answer.
const HIDDEN: [&str; 2] = ["set-cookie", "authorization"];

/// Sees the bodies of requests to models and the heads of their answers. Headers of requests, where the key is, are nobody's
/// business.
pub trait Interceptor: Send + Sync + fmt::Debug {
    /// Is the body of a request of interest? Asked before each, so it must cost nothing.
    fn wants_requests(&self) -> bool;

    /// What is sent instead, if it is something else.
    fn request(&self, body: Value) -> Pin<Box<dyn Future<Output = Option<Value>> + Send + '_>>;

    /// Are answers of interest?
    fn wants_answers(&self) -> bool;

    /// The provider has begun to answer.
    fn answered(&self, status: u16, headers: Vec<(String, String)>);
}

/// The request as the interceptor wants it.
pub(super) async fn outgoing(prepared: &mut Prepared) {
    let options = &prepared.client.options;
    let Some(interceptor) = options.interceptor.as_ref().filter(|interceptor| interceptor.wants_requests())
    else {
        return;
    };
    let Ok(body) = serde_json::from_str(&prepared.request.body) else { return };
    if let Some(body) = interceptor.request(body).await {
        prepared.request.body = body.to_string();
        wire::sign_again(&prepared.model, &mut prepared.request, &options.hosts);
    }
}

pub(super) fn answered(client: &Client, status: u16, headers: &HeaderMap) {
    let interceptor = client.options.interceptor.as_ref();
    let Some(interceptor) = interceptor.filter(|interceptor| interceptor.wants_answers()) else { return };
    let shown = headers.keys().map(reqwest::header::HeaderName::as_str).filter(|name| !HIDDEN.contains(name));
    let pair = |name: &str| Some((name.to_owned(), http::header(headers, name)?.to_owned()));
    interceptor.answered(status, shown.filter_map(pair).collect());
}
