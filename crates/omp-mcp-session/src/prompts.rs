//! Prompts of servers as commands: `/<server>:<prompt> key=value …`.

use omp_mcp::{CallError, CallOptions, Prompt};
use serde_json::{Map, Value};
use tokio_util::sync::CancellationToken;

use crate::output::plain;
use crate::session::SessionMcp;

/// A prompt of a server, as it is called and listed.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct McpPromptCommand {
    /// Without the slash: `<server>:<prompt>`.
    pub name: String,
    /// What it is for.
    pub description: String,
    /// The names of its arguments, the optional ones in brackets.
    pub arguments: String,
}

impl SessionMcp {
    /// Every prompt of every connected server.
    pub(crate) fn prompt_commands(&self) -> Vec<McpPromptCommand> {
        let all = self.servers.status();
        let of_server = |status: &omp_mcp::ServerStatus| {
            let server = status.definition.name.clone();
            let prompts = status.offer.prompts.iter();
            prompts.map(|prompt| command(&server, prompt)).collect::<Vec<_>>()
        };
        all.iter().flat_map(of_server).collect()
    }

    /// The server and the prompt that `<server>:<prompt>` names.
    pub(crate) fn prompt<'c>(&self, command: &'c str) -> Option<(&'c str, Prompt)> {
        let (server, name) = command.split_once(':')?;
        let status = self.servers.status_of(server)?;
        let known = status.offer.prompts.iter().find(|known| known.name == name)?.clone();
        Some((server, known))
    }

    /// What a typed command expands to; `None` if no server has such a prompt. The error is for the person.
    pub async fn expand(&self, typed: &str, cancel: &CancellationToken) -> Option<Result<String, String>> {
        let line = typed.strip_prefix('/')?;
        let (name, rest) = line.split_once(char::is_whitespace).unwrap_or((line, ""));
        let (server, known) = self.prompt(name)?;
        let arguments = match arguments(rest, &known) {
            Ok(arguments) => arguments,
            Err(reason) => return Some(Err(format!("/{name}: {reason}"))),
        };
        let options = CallOptions { cancel: cancel.clone(), ..CallOptions::default() };
        Some(match self.servers.get_prompt(server, &known.name, arguments, &options).await {
            Ok(turns) => {
                let texts: Vec<String> = turns.iter().filter_map(|turn| turn.content.text()).collect();
                Ok(plain(&texts.join("\n\n")))
            }
            Err(CallError::Cancelled) => Err(format!("/{name} was cancelled")),
            Err(error) => Err(format!("/{name}: {error}")),
        })
    }
}

fn command(server: &str, prompt: &Prompt) -> McpPromptCommand {
    let argument = |argument: &omp_mcp::items::PromptArgument| match argument.required {
        true => format!("{}=", plain(&argument.name)),
        false => format!("[{}=]", plain(&argument.name)),
    };
    let arguments: Vec<String> = prompt.arguments.iter().map(argument).collect();
    let description = prompt.description.as_deref().or(prompt.title.as_deref()).unwrap_or_default();
    McpPromptCommand {
        name: format!("{server}:{}", prompt.name),
        description: plain(description).lines().next().unwrap_or_default().to_owned(),
        arguments: arguments.join(" "),
    }
}

/// `key=value` words, values with spaces in quotes. A prompt with one argument takes bare words, too.
fn arguments(text: &str, prompt: &Prompt) -> Result<Map<String, Value>, String> {
    let mut arguments = Map::new();
    let mut bare = Vec::new();
    for word in words(text) {
        match word.split_once('=').filter(|(key, _)| prompt.arguments.iter().any(|known| known.name == *key))
        {
            Some((key, value)) => drop(arguments.insert(key.to_owned(), value.into())),
            None => bare.push(word),
        }
    }
    if !bare.is_empty() {
        match prompt.arguments.as_slice() {
            [only] if arguments.is_empty() => {
                arguments.insert(only.name.clone(), bare.join(" ").into());
            }
            known => {
                let names: Vec<&str> = known.iter().map(|argument| argument.name.as_str()).collect();
                return Err(format!("\"{}\" is no argument; known: {}", bare[0], names.join(", ")));
            }
        }
    }
    let missing =
        prompt.arguments.iter().filter(|known| known.required && !arguments.contains_key(&known.name));
    let missing: Vec<&str> = missing.map(|argument| argument.name.as_str()).collect();
    match missing.is_empty() {
        true => Ok(arguments),
        false => Err(format!("missing: {}. Give them as key=value", missing.join(", "))),
    }
}

/// Words, with quotes that keep blanks.
fn words(text: &str) -> Vec<String> {
    let Typed { mut words, last, start } = split_words(text);
    if start < text.len() {
        words.push(last);
    }
    words
}

/// Words, and the one at the end that may still grow.
pub(crate) struct Typed {
    pub(crate) words: Vec<String>,
    /// Empty behind a blank.
    pub(crate) last: String,
    /// Where the last word begins, with its quote.
    pub(crate) start: usize,
}

pub(crate) fn split_words(text: &str) -> Typed {
    let mut words = Vec::new();
    let mut word: Option<(usize, String)> = None;
    let mut quote = None;
    for (at, letter) in text.char_indices() {
        match (quote, letter) {
            (Some(open), letter) if letter == open => quote = None,
            (None, '"' | '\'') => {
                quote = Some(letter);
                word.get_or_insert_with(|| (at, String::new()));
            }
            (None, letter) if letter.is_whitespace() => words.extend(word.take().map(|(_, word)| word)),
            (_, letter) => word.get_or_insert_with(|| (at, String::new())).1.push(letter),
        }
    }
    let (start, last) = word.unwrap_or_else(|| (text.len(), String::new()));
    Typed { words, last, start }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn prompt(names: &[(&str, bool)]) -> Prompt {
        let argument = |(name, required): &(&str, bool)| omp_mcp::items::PromptArgument {
            name: (*name).to_owned(),
            description: None,
            required: *required,
        };
        Prompt {
            name: "p".to_owned(),
            title: None,
            description: None,
            arguments: names.iter().map(argument).collect(),
        }
    }

    #[test]
    fn arguments_are_words_with_a_key() {
        let two = prompt(&[("city", true), ("units", false)]);
        let given = arguments("city=\"New York\" units=metric", &two).unwrap();
        assert_eq!(Value::Object(given), serde_json::json!({"city": "New York", "units": "metric"}));
        assert_eq!(arguments("units=x", &two), Err("missing: city. Give them as key=value".to_owned()));
        assert!(arguments("city=a stray", &two).unwrap_err().contains("\"stray\" is no argument"));
    }

    #[test]
    fn one_argument_needs_no_key() {
        let one = prompt(&[("topic", true)]);
        let given = arguments("two words a=b", &one).unwrap();
        assert_eq!(given["topic"], "two words a=b");
    }
}
