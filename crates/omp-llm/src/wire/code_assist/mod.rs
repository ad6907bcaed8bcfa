//! Google's Cloud Code Assist (`google-gemini-cli`): the body and the events of [`super::google`], each in an envelope.
//!
//! `POST <base>/v1internal:streamGenerateContent?alt=sse`. The key is what a login hands out: a token and the project
//! that pays for the request.

use omp_types::{Failure, ModelRequest};
use serde::Deserialize;
use serde_json::value::RawValue;
use serde_json::{Map, Value};

use super::google;
use crate::answer::Answer;
use crate::failure::malformed;
use crate::hosts::CodeAssistOptions;
use crate::model::{Model, Secret};
use crate::sse::SseEvent;
use crate::wire::{Decode, Progress, WireRequest, join};

/// Who is asked to do what about a key that is no account.
pub(super) const NO_ACCOUNT: &str = "the key does not name an account with a project; log in with `omp login \
    google-gemini-cli` or `omp login google-antigravity`, or write the key as {\"token\":\"…\",\"projectId\":\"…\"}";

/// What a login hands out.
pub(super) struct Account {
    pub(super) token: Secret,
    project: String,
}

impl Account {
    /// `None` for anything that is not a token with its project.
    pub(super) fn of(key: &Secret) -> Option<Self> {
        #[derive(Deserialize)]
        #[serde(rename_all = "camelCase")]
        struct Written {
            token: String,
            project_id: String,
        }
        let written: Written = serde_json::from_str(key.reveal()).ok()?;
        let complete = !written.token.is_empty() && !written.project_id.is_empty();
        complete.then(|| Self { token: Secret::new(written.token), project: written.project_id })
    }
}

/// What is the same in every request comes first, the conversation last, as everywhere.
pub(super) fn encode(model: &Model, request: &ModelRequest, options: &CodeAssistOptions) -> WireRequest {
    let (inside, names) = google::body(model, request);
    let mut body = Map::new();
    body.insert("model".into(), google::model_name(model).into());
    if let Some(account) = model.key.as_ref().and_then(Account::of) {
        body.insert("project".into(), account.project.into());
    }
    body.insert("userAgent".into(), "omp".into());
    body.insert("request".into(), inside.into());
    WireRequest {
        url: join(&model.base_url, "/v1internal:streamGenerateContent?alt=sse"),
        headers: vec![("user-agent", user_agent(options))],
        body: Value::Object(body).to_string(),
        names,
    }
}

/// Our own name first, then the program whose door this is.
fn user_agent(options: &CodeAssistOptions) -> String {
    let version = &options.client_version;
    let (system, machine) = (std::env::consts::OS, std::env::consts::ARCH);
    format!("omp/{} GeminiCLI/{version} ({system}; {machine})", env!("CARGO_PKG_VERSION"))
}

/// Takes the chunks out of their envelopes. Errors come without one.
#[derive(Default)]
pub(super) struct Decoder {
    inside: google::Decoder,
}

#[derive(Deserialize)]
struct Envelope<'a> {
    #[serde(default, borrow)]
    response: Option<&'a RawValue>,
}

impl Decode for Decoder {
    fn event(&mut self, event: SseEvent<'_>, answer: &mut Answer) -> Result<Progress, Failure> {
        let envelope: Envelope<'_> = serde_json::from_str(event.data).map_err(|error| malformed(&error))?;
        let data = envelope.response.map_or(event.data, RawValue::get);
        self.inside.event(SseEvent { name: event.name, data }, answer)
    }

    fn end(&mut self, answer: &mut Answer) -> Result<(), Failure> {
        self.inside.end(answer)
    }
}
