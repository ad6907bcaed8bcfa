//! What internal URLs name, for a search.

use omp_agent::ToolError;
use tokio_util::sync::CancellationToken;

use super::targets::{Single, SourceText, ranges};
use crate::Context;
use crate::read::internal::Request;
use crate::resources::{Content, InternalUrl, Mutability};
use crate::search_roots::{SearchRoot, refuse_glob};

/// The internal URLs among the paths of a call.
#[derive(Default)]
pub(super) struct Internal {
    pub(super) singles: Vec<Single>,
    /// Directories behind a URL.
    pub(super) places: Vec<SearchRoot>,
}

impl Internal {
    /// Takes the internal URLs out of `entries` and opens them.
    pub(super) async fn take(
        context: &Context,
        entries: &mut Vec<String>,
        cancel: &CancellationToken,
    ) -> Result<Self, ToolError> {
        let (urls, others): (Vec<_>, Vec<_>) =
            entries.drain(..).partition(|entry| InternalUrl::parse(entry.trim()).is_some());
        *entries = others;
        let mut internal = Self::default();
        for entry in urls {
            if let Some(request) = Request::parse(entry.trim()).map_err(ToolError::new)? {
                internal.add(context, request, cancel).await?;
            }
        }
        Ok(internal)
    }

    async fn add(
        &mut self,
        context: &Context,
        request: Request,
        cancel: &CancellationToken,
    ) -> Result<(), ToolError> {
        let Request { url, selector } = request;
        refuse_glob(&url)?;
        let all = context.resources.texts(&url);
        if !all.is_empty() {
            self.singles.extend(all.into_iter().map(|(label, text)| Single {
                source: SourceText::Text(text),
                label,
                ranges: None,
            }));
            return Ok(());
        }
        let resource = context.resources.open(&url, cancel).await.map_err(ToolError::new)?;
        let path = match &resource.content {
            Content::Path(path) => Some(path.clone()),
            // A listing; what is listed is meant.
            Content::Text(_) if url.target().is_empty() => context.resources.locate(&url).ok(),
            Content::Text(_) => None,
        };
        if let Some(base) = path.filter(|path| path.is_dir()) {
            self.places.push(SearchRoot::at(base));
            return Ok(());
        }
        let source = match (resource.content, resource.mutability) {
            (Content::Path(path), Mutability::Mutable) => SourceText::File(path),
            (Content::Path(path), Mutability::Immutable) => SourceText::Fixed(path),
            (Content::Text(text), _) => SourceText::Text(text),
        };
        self.singles.push(Single { source, label: url.text().to_owned(), ranges: ranges(selector.lines) });
        Ok(())
    }
}
