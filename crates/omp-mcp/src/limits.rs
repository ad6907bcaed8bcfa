//! How much a server may say. It is a stranger: what is larger is cut or left out, and the user is told.

use std::time::Duration;

/// One message, in either direction of reading.
pub(crate) const FRAME: usize = 16 * 1024 * 1024;
/// What is kept of a server's standard error and of its log messages.
pub(crate) const LOG: usize = 64 * 1024;
/// One line of that.
pub(crate) const LOG_LINE: usize = 4 * 1024;
/// Pages of a list.
pub(crate) const PAGES: usize = 200;
/// Entries of a list.
pub(crate) const ENTRIES: usize = 10_000;
pub(crate) const NAME: usize = 256;
/// The address of a resource.
pub(crate) const URI: usize = 4 * 1024;
pub(crate) const DESCRIPTION: usize = 16 * 1024;
/// A schema, as text.
pub(crate) const SCHEMA: usize = 256 * 1024;
pub(crate) const INSTRUCTIONS: usize = 16 * 1024;
/// Blocks of one result.
pub(crate) const BLOCKS: usize = 256;
/// Text of one result.
pub(crate) const TEXT: usize = 4 * 1024 * 1024;
/// An image or a recording, in Base64.
pub(crate) const MEDIA: usize = 14 * 1024 * 1024;
/// Lists of a server that calls them fresh for less are not read again sooner.
pub(crate) const FRESH: Duration = Duration::from_secs(5);
/// What is quoted of an error.
pub(crate) const QUOTE: usize = 1024;
/// Notifications in a second.
pub(crate) const NOTIFICATIONS: u32 = 500;
/// Progress that nobody has asked for yet.
pub(crate) const EARLY_PROGRESS: usize = 64;
/// Questions to the user or to models within [`QUESTION_WINDOW`].
pub(crate) const QUESTIONS: usize = 20;
pub(crate) const QUESTION_WINDOW: Duration = Duration::from_secs(60);
/// Questions that are open at once.
pub(crate) const OPEN_QUESTIONS: usize = 4;
/// Rounds of questions within one request.
pub(crate) const ROUNDS: usize = 10;

/// The beginning of a text.
pub(crate) fn cut(text: &str, most: usize) -> &str {
    &text[..text.floor_char_boundary(most)]
}

/// The same, with a mark where something is missing.
pub(crate) fn shortened(text: &str, most: usize) -> String {
    match text.len() > most {
        true => format!("{}…", cut(text, most)),
        false => text.to_owned(),
    }
}
