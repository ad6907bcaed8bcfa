//! What a provider's failure means: the class decides whether the loop retries, switches or gives up.

use omp_types::{Failure, FailureKind};
use serde_json::Value;

/// Classes an HTTP answer by its status and the provider's own words.
pub fn classify_status(status: u16, text: &str) -> FailureKind {
    let lower = text.to_ascii_lowercase();
    match status {
        // Rate limits are counted in tokens too, so their texts sound like an overflow and are none.
        429 if contains_any(&lower, &USAGE_LIMIT) => FailureKind::UsageLimit,
        429 => FailureKind::RateLimit,
        _ => by_words(&lower).unwrap_or_else(|| by_status(status)),
    }
}

fn by_status(status: u16) -> FailureKind {
    match status {
        401 | 403 => FailureKind::Auth,
        402 => FailureKind::UsageLimit,
        413 => FailureKind::ContextOverflow,
        408 | 409 | 425 | 500 | 502..=504 | 520..=524 | 529 => FailureKind::Transient,
        // The server says that the request is wrong: numbers and words in the text do not make it transient.
        _ => FailureKind::Fatal,
    }
}

/// Classes a failure that came without a status: an error event in a stream, a broken connection.
pub fn classify_text(text: &str) -> FailureKind {
    let text = text.to_ascii_lowercase();
    if let Some(kind) = by_words(&text) {
        return kind;
    }
    if contains_any(&text, &RATE_LIMIT) || mentions(&text, "429") {
        return FailureKind::RateLimit;
    }
    if contains_any(&text, &TRANSIENT) || TRANSIENT_CODES.iter().any(|code| mentions(&text, code)) {
        return FailureKind::Transient;
    }
    FailureKind::Fatal
}

/// Words that say more than any status code. The text is in lower case.
fn by_words(text: &str) -> Option<FailureKind> {
    if contains_any(text, &CONTEXT_OVERFLOW) {
        return Some(FailureKind::ContextOverflow);
    }
    if contains_any(text, &USAGE_LIMIT) {
        return Some(FailureKind::UsageLimit);
    }
    let stale_item = text.contains("item with id") && text.contains("not found");
    let unreadable = text.contains("encrypted content") && text.contains("could not be");
    let previous = text.contains("previous response") || text.contains("previous_response");
    if stale_item
        || unreadable
        || text.contains("invalid_encrypted_content")
        || (previous && contains_any(text, &["not found", "invalid", "expired"]))
    {
        return Some(FailureKind::StaleState);
    }
    None
}

const CONTEXT_OVERFLOW: [&str; 18] = [
    "exceeds the maximum number of tokens",
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
    "maximum prompt length",
    "prompt token count of",
    "exceeded model token limit",
    "prompt exceeds max length",
    "range of input length should be",
    "longer than the maximum model length",
    "inputs tokens + max_new_tokens must be",
];

const USAGE_LIMIT: [&str; 8] = [
    "usage limit",
    "usage_limit",
    "insufficient_quota",
    "insufficient balance",
    "insufficient credits",
    "exceeded your current quota",
    "credit balance is too low",
    "out of credits",
];

const RATE_LIMIT: [&str; 3] = ["rate limit", "rate_limit", "too many requests"];

