//! What servers find wrong with a file.

use std::collections::HashSet;

use serde::{Deserialize, Serialize};
use serde_json::Value;

use crate::position::Range;

/// Diagnostics of one file that are kept.
pub(crate) const MOST: usize = 1_000;
/// The longest message that is kept, in bytes.
const LONGEST: usize = 4 * 1024;

/// How bad it is, the worst first.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord, Hash, Serialize)]
#[serde(rename_all = "lowercase")]
pub enum Severity {
    Error,
    Warning,
    Info,
    Hint,
}

impl Severity {
    /// The word for it.
    pub fn name(self) -> &'static str {
        match self {
            Self::Error => "error",
            Self::Warning => "warning",
            Self::Info => "info",
            Self::Hint => "hint",
        }
    }
}

/// One thing that a server found.
#[derive(Clone, Debug, PartialEq, Serialize)]
pub struct Diagnostic {
    pub range: Range,
    pub severity: Severity,
    pub message: String,
    /// Who says so: the server itself or a tool behind it.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub source: Option<String>,
    #[serde(skip_serializing_if = "Option::is_none")]
    pub code: Option<String>,
    /// As the server sent it, for questions about it.
    #[serde(skip)]
    pub raw: Value,
}

#[derive(Deserialize)]
struct Raw {
    #[serde(default)]
    range: Range,
    #[serde(default)]
    severity: Option<u8>,
    #[serde(default)]
    message: String,
    #[serde(default)]
    source: Option<String>,
    #[serde(default)]
    code: Option<Value>,
}

impl Diagnostic {
    /// Reads a list. What is not a diagnostic is skipped.
    pub(crate) fn list(value: &Value) -> Vec<Self> {
        let items = value.as_array().map(Vec::as_slice).unwrap_or_default();
        items.iter().take(MOST).filter_map(Self::parse).collect()
    }

    fn parse(value: &Value) -> Option<Self> {
        let raw = Raw::deserialize(value).ok()?;
        let severity = match raw.severity {
            Some(2) => Severity::Warning,
            Some(3) => Severity::Info,
            Some(4) => Severity::Hint,
            _ => Severity::Error,
        };
        let code = raw.code.and_then(|code| match code {
            Value::String(text) => Some(text),
            Value::Number(number) => Some(number.to_string()),
            _ => None,
        });
        let kept = if raw.message.len() > LONGEST { Value::Null } else { value.clone() };
        let message = shortened(raw.message);
        Some(Self { range: raw.range, severity, message, source: raw.source, code, raw: kept })
    }
}

fn shortened(mut text: String) -> String {
    if text.len() > LONGEST {
        let end = (0..=LONGEST).rev().find(|end| text.is_char_boundary(*end)).unwrap_or(0);
        text.truncate(end);
        text.push('…');
    }
    text
}

/// Puts the findings of several servers together: equal ones once, the worst first, then by place.
pub fn merge(lists: impl IntoIterator<Item = Vec<Diagnostic>>, deduplicate: bool) -> Vec<Diagnostic> {
    let mut seen = HashSet::new();
    let mut all: Vec<Diagnostic> = lists
        .into_iter()
        .flatten()
        .filter(|one| !deduplicate || seen.insert((one.range, one.message.clone())))
        .collect();
    all.sort_by_key(|one| (one.severity, one.range));
    all
}

/// How many there are of each kind: `2 errors, 1 warning`.
pub fn summary(all: &[Diagnostic]) -> String {
    let kinds = [Severity::Error, Severity::Warning, Severity::Info, Severity::Hint];
    let counted = kinds.into_iter().filter_map(|kind| {
        let count = all.iter().filter(|one| one.severity == kind).count();
        let plural = if count == 1 || kind == Severity::Info { "" } else { "s" };
        (count > 0).then(|| format!("{count} {}{plural}", kind.name()))
    });
    counted.collect::<Vec<_>>().join(", ")
}

/// One line: `src/a.rs:3:5 error: message [source code]`.
pub fn line(shown: &str, one: &Diagnostic) -> String {
    let (row, column) = (u64::from(one.range.start.line) + 1, u64::from(one.range.start.character) + 1);
    let by: Vec<&str> = [&one.source, &one.code].into_iter().flatten().map(String::as_str).collect();
    let by = if by.is_empty() { String::new() } else { format!(" [{}]", by.join(" ")) };
    let message = one.message.trim().replace('\n', "\n    ");
    format!("{shown}:{row}:{column} {}: {message}{by}", one.severity.name())
}

#[cfg(test)]
mod tests {
    use super::*;
    use serde_json::json;

    fn found(line: u32, severity: u8, message: &str) -> Value {
        let place = json!({"line": line, "character": 1});
        json!({"range": {"start": place, "end": place}, "severity": severity, "message": message, "code": 7,
            "source": "s"})
    }

    #[test]
    fn findings_are_put_together() {
        let one = Diagnostic::list(&json!([found(9, 2, "later"), found(3, 1, "bad"), "no diagnostic"]));
        let other = Diagnostic::list(&json!([found(3, 1, "bad"), found(1, 2, "soon"), found(0, 4, "hint")]));
        let all = merge([one.clone(), other.clone()], true);
        let messages: Vec<&str> = all.iter().map(|one| one.message.as_str()).collect();
        assert_eq!(messages, ["bad", "soon", "later", "hint"]);
        assert_eq!(summary(&all), "1 error, 2 warnings, 1 hint");
        assert_eq!(line("a.rs", &all[0]), "a.rs:4:2 error: bad [s 7]");
        assert_eq!(merge([one, other], false).len(), 5);
    }

    #[test]
    fn endless_lists_and_messages_are_cut() {
        let many: Vec<Value> = (0..5_000).map(|line| found(line, 1, &"é".repeat(10_000))).collect();
        let all = Diagnostic::list(&json!(many));
        assert_eq!(all.len(), MOST);
        assert!(all[0].message.len() < LONGEST + 4 && all[0].raw.is_null());
    }
}
