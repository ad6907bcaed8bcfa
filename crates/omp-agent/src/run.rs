//! The loop itself: turns until an answer asks for nothing and nothing is queued.

use std::sync::Arc;

use omp_types::{
    AgentEvent, AssistantMessage, CustomMessage, Message, StopReason, ThinkingLevel, ToolCall, ToolOutput,
};
use tokio_util::sync::CancellationToken;

use crate::agent::{AfterForced, AgentState, Fixed, Forced};
use crate::config::Eager;
use crate::control::Shared;
use crate::correct::{self, INTERRUPTED, MAX_NUDGES, MAX_PAUSES, NOT_RUN, TRUNCATED_CALL};
use crate::leak::Cuts;
use crate::recover::Answered;
use crate::remind::Reminders;
use crate::sticky::Sticky;

/// One prompt being worked on.
pub(crate) struct Run<'a> {
    pub(crate) state: &'a mut AgentState,
    pub(crate) fixed: &'a Fixed,
    pub(crate) shared: &'a Shared,
    pub(crate) cancel: CancellationToken,
    /// Everything the run announced, also what did not stay in the live context.
    new: Vec<Arc<Message>>,
    /// Empty answers in a row.
    nudges: u32,
    /// Paused answers in a row.
    pauses: u32,
    /// Times in a row that a tool demanded to be called.
    pub(crate) demands: u32,
    /// Times in a row that a mode did not let the run end.
    pub(crate) kept_going: u32,
    /// What modes say to the model at the next turn.
    pub(crate) notes: Vec<Message>,
    pub(crate) reminders: Reminders,
    pub(crate) sticky: Sticky,
    pub(crate) cuts: Cuts,
    /// Effort that the user's last words asked for.
    pub(crate) thinking: Option<ThinkingLevel>,
    /// Makes the model continue when it would stop after the conversation was made shorter.
    pub(crate) go_on: Option<CustomMessage>,
    /// An answer that was cut off was asked for again.
    pub(crate) recovered_cut: bool,
}

/// What follows a turn.
#[derive(Clone, Copy)]
pub(crate) enum Next {
    /// Calls were answered; the model continues.
    AfterTools,
    /// The answer was paused; the same conversation is sent again.
    Resume,
    /// The answer was empty.
    Nudge,
    /// The model is done for now; queues decide.
    WouldStop,
    /// The answer ended where the output limit is.
    CutOff,
    End,
}

impl<'a> Run<'a> {
    pub(crate) fn new(
        state: &'a mut AgentState,
        fixed: &'a Fixed,
        shared: &'a Shared,
        cancel: CancellationToken,
    ) -> Self {
        Self {
            state,
            fixed,
            shared,
            cancel,
            new: Vec::new(),
            nudges: 0,
            pauses: 0,
            demands: 0,
            kept_going: 0,
            notes: Vec::new(),
            reminders: Reminders::default(),
            // A repeated turn says nothing new; its text is where the first attempt put it.
            sticky: Sticky::Since(1),
            cuts: Cuts::default(),
            thinking: None,
            go_on: None,
            recovered_cut: false,
        }
    }

    pub(crate) fn emit(&mut self, event: AgentEvent) {
        self.state.listener.event(event);
    }

    /// Lets a slow listener catch up; an abort does not wait for it.
    pub(crate) async fn flow(&mut self) {
        if let Some(backlog) = self.state.listener.backlog() {
            tokio::select! {
                biased;
                () = self.cancel.cancelled() => {}
                () = backlog => {}
            }
        }
    }

    /// Runs to the end and returns every message the run announced.
    pub(crate) async fn execute(mut self, user: Option<Message>) -> Vec<Arc<Message>> {
        self.emit(AgentEvent::AgentStart);
        if user.is_none() {
            self.thinking = self.effort_of_last_words();
        }
        if let Some(user) = &user {
            self.keep_up_before(user).await;
        }
        let mut messages = self.opening(user);
        loop {
            self.emit(AgentEvent::TurnStart);
            for message in messages {
                self.say(message);
            }
            self.keep_sticky();
            let next = self.turn().await;
            let next = self.keep_up(next).await;
            match self.messages_after(next).await {
                Some(following) => messages = following,
                None => break,
            }
        }
        self.tell_modes();
        let messages = std::mem::take(&mut self.new);
        self.emit(AgentEvent::AgentEnd { messages: messages.clone() });
        messages
    }

