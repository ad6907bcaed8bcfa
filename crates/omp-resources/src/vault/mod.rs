//! `vault://`: notes of Obsidian, through its own command line.
//!
//! - `vault://` lists the vaults; `vault://_/…` is the one that is open, `vault://<name>/…` another.
//! - A path names a note, or a folder if it ends in `/` or has no ending.
//! - `?op=` asks Obsidian about a note (`outline`, `backlinks`, …) or about the whole vault (`search&q=…`, `daily`, …).
//!
//! Notes are written as files of the vault, which Obsidian watches; nothing else is.

mod obsidian;
mod request;

use std::path::{Component, Path, PathBuf};
use std::sync::Arc;

use futures_util::FutureExt;
use futures_util::future::BoxFuture;
use omp_tools::{InternalUrl, Resource, Scheme};
use omp_workspace::write::{Mode, write};
use tokio_util::sync::CancellationToken;

pub use obsidian::Obsidian;
use request::Request;

/// The scheme. Without a program it only says how to switch it on.
pub(crate) struct Vault(pub(crate) Option<Arc<Obsidian>>);

impl Vault {
    fn obsidian(&self) -> Result<&Obsidian, String> {
        let off = "vault:// is disabled: set vault.enabled to give it access to Obsidian notes";
        self.0.as_deref().ok_or_else(|| off.to_owned())
    }
}

impl Scheme for Vault {
    fn name(&self) -> &'static str {
        "vault"
    }

    fn open<'a>(
        &'a self,
        url: &'a InternalUrl,
        cancel: &'a CancellationToken,
    ) -> BoxFuture<'a, Result<Resource, String>> {
        async move {
            let obsidian = self.obsidian()?;
            let request = Request::parse(url)?;
            let mut text = String::new();
            for arguments in request.commands() {
                let answer = obsidian.run(&arguments, cancel).await?;
                if !text.is_empty() && !text.ends_with('\n') {
                    text.push('\n');
                }
                text.push_str(&answer);
            }
            let empty = text.trim().is_empty() && !request.is_note();
            let mime = if request.is_note() { "text/markdown" } else { "text/plain" };
            Ok(Resource::text(if empty { "(nothing)\n".to_owned() } else { text }, mime))
        }
        .boxed()
    }

    fn write<'a>(
        &'a self,
        url: &'a InternalUrl,
        content: &'a str,
        cancel: &'a CancellationToken,
    ) -> BoxFuture<'a, Result<(), String>> {
        async move {
            let obsidian = self.obsidian()?;
            let (vault, note) = Request::parse(url)?.into_note().ok_or_else(|| {
                format!("'{url}' was not written: only plain notes can be, such as vault://_/ideas/today.md.")
            })?;
            let root = obsidian.run(&request::root(&vault), cancel).await?;
            let (root, content) = (PathBuf::from(root.trim()), content.to_owned());
            crate::blocking(move || keep(&root, &note, &content)).await
        }
        .boxed()
    }
}

/// Writes a note below the root of its vault, whatever links there are on the way.
fn keep(root: &Path, note: &str, content: &str) -> Result<(), String> {
    let refuse = |reason: String| format!("The note {note} was not written: {reason}");
    let root = root.canonicalize().map_err(|error| refuse(format!("its vault is not there: {error}.")))?;
    let inside = Path::new(note).components().all(|part| matches!(part, Component::Normal(_)));
    let path = root.join(note);
    let real = omp_tools::real_path(&path);
    if !inside || !real.starts_with(&root) {
        return Err(refuse("it would lie outside its vault.".to_owned()));
    }
    if let Some(folder) = real.parent() {
        std::fs::create_dir_all(folder).map_err(|error| refuse(format!("{error}.")))?;
    }
    write(&real, content.as_bytes(), Mode::Keep).map(drop).map_err(|error| refuse(format!("{error}.")))
}
