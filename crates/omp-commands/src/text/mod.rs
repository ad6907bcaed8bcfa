//! Commands whose answer is a text, by topic.

pub(crate) mod about;
pub(crate) mod approval;
pub(crate) mod changelog;
pub(crate) mod compacting;
pub(crate) mod conversation;
pub(crate) mod extensions;
pub(crate) mod hooks;
pub(crate) mod machines;
pub mod mcp;
pub(crate) mod moving;
pub mod packages;
pub(crate) mod permissions;
pub mod plugins;
pub(crate) mod provider;
pub(crate) mod rewinding;
pub(crate) mod roots;
pub(crate) mod sandbox;
pub(crate) mod stats;
pub(crate) mod todo;
pub(crate) mod trust;
pub(crate) mod upkeep;
pub(crate) mod usage;

use crate::answer::Answer;

/// A command that needs a conversation that stands still.
pub(crate) const BUSY: &str = "the model is still responding: wait, or press Esc to stop it";

/// Runs work that waits for the disk where it holds up nobody.
pub(crate) async fn blocking(work: impl FnOnce() -> Answer + Send + 'static) -> Answer {
    let done = tokio::task::spawn_blocking(work).await;
    done.unwrap_or_else(|_| Answer::refused("omp is exiting: nothing was done"))
}

/// The first word, and the rest without the space around it.
pub(crate) fn first_word(arguments: &str) -> (&str, &str) {
    let (word, rest) = arguments.split_once(char::is_whitespace).unwrap_or((arguments, ""));
    (word, rest.trim())
}

/// A path as it was typed, without the quotes around it.
pub(crate) fn unquoted(path: &str) -> &str {
    let path = path.trim();
    path.strip_prefix('"').and_then(|path| path.strip_suffix('"')).unwrap_or(path)
}
