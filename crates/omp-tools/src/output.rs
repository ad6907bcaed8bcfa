//! What every result carries beside its text: where it came from and what was left out of it.

use std::path::Path;

use serde::Serialize;
use serde_json::{Map, Value};

/// The shared limits of a text result.
pub(crate) const MAX_LINES: usize = 3_000;
pub(crate) const MAX_BYTES: usize = 50 * 1024;

/// `details.meta` of a result.
#[derive(Clone, Debug, Default, PartialEq, Serialize)]
#[serde(rename_all = "camelCase")]
pub(crate) struct Meta {
    #[serde(skip_serializing_if = "Option::is_none")]
    pub(crate) source: Option<Source>,
    #[serde(skip_serializing_if = "Option::is_none")]
    pub(crate) truncation: Option<Truncation>,
    #[serde(skip_serializing_if = "Option::is_none")]
    pub(crate) limits: Option<Limits>,
}

#[derive(Clone, Debug, PartialEq, Serialize)]
#[serde(tag = "type", content = "value", rename_all = "lowercase")]
pub(crate) enum Source {
    Path(String),
    /// An internal URL.
    Internal(String),
    /// A web address.
    Url(String),
}

#[derive(Clone, Debug, PartialEq, Serialize)]
#[serde(rename_all = "camelCase")]
pub(crate) struct Truncation {
    pub(crate) direction: Direction,
    pub(crate) truncated_by: TruncatedBy,
    pub(crate) total_lines: u64,
    pub(crate) total_bytes: u64,
    pub(crate) output_lines: u64,
    pub(crate) output_bytes: u64,
    /// The lines shown; of a text with its middle left out, the lines after it.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub(crate) shown_range: Option<ShownRange>,
    /// The lines shown before the part that was left out.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub(crate) head_lines: Option<u64>,
    #[serde(skip_serializing_if = "Option::is_none")]
    pub(crate) next_offset: Option<u64>,
    #[serde(skip_serializing_if = "Option::is_none")]
    pub(crate) artifact_id: Option<String>,
}

/// Which part of the text is shown.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Serialize)]
#[serde(rename_all = "lowercase")]
pub(crate) enum Direction {
    /// Its start.
    Head,
    /// Its end.
    Tail,
    /// Both, without the middle.
    Middle,
}

#[derive(Clone, Copy, Debug, PartialEq, Eq, Serialize)]
#[serde(rename_all = "lowercase")]
pub(crate) enum TruncatedBy {
    Lines,
    Bytes,
}

#[derive(Clone, Copy, Debug, PartialEq, Eq, Serialize)]
pub(crate) struct ShownRange {
    pub(crate) start: u64,
    pub(crate) end: u64,
}

/// Limits other than the size of the text.
#[derive(Clone, Debug, Default, PartialEq, Serialize)]
#[serde(rename_all = "camelCase")]
pub(crate) struct Limits {
    #[serde(skip_serializing_if = "Option::is_none")]
    pub(crate) result_limit: Option<ResultLimit>,
    #[serde(skip_serializing_if = "Option::is_none")]
    pub(crate) column_truncated: Option<ColumnTruncated>,
}

#[derive(Clone, Copy, Debug, PartialEq, Eq, Serialize)]
pub(crate) struct ResultLimit {
    pub(crate) reached: usize,
    pub(crate) suggestion: usize,
}

#[derive(Clone, Copy, Debug, PartialEq, Eq, Serialize)]
#[serde(rename_all = "camelCase")]
pub(crate) struct ColumnTruncated {
    pub(crate) max_column: usize,
}

impl Meta {
    pub(crate) fn of_path(path: &Path) -> Self {
        Self { source: Some(Source::Path(path.to_string_lossy().into_owned())), ..Self::default() }
    }

    fn is_empty(&self) -> bool {
        *self == Self::default()
    }
}

/// Keeps whole lines up to the byte limit.
pub(crate) fn cap(mut text: String) -> (String, Option<Truncation>) {
    if text.len() <= MAX_BYTES {
        return (text, None);
    }
    let count = |text: &str| text.lines().count() as u64;
    let (total_lines, total_bytes) = (count(&text), text.len() as u64);
    let room = (0..=MAX_BYTES).rev().find(|end| text.is_char_boundary(*end)).unwrap_or(0);
    let end = text[..room].rfind('\n').unwrap_or(room);
    text.truncate(end);
    let truncation = Truncation {
        direction: Direction::Head,
        truncated_by: TruncatedBy::Bytes,
        total_lines,
        total_bytes,
        output_lines: count(&text),
        output_bytes: text.len() as u64,
        shown_range: None,
        head_lines: None,
        next_offset: None,
        artifact_id: None,
    };
    text.push_str("\n\n[Truncated at the 50 KB limit]");
    (text, Some(truncation))
}

/// Details of a result: the tool's own fields, and `meta` if it says anything.
#[derive(Default)]
pub(crate) struct Details(Map<String, Value>);

impl Details {
    pub(crate) fn with(mut self, name: &str, value: impl Into<Value>) -> Self {
        self.0.insert(name.to_owned(), value.into());
        self
    }

    pub(crate) fn finish(mut self, meta: &Meta) -> Value {
        if !meta.is_empty() {
            // Plain structures of strings and numbers always have a JSON form.
            self.0.insert("meta".to_owned(), serde_json::to_value(meta).unwrap_or_default());
        }
        Value::Object(self.0)
    }
}
