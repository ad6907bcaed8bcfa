//! A session that runs its prompts and ends: print mode and `--mode json`.

use std::sync::Arc;
use std::time::{Duration, Instant};

use omp_cli::{ExitStatus, OutputMode, WorkArgs};
use omp_sdk::{Listener, ModeError, Outcome, Session, SessionError, SessionOptions};
use tokio_util::sync::CancellationToken;

use crate::input::Turn;
use crate::json::{self, Broken, JsonLines};
use crate::options::{keep_preset, set_manner};
use crate::output;
use crate::print::{self, Thoughts};
use crate::signals::Signals;
use crate::startup::Startup;

/// What is to be done.
pub(crate) struct Work {
    pub(crate) options: SessionOptions,
    pub(crate) turns: Vec<Turn>,
    pub(crate) mode: OutputMode,
    pub(crate) thoughts: Thoughts,
    pub(crate) max_time: Option<Duration>,
    /// A model profile to begin with from now on, if it can be used.
    pub(crate) kept_preset: Option<String>,
    /// Plans, and models that take over.
    pub(crate) manner: WorkArgs,
}

/// Does it; the exit code.
pub(crate) async fn run(work: Work, mut startup: Startup) -> u8 {
    let cancel = CancellationToken::new();
    let signals = Signals::watch(cancel.clone());
    let mut time_limit = TimeLimit::start(work.max_time, cancel.clone());
    let json = (work.mode == OutputMode::Json).then(|| json::start(cancel.clone()));
    let listener: Box<dyn Listener> = match &json {
        Some((lines, _)) => Box::new(lines.share()),
        None => Box::new(print::Progress),
    };
    let directories = work.options.directories.clone();
    let opened = startup.phase_async("session", Session::open(work.options, listener)).await;
    startup.finished();
    let session = match opened {
        Ok(session) => Arc::new(session),
        Err(error) => return refuse(&error),
    };
    session.begin_extensions();
    output::mask_with(session.masking());
    if let Some(name) = work.kept_preset {
        keep_preset(&directories, name).await;
    }
    if let Err(error) = set_manner(&session, &work.manner).await {
        session.close().await;
        return output::fail(&error, &[]);
    }
    if session.models().fell_back_to_demo() {
        return no_model(&session).await;
    }
    announce(&session, json.as_ref().map(|(lines, _)| lines));
    let last = match converse(&session, work.turns, &cancel, &mut startup).await {
        Ok(last) => last,
        Err(error) => return output::fail(&error.to_string(), &[]),
    };
    let refused = session.refused_calls();
    for call in &refused {
        output::note(&format!("Not run, because it needs approval: {call}"));
    }
    let code = match (&json, &last) {
        (None, Some(outcome)) => print::finish(outcome, work.thoughts).await,
        (_, Some(outcome)) => u8::from(failed(outcome)),
        (_, None) => 1,
    };
    let code = if code == 0 && !refused.is_empty() { ExitStatus::CallsRefused.code() } else { code };
    session.end_extensions().await;
    for problem in session.close().await {
        output::warn(&problem);
    }
    let broken = json.and_then(|(_, writer)| writer.finish().err());
    broken.iter().for_each(Broken::tell);
    if let Some(limit) = time_limit.hit() {
        output::note(&format!("Stopped after {} s (--max-time)", limit.as_secs()));
    }
    startup.report();
    signals.exit_code().unwrap_or(if broken.is_some() { 1 } else { code })
}

/// Runs every turn, then waits for what the model left running: it was promised the results.
async fn converse(
    session: &Session,
    turns: Vec<Turn>,
    cancel: &CancellationToken,
    startup: &mut Startup,
) -> Result<Option<Outcome>, ModeError> {
    let mut last = None;
    for Turn { prompt, typed } in turns {
        let begun = Instant::now();
        typed.iter().for_each(|typed| session.input().note_typed(typed));
        last = Some(session.prompt(prompt, cancel.clone()).await?);
        if let Some(outcome) = session.plan().carry_out(cancel.clone()).await? {
            last = Some(outcome);
        }
        startup.prompt_done(begun.elapsed());
        if cancel.is_cancelled() || last.as_ref().is_some_and(failed) {
            return Ok(last);
        }
    }
    session.extensions().settled().await;
    while let Some(prompt) = session.extensions().take_prompt() {
        let outcome = session.prompt(prompt, cancel.clone()).await?;
        let stop = cancel.is_cancelled() || failed(&outcome);
        last = Some(outcome);
        if stop {
            return Ok(last);
        }
        session.extensions().settled().await;
    }
    while let Some(outcome) = session.jobs().next(cancel).await? {
        let stop = cancel.is_cancelled() || failed(&outcome);
        last = Some(outcome);
        if stop {
            break;
        }
    }
    Ok(last)
}

/// A script must not take the words of the demo for an answer.
async fn no_model(session: &Session) -> u8 {
    session.warnings().iter().for_each(|warning| output::warn(warning));
    let file = session.models().file();
    session.close().await;
    let hint = format!(
        "Log in with `omp login`, set a key such as ANTHROPIC_API_KEY or OPENAI_API_KEY, start a local server such as \
         Ollama, or add a provider in {}. To try omp without a model, add --demo.",
        file.display()
    );
    output::fail("no model available: no API key is set and no local model server is running", &[hint])
}

fn refuse(error: &SessionError) -> u8 {
    output::fail(&error.to_string(), &error.hints())
}

fn failed(outcome: &Outcome) -> bool {
    !outcome.handled && outcome.last_answer().is_none_or(print::is_broken_off)
}

/// What the user should know before the first answer.
fn announce(session: &Session, json: Option<&JsonLines>) {
    for warning in session.warnings() {
        output::warn(warning);
    }
    if let Some(lines) = json {
        lines.header(&session.header());
    }
}

/// `--max-time`.
struct TimeLimit {
    limit: Option<Duration>,
    task: Option<tokio::task::JoinHandle<()>>,
}

impl TimeLimit {
    fn start(limit: Option<Duration>, cancel: CancellationToken) -> Self {
        let task = limit.map(|limit| {
            tokio::spawn(async move {
                tokio::time::sleep(limit).await;
                cancel.cancel();
            })
        });
        Self { limit, task }
    }

    /// The limit, if it was what ended the run.
    fn hit(&mut self) -> Option<Duration> {
        let task = self.task.take()?;
        let finished = task.is_finished();
        task.abort();
        self.limit.filter(|_| finished)
    }
}