const TRANSIENT: [&str; 19] = [
    "overloaded",
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

const TRANSIENT_CODES: [&str; 5] = ["500", "502", "503", "504", "529"];

fn contains_any(text: &str, words: &[&str]) -> bool {
    words.iter().any(|word| text.contains(word))
}

/// Is the code there as a word of its own? "503" in "port 15031" is not.
fn mentions(text: &str, code: &str) -> bool {
    text.split(|c: char| !c.is_ascii_alphanumeric()).any(|word| word == code)
}

/// How long the provider asks us to wait, from the headers in use: `retry-after-ms`, `retry-after` (seconds or a
/// date), `x-ratelimit-reset-ms`, `x-ratelimit-reset` (seconds from now, or a point in time).
pub fn retry_after_ms<'a>(header: impl Fn(&str) -> Option<&'a str>, now_ms: u64) -> Option<u64> {
    let number = |name: &str| {
        header(name).and_then(|value| value.trim().parse::<f64>().ok()).filter(|n| n.is_finite() && *n >= 0.0)
    };
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
/// `{detail}`, or whatever text there is, shortened.
pub(crate) fn error_text(body: &str) -> String {
    let parsed: Option<Value> = serde_json::from_str(body).ok();
    // Google wraps its error in a list of one where it had promised a list.
    let parsed = parsed.map(|value| value.get(0).cloned().unwrap_or(value));
    if let Some(text) = parsed.as_ref().and_then(|value| error_value(value.get("error").unwrap_or(value))) {
        return text;
    }
    let text = body.trim();
    if text.starts_with('<') {
        return "the server returned a web page instead of an API error".to_owned();
    }
    shorten(text)
}

/// The words of an error object, with its code where the words leave it out.
pub(crate) fn error_value(error: &Value) -> Option<String> {
    let member = |key: &&str| error.get(key).and_then(Value::as_str).filter(|text| !text.is_empty());
    let text = error.as_str().or_else(|| ["message", "detail"].iter().find_map(member))?;
    match ["code", "type"].iter().find_map(member) {
        Some(label) if !text.contains(label) => Some(shorten(&format!("{text} [{label}]"))),
        _ => Some(shorten(text)),
    }
}

pub(crate) fn fatal(message: impl Into<String>) -> Failure {
    plain(FailureKind::Fatal, message.into())
}

pub(crate) fn transient(message: impl Into<String>) -> Failure {
    plain(FailureKind::Transient, message.into())
}

/// A request that would be refused for want of credentials.
pub(crate) fn unauthorized(message: impl Into<String>) -> Failure {
    plain(FailureKind::Auth, message.into())
}

pub(crate) fn refusal(message: impl Into<String>) -> Failure {
    plain(FailureKind::Refusal, message.into())
}

/// An error the provider sent inside the stream; its own words decide the class.
pub(crate) fn from_provider(text: &str) -> Failure {
    plain(classify_text(text), text.to_owned())
}

/// An event that is not JSON of the expected shape ends the stream; it is never skipped silently.
pub(crate) fn malformed(error: &serde_json::Error) -> Failure {
    fatal(format!("the stream sent data that is not valid for this API ({error})"))
}

/// The connection closed before the answer was complete.
pub(crate) fn cut_short() -> Failure {
    transient("the connection ended before the answer was complete")
}

pub(crate) fn aborted() -> Failure {
    plain(FailureKind::Aborted, "Request was aborted".to_owned())
}

fn plain(kind: FailureKind, message: String) -> Failure {
    Failure { kind, message, status: None, retry_after_ms: None }
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
        assert_eq!(classify_status(400, "at most 500 items, try again with fewer"), FailureKind::Fatal);
        assert_eq!(classify_text("no such port: 15031"), FailureKind::Fatal);
        assert_eq!(classify_status(429, "too many tokens per minute"), FailureKind::RateLimit);
        assert_eq!(classify_status(429, "insufficient_quota"), FailureKind::UsageLimit);
        assert_eq!(classify_status(402, "pay first"), FailureKind::UsageLimit);
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
        assert_eq!(ask("retry-after", "inf"), None);
        assert_eq!(ask("retry-after", "-3"), None);
        assert_eq!(ask("x-ratelimit-reset-ms", "250"), Some(250));
        assert_eq!(ask("x-ratelimit-reset", "3"), Some(3000));
        assert_eq!(ask("x-ratelimit-reset", "1800000004"), Some(4000));
        assert_eq!(ask("other", "3"), None);
    }

    #[test]
    fn error_bodies_are_read_in_every_form() {
        assert_eq!(error_text(r#"{"error":{"message":"no","type":"bad"}}"#), "no [bad]");
        assert_eq!(error_text(r#"{"error":"no"}"#), "no");
        assert_eq!(
            error_text(r#"{"type":"error","error":{"type":"overloaded_error","message":"Overloaded"}}"#),
            "Overloaded [overloaded_error]"
        );
        assert_eq!(error_text(r#"{"detail":"Not Found"}"#), "Not Found");
        assert!(error_text("<html>").contains("web page"));
        assert_eq!(error_text("plain"), "plain");
    }

    /// What providers say about a request that does not fit.
    /// proves: CMP-021
    #[test]
    fn every_provider_is_understood_when_it_has_no_room() {
        for text in [
            // Anthropic
            "prompt is too long: 210000 tokens > 200000 maximum",
            "input length and `max_tokens` exceed context limit: 190000 + 21333 > 200000",
            // OpenAI
            "This model's maximum context length is 128000 tokens. However, your messages resulted in 140000 tokens.",
            "Your input exceeds the context window of this model. Please adjust your input and try again.",
            "context_length_exceeded",
            // Google
            "The input token count (1200000) exceeds the maximum number of tokens allowed (1048576).",
            // Amazon Bedrock
            "Input is too long for requested model.",
            // OpenRouter
            "This endpoint's maximum context length is 131072 tokens. However, you requested about 140000 tokens",
            // xAI, Groq, GitHub Copilot, Mistral, MiniMax, Kimi, Z.AI, Qwen, Together
            "This model's maximum prompt length is 131072 but the request contains 537812 tokens.",
            "Please reduce the length of the messages or completion.",
            "prompt token count of 130000 exceeds the limit of 128000",
            "Prompt contains 40000 tokens, too large for model with 32768 maximum context length",
            "invalid params, context window exceeds limit",
            "Your request exceeded model token limit: 262144 (requested: 300000)",
            "Prompt exceeds max length",
            "Range of input length should be [1, 30720]",
            "`inputs tokens + max_new_tokens must be <= 4097`",
            // llama.cpp, Ollama, LM Studio, vLLM
            "the request exceeds the available context size, try increasing it",
            "prompt too long; exceeded max context length by 5 tokens",
            "the model is loaded with context length of only 4096 tokens, which is not enough",
            "The decoder prompt (length 5000) is longer than the maximum model length of 4096",
        ] {
            assert_eq!(classify_status(400, text), FailureKind::ContextOverflow, "{text}");
            assert_eq!(classify_text(text), FailureKind::ContextOverflow, "{text}");
        }
        assert_eq!(classify_status(413, "Request Entity Too Large"), FailureKind::ContextOverflow);
        assert_ne!(classify_status(429, "too many tokens per minute"), FailureKind::ContextOverflow);
    }
}
