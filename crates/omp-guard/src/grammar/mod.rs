//! The part of bash that is judged.
//!
//! An allow-list with a reader of its own: simple commands, lists, pipelines and groups of them, plain redirections,
//! and words that are literal or plainly expanded. Everything else is [`Unknown`] by the construct that was met. What
//! this reader accepts means the same in every shell that may run it; what is merely followed to recognise danger goes
//! the other way, through [`crate::command`].

mod brace;
mod read;
mod scan;
mod unknown;
mod word;

pub use unknown::Unknown;
pub(crate) use word::Word;

/// A script in the order it is written.
#[derive(Clone, Debug, PartialEq, Eq)]
pub(crate) enum Item {
    /// What follows cannot change the directory of what comes after [`Item::Leave`].
    Enter,
    Leave,
    Command(Box<SimpleCommand>),
    /// What came before may have failed; what follows runs all the same.
    ChainEnds,
}

/// One program, as it is written.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub(crate) struct SimpleCommand {
    pub(crate) assignments: Vec<(String, Word)>,
    pub(crate) words: Vec<Word>,
    pub(crate) redirects: Vec<Redirect>,
    /// What follows runs only if this succeeded.
    pub(crate) checked: bool,
}

/// What a redirection does. Duplicated descriptors and `/dev/null` are none.
#[derive(Clone, Debug, PartialEq, Eq)]
pub(crate) enum Redirect {
    Reads(Word),
    Writes(Word),
    /// Literal text, by a here-document or a here-string.
    Text,
}

/// Reads a script.
pub(crate) fn read(text: &str) -> Result<Vec<Item>, Unknown> {
    read::Reader::new(text)?.script()
}
