//! Sentences the loop says to the model when it strays. All of them live in `prompts/`.

use omp_types::{CustomMessage, Message, UserBlock, UserContent, UserMessage};

use crate::config::{AgentConfig, Eager};

const STEERING: &str = include_str!("../prompts/steering.md").trim_ascii();
const EMPTY_ANSWER: &str = include_str!("../prompts/empty-answer.md").trim_ascii();
const TODO_REMINDER: &str = include_str!("../prompts/todo-reminder.md").trim_ascii();
const EAGER_TODO: &str = include_str!("../prompts/eager-todo.md").trim_ascii();
const STICKY: &str = include_str!("../prompts/sticky.md").trim_ascii();
const EAGER_TASK: &str = include_str!("../prompts/eager-task.md").trim_ascii();

/// Results of calls that did not run to their end.
pub(crate) const TRUNCATED_CALL: &str = include_str!("../prompts/call-truncated.md").trim_ascii();
pub(crate) const SKIPPED: &str = include_str!("../prompts/call-skipped.md").trim_ascii();
pub(crate) const ABORTED: &str = include_str!("../prompts/call-aborted.md").trim_ascii();
pub(crate) const NOT_RUN: &str = include_str!("../prompts/call-not-run.md").trim_ascii();
pub(crate) const INTERRUPTED: &str = include_str!("../prompts/call-interrupted.md").trim_ascii();

/// Tools that hints speak of.
pub(crate) const TODO_TOOL: &str = "todo";
pub(crate) const TASK_TOOL: &str = "task";

/// How often an empty answer is answered with a nudge.
pub(crate) const MAX_NUDGES: u32 = 3;
/// How often in a row a tool may demand to be called.
pub(crate) const MAX_DEMANDS: u32 = 5;
/// How often a paused turn is continued without a tool call in between.
pub(crate) const MAX_PAUSES: u32 = 8;

pub(crate) fn hidden(custom_type: &str, text: impl Into<String>, timestamp: u64) -> Message {
    Message::Custom(CustomMessage {
        custom_type: custom_type.to_owned(),
        content: UserContent::Text(text.into()),
        display: false,
        details: None,
        timestamp,
    })
}

pub(crate) fn empty_answer(now: u64) -> Message {
    hidden("empty-answer", EMPTY_ANSWER, now)
}

pub(crate) fn sticky(text: &str, now: u64) -> Message {
    hidden("sticky-rules", STICKY.replace("{{text}}", text), now)
}

pub(crate) fn todo_reminder(open: &[String], now: u64) -> Message {
    let list: Vec<String> = open.iter().map(|todo| format!("- {todo}")).collect();
    hidden("todo-reminder", TODO_REMINDER.replace("{{todos}}", &list.join("\n")), now)
}

/// A question or an exclamation is talk, not work to be planned.
pub(crate) fn wants_todo_hint(config: &AgentConfig, prompt: &str) -> bool {
    config.todo.eager != Eager::Default && !prompt.trim_end().ends_with(['?', '!', '？', '！'])
}

pub(crate) fn eager_todo(now: u64) -> Message {
    hidden("eager-todo", EAGER_TODO, now)
}

pub(crate) fn eager_task(now: u64) -> Message {
    hidden("eager-task", EAGER_TASK, now)
}

/// The copy of a message that goes to the model. Steering is wrapped there and only there: the stored message
/// stays what the user typed.
pub(crate) fn wire_copy(message: &Message) -> Option<Message> {
    let Message::User(user) = message else { return None };
    if !user.steering {
        return None;
    }
    let wrap = |text: &str| STEERING.replace("{{text}}", text);
    let content = match &user.content {
        UserContent::Text(text) => UserContent::Text(wrap(text)),
        UserContent::Blocks(blocks) => {
            let mut blocks = blocks.clone();
            match blocks.iter_mut().find_map(|block| match block {
                UserBlock::Text(text) => Some(text),
                UserBlock::Image(_) => None,
            }) {
                Some(text) => text.text = wrap(&text.text),
                None => blocks.insert(0, UserBlock::text(wrap("(see the attached image)"))),
            }
            UserContent::Blocks(blocks)
        }
    };
    Some(Message::User(UserMessage { content, ..user.clone() }))
}
