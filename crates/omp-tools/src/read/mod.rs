//! `read`: anything that a path can name, as text or as a picture.

mod directory;
mod missing;
mod picture;
pub(crate) mod selector;
mod text;

use std::fs::{File, Metadata};
use std::io::{self, Read as _, Seek};
use std::path::{Path, PathBuf};
use std::sync::Arc;

use futures_util::FutureExt;
use futures_util::future::BoxFuture;
use omp_agent::{Invocation, Tool, ToolError};
use omp_types::{ToolDefinition, ToolOutput};
use omp_workspace::open::{Found, open};
use omp_workspace::sniff::{self, Kind};
use omp_workspace::text::Charset;
use omp_workspace::tree::size;
use serde::Deserialize;

use crate::Context;
use crate::output::{Details, Meta, Source};
use crate::resources::{Content, scheme};
use selector::Selector;

pub(crate) const NAME: &str = "read";

pub(crate) struct Read {
    definition: ToolDefinition,
    context: Arc<Context>,
}

#[derive(Deserialize)]
struct Arguments {
    path: String,
}

impl Read {
    pub(crate) fn new(context: Arc<Context>) -> Self {
        let definition = crate::definition(NAME, include_str!("prompt.md"), include_str!("schema.json"));
        Self { definition, context }
    }
}

impl Tool for Read {
    fn definition(&self) -> &ToolDefinition {
        &self.definition
    }

    /// Does not look at the cancellation: a read that is done in a moment should not be reported as aborted.
    fn run<'a>(&'a self, call: Invocation) -> BoxFuture<'a, Result<ToolOutput, ToolError>> {
        let context = self.context.clone();
        async move {
            let Arguments { path } = crate::arguments(call.arguments)?;
            crate::blocking(move || read(&context, &path)).await
        }
        .boxed()
    }
}

/// A path that was found, as the parts of this tool need it.
struct Target<'a> {
    context: &'a Context,
    path: PathBuf,
    selector: Selector,
    url: Option<Url>,
}

/// The internal URL that led to a target.
struct Url {
    text: String,
    mime: &'static str,
}

impl Target<'_> {
    /// The path or URL as the model should see and repeat it.
    fn shown(&self) -> String {
        match &self.url {
            Some(url) => url.text.clone(),
            None => self.context.base().display(&self.path),
        }
    }

    fn meta(&self) -> Meta {
        match &self.url {
            Some(url) => Meta { source: Some(Source::Internal(url.text.clone())), ..Meta::default() },
            None => Meta::of_path(&self.path),
        }
    }

    fn details(&self) -> Details {
        match &self.url {
            Some(url) => Details::default().with("contentType", url.mime),
            None => Details::default(),
        }
    }
}

fn read(context: &Context, typed: &str) -> Result<ToolOutput, ToolError> {
    if scheme(typed).is_some_and(|scheme| context.resources.schemes().contains(&scheme.as_str())) {
        return read_resource(context, typed);
    }
    refuse_urls(typed)?;
    read_target(&locate(context, typed)?)
}

fn read_resource(context: &Context, typed: &str) -> Result<ToolOutput, ToolError> {
    let (text, selector) = selector::split(typed).map_err(ToolError::new)?;
    let resource = context.resources.open(text).map_err(ToolError::new)?;
    let url = Some(Url { text: text.to_owned(), mime: resource.mime });
    match resource.content {
        Content::Path(path) => read_target(&Target { context, path, selector, url }),
        Content::Text(content) => {
            let target = Target { context, path: PathBuf::new(), selector, url };
            let length = content.len() as u64;
            text::read(&target, content.as_bytes(), length, Charset::Utf8)
        }
    }
}

fn read_target(target: &Target) -> Result<ToolOutput, ToolError> {
    match open(&target.path) {
        Ok(Found::Directory) => directory::read(target),
        Ok(Found::File(file, metadata)) => read_file(target, file, &metadata),
        Ok(Found::Special(kind)) => Err(ToolError::new(format!(
            "{} is {}; it has no content that can be read. Use bash if you need to talk to it.",
            target.shown(),
            kind.name()
        ))),
        Err(error) => Err(missing::explain(target, &error)),
    }
}

