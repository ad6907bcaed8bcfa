//! Commands of extensions that leave the session: another one takes its place, and the command continues there.

use std::path::PathBuf;
use std::sync::Arc;

use omp_sdk::{Arrival, BranchSummaryError, Host, SwitchError};
use serde_json::{Value, json};

use crate::app::{App, Task, switching};
use crate::extensions::{Answering, ExtensionRequest};

/// Does what a command asks for.
pub(super) fn go(app: &mut App, request: ExtensionRequest) {
    let ExtensionRequest { operation, arguments, answer, .. } = request;
    let text = |name: &str| arguments[name].as_str().unwrap_or_default().to_owned();
    match operation.as_str() {
        "session.shutdown" => app.surface.quit(),
        "session.new" => {
            let entries = arguments["entries"].as_array().cloned().unwrap_or_default();
            let parent = arguments["parentSession"].as_str().map(PathBuf::from);
            return switch(app, answer, "New session started", |host| async move {
                host.begin_prepared(entries, parent).await
            });
        }
        "session.switch" => {
            let path = PathBuf::from(text("path"));
            return switch(app, answer, "Resumed session", |host| async move { host.resume(&path).await });
        }
        "session.branch" => {
            let entry = text("entryId");
            return switch(app, answer, "Branched", |host| async move { host.branch(&entry).await });
        }
        "session.navigate" => return navigate(app, &arguments, answer),
        "session.reload" => return reload(app, answer),
        _ => {
            if let Some(answer) = answer {
                let _ = answer.send(Err(format!("{operation} is not offered by omp")));
            }
            return;
        }
    }
    settle(answer, Value::Null);
}

fn settle(answer: Option<Answering>, value: Value) {
    if let Some(answer) = answer {
        let _ = answer.send(Ok(value));
    }
}

/// The session that is there now, as a command is told of it.
fn arrived(host: &Host, cancelled: bool) -> Value {
    let session = host.session();
    let facts = session.extensions().set().and_then(|set| set.facts());
    let session = facts.map(
        |facts| json!({"number": facts.number, "mode": facts.mode, "hasUI": facts.has_ui, "cwd": facts.cwd}),
    );
    json!({"cancelled": cancelled, "session": session})
}

fn switch<F>(
    app: &mut App,
    answer: Option<Answering>,
    done: &'static str,
    work: impl FnOnce(Arc<Host>) -> F + Send + 'static,
) where
    F: Future<Output = Result<Arrival, SwitchError>> + Send + 'static,
{
    let host = Arc::clone(&app.shown.host);
    if let Some(run) = &app.turn.run {
        run.cancel.cancel();
    }
    app.spawn(async move {
        let arrival = work(Arc::clone(&host)).await;
        let messages = host.session().transcript().messages().await;
        Box::new(move |app: &mut App| match arrival {
            Ok(arrival) => {
                // The screen is there first, so that what the command does next is seen on it.
                app.turn.leave_run();
                switching::arrive(app, &messages, done);
                arrival.remarks.iter().for_each(|remark| app.remark(remark));
                arrival.prompt.iter().for_each(|prompt| app.set_text(prompt));
                settle(answer, arrived(&host, false));
            }
            Err(SwitchError::Cancelled) => settle(answer, arrived(&host, true)),
            Err(error) => {
                if let Some(answer) = answer {
                    let _ = answer.send(Err(error.to_string()));
                }
            }
        }) as Task
    });
}

/// Goes to another place in the conversation of this session.
fn navigate(app: &mut App, arguments: &Value, answer: Option<Answering>) {
    let (session, host) = (app.session(), Arc::clone(&app.shown.host));
    if let Some(run) = &app.turn.run {
        run.cancel.cancel();
    }
    let target = arguments["targetId"].as_str().unwrap_or_default().to_owned();
    let summarizes = arguments["summarize"] == true;
    let instructions = arguments["customInstructions"].as_str().map(str::to_owned);
    app.spawn(async move {
        let cancel = tokio_util::sync::CancellationToken::new();
        let moved = match summarizes {
            true => session.tree().summarize_branch(&target, instructions.as_deref(), cancel).await,
            false => session.tree().navigate(&target, None).await.map_err(BranchSummaryError::from),
        };
        let messages = session.transcript().messages().await;
        Box::new(move |app: &mut App| match moved {
            Ok(moved) => {
                if let Some(moved) = moved {
                    app.turn.leave_run();
                    switching::arrive(app, &messages, "Moved to another point in the conversation");
                    moved.prefill.iter().for_each(|text| app.set_text(text));
                }
                settle(answer, arrived(&host, false));
            }
            Err(BranchSummaryError::Switch(SwitchError::Cancelled) | BranchSummaryError::Aborted) => {
                settle(answer, arrived(&host, true));
            }
            Err(error) => {
                if let Some(answer) = answer {
                    let _ = answer.send(Err(error.to_string()));
                }
            }
        }) as Task
    });
}

/// Loads all extensions again.
fn reload(app: &mut App, answer: Option<Answering>) {
    // The extension that asks for it ends by that, so nobody waits.
    settle(answer, Value::Null);
    app.command("/reload-plugins");
}
