//! What a provider's failure means: the class decides whether the loop retries, switches or gives up.

use omp_types::{Failure, FailureKind};

/// Classes an HTTP answer by its status and the provider's own words.
pub fn classify_status(status: u16, text: &str) -> FailureKind {
    if let Some(kind) = by_words(text) {
        return kind;
    }
    match status {
        401 | 403 => FailureKind::Auth,
        408 | 409 | 425 | 500 | 502 | 503 | 504 | 520..=524 | 529 => FailureKind::Transient,
        413 => FailureKind::ContextOverflow,
        429 => FailureKind::RateLimit,
        _ => classify_text(text),
    }
}

/// Classes a failure that came without a status: an error event in a stream, a broken connection.
pub fn classify_text(text: &str) -> FailureKind {
    if let Some(kind) = by_words(text) {
        return kind;
    }
    let text = text.to_ascii_lowercase();
    if contains_any(&text, &RATE_LIMIT) {
        return FailureKind::RateLimit;
    }
    if contains_any(&text, &TRANSIENT) {
        return FailureKind::Transient;
    }
    FailureKind::Fatal
}

/// Words that say more than any status code.
fn by_words(text: &str) -> Option<FailureKind> {
    let text = text.to_ascii_lowercase();
    if contains_any(&text, &CONTEXT_OVERFLOW) {
        return Some(FailureKind::ContextOverflow);
    }
    if contains_any(&text, &USAGE_LIMIT) {
        return Some(FailureKind::UsageLimit);
    }
    let stale_item = text.contains("item with id") && text.contains("not found");
    let previous = text.contains("previous response") || text.contains("previous_response");
    if stale_item || (previous && contains_any(&text, &["not found", "invalid", "expired"])) {
        return Some(FailureKind::StaleState);
    }
    None
}

const CONTEXT_OVERFLOW: [&str; 10] = [
    "prompt is too long",
    "context length",
    "context_length",
    "context window",
    "maximum context",
    "input is too long",
    "input length and `max_tokens` exceed",
    "too many tokens",
    "exceeds the available context size",
    "reduce the length of the messages",
];

const USAGE_LIMIT: [&str; 6] = [
    "usage limit",
    "usage_limit",
    "insufficient_quota",
    "exceeded your current quota",
    "credit balance is too low",
    "out of credits",
];

const RATE_LIMIT: [&str; 4] = ["rate limit", "rate_limit", "too many requests", "429"];

const TRANSIENT: [&str; 24] = [
    "overloaded",
    "500",
    "502",
    "503",
    "504",
    "529",
    "service unavailable",
    "service_unavailable",
    "internal error",
    "internal server error",
    "internal_error",
    "server_error",
    "api_error",
    "try again",
    "retry your request",
    "please retry",
    "network",
    "socket",
    "connection",
    "timed out",
    "timeout",
    "time-out",
    "fetch failed",
    "terminated",
];

fn contains_any(text: &str, words: &[&str]) -> bool {
    words.iter().any(|word| text.contains(word))
}

/// How long the provider asks us to wait, from the headers in use: `retry-after-ms`, `retry-after` (seconds or a
/// date), `x-ratelimit-reset-ms`, `x-ratelimit-reset` (seconds from now, or a point in time).
pub fn retry_after_ms<'a>(header: impl Fn(&str) -> Option<&'a str>, now_ms: u64) -> Option<u64> {
    let number = |name: &str| header(name).and_then(|value| value.trim().parse::<f64>().ok()).filter(|n| *n >= 0.0);
    if let Some(ms) = number("retry-after-ms") {
        return Some(ms.ceil() as u64);
    }
    if let Some(seconds) = number("retry-after") {
        return Some((seconds * 1000.0).ceil() as u64);
    }
    if let Some(date) = header("retry-after").and_then(|value| httpdate::parse_http_date(value.trim()).ok()) {
        let at = date.duration_since(std::time::UNIX_EPOCH).map_or(0, |since| since.as_millis() as u64);
        return Some(at.saturating_sub(now_ms));
    }
    if let Some(ms) = number("x-ratelimit-reset-ms") {
        return Some(relative(ms.ceil() as u64, now_ms));
    }
    number("x-ratelimit-reset").map(|seconds| relative((seconds * 1000.0).ceil() as u64, now_ms))
}

/// Reset headers hold a duration or a point in time; nothing that small is a date of our century.
fn relative(value_ms: u64, now_ms: u64) -> u64 {
    const EARLIEST_DATE_MS: u64 = 1_000_000_000_000;
    if value_ms >= EARLIEST_DATE_MS { value_ms.saturating_sub(now_ms) } else { value_ms }
}

