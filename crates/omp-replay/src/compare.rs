//! Where two values differ.

use std::fmt;

use serde_json::Value;

/// Differences that are kept; those behind them follow from them.
pub(crate) const MOST: usize = 50;
/// How much of a value is shown.
const SHOWN: usize = 160;

/// What decided otherwise.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum DivergedPart {
    /// A request to a provider.
    Request,
    /// A call of a tool.
    Tool,
    /// What was told of it.
    Event,
    /// What the user said.
    Prompt,
    /// What the screen showed.
    Frame,
}

/// A place where the program decided otherwise than it did when it was recorded.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Divergence {
    /// What decided otherwise.
    pub part: DivergedPart,
    /// The first is 1.
    pub number: usize,
    /// Where in it, and what it was and is.
    pub text: String,
}

impl fmt::Display for Divergence {
    fn fmt(&self, out: &mut fmt::Formatter<'_>) -> fmt::Result {
        let part = match self.part {
            DivergedPart::Request => "request",
            DivergedPart::Tool => "call",
            DivergedPart::Event => "event",
            DivergedPart::Prompt => "prompt",
            DivergedPart::Frame => "frame",
        };
        write!(out, "{part} {}: {}", self.number, self.text)
    }
}

/// The first place where two values differ, with both values.
pub(crate) fn difference(recorded: &Value, now: &Value) -> Option<String> {
    let mut path = String::new();
    let (recorded, now) = differing(recorded, now, &mut path)?;
    let place = if path.is_empty() { "it" } else { path.trim_start_matches('.') };
    let (recorded, now) = around(&shown(recorded), &shown(now));
    Some(format!("{place} was {recorded}, now {now}"))
}

/// Two values that differ; `None` where one of them is absent.
type Pair<'a> = (Option<&'a Value>, Option<&'a Value>);

fn differing<'a>(recorded: &'a Value, now: &'a Value, path: &mut String) -> Option<Pair<'a>> {
    let begin = path.len();
    match (recorded, now) {
        (Value::Object(was), Value::Object(is)) => {
            let names = was.keys().chain(is.keys().filter(|name| !was.contains_key(*name)));
            for name in names {
                path.push_str(&format!(".{name}"));
                if let Some(found) = differing_member(was.get(name), is.get(name), path) {
                    return Some(found);
                }
                path.truncate(begin);
            }
            None
        }
        (Value::Array(was), Value::Array(is)) => {
            for place in 0..was.len().max(is.len()) {
                path.push_str(&format!("[{place}]"));
                if let Some(found) = differing_member(was.get(place), is.get(place), path) {
                    return Some(found);
                }
                path.truncate(begin);
            }
            None
        }
        (was, is) if was == is => None,
        (was, is) => Some((Some(was), Some(is))),
    }
}

fn differing_member<'a>(
    was: Option<&'a Value>,
    is: Option<&'a Value>,
    path: &mut String,
) -> Option<Pair<'a>> {
    match (was, is) {
        (Some(was), Some(is)) => differing(was, is, path),
        absent => Some(absent),
    }
}

fn shown(value: Option<&Value>) -> String {
    value.map_or_else(|| "nothing".to_owned(), Value::to_string)
}

/// Two texts, cut to where they begin to differ.
fn around(one: &str, other: &str) -> (String, String) {
    let same = one.chars().zip(other.chars()).take_while(|(one, other)| one == other).count();
    let from = same.saturating_sub(SHOWN / 4);
    let cut = |text: &str| {
        let all = text.chars().count();
        let part: String = text.chars().skip(from).take(SHOWN).collect();
        let (before, behind) = (if from > 0 { "…" } else { "" }, if from + SHOWN < all { "…" } else { "" });
        format!("{before}{part}{behind}")
    };
    (cut(one), cut(other))
}

/// The same value with other words for something in its texts.
pub(crate) fn replaced(value: &mut Value, from: &str, to: &str) {
    match value {
        Value::String(text) if text.contains(from) => *text = text.replace(from, to),
        Value::Array(items) => items.iter_mut().for_each(|item| replaced(item, from, to)),
        Value::Object(fields) => fields.values_mut().for_each(|field| replaced(field, from, to)),
        _ => {}
    }
}

/// The same value without the ids of entries in a session file, which are other ones every time.
pub(crate) fn without_entry_ids(value: &mut Value) {
    match value {
        Value::String(text) => {
            if let Some(plain) = without_named_entries(text) {
                *text = plain;
            }
        }
        Value::Array(items) => items.iter_mut().for_each(without_entry_ids),
        Value::Object(fields) => {
            for (name, field) in fields {
                match name.as_str() {
                    "entryId" | "firstKeptEntryId" if field.is_string() => *field = "entry".into(),
                    // An estimate of a text with such ids in it.
                    "tokensAfter" if field.is_number() => *field = "estimated".into(),
                    _ => without_entry_ids(field),
                }
            }
        }
        _ => {}
    }
}

/// `entries 1234abcd to 5678ef90` without the numbers; `None` if a text names none.
fn without_named_entries(text: &str) -> Option<String> {
    const BEFORE: &str = "(entries ";
    let mut parts = text.split(BEFORE);
    let mut plain = parts.next()?.to_owned();
    let mut found = false;
    for part in parts {
        plain.push_str(BEFORE);
        let is_id = |id: &str| id.len() == 8 && id.bytes().all(|byte| byte.is_ascii_hexdigit());
        let named = part.split_once(')').and_then(|(ids, rest)| {
            let (first, last) = ids.split_once(" to ")?;
            (is_id(first) && is_id(last)).then_some(rest)
        });
        found |= named.is_some();
        match named {
            Some(rest) => plain.push_str(&format!("one to another){rest}")),
            None => plain.push_str(part),
        }
    }
    found.then_some(plain)
}

#[cfg(test)]
mod tests {
    use serde_json::json;

    use super::*;

    #[test]
    fn the_first_difference_is_named() {
        let was = json!({"model": "m", "messages": [{"role": "user", "content": "one"}, {"role": "tool"}]});
        assert_eq!(difference(&was, &was.clone()), None);
        let mut is = was.clone();
        is["messages"][0]["content"] = json!("two");
        assert_eq!(difference(&was, &is).as_deref(), Some("messages[0].content was \"one\", now \"two\""));
        is = was.clone();
        is["messages"].as_array_mut().unwrap().pop();
        let text = difference(&was, &is).unwrap();
        assert_eq!(text, "messages[1] was {\"role\":\"tool\"}, now nothing");
        assert_eq!(difference(&json!(1), &json!({})).as_deref(), Some("it was 1, now {}"));
    }

    #[test]
    fn entries_are_the_same_whatever_their_ids() {
        let value = |one: &str, other: &str| {
            let text = format!("- 2 messages (entries {one} to {other}): read (entries of a file)");
            let mut value = json!({"result": {"entryId": one, "summary": text}, "id": other});
            without_entry_ids(&mut value);
            value
        };
        let found = difference(&value("9e0a4bfa", "b080d8ad"), &value("3fd84a3c", "2ab70168"));
        assert_eq!(found.as_deref(), Some("id was \"b080d8ad\", now \"2ab70168\""));
        assert!(value("9e0a4bfa", "b").to_string().contains("(entries of a file)"));
    }

    #[test]
    fn long_texts_are_cut_around_the_difference() {
        let text = |end: &str| json!(format!("{}{end}{}", "a".repeat(5000), "b".repeat(5000)));
        let found = difference(&text("x"), &text("y")).unwrap();
        assert!(found.len() < 500 && found.contains("aaxb") && found.contains("aayb"), "{found}");
    }
}
