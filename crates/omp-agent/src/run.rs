//! The loop itself: turns until an answer asks for nothing and nothing is queued.

use std::sync::Arc;

use omp_types::{AgentEvent, AssistantMessage, Message, StopReason, ToolCall};
use tokio_util::sync::CancellationToken;

use crate::agent::{Fixed, Forced, Shared, State};
use crate::answer::Answered;
use crate::config::Eager;
use crate::correct::{self, MAX_NUDGES, MAX_PAUSES, NOT_RUN, TRUNCATED_CALL};

/// One prompt being worked on.
pub(crate) struct Run<'a> {
    pub(crate) state: &'a mut State,
    pub(crate) fixed: &'a Fixed,
    pub(crate) shared: &'a Shared,
    pub(crate) cancel: CancellationToken,
    new: Vec<Arc<Message>>,
    nudges: u32,
    pauses: u32,
    reminders: Reminders,
}

/// Todo reminders of this prompt.
#[derive(Default)]
struct Reminders {
    sent: u32,
    /// A second reminder needs a tool call in between.
    awaiting_tool: bool,
    /// The last turn was forced; it says nothing about the model's own plans.
    after_forced: bool,
}

/// What follows a turn.
enum Next {
    AnotherTurn,
    /// The model is done for now; queues decide.
    WouldStop,
    End,
}

impl<'a> Run<'a> {
    pub(crate) fn new(state: &'a mut State, fixed: &'a Fixed, shared: &'a Shared, cancel: CancellationToken) -> Self {
        Self { state, fixed, shared, cancel, new: Vec::new(), nudges: 0, pauses: 0, reminders: Reminders::default() }
    }

    pub(crate) fn emit(&mut self, event: AgentEvent) {
        self.state.listener.event(event);
    }

    /// Lets a slow listener catch up; an abort does not wait for it.
    pub(crate) async fn flow(&mut self) {
        if let Some(backlog) = self.state.listener.backlog() {
            tokio::select! {
                () = backlog => {}
                () = self.cancel.cancelled() => {}
            }
        }
    }

    /// Runs to the end and returns every message the run added.
    pub(crate) async fn execute(mut self, user: Option<Message>) -> Vec<Arc<Message>> {
        self.emit(AgentEvent::AgentStart);
        if let Some(user) = user {
            self.open(user);
        }
        self.deliver_steering();
        loop {
            self.emit(AgentEvent::TurnStart);
            let next = self.turn().await;
            let again = match next {
                Next::AnotherTurn => true,
                Next::WouldStop => self.continue_after_stop(),
                Next::End => false,
            };
            if !again {
                break;
            }
        }
        let messages = std::mem::take(&mut self.new);
        self.emit(AgentEvent::AgentEnd { messages: messages.clone() });
        messages
    }

    /// The user's words, with hidden context before them.
    fn open(&mut self, user: Message) {
        let first = !self.state.messages.iter().any(|message| matches!(**message, Message::User(_)));
        for hidden in self.shared.queues.take_next_prompt() {
            self.add(hidden);
        }
        let text = match &user {
            Message::User(user) => user.content.text(),
            _ => String::new(),
        };
        self.add(user);
        if first {
            self.hint(&text);
        }
    }

    fn hint(&mut self, prompt: &str) {
        let tools = self.fixed.setup.tools();
        let has = |name: &str| tools.iter().any(|tool| tool.definition().name == name);
        let hints = correct::first_message_hints(&self.state.config, prompt, has, self.fixed.clock.now_ms());
        let todo_hinted = hints.iter().any(|hint| matches!(hint, Message::Custom(custom) if custom.custom_type == "eager-todo"));
        for hint in hints {
            self.add(hint);
        }
        if todo_hinted && self.state.config.todo.eager == Eager::Always && self.state.model.can_force_tools() {
            self.state.forced = Forced::Call("todo".to_owned());
        }
    }

    /// Adds a message to the conversation and tells everyone.
    fn add(&mut self, message: Message) -> Arc<Message> {
        let message = Arc::new(message);
        self.emit(AgentEvent::MessageStart { message: Arc::clone(&message) });
        self.emit(AgentEvent::MessageEnd { message: Arc::clone(&message) });
        self.keep(&message);
        message
    }

    fn keep(&mut self, message: &Arc<Message>) {
        self.state.push(Arc::clone(message));
        self.new.push(Arc::clone(message));
    }

    fn deliver_steering(&mut self) -> bool {
        let mode = self.shared.lock().steering_mode;
        let messages = self.shared.queues.take_steering(mode, self.fixed.clock.now_ms());
        self.deliver(messages)
    }

    fn deliver(&mut self, messages: Vec<Message>) -> bool {
        let any = !messages.is_empty();
        for message in messages {
            self.add(message);
        }
        any
    }

