//! The list of tasks as a person sees and changes it.

use omp_session::{Custom, EntryKind};
use omp_tools::Phase;
use serde::Deserialize;
use serde_json::json;

use crate::session::Session;
use crate::session::tell_model::tell_model;

/// The kind of the entry, and of the message to the model.
const EDIT: &str = "user_todo_edit";
const REMINDER: &str = include_str!("../../prompts/todo-edit.md");

/// The task list of a session, as a person reads and edits it.
#[derive(Clone, Copy)]
pub struct TaskList<'s> {
    pub(crate) session: &'s Session,
}

impl TaskList<'_> {
    /// The list with everything that was ever finished or dropped in it, as far as the conversation knows.
    pub async fn history(self) -> Vec<Phase> {
        let known = self.session.todos.phases();
        let Ok(loaded) = self.session.tree().loaded().await else { return known };
        let leaf = self.session.record.lock().leaf().map(str::to_owned);
        let told = loaded.context_at(leaf.as_deref()).todos;
        told.and_then(|phases| Vec::<Phase>::deserialize(phases).ok()).unwrap_or(known)
    }

    /// The list as it is shown now.
    pub fn phases(self) -> Vec<Phase> {
        self.session.todos.phases()
    }

    /// Replaces the list. The session remembers it, and the model is told with its next turn: `change` says in a few
    /// words what the user did.
    pub fn set(self, phases: Vec<Phase>, change: &str) {
        let phases = self.session.todos.replace(phases);
        let data = Some(json!({ "phases": phases }));
        self.session.record.lock().append(EntryKind::Custom(Custom { custom_type: EDIT.to_owned(), data }));
        let list = omp_tools::to_markdown(&phases);
        let list = if list.trim().is_empty() { "(empty)" } else { list.trim() };
        let text = REMINDER.trim_end().replace("{{change}}", change).replace("{{list}}", list);
        tell_model(&self.session.control(), EDIT, text);
    }

    /// The list of tasks, as session files have it.
    pub fn to_json(self) -> serde_json::Value {
        serde_json::to_value(self.session.todos.phases()).unwrap_or_default()
    }
}