/// The sentence a person reads: status, the provider's words, and the wait it asked for.
pub(crate) fn from_status(status: u16, reason: &str, body: &str, retry_after_ms: Option<u64>) -> Failure {
    let provider_text = error_text(body);
    let mut message = format!("{status}");
    if !reason.is_empty() {
        message.push(' ');
        message.push_str(reason);
    }
    if !provider_text.is_empty() {
        message.push_str(": ");
        message.push_str(&provider_text);
    }
    if let Some(ms) = retry_after_ms {
        message.push_str(&format!(" (retry after {ms} ms)"));
    }
    Failure { kind: classify_status(status, &provider_text), message, status: Some(status), retry_after_ms }
}

/// Finds the human text in the error bodies in use: `{error: {message, type}}`, `{error: "…"}`, `{message}`,
/// or whatever text there is, shortened.
pub(crate) fn error_text(body: &str) -> String {
    let parsed: Option<serde_json::Value> = serde_json::from_str(body).ok();
    if let Some(value) = &parsed {
        let error = value.get("error").unwrap_or(value);
        let text = error.as_str().or_else(|| error.get("message").and_then(|m| m.as_str()));
        if let Some(text) = text {
            let label = ["code", "type"].iter().find_map(|key| error.get(key).and_then(|code| code.as_str()));
            return match label {
                Some(label) if !text.contains(label) => shorten(&format!("{text} [{label}]")),
                _ => shorten(text),
            };
        }
    }
    let text = body.trim();
    if text.starts_with('<') {
        return "the server answered with a web page, not with the API's error format".to_owned();
    }
    shorten(text)
}

fn shorten(text: &str) -> String {
    const LIMIT: usize = 2000;
    if text.len() <= LIMIT {
        return text.to_owned();
    }
    let mut end = LIMIT;
    while !text.is_char_boundary(end) {
        end -= 1;
    }
    format!("{}…", &text[..end])
}

#[cfg(test)]
mod tests {
    use super::*;

    // proves: LOP-030
    #[test]
    fn transient_failures_are_told_from_final_ones() {
        for status in [500, 502, 503, 504, 529, 408] {
            assert_eq!(classify_status(status, ""), FailureKind::Transient, "{status}");
        }
        assert_eq!(classify_status(429, "slow down"), FailureKind::RateLimit);
        for text in [
            "Overloaded",
            "overloaded_error: try later",
            "Service Unavailable",
            "Internal error encountered",
            "An error occurred, please retry your request",
            "network error",
            "socket hang up",
            "connection reset by peer",
            "Request timed out",
            "fetch failed",
            "terminated",
            "upstream said 503",
        ] {
            assert_eq!(classify_text(text), FailureKind::Transient, "{text}");
        }
        assert_eq!(classify_text("Rate limit reached"), FailureKind::RateLimit);
        assert_eq!(classify_text("You have hit your usage limit"), FailureKind::UsageLimit);
        for (status, text) in [(400, "invalid schema"), (404, "no such model"), (422, "bad value")] {
            assert_eq!(classify_status(status, text), FailureKind::Fatal, "{text}");
        }
        assert_eq!(classify_status(401, "bad key"), FailureKind::Auth);
        assert_eq!(classify_status(400, "prompt is too long: 210000 tokens"), FailureKind::ContextOverflow);
        assert_eq!(classify_status(500, "maximum context length is 8192"), FailureKind::ContextOverflow);
        assert_eq!(classify_status(404, "Item with id 'rs_1' not found."), FailureKind::StaleState);
        assert_eq!(classify_status(400, "Previous response with id 'x' not found"), FailureKind::StaleState);
    }

    #[test]
    fn every_documented_header_is_understood() {
        let now = 1_800_000_000_000;
        let ask = |name: &'static str, value: &'static str| {
            retry_after_ms(move |wanted| (wanted == name).then_some(value), now)
        };
        assert_eq!(ask("retry-after-ms", "1500"), Some(1500));
        assert_eq!(ask("retry-after", "2"), Some(2000));
        assert_eq!(ask("retry-after", "0.5"), Some(500));
        assert_eq!(ask("retry-after", "Fri, 15 Jan 2027 08:00:10 GMT"), Some(10_000));
        assert_eq!(ask("retry-after", "soon"), None);
        assert_eq!(ask("x-ratelimit-reset-ms", "250"), Some(250));
        assert_eq!(ask("x-ratelimit-reset", "3"), Some(3000));
        assert_eq!(ask("x-ratelimit-reset", "1800000004"), Some(4000));
        assert_eq!(ask("other", "3"), None);
    }

    #[test]
    fn error_bodies_are_read_in_every_form() {
        assert_eq!(error_text(r#"{"error":{"message":"no","type":"bad"}}"#), "no [bad]");
        assert_eq!(error_text(r#"{"error":"no"}"#), "no");
        assert_eq!(error_text(r#"{"type":"error","error":{"type":"overloaded_error","message":"Overloaded"}}"#), "Overloaded [overloaded_error]");
        assert!(error_text("<html>").contains("web page"));
        assert_eq!(error_text("plain"), "plain");
    }
}
