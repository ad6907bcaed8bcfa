//! Internal URLs: what a session can name that is not a plain path, such as `skill://pdf`.

use std::path::PathBuf;

/// Gives tools what internal URLs name.
pub trait Resources: Send + Sync {
    /// The schemes that are served, in lower case, without `://`.
    fn schemes(&self) -> &'static [&'static str];

    /// What `url` names, without a selector. An error is a sentence for the model.
    fn open(&self, url: &str) -> Result<Resource, String>;
}

/// What an internal URL names.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Resource {
    pub content: Content,
    /// `text/markdown` or `text/plain`.
    pub mime: &'static str,
}

#[derive(Clone, Debug, PartialEq, Eq)]
pub enum Content {
    /// A file or directory that stands behind the URL.
    Path(PathBuf),
    Text(String),
}

/// A session without internal URLs.
pub(crate) struct NoResources;

impl Resources for NoResources {
    fn schemes(&self) -> &'static [&'static str] {
        &[]
    }

    fn open(&self, url: &str) -> Result<Resource, String> {
        Err(format!("'{url}' cannot be read here."))
    }
}

/// The scheme of `typed`, in lower case, if it looks like a URL.
pub(crate) fn scheme(typed: &str) -> Option<String> {
    let (scheme, _) = typed.split_once("://")?;
    let word = scheme.starts_with(|first: char| first.is_ascii_alphabetic())
        && scheme.chars().all(|letter| letter.is_ascii_alphanumeric() || "+-.".contains(letter));
    word.then(|| scheme.to_ascii_lowercase())
}
