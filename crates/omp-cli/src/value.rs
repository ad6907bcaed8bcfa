//! From the text of a value to its meaning.

use std::ffi::OsStr;
use std::path::{Path, PathBuf};
use std::time::Duration;

use crate::similar;
use crate::table::{Flag, Repeat, Takes, ValueKind};

/// A value after it was read according to its [`ValueKind`].
#[derive(Debug, Clone, PartialEq, Eq)]
pub enum Value {
    /// A switch, or a flag whose optional value was left out.
    On,
    Text(String),
    Path(PathBuf),
    Integer(i64),
    Duration(Duration),
    List(Vec<String>),
}

/// Why a text is not a value of its kind. `{0}` is what was to be set, `{1}` what was given.
#[derive(Debug, Clone, PartialEq, Eq, thiserror::Error)]
pub(crate) enum BadValue {
    #[error("{0} requires a value")]
    Missing(String),
    #[error("the argument for {0} is not valid UTF-8: {1}")]
    NotUtf8(String, String),
    #[error("Expected integer for {0}, got \"{1}\"")]
    NotInteger(String, String),
    #[error(
        "Expected one of {words} for {target}, got \"{given}\"{meant}",
        words = words.join(", "),
        meant = similar::nearest(given, words.iter().copied()).map_or(String::new(), |near| format!(": did you mean {near}?"))
    )]
    NotOneOf { target: String, given: String, words: &'static [&'static str] },
    #[error(
        "Expected a duration for {0}, got \"{1}\" (seconds, such as 600, or units, such as 90s, 10m, 1h30m)"
    )]
    NotDuration(String, String),
}

/// Reads `raw` as a `kind`; `target` names the flag or argument in the error.
pub(crate) fn read(kind: ValueKind, target: &str, raw: &OsStr) -> Result<Value, BadValue> {
    if matches!(kind, ValueKind::Dir | ValueKind::File) {
        return Ok(Value::Path(PathBuf::from(raw)));
    }
    let Some(text) = raw.to_str() else {
        return Err(BadValue::NotUtf8(target.into(), raw.to_string_lossy().into_owned()));
    };
    match kind {
        ValueKind::Integer => text
            .trim()
            .parse()
            .map(Value::Integer)
            .map_err(|_| BadValue::NotInteger(target.into(), text.into())),
        ValueKind::Duration => duration(text)
            .map(Value::Duration)
            .ok_or_else(|| BadValue::NotDuration(target.into(), text.into())),
        ValueKind::OneOf(words) => {
            let meant = words.iter().find(|word| word.eq_ignore_ascii_case(text.trim()));
            let unknown = || BadValue::NotOneOf { target: target.into(), given: text.into(), words };
            meant.map(|word| Value::Text((*word).to_owned())).ok_or_else(unknown)
        }
        ValueKind::ToolList => Ok(Value::List(list(&text.to_lowercase()))),
        ValueKind::ModelList | ValueKind::TextList => Ok(Value::List(list(text))),
        _ => Ok(Value::Text(text.into())),
    }
}

/// The parts of a comma list, trimmed, without empty ones.
fn list(text: &str) -> Vec<String> {
    text.split(',').map(str::trim).filter(|part| !part.is_empty()).map(str::to_owned).collect()
}

/// Seconds as a bare number, or hours, minutes and seconds with their letters, largest first. Nothing
/// is `None`, and so is zero: a run of no time is never what somebody meant.
fn duration(text: &str) -> Option<Duration> {
    let text = text.trim();
    let seconds = match text.parse::<u64>() {
        Ok(seconds) => seconds,
        Err(_) => seconds_of_units(text)?,
    };
    (seconds > 0).then(|| Duration::from_secs(seconds))
}

fn seconds_of_units(text: &str) -> Option<u64> {
    const UNITS: [(char, u64); 3] = [('h', 3600), ('m', 60), ('s', 1)];
    let mut rest = text;
    let mut total: u64 = 0;
    for (letter, factor) in UNITS {
        if let Some((amount, after)) = rest.split_once(letter) {
            if !amount.bytes().all(|byte| byte.is_ascii_digit()) {
                return None;
            }
            total = total.checked_add(amount.parse::<u64>().ok()?.checked_mul(factor)?)?;
            rest = after;
        }
    }
    rest.is_empty().then_some(total)
}

