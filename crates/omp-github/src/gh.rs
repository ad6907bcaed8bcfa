//! Runs the GitHub CLI.

use std::path::PathBuf;
use std::sync::Arc;
use std::time::Duration;

use omp_shell::{Answer, Child, Ci, Environment, Exit, Program, Scope, SpawnError, answer};
use tokio_util::sync::CancellationToken;

/// No answer is larger; a diff of this size is no reading.
const MOST_OUTPUT: usize = 32 * 1024 * 1024;
const MOST_COMPLAINT: usize = 8 * 1024;
const PATIENCE: Duration = Duration::from_secs(120);

/// Why there is no answer. The sentences are for the model.
#[derive(Clone, Debug, PartialEq, Eq, thiserror::Error)]
pub enum GhError {
    #[error(
        "GitHub CLI (gh) is not installed. Install it from https://cli.github.com and run `gh auth login`."
    )]
    Missing,
    #[error("GitHub CLI is not authenticated. Run `gh auth login`.")]
    Unauthenticated,
    #[error(
        "GitHub repository context is unavailable. Pass `repo` explicitly or run the tool inside a GitHub checkout."
    )]
    NoRepository,
    #[error("{0}")]
    Failed(String),
    #[error("Operation aborted")]
    Cancelled,
}

/// The GitHub CLI in one working directory.
pub struct Gh {
    pub scope: Arc<Scope>,
    pub cwd: PathBuf,
    /// What `gh` sees; it reads its credentials from there or from its own files.
    pub environment: Environment,
}

impl Gh {
    /// Runs `gh` and gives what it prints. Dropping the future ends the process.
    pub async fn run(&self, arguments: &[String], cancel: &CancellationToken) -> Result<String, GhError> {
        let work = tokio::time::timeout(PATIENCE, self.run_to_end(arguments));
        match cancel.run_until_cancelled(work).await {
            None => Err(GhError::Cancelled),
            Some(Err(_)) => {
                Err(GhError::Failed(format!("gh timed out after {} seconds", PATIENCE.as_secs())))
            }
            Some(Ok(result)) => result,
        }
    }

    async fn run_to_end(&self, arguments: &[String]) -> Result<String, GhError> {
        let Answer { exit, output, complaint } =
            answer(self.start(arguments)?, MOST_OUTPUT, MOST_COMPLAINT).await;
        match exit {
            Exit::Exited(0) if output.len() < MOST_OUTPUT => Ok(output),
            Exit::Exited(0) => Err(GhError::Failed("the output of gh exceeds 32 MB".to_owned())),
            _ => Err(explain(arguments, &output, &complaint)),
        }
    }

    fn start(&self, arguments: &[String]) -> Result<Child, GhError> {
        let mut environment = self.environment.clone().unattended(Ci::Inherited);
        environment.set("NO_COLOR", "1");
        environment.set("GH_NO_UPDATE_NOTIFIER", "1");
        let program = Program::asked("gh", arguments, self.cwd.clone(), environment);
        self.scope.spawn(program).map_err(|error| match error {
            SpawnError::Start { source, .. } if source.kind() == std::io::ErrorKind::NotFound => {
                GhError::Missing
            }
            other => GhError::Failed(other.to_string()),
        })
    }
}

fn explain(arguments: &[String], output: &str, complaint: &str) -> GhError {
    let says = |words: &[&str]| words.iter().any(|word| complaint.to_lowercase().contains(word));
    if says(&["gh auth login", "not logged in", "authentication required", "bad credentials", "http 401"]) {
        return GhError::Unauthenticated;
    }
    let named = arguments.iter().any(|argument| argument.starts_with("--repo"));
    let no_repository =
        ["no git remotes", "not a git repository", "none of the git remotes", "could not determine"];
    if !named && says(&no_repository) {
        return GhError::NoRepository;
    }
    let text =
        [complaint, output].map(str::trim).into_iter().find(|text| !text.is_empty()).map(str::to_owned);
    GhError::Failed(text.unwrap_or_else(|| format!("GitHub CLI command failed: gh {}", arguments.join(" "))))
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn what_gh_complains_about() {
        let list = ["issue".to_owned(), "list".to_owned()];
        let named = ["issue".to_owned(), "--repo=o/r".to_owned()];
        assert_eq!(
            explain(&list, "", "To get started with GitHub CLI, please run:  gh auth login"),
            GhError::Unauthenticated
        );
        assert_eq!(explain(&list, "", "fatal: not a git repository"), GhError::NoRepository);
        assert_eq!(
            explain(&named, "", "none of the git remotes\n"),
            GhError::Failed("none of the git remotes".into())
        );
        assert_eq!(explain(&list, "out\n", ""), GhError::Failed("out".into()));
        assert_eq!(
            explain(&list, "", " "),
            GhError::Failed("GitHub CLI command failed: gh issue list".into())
        );
    }
}
