//! One bounded question to a server.

use std::time::Duration;

use reqwest::header::{ACCEPT, AUTHORIZATION, CONTENT_TYPE, HeaderMap, HeaderName, HeaderValue};
use serde::Deserialize;
use serde_json::Value;
use serde_json::value::RawValue;
use tokio::time::Instant;

use super::error::ListError;
use super::listed::{Listed, ListedModel};
use super::source::{DiscoveryKind, Source};
use crate::client::{Client, content_type, transport_failure, without_secrets};
use crate::model::{Api, Secret};

/// No list of models is longer; whoever sends more sends something else.
const MAX_BODY: usize = 16 * 1024 * 1024;

/// Larger answers are read on another thread: a session may be running on this one.
const READ_ASIDE: usize = 128 * 1024;

/// Asks one server questions, all within one budget.
pub(super) struct Asker<'a> {
    client: &'a Client,
    pub(super) source: &'a Source,
    limit: Duration,
    deadline: Instant,
}

/// An answer, still as bytes, and where it came from.
pub(super) struct Answer {
    place: String,
    content_type: String,
    bytes: Vec<u8>,
}

impl<'a> Asker<'a> {
    pub(super) fn new(client: &'a Client, source: &'a Source) -> Self {
        let limit = source.limit();
        Self { client, source, limit, deadline: Instant::now() + limit }
    }

    /// The same server with a fresh budget of several times the usual one: it has shown that it is there.
    pub(super) fn patient(&self, times: u32) -> Self {
        let limit = self.limit.saturating_mul(times).min(super::NETWORK_LIMIT.max(self.limit));
        Self { client: self.client, source: self.source, limit, deadline: Instant::now() + limit }
    }

    pub(super) async fn get(&self, url: &str) -> Result<Answer, ListError> {
        self.in_time(self.send(self.client.http().get(url), url)).await
    }

    pub(super) async fn post(&self, url: &str, body: &Value) -> Result<Answer, ListError> {
        let call = self.client.http().post(url).header(CONTENT_TYPE, "application/json");
        self.in_time(self.send(call.body(body.to_string()), url)).await
    }

    async fn in_time<T>(&self, work: impl Future<Output = Result<T, ListError>>) -> Result<T, ListError> {
        match tokio::time::timeout_at(self.deadline, work).await {
            Ok(result) => result,
            Err(_) => Err(ListError::TimedOut(self.limit)),
        }
    }

    async fn send(&self, call: reqwest::RequestBuilder, url: &str) -> Result<Answer, ListError> {
        let place = without_secrets(url);
        let failed = |error: reqwest::Error| ListError::Transport(transport_failure(&error, &place).message);
        let call = call.header(ACCEPT, "application/json").headers(self.headers()?);
        let mut response = call.send().await.map_err(failed)?;
        if !response.status().is_success() {
            return Err(ListError::Status { place, status: response.status().as_u16() });
        }
        let content_type = content_type(&response);
        let mut bytes = Vec::new();
        while let Some(chunk) = response.chunk().await.map_err(failed)? {
            bytes.extend_from_slice(&chunk);
            if bytes.len() > MAX_BODY {
                return Err(ListError::TooLarge { place, limit: MAX_BODY });
            }
        }
        Ok(Answer { place, content_type, bytes })
    }

    fn headers(&self) -> Result<HeaderMap, ListError> {
        let source = self.source;
        let mut headers = HeaderMap::new();
        if source.kind == DiscoveryKind::Anthropic {
            headers.insert("anthropic-version", HeaderValue::from_static("2023-06-01"));
        }
        if let Some(key) = source.key.as_ref() {
            let own = own_header(source, key);
            let (name, text) = match own {
                Some(name) => (HeaderName::from_static(name), key.reveal().to_owned()),
                None => (AUTHORIZATION, format!("Bearer {}", key.reveal())),
            };
            let mut value = HeaderValue::from_str(&text).map_err(|_| ListError::Key)?;
            value.set_sensitive(true);
            headers.insert(name, value);
            if key.is_anthropic_oauth() {
                headers.insert("anthropic-beta", HeaderValue::from_static("oauth-2025-04-20"));
            }
        }
        for (name, value) in &source.headers {
            let parsed = HeaderName::from_bytes(name.as_bytes()).ok().zip(HeaderValue::from_str(value).ok());
            let (name, mut value) = parsed.ok_or_else(|| ListError::Header(name.clone()))?;
            value.set_sensitive(true);
            headers.insert(name, value);
        }
        Ok(headers)
    }
}

/// The header a server has for keys, if it has one of its own.
fn own_header(source: &Source, key: &Secret) -> Option<&'static str> {
    if source.bearer || key.is_anthropic_oauth() {
        return None;
    }
    match (source.kind, source.api) {
        (DiscoveryKind::Anthropic, _) => Some("x-api-key"),
        (DiscoveryKind::Google, _) => Some("x-goog-api-key"),
        (_, Some(Api::AzureOpenAiResponses)) => Some("api-key"),
        _ => None,
    }
}

/// The names under which servers send their lists; llama.cpp sends both.
#[derive(Deserialize)]
struct Lists<'a> {
    #[serde(borrow)]
    data: Option<&'a RawValue>,
    #[serde(borrow)]
    models: Option<&'a RawValue>,
}

impl Answer {
    /// The whole answer, for small ones.
    pub(super) fn json(&self) -> Result<Value, ListError> {
        serde_json::from_slice(&self.bytes).map_err(|_| self.no_list())
    }

    /// Reads the entries of a list one by one, so that one that is odd does not spoil the others.
    pub(super) async fn entries(
        self,
        read: impl Fn(&Value) -> Option<ListedModel> + Send + 'static,
    ) -> Result<Listed, ListError> {
        if self.bytes.len() <= READ_ASIDE {
            return self.read_entries(read);
        }
        let place = self.place.clone();
        let reading = tokio::task::spawn_blocking(move || self.read_entries(read));
        reading.await.unwrap_or_else(|_| Err(ListError::NoList { place, what: "unreadable data".to_owned() }))
    }

    fn read_entries(&self, read: impl Fn(&Value) -> Option<ListedModel>) -> Result<Listed, ListError> {
        let entries = self.raw_entries().ok_or_else(|| self.no_list())?;
        let models = entries.into_iter().map(|entry| {
            let value: Value = serde_json::from_str(entry.get()).ok()?;
            read(&value)
        });
        Ok(Listed::collect(models))
    }

    fn raw_entries(&self) -> Option<Vec<&RawValue>> {
        let inside: Option<Lists<'_>> = serde_json::from_slice(&self.bytes).ok();
        let fields = inside.map(|lists| [lists.data, lists.models]).unwrap_or_default();
        match fields.into_iter().flatten().find(|field| field.get().starts_with('[')) {
            Some(list) => serde_json::from_str(list.get()).ok(),
            None => serde_json::from_slice(&self.bytes).ok(),
        }
    }

    fn no_list(&self) -> ListError {
        let what = match self.content_type.as_str() {
            "" | "application/json" => "unexpected data".to_owned(),
            other => other.chars().filter(|letter| letter.is_ascii_graphic()).take(60).collect(),
        };
        ListError::NoList { place: self.place.clone(), what }
    }
}
