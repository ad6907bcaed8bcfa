//! Google's error bodies (`google.rpc.Status`): what their details say beyond the words.

use omp_types::{Failure, FailureKind};
use serde_json::Value;

use crate::failure;

/// Reads the details of an error body into the failure: the wait the provider asks for, a key it does not know, and
/// whether a quota is one of the minute or of the day.
pub(crate) fn refine(mut failure: Failure, body: &str) -> Failure {
    let Some(error) = parse(body) else { return failure };
    let details = Details::of(&error);
    if failure.retry_after_ms.is_none()
        && let Some(wait) = details.retry_ms
    {
        failure.retry_after_ms = Some(wait);
        failure.message.push_str(&format!(" (retry after {wait} ms)"));
    }
    failure.kind = details.kind(failure.kind);
    failure
}

/// An error that came as an event of the stream.
pub(super) fn in_stream(error: &Value) -> Failure {
    let details = Details::of(error);
    let words = failure::error_value(error).unwrap_or_else(|| error.to_string());
    let text = match error["status"].as_str() {
        Some(status) if !words.contains(status) => format!("{words} [{status}]"),
        _ => words,
    };
    let code = error["code"].as_u64().and_then(|code| u16::try_from(code).ok());
    let kind = match code {
        Some(code) => failure::classify_status(code, &text),
        None => failure::classify_text(&text),
    };
    Failure { kind: details.kind(kind), message: text, status: code, retry_after_ms: details.retry_ms }
}

/// Bodies are an object, or a list of one where the stream had already been promised as a list.
fn parse(body: &str) -> Option<Value> {
    let value: Value = serde_json::from_str(body).ok()?;
    let value = if let Value::Array(list) = value { list.into_iter().next()? } else { value };
    value.get("error").cloned()
}

#[derive(Default)]
struct Details {
    retry_ms: Option<u64>,
    reason: Option<String>,
    daily_quota: bool,
}

impl Details {
    fn of(error: &Value) -> Self {
        let mut details = Self::default();
        for detail in error["details"].as_array().into_iter().flatten() {
            match detail["@type"].as_str().and_then(|kind| kind.rsplit('.').next()) {
                Some("RetryInfo") => details.retry_ms = detail["retryDelay"].as_str().and_then(duration_ms),
                Some("ErrorInfo") => details.reason = detail["reason"].as_str().map(str::to_owned),
                Some("QuotaFailure") => {
                    let violations = detail["violations"].as_array().into_iter().flatten();
                    let mut quotas = violations.filter_map(|violation| violation["quotaId"].as_str());
                    details.daily_quota |= quotas.any(|quota| quota.contains("PerDay"));
                }
                _ => {}
            }
        }
        details
    }

    /// Google words every exhausted quota alike; one that names a short wait is over by itself.
    fn kind(&self, kind: FailureKind) -> FailureKind {
        match kind {
            _ if self.reason.as_deref() == Some("API_KEY_INVALID") => FailureKind::Auth,
            FailureKind::UsageLimit | FailureKind::RateLimit if self.daily_quota => FailureKind::UsageLimit,
            FailureKind::UsageLimit if self.retry_ms.is_some() => FailureKind::RateLimit,
            kind => kind,
        }
    }
}

/// `"3.5s"`, as a `google.protobuf.Duration` is written.
fn duration_ms(text: &str) -> Option<u64> {
    let seconds: f64 = text.strip_suffix('s')?.parse().ok()?;
    (seconds.is_finite() && seconds >= 0.0).then(|| (seconds * 1000.0).ceil() as u64)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn durations_are_read() {
        for (text, expected) in
            [("34s", Some(34_000)), ("0.25s", Some(250)), ("-1s", None), ("soon", None), ("infs", None)]
        {
            assert_eq!(duration_ms(text), expected, "{text}");
        }
    }
}