    /// The user's words with hidden context before them, and steering that an earlier run left.
    fn opening(&mut self, user: Option<Message>) -> Vec<Message> {
        let mut messages = self.missing_results();
        if let Some(user) = user {
            if matches!(self.state.forced, Forced::Call { then: AfterForced::AsUsual, .. }) {
                // The nudge was for a prompt that failed, not for this one.
                self.state.forced = Forced::Nothing;
            }
            let first = !self.state.messages.iter().any(|message| matches!(**message, Message::User(_)));
            let hints =
                if first && self.fixed.conduct.wants_hints() { self.hints(&user) } else { Vec::new() };
            messages.extend(self.shared.queues.take_next_prompt());
            messages.push(user);
            messages.extend(hints);
        }
        messages.extend(self.steering());
        messages
    }

    /// Results for calls that an earlier run left open: its future was dropped, or the program was killed.
    fn missing_results(&self) -> Vec<Message> {
        let Some((at, answer)) = self.state.last_answer() else { return Vec::new() };
        let answered = self.state.messages.len() - at - 1;
        let missing = |call| self.result_message(call, ToolOutput::text(INTERRUPTED), true);
        answer.tool_calls().skip(answered).map(missing).collect()
    }

    /// Hints for the first message of a conversation.
    fn hints(&mut self, user: &Message) -> Vec<Message> {
        let Message::User(user) = user else { return Vec::new() };
        let tools = self.fixed.setup.tools();
        let has = |name: &str| tools.iter().any(|tool| tool.definition().name == name);
        let config = &self.state.config;
        let prompt = user.content.text();
        let mut hints = Vec::new();
        if correct::wants_todo_hint(config, &prompt) && has(correct::TODO_TOOL) {
            hints.push(correct::eager_todo(self.fixed.clock.now_ms()));
            let free = self.state.forced == Forced::Nothing && self.state.model.can_force_tools();
            if config.todo.eager == Eager::Always && free {
                self.state.forced =
                    Forced::Call { tool: correct::TODO_TOOL.to_owned(), then: AfterForced::AsUsual };
            }
        }
        if config.eager_task == Eager::Always && has(correct::TASK_TOOL) {
            hints.push(correct::eager_task(self.fixed.clock.now_ms()));
        }
        hints
    }

    /// Puts a message of the user or of the program into the conversation.
    fn say(&mut self, message: Message) {
        let Some(beside) = self.fixed.setup.beside(&message) else {
            self.add(message);
            return;
        };
        if self.state.forced == Forced::NoTools {
            // New words need tools again.
            self.state.forced = Forced::Nothing;
        }
        self.thinking = beside.thinking;
        self.sticky = Sticky::Due;
        self.add(message);
        for note in beside.notes {
            self.add(correct::hidden(note.custom_type, note.text, self.fixed.clock.now_ms()));
        }
    }

    /// A repeated turn makes the same effort.
    fn effort_of_last_words(&self) -> Option<ThinkingLevel> {
        let beside = |message: &Arc<Message>| self.fixed.setup.beside(message);
        self.state.messages.iter().rev().find_map(beside)?.thinking
    }

    /// Adds a message to the conversation and tells everyone.
    pub(crate) fn add(&mut self, message: Message) -> Arc<Message> {
        let message = Arc::new(message);
        self.emit(AgentEvent::MessageStart { message: Arc::clone(&message) });
        self.announced(&message);
        self.state.push(Arc::clone(&message));
        message
    }

    /// A message is complete. Whether it stays in the live context is decided elsewhere.
    pub(crate) fn announced(&mut self, message: &Arc<Message>) {
        self.new.push(Arc::clone(message));
        self.emit(AgentEvent::MessageEnd { message: Arc::clone(message) });
    }

    fn steering(&self) -> Vec<Message> {
        let mode = self.shared.lock().steering_mode;
        self.shared.queues.take_steering(mode, self.fixed.clock.now_ms())
    }

    fn follow_ups(&self) -> Vec<Message> {
        let mode = self.shared.lock().follow_up_mode;
        self.shared.queues.take_follow_ups(mode, self.fixed.clock.now_ms())
    }

    /// One model call and the tools it asks for.
    async fn turn(&mut self) -> Next {
        self.reminders.after_forced = self.state.forced != Forced::Nothing;
        match self.ask().await {
            Answered::Complete(message) => match message.as_assistant() {
                Some(answer) => self.completed(&message, answer).await,
                None => Next::End,
            },
            Answered::Stopped { message, call, reason } => {
                self.close_without_running(
                    &message,
                    |wanted| if wanted.id == call { &reason } else { NOT_RUN },
                );
                Next::AfterTools
            }
            Answered::Broken(message) => {
                self.close_without_running(&message, |_| NOT_RUN);
                Next::End
            }
        }
    }

