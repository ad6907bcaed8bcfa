//! What may follow the name of a prompt of a server: names of its arguments, and values that the server knows for them.

use std::collections::HashMap;
use std::time::Duration;

use omp_mcp::{PartialArgument, Prompt};

use crate::output::plain;
use crate::prompts::{Typed, split_words};
use crate::session::SessionMcp;

/// A server that takes longer offers nothing.
const PATIENCE: Duration = Duration::from_secs(3);
/// Most values that are offered.
const MOST: usize = 50;
/// A longer value is nobody's wish to see in a list.
const LONGEST: usize = 200;

/// What can be typed next behind the name of a prompt.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct PromptOffer {
    /// Everything behind the name, with the offer in its place.
    pub text: String,
    /// What is shown of it.
    pub label: String,
    /// What it is for.
    pub description: String,
    /// It is the name of an argument, whose value follows.
    pub is_name: bool,
}

/// What is being typed at the end of a line.
#[derive(Debug, PartialEq, Eq)]
enum Typing {
    /// The name of an argument, which begins at this byte.
    Name { start: usize, begun: String, given: Vec<String> },
    /// The value of one, which replaces everything from this byte on behind `key`.
    Value { start: usize, key: String, argument: PartialArgument },
}

impl Typing {
    /// `None` if nothing of the prompt can stand there.
    fn of(text: &str, prompt: &Prompt) -> Option<Self> {
        let Typed { words, last, start } = split_words(text);
        let known = |word: &str| {
            let (key, value) = word.split_once('=')?;
            let argument = prompt.arguments.iter().find(|argument| argument.name == key)?;
            Some((argument.name.clone(), value.to_owned()))
        };
        let given: HashMap<String, String> = words.iter().filter_map(|word| known(word)).collect();
        if let Some((name, value)) = known(&last) {
            let key = format!("{name}=");
            return Some(Self::Value { start, key, argument: PartialArgument { name, value, given } });
        }
        if let [only] = prompt.arguments.as_slice() {
            // Its words need no key.
            let value = words.into_iter().chain([last]).filter(|word| !word.is_empty()).collect::<Vec<_>>();
            let argument = PartialArgument { name: only.name.clone(), value: value.join(" "), given };
            let is_open = argument.given.is_empty();
            return is_open.then_some(Self::Value { start: 0, key: String::new(), argument });
        }
        Some(Self::Name { start, begun: last, given: given.into_keys().collect() })
    }
}

impl SessionMcp {
    /// What can be typed next, of which `text` stands behind `/<server>:<prompt> `. Asks the server for values; one that does
    /// not answer, or knows none, offers none.
    pub(crate) async fn offers_for_prompt(&self, command: &str, text: &str) -> Vec<PromptOffer> {
        let Some((server, prompt)) = self.prompt(command) else { return Vec::new() };
        match Typing::of(text, &prompt) {
            Some(Typing::Name { start, begun, given }) => names(&text[..start], &begun, &given, &prompt),
            Some(Typing::Value { start, key, argument }) => {
                let values = self.servers.complete_prompt(server, &prompt.name, &argument);
                let values = tokio::time::timeout(PATIENCE, values).await;
                let offered = values.ok().and_then(Result::ok).unwrap_or_default();
                let before = format!("{}{key}", &text[..start]);
                let offer = |value: String| offer_of(&before, value, &argument.name);
                offered.into_iter().filter_map(offer).take(MOST).collect()
            }
            None => Vec::new(),
        }
    }
}

/// The arguments that have no value yet.
fn names(before: &str, begun: &str, given: &[String], prompt: &Prompt) -> Vec<PromptOffer> {
    let begun = begun.to_lowercase();
    let open = prompt.arguments.iter().filter(|argument| !given.contains(&argument.name));
    let fitting = open.filter(|argument| argument.name.to_lowercase().starts_with(&begun));
    let offer = |argument: &omp_mcp::items::PromptArgument| {
        let label = format!("{}=", argument.name);
        let description = plain(argument.description.as_deref().unwrap_or_default());
        let description = description.lines().next().unwrap_or_default().to_owned();
        let is_typeable = plain(&label) == label && !label.contains(char::is_whitespace);
        is_typeable.then(|| PromptOffer {
            text: format!("{before}{label}"),
            label,
            description,
            is_name: true,
        })
    };
    fitting.filter_map(offer).take(MOST).collect()
}

