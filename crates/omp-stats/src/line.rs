//! What a line of a session file says about a request. Everything else in it is passed over without being kept.

use omp_types::{SideRequest, Usage};
use serde::Deserialize;

/// An answer that took longer was not waited for: the machine slept.
const LONGEST_MS: i64 = 24 * 3600 * 1000;

/// The first line of a file.
#[derive(Deserialize)]
pub(crate) struct Head {
    pub(crate) id: String,
    pub(crate) cwd: String,
}

/// One request to a model.
#[derive(Debug, PartialEq)]
pub(crate) struct Request {
    pub(crate) id: String,
    /// Milliseconds since 1970.
    pub(crate) at: i64,
    pub(crate) provider: String,
    pub(crate) model: String,
    pub(crate) stop: String,
    pub(crate) usage: Usage,
    /// How long the answer took, if that is known.
    pub(crate) duration: Option<i64>,
    /// It was made beside a conversation.
    pub(crate) side: bool,
}

#[derive(Deserialize)]
struct EntryLine<'a> {
    #[serde(default)]
    id: String,
    #[serde(default, borrow)]
    timestamp: Option<std::borrow::Cow<'a, str>>,
    message: Option<Answer>,
}

#[derive(Deserialize)]
#[serde(rename_all = "camelCase")]
struct Answer {
    role: String,
    #[serde(default)]
    provider: String,
    #[serde(default)]
    model: String,
    #[serde(default)]
    stop_reason: String,
    #[serde(default)]
    usage: Usage,
    #[serde(default)]
    timestamp: i64,
}

/// Who a file belongs to, if its first line says so.
pub(crate) fn head(line: &[u8]) -> Option<Head> {
    serde_json::from_slice(line).ok()
}

/// An entry about a request beside the conversation, which later releases of the original write into the session.
#[derive(Deserialize)]
#[serde(rename_all = "camelCase")]
struct ModelUsageLine<'a> {
    #[serde(rename = "type")]
    name: &'a str,
    id: String,
    timestamp: String,
    provider: String,
    model: String,
    #[serde(default)]
    stop_reason: String,
    usage: Usage,
}

/// The request whose answer, or whose usage, a line holds.
pub(crate) fn request(line: &[u8]) -> Option<Request> {
    // Most lines are results of tools, and large.
    if memchr::memmem::find(line, b"\"assistant\"").is_none() {
        return model_usage(line);
    }
    let entry: EntryLine = serde_json::from_slice(line).ok()?;
    let answer = entry.message.filter(|message| message.role == "assistant")?;
    let written = entry.timestamp.as_deref().and_then(|text| text.parse::<jiff::Timestamp>().ok());
    let written = written.map(jiff::Timestamp::as_millisecond);
    let begun = Some(answer.timestamp).filter(|at| *at > 0);
    let duration = written.zip(begun).map(|(written, begun)| written - begun);
    Some(Request {
        id: entry.id,
        at: begun.or(written)?,
        provider: answer.provider,
        model: answer.model,
        stop: answer.stop_reason,
        usage: answer.usage,
        duration: duration.filter(|ms| (0..=LONGEST_MS).contains(ms)),
        side: false,
    })
}

fn model_usage(line: &[u8]) -> Option<Request> {
    memchr::memmem::find(line, b"\"model_usage\"")?;
    let entry: ModelUsageLine<'_> = serde_json::from_slice(line).ok()?;
    let at = entry.timestamp.parse::<jiff::Timestamp>().ok()?.as_millisecond();
    (entry.name == "model_usage").then_some(Request {
        id: entry.id,
        at,
        provider: entry.provider,
        model: entry.model,
        stop: entry.stop_reason,
        usage: entry.usage,
        duration: None,
        side: true,
    })
}

/// The request beside a conversation that a line tells of.
pub(crate) fn side_request(line: &[u8]) -> Option<Request> {
    let SideRequest { id, at, duration_ms, provider, model, stop_reason, usage } =
        serde_json::from_slice(line).ok()?;
    let (at, duration) = (i64::try_from(at).ok()?, i64::try_from(duration_ms).ok());
    let duration = duration.filter(|ms| (0..=LONGEST_MS).contains(ms));
    Some(Request { id, at, provider, model, stop: stop_reason, usage, duration, side: true })
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn only_answers_are_requests() {
        let line = br#"{"type":"message","id":"a1","parentId":null,"timestamp":"2026-01-02T03:04:07.500Z","message":{"role":"assistant","content":[{"type":"text","text":"x"}],"provider":"p","model":"m","stopReason":"stop","usage":{"input":3,"output":2,"cost":{"total":0.5}},"timestamp":1767323045000}}"#;
        let found = request(line).expect("a request");
        assert_eq!((found.id.as_str(), found.at, found.duration), ("a1", 1_767_323_045_000, Some(2500)));
        assert_eq!((found.usage.input, found.usage.output, found.usage.cost.total), (3, 2, 0.5));
        for other in [
            r#"{"type":"message","id":"a","timestamp":"2026-01-02T03:04:07Z","message":{"role":"user","content":"\"assistant\""}}"#,
            r#"{"type":"custom","id":"a","data":{"role":"assistant"}}"#,
            "\"assistant\" {",
            "",
        ] {
            assert_eq!(request(other.as_bytes()), None, "{other}");
        }
    }
}
