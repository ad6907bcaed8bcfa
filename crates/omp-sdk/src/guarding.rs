//! Notices a model that goes in circles: the same calls with the same results, again and again.
//!
//! The conversation alone decides, so a session that is replayed is judged as it was. What counts are the turns since
//! the user last said something: a model that was told to go on begins anew.

use std::borrow::Cow;
use std::collections::hash_map::DefaultHasher;
use std::hash::{Hash, Hasher};
use std::sync::{Arc, Mutex, PoisonError};

use omp_agent::{Conduct, Note, Then, Turn};
use omp_types::{AgentEvent, AssistantMessage, Message, ToolCall, ToolResultMessage};

const SAME_RESULT: &str = include_str!("../prompts/same-result.md").trim_ascii();

/// The longest circle that is recognised, in answers of the model.
const LONGEST_CIRCLE: usize = 4;
/// Times around after which the model is told.
const NUDGE: usize = 3;
/// Times around after which the run ends.
const STOP: usize = 6;
/// How much of a call is shown.
const SHOWN: usize = 120;
/// Tools that wait: nothing new is what they are expected to say for a while.
const PATIENT: [&str; 1] = ["job"];

/// The conduct of a session, with an eye on circles.
pub(crate) struct Guarding {
    pub(crate) inner: Arc<dyn Conduct>,
    reasons: Mutex<Vec<String>>,
}

impl Guarding {
    pub(crate) fn new(inner: Arc<dyn Conduct>) -> Self {
        Self { inner, reasons: Mutex::default() }
    }
}

impl Conduct for Guarding {
    fn after_tools(&self, conversation: &[Arc<Message>]) -> Turn {
        let turn = self.inner.after_tools(conversation);
        if turn.rewind.is_some() || turn.then == Then::End {
            return turn;
        }
        let Some(circle) = circle(conversation) else { return turn };
        match circle.times {
            NUDGE => Turn { note: turn.note.or_else(|| Some(circle.note())), ..turn },
            STOP.. => {
                self.reasons.lock().unwrap_or_else(PoisonError::into_inner).push(circle.reason());
                Turn { then: Then::End, ..turn }
            }
            _ => turn,
        }
    }

    fn before_stopping(&self) -> Option<Note> {
        self.inner.before_stopping()
    }

    fn wants_hints(&self) -> bool {
        self.inner.wants_hints()
    }

    fn events(&self) -> Vec<AgentEvent> {
        let mut events = self.inner.events();
        let reasons = std::mem::take(&mut *self.reasons.lock().unwrap_or_else(PoisonError::into_inner));
        events.extend(reasons.into_iter().map(|message| AgentEvent::Notice { message }));
        events
    }
}

/// A circle that was just closed once more.
struct Circle<'a> {
    /// How often the model went around.
    times: usize,
    /// The answers of one round, oldest first.
    answers: Vec<&'a AssistantMessage>,
}

impl Circle<'_> {
    fn calls(&self) -> String {
        let calls = self.answers.iter().flat_map(|answer| answer.tool_calls()).map(shown);
        calls.collect::<Vec<_>>().join(", ")
    }

    fn note(&self) -> Note {
        let text =
            SAME_RESULT.replace("{{times}}", &self.times.to_string()).replace("{{calls}}", &self.calls());
        Note { custom_type: "same-result", text: Cow::Owned(text) }
    }

    fn reason(&self) -> String {
        format!(
            "Stopped: the model made the same calls {} times in a row and got the same result every time: {}. Say how to \
             go on.",
            self.times,
            self.calls()
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

/// One answer with the results of its calls.
struct Step<'a> {
    answer: &'a AssistantMessage,
    /// Equal for equal calls with equal results.
    mark: u64,
}

/// The shortest circle that the conversation ends with, if it was closed at least twice and just now.
fn circle(conversation: &[Arc<Message>]) -> Option<Circle<'_>> {
    let steps = last_steps(conversation);
    (1..=LONGEST_CIRCLE).find_map(|length| {
        let same = |at: &usize| steps.get(at + length).is_some_and(|step| step.mark == steps[*at].mark);
        let repeated = (0..steps.len()).take_while(same).count();
        let times = 1 + repeated / length;
        if times < 2 || repeated % length != 0 {
            return None;
        }
        let answers = steps[..length].iter().rev().map(|step| step.answer).collect();
        Some(Circle { times, answers })
    })
}

/// The latest steps since the user's last words, newest first.
fn last_steps(conversation: &[Arc<Message>]) -> Vec<Step<'_>> {
    let (mut steps, mut results) = (Vec::new(), Vec::new());
    for message in conversation.iter().rev() {
        match message.as_ref() {
            Message::ToolResult(result) => results.push(result),
            Message::Assistant(answer) => {
                let calls = answer.tool_calls().count();
                if calls == 0 || calls != results.len() || answer.tool_calls().all(is_patient) {
                    break;
                }
                steps.push(Step { answer, mark: mark(answer, &results) });
                results.clear();
            }
            Message::User(_) => break,
            _ => {}
        }
        if steps.len() > LONGEST_CIRCLE * STOP {
            break;
        }
    }
    steps
}

fn is_patient(call: &ToolCall) -> bool {
    PATIENT.contains(&call.name.as_str())
}

fn mark(answer: &AssistantMessage, results: &[&ToolResultMessage]) -> u64 {
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
