use clap::Parser;
use std::io::Write;

use brush_core::{ExecutionExitCode, ExecutionResult, builtins};

/// Wait for jobs to terminate.
#[derive(Parser)]
pub(crate) struct WaitCommand {
    /// Wait for specified job to terminate (instead of change status).
    #[arg(short = 'f')]
    wait_for_terminate: bool,

    /// Wait for a single job to change status; if jobs are specified, waits for
    /// the first to change status, and otherwise waits for the next change.
    #[arg(short = 'n')]
    wait_for_first_or_next: bool,

    /// Name of variable to receive the job ID of the job whose status is indicated.
    #[arg(short = 'p', value_name = "VAR_NAME")]
    variable_to_receive_id: Option<String>,

    /// Process IDs or job specs to wait for.
    ids: Vec<String>,
}

impl builtins::Command for WaitCommand {
    type Error = brush_core::Error;

    async fn execute<SE: brush_core::ShellExtensions>(
        &self,
        context: brush_core::ExecutionContext<'_, SE>,
    ) -> Result<ExecutionResult, Self::Error> {
        let mut result = ExecutionResult::success();

        if self.wait_for_first_or_next {
            let Some((pid, status)) = wait_for_any(context.shell, &self.ids).await? else {
                return Ok(ExecutionExitCode::NotFound.into());
            };
            self.assign_id(&mut *context.shell, pid)?;
            return Ok(status);
        }

        if self.ids.is_empty() {
            // Wait for all jobs.
            while let Some(job) = context.shell.jobs_mut().jobs.first_mut() {
                let id = job.id;
                let Some(job_result) = wait_for_job(context.shell, id).await? else {
                    return Ok(interrupted());
                };
                context
                    .shell
                    .jobs_mut()
                    .remove_completed(id, &job_result);
            }
            return Ok(result);
        }

        for id in &self.ids {
            if let Some(job) = context.shell.jobs_mut().find_job(id) {
                let job_id = job.id;
                let pid = job.representative_pid();
                let Some(job_result) = wait_for_job(context.shell, job_id).await? else {
                    return Ok(interrupted());
                };
                context
                    .shell
                    .jobs_mut()
                    .remove_completed(job_id, &job_result);
                self.assign_id(&mut *context.shell, pid)?;
                result = job_result;
            } else if let Some(status) = context.shell.jobs().finished_status(id) {
                result = ExecutionResult::new(status);
            } else {
                if id.starts_with('%') {
                    writeln!(
                        context.stderr(),
                        "{}: {id}: no such job",
                        context.command_name,
                    )?;
                } else {
                    writeln!(
                        context.stderr(),
                        "{}: pid {id} is not a child of this shell",
                        context.command_name,
                    )?;
                }
                result = ExecutionExitCode::NotFound.into();
            }
        }

        Ok(result)
    }
}

impl WaitCommand {
    fn assign_id(
        &self,
        shell: &mut brush_core::Shell<impl brush_core::ShellExtensions>,
        pid: Option<i32>,
    ) -> Result<(), brush_core::Error> {
        if let (Some(name), Some(pid)) = (&self.variable_to_receive_id, pid) {
            shell.set_env_global(name, brush_core::ShellVariable::new(pid.to_string()))?;
        }
        Ok(())
    }
}

/// What `wait` says if a signal came for which there is a trap.
fn interrupted() -> ExecutionResult {
    ExecutionResult::new(128 + 10)
}

/// How often to look for signals and jobs that ended.
const INTERVAL: std::time::Duration = std::time::Duration::from_millis(5);

/// Waits for a job to end; `None` if a signal came first.
async fn wait_for_job<SE: brush_core::ShellExtensions>(
    shell: &mut brush_core::Shell<SE>,
    id: usize,
) -> Result<Option<ExecutionResult>, brush_core::Error> {
    loop {
        if shell.any_signal_pending() {
            return Ok(None);
        }
        let Some(job) = shell.jobs_mut().jobs.iter_mut().find(|job| job.id == id) else {
            return Ok(Some(ExecutionResult::success()));
        };
        if let Ok(result) = tokio::time::timeout(INTERVAL, job.wait()).await {
            return result.map(Some);
        }
    }
}

/// Waits for the first of some jobs, or of all, to end. `None` if there is none to wait for.
async fn wait_for_any<SE: brush_core::ShellExtensions>(
    shell: &mut brush_core::Shell<SE>,
    ids: &[String],
) -> Result<Option<(Option<i32>, ExecutionResult)>, brush_core::Error> {
    let wanted: Vec<usize> = if ids.is_empty() {
        shell.jobs().jobs.iter().map(|job| job.id).collect()
    } else {
        let jobs = shell.jobs_mut();
        ids.iter()
            .filter_map(|id| jobs.find_job(id).map(|job| job.id))
            .collect()
    };
    if wanted.is_empty() {
        return Ok(None);
    }

    loop {
        if shell.any_signal_pending() {
            return Ok(Some((None, interrupted())));
        }
        for id in &wanted {
            let Some(job) = shell.jobs_mut().jobs.iter_mut().find(|job| job.id == *id) else {
                continue;
            };
            if let Some(result) = job.poll_done()? {
                let pid = job.representative_pid();
                let result = result?;
                shell.jobs_mut().remove_completed(*id, &result);
                return Ok(Some((pid, result)));
            }
        }
        tokio::time::sleep(INTERVAL).await;
    }
}
