//! Internal URLs, with the same selectors as paths.

use std::path::PathBuf;

use omp_agent::ToolError;
use omp_types::ToolOutput;
use omp_workspace::text::Charset;

use super::job::Job;
use super::selector::{self, Selector};
use super::{Target, Url, read_target, text};
use crate::resources::{Content, InternalUrl, Paging, Resource};

/// An internal URL and the part of it that is wanted.
pub(crate) struct Request {
    pub(crate) url: InternalUrl,
    pub(crate) selector: Selector,
}

impl Request {
    /// `None` if `typed` is not an internal URL.
    pub(crate) fn parse(typed: &str) -> Result<Option<Self>, String> {
        let Some(whole) = InternalUrl::parse(typed) else { return Ok(None) };
        if whole.is_opaque() {
            return Ok(Some(Self { url: whole, selector: Selector::default() }));
        }
        let (path, selector) = selector::split(typed)?;
        Ok(InternalUrl::parse(path).map(|url| Self { url, selector }))
    }

    pub(super) fn read(self, job: &Job, resource: Resource) -> Result<ToolOutput, ToolError> {
        let Resource { content, mime, mutability, paging } = resource;
        if paging == Paging::Extract && self.selector != Selector::default() {
            return Err(ToolError::new("Cannot combine query extraction with offset/limit"));
        }
        let url = Some(Url { text: self.url.text().to_owned(), mime, mutability, paging });
        let target = |path| Target { url, ..Target::new(job, path, self.selector) };
        match content {
            Content::Path(path) => read_target(&target(path)),
            Content::Text(content) => {
                let length = content.len() as u64;
                text::read(&target(PathBuf::new()), content.as_bytes(), length, Charset::Utf8)
            }
        }
    }
}
