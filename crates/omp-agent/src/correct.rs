//! Sentences the loop says to the model when it strays. All of them live in `prompts/`.

use omp_types::{CustomMessage, Message, UserBlock, UserContent, UserMessage};

use crate::config::{AgentConfig, Eager};

const STEERING: &str = include_str!("../prompts/steering.md");
const EMPTY_ANSWER: &str = include_str!("../prompts/empty-answer.md");
const TODO_REMINDER: &str = include_str!("../prompts/todo-reminder.md");
const EAGER_TODO: &str = include_str!("../prompts/eager-todo.md");
const EAGER_TASK: &str = include_str!("../prompts/eager-task.md");

/// Results of calls that did not run.
pub(crate) const TRUNCATED_CALL: &str = "This call was not run: your answer hit the output limit before it was complete. \
    Split the work into smaller steps and make the call again.";
pub(crate) const SKIPPED: &str = "Skipped due to queued user message.";
pub(crate) const ABORTED: &str = "Tool execution was aborted.";
pub(crate) const NOT_RUN: &str = "This call was not run: the answer it belongs to failed before it was complete.";

/// How often an empty answer is answered with a nudge.
pub(crate) const MAX_NUDGES: u32 = 3;
/// How often a paused turn is continued without a tool call in between.
pub(crate) const MAX_PAUSES: u32 = 8;

fn hidden(custom_type: &str, text: String, timestamp: u64) -> Message {
    Message::Custom(CustomMessage {
        custom_type: custom_type.to_owned(),
        content: UserContent::Text(text),
        display: false,
        details: None,
        timestamp,
    })
}

pub(crate) fn empty_answer(now: u64) -> Message {
    hidden("empty-answer", EMPTY_ANSWER.trim().to_owned(), now)
}

pub(crate) fn todo_reminder(open: &[String], now: u64) -> Message {
    let list: Vec<String> = open.iter().map(|todo| format!("- {todo}")).collect();
    hidden("todo-reminder", TODO_REMINDER.trim().replace("{{todos}}", &list.join("\n")), now)
}

/// Hints for the first message of a conversation, as far as the tools they speak of exist.
pub(crate) fn first_message_hints(config: &AgentConfig, prompt: &str, has_tool: impl Fn(&str) -> bool, now: u64) -> Vec<Message> {
    let mut hints = Vec::new();
    let statement = !prompt.trim_end().ends_with(['?', '!']);
    if config.todo.eager != Eager::Default && statement && has_tool("todo") {
        hints.push(hidden("eager-todo", EAGER_TODO.trim().to_owned(), now));
    }
    if config.eager_task == Eager::Always && has_tool("task") {
        hints.push(hidden("eager-task", EAGER_TASK.trim().to_owned(), now));
    }
    hints
}

/// The copy of a message that goes to the model. Steering is wrapped there and only there: the stored message
/// stays what the user typed.
pub(crate) fn wire_copy(message: &Message) -> Option<Message> {
    let Message::User(user) = message else { return None };
    if !user.steering {
        return None;
    }
    let wrap = |text: &str| STEERING.trim().replace("{{text}}", text);
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
