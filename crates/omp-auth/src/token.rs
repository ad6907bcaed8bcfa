//! The token endpoint: what it is asked and what its answers mean.

use std::time::Duration;

use base64::Engine;
use base64::engine::general_purpose::URL_SAFE_NO_PAD;
use omp_llm::{Client, PlainBody, Secret};
use serde_json::{Map, Value};

use crate::credential::{Extra, Tokens};
use crate::logins::{Encoding, Login};

/// A token endpoint that needs longer is asked again later.
const LIMIT: Duration = Duration::from_secs(30);

/// How the endpoint refused.
#[derive(Debug)]
pub(crate) enum Refusal {
    /// It will never say yes to this.
    Final(String),
    /// Network, overload, nonsense: another time it may work.
    Passing(String),
}

impl Refusal {
    pub(crate) fn sentence(&self) -> &str {
        match self {
            Self::Final(text) | Self::Passing(text) => text,
        }
    }
}

/// What the endpoint gave.
pub(crate) struct Granted {
    pub(crate) tokens: Tokens,
    pub(crate) identity: Option<String>,
}

/// Asks for tokens. `fields` begin with `grant_type`.
pub(crate) async fn request(
    client: &Client,
    login: &Login,
    mut fields: Vec<(String, String)>,
    now_ms: u64,
) -> Result<Granted, Refusal> {
    if let Some(secret) = &login.client_secret {
        fields.push(("client_secret".to_owned(), secret.reveal().to_owned()));
    }
    let body = encode(login.encoding, fields);
    let answer = client.post_plain(&login.token_url, &body, LIMIT).await;
    let answer = answer.map_err(|failure| Refusal::Passing(failure.message))?;
    let value: Value = serde_json::from_str(&answer.body).unwrap_or(Value::Null);
    // Some servers refuse with status 200.
    if answer.status != 200 || value.get("error").is_some() {
        return Err(refusal(answer.status, &value));
    }
    granted(&value, now_ms)
        .ok_or_else(|| Refusal::Passing("the response contains no access token".to_owned()))
}

pub(crate) fn encode(encoding: Encoding, fields: Vec<(String, String)>) -> PlainBody {
    match encoding {
        Encoding::Form => PlainBody::Form(fields),
        Encoding::Json => {
            let members = fields.into_iter().map(|(name, value)| (name, Value::String(value)));
            PlainBody::Json(Value::Object(members.collect::<Map<_, _>>()))
        }
    }
}

/// The error's code and a sentence. Bodies are not quoted beyond that: they may repeat what was sent.
pub(crate) fn refusal(status: u16, value: &Value) -> Refusal {
    let error = &value["error"];
    let member = |name: &str| error[name].as_str().or_else(|| value[name].as_str());
    let code = error.as_str().or_else(|| member("code")).or_else(|| member("type")).unwrap_or_default();
    let words = value["error_description"].as_str().or_else(|| member("message"));
    let text = match (code, words) {
        ("", None) => format!("status {status}"),
        (code, None) => format!("{code}, status {status}"),
        ("", Some(words)) => format!("{}, status {status}", short(words)),
        (code, Some(words)) => format!("{} ({code}, status {status})", short(words)),
    };
    if is_final(status, code, words.unwrap_or_default()) {
        Refusal::Final(text)
    } else {
        Refusal::Passing(text)
    }
}

fn is_final(status: u16, code: &str, words: &str) -> bool {
    const CODES: [&str; 6] = [
        "invalid_grant",
        "invalid_token",
        "unauthorized_client",
        "access_denied",
        "refresh_token_reused",
        "refresh_token_invalidated",
    ];
    let revoked = words.to_ascii_lowercase().contains("revoked");
    let said = CODES.contains(&code) || (revoked && (400..500).contains(&status));
    // A proxy that forbids everything sends 403 without a word of OAuth.
    said || (matches!(status, 401 | 403) && !code.is_empty())
}

pub(crate) fn short(words: &str) -> String {
    const LIMIT: usize = 200;
    let line: String = words.chars().filter(|letter| !letter.is_control()).take(LIMIT).collect();
    line.trim_end_matches('.').to_owned()
}

fn granted(value: &Value, now_ms: u64) -> Option<Granted> {
    let text = |name: &str| value[name].as_str().filter(|text| !text.is_empty());
    let access = text("access_token")?;
    let lifetime = value["expires_in"].as_f64().or_else(|| text("expires_in")?.parse().ok());
    let lifetime = lifetime.filter(|seconds| seconds.is_finite() && *seconds >= 0.0);
    let expires_ms = lifetime.map(|seconds| now_ms.saturating_add((seconds * 1000.0) as u64));
    let tokens = Tokens {
        access: Secret::new(access),
        refresh: text("refresh_token").map(Secret::new),
        obtained_ms: now_ms,
        expires_ms,
        extra: Extra { project: None, endpoint: text("resource_url").and_then(endpoint) },
    };
    Some(Granted { identity: identity(value), tokens })
}

