//! `omp commit`: a model writes the message for what is staged, and the lines for changelogs.
//!
//! [`plan_commit`] does everything up to the commit itself, which the program makes: hooks, signatures and passphrases
//! need the user's terminal. What is not committed in the end is undone.

#![warn(missing_docs)]

mod changelog;
mod changes;
mod git;
mod message;
mod proposing;

use std::path::{Path, PathBuf};
use std::sync::Arc;

use omp_sdk::{SessionError, SessionOptions};
use omp_workspace::write;
use tokio_util::sync::CancellationToken;

use changes::{Changes, Staging};
pub use git::GitError;
use message::Proposal;

/// The role whose model writes messages.
const ROLE: &str = "pi/commit";

/// What is wanted.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct CommitOptions {
    /// How the message is found.
    pub way: CommitWay,
    /// Nothing is changed.
    pub dry_run: bool,
    /// Changelogs are left alone.
    pub no_changelog: bool,
    /// More for the model to know.
    pub context: Option<String>,
}

/// How the message is found.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub enum CommitWay {
    /// By an agent that looks around; if it finds none, by one request.
    #[default]
    Agent,
    /// By an agent, or not at all.
    AgentOnly,
    /// By one request.
    Request,
}

/// Why there is nothing to commit with.
#[derive(Debug, thiserror::Error)]
pub enum CommitError {
    /// There is no repository.
    #[error("{} is not inside a git repository", .0.display())]
    NoRepository(PathBuf),
    /// git refused.
    #[error(transparent)]
    Git(#[from] GitError),
    /// No model could be chosen.
    #[error(transparent)]
    Session(#[from] SessionError),
    /// There is nobody to write it.
    #[error(
        "no model is connected, and the built-in demo cannot write messages: log in with `omp login`, or set a key such as \
         ANTHROPIC_API_KEY"
    )]
    NoModel,
    /// The model gave no message.
    #[error("could not write a commit message: {0}")]
    Model(String),
    /// There is no room for a dry run.
    #[error("a dry run needs a temporary directory: {0}")]
    Aside(std::io::Error),
    /// The index cannot be kept.
    #[error("cannot save a copy of {}: {source}", path.display())]
    Index {
        /// The index.
        path: PathBuf,
        /// Why.
        source: std::io::Error,
    },
    /// A changelog cannot be written.
    #[error(transparent)]
    Changelog(#[from] write::WriteError),
    /// The user stopped it.
    #[error("stopped; nothing was committed")]
    Stopped,
}

/// A commit that can be made.
pub struct CommitPlan {
    staging: Arc<Staging>,
    /// The whole message.
    pub message: String,
    /// Lines for changelogs.
    pub changelogs: Vec<ChangelogLines>,
    /// How many files are in it.
    pub files: usize,
    /// What the user should know.
    pub remarks: Vec<String>,
    written: Vec<(PathBuf, String)>,
}

/// What goes into one changelog.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct ChangelogLines {
    /// From the root of the repository.
    pub path: String,
    /// Each with its category.
    pub lines: Vec<(String, String)>,
    before: String,
    after: String,
}

/// Finds a message for what is staged in a directory; everything is staged if nothing is. `None` if nothing was changed.
/// `options` are those of a session in a directory; without a model in them that of the role `commit` is asked.
pub async fn plan_commit(
    cwd: &Path,
    options: &(dyn Fn(PathBuf) -> SessionOptions + Sync),
    commit: &CommitOptions,
    cancel: CancellationToken,
) -> Result<Option<CommitPlan>, CommitError> {
    let staging = Staging::begin(cwd, commit.dry_run, cancel.clone()).await?;
    let staging = Arc::new(staging);
    let found = find(options, &staging, commit, cancel).await;
    match found {
        Ok(Some((changes, proposal))) => Ok(Some(CommitPlan::new(staging, changes, &proposal))),
        Ok(None) => undo(staging).map(|()| None),
        Err(error) => undo(staging).and(Err(error)),
    }
}

