//! From the words of a model to the entry of a session.

use omp_session::Compaction;
use serde_json::{Map, Value, json};

use crate::carry::{self, Carried};
use crate::plan::{Nothing, Plan};
use crate::prompts::bare;
use crate::serialize::within;

/// Percent of what it replaces that a summary may take with everything that is added to it.
const WANTED_PERCENT: u64 = 75;
/// Tokens of the model's words that stay in any case.
const LEAST_WORDS: u64 = 48;
/// How what follows a sealed history begins.
const SEALED: &str = include_str!("../prompts/sealed.md");
/// What stands for a history that there is none of.
const NO_HISTORY: &str = "No prior history.";

/// The words of the summary.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct Words {
    /// The summary of the history; empty where there was none.
    pub history: String,
    /// The summary of the part of the turn that is cut.
    pub prefix: Option<String>,
}

/// An entry, but for its ids and sizes.
#[derive(Clone, Debug, PartialEq)]
pub struct Finished {
    pub summary: String,
    pub details: Value,
}

/// Puts a summary together: the model's words, what is carried over, the files.
pub fn finish(plan: &Plan, words: &Words, carried: &Carried) -> Finished {
    finish_showing(plan, words, carried, carried)
}

/// The same where not all that is carried is shown: the next compaction still knows it.
fn finish_showing(plan: &Plan, words: &Words, carried: &Carried, shown: &Carried) -> Finished {
    let blocks = [main_text(plan, words), shown.block(), plan.files.block()];
    let summary = blocks.iter().filter(|block| !block.is_empty()).cloned().collect::<Vec<_>>().join("\n\n");
    let mut details: Map<String, Value> = plan.files.details();
    details.insert(carry::FIELD.to_owned(), json!(carried));
    Finished { summary, details: Value::Object(details) }
}

/// The same, always shorter than what it replaces: by a quarter as long as the model's words can be cut, else by what is
/// carried over. Words are cut in the middle, so the goal at their beginning and the next steps at their end stay.
pub fn finish_shorter(plan: &Plan, words: &Words, carried: &Carried) -> Result<Finished, Nothing> {
    let replaced = plan.replaced_tokens();
    let wanted = replaced * WANTED_PERCENT / 100;
    let whole = finish(plan, words, carried);
    let size = tokens(&whole.summary);
    if size <= wanted {
        return Ok(whole);
    }
    let cut = cut(words, words_tokens(words).saturating_sub(size - wanted));
    let shown = std::iter::once(carried.clone()).chain(carried.lighter());
    let mut ways = shown.map(|shown| finish_showing(plan, &cut, carried, &shown));
    ways.find(|finished| tokens(&finished.summary) < replaced).ok_or(Nothing::NotShorter)
}

/// Tokens of the message that a summary becomes.
fn tokens(summary: &str) -> u64 {
    let entry = Compaction { summary: summary.to_owned(), ..Compaction::default() };
    omp_tokens::message(&entry.message())
}

fn words_tokens(words: &Words) -> u64 {
    omp_tokens::estimate(&words.history) + words.prefix.as_deref().map_or(0, omp_tokens::estimate)
}

/// Both parts of the words within so many tokens, each by its share.
fn cut(words: &Words, room: u64) -> Words {
    let all = words_tokens(words).max(1);
    let part = |text: &str| {
        let tokens = (room * omp_tokens::estimate(text) / all).max(LEAST_WORDS);
        within(text, tokens)
    };
    Words { history: part(&words.history), prefix: words.prefix.as_deref().map(part) }
}

/// What a model reads after a history that its provider sealed: what is carried over, and the files.
pub fn sealed_note(plan: &Plan, carried: &Carried) -> String {
    let blocks = [SEALED.trim().to_owned(), carried.block(), plan.files.block()];
    blocks.iter().filter(|block| !block.is_empty()).cloned().collect::<Vec<_>>().join("\n\n")
}

fn main_text(plan: &Plan, words: &Words) -> String {
    let said = bare(&words.history);
    let history = match (said.is_empty(), &plan.previous) {
        (false, _) => said,
        (true, Some(previous)) => bare(&previous.summary),
        (true, None) => NO_HISTORY.to_owned(),
    };
    match &words.prefix {
        Some(prefix) => format!("{history}\n\n---\n\n**Turn Context (split turn):**\n\n{}", bare(prefix)),
        None => history,
    }
}
