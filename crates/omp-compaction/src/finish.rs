//! From the words of a model to the entry of a session.

use serde_json::{Map, Value, json};

use crate::carry::{self, Carried};
use crate::plan::Plan;
use crate::prompts::bare;

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
    let blocks = [main_text(plan, words), carried.block(), plan.files.block()];
    let summary = blocks.iter().filter(|block| !block.is_empty()).cloned().collect::<Vec<_>>().join("\n\n");
    let mut details: Map<String, Value> = plan.files.details();
    details.insert(carry::FIELD.to_owned(), json!(carried));
    Finished { summary, details: Value::Object(details) }
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
