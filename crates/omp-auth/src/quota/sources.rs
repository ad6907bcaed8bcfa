//! Who says what an account has left, and how.

use base64::Engine;
use base64::prelude::BASE64_URL_SAFE_NO_PAD;
use jiff::Timestamp;
use omp_llm::{PlainCall, Secret};
use serde_json::Value;

use super::QuotaWindow;

/// A provider that can be asked.
pub(super) struct Source {
    pub(super) provider: &'static str,
    /// The question, at the provider's base address.
    pub(super) ask: fn(base_url: &str, token: &Secret) -> PlainCall,
    /// The windows in the answer.
    pub(super) read: fn(answer: &Value) -> Vec<QuotaWindow>,
}

pub(super) const SOURCES: [Source; 3] = [
    Source { provider: "anthropic", ask: ask_anthropic, read: read_anthropic },
    Source { provider: "openai-codex", ask: ask_codex, read: read_codex },
    Source { provider: "kimi-code", ask: ask_kimi, read: read_kimi },
];

fn bearer(url: String, token: &Secret) -> PlainCall {
    PlainCall::get(url).header("authorization", format!("Bearer {}", token.reveal()))
}

fn ask_anthropic(base_url: &str, token: &Secret) -> PlainCall {
    let base = base_url.trim_end_matches('/').trim_end_matches("/v1");
    bearer(format!("{base}/api/oauth/usage"), token).header("anthropic-beta", "oauth-2025-04-20")
}

/// One object per window, each with a share and an end.
fn read_anthropic(answer: &Value) -> Vec<QuotaWindow> {
    let known = [
        ("five_hour", "5 hours"),
        ("seven_day", "7 days"),
        ("seven_day_opus", "7 days, Opus"),
        ("seven_day_sonnet", "7 days, Sonnet"),
    ];
    let window = |(field, name): (&str, &str)| {
        let window = &answer[field];
        Some(QuotaWindow {
            name: name.to_owned(),
            used_percent: window["utilization"].as_f64()?,
            resets_at: window["resets_at"].as_str().and_then(moment),
        })
    };
    known.into_iter().filter_map(window).collect()
}

fn ask_codex(base_url: &str, token: &Secret) -> PlainCall {
    let call = bearer(format!("{}/wham/usage", base_url.trim_end_matches('/')), token);
    match account_of(token) {
        Some(account) => call.header("chatgpt-account-id", account),
        None => call,
    }
}

/// The account in the claims of an access token.
fn account_of(token: &Secret) -> Option<String> {
    let claims = token.reveal().split('.').nth(1)?;
    let claims = BASE64_URL_SAFE_NO_PAD.decode(claims.trim_end_matches('=')).ok()?;
    let claims: Value = serde_json::from_slice(&claims).ok()?;
    claims["https://api.openai.com/auth"]["chatgpt_account_id"].as_str().map(str::to_owned)
}

/// A short window and a long one, by their lengths in seconds.
fn read_codex(answer: &Value) -> Vec<QuotaWindow> {
    let window = |field: &str| {
        let window = &answer["rate_limit"][field];
        Some(QuotaWindow {
            name: length(window["limit_window_seconds"].as_u64()?),
            used_percent: window["used_percent"].as_f64()?,
            resets_at: window["reset_at"].as_i64().map(|seconds| seconds.saturating_mul(1000)),
        })
    };
    ["primary_window", "secondary_window"].into_iter().filter_map(window).collect()
}

fn ask_kimi(base_url: &str, token: &Secret) -> PlainCall {
    bearer(format!("{}/usages", base_url.trim_end_matches('/')), token)
}

/// The whole subscription, then windows with counts. Counts may be numbers or texts.
fn read_kimi(answer: &Value) -> Vec<QuotaWindow> {
    let whole = counted("subscription".to_owned(), &answer["usage"]);
    let windows = answer["limits"].as_array().into_iter().flatten();
    let windows = windows.filter_map(|limit| {
        let seconds = match limit["window"]["timeUnit"].as_str() {
            Some("TIME_UNIT_HOUR") => 3600,
            Some("TIME_UNIT_DAY") => 86_400,
            _ => 60,
        };
        let name = limit["window"]["duration"].as_u64().map(|count| length(count.saturating_mul(seconds)));
        counted(name.unwrap_or_else(|| "window".to_owned()), &limit["detail"])
    });
    whole.into_iter().chain(windows).collect()
}

fn counted(name: String, counts: &Value) -> Option<QuotaWindow> {
    let number = |value: &Value| value.as_f64().or_else(|| value.as_str()?.parse().ok());
    let limit = number(&counts["limit"]).filter(|limit| *limit > 0.0)?;
    let used = number(&counts["used"]).or_else(|| Some(limit - number(&counts["remaining"])?))?;
    let resets_at = counts["resetTime"].as_str().and_then(moment);
    Some(QuotaWindow { name, used_percent: used * 100.0 / limit, resets_at })
}

fn moment(text: &str) -> Option<i64> {
    text.parse::<Timestamp>().ok().map(Timestamp::as_millisecond)
}

/// A length of time as people say it.
fn length(seconds: u64) -> String {
    match seconds {
        seconds if seconds >= 86_400 && seconds % 86_400 == 0 => counted_noun(seconds / 86_400, "day"),
        seconds if seconds >= 3600 && seconds % 3600 == 0 => counted_noun(seconds / 3600, "hour"),
        seconds => counted_noun(seconds / 60, "minute"),
    }
}

fn counted_noun(count: u64, noun: &str) -> String {
    let plural = if count == 1 { "" } else { "s" };
    format!("{count} {noun}{plural}")
}

#[cfg(test)]
mod tests {
    use super::*;
    use serde_json::json;

    fn names(windows: &[QuotaWindow]) -> Vec<(&str, f64, Option<i64>)> {
        windows.iter().map(|window| (window.name.as_str(), window.used_percent, window.resets_at)).collect()
    }

    #[test]
    fn answers_become_windows() {
        let anthropic = json!({
            "five_hour": {"utilization": 42.0, "resets_at": "1970-01-01T00:00:05Z"},
            "seven_day": {"utilization": 7, "resets_at": null},
            "seven_day_opus": null,
        });
        assert_eq!(
            names(&read_anthropic(&anthropic)),
            [("5 hours", 42.0, Some(5000)), ("7 days", 7.0, None)]
        );
        let codex = json!({"rate_limit": {
            "primary_window": {"used_percent": 12, "limit_window_seconds": 18000, "reset_at": 9},
            "secondary_window": {"used_percent": 3.5, "limit_window_seconds": 604800},
        }});
        assert_eq!(names(&read_codex(&codex)), [("5 hours", 12.0, Some(9000)), ("7 days", 3.5, None)]);
        let kimi = json!({
            "usage": {"limit": "200", "used": "50", "resetTime": "1970-01-01T00:00:07Z"},
            "limits": [{"window": {"duration": 300, "timeUnit": "TIME_UNIT_MINUTE"},
                        "detail": {"limit": 100, "remaining": 75}}, {"detail": {}}],
        });
        let expected = [("subscription", 25.0, Some(7000)), ("5 hours", 25.0, None)];
        assert_eq!(names(&read_kimi(&kimi)), expected);
        for read in [read_anthropic, read_codex, read_kimi] {
            assert!(read(&json!({"error": "x"})).is_empty() && read(&json!([1])).is_empty());
        }
    }
}
