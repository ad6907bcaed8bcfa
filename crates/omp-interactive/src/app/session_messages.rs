//! Messages of the session: events and questions.

use std::sync::Arc;
use std::time::Duration;

use omp_tui::transcript::Transcript;
use omp_types::{AgentEvent, Message};
use omp_view::working::Activity;

use super::App;
use crate::app::{compacting, pty, switching};
use crate::panels::menu::Menu;
use crate::panels::text::Text;
use crate::panels::{approval, model_question, review};
use crate::session_channel::{SessionChannel, SessionMessage};

impl App {
    /// Takes a message of a session; those of sessions that were left are dropped.
    pub(crate) fn session_message(&mut self, session: u64, message: SessionMessage) {
        if session == self.shown.numbers.latest()
            && !Arc::ptr_eq(&self.shown.on_screen, &self.shown.host.session())
        {
            // The host has switched on its own: an approved plan runs in a new session, a loop may reset.
            switching::arrive(self, &[], "New session started");
        }
        if session != self.shown.number && session != SessionChannel::EVERY_SESSION {
            return;
        }
        self.recording.count_message(&message);
        self.set_turn_clock();
        match message {
            SessionMessage::Event(event) => self.event(&event),
            SessionMessage::Approve(request, answer) => approval::approve(self, request, answer),
            SessionMessage::Review(review, answer) => review::show_plan(self, review, answer),
            SessionMessage::Question(question, place, answer) => {
                model_question::put_question(self, question, place, answer);
            }
            SessionMessage::Confirm(question, answer) => {
                self.ask(Menu::new(question, ["Yes", "No"]), move |_, chosen| {
                    let _ = answer.send(chosen == Some(0));
                });
            }
            SessionMessage::Terminal(command, terminal, ended) => {
                pty::show_terminal(self, command, terminal, ended);
            }
            SessionMessage::Text(question, begun, answer) => {
                let text = Text::new(question, &begun, move |_, text| {
                    let _ = answer.send(text);
                });
                self.open(text.stops_turn().unasked());
            }
        }
    }

    fn event(&mut self, event: &AgentEvent) {
        let now = self.turn_now();
        compacting::compaction_event(self, event);
        match event {
            AgentEvent::AutoRetryStart { attempt, max_attempts, delay_ms, error_message } => {
                let (attempt, attempts) = (*attempt, *max_attempts);
                let since = self.turn.run.as_ref().map_or(now, |run| now.saturating_sub(run.begun));
                let wait = since + Duration::from_millis(*delay_ms);
                let error = error_message.clone();
                self.turn.retrying = Some(Activity::Retrying { attempt, attempts, wait, error });
            }
            AgentEvent::AutoRetryEnd { .. } => self.turn.retrying = None,
            AgentEvent::MessageEnd { message } => {
                if let Message::Assistant(answer) = &**message {
                    self.status.spent += answer.usage.cost.total;
                    self.status.tokens.0 += answer.usage.input;
                    self.status.tokens.1 += answer.usage.output;
                    self.status.cached += answer.usage.cache_read;
                }
                compacting::note_context(self, message);
            }
            // A plan may have given the session its name.
            AgentEvent::AgentStart => self.set_title(),
            AgentEvent::AgentEnd { .. } => self.turn.retrying = None,
            AgentEvent::ToolExecutionEnd { .. } => self.composer.finder.forget(),
            _ => {}
        }
        if let Some(transcript) = self.surface.ui.get_mut::<Transcript>(self.surface.lanes.transcript) {
            self.shown.conversation.event(transcript, event, now);
        }
        self.changed_by(event);
    }
}
