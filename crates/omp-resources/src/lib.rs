//! The internal URLs of a session: one file per scheme.
//!
//! To add a scheme, write a type that implements [`Scheme`] in a file here and add it to [`resources`]. Everything
//! else (selectors, pages, search, edits, commands) comes with the router, `omp_tools::Resources`.

#![warn(missing_docs)]

mod agent;
mod artifact;
mod documentation;
mod extract;
mod github;
mod local;
mod skill;
mod spills;
mod vault;

use std::sync::Arc;

use omp_github::{Github, ItemKind};
use omp_session::{Artifacts, SessionWriter};
use omp_tools::{Resources, Scheme};

pub use github::github;
pub use skill::SkillsAndRules;
pub use spills::ArtifactSpills;
pub use vault::Obsidian;

/// What a session keeps beside its conversation.
pub struct SessionFolder {
    /// Full outputs of tools, and what else is written down.
    pub artifacts: Arc<Artifacts>,
    /// The id of the session.
    session: String,
}

impl SessionFolder {
    /// The folder beside the file that is written.
    pub fn of(writer: &SessionWriter) -> Self {
        Self { artifacts: Arc::new(writer.artifacts()), session: writer.header().id.clone() }
    }
}

/// The router of a session; `others` are schemes of parts that this crate does not know.
pub fn resources(
    knowledge: &Arc<dyn SkillsAndRules>,
    folder: &SessionFolder,
    github: &Arc<Github>,
    obsidian: Option<Arc<Obsidian>>,
    others: Vec<Arc<dyn Scheme>>,
) -> Resources {
    let SessionFolder { artifacts, session } = folder;
    let mut schemes: Vec<Arc<dyn Scheme>> = vec![
        Arc::new(agent::Agent(Arc::clone(artifacts))),
        Arc::new(artifact::Artifact(Arc::clone(artifacts))),
        Arc::new(github::Items { kind: ItemKind::Issue, github: Arc::clone(github) }),
        Arc::new(github::Items { kind: ItemKind::PullRequest, github: Arc::clone(github) }),
        Arc::new(local::Local::new(artifacts, session)),
        Arc::new(documentation::Documentation),
        Arc::new(skill::Rule(Arc::clone(knowledge))),
        Arc::new(skill::Skill(Arc::clone(knowledge))),
        Arc::new(vault::Vault(obsidian)),
    ];
    schemes.extend(others);
    Resources::new(schemes)
}

/// Runs work that waits for the disk where it holds up nobody.
async fn blocking<T: Send + 'static>(
    work: impl FnOnce() -> Result<T, String> + Send + 'static,
) -> Result<T, String> {
    match tokio::task::spawn_blocking(work).await {
        Ok(result) => result,
        Err(error) => Err(format!("The resource failed unexpectedly: {error}.")),
    }
}
