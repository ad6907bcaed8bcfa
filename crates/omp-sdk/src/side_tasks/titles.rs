//! Names for sessions, found by a small model beside the first turn.

use std::sync::Arc;
use std::sync::atomic::{AtomicBool, Ordering};
use std::time::Duration;

use omp_config::discovery::PromptFileName;
use omp_session::{Naming, TitleSource};
use omp_types::{AssistantMessage, Message, ModelRequest, RequestOptions, ToolChoice, ToolDefinition};
use serde_json::{Value, json};
use tokio_util::sync::CancellationToken;

use crate::prompt::knowledge;
use crate::side_tasks::SideTasks;
use crate::side_tasks::small_model::{self, SmallModel};

const INSTRUCTIONS: &str = include_str!("../../prompts/title.md").trim_ascii();
const WRAP: &str = include_str!("../../prompts/title-wrap.md").trim_ascii();

/// The call that carries a name.
const TOOL: &str = "set_title";
/// The roles that may find names, the best first.
const ROLES: [&str; 2] = ["title", "smol"];
/// How long a name may take; the session goes without one then.
const PATIENCE: Duration = Duration::from_secs(60);
/// As much of a message as is read for its name.
const READ_CHARS: usize = 4000;
/// Room for an answer, also of a model that thinks aloud first.
const MAX_TOKENS: u32 = 1024;
/// The longest name.
const LONGEST: usize = 80;
/// A line that is longer is no name but an answer.
const SENTENCE: usize = 120;

/// Words that a greeting is made of. A message of nothing else says nothing about the work.
const GREETINGS: [&str; 44] = [
    "hi",
    "hii",
    "hello",
    "hey",
    "heya",
    "yo",
    "hiya",
    "howdy",
    "sup",
    "there",
    "all",
    "again",
    "good",
    "morning",
    "afternoon",
    "evening",
    "day",
    "how",
    "are",
    "you",
    "thanks",
    "thank",
    "test",
    "ping",
    "hallo",
    "moin",
    "servus",
    "guten",
    "morgen",
    "tag",
    "abend",
    "hola",
    "buenos",
    "dias",
    "salut",
    "bonjour",
    "bonsoir",
    "ciao",
    "olá",
    "oi",
    "привет",
    "你好",
    "こんにちは",
    "안녕하세요",
];
/// The longest greeting, in words.
const GREETING_WORDS: usize = 4;

/// Whether a name was asked for.
#[derive(Debug, Default)]
pub(crate) struct Titling {
    asked: AtomicBool,
}

impl SideTasks<'_> {
    /// Asks a small model once for a name after what the user said, and gives it to the session. `None` if the session
    /// has one, if somebody asked before, if the words are no more than a greeting, or if no name was found. Never
    /// changes a name that the user gave.
    pub async fn title(self, words: &str, cancel: CancellationToken) -> Option<String> {
        if is_greeting(words) || self.session.header().title.is_some() {
            return None;
        }
        let small = self.session.models().small_model(&ROLES)?;
        if self.session.titles.asked.swap(true, Ordering::AcqRel) {
            return None;
        }
        let request = self.title_request(words, &small).await;
        let answer = small_model::ask(small.model.as_ref(), request, cancel, |_| {});
        let answer = tokio::time::timeout(PATIENCE, answer).await.ok()?.ok()?;
        self.give_name(named(&answer)?).await
    }

    async fn title_request(self, words: &str, small: &SmallModel) -> ModelRequest {
        let (directories, cwd, settings) = (
            self.session.places.directories.clone(),
            self.session.places.cwd.clone(),
            self.session.settings(),
        );
        let find = move || {
            knowledge::discovery(&directories, &cwd, &settings).prompt_file(PromptFileName::TitleSystem)
        };
        let own = tokio::task::spawn_blocking(find).await;
        let own = own.ok().flatten().map(|(_, text)| text.trim().to_owned());
        let instructions = own.unwrap_or_else(|| INSTRUCTIONS.to_owned());
        let forced = small.model.can_force_tools();
        let words: String = words.chars().take(READ_CHARS).collect();
        ModelRequest {
            system: match forced {
                true => Arc::from([instructions]),
                false => Arc::from([format!("{instructions}\n\n{WRAP}")]),
            },
            tools: if forced { Arc::from([tool()]) } else { Arc::default() },
            messages: vec![Arc::new(Message::user(words, self.session.modes.clock.now_ms()))],
            options: RequestOptions {
                thinking: small.thinking,
                tool_choice: if forced { ToolChoice::Tool(TOOL.to_owned()) } else { ToolChoice::Auto },
                max_tokens: Some(MAX_TOKENS),
                ..RequestOptions::default()
            },
        }
    }

    /// A name given by the user meanwhile stays.
    async fn give_name(self, name: String) -> Option<String> {
        let record = self.session.record.clone();
        let given = name.clone();
        let naming = tokio::task::spawn_blocking(move || {
            let mut writer = record.lock();
            match writer.header().title {
                Some(_) => Ok(Naming::UsersNameKept),
                None => writer.set_title(&given, TitleSource::Auto),
            }
        });
        matches!(naming.await, Ok(Ok(Naming::Named))).then_some(name)
    }
}

