//! Background jobs of a session, and the way of their results into the conversation.
//!
//! While the loop runs, a result is a note for its next step. While it rests, the result waits for the next prompt; a
//! program may begin a turn for it ([`BackgroundJobs::results`], [`BackgroundJobs::deliver`]) or wait until all jobs have ended
//! and every result was answered ([`BackgroundJobs::next`]), as print mode does.

use std::sync::{Arc, Weak};
use std::time::Duration;

use omp_agent::{AgentError, Aside, Clock, Control, Outcome, Prompt, PromptForm};
use omp_config::settings::{Settings, keys};
use omp_jobs::{Jobs, Limits, News, Recipient, Settled, Snapshot, Status, Unreachable};
use omp_replay::Deck;
use omp_tools::{JobSettings, MAIN_AGENT};
use omp_types::{CustomMessage, UserContent};
use serde_json::{Value, json};
use tokio_util::sync::CancellationToken;

use crate::clock::SystemClock;
use crate::configure::whole;
use crate::session::Session;

/// The kind of the message in session files.
const ASYNC_RESULT: &str = "async-result";
const HEAD: &str = include_str!("../../prompts/async-result.md");
/// The most text of one delivery; what does not fit comes with the next.
const MOST_BYTES: usize = 50 * 1024;

/// What the settings mean to the tools.
pub(crate) fn configure(settings: &Settings) -> JobSettings {
    let threshold = Duration::from_millis(whole(settings, keys::BASH_AUTO_BACKGROUND_THRESHOLD_MS));
    JobSettings {
        offered: settings.get(keys::ASYNC_ENABLED),
        auto_background: settings.get(keys::BASH_AUTO_BACKGROUND_ENABLED).then_some(threshold),
        poll_wait: poll_wait(settings.get(keys::ASYNC_POLL_WAIT_DURATION)),
    }
}

fn poll_wait(word: &str) -> Duration {
    match word {
        "5s" => Duration::from_secs(5),
        "10s" => Duration::from_secs(10),
        "1m" => Duration::from_secs(60),
        "5m" => Duration::from_secs(5 * 60),
        _ => Duration::from_secs(30),
    }
}

/// A list of jobs, where the settings let anything run in the background.
pub(crate) fn list(settings: &Settings) -> Option<Arc<Jobs>> {
    let JobSettings { offered, auto_background, .. } = configure(settings);
    let running = whole(settings, keys::ASYNC_MAX_JOBS).clamp(1, 100) as usize;
    (offered || auto_background.is_some())
        .then(|| Arc::new(Jobs::new(Limits { running, ..Limits::default() })))
}

/// Has the results of the main agent's jobs read by its loop.
pub(crate) fn connect(jobs: &Arc<Jobs>, control: Control) {
    jobs.deliver_to(MAIN_AGENT, Arc::new(Mailman { jobs: Arc::downgrade(jobs), control }));
}

struct Mailman {
    jobs: Weak<Jobs>,
    control: Control,
}

impl Recipient for Mailman {
    /// A note that looks only at its delivery what there is to say: somebody may have shown the result before. In a loop
    /// that rests it stays until a prompt, which takes the result first.
    fn results_wait(&self) -> Result<(), Unreachable> {
        self.control.aside(note(self.jobs.clone(), self.control.clone()));
        Ok(())
    }
}

fn note(jobs: Weak<Jobs>, control: Control) -> Aside {
    Box::new(move || {
        let settled = jobs.upgrade()?.claim(MAIN_AGENT, MOST_BYTES);
        let message = message(&settled)?;
        // What did not fit is for the step after that.
        control.aside(note(jobs, control.clone()));
        Some(message)
    })
}

fn message(settled: &[Settled]) -> Option<CustomMessage> {
    (!settled.is_empty()).then(|| CustomMessage {
        custom_type: ASYNC_RESULT.to_owned(),
        content: UserContent::Text(text(settled)),
        display: true,
        details: Some(details(settled)),
        timestamp: SystemClock.now_ms(),
    })
}

fn text(settled: &[Settled]) -> String {
    let one = |job: &Settled| {
        let seconds = job.duration.as_secs_f64();
        let Settled { id, kind, label, .. } = job;
        format!(
            "Background job {id} ({kind}) {} after {seconds:.1} s: {label}\n\n{}",
            job.status.word(),
            job.text.trim_end()
        )
    };
    let texts = settled.iter().map(one);
    [HEAD.trim_end().to_owned()].into_iter().chain(texts).collect::<Vec<_>>().join("\n\n")
}

