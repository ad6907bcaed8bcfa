//! Making the conversation shorter: `/compact`, `/handoff`, and what happens by itself.

use std::sync::Arc;

use omp_sdk::{CompactError, Compacted, HandoffError};
use omp_theme::Token;
use omp_types::{AgentEvent, CompactionReason, CompactionStrategy, Message, StopReason};
use omp_view::message::Level;
use omp_view::working::Activity;
use tokio_util::sync::CancellationToken;

use super::{App, Run, Task};

/// What goes on with the length of the conversation.
#[derive(Default)]
pub(super) struct Compacting {
    /// What the row says instead of "Working".
    pub(super) activity: Option<Activity>,
    /// `/compact` was typed while a turn ran: the focus, once the turn has ended.
    wanted: Option<String>,
    /// Stops the wait for idle compaction.
    idle: CancellationToken,
}

impl App {
    /// `/compact`: what runs is stopped first.
    pub(super) fn compact(&mut self, focus: &str) {
        if self.turn.run.is_some() {
            self.turn.compacting.wanted = Some(focus.to_owned());
            self.abort();
            return;
        }
        let (session, focus) = (self.session(), focus.to_owned());
        let cancel = self.begin_run("Compacting");
        let number = self.turn.runs;
        self.spawn(async move {
            let compacted = session.compact(Some(&focus), cancel).await;
            Box::new(move |app: &mut Self| {
                // Another session may have taken the place of this one.
                if number == app.turn.runs {
                    app.compacted(compacted);
                }
            }) as Task
        });
    }

    fn compacted(&mut self, compacted: Result<Compacted, CompactError>) {
        self.end_run();
        match compacted {
            Ok(_) => {}
            Err(CompactError::Upkeep(omp_sdk::UpkeepError::Aborted)) => {
                self.hint(Token::Warning, "Compaction cancelled");
            }
            Err(error) => self.say(Level::Warning, &error.to_string()),
        }
    }

    /// `/handoff`: a new session begins with a document about this one.
    pub(super) fn hand_off(&mut self, focus: &str) {
        if self.turn.run.is_some() {
            return self.busy();
        }
        let (host, focus) = (Arc::clone(&self.shown.host), focus.to_owned());
        let cancel = self.begin_run("Generating handoff");
        self.turn.compacting.activity = Some(Activity::HandingOff);
        self.spawn(async move {
            let focus = Some(focus.as_str()).filter(|focus| !focus.is_empty());
            let handed = host.hand_off(focus, cancel).await;
            let messages = host.session().transcript().await;
            Box::new(move |app: &mut Self| {
                app.end_run();
                match handed {
                    Ok(arrival) => {
                        app.arrive(&messages, "New session started with handoff context");
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

    fn begin_run(&mut self, what: &'static str) -> CancellationToken {
        self.turn.compacting.idle.cancel();
        let cancel = CancellationToken::new();
        self.turn.runs += 1;
        self.turn.run = Some(Run { cancel: cancel.clone(), begun: self.now(), what });
        self.changed();
        cancel
    }

    fn end_run(&mut self) {
        if self.make_changes(Self::end_run) {
            return;
        }
        self.turn.run = None;
        self.turn.compacting.activity = None;
        self.refresh();
        self.deliver_held();
        self.send_waiting();
        self.wait_for_idle();
        self.changed();
    }

    /// Escape: stops a compaction that goes on, and nothing else.
    pub(super) fn cancel_compaction(&mut self) {
        let by_itself = self.session().control().abort_compaction();
        if !by_itself && let Some(run) = &self.turn.run {
            run.cancel.cancel();
        }
    }

    /// A turn has ended: what was asked for meanwhile follows, and the wait for a quiet time begins.
    pub(super) fn after_turn(&mut self) {
        self.turn.compacting.activity = None;
        match self.turn.compacting.wanted.take() {
            Some(focus) => self.compact(&focus),
            None => self.wait_for_idle(),
        }
    }

    /// Will the conversation be made shorter as soon as the turn is over?
    pub(super) fn compacts_next(&self) -> bool {
        self.turn.compacting.wanted.is_some()
    }

    fn wait_for_idle(&mut self) {
        self.turn.compacting.idle.cancel();
        let (session, cancel) = (self.session(), CancellationToken::new());
        self.turn.compacting.idle = cancel.clone();
        self.spawn(async move {
            session.keep_up_when_idle(cancel).await;
            Box::new(|_: &mut Self| {}) as Task
        });
    }

    /// What a message makes of the length of the conversation: what the provider counted with it, else an estimate.
    pub(super) fn note_context(&mut self, message: &Message) {
        let session = self.session();
        match message {
            Message::Assistant(answer) if answer.usage.total_tokens > 0 => {
                self.status.context = answer.usage.total_tokens;
            }
            Message::Assistant(answer)
                if matches!(answer.stop_reason, StopReason::Error | StopReason::Aborted) => {}
            _ => {
                if self.status.context == 0 {
                    self.status.context = session.prompt_report().tokens as u64;
                }
                self.status.context += session.message_tokens(message);
            }
        }
    }

    /// Finds out how long the conversation is, when nothing runs.
    pub(super) fn estimate_context(&mut self) {
        let session = self.session();
        self.spawn(async move {
            let tokens = session.context_tokens().await;
            Box::new(move |app: &mut Self| {
                if Arc::ptr_eq(&session, &app.session())
                    && let Some(tokens) = app.tape_fact("context", tokens, |tokens| serde_json::json!(tokens))
                {
                    app.status.context = tokens;
                    app.changed();
                }
            }) as Task
        });
    }

    /// Something begins: the conversation is not idle.
    pub(super) fn not_idle(&mut self) {
        self.turn.compacting.idle.cancel();
    }

    /// What events say about the length of the conversation.
    pub(super) fn compaction_event(&mut self, event: &AgentEvent) {
        match event {
            AgentEvent::AutoCompactionStart { reason, action } => {
                self.turn.compacting.activity = Some(match action {
                    CompactionStrategy::Handoff => Activity::HandingOff,
                    _ => Activity::Compacting,
                });
                if *reason == CompactionReason::Idle && self.turn.run.is_none() {
                    let cancel = self.turn.compacting.idle.clone();
                    self.turn.run = Some(Run { cancel, begun: self.now(), what: "Compacting" });
                }
            }
            AgentEvent::AutoCompactionEnd { reason, result, aborted, error_message, .. } => {
                self.turn.compacting.activity = None;
                if let Some(result) = result {
                    self.status.context = result.tokens_after;
                }
                match reason {
                    CompactionReason::Idle => {
                        self.turn.run = None;
                        self.deliver_held();
                    }
                    // Who asked for it is told by the command.
                    CompactionReason::Manual => return,
                    _ => {}
                }
                if *aborted {
                    self.hint(Token::Warning, "Compaction cancelled");
                }
                if let Some(error) = error_message {
                    self.say(Level::Warning, error);
                }
            }
            AgentEvent::AgentEnd { .. } => self.turn.compacting.activity = None,
            _ => {}
        }
    }
}