/// `None` for a value that cannot be typed, or that nobody would want to: what is sent must be what was offered.
fn offer_of(before: &str, value: String, name: &str) -> Option<PromptOffer> {
    let is_plain = plain(&value) == value && !value.contains(['\n', '\t']);
    if value.is_empty() || value.chars().count() > LONGEST || !is_plain {
        return None;
    }
    let quoted = match value.contains(|c: char| c.is_whitespace() || c == '"' || c == '\'') {
        false => value.clone(),
        true if !value.contains('"') => format!("\"{value}\""),
        true if !value.contains('\'') => format!("'{value}'"),
        true => return None,
    };
    // Without a key, what stands before the sign would be taken for one.
    let key = if before.ends_with('=') || !value.contains('=') { String::new() } else { format!("{name}=") };
    let text = format!("{before}{key}{quoted}");
    Some(PromptOffer { text, label: value, description: String::new(), is_name: false })
}

#[cfg(test)]
mod tests {
    use super::*;

    fn prompt(names: &[&str]) -> Prompt {
        let argument = |name: &&str| omp_mcp::items::PromptArgument {
            name: (*name).to_owned(),
            description: None,
            required: true,
        };
        let arguments = names.iter().map(argument).collect();
        Prompt { name: "p".to_owned(), title: None, description: None, arguments }
    }

    fn value(text: &str, names: &[&str]) -> Option<(usize, String, String, String)> {
        match Typing::of(text, &prompt(names))? {
            Typing::Value { start, key, argument } => Some((start, key, argument.name, argument.value)),
            Typing::Name { .. } => None,
        }
    }

    #[test]
    fn the_last_word_is_what_is_typed() {
        let two = ["city", "units"];
        let expected = (7, "city=".to_owned(), "city".to_owned(), "New Y".to_owned());
        assert_eq!(value("units= city=\"New Y", &two), Some(expected));
        let Some(Typing::Value { argument, .. }) = Typing::of("city=Oslo units=m", &prompt(&two)) else {
            panic!("no value");
        };
        assert_eq!(argument.given, HashMap::from([("city".to_owned(), "Oslo".to_owned())]));
        let name = Typing::Name { start: 10, begun: "un".to_owned(), given: vec!["city".to_owned()] };
        assert_eq!(Typing::of("city=Oslo un", &prompt(&two)), Some(name));
    }

    #[test]
    fn the_only_argument_needs_no_key() {
        let expected = |value: &str| Some((0, String::new(), "topic".to_owned(), value.to_owned()));
        assert_eq!(value("", &["topic"]), expected(""));
        assert_eq!(value("two wor", &["topic"]), expected("two wor"));
        assert_eq!(value("topic=done ", &["topic"]), None);
        assert_eq!(Typing::of("topic=done ", &prompt(&["topic"])), None);
    }

    #[test]
    fn values_are_inserted_as_they_are_or_not_at_all() {
        let text =
            |before: &str, value: &str| offer_of(before, value.to_owned(), "city").map(|offer| offer.text);
        assert_eq!(text("city=", "Oslo").as_deref(), Some("city=Oslo"));
        assert_eq!(text("city=", "New York").as_deref(), Some("city=\"New York\""));
        assert_eq!(text("city=", "6\" nail").as_deref(), Some("city='6\" nail'"));
        assert_eq!(text("", "a=b").as_deref(), Some("city=a=b"));
        for refused in ["", "a\nb", "\u{1b}[31mred", "both \" and '", &"x".repeat(201)] {
            assert_eq!(text("city=", refused), None, "{refused:?}");
        }
    }
}
