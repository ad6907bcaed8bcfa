//! Where two values differ.

use std::fmt;

use serde_json::Value;

/// Differences that are kept; those behind them follow from them.
pub(crate) const MOST: usize = 50;
/// How much of a value is shown.
const SHOWN: usize = 160;

/// What decided otherwise.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Part {
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
    pub part: Part,
    /// The first is 1.
    pub number: usize,
    /// Where in it, and what it was and is.
    pub text: String,
}

impl fmt::Display for Divergence {
    fn fmt(&self, out: &mut fmt::Formatter<'_>) -> fmt::Result {
        let part = match self.part {
            Part::Request => "request",
            Part::Tool => "call",
            Part::Event => "event",
            Part::Prompt => "prompt",
            Part::Frame => "frame",
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
    Some(format!("{place} was {recorded} and is {now}"))
}

fn differing<'a>(
    recorded: &'a Value,
    now: &'a Value,
    path: &mut String,
) -> Option<(Option<&'a Value>, Option<&'a Value>)> {
    let begin = path.len();
    match (recorded, now) {
        (Value::Object(was), Value::Object(is)) => {
            let names = was.keys().chain(is.keys().filter(|name| !was.contains_key(*name)));
            for name in names {
                path.push_str(&format!(".{name}"));
                match (was.get(name), is.get(name)) {
                    (Some(one), Some(other)) => {
                        if let Some(found) = differing(one, other, path) {
                            return Some(found);
                        }
                    }
                    (one, other) => return Some((one, other)),
                }
                path.truncate(begin);
            }
            None
        }
        (Value::Array(was), Value::Array(is)) => {
            for place in 0..was.len().max(is.len()) {
                path.push_str(&format!("[{place}]"));
                match (was.get(place), is.get(place)) {
                    (Some(one), Some(other)) => {
                        if let Some(found) = differing(one, other, path) {
                            return Some(found);
                        }
                    }
                    (one, other) => return Some((one, other)),
                }
                path.truncate(begin);
            }
            None
        }
        (was, is) if was == is => None,
        (was, is) => Some((Some(was), Some(is))),
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
        assert_eq!(difference(&was, &is).as_deref(), Some("messages[0].content was \"one\" and is \"two\""));
        is = was.clone();
        is["messages"].as_array_mut().unwrap().pop();
        let text = difference(&was, &is).unwrap();
        assert_eq!(text, "messages[1] was {\"role\":\"tool\"} and is nothing");
        assert_eq!(difference(&json!(1), &json!({})).as_deref(), Some("it was 1 and is {}"));
    }

    #[test]
    fn long_texts_are_cut_around_the_difference() {
        let text = |end: &str| json!(format!("{}{end}{}", "a".repeat(5000), "b".repeat(5000)));
        let found = difference(&text("x"), &text("y")).unwrap();
        assert!(found.len() < 500 && found.contains("aaxb") && found.contains("aayb"), "{found}");
    }
}
