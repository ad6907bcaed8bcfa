//! Internal URLs: what a session can name that is not a plain path, such as `skill://pdf` or `local://plan.md`.
//!
//! One router, [`Resources`], is shared by every tool. To add a scheme: write a type that implements [`Scheme`] in a
//! file of its own (those that need a session live beside the session), and hand it to [`Resources::new`] where the
//! session is put together. Reading, selectors, pages, searching, editing and use in commands then follow by
//! themselves:
//!
//! - [`Scheme::open`] gives the content. A text stays in memory; a path is read like any file.
//! - [`Scheme::write`] makes the scheme writable, [`Scheme::locate`] gives it to tools that need a file.
//! - A [`Resource`] that is mutable is shown with the anchors of edits, and needs `locate`.

mod url;

use std::borrow::Cow;
use std::path::PathBuf;
use std::sync::Arc;

use futures_util::future::BoxFuture;
use futures_util::{FutureExt, future};
use tokio_util::sync::CancellationToken;

pub use url::InternalUrl;

/// Every scheme that omp knows. Those without a part that serves them say so.
pub const SCHEMES: [&str; 12] = [
    "agent", "artifact", "history", "issue", "local", "mcp", "memory", "omp", "pr", "rule", "skill", "vault",
];

/// Completions that are offered at once.
const MOST_COMPLETIONS: usize = 25;

/// What an internal URL names.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Resource {
    /// What is there.
    pub content: Content,
    /// Such as `text/markdown`.
    pub mime: Cow<'static, str>,
    /// Whether the edit tool may change it.
    pub mutability: Mutability,
    /// How much of it a read without a selector shows.
    pub paging: Paging,
}

/// The content of a [`Resource`].
#[derive(Clone, Debug, PartialEq, Eq)]
pub enum Content {
    /// A file or directory that stands behind the URL.
    Path(PathBuf),
    /// Text that is not a file.
    Text(String),
}

/// Immutable resources are shown without the anchors that edits refer to.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Mutability {
    /// Can be edited through its URL.
    Mutable,
    /// Can only be read.
    Immutable,
}

/// How a resource is cut into pages.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Paging {
    /// Like a file.
    Lines,
    /// All of it unless a selector says otherwise.
    Whole,
    /// All of it always: the URL itself chose a part.
    Extract,
}

impl Resource {
    /// A text that cannot be changed, in pages.
    pub fn text(text: impl Into<String>, mime: impl Into<Cow<'static, str>>) -> Self {
        Self::new(Content::Text(text.into()), mime.into())
    }

    /// A file or directory that cannot be changed, in pages.
    pub fn path(path: impl Into<PathBuf>, mime: impl Into<Cow<'static, str>>) -> Self {
        Self::new(Content::Path(path.into()), mime.into())
    }

    fn new(content: Content, mime: Cow<'static, str>) -> Self {
        Self { content, mime, mutability: Mutability::Immutable, paging: Paging::Lines }
    }

    /// The same, open to edits.
    pub fn mutable(self) -> Self {
        Self { mutability: Mutability::Mutable, ..self }
    }

    /// The same, with another way of paging.
    pub fn paged(self, paging: Paging) -> Self {
        Self { paging, ..self }
    }
}

/// A URL that could be meant, for completion while typing.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Completion {
    /// The whole URL.
    pub url: String,
    /// A few words about it; may be empty.
    pub description: String,
}

/// Serves the URLs of one scheme. Errors are sentences for the model.
pub trait Scheme: Send + Sync {
    /// The scheme in lower case, without `://`.
    fn name(&self) -> &'static str;

    /// What `url` names. Work that waits for the disk belongs on a blocking thread.
    fn open<'a>(
        &'a self,
        url: &'a InternalUrl,
        cancel: &'a CancellationToken,
    ) -> BoxFuture<'a, Result<Resource, String>>;

    /// Replaces or creates what `url` names.
    fn write<'a>(
        &'a self,
        url: &'a InternalUrl,
        _content: &'a str,
        _cancel: &'a CancellationToken,
    ) -> BoxFuture<'a, Result<(), String>> {
        let name = self.name();
        future::ready(Err(format!("'{url}' was not written: {name}:// resources are read-only."))).boxed()
    }

    /// The file behind `url`; of a writable resource also the one that would be created. Nothing is created here.
    /// May wait for the disk, and for nothing else.
    fn locate(&self, url: &InternalUrl) -> Result<PathBuf, String> {
        Err(format!("'{url}' is not backed by a file. Use read to see its content."))
    }

    /// May files behind its URLs be created and changed?
    fn creates_files(&self) -> bool {
        false
    }

    /// Creates the directory for the file behind `url`, where a command is about to use it. May wait for the disk.
    fn make_room(&self, _url: &InternalUrl) -> Result<(), String> {
        Ok(())
    }

    /// Every text of the scheme with its URL, where a search in the bare scheme looks through all of them.
    fn texts(&self) -> Vec<(String, String)> {
        Vec::new()
    }

    /// URLs that begin with `<scheme>://` and then `typed`, best first.
    fn complete(&self, _typed: &str) -> Vec<Completion> {
        Vec::new()
    }
}

