//! Open todos when the model would stop.

use omp_types::{AgentEvent, Message};

use crate::correct;
use crate::run::Run;

/// Todo reminders of this prompt.
#[derive(Default)]
pub(crate) struct Reminders {
    sent: u32,
    /// A second reminder needs a tool call in between.
    pub(crate) awaiting_tool: bool,
    /// The last turn was forced; it says nothing about the model's own plans.
    pub(crate) after_forced: bool,
}

impl Run<'_> {
    /// A reminder of what is still open, if one is due.
    pub(crate) fn remind(&mut self) -> Option<Message> {
        let config = self.state.config.todo;
        let blocked = self.reminders.awaiting_tool || self.reminders.after_forced;
        if !config.reminders || blocked || self.reminders.sent >= config.max_reminders {
            return None;
        }
        let todos = self.fixed.todos.as_ref()?.open();
        if todos.is_empty() {
            return None;
        }
        self.reminders.sent += 1;
        self.reminders.awaiting_tool = true;
        let reminder = correct::todo_reminder(&todos, self.fixed.clock.now_ms());
        let (attempt, max_attempts) = (self.reminders.sent, config.max_reminders);
        self.emit(AgentEvent::TodoReminder { todos, attempt, max_attempts });
        Some(reminder)
    }
}
