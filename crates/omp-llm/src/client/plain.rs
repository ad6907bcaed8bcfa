//! Small requests that are no model calls: token endpoints, device codes.

use std::time::Duration;

use omp_types::Failure;
use reqwest::header::{ACCEPT, CONTENT_TYPE};
use serde_json::Value;

use super::{Client, http};
use crate::failure::transient;

/// No token endpoint says more than this.
const MAX_BODY: usize = 64 * 1024;

/// What is sent.
#[derive(Clone)]
pub enum PlainBody {
    /// Names and values, as a web form sends them.
    Form(Vec<(String, String)>),
    Json(Value),
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
        let place = http::without_secrets(url);
        match tokio::time::timeout(limit, self.exchange_plain(url, body, &place)).await {
            Ok(answer) => answer,
            Err(_) => Err(transient(format!("{place} did not answer within {} seconds", limit.as_secs()))),
        }
    }

    async fn exchange_plain(&self, url: &str, body: &PlainBody, place: &str) -> Result<PlainAnswer, Failure> {
        let (kind, text) = match body {
            PlainBody::Form(fields) => ("application/x-www-form-urlencoded", form(fields)),
            PlainBody::Json(value) => ("application/json", value.to_string()),
        };
        let call = self.http().post(url).header(CONTENT_TYPE, kind).header(ACCEPT, "application/json");
        let failed = |error: reqwest::Error| http::transport_failure(&error, place);
        let mut response = call.body(text).send().await.map_err(failed)?;
        let status = response.status().as_u16();
        let mut bytes = Vec::new();
        while let Some(chunk) = response.chunk().await.map_err(failed)? {
            bytes.extend_from_slice(&chunk);
            if bytes.len() > MAX_BODY {
                return Err(transient(format!("{place} answered with more than 64 KiB")));
            }
        }
        Ok(PlainAnswer { status, body: String::from_utf8_lossy(&bytes).into_owned() })
    }
}

fn form(fields: &[(String, String)]) -> String {
    url::form_urlencoded::Serializer::new(String::new()).extend_pairs(fields).finish()
}
