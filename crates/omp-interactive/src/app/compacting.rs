//! Making the conversation shorter: `/compact`, `/handoff`, and what happens by itself.

use std::sync::Arc;

use omp_sdk::{CompactError, Compacted, HandoffError};
use omp_theme::Token;
use omp_types::{AgentEvent, CompactionReason, CompactionStrategy, Message, StopReason};
use omp_view::message::Level;
use omp_view::working::Activity;
use tokio_util::sync::CancellationToken;

use super::{App, Run, Task};
use crate::app::commands::model_change;
use crate::app::{drafting, switching};

/// What happens to the length of the conversation.
#[derive(Default)]
pub(super) struct Compacting {
    /// What the row says instead of "Working".
    pub(super) activity: Option<Activity>,
    /// `/compact` was typed while a turn ran: the focus, once the turn has ended.
    wanted: Option<String>,
    /// Stops the wait for idle compaction.
    idle: CancellationToken,
}

/// `/compact`: after the turn that runs; typed again, it stops the turn.
pub(crate) fn compact(app: &mut App, focus: &str) {
    if app.turn.run.is_some() {
        match app.turn.compacting.wanted.replace(focus.to_owned()) {
            None => app.hint(Token::Muted, "Compacting after this turn (/compact again: stop the turn now)"),
            Some(_) => app.abort(),
        }
        return;
    }
    let (session, focus) = (app.session(), focus.to_owned());
    let cancel = begin_run(app, Run::COMPACTING);
    let number = app.turn.runs;
    app.spawn(async move {
        let compacted = session.context().compact(Some(&focus), cancel).await;
        Box::new(move |app: &mut App| {
            // Another session may have taken the place of this one.
            if number == app.turn.runs {
                show_compacted(app, compacted);
            }
        }) as Task
    });
}

fn show_compacted(app: &mut App, compacted: Result<Compacted, CompactError>) {
    end_run(app);
    match compacted {
        Ok(_) => {}
        Err(CompactError::Upkeep(omp_sdk::UpkeepError::Aborted)) => {
            app.hint(Token::Warning, "Compaction cancelled");
        }
        Err(error) => app.say(Level::Warning, &error.to_string()),
    }
}

/// `/handoff`: a new session begins with a document about this one.
pub(crate) fn hand_off(app: &mut App, focus: &str) {
    if app.turn.run.is_some() {
        return app.busy();
    }
    let (host, focus) = (Arc::clone(&app.shown.host), focus.to_owned());
    let cancel = begin_run(app, "Generating handoff");
    app.turn.compacting.activity = Some(Activity::HandingOff);
    app.spawn(async move {
        let focus = Some(focus.as_str()).filter(|focus| !focus.is_empty());
        let handed = host.hand_off(focus, cancel).await;
        let messages = host.session().transcript().messages().await;
        Box::new(move |app: &mut App| {
            end_run(app);
            match handed {
                Ok(arrival) => {
                    switching::arrive(app, &messages, "New session started with handoff context");
                    arrival.remarks.iter().for_each(|remark| app.remark(remark));
                }
                Err(error @ (HandoffError::Nothing | HandoffError::Busy | HandoffError::Cancelled)) => {
                    app.hint(Token::Warning, error.to_string());
                }
                Err(error) => app.complain(&error.to_string()),
            }
        }) as Task
    });
}

fn begin_run(app: &mut App, what: &'static str) -> CancellationToken {
    app.turn.compacting.idle.cancel();
    let cancel = CancellationToken::new();
    app.turn.runs += 1;
    app.turn.run = Some(Run { cancel: cancel.clone(), begun: app.turn_now(), what });
    app.surface.changed();
    cancel
}

fn end_run(app: &mut App) {
    if model_change::make_changes(app, end_run) {
        return;
    }
    app.turn.run = None;
    app.turn.compacting.activity = None;
    app.refresh();
    drafting::deliver_held(app);
    app.send_waiting();
    wait_for_idle(app);
    app.surface.changed();
}

