//! Checks one layer against the table. What does not fit is taken out and named, so that the layer below shows.

use serde_json::{Map, Value};

use super::index::{INDEX, suggestion};
use super::row::{Setting, Shape};

/// Whose file it is: other agents' files hold mostly what is none of our business.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) enum Vocabulary {
    Ours,
    Foreign,
}

/// Names that are a switch and a group: `name: true` means `name: {enabled: true}`.
const SWITCH_GROUPS: &[&str] = &["todo.reminders", "tools.codeMode"];

/// Most warnings about one file; a file of another program would give hundreds.
const MAX_WARNINGS: usize = 10;

/// Most unknown names that are named.
const MAX_NAMES: usize = 10;

/// The names of settings that later releases have and this one does not, one on each line.
const LATER: &str = include_str!("later.txt");

/// What a check leaves of a layer.
pub(super) struct Checked {
    pub(super) map: Map<String, Value>,
    /// Ends of sentences that begin with the place of the layer.
    pub(super) warnings: Vec<String>,
    /// Names that only later releases know.
    pub(super) later: Vec<String>,
}

/// Keeps what is right.
pub(super) fn check(map: Map<String, Value>, vocabulary: Vocabulary) -> Checked {
    let mut check = Check { vocabulary, warnings: Vec::new(), unknown: Vec::new(), later: Vec::new() };
    let map = check.mapping(map, "");
    let mut warnings = check.warnings;
    if warnings.len() > MAX_WARNINGS {
        let more = warnings.len() - MAX_WARNINGS;
        warnings.truncate(MAX_WARNINGS);
        warnings.push(format!("and {more} more problems of this kind"));
    }
    if vocabulary == Vocabulary::Ours {
        warnings.extend(unknown(&check.unknown));
    }
    Checked { map, warnings, later: check.later }
}

/// One sentence for all names that nobody knows.
fn unknown(names: &[String]) -> Option<String> {
    let hinted = |name: &String| match suggestion(name) {
        Some(meant) => format!("{name} (did you mean {meant}?)"),
        None => name.clone(),
    };
    let shown: Vec<String> = names.iter().take(MAX_NAMES).map(hinted).collect();
    let list = shown.join(", ");
    match names.len() {
        0 => None,
        1 => Some(format!("unknown setting {list}")),
        count if count > MAX_NAMES => Some(format!("unknown settings {list} and {} more", count - MAX_NAMES)),
        _ => Some(format!("unknown settings {list}")),
    }
}

/// Is it a setting of a later release, or a part of one?
fn is_later(place: &str) -> bool {
    LATER.lines().any(|name| begins_with(place, name))
}

/// Are there settings of a later release below it, and is it none itself?
fn is_later_group(place: &str) -> bool {
    !is_later(place) && LATER.lines().any(|name| begins_with(name, place))
}

/// Is a dotted path another one, or below it?
fn begins_with(path: &str, beginning: &str) -> bool {
    path.strip_prefix(beginning).is_some_and(|rest| rest.is_empty() || rest.starts_with('.'))
}

struct Check {
    vocabulary: Vocabulary,
    warnings: Vec<String>,
    unknown: Vec<String>,
    later: Vec<String>,
}

impl Check {
    fn mapping(&mut self, map: Map<String, Value>, prefix: &str) -> Map<String, Value> {
        let mut kept = Map::new();
        for (key, value) in map {
            let place = if prefix.is_empty() { key.clone() } else { format!("{prefix}.{key}") };
            if let Some(value) = self.entry(&key, &place, value) {
                kept.insert(key, value);
            }
        }
        kept
    }

