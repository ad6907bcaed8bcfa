//! A program that has our own streams, confined as commands are.

use std::future::Future;
use std::os::fd::{AsFd, BorrowedFd};

use omp_agent::ToolError;
use omp_shell::scope::GRACE;
use omp_shell::{Exit, Program, Stdio};

use crate::Context;

impl Context {
    /// Runs a program with our own streams; the exit code.
    pub async fn run_confined(
        &self,
        words: &[String],
        stop: impl Future<Output = ()>,
    ) -> Result<u8, ToolError> {
        let confine = self.confine_now(self.modes.planning.is_on()).await?;
        let failed = |error: &dyn std::fmt::Display| ToolError::new(error.to_string());
        let own = |stream: BorrowedFd<'_>| stream.try_clone_to_owned().map(Stdio::Fd);
        let [program, arguments @ ..] = words else { return Err(ToolError::new("no command to run")) };
        let program = Program {
            path: program.into(),
            arguments: arguments.iter().map(Into::into).collect(),
            cwd: self.cwd.clone(),
            environment: self.commands.environment.clone(),
            stdin: own(std::io::stdin().as_fd()).map_err(|error| failed(&error))?,
            stdout: own(std::io::stdout().as_fd()).map_err(|error| failed(&error))?,
            stderr: own(std::io::stderr().as_fd()).map_err(|error| failed(&error))?,
        };
        let child = match confine.confined() {
            Some(confined) => self.commands.scope.spawn_confined(program, &confined),
            None => self.commands.scope.spawn(program),
        };
        let mut child = child.map_err(|error| failed(&error))?;
        let exit = tokio::select! {
            exit = child.wait() => exit,
            () = stop => {
                child.terminate(GRACE);
                child.wait().await
            }
        };
        Ok(match exit {
            Exit::Exited(code) => u8::try_from(code).unwrap_or(1),
            Exit::Signaled(signal) => u8::try_from(128 + signal).unwrap_or(1),
            Exit::Lost => 1,
        })
    }
}
