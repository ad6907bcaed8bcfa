//! Runs Obsidian's command line.

use std::path::PathBuf;
use std::sync::Arc;
use std::time::Duration;

use omp_shell::{Ci, CommandError, Ending, Environment, Limits, ProgramSpec, Scope, SpawnError, run_program};
use tokio_util::sync::CancellationToken;

/// Obsidian is asked, not waited for.
const PATIENCE: Duration = Duration::from_secs(30);
/// A note of this size is no note.
const MOST: usize = 8 * 1024 * 1024;
/// Nothing of an answer is left out before that.
const WHOLE: Limits =
    Limits { inline_bytes: MOST, head_bytes: 0, tail_bytes: MOST, tail_lines: usize::MAX, max_columns: 0 };

/// The program, as the session's user would start it.
pub struct Obsidian {
    /// Where it runs.
    pub scope: Arc<Scope>,
    /// Its variables.
    pub environment: Environment,
    /// Its directory.
    pub cwd: PathBuf,
}

impl Obsidian {
    /// What the program prints.
    pub(super) async fn run(
        &self,
        arguments: &[String],
        cancel: &CancellationToken,
    ) -> Result<String, String> {
        let spec = ProgramSpec {
            path: "obsidian".into(),
            arguments: arguments.iter().map(Into::into).collect(),
            cwd: self.cwd.clone(),
            environment: self.environment.clone().unattended(Ci::Inherited),
            timeout: Some(PATIENCE),
            limits: WHOLE,
            spill: None,
            confined: None,
        };
        let outcome =
            run_program(&self.scope, spec, cancel, |_| {}).await.map_err(|error| explain(&error))?;
        let text = outcome.output.text;
        match outcome.ending {
            // It says what went wrong on its standard output and calls that a success.
            Ending::Exited(0) if text.starts_with("Error:") => Err(format!("Obsidian: {}", text.trim())),
            Ending::Exited(0) => Ok(text),
            Ending::Cancelled => Err("Operation aborted".to_owned()),
            Ending::TimedOut => {
                Err(format!("Obsidian did not answer within {} seconds.", PATIENCE.as_secs()))
            }
            other => Err(match text.trim() {
                "" => format!("Obsidian ended with {other:?} and gave no reason."),
                text => format!("Obsidian: {text}"),
            }),
        }
    }
}

fn explain(error: &CommandError) -> String {
    match error {
        CommandError::Spawn(SpawnError::Start { source, .. })
            if source.kind() == std::io::ErrorKind::NotFound =>
        {
            "vault:// needs the program `obsidian`: install Obsidian 1.12 or newer and switch on its command line in \
             Settings, General."
                .to_owned()
        }
        other => other.to_string(),
    }
}

#[cfg(test)]
mod tests {
    use std::os::unix::fs::PermissionsExt;

    use super::*;

    #[tokio::test(start_paused = true)]
    async fn it_is_given_up_after_thirty_seconds() {
        let directory = tempfile::tempdir().unwrap();
        let program = directory.path().join("obsidian");
        std::fs::write(&program, "#!/bin/sh\nexec sleep 600\n").unwrap();
        std::fs::set_permissions(&program, std::fs::Permissions::from_mode(0o755)).unwrap();
        let path = format!("{}:/usr/bin:/bin", directory.path().display());
        let obsidian = Obsidian {
            scope: Arc::new(Scope::new()),
            environment: [("PATH", path)].into_iter().collect(),
            cwd: directory.path().to_owned(),
        };
        let begun = tokio::time::Instant::now();
        let answer = obsidian.run(&["vaults".to_owned()], &CancellationToken::new()).await;
        assert_eq!(answer.unwrap_err(), "Obsidian did not answer within 30 seconds.");
        assert!(begun.elapsed() >= PATIENCE);
    }
}