/// The flags of one command line with their values, in the order given.
#[derive(Debug, Clone, Default, PartialEq, Eq)]
pub struct Values {
    given: Vec<(&'static Flag, Value)>,
}

impl Values {
    /// Reads and keeps one flag; `spelled` is how it was typed.
    pub(crate) fn add(
        &mut self,
        flag: &'static Flag,
        spelled: &str,
        raw: Option<&OsStr>,
    ) -> Result<(), BadValue> {
        let value = match (flag.takes, raw) {
            (Takes::Nothing, _) | (Takes::Optional(_), None) => Value::On,
            (Takes::Optional(_), Some(raw)) if raw.is_empty() => Value::On,
            (Takes::Required(_), None) => return Err(BadValue::Missing(spelled.into())),
            (Takes::Required(kind) | Takes::Optional(kind), Some(raw)) => read(kind, spelled, raw)?,
        };
        if flag.repeat == Repeat::LastWins {
            self.given.retain(|(earlier, _)| earlier.long != flag.long);
        }
        self.given.push((flag, value));
        Ok(())
    }

    /// The flags given, each once for every value kept.
    pub fn flags(&self) -> impl Iterator<Item = &'static Flag> + '_ {
        self.given.iter().map(|(flag, _)| *flag)
    }

    fn all<'a>(&'a self, long: &str) -> impl Iterator<Item = &'a Value> {
        self.given.iter().filter(move |(flag, _)| flag.long == long).map(|(_, value)| value)
    }

    /// The value of a flag, by its long name.
    pub fn get(&self, long: &str) -> Option<&Value> {
        self.given.iter().rfind(|(flag, _)| flag.long == long).map(|(_, value)| value)
    }

    /// Whether the flag was given at all.
    pub fn has(&self, long: &str) -> bool {
        self.get(long).is_some()
    }

    pub fn text(&self, long: &str) -> Option<&str> {
        match self.get(long)? {
            Value::Text(text) => Some(text),
            _ => None,
        }
    }

    pub fn path(&self, long: &str) -> Option<&Path> {
        match self.get(long)? {
            Value::Path(path) => Some(path),
            _ => None,
        }
    }

    pub fn paths(&self, long: &str) -> Vec<PathBuf> {
        let path = |value: &Value| match value {
            Value::Path(path) => Some(path.clone()),
            _ => None,
        };
        self.all(long).filter_map(path).collect()
    }

    /// All values of a flag that can be given several times.
    pub fn texts(&self, long: &str) -> Vec<String> {
        let text = |value: &Value| match value {
            Value::Text(text) => Some(text.clone()),
            _ => None,
        };
        self.all(long).filter_map(text).collect()
    }

    pub fn integer(&self, long: &str) -> Option<i64> {
        match self.get(long)? {
            Value::Integer(number) => Some(*number),
            _ => None,
        }
    }

    pub fn duration(&self, long: &str) -> Option<Duration> {
        match self.get(long)? {
            Value::Duration(duration) => Some(*duration),
            _ => None,
        }
    }

    pub fn list(&self, long: &str) -> Option<&[String]> {
        match self.get(long)? {
            Value::List(list) => Some(list),
            _ => None,
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn durations_are_seconds_or_units_from_large_to_small() {
        let seconds = |text| duration(text).map(|duration| duration.as_secs());
        for (text, expected) in [
            ("600", 600),
            ("10m", 600),
            ("1h", 3600),
            ("90s", 90),
            ("1h30m", 5400),
            ("1h1m1s", 3661),
            (" 5m ", 300),
        ] {
            assert_eq!(seconds(text), Some(expected), "{text}");
        }
        for text in ["", "0", "0m", "m", "abc", "10x", "-5", "1.5h", "30m1h", "1h30", "5mm", "+5m", "10 m"] {
            assert_eq!(seconds(text), None, "{text}");
        }
        assert_eq!(seconds("99999999999999999999"), None);
        assert_eq!(seconds("9999999999999999999h"), None);
    }

    #[test]
    fn lists_are_trimmed_and_tool_names_lower_case() {
        let tools = read(ValueKind::ToolList, "--tools", OsStr::new(" Read, bash ,,EDIT"));
        assert_eq!(tools, Ok(Value::List(vec!["read".into(), "bash".into(), "edit".into()])));
        let models = read(ValueKind::ModelList, "--models", OsStr::new("A/b, c:high"));
        assert_eq!(models, Ok(Value::List(vec!["A/b".into(), "c:high".into()])));
    }

    #[test]
    fn integers_may_be_negative_but_must_be_whole() {
        assert_eq!(read(ValueKind::Integer, "--id", OsStr::new("-3")), Ok(Value::Integer(-3)));
        let error = read(ValueKind::Integer, "--port", OsStr::new("x")).unwrap_err();
        assert_eq!(error.to_string(), "Expected integer for --port, got \"x\"");
        assert!(read(ValueKind::Integer, "--port", OsStr::new("1.5")).is_err());
    }
}
