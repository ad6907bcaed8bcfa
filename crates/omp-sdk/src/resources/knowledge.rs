//! `skill://` and `rule://`: what the user and the project have written down for the model.

use std::path::PathBuf;
use std::sync::Arc;

use futures_util::FutureExt;
use futures_util::future::BoxFuture;
use omp_extend::{Content, read_url};
use omp_tools::{Completion, InternalUrl, Paging, Resource, Scheme};
use tokio_util::sync::CancellationToken;

use crate::knowledge::{Knowledge, Known};

pub(super) struct Skill(pub(super) Arc<Known>);

pub(super) struct Rule(pub(super) Arc<Known>);

impl Scheme for Skill {
    fn name(&self) -> &'static str {
        "skill"
    }

    /// A skill is read whole: its instructions make no sense in part.
    fn open<'a>(
        &'a self,
        url: &'a InternalUrl,
        _cancel: &'a CancellationToken,
    ) -> BoxFuture<'a, Result<Resource, String>> {
        let (knowledge, url) = (self.0.get(), url.clone());
        super::blocking(move || Ok(open(&knowledge, &url)?.paged(Paging::Whole))).boxed()
    }

    fn locate(&self, url: &InternalUrl) -> Result<PathBuf, String> {
        locate(&self.0.get(), url)
    }

    fn complete(&self, typed: &str) -> Vec<Completion> {
        let known = self.0.get();
        let skills = known.skills.listed().filter(|skill| skill.name.starts_with(typed));
        skills.map(|skill| completion(self.name(), &skill.name, skill.description.as_deref())).collect()
    }
}

impl Scheme for Rule {
    fn name(&self) -> &'static str {
        "rule"
    }

    fn open<'a>(
        &'a self,
        url: &'a InternalUrl,
        _cancel: &'a CancellationToken,
    ) -> BoxFuture<'a, Result<Resource, String>> {
        std::future::ready(open(&self.0.get(), url)).boxed()
    }

    fn complete(&self, typed: &str) -> Vec<Completion> {
        let known = self.0.get();
        let rules = known.rules.all_reachable().filter(|rule| rule.name.starts_with(typed));
        rules.map(|rule| completion(self.name(), &rule.name, rule.description.as_deref())).collect()
    }
}

fn open(knowledge: &Knowledge, url: &InternalUrl) -> Result<Resource, String> {
    let resource =
        read_url(url.text(), &knowledge.skills, &knowledge.rules).map_err(|error| error.to_string())?;
    Ok(match resource.content {
        Content::Path(path) => Resource::path(path, resource.mime),
        Content::Text(text) => Resource::text(text, resource.mime),
    })
}

fn locate(knowledge: &Knowledge, url: &InternalUrl) -> Result<PathBuf, String> {
    match open(knowledge, url)?.content {
        omp_tools::Content::Path(path) => Ok(path),
        omp_tools::Content::Text(_) => Err(format!("'{url}' is a list and has no file behind it.")),
    }
}

fn completion(scheme: &str, name: &str, description: Option<&str>) -> Completion {
    let description = description.unwrap_or_default().to_owned();
    Completion { url: format!("{scheme}://{name}"), description }
}