fn details(settled: &[Settled]) -> Value {
    let one = |job: &Settled| {
        json!({
            "jobId": job.id,
            "type": job.kind,
            "status": job.status.word(),
            "label": job.label,
            "durationMs": u64::try_from(job.duration.as_millis()).unwrap_or(u64::MAX),
        })
    };
    json!({ "jobs": settled.iter().map(one).collect::<Vec<_>>() })
}

/// The background jobs of a session, and the delivery of their results to the conversation.
#[derive(Clone, Copy)]
pub struct BackgroundJobs<'s> {
    pub(crate) session: &'s Session,
}

impl BackgroundJobs<'_> {
    /// The background jobs of the session, running and recently ended.
    pub fn list(self) -> Vec<Snapshot> {
        self.session.processes.jobs.as_ref().map(|jobs| jobs.snapshots(MAIN_AGENT)).unwrap_or_default()
    }

    /// Completes when the result of a background job waits to be read; never, if nothing can run in the background.
    pub async fn results(self) {
        match &self.session.processes.jobs {
            Some(jobs) => jobs.result(MAIN_AGENT).await,
            None => std::future::pending().await,
        }
    }

    /// Begins a turn with the results that wait. `None` if there are none, or if a run is active, which will take them.
    pub async fn deliver(self, cancel: CancellationToken) -> Result<Option<Outcome>, AgentError> {
        if let Some(player) = self.session.deck.as_ref().and_then(Deck::player) {
            let Some(prompt) = player.take_results(ASYNC_RESULT) else { return Ok(None) };
            self.session.notices_again(None).await?;
            return self.session.agent.prompt(prompt, self.session.taped(cancel)).await.map(Some);
        }
        let Some(jobs) =
            self.session.processes.jobs.as_ref().filter(|_| !self.session.control().is_running())
        else {
            return Ok(None);
        };
        let settled = jobs.claim(MAIN_AGENT, MOST_BYTES);
        if settled.is_empty() {
            return Ok(None);
        }
        let prompt = Prompt {
            content: UserContent::Text(text(&settled)),
            form: PromptForm::Custom { custom_type: ASYNC_RESULT.into(), details: details(&settled) },
        };
        let prompt = match &self.session.deck {
            Some(deck) => deck.prompt(prompt),
            None => prompt,
        };
        match self.session.agent.prompt(prompt, cancel).await {
            Ok(outcome) => Ok(Some(outcome)),
            Err(error) => {
                jobs.put_back(MAIN_AGENT, settled);
                Err(error)
            }
        }
    }

    /// Waits for the next result of a background job and has it answered. `None` when no job runs and nothing waits, or
    /// when `cancel` fires; the jobs are not disturbed.
    pub async fn next(self, cancel: &CancellationToken) -> Result<Option<Outcome>, AgentError> {
        let Some(jobs) = &self.session.processes.jobs else { return Ok(None) };
        let running = self.running();
        if !running.is_empty() {
            self.session.agent.notice(format!("Waiting for background jobs: {}", running.join(", "))).await?;
        }
        match cancel.run_until_cancelled(jobs.news(MAIN_AGENT)).await {
            Some(News::Results) => self.deliver(cancel.clone()).await,
            Some(News::Quiet) | None => Ok(None),
        }
    }

    /// Results that wait are read with the next prompt.
    pub(crate) fn send_results_along(self) {
        let settled = self
            .session
            .processes
            .jobs
            .as_ref()
            .map(|jobs| jobs.claim(MAIN_AGENT, MOST_BYTES))
            .unwrap_or_default();
        if let Some(message) = message(&settled) {
            self.session.control().next_prompt(message);
        }
    }

    /// Ends all jobs. What still ran is said: somebody may count on it.
    pub(crate) fn end(self) -> Vec<String> {
        let stopped = self.session.processes.jobs.as_ref().map(|jobs| jobs.close()).unwrap_or_default();
        let said = |job: Snapshot| {
            format!("background job {} was still running and was stopped: {}", job.id, job.label)
        };
        stopped.into_iter().map(said).collect()
    }

    fn running(self) -> Vec<String> {
        let running = self.list().into_iter().filter(|job| job.status == Status::Running);
        running.map(|job| format!("{} ({})", job.id, job.label)).collect()
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn the_words_of_the_setting() {
        let seconds = ["5s", "10s", "30s", "1m", "5m"].map(|word| poll_wait(word).as_secs());
        assert_eq!(seconds, [5, 10, 30, 60, 300]);
        assert_eq!(poll_wait(Settings::defaults().get(keys::ASYNC_POLL_WAIT_DURATION)).as_secs(), 30);
    }
}
