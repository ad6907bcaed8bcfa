//! `skill://` and `rule://`: what the user and the project have written down for the model.

use std::path::PathBuf;
use std::sync::Arc;

use futures_util::FutureExt;
use futures_util::future::BoxFuture;
use omp_extend::{Content, RuleBook, Skills, read_url};
use omp_tools::{Completion, InternalUrl, Paging, Resource, Scheme};
use tokio_util::sync::CancellationToken;

/// The skills and rules of the moment: a session may read them again.
pub trait SkillsAndRules: Send + Sync {
    /// The skills in use.
    fn skills(&self) -> Arc<Skills>;
    /// The rules in use.
    fn rules(&self) -> Arc<RuleBook>;
}

pub(crate) struct Skill(pub(crate) Arc<dyn SkillsAndRules>);

pub(crate) struct Rule(pub(crate) Arc<dyn SkillsAndRules>);

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
        let (knowledge, url) = (Arc::clone(&self.0), url.clone());
        crate::blocking(move || Ok(open(knowledge.as_ref(), &url)?.paged(Paging::Whole))).boxed()
    }

    fn locate(&self, url: &InternalUrl) -> Result<PathBuf, String> {
        locate(self.0.as_ref(), url)
    }

    fn complete(&self, typed: &str) -> Vec<Completion> {
        let known = self.0.skills();
        let skills = known.listed().filter(|skill| skill.name.starts_with(typed));
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
        std::future::ready(open(self.0.as_ref(), url)).boxed()
    }

    fn complete(&self, typed: &str) -> Vec<Completion> {
        let known = self.0.rules();
        let rules = known.all_reachable().filter(|rule| rule.name.starts_with(typed));
        rules.map(|rule| completion(self.name(), &rule.name, rule.description.as_deref())).collect()
    }
}

fn open(knowledge: &dyn SkillsAndRules, url: &InternalUrl) -> Result<Resource, String> {
    let resource =
        read_url(url.text(), &knowledge.skills(), &knowledge.rules()).map_err(|error| error.to_string())?;
    Ok(match resource.content {
        Content::Path(path) => Resource::path(path, resource.mime),
        Content::Text(text) => Resource::text(text, resource.mime),
    })
}

fn locate(knowledge: &dyn SkillsAndRules, url: &InternalUrl) -> Result<PathBuf, String> {
    match open(knowledge, url)?.content {
        omp_tools::Content::Path(path) => Ok(path),
        omp_tools::Content::Text(_) => Err(format!("'{url}' is a list and has no file behind it.")),
    }
}

fn completion(scheme: &str, name: &str, description: Option<&str>) -> Completion {
    let description = description.unwrap_or_default().to_owned();
    Completion { url: format!("{scheme}://{name}"), description }
}