fn tool() -> ToolDefinition {
    ToolDefinition {
        name: TOOL.to_owned(),
        description: "Names the conversation.".to_owned(),
        parameters: json!({
            "type": "object",
            "properties": { "title": { "type": "string", "description": "three to seven words" } },
            "required": ["title"],
            "additionalProperties": false
        }),
        strict: None,
        free_text: false,
    }
}

/// The name in an answer: that of the call, else what the text says.
fn named(answer: &AssistantMessage) -> Option<String> {
    let called = answer.tool_calls().find(|call| call.name == TOOL);
    match called.and_then(|call| call.arguments.get("title")).and_then(Value::as_str) {
        Some(title) => clean(title),
        None => clean(tagged(&answer.texts().collect::<String>())?),
    }
}

/// What stands between the tags; the closing one, or both, may be missing.
fn tagged(text: &str) -> Option<&str> {
    const OPEN: &str = "<title>";
    let lower = text.to_ascii_lowercase();
    let Some(at) = lower.find(OPEN) else {
        let line = text.lines().map(str::trim).find(|line| !line.is_empty())?;
        return (line.chars().count() <= SENTENCE).then_some(line);
    };
    let begin = at + OPEN.len();
    let end = lower[begin..].find("</").map_or(text.len(), |end| begin + end);
    text[begin..end].trim().lines().next()
}

/// One line without quotation marks around it, without control characters, and not too long.
fn clean(title: &str) -> Option<String> {
    let visible = title.chars().map(|letter| if letter.is_control() { ' ' } else { letter });
    let visible: String = visible.collect();
    let words: Vec<&str> = visible.split_whitespace().collect();
    let line = words.join(" ");
    let line = line.trim_matches(['"', '\'', '`', '“', '”', '«', '»', '*', '#', ' ']);
    let line = line.strip_suffix('.').unwrap_or(line);
    let name: String = line.chars().take(LONGEST).collect();
    (!name.trim().is_empty()).then(|| name.trim_end().to_owned())
}

/// Nothing, or nothing but a greeting.
fn is_greeting(text: &str) -> bool {
    let lower = text.to_lowercase();
    let mut words = lower.split(|letter: char| !letter.is_alphanumeric()).filter(|word| !word.is_empty());
    let greets = words.by_ref().take(GREETING_WORDS).all(|word| GREETINGS.contains(&word));
    greets && words.next().is_none()
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn greetings_are_told_from_work() {
        for greeting in ["", "  \n", "hi", "Hello!", "hey there :)", "Good morning", "how are you?", "你好"]
        {
            assert!(is_greeting(greeting), "{greeting:?}");
        }
        for work in [
            "fix it",
            "hello world in C",
            "hi, the tests fail",
            "test the parser",
            "good good good good good",
        ] {
            assert!(!is_greeting(work), "{work:?}");
        }
    }

    #[test]
    fn names_are_found_in_what_a_text_says() {
        let found = |text: &str| tagged(text).and_then(clean);
        for (text, name) in [
            ("<title>Fix the login</title>", Some("Fix the login")),
            ("Sure!\n<TITLE> \"Fix the login.\" </TITLE> ok", Some("Fix the login")),
            ("<title>Fix the login", Some("Fix the login")),
            ("<title>Fix the login\nand more words", Some("Fix the login")),
            ("\n**Fix the login**\n", Some("Fix the login")),
            ("<title></title>", None),
            ("", None),
            ("Fix\u{1b}[31m it", Some("Fix [31m it")),
        ] {
            assert_eq!(found(text).as_deref(), name, "{text:?}");
        }
        assert_eq!(found(&"word ".repeat(40)), None, "an answer is no name");
        assert_eq!(clean(&"ä".repeat(200)).map(|name| name.chars().count()), Some(LONGEST));
    }
}