async fn find(
    options: &(dyn Fn(PathBuf) -> SessionOptions + Sync),
    staging: &Arc<Staging>,
    commit: &CommitOptions,
    cancel: CancellationToken,
) -> Result<Option<(Changes, Proposal)>, CommitError> {
    let Some(changes) = staging.changes(!commit.no_changelog).await? else { return Ok(None) };
    let options = || {
        let mut options = options(staging.git.cwd().to_owned());
        if !options.model.names_model() {
            options.model.selector = Some(ROLE.to_owned());
        }
        options
    };
    let material = proposing::material(&changes, commit.context.as_deref());
    let proposal = match commit.way {
        CommitWay::Request => proposing::by_request(options(), &material, cancel).await?,
        CommitWay::AgentOnly => proposing::by_agent(options(), staging, &material, cancel).await?,
        CommitWay::Agent => match proposing::by_agent(options(), staging, &material, cancel.clone()).await {
            Err(CommitError::Model(_)) => proposing::by_request(options(), &material, cancel).await?,
            result => result?,
        },
    };
    Ok(Some((changes, proposal)))
}

fn undo(staging: Arc<Staging>) -> Result<(), CommitError> {
    match Arc::into_inner(staging) {
        Some(mut staging) => staging.undo(),
        None => Ok(()),
    }
}

impl CommitPlan {
    fn new(staging: Arc<Staging>, changes: Changes, proposal: &Proposal) -> Self {
        let mut changelogs = Vec::new();
        for changelog in &changes.changelogs {
            let only = changes.changelogs.len() == 1;
            let meant = |path: &Option<String>| path.as_deref().map_or(only, |path| path == changelog.path);
            let entries: Vec<_> = proposal.changelog.iter().filter(|entry| meant(&entry.path)).collect();
            let after = changelog::insert(&changelog.text, &entries);
            if let (false, Some(after)) = (entries.is_empty(), after) {
                let lines =
                    entries.iter().map(|entry| (entry.category.clone(), entry.text.clone())).collect();
                let (path, before) = (changelog.path.clone(), changelog.text.clone());
                changelogs.push(ChangelogLines { path, lines, before, after });
            }
        }
        let (files, remarks) = (changes.files.len(), changes.remarks);
        Self { staging, message: proposal.message(), changelogs, files, remarks, written: Vec::new() }
    }

    /// The root of the repository.
    pub fn root(&self) -> &Path {
        self.staging.git.cwd()
    }

    /// Writes the changelogs and stages them. If that fails, everything is as it was.
    pub async fn write_changelogs(&mut self) -> Result<(), CommitError> {
        let written = self.try_changelogs().await;
        match written {
            Ok(()) => Ok(()),
            Err(error) => self.undo().and(Err(error)),
        }
    }

    async fn try_changelogs(&mut self) -> Result<(), CommitError> {
        if let Some(staging) = Arc::get_mut(&mut self.staging) {
            staging.keep_index()?;
        }
        for changelog in &self.changelogs {
            let path = self.staging.git.cwd().join(&changelog.path);
            replace(path.clone(), changelog.after.clone()).await?;
            self.written.push((path, changelog.before.clone()));
            self.staging.git.ask(&["add", "--", &format!(":(top,literal){}", changelog.path)]).await?;
        }
        Ok(())
    }

    /// The commit was not made: index and changelogs are as they were before.
    pub fn undo(&mut self) -> Result<(), CommitError> {
        for (path, before) in self.written.drain(..) {
            write::write(&path, before.as_bytes(), write::Mode::Keep)?;
        }
        match Arc::get_mut(&mut self.staging) {
            Some(staging) => staging.undo(),
            None => Ok(()),
        }
    }
}

async fn replace(path: PathBuf, text: String) -> Result<(), CommitError> {
    let work = move || write::write(&path, text.as_bytes(), write::Mode::Keep);
    let written = tokio::task::spawn_blocking(work).await.map_err(|_| CommitError::Stopped)?;
    written.map(|_| ()).map_err(CommitError::from)
}