    /// One model call and the tools it asks for.
    async fn turn(&mut self) -> Next {
        let forced = std::mem::take(&mut self.state.forced);
        self.state.forced = forced.clone();
        let answered = self.ask().await;
        self.state.forced = match forced {
            Forced::Call(_) => Forced::NoTools,
            Forced::NoTools | Forced::Nothing => Forced::Nothing,
        };
        self.reminders.after_forced = forced != Forced::Nothing;
        match answered {
            Answered::Complete(message) => self.completed(message).await,
            Answered::Stopped { message, call, reason } => {
                let refuse = |wanted: &ToolCall| if wanted.id == call { reason.clone() } else { NOT_RUN.to_owned() };
                self.close_without_running(&message, refuse);
                Next::AnotherTurn
            }
            Answered::Aborted(message) | Answered::Failed(message) => {
                self.close_without_running(&message, |_| NOT_RUN.to_owned());
                Next::End
            }
        }
    }

    async fn completed(&mut self, message: Arc<Message>) -> Next {
        let Some(answer) = message.as_assistant().cloned() else { return Next::End };
        let calls: Vec<ToolCall> = answer.tool_calls().cloned().collect();
        if calls.is_empty() {
            return self.without_calls(&message, &answer);
        }
        self.pauses = 0;
        self.nudges = 0;
        self.reminders.awaiting_tool = false;
        if answer.stop_reason == StopReason::Length {
            self.close_without_running(&message, |_| TRUNCATED_CALL.to_owned());
            return Next::AnotherTurn;
        }
        self.keep(&message);
        let results = self.run_batch(calls).await;
        let results: Vec<Arc<Message>> = results.into_iter().map(|result| self.add(result)).collect();
        self.emit(AgentEvent::TurnEnd { message, tool_results: results });
        if self.cancel.is_cancelled() {
            return Next::End;
        }
        let asides = self.shared.queues.take_asides();
        self.deliver(asides);
        self.deliver_steering();
        Next::AnotherTurn
    }

    fn without_calls(&mut self, message: &Arc<Message>, answer: &AssistantMessage) -> Next {
        if answer.stop_reason == StopReason::Pause {
            return self.paused(message);
        }
        let empty = !answer.has_visible_text() && answer.stop_reason != StopReason::Length;
        if empty && self.nudges < MAX_NUDGES {
            // The empty answer stays in the record but not in the context.
            self.nudges += 1;
            self.new.push(Arc::clone(message));
            self.emit(AgentEvent::TurnEnd { message: Arc::clone(message), tool_results: Vec::new() });
            let nudge = correct::empty_answer(self.fixed.clock.now_ms());
            self.add(nudge);
            return Next::AnotherTurn;
        }
        self.keep(message);
        self.emit(AgentEvent::TurnEnd { message: Arc::clone(message), tool_results: Vec::new() });
        Next::WouldStop
    }

    /// The provider wants the same conversation again to go on.
    fn paused(&mut self, message: &Arc<Message>) -> Next {
        self.keep(message);
        self.emit(AgentEvent::TurnEnd { message: Arc::clone(message), tool_results: Vec::new() });
        self.pauses += 1;
        if self.pauses > MAX_PAUSES { Next::WouldStop } else { Next::AnotherTurn }
    }

    /// Every call of the answer gets a result that says why it did not run, so that the history stays valid.
    fn close_without_running(&mut self, message: &Arc<Message>, reason: impl Fn(&ToolCall) -> String) {
        self.keep(message);
        let calls: Vec<ToolCall> = message.as_assistant().map(|a| a.tool_calls().cloned().collect()).unwrap_or_default();
        let mut results = Vec::new();
        for call in &calls {
            let result = self.refuse(call, &reason(call));
            results.push(self.add(result));
        }
        self.emit(AgentEvent::TurnEnd { message: Arc::clone(message), tool_results: results });
    }

    /// The run would end here. Something typed at the last moment, a follow-up, a background note or an open
    /// todo keeps it going.
    fn continue_after_stop(&mut self) -> bool {
        if self.cancel.is_cancelled() {
            return false;
        }
        if self.deliver_steering() {
            return true;
        }
        let mode = self.shared.lock().follow_up_mode;
        let follow_ups = self.shared.queues.take_follow_ups(mode, self.fixed.clock.now_ms());
        let asides = self.shared.queues.take_asides();
        // Asides ride with a follow-up instead of costing a turn of their own before it.
        let noted = self.deliver(asides);
        let followed = self.deliver(follow_ups);
        if noted || followed {
            self.reminders = Reminders::default();
            return true;
        }
        self.remind()
    }

    fn remind(&mut self) -> bool {
        let config = self.state.config.todo;
        let blocked = self.reminders.awaiting_tool || self.reminders.after_forced;
        if !config.reminders || blocked || self.reminders.sent >= config.max_reminders {
            return false;
        }
        let open = self.fixed.todos.as_ref().map(|todos| todos.open()).unwrap_or_default();
        if open.is_empty() {
            return false;
        }
        self.reminders.sent += 1;
        self.reminders.awaiting_tool = true;
        let reminder = correct::todo_reminder(&open, self.fixed.clock.now_ms());
        self.emit(AgentEvent::TodoReminder {
            todos: open,
            attempt: self.reminders.sent,
            max_attempts: config.max_reminders,
        });
        self.add(reminder);
        true
    }
}
