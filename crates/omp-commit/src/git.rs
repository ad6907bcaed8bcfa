//! Asking git, and telling it what to do.

use std::ffi::{OsStr, OsString};
use std::path::{Path, PathBuf};

use omp_shell::scope::{Exit, Program};
use omp_shell::{Child, Environment, Scope, SecretNames, SpawnError, answer};
use tokio_util::sync::CancellationToken;

/// The most that is taken of an answer; the rest is read and forgotten.
const MOST_OUTPUT: usize = 8 * 1024 * 1024;
const MOST_COMPLAINT: usize = 16 * 1024;

/// Why git gave no answer.
#[derive(Debug, thiserror::Error)]
pub enum GitError {
    /// There is no git.
    #[error("git is not installed, or not in PATH")]
    Missing,
    /// It could not be started.
    #[error(transparent)]
    Start(SpawnError),
    /// It refused.
    #[error("git {command} failed: {complaint}")]
    Failed {
        /// Its first words.
        command: String,
        /// What it said about it.
        complaint: String,
    },
    /// The user stopped it.
    #[error("stopped")]
    Cancelled,
}

/// git in one directory.
pub(crate) struct Git {
    cwd: PathBuf,
    environment: Environment,
    cancel: CancellationToken,
}

impl Git {
    pub(crate) fn new(cwd: &Path, cancel: CancellationToken) -> Self {
        // What a repository makes git run, filters among it, has no use for keys.
        let mut environment = Environment::inherited().without(&SecretNames::default());
        // Nobody is there to type a password, and a question must not change the index behind the user's back.
        environment.set("GIT_TERMINAL_PROMPT", "0");
        environment.set("GIT_OPTIONAL_LOCKS", "0");
        environment.set("GIT_PAGER", "cat");
        environment.set("LC_ALL", "C");
        Self { cwd: cwd.to_owned(), environment, cancel }
    }

    /// The same with another directory.
    pub(crate) fn at(self, cwd: &Path) -> Self {
        Self { cwd: cwd.to_owned(), ..self }
    }

    /// The same with a variable.
    pub(crate) fn with(mut self, name: &str, value: impl Into<OsString>) -> Self {
        self.environment.set(name, value);
        self
    }

    pub(crate) fn cwd(&self) -> &Path {
        &self.cwd
    }

    /// What it prints; an answer other than 0 is an error.
    pub(crate) async fn ask<S: AsRef<OsStr>>(&self, arguments: &[S]) -> Result<String, GitError> {
        let arguments: Vec<OsString> = arguments.iter().map(|word| word.as_ref().to_owned()).collect();
        let scope = Scope::new();
        let result = match self.cancel.run_until_cancelled(self.run(&scope, arguments)).await {
            Some(result) => result,
            None => Err(GitError::Cancelled),
        };
        scope.end().await;
        result
    }

    async fn run(&self, scope: &Scope, arguments: Vec<OsString>) -> Result<String, GitError> {
        let command: Vec<_> = arguments.iter().take(2).map(|word| word.to_string_lossy()).collect();
        let command = command.join(" ");
        let said = answer(self.start(scope, arguments)?, MOST_OUTPUT, MOST_COMPLAINT).await;
        match said.exit {
            Exit::Exited(0) => Ok(said.output),
            _ => Err(GitError::Failed { command, complaint: said.complaint.trim().to_owned() }),
        }
    }

    fn start(&self, scope: &Scope, arguments: Vec<OsString>) -> Result<Child, GitError> {
        let program = Program::asked("git", arguments, self.cwd.clone(), self.environment.clone());
        scope.spawn(program).map_err(|error| match error {
            SpawnError::Start { source, .. } if source.kind() == std::io::ErrorKind::NotFound => {
                GitError::Missing
            }
            other => GitError::Start(other),
        })
    }
}