/// The internal URLs of a session.
#[derive(Clone, Default)]
pub struct Resources {
    schemes: Vec<Arc<dyn Scheme>>,
}

impl Resources {
    /// Of two with the same name, the first counts.
    pub fn new(schemes: Vec<Arc<dyn Scheme>>) -> Self {
        let mut resources = Self::default();
        for scheme in schemes {
            if resources.schemes().all(|known| known != scheme.name()) {
                resources.schemes.push(scheme);
            }
        }
        resources
    }

    /// The schemes that are served, in the order they were given.
    pub fn schemes(&self) -> impl Iterator<Item = &'static str> {
        self.schemes.iter().map(|scheme| scheme.name())
    }

    /// What `url` names. Ends soon when `cancel` fires.
    pub async fn open(&self, url: &InternalUrl, cancel: &CancellationToken) -> Result<Resource, String> {
        let scheme = self.serving(url)?;
        cancel.run_until_cancelled(scheme.open(url, cancel)).await.unwrap_or_else(|| Err(aborted()))
    }

    /// Replaces or creates what `url` names.
    pub async fn write(
        &self,
        url: &InternalUrl,
        content: &str,
        cancel: &CancellationToken,
    ) -> Result<(), String> {
        self.serving(url)?.write(url, content, cancel).await
    }

    /// The file behind `url`, which need not exist yet. May wait for the disk.
    pub fn locate(&self, url: &InternalUrl) -> Result<PathBuf, String> {
        self.serving(url)?.locate(url)
    }

    /// Is there somebody behind the scheme of `url`?
    pub fn serves(&self, url: &InternalUrl) -> bool {
        self.serving(url).is_ok()
    }

    /// Creates the directory for the file behind `url`, if the file may be created. May wait for the disk.
    pub fn make_room(&self, url: &InternalUrl) -> Result<(), String> {
        self.serving(url)?.make_room(url)
    }

    /// May the file behind `url` be created and changed?
    pub fn creates_files(&self, url: &InternalUrl) -> bool {
        self.serving(url).is_ok_and(Scheme::creates_files)
    }

    /// Every text of the scheme of `url`, if only the scheme was given and the scheme has such a list.
    pub fn texts(&self, url: &InternalUrl) -> Vec<(String, String)> {
        match self.serving(url) {
            Ok(scheme) if url.target().is_empty() => scheme.texts(),
            _ => Vec::new(),
        }
    }

    /// At most 25 URLs that `typed` could become: schemes as long as it has none.
    pub fn complete(&self, typed: &str) -> Vec<Completion> {
        let mut found = match typed.split_once("://") {
            Some((name, rest)) => {
                let scheme = self.schemes.iter().find(|scheme| scheme.name().eq_ignore_ascii_case(name));
                scheme.map(|scheme| scheme.complete(rest)).unwrap_or_default()
            }
            None => {
                let typed = typed.to_ascii_lowercase();
                let begins = self.schemes().filter(|name| name.starts_with(&typed));
                begins
                    .map(|name| Completion { url: format!("{name}://"), description: String::new() })
                    .collect()
            }
        };
        found.truncate(MOST_COMPLETIONS);
        found
    }

    fn serving(&self, url: &InternalUrl) -> Result<&dyn Scheme, String> {
        let wanted = url.scheme();
        if let Some(scheme) = self.schemes.iter().find(|scheme| scheme.name() == wanted) {
            return Ok(scheme.as_ref());
        }
        if SCHEMES.contains(&wanted) {
            return Err(format!("{wanted}:// resources are not available yet, so '{url}' cannot be used."));
        }
        Err(format!("Unknown protocol: {wanted}://. Supported: {}.", self.supported()))
    }

    fn supported(&self) -> String {
        let mut names: Vec<&str> = SCHEMES.into_iter().chain(self.schemes()).collect();
        names.sort_unstable();
        names.dedup();
        names.iter().map(|name| format!("{name}://")).collect::<Vec<_>>().join(", ")
    }
}

/// What is said of work that somebody stopped.
pub(crate) fn aborted() -> String {
    "Operation aborted".to_owned()
}

#[cfg(test)]
mod tests;