/// Escape: stops a running compaction, and nothing else.
pub(crate) fn cancel_compaction(app: &mut App) {
    let by_itself = app.session().control().abort_compaction();
    if !by_itself && let Some(run) = &app.turn.run {
        run.cancel.cancel();
    }
}

/// A turn has ended: what was asked for meanwhile follows, and the wait for a quiet time begins.
pub(crate) fn after_turn(app: &mut App) {
    app.turn.compacting.activity = None;
    match app.turn.compacting.wanted.take() {
        Some(focus) => {
            app.status.banner = None;
            compact(app, &focus);
        }
        None => wait_for_idle(app),
    }
}

/// Will the conversation be made shorter as soon as the turn is over?
pub(crate) fn compacts_next(app: &App) -> bool {
    app.turn.compacting.wanted.is_some()
}

fn wait_for_idle(app: &mut App) {
    app.turn.compacting.idle.cancel();
    let (session, cancel) = (app.session(), CancellationToken::new());
    app.turn.compacting.idle = cancel.clone();
    app.spawn(async move {
        session.context().compact_when_idle(cancel).await;
        Box::new(|_: &mut App| {}) as Task
    });
}

/// What a message makes of the length of the conversation: what the provider counted with it, else an estimate.
pub(crate) fn note_context(app: &mut App, message: &Message) {
    let session = app.session();
    match message {
        Message::Assistant(answer) if answer.usage.total_tokens > 0 => {
            app.status.context = answer.usage.total_tokens;
        }
        Message::Assistant(answer)
            if matches!(answer.stop_reason, StopReason::Error | StopReason::Aborted) => {}
        _ => {
            if app.status.context == 0 {
                app.status.context = session.prompt_report().tokens as u64;
            }
            app.status.context += session.context().message_tokens(message);
        }
    }
}

/// Finds out how long the conversation is, when nothing runs.
pub(crate) fn estimate_context(app: &mut App) {
    let session = app.session();
    app.spawn(async move {
        let tokens = session.context().tokens().await;
        Box::new(move |app: &mut App| {
            if Arc::ptr_eq(&session, &app.session())
                && let Some(tokens) =
                    app.recording.tape_fact("context", tokens, |tokens| serde_json::json!(tokens))
            {
                app.status.context = tokens;
                app.surface.changed();
            }
        }) as Task
    });
}

/// Something begins: the conversation is not idle.
pub(crate) fn not_idle(app: &mut App) {
    app.turn.compacting.idle.cancel();
}

/// What events say about the length of the conversation.
pub(crate) fn compaction_event(app: &mut App, event: &AgentEvent) {
    match event {
        AgentEvent::AutoCompactionStart { reason, action } => {
            app.turn.compacting.activity = Some(match action {
                CompactionStrategy::Handoff => Activity::HandingOff,
                _ => Activity::Compacting,
            });
            if *reason == CompactionReason::Idle && app.turn.run.is_none() {
                let cancel = app.turn.compacting.idle.clone();
                app.turn.run = Some(Run { cancel, begun: app.turn_now(), what: Run::COMPACTING });
            }
        }
        AgentEvent::AutoCompactionEnd { reason, result, aborted, error_message, .. } => {
            app.turn.compacting.activity = None;
            if let Some(result) = result {
                app.status.context = result.tokens_after;
            }
            match reason {
                CompactionReason::Idle => {
                    app.turn.run = None;
                    drafting::deliver_held(app);
                }
                // Who asked for it is told by the command.
                CompactionReason::Manual => return,
                _ => {}
            }
            if *aborted {
                app.hint(Token::Warning, "Compaction cancelled");
            }
            if let Some(error) = error_message {
                app.say(Level::Warning, error);
            }
        }
        AgentEvent::AgentEnd { .. } => app.turn.compacting.activity = None,
        _ => {}
    }
}
