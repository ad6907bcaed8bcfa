//! Extensions where the model would stop: they may keep it going.

use std::sync::atomic::{AtomicBool, Ordering};
use std::sync::{Arc, Mutex};

use futures_util::future::BoxFuture;
use omp_agent::{Conduct, Note, Turn};
use omp_types::{AgentEvent, Message};
use serde_json::{Value, json};

use crate::event::EventName;
use crate::extension::lock;
use crate::extensions::Extensions;

/// The kind of the message with which an extension keeps the model going.
const KEEPS_GOING: &str = "extension-stop";
/// Without a word of its own.
const CONTINUE: &str = "Continue.";
/// The most that one may say.
const LONGEST: usize = 64 * 1024;
/// What is shown of it.
const SHOWN: usize = 200;

/// The same conduct with extensions behind it.
pub fn conduct(inner: Arc<dyn Conduct>, extensions: &Arc<Extensions>) -> Arc<dyn Conduct> {
    Arc::new(ExtensionConduct {
        inner,
        extensions: Arc::clone(extensions),
        kept_going: AtomicBool::new(false),
        notices: Mutex::default(),
    })
}

struct ExtensionConduct {
    inner: Arc<dyn Conduct>,
    extensions: Arc<Extensions>,
    /// The last stop was not one, because of an extension.
    kept_going: AtomicBool,
    notices: Mutex<Vec<String>>,
}

impl Conduct for ExtensionConduct {
    fn after_tools(&self, conversation: &[Arc<Message>]) -> Turn {
        self.inner.after_tools(conversation)
    }

    fn before_stopping(&self) -> BoxFuture<'_, Option<Note>> {
        Box::pin(async move {
            if let Some(note) = self.inner.before_stopping().await {
                return Some(note);
            }
            if !self.extensions.listens(EventName::SessionStop) {
                return None;
            }
            let again = self.kept_going.load(Ordering::Relaxed);
            let answer =
                self.extensions.before(EventName::SessionStop, json!({"stop_hook_active": again})).await;
            let text = answer.as_ref().and_then(wish);
            self.kept_going.store(text.is_some(), Ordering::Relaxed);
            let text = text?;
            let shown: String = text.lines().next().unwrap_or_default().chars().take(SHOWN).collect();
            lock(&self.notices).push(format!("An extension keeps the model going: {shown}"));
            Some(Note { custom_type: KEEPS_GOING, text: text.into() })
        })
    }

    fn wants_hints(&self) -> bool {
        self.inner.wants_hints()
    }

    fn events(&self) -> Vec<AgentEvent> {
        let mut events = self.inner.events();
        let notices = std::mem::take(&mut *lock(&self.notices));
        events.extend(notices.into_iter().map(|message| AgentEvent::Notice { message }));
        events
    }
}

/// What the model is told, in one of the two forms that extensions have for it.
fn wish(answer: &Value) -> Option<String> {
    if answer["continue"] != true && answer["decision"] != "block" {
        return None;
    }
    let said = [&answer["additionalContext"], &answer["reason"]].into_iter().find_map(Value::as_str);
    let said = said.map(str::trim).filter(|text| !text.is_empty()).unwrap_or(CONTINUE);
    Some(said.chars().take(LONGEST).collect())
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn both_forms_keep_the_model_going() {
        let table = [
            (json!({"continue": true, "additionalContext": "tests fail"}), Some("tests fail")),
            (json!({"decision": "block", "reason": "not yet"}), Some("not yet")),
            (json!({"continue": true}), Some(CONTINUE)),
            (json!({"additionalContext": "tests fail"}), None),
            (json!({"decision": "approve", "reason": "fine"}), None),
        ];
        for (answer, expected) in table {
            assert_eq!(wish(&answer).as_deref(), expected, "{answer}");
        }
    }
}