    async fn completed(&mut self, message: &Arc<Message>, answer: &AssistantMessage) -> Next {
        let calls: Vec<ToolCall> = answer.tool_calls().cloned().collect();
        if calls.is_empty() {
            return self.without_calls(message, answer);
        }
        self.pauses = 0;
        self.nudges = 0;
        if answer.stop_reason == StopReason::Length {
            self.close_without_running(message, |_| TRUNCATED_CALL);
            return Next::AfterTools;
        }
        self.settle_force();
        self.reminders.awaiting_tool = false;
        self.state.push(Arc::clone(message));
        self.kept_going = 0;
        let tool_results = self.run_batch(calls).await;
        self.end_turn(message, tool_results);
        self.conduct_after_tools()
    }

    /// The model made the demanded call, or had its turn without tools.
    fn settle_force(&mut self) {
        self.state.forced = match std::mem::take(&mut self.state.forced) {
            Forced::Call { then: AfterForced::NoTools, .. } => Forced::NoTools,
            _ => Forced::Nothing,
        };
    }

    fn without_calls(&mut self, message: &Arc<Message>, answer: &AssistantMessage) -> Next {
        let paused = answer.stop_reason == StopReason::Pause;
        let empty = !paused && !answer.has_visible_text();
        // An empty answer stays in the record but never enters the context.
        if !empty {
            self.state.push(Arc::clone(message));
        }
        self.end_turn(message, Vec::new());
        self.pauses = if paused { self.pauses + 1 } else { 0 };
        self.nudges = if empty { self.nudges + 1 } else { 0 };
        if paused && self.pauses <= MAX_PAUSES {
            return Next::Resume;
        }
        if empty && self.nudges <= MAX_NUDGES {
            return Next::Nudge;
        }
        self.pauses = 0;
        self.nudges = 0;
        self.state.forced = Forced::Nothing;
        match answer.stop_reason {
            StopReason::Length if !empty => Next::CutOff,
            _ => Next::WouldStop,
        }
    }

    fn end_turn(&mut self, message: &Arc<Message>, tool_results: Vec<Arc<Message>>) {
        self.emit(AgentEvent::TurnEnd { message: Arc::clone(message), tool_results });
        self.tell_modes();
    }

    /// Every call of the answer gets a result that says why it did not run, so that the history stays valid.
    fn close_without_running<'r>(&mut self, message: &Arc<Message>, reason: impl Fn(&ToolCall) -> &'r str) {
        self.state.push(Arc::clone(message));
        let calls = message.as_assistant().into_iter().flat_map(AssistantMessage::tool_calls);
        let results = calls.map(|call| self.refuse(call, reason(call))).collect();
        self.end_turn(message, results);
    }

    /// What the next turn begins with; `None` ends the run. Queues are not touched once the run is aborted: what
    /// the user typed stays for the next run or goes back to the editor.
    async fn messages_after(&mut self, next: Next) -> Option<Vec<Message>> {
        if self.cancel.is_cancelled() {
            return None;
        }
        match next {
            Next::AfterTools => {
                let mut messages: Vec<Message> = self.cuts.note.take().into_iter().collect();
                messages.append(&mut self.notes);
                messages.extend(self.demand());
                messages.extend(self.shared.queues.take_asides());
                messages.extend(self.steering());
                Some(messages)
            }
            Next::Resume => Some(Vec::new()),
            Next::Nudge => Some(vec![correct::empty_answer(self.fixed.clock.now_ms())]),
            Next::WouldStop | Next::CutOff => self.before_stopping().await,
            Next::End => None,
        }
    }

    /// The run would end here. Something typed at the last moment, a follow-up, a background note or an open
    /// todo keeps it going.
    async fn before_stopping(&mut self) -> Option<Vec<Message>> {
        if let Some(demand) = self.demand() {
            return Some(vec![demand]);
        }
        if let Some(note) = self.kept_going().await {
            return Some(vec![note]);
        }
        if self.cancel.is_cancelled() {
            return None;
        }
        loop {
            let queued = self.queued_for_a_stop();
            if !queued.is_empty() {
                self.go_on = None;
                return Some(queued);
            }
            if let Some(note) = self.go_on.take() {
                return Some(vec![Message::Custom(note)]);
            }
            if let Some(reminder) = self.remind() {
                return Some(vec![reminder]);
            }
            if self.shared.queues.close_if_empty() {
                return None;
            }
        }
    }

    /// Asides ride with the user's words instead of costing a turn of their own before them.
    fn queued_for_a_stop(&mut self) -> Vec<Message> {
        let mut words = self.steering();
        if words.is_empty() {
            words = self.follow_ups();
            if !words.is_empty() {
                // A follow-up is a prompt of its own.
                self.reminders = Reminders::default();
            }
        }
        let mut messages = self.shared.queues.take_asides();
        messages.append(&mut words);
        messages
    }
}
