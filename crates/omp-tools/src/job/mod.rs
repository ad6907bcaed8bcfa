//! `job`: the model's window on what runs in the background.

mod report;
mod settings;

use std::sync::Arc;
use std::time::Duration;

use omp_agent::{Invocation, Patience, ToolError, Updates};
use omp_jobs::{Cancelled, Jobs, Snapshot, Status};
use omp_types::{BuiltinTool, ToolOutput, builtin};
use serde::Deserialize;
use serde_json::{Value, json};

use crate::Context;
use crate::uniform::UniformTool;
use report::Report;
pub use settings::JobSettings;

pub(crate) const TOOL: &BuiltinTool = &builtin::JOB;

/// How often a waiting call says what the jobs do.
const PROGRESS_INTERVAL: Duration = Duration::from_millis(500);

pub(crate) struct Job {
    jobs: Option<Arc<Jobs>>,
    /// Whose jobs they are.
    owner: String,
    poll_wait: Duration,
}

#[derive(Deserialize)]
struct Arguments {
    #[serde(default)]
    poll: Vec<String>,
    #[serde(default)]
    cancel: Vec<String>,
    #[serde(default)]
    list: bool,
}

impl Job {
    pub(crate) fn new(context: &Arc<Context>) -> Self {
        let (jobs, owner) = (context.jobs.clone(), context.agent.clone());
        Self { jobs, owner, poll_wait: context.settings.jobs.poll_wait }
    }

    async fn execute(&self, call: Invocation) -> Result<ToolOutput, ToolError> {
        let Arguments { poll, cancel, list } = crate::arguments(call.arguments.clone())?;
        if list && !(poll.is_empty() && cancel.is_empty()) {
            return Err(ToolError::new(
                "`list` cannot be combined with `poll` or `cancel`: use one of them.",
            ));
        }
        let Some(jobs) = &self.jobs else {
            return Ok(said("Async execution is disabled; no background jobs are available."));
        };
        let view = View { jobs, owner: &self.owner };
        if list {
            return Ok(view.list());
        }
        let cancelled: Vec<(String, Cancelled)> =
            cancel.into_iter().map(|id| (id.clone(), jobs.cancel(view.owner, &id))).collect();
        let watched: Vec<String> = match (poll.is_empty(), cancelled.is_empty()) {
            (false, _) => view.known(&poll).into_iter().map(|job| job.id).collect(),
            (true, true) => jobs.running(view.owner),
            (true, false) => Vec::new(),
        };
        if watched.is_empty() && cancelled.is_empty() {
            return Ok(match poll.is_empty() {
                true => said("No running background jobs to wait for."),
                false => said(&format!("No matching jobs found for IDs: {}", poll.join(", "))),
            });
        }
        // Until the result is built nobody else tells what it will say.
        let _watching = jobs.watch(view.owner, &watched);
        view.wait(&watched, self.poll_wait, &call).await;
        let shown = watched.into_iter().chain(cancelled.iter().map(|(id, _)| id.clone())).collect::<Vec<_>>();
        Ok(view.result(view.known(&shown), cancelled))
    }
}

/// The jobs of one agent.
struct View<'a> {
    jobs: &'a Jobs,
    owner: &'a str,
}

impl View<'_> {
    /// The jobs with these ids, each once, in the order of their start.
    fn known(&self, ids: &[String]) -> Vec<Snapshot> {
        self.jobs.named(self.owner, ids)
    }

    fn list(&self) -> ToolOutput {
        let all = self.jobs.snapshots(self.owner);
        if all.is_empty() {
            return said("No background jobs.");
        }
        self.result(all, Vec::new())
    }

    /// Until the first of those that run ends, the time is over or the call is aborted. The jobs are not disturbed.
    async fn wait(&self, ids: &[String], patience: Duration, call: &Invocation) {
        let mut running = self.jobs.running(self.owner);
        running.retain(|id| ids.contains(id));
        if running.is_empty() {
            return;
        }
        tokio::select! {
            biased;
            () = self.jobs.first_settled(self.owner, &running) => {}
            () = call.cancel.cancelled() => {}
            () = tokio::time::sleep(patience) => {}
            () = self.show_progress(ids, &call.updates) => {}
        }
    }

    async fn show_progress(&self, ids: &[String], updates: &Updates) {
        let mut beat = tokio::time::interval(PROGRESS_INTERVAL);
        loop {
            beat.tick().await;
            let jobs: Vec<Value> =
                self.known(ids).iter().map(|job| report::item(job, report::Texts::Shown)).collect();
            updates.send(ToolOutput::text("").with_details(json!({ "jobs": jobs })));
        }
    }

    /// What is shown is not told again.
    fn result(&self, jobs: Vec<Snapshot>, cancelled: Vec<(String, Cancelled)>) -> ToolOutput {
        let nothing_new = cancelled.is_empty() && jobs.iter().all(|job| job.status == Status::Running);
        let report = Report::new(jobs, cancelled);
        self.jobs.acknowledge(self.owner, &report.shown());
        let output = report.into_output();
        if nothing_new { output.uneventful() } else { output }
    }
}

/// A plain answer about no job at all.
fn said(text: &str) -> ToolOutput {
    ToolOutput::text(text).with_details(json!({ "jobs": [] }))
}

impl UniformTool for Job {
    const ROW: &'static BuiltinTool = TOOL;
    const TEXT: &'static str = include_str!("tool.md");
    const PATIENCE: Patience = Patience::OnlyWaits;

    async fn call(&self, call: Invocation) -> Result<ToolOutput, ToolError> {
        self.execute(call).await
    }
}
