//! Notices a model that goes in circles: the same calls with the same results, again and again.
//!
//! What counts are the turns since the user last said something: a model that was told to continue starts over. Results are
//! looked at when they arrive, because those of earlier turns may be blanked later to make room.

use std::borrow::Cow;
use std::collections::VecDeque;
use std::collections::hash_map::DefaultHasher;
use std::hash::{Hash, Hasher};
use std::sync::{Arc, Mutex, MutexGuard, PoisonError};

use futures_util::future::BoxFuture;
use omp_agent::{Conduct, Note, Then, Turn};
use omp_types::{AgentEvent, AssistantMessage, Message, ToolCall, ToolResultMessage, ToolTrait, tool_has};

const SAME_RESULT: &str = include_str!("../../prompts/same-result.md").trim_ascii();

/// The longest circle that is recognised, in answers of the model.
const LONGEST_CIRCLE: usize = 4;
/// Times around after which the model is told.
const NUDGES: [usize; 2] = [3, 6];
/// Times around after which the run ends.
const STOP: usize = 8;
/// How much of a call is shown.
const SHOWN: usize = 120;

/// The conduct of a session, with an eye on circles.
pub(crate) struct LoopGuard {
    inner: Arc<dyn Conduct>,
    seen: Mutex<Seen>,
}

/// What the model did of late.
#[derive(Default)]
struct Seen {
    /// The newest first.
    steps: VecDeque<Step>,
    /// Why runs were ended, for those who listen.
    reasons: Vec<String>,
}

/// One answer with the results of its calls.
struct Step {
    /// Equal for equal calls with equal results.
    mark: u64,
    /// The calls as people read them.
    calls: String,
}

impl LoopGuard {
    pub(crate) fn new(inner: Arc<dyn Conduct>) -> Self {
        Self { inner, seen: Mutex::default() }
    }

    fn seen(&self) -> MutexGuard<'_, Seen> {
        self.seen.lock().unwrap_or_else(PoisonError::into_inner)
    }
}

impl Conduct for LoopGuard {
    fn after_tools(&self, conversation: &[Arc<Message>]) -> Turn {
        let mut seen = self.seen();
        seen.note(conversation);
        let turn = self.inner.after_tools(conversation);
        if turn.rewind.is_some() || turn.then == Then::End {
            return turn;
        }
        match seen.circle() {
            Some(circle) if NUDGES.contains(&circle.times) => {
                Turn { note: turn.note.or_else(|| Some(circle.note())), ..turn }
            }
            Some(circle) if circle.times >= STOP => {
                seen.reasons.push(circle.reason());
                seen.steps.clear();
                Turn { then: Then::End, ..turn }
            }
            _ => turn,
        }
    }

    fn before_stopping(&self) -> BoxFuture<'_, Option<Note>> {
        self.inner.before_stopping()
    }

    fn wants_hints(&self) -> bool {
        self.inner.wants_hints()
    }

    fn events(&self) -> Vec<AgentEvent> {
        let mut events = self.inner.events();
        let reasons = std::mem::take(&mut self.seen().reasons);
        events.extend(reasons.into_iter().map(|message| AgentEvent::Notice { message }));
        events
    }
}

impl Seen {
    /// Looks at the answer that the conversation ends with, and at its results.
    fn note(&mut self, conversation: &[Arc<Message>]) {
        let Some(at) = conversation.iter().rposition(|message| message.as_assistant().is_some()) else {
            return;
        };
        let Some(answer) = conversation[at].as_assistant() else { return };
        let before = conversation[..at].iter().rev().take_while(|message| message.as_tool_result().is_none());
        if before
            .take_while(|message| message.as_assistant().is_none())
            .any(|message| matches!(**message, Message::User(_)))
        {
            self.steps.clear();
        }
        if answer.tool_calls().all(|call| tool_has(&call.name, ToolTrait::Waits)) {
            self.steps.clear();
            return;
        }
        let results = conversation[at..].iter().filter_map(|message| message.as_tool_result());
        let calls = answer.tool_calls().map(shown).collect::<Vec<_>>().join(", ");
        self.steps.push_front(Step { mark: mark(answer, results), calls });
        self.steps.truncate(LONGEST_CIRCLE * STOP);
    }

    /// The shortest circle that was closed just now, if there is one.
    fn circle(&self) -> Option<Circle> {
        (1..=LONGEST_CIRCLE).find_map(|length| {
            let same = |at: &usize| {
                self.steps.get(at + length).is_some_and(|earlier| earlier.mark == self.steps[*at].mark)
            };
            let repeated = (0..self.steps.len()).take_while(same).count();
            let times = 1 + repeated / length;
            (times > 1 && repeated % length == 0).then(|| {
                let calls: Vec<&str> =
                    self.steps.iter().take(length).rev().map(|step| step.calls.as_str()).collect();
                Circle { times, calls: calls.join(", ") }
            })
        })
    }
}

/// Calls that were made again and again.
struct Circle {
    /// How often the model went around.
    times: usize,
    /// The calls of one round, oldest first.
    calls: String,
}

impl Circle {
    fn note(&self) -> Note {
        let text =
            SAME_RESULT.replace("{{times}}", &self.times.to_string()).replace("{{calls}}", &self.calls);
        Note { custom_type: "same-result", text: Cow::Owned(text) }
    }

    fn reason(&self) -> String {
        let Self { times, calls } = self;
        format!(
            "Stopped: the model made the same calls {times} times in a row and got the same result every time: {calls}. \
             Tell it how to continue."
        )
    }
}

/// A call as people read it.
fn shown(call: &ToolCall) -> String {
    let text = format!("{} {}", call.name, serde_json::Value::Object(call.arguments.clone()));
    match text.char_indices().nth(SHOWN) {
        Some((end, _)) => format!("{}…", &text[..end]),
        None => text,
    }
}

fn mark<'a>(answer: &AssistantMessage, results: impl Iterator<Item = &'a ToolResultMessage>) -> u64 {
    let mut hasher = DefaultHasher::new();
    for call in answer.tool_calls() {
        call.name.hash(&mut hasher);
        for (name, value) in &call.arguments {
            (name, value.to_string()).hash(&mut hasher);
        }
    }
    for result in results {
        result.is_error.hash(&mut hasher);
        // Blocks hold text and pictures; as JSON both can be compared.
        serde_json::to_string(&result.content).unwrap_or_default().hash(&mut hasher);
    }
    hasher.finish()
}
