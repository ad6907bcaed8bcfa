//! Slash commands: names, aliases, subcommands, hints.

use super::rank::Ranker;
use super::{Fit, Offer, Then};

/// Whether a command takes something behind its name.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub enum Arguments {
    /// Nothing.
    #[default]
    None,
    /// If the user likes.
    Optional,
    /// It does nothing without.
    Required,
}

/// A slash command as the list shows it.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct CommandInfo {
    /// Its name, without `/`.
    pub name: String,
    /// Other names.
    pub aliases: Vec<String>,
    /// What it does, in a few words.
    pub description: String,
    /// Whether it takes arguments.
    pub arguments: Arguments,
    /// What they are, such as `<tool> [prompt]`; empty if there is nothing to say.
    pub hint: String,
    /// Words that can come first among them.
    pub subcommands: Vec<SubcommandInfo>,
    /// What it is about: commands of one topic stand together, under its name, while nothing was typed.
    pub topic: String,
}

/// A word that can follow a command.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct SubcommandInfo {
    /// The word.
    pub name: String,
    /// What it does.
    pub description: String,
    /// What follows it; empty if nothing does.
    pub hint: String,
}

impl CommandInfo {
    /// Whether `name` is the name or an alias.
    pub(crate) fn answers_to(&self, name: &str) -> bool {
        self.name == name || self.aliases.iter().any(|alias| alias == name)
    }

    fn offer(&self, matched_alias: Option<&str>, fit: Fit) -> Offer {
        let label = match matched_alias {
            Some(alias) => format!("/{} ({alias})", self.name),
            None => format!("/{}", self.name),
        };
        let then = if self.arguments == Arguments::None { Then::Close } else { Then::GoOn };
        let (insert, detail) = (format!("/{}", self.name), self.description.clone());
        Offer { label, insert, detail, then, fit, topic: String::new() }
    }
}

/// Commands that fit what was typed behind `/`: by name, then by alias, then by description.
pub(crate) fn complete_name(query: &str, commands: &[CommandInfo]) -> Vec<Offer> {
    if query.is_empty() {
        let grouped = |command: &CommandInfo| Offer {
            topic: command.topic.clone(),
            ..command.offer(None, Fit::Prefix)
        };
        return commands.iter().map(grouped).collect();
    }
    let mut ranker = Ranker::new(query);
    let mut found = Vec::new();
    for (index, command) in commands.iter().enumerate() {
        let alias = command.aliases.iter().filter_map(|a| Some((ranker.name(a)?, a))).min();
        let by_name = ranker.name(&command.name).map(|key| ((0, key), None));
        let by_alias = alias.map(|(key, alias)| ((usize::from(key.0 > 1), key), Some(alias.as_str())));
        let by_text = ranker.words(&command.description).map(|key| ((2, key), None));
        if let Some((key, alias)) = by_name.into_iter().chain(by_alias).chain(by_text).min() {
            let fit = match key.1.0 {
                0 | 1 => Fit::Prefix,
                2 => Fit::Fuzzy,
                _ => Fit::Description,
            };
            found.push((key, index, command.offer(alias, fit)));
        }
    }
    found.sort_by(|left, right| (&left.0, left.1).cmp(&(&right.0, right.1)));
    found.into_iter().map(|(_, _, offer)| offer).collect()
}

/// Subcommands of `command` that fit what was typed; nothing once the first word is complete.
pub(crate) fn complete_argument(query: &str, command: &CommandInfo) -> Vec<Offer> {
    if query.contains(char::is_whitespace) {
        return Vec::new();
    }
    let mut ranker = Ranker::new(query);
    let mut found: Vec<_> = command
        .subcommands
        .iter()
        .enumerate()
        .filter_map(|(index, sub)| Some((ranker.name(&sub.name)?, index, sub)))
        .collect();
    found.sort_by(|left, right| (&left.0, left.1).cmp(&(&right.0, right.1)));
    let offer = |sub: &SubcommandInfo| {
        let then = if sub.hint.is_empty() { Then::Close } else { Then::Space };
        Offer {
            label: sub.name.clone(),
            insert: sub.name.clone(),
            detail: sub.description.clone(),
            then,
            fit: Fit::Prefix,
            topic: String::new(),
        }
    };
    found.into_iter().map(|(_, _, sub)| offer(sub)).collect()
}

/// The command that a line calls, and where its arguments begin once its name is complete. A name ends at a blank, or at a
/// colon unless the colon is part of a name.
pub(crate) fn called<'c>(
    line: &str,
    commands: &'c [CommandInfo],
) -> Option<(&'c CommandInfo, Option<usize>)> {
    let rest = line.strip_prefix('/')?;
    let known = |name: &str| commands.iter().find(|command| command.answers_to(name));
    let blank = rest.find(char::is_whitespace).unwrap_or(rest.len());
    let (command, end) = match known(&rest[..blank]) {
        Some(command) => (command, blank),
        None => {
            let colon = rest.find(':')?;
            (known(&rest[..colon])?, colon)
        }
    };
    let tail = &rest[end..];
    let arguments = tail.strip_prefix(':').unwrap_or(tail).trim_start();
    Some((command, (!tail.is_empty()).then(|| line.len() - arguments.len())))
}

/// What can be typed next, shown behind the cursor when it is at the end of `line`.
pub(crate) fn ghost(line: &str, commands: &[CommandInfo]) -> Option<String> {
    let (command, start) = called(line, commands)?;
    let argument = start.map_or("", |start| line[start..].trim());
    let open = if line.ends_with(|c: char| c.is_whitespace() || c == ':') { "" } else { " " };
    let hint = match argument {
        "" => &command.hint,
        argument => &command.subcommands.iter().find(|sub| sub.name == argument)?.hint,
    };
    (!hint.is_empty()).then(|| format!("{open}{hint}"))
}

/// Whether Enter on the taken offer can send the text: the command, or its subcommand, wants nothing more.
pub(crate) fn is_exact(line: &str, commands: &[CommandInfo]) -> bool {
    let Some((command, start)) = called(line, commands) else { return false };
    match start.map_or("", |start| line[start..].trim()) {
        "" => command.arguments != Arguments::Required,
        argument => command.subcommands.iter().any(|sub| sub.name == argument && !sub.hint.starts_with('<')),
    }
}
