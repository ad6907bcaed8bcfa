//! Tokens of half an hour, traded for the token of an account: GitHub Copilot's way.

use std::time::Duration;

use indexmap::IndexMap;
use omp_llm::{Client, PlainCall, Secret};
use serde_json::Value;

use crate::credential::{Extra, Tokens};
use crate::token::{Refusal, endpoint, short};

const LIMIT: Duration = Duration::from_secs(30);

/// Asks for a token of the moment. The account's own token becomes what renews it.
pub(crate) async fn trade(
    client: &Client,
    url: &str,
    headers: &IndexMap<String, String>,
    account: &Secret,
    now_ms: u64,
) -> Result<Tokens, Refusal> {
    let call = PlainCall::get(url).header("authorization", format!("token {}", account.reveal()));
    let call = headers.iter().fold(call, |call, (name, value)| call.header(name, value));
    let answer = client.call(&call, LIMIT).await.map_err(|failure| Refusal::Passing(failure.message))?;
    let value: Value = serde_json::from_str(&answer.body).unwrap_or(Value::Null);
    if answer.status != 200 {
        return Err(refusal(answer.status, &value));
    }
    read(&value, account, now_ms).ok_or_else(|| Refusal::Passing("the response contains no token".to_owned()))
}

/// GitHub explains itself in words, and forbids who asks too often with the same status as who may not ask.
fn refusal(status: u16, value: &Value) -> Refusal {
    let words = value["error_details"]["message"].as_str().or_else(|| value["message"].as_str());
    let words = short(words.unwrap_or_default());
    let text = match words.as_str() {
        "" => format!("status {status}"),
        words => format!("{words} (status {status})"),
    };
    match status {
        401 | 403 | 404 if !words.to_ascii_lowercase().contains("rate limit") => Refusal::Final(text),
        _ => Refusal::Passing(text),
    }
}

fn read(value: &Value, account: &Secret, now_ms: u64) -> Option<Tokens> {
    let access = value["token"].as_str().filter(|token| !token.is_empty())?;
    let expires_ms = value["expires_at"].as_u64().map(|seconds| seconds.saturating_mul(1000));
    Some(Tokens {
        access: Secret::new(access),
        refresh: Some(account.clone()),
        obtained_ms: now_ms,
        expires_ms,
        extra: Extra { project: None, endpoint: value["endpoints"]["api"].as_str().and_then(endpoint) },
    })
}

#[cfg(test)]
mod tests {
    use super::*;
    use serde_json::json;

    #[test]
    fn who_may_not_ask_is_told_from_who_asks_too_often() {
        let last = |status, value: Value| matches!(refusal(status, &value), Refusal::Final(_));
        assert!(last(401, json!({"message": "Bad credentials"})));
        assert!(last(403, json!({"error_details": {"message": "Your subscription has ended."}})));
        assert!(last(404, Value::Null));
        assert!(!last(403, json!({"message": "API rate limit exceeded for user."})));
        assert!(!last(500, Value::Null));
        let text = refusal(403, &json!({"message": "No access."})).sentence().to_owned();
        assert_eq!(text, "No access (status 403)");
    }

    #[test]
    fn an_answer_gives_a_token_its_end_and_a_host() {
        let account = Secret::new("account");
        let value = json!({"token": "t", "expires_at": 20, "endpoints": {"api": "https://api.x.example"}});
        let tokens = read(&value, &account, 5).unwrap();
        assert_eq!((tokens.access.reveal(), tokens.expires_ms), ("t", Some(20_000)));
        assert_eq!(tokens.refresh, Some(account.clone()));
        assert_eq!(tokens.extra.endpoint.as_deref(), Some("https://api.x.example"));
        let open = read(&json!({"token": "t", "endpoints": {"api": "http://x"}}), &account, 5).unwrap();
        assert_eq!((open.extra.endpoint, open.expires_ms), (None, None));
        assert!(read(&json!({}), &account, 5).is_none());
    }
}
