//! Where completion begins.

use super::commands::{CommandInfo, called};

/// What is completed.
#[derive(Clone, Debug, PartialEq, Eq)]
pub(crate) enum TriggerKind {
    /// `@path` or `@"path with blanks`.
    File { quoted: bool },
    /// A path without `@`, asked for with Tab.
    Path,
    /// `/name`.
    Name,
    /// What follows `/name `.
    Argument { command: String },
    /// `scheme://`.
    Url { scheme: String },
    /// `:name`.
    Emoji,
    /// `#action`.
    Action,
}

/// Something at the cursor that can be completed.
#[derive(Clone, Debug, PartialEq, Eq)]
pub(crate) struct Trigger {
    pub(crate) kind: TriggerKind,
    /// The first byte that an offer replaces.
    pub(crate) start: usize,
    /// What offers are compared with.
    pub(crate) query: String,
}

/// What is seen when looking for a trigger.
#[derive(Clone, Copy, Debug)]
pub(crate) struct Sight<'a> {
    /// The line of the cursor, up to the cursor.
    pub(crate) before: &'a str,
    /// Whether it is the first line.
    pub(crate) is_first: bool,
    /// Whether the text is for the model: no shell command, no code.
    pub(crate) is_prompt: bool,
    pub(crate) schemes: &'a [String],
    pub(crate) commands: &'a [CommandInfo],
    pub(crate) emoji: bool,
}

/// What can be completed, if anything.
pub(crate) fn find(sight: Sight<'_>) -> Option<Trigger> {
    slash(sight)
        .or_else(|| quoted_file(sight.before))
        .or_else(|| token(sight))
        .filter(|trigger| sight.is_prompt || matches!(trigger.kind, TriggerKind::Url { .. }))
}

/// `/name` and its arguments, at the very beginning.
fn slash(sight: Sight<'_>) -> Option<Trigger> {
    let rest = sight.before.strip_prefix('/').filter(|_| sight.is_first)?;
    if let Some((command, Some(start))) = called(sight.before, sight.commands) {
        let query = &sight.before[start..];
        let names_file = query.starts_with('@') || query.contains(" @");
        let kind = TriggerKind::Argument { command: command.name.clone() };
        return (!names_file).then(|| Trigger { kind, start, query: query.to_owned() });
    }
    // A second slash: a path, not a command.
    let is_name = !rest.contains(|c: char| c == '/' || c.is_whitespace());
    is_name.then(|| Trigger { kind: TriggerKind::Name, start: 0, query: rest.to_owned() })
}

/// `@"…` with an open quote.
fn quoted_file(before: &str) -> Option<Trigger> {
    let start = before.rfind("@\"")?;
    let query = &before[start + 2..];
    let open = !query.contains('"') && begins_word(before, start);
    open.then(|| Trigger { kind: TriggerKind::File { quoted: true }, start, query: query.to_owned() })
}

/// What the word before the cursor begins with.
fn token(sight: Sight<'_>) -> Option<Trigger> {
    let start = sight
        .before
        .rfind(char::is_whitespace)
        .map_or(0, |at| at + sight.before[at..].chars().next().map_or(1, char::len_utf8));
    let word = &sight.before[start..];
    let opening = word.len() - word.trim_start_matches(['(', '[', '{', '"', '\'', '<']).len();
    let (start, word) = (start + opening, &word[opening..]);
    let trigger = |kind, query: &str| Some(Trigger { kind, start, query: query.to_owned() });
    if let Some(query) = word.strip_prefix('@') {
        return trigger(TriggerKind::File { quoted: false }, query);
    }
    if let Some((scheme, query)) = word.split_once("://") {
        let scheme = scheme.to_ascii_lowercase();
        let known = sight.schemes.contains(&scheme);
        return if known { trigger(TriggerKind::Url { scheme }, query) } else { None };
    }
    let name =
        |text: &str| text.bytes().all(|b| b.is_ascii_alphanumeric() || matches!(b, b'_' | b'+' | b'-'));
    match word.strip_prefix(':') {
        Some(query) if sight.emoji && query.len() >= 2 && name(query) => {
            return trigger(TriggerKind::Emoji, query);
        }
        _ => {}
    }
    match word.strip_prefix('#') {
        Some(query) if query.bytes().all(|b| b.is_ascii_alphabetic() || b == b'-') => {
            trigger(TriggerKind::Action, query)
        }
        _ => None,
    }
}

fn begins_word(before: &str, at: usize) -> bool {
    before[..at].chars().next_back().is_none_or(|c| c.is_whitespace() || "([{<".contains(c))
}

/// The name in `:name:` right before the cursor, and where it begins.
pub(crate) fn closed_emoji(before: &str) -> Option<(usize, &str)> {
    let inner = before.strip_suffix(':')?;
    let start = inner.rfind(':')?;
    let name = &inner[start + 1..];
    let fits = !name.is_empty() && !name.contains(char::is_whitespace) && begins_word(before, start);
    fits.then_some((start, name))
}

/// The path before the cursor, for Tab: a word in which `\ ` and quotes keep blanks. It begins no earlier than `first`.
pub(crate) fn path_token(before: &str, first: usize) -> Trigger {
    let mut start = first;
    let mut query = String::new();
    let mut quote = None;
    let mut characters = before.char_indices().skip_while(|(at, _)| *at < first);
    while let Some((at, character)) = characters.next() {
        match (quote, character) {
            (None, '\\') => query.extend(characters.next().map(|(_, escaped)| escaped)),
            (None, '"' | '\'') => quote = Some(character),
            (Some(open), closing) if open == closing => quote = None,
            (None, blank) if blank.is_whitespace() => {
                start = at + blank.len_utf8();
                query.clear();
            }
            (_, other) => query.push(other),
        }
    }
    Trigger { kind: TriggerKind::Path, start, query }
}