/// A host that a server names for an account's requests. Tokens go nowhere in the open.
pub(crate) fn endpoint(text: &str) -> Option<String> {
    let text = if text.contains("://") { text.to_owned() } else { format!("https://{text}") };
    let url = url::Url::parse(&text).ok().filter(|url| url.scheme() == "https" && url.has_host())?;
    Some(url.as_str().trim_end_matches('/').to_owned())
}

/// Whose account it is, in the words of the answer or of the tokens in it.
fn identity(value: &Value) -> Option<String> {
    let own = ["email_address", "uuid"].iter().find_map(|name| value["account"][name].as_str());
    let claims = ["id_token", "access_token"].iter().filter_map(|name| claims(value[name].as_str()?));
    own.map(str::to_owned).or_else(|| claims.into_iter().find_map(|claims| named_by(&claims)))
}

fn named_by(claims: &Value) -> Option<String> {
    let text = |value: &Value| value.as_str().filter(|text| !text.is_empty()).map(str::to_owned);
    text(&claims["email"])
        .or_else(|| text(&claims["https://api.openai.com/auth"]["chatgpt_account_id"]))
        .or_else(|| text(&claims["sub"]))
}

/// The claims of a JSON Web Token. They only tell accounts apart, so the signature does not matter.
fn claims(token: &str) -> Option<Value> {
    let payload = token.split('.').nth(1)?;
    serde_json::from_slice(&URL_SAFE_NO_PAD.decode(payload.trim_end_matches('=')).ok()?).ok()
}

#[cfg(test)]
mod tests {
    use super::*;
    use serde_json::json;

    #[test]
    fn final_refusals_are_told_from_passing_ones() {
        let last = |status, value: Value| matches!(refusal(status, &value), Refusal::Final(_));
        assert!(last(400, json!({"error": "invalid_grant"})));
        assert!(last(401, json!({"error": {"code": "refresh_token_reused", "message": "used"}})));
        assert!(last(400, json!({"error": {"type": "x", "message": "The token was REVOKED."}})));
        assert!(last(403, json!({"error": "forbidden"})));
        assert!(!last(403, Value::Null), "a proxy, not the server");
        assert!(!last(400, json!({"error": "temporarily_unavailable"})));
        assert!(!last(429, json!({"error": "rate_limited"})));
        assert!(!last(500, json!({"error": "server_error", "error_description": "revoked cache"})));
        assert!(!last(503, Value::Null));
    }

    #[test]
    fn answers_are_read_in_the_forms_in_use() {
        let payload = |claims: Value| format!("h.{}.s", URL_SAFE_NO_PAD.encode(claims.to_string()));
        let given =
            granted(&json!({"access_token": "a", "expires_in": 10, "account": {"email_address": "m@x"}}), 5);
        let given = given.unwrap();
        assert_eq!((given.tokens.expires_ms, given.identity.as_deref()), (Some(10_005), Some("m@x")));
        assert_eq!(given.tokens.refresh, None);
        let jwt = payload(json!({"email": "j@x", "sub": "1"}));
        let given = granted(&json!({"access_token": "a", "refresh_token": "r", "id_token": jwt}), 5).unwrap();
        assert_eq!((given.tokens.expires_ms, given.identity.as_deref()), (None, Some("j@x")));
        let jwt = payload(json!({"https://api.openai.com/auth": {"chatgpt_account_id": "acc"}}));
        let given = granted(&json!({"access_token": jwt, "expires_in": "60"}), 0).unwrap();
        assert_eq!((given.tokens.expires_ms, given.identity.as_deref()), (Some(60_000), Some("acc")));
        assert!(granted(&json!({"access_token": ""}), 0).is_none());
        let hostile = granted(&json!({"access_token": "a", "expires_in": 1e300}), 9).unwrap();
        assert_eq!(hostile.tokens.expires_ms, Some(u64::MAX));
    }

    #[test]
    fn what_a_server_says_is_shortened_and_harmless() {
        let long = "x\u{1b}[31m".repeat(500);
        let refused = refusal(400, &json!({"error": "invalid_grant", "error_description": long}));
        assert!(refused.sentence().len() < 300 && !refused.sentence().contains('\u{1b}'));
    }
}
