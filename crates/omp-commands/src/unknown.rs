//! Lines that look like a command that nobody knows: a typing mistake, most of the time.

use omp_sdk::Session;
use omp_sdk::settings::keys;

use crate::parse::{Submission, interpret, named};
use crate::table::BUILTINS;

/// Suggestions in one answer.
const MOST: usize = 3;
/// Letters that may differ.
const FAR: usize = 3;

/// What is said instead of sending a line that calls an unknown command, unless the setting sends such lines.
pub fn unknown(session: &Session, line: &str) -> Option<String> {
    let name = command_name(line)?;
    if !matches!(interpret(line), Submission::Expandable) || named(head(name)).is_some() {
        return None;
    }
    if session.settings().get(keys::COMMANDS_UNKNOWN) == "send" {
        return None;
    }
    let commands = session.input().commands();
    let own: Vec<String> = commands.list(|_| false).map(|row| row.name.clone()).collect();
    let skills = session.input().skill_commands().into_iter().map(|(name, _)| format!("skill:{name}"));
    let prompts = session.mcp().prompts().into_iter().map(|prompt| prompt.name);
    let extensions = session.extensions().commands().into_iter().map(|command| command.name);
    let own: Vec<String> = own.into_iter().chain(skills).chain(prompts).chain(extensions).collect();
    if own.iter().any(|known| known == name) {
        return None;
    }
    let built_in = BUILTINS.iter().filter(|command| command.is_available()).flat_map(|row| row.names());
    let mut all: Vec<&str> = built_in.collect();
    all.extend(own.iter().map(String::as_str));
    let near = nearest(name, &all);
    let meant = match near.is_empty() {
        true => "see: /help".to_owned(),
        false => format!("did you mean {}?", near.join(", ")),
    };
    Some(format!("unknown command /{name}: {meant} (to send it as a prompt: //{name})"))
}

/// The text that `//name …` sends: with one slash.
pub fn as_prompt(line: &str) -> Option<&str> {
    let text = line.strip_prefix('/')?;
    command_name(text).map(|_| text)
}

/// The name that a line calls. A path is not a name.
fn command_name(line: &str) -> Option<&str> {
    let name = line.strip_prefix('/')?.split_whitespace().next()?;
    let fits = |letter: char| letter.is_ascii_alphanumeric() || "_-:".contains(letter);
    (line[1..].starts_with(name) && name.starts_with(|first: char| first.is_ascii_alphabetic()))
        .then_some(name)
        .filter(|name| name.chars().all(fits))
}

fn head(name: &str) -> &str {
    name.split(':').next().unwrap_or(name)
}

/// Names that begin with what was typed, then names with few other letters.
fn nearest(typed: &str, known: &[&str]) -> Vec<String> {
    let typed = typed.to_lowercase();
    let mut found: Vec<(usize, &str)> = known
        .iter()
        .filter_map(|name| {
            let distance = match name.starts_with(&typed) && typed.len() > 1 {
                true => 0,
                false => strsim::osa_distance(&typed, name),
            };
            (distance <= FAR.min(typed.len() / 2)).then_some((distance, *name))
        })
        .collect();
    found.sort();
    found.dedup();
    found.into_iter().take(MOST).map(|(_, name)| format!("/{name}")).collect()
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn paths_and_prose_are_not_commands() {
        for line in ["/etc/passwd is odd", "/src/a.rs", "/ model", "/", "model", "/1st", "// comment", "/a.b"]
        {
            assert_eq!(command_name(line), None, "{line}");
        }
        assert_eq!(command_name("/modle opus"), Some("modle"));
        assert_eq!(command_name("/plugin:cmd"), Some("plugin:cmd"));
        assert_eq!(as_prompt("//modle opus"), Some("/modle opus"));
        for line in ["// a comment", "//", "/modle", "///x"] {
            assert_eq!(as_prompt(line), None, "{line}");
        }
    }

    #[test]
    fn suggestions_are_near() {
        let known = ["model", "models", "mode", "help", "compact", "copy"];
        assert_eq!(nearest("modle", &known), ["/mode", "/model", "/models"]);
        assert_eq!(nearest("comp", &known), ["/compact", "/copy"]);
        assert_eq!(nearest("zzzzzz", &known), Vec::<String>::new());
    }
}