/// Schemes that `read` will know; naming them is better than a missing file.
const SCHEMES: &[&str] = &[
    "http", "https", "agent", "artifact", "conflict", "history", "issue", "local", "mcp", "memory", "omp",
    "pr", "rule", "skill", "vault",
];

fn refuse_urls(typed: &str) -> Result<(), ToolError> {
    let scheme = if typed.starts_with("www.") { Some("https".to_owned()) } else { scheme(typed) };
    match scheme.as_deref().filter(|scheme| SCHEMES.contains(scheme)) {
        Some("http" | "https") => Err(ToolError::new(format!(
            "Reading web pages is not available yet, so '{typed}' cannot be read. Use bash with curl."
        ))),
        Some(scheme) => Err(ToolError::new(format!(
            "Reading {scheme}:// resources is not available yet, so '{typed}' cannot be read."
        ))),
        None => Ok(()),
    }
}

/// A file whose name looks like it had a selector is meant as it is written.
fn locate<'a>(context: &'a Context, typed: &str) -> Result<Target<'a>, ToolError> {
    let whole = resolve(context, typed)?;
    if typed.contains(':') && whole.symlink_metadata().is_err() {
        let (path, selector) = selector::split(typed).map_err(ToolError::new)?;
        return Ok(Target { context, path: resolve(context, path)?, selector, url: None });
    }
    Ok(Target { context, path: whole, selector: Selector::default(), url: None })
}

/// A lone `/` means the project: no model ever wants the root of the file system.
fn resolve(context: &Context, typed: &str) -> Result<PathBuf, ToolError> {
    if typed == "/" {
        return Ok(context.cwd.clone());
    }
    context.base().resolve(typed).map_err(|error| ToolError::new(error.to_string()))
}

fn read_file(target: &Target, mut file: File, metadata: &Metadata) -> Result<ToolOutput, ToolError> {
    let head = read_head(&mut file).map_err(|error| missing::explain(target, &error))?;
    match sniff::kind(&head) {
        Kind::Text(charset) => text::read(target, file, metadata.len(), charset),
        Kind::Image(_) => picture::read(target, file, metadata),
        Kind::Sqlite => {
            Err(unreadable(target, metadata, "SQLite database", hint(&target.path, "SQLite database")))
        }
        Kind::Binary(name) => Err(unreadable(target, metadata, name, hint(&target.path, name))),
    }
}

/// The first bytes; the file is then at its start again.
fn read_head(file: &mut File) -> io::Result<Vec<u8>> {
    let mut head = Vec::new();
    file.by_ref().take(sniff::HEAD as u64).read_to_end(&mut head)?;
    file.rewind()?;
    Ok(head)
}

/// A program that shows what is inside.
fn hint(path: &Path, name: &str) -> Option<&'static str> {
    let extension = path.extension().and_then(|extension| extension.to_str()).unwrap_or_default();
    match (name, extension) {
        ("PDF document", _) => Some("pdftotext"),
        ("SQLite database", "sqlite" | "sqlite3" | "db" | "db3") => Some("sqlite3"),
        ("ZIP archive", "docx" | "pptx" | "xlsx" | "epub") => Some("pandoc"),
        ("ZIP archive", _) => Some("unzip -l, unzip -p"),
        ("tar archive", _) | ("gzip archive", "tgz" | "gz") => Some("tar -tf, tar -xOf"),
        _ => None,
    }
}

/// Kinds that a later release reads get told apart from those it never will.
fn unreadable(target: &Target, metadata: &Metadata, name: &str, hint: Option<&str>) -> ToolError {
    let (shown, size) = (target.shown(), size(metadata.len()));
    ToolError::new(match hint {
        Some(program) => format!(
            "{shown} is a {name} ({size}). Reading the content of such files is not available yet. Use bash, \
             e.g. {program}."
        ),
        None => format!(
            "{shown} is a binary file ({name}, {size}); read shows text and images only. Use bash to inspect it, \
             e.g. file, strings or xxd."
        ),
    })
}