    fn entry(&mut self, key: &str, place: &str, value: Value) -> Option<Value> {
        // A key without a value sets nothing.
        if value.is_null() {
            return None;
        }
        if key.contains('.') {
            return self.dotted(place);
        }
        if let Some(row) = INDEX.row_at(place) {
            return accept(row, value).map_err(|reason| self.wrong(&format!("{}: {reason}", row.path))).ok();
        }
        match value {
            Value::Object(inner) if INDEX.is_group(place) || is_later_group(place) => {
                let inner = self.mapping(inner, place);
                (!inner.is_empty()).then_some(Value::Object(inner))
            }
            value if SWITCH_GROUPS.contains(&place) => {
                let row = INDEX.row_at(&format!("{place}.enabled"))?;
                let value = accept(row, value)
                    .map_err(|reason| self.wrong(&format!("{}: {reason}", row.path)))
                    .ok()?;
                Some(Value::Object(Map::from_iter([("enabled".to_owned(), value)])))
            }
            _ if INDEX.is_group(place) => {
                self.wrong(&format!("{place}: expected a mapping of settings"));
                None
            }
            _ => {
                self.unknown(place);
                None
            }
        }
    }

    /// `a.b: x` in one line, which YAML takes for a single name.
    fn dotted(&mut self, place: &str) -> Option<Value> {
        if INDEX.row(place).is_some() {
            let (first, rest) = place.split_once('.').unwrap_or((place, ""));
            self.wrong(&format!("{place}: write it nested: `{first}:` and, indented below it, `{rest}:`"));
        } else {
            self.unknown(place);
        }
        None
    }

    fn unknown(&mut self, place: &str) {
        let names = if is_later(place) { &mut self.later } else { &mut self.unknown };
        names.push(place.to_owned());
    }

    fn wrong(&mut self, message: &str) {
        if self.vocabulary == Vocabulary::Ours {
            self.warnings.push(message.to_owned());
        }
    }
}

/// The value as its row wants it, or what was expected.
pub(super) fn accept(row: &Setting, value: Value) -> Result<Value, String> {
    match (row.shape, value) {
        (Shape::Flag(_), Value::Bool(flag)) => Ok(Value::Bool(flag)),
        // YAML of old took these words for booleans, and people still write them.
        (Shape::Flag(_), Value::String(word)) => {
            flag_word(&word).map(Value::Bool).ok_or_else(|| format!("expected true or false, not {word:?}"))
        }
        (Shape::Flag(_), _) => Err("expected true or false".to_owned()),
        (Shape::Number(_), Value::Number(number)) => Ok(Value::Number(number)),
        (Shape::Number(_), _) => Err("expected a number".to_owned()),
        (Shape::Choice { choices, .. }, value) => choice(choices, &value),
        (Shape::Text(_), Value::String(text)) => Ok(Value::String(text)),
        (Shape::Text(_), Value::Number(_) | Value::Bool(_)) => {
            Err("expected a string; put it in quotes".to_owned())
        }
        (Shape::Text(_), _) => Err("expected a string".to_owned()),
        (Shape::List(_), Value::Array(items)) => Ok(Value::Array(items)),
        (Shape::List(_), _) => Err("expected a list".to_owned()),
        (Shape::Record, Value::Object(map)) => Ok(Value::Object(map)),
        (Shape::Record, _) => Err("expected a mapping".to_owned()),
    }
}

/// Numbers and booleans of YAML count as the words they were written as.
fn choice(choices: &[&str], value: &Value) -> Result<Value, String> {
    let words: &[&str] = match value {
        Value::String(word) => &[word.as_str()],
        Value::Bool(true) => &["true", "on"],
        Value::Bool(false) => &["false", "off"],
        Value::Number(number) => &[&number.to_string()],
        _ => &[],
    };
    match choices.iter().find(|choice| words.contains(choice)) {
        Some(choice) => Ok(Value::from(*choice)),
        None => Err(format!("expected one of {}", choices.join(", "))),
    }
}

/// The words for true and false, in any case.
pub(super) fn flag_word(word: &str) -> Option<bool> {
    match word.to_lowercase().as_str() {
        "true" | "yes" | "on" | "1" => Some(true),
        "false" | "no" | "off" | "0" => Some(false),
        _ => None,
    }
}
