//! `omp commit`: a commit with a message that a model wrote.

use std::ffi::OsStr;
use std::io::Write;
use std::path::{Path, PathBuf};
use std::sync::Arc;

use omp_cli::CommandCall;
use omp_commit::{CommitError, CommitOptions, CommitPlan, CommitWay, plan_commit};
use omp_sdk::{Directories, Environment, ModelOptions, Persistence, SessionOptions};
use tokio_util::sync::CancellationToken;

use crate::command_context::CommandContext;
use crate::output::{self, Stream};
use crate::runtime;
use crate::signals::Signals;
use crate::working_directory;

pub(crate) fn run(call: &CommandCall, profile: Option<&str>) -> u8 {
    match work(call, profile) {
        Ok(code) => code,
        Err(message) => output::fail(&message, &[]),
    }
}

fn work(call: &CommandCall, profile: Option<&str>) -> Result<u8, String> {
    let CommandContext { directories, environment } = CommandContext::here(profile)?;
    let cwd = working_directory::current()?;
    let options = commit_options(call, environment.as_ref());
    let runtime = runtime::start()?;
    let desk =
        CommitContext { directories, environment, model: call.values.text("model").map(str::to_owned) };
    let (planned, signal) = runtime.block_on(async {
        let cancel = CancellationToken::new();
        let signals = Signals::watch(cancel.clone());
        let planned = desk.plan(&cwd, &options, cancel).await;
        (planned, signals.exit_code())
    });
    runtime.shutdown_background();
    let planned = match planned {
        Ok(planned) => planned,
        Err(error) => {
            output::fail(&error.to_string(), &hints(&error));
            return Ok(signal.unwrap_or(1));
        }
    };
    match planned {
        None => Ok(output::print(Stream::Out, "No changes to commit.\n")),
        Some(plan) if options.dry_run => Ok(output::print_prose(&shown(&plan))),
        Some(plan) => commit(plan, call.values.has("push")),
    }
}

fn hints(error: &CommitError) -> Vec<String> {
    match error {
        CommitError::Session(error) => error.hints(),
        _ => Vec::new(),
    }
}

fn commit_options(call: &CommandCall, environment: &dyn Environment) -> CommitOptions {
    let set = |name: &str| environment.var(name).is_some_and(|value| !value.is_empty());
    let way = match call.values.has("legacy") || set("PI_COMMIT_TEST_FALLBACK") {
        true => CommitWay::Request,
        false if set("PI_COMMIT_NO_FALLBACK") => CommitWay::AgentOnly,
        false => CommitWay::Agent,
    };
    CommitOptions {
        way,
        dry_run: call.values.has("dry-run"),
        no_changelog: call.values.has("no-changelog"),
        context: call.values.text("context").map(str::to_owned),
    }
}

struct CommitContext {
    directories: Directories,
    environment: Arc<dyn Environment>,
    model: Option<String>,
}

impl CommitContext {
    /// Everything up to the commit itself.
    async fn plan(
        &self,
        cwd: &Path,
        commit: &CommitOptions,
        cancel: CancellationToken,
    ) -> Result<Option<CommitPlan>, CommitError> {
        let options = |cwd: PathBuf| SessionOptions {
            persistence: Persistence::Off,
            model: ModelOptions { selector: self.model.clone(), ..ModelOptions::default() },
            ..SessionOptions::new(cwd, self.directories.clone(), Arc::clone(&self.environment))
        };
        let mut planned = plan_commit(cwd, &options, commit, cancel).await?;
        if let Some(plan) = &mut planned {
            plan.remarks.iter().for_each(|remark| output::note(remark));
            if !commit.dry_run {
                plan.write_changelogs().await?;
            }
        }
        Ok(planned)
    }
}

/// What a dry run says.
fn shown(plan: &CommitPlan) -> String {
    let mut text =
        format!("{}\n{} {}", plan.message, plan.files, if plan.files == 1 { "file" } else { "files" });
    text.push_str(" would be committed.\n");
    for changelog in &plan.changelogs {
        text.push_str(&format!("Would add to {}:\n", changelog.path));
        for (category, line) in &changelog.lines {
            text.push_str(&format!("  {category}: {line}\n"));
        }
    }
    text
}

/// Makes the commit at the user's terminal, with hooks and whatever they ask. What is not committed is undone.
fn commit(mut plan: CommitPlan, push: bool) -> Result<u8, String> {
    let made = message_file(&plan.message).and_then(|file| {
        let words =
            ["commit".as_ref(), "--cleanup=verbatim".as_ref(), "-F".as_ref(), file.path().as_os_str()];
        git(plan.root(), &words)
    });
    if !matches!(made, Ok(true)) {
        let undone = plan.undo().map_err(|error| error.to_string());
        let reason = made.err().unwrap_or_else(|| "git commit failed (see its output above)".to_owned());
        undone.map_err(|error| format!("{reason}; {error}"))?;
        output::note(&format!("Generated commit message:\n\n{}", plan.message));
        return Err(format!("{reason}; the index and the changelogs were restored"));
    }
    if push && !git(plan.root(), &["push".as_ref()])? {
        return Err("committed, but git push failed (see its output above)".to_owned());
    }
    Ok(0)
}

fn message_file(message: &str) -> Result<tempfile::NamedTempFile, String> {
    let made = tempfile::Builder::new().prefix("omp-commit-").tempfile().and_then(|mut file| {
        file.write_all(message.as_bytes())?;
        Ok(file)
    });
    made.map_err(|error| format!("cannot pass the commit message to git: {error}"))
}

fn git(root: &Path, words: &[&OsStr]) -> Result<bool, String> {
    let words: Vec<&OsStr> =
        ["-C".as_ref(), root.as_os_str()].into_iter().chain(words.iter().copied()).collect();
    let status = omp_shell::run_in_front(OsStr::new("git"), &words);
    status.map(|status| status.success()).map_err(|error| format!("cannot start git: {error}"))
}
