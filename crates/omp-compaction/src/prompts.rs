//! What the model that summarizes is asked. All sentences live in `prompts/`.

use crate::carry;
use crate::files::without_blocks;
use crate::plan::{Piece, Plan};
use crate::serialize::{fitting, within};

const SYSTEM: &str = include_str!("../prompts/system.md");
const FIRST: &str = include_str!("../prompts/first.md");
const UPDATE: &str = include_str!("../prompts/update.md");
const PREFIX: &str = include_str!("../prompts/turn-prefix.md");
const SHORT: &str = include_str!("../prompts/short.md");
const BRANCH: &str = include_str!("../prompts/branch.md");
const HANDOFF: &str = include_str!("../prompts/handoff.md");
const FOCUS: &str = include_str!("../prompts/focus.md");

/// What makes a model continue after its conversation was made shorter.
pub const AUTO_CONTINUE: &str = include_str!("../prompts/auto-continue.md").trim_ascii();
/// What a session begins with that takes over from another; `{document}` is the document.
pub const HANDOFF_CONTEXT: &str = include_str!("../prompts/handoff-context.md").trim_ascii();

/// One question to a model.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Request {
    pub system: String,
    pub prompt: String,
}

/// What a summary should attend to.
#[derive(Clone, Copy, Debug, Default)]
pub struct Wishes<'a> {
    /// What the user wants.
    pub focus: Option<&'a str>,
    /// What else should be known.
    pub context: &'a [String],
    /// The task, instead of ours.
    pub prompt: Option<&'a str>,
}

impl Wishes<'_> {
    fn parts(&self, task: &str) -> impl Iterator<Item = String> {
        let context = self.context.iter().map(|text| tagged("additional-context", text));
        let task = self.prompt.map(str::trim).filter(|prompt| !prompt.is_empty()).unwrap_or(task);
        context.chain([with_focus(task, self.focus)])
    }
}

/// Asks for the summary of the history. The conversation and the summary before it take at most `tokens`.
pub fn history_request(plan: &Plan, wishes: Wishes<'_>, tokens: u64) -> Request {
    let previous = plan.previous.as_ref().map(|previous| bare(&previous.summary));
    let previous = previous.map(|text| within(&text, tokens / 3)).filter(|text| !text.is_empty());
    let left = tokens - previous.as_deref().map_or(0, omp_tokens::estimate).min(tokens);
    let mut parts = vec![conversation(&plan.history, left)];
    if let Some(previous) = &previous {
        parts.push(tagged("previous-summary", previous));
    }
    let task = if previous.is_some() { UPDATE } else { FIRST };
    parts.extend(wishes.parts(task));
    request(&parts)
}

/// Asks for the summary of the part of a turn that is cut.
pub fn prefix_request(plan: &Plan, wishes: Wishes<'_>, tokens: u64) -> Request {
    let mut parts = vec![conversation(&plan.prefix, tokens)];
    parts.extend(wishes.parts(PREFIX));
    request(&parts)
}

/// Asks for one line for lists, from a summary.
pub fn short_request(summary: &str) -> Request {
    request(&[tagged("summary", &bare(summary)), SHORT.trim().to_owned()])
}

/// Asks for the summary of a branch. Instructions of the user take the place of ours.
pub fn branch_request(pieces: &[Piece], instructions: Option<&str>, tokens: u64) -> Request {
    let wanted = instructions.map(str::trim).filter(|text| !text.is_empty());
    request(&[conversation(pieces, tokens), wanted.unwrap_or(BRANCH.trim()).to_owned()])
}

/// The last message of a conversation that is handed to a new session.
pub fn handoff(focus: Option<&str>) -> String {
    with_focus(HANDOFF, focus)
}

/// A summary without what the program added to it.
pub(crate) fn bare(summary: &str) -> String {
    without_blocks(summary, &[carry::TAG])
}

fn request(parts: &[String]) -> Request {
    Request { system: SYSTEM.trim().to_owned(), prompt: parts.join("\n\n") }
}

fn conversation(pieces: &[Piece], tokens: u64) -> String {
    tagged("conversation", &fitting(pieces, tokens))
}

/// Text of others must not end the tag around it.
fn tagged(name: &str, text: &str) -> String {
    let close = format!("</{name}>");
    let safe = text.replace(&close, &format!("<\\/{name}>"));
    format!("<{name}>\n{safe}\n{close}")
}

fn with_focus(task: &str, focus: Option<&str>) -> String {
    match focus.map(str::trim).filter(|focus| !focus.is_empty()) {
        Some(focus) => format!("{}\n\n{}", task.trim(), FOCUS.trim().replace("{focus}", focus)),
        None => task.trim().to_owned(),
    }
}
