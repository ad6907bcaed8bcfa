//! Where a playback stands.

use std::collections::{HashMap, VecDeque};

use omp_agent::{Control, Prompt, PromptForm, ToolError};
use omp_types::{CustomMessage, ToolOutput, UserContent};
use serde_json::Value;
use tokio_util::sync::CancellationToken;

use crate::compare::{DivergedPart, Divergence, MOST, replaced, without_entry_ids};
use crate::events::call_of;
use crate::line::{Exchange, Line, ToolRun};
use crate::play::Input;

/// The kind of messages that bring results of background jobs.
const RESULTS: &str = "async-result";

/// What happened then, as far as it did not happen again.
#[derive(Default)]
pub(crate) struct RecordedEvents {
    /// All but those of calls, in order.
    pub(crate) waiting: VecDeque<Value>,
    /// Beginnings and ends of calls, by both.
    calls: HashMap<(String, String), Value>,
    /// How many happened in the playback.
    pub(crate) seen: usize,
    /// Events are compared until they differ; what follows would differ, too.
    pub(crate) differ: bool,
}

impl RecordedEvents {
    fn add(&mut self, event: Value) {
        match call_of(&event) {
            Some((kind, call)) => {
                let key = (kind.to_owned(), call.to_owned());
                self.calls.insert(key, event);
            }
            None => self.waiting.push_back(event),
        }
    }

    /// What was recorded of the beginning or the end of a call.
    pub(crate) fn take_call(&mut self, kind: &str, call: &str) -> Option<Value> {
        self.calls.remove(&(kind.to_owned(), call.to_owned()))
    }

    fn end_of(&self, call: &str) -> Option<&Value> {
        self.calls.get(&("tool_execution_end".to_owned(), call.to_owned()))
    }
}

/// What the comparison came to so far.
#[derive(Default)]
pub(crate) struct Findings {
    pub(crate) divergences: Vec<Divergence>,
    pub(crate) frames: Option<usize>,
    pub(crate) notes: Vec<String>,
}

/// Where the playback stands.
#[derive(Default)]
pub(crate) struct Playback {
    pub(crate) inputs: VecDeque<Input>,
    pub(crate) prompts: usize,
    /// Commands of the user and what became of them.
    pub(crate) commands: VecDeque<(String, Value)>,
    /// Requests that nobody made yet.
    pub(crate) exchanges: Vec<(usize, Exchange)>,
    pub(crate) requests: usize,
    /// Calls by their ids, and which of them ended first.
    pub(crate) tools: HashMap<String, (usize, ToolRun)>,
    pub(crate) calls: usize,
    pub(crate) events: RecordedEvents,
    /// Ids of calls that this program made up again, because the provider gave none, and what they were then.
    pub(crate) ids: HashMap<String, String>,
    pub(crate) randoms: VecDeque<f64>,
    /// Numbers of artifacts that the session itself kept.
    pub(crate) artifacts: VecDeque<u64>,
    pub(crate) now: u64,
    /// The id of the session that plays.
    pub(crate) session: String,
    pub(crate) run: CancellationToken,
    /// Fires when somebody at a screen wants the run to end.
    pub(crate) asked: CancellationToken,
    pub(crate) control: Option<Control>,
    /// A screen says what the user says.
    pub(crate) is_followed: bool,
    /// The last message was a result of a tool.
    pub(crate) after_tools: bool,
    pub(crate) findings: Findings,
    /// The screen was left before its end.
    pub(crate) left_screen: bool,
    /// The recording was ended in good order.
    pub(crate) is_complete: bool,
    /// What is behind this point is not compared.
    over: bool,
}

impl Playback {
    /// Takes up a line of the recording.
    pub(crate) fn take(&mut self, line: Line) {
        match line {
            Line::Prompt { content, kind, display, details, .. } => {
                let form = match (kind, display) {
                    (None, _) => PromptForm::Words,
                    (Some(kind), true) => PromptForm::Custom { custom_type: kind.into(), details },
                    (Some(kind), false) => PromptForm::Hidden { custom_type: kind.into() },
                };
                self.inputs.push_back(Input::Prompt(Prompt { content, form }));
            }
            Line::Retry { .. } => self.inputs.push_back(Input::Retry),
            Line::Turned { what, .. } => self.inputs.push_back(Input::Turned(what)),
            Line::Command { command, outcome, .. } => self.commands.push_back((command, outcome)),
            Line::Note { message, later, .. } => {
                let message = serde_json::from_value(message);
                self.inputs.extend(message.ok().map(|message| Input::Note(message, later)));
            }
            Line::Exchange(mut exchange) => {
                without_entry_ids(&mut exchange.request);
                let number = self.exchanges.len() + 1;
                self.exchanges.push((number, exchange));
            }
            Line::Tool(run) => {
                let place = self.tools.len();
                self.tools.insert(run.id.clone(), (place, run));
            }
            Line::Artifact { id } => self.artifacts.push_back(id),
            Line::Random { value } => self.randoms.push_back(value),
            Line::Event { mut event, .. } => {
                without_entry_ids(&mut event);
                self.events.add(event);
            }
            Line::Full => {
                self.is_complete = false;
                self.findings.notes.push("The recording exceeded 512 MB, so its end is missing".to_owned());
            }
            Line::Recording { .. } | Line::World(_) | Line::Screen(_) | Line::End => {}
        }
    }

    /// The next thing that was said to the loop.
    pub(crate) fn next_words(&mut self) -> Option<Input> {
        // What was changed at a screen was changed there.
        self.inputs.retain({
            let mut said = false;
            move |input| {
                said |= matches!(input, Input::Prompt(_) | Input::Retry);
                said || !matches!(input, Input::Turned(_))
            }
        });
        let place = self.inputs.iter().position(|input| !matches!(input, Input::Note(..)))?;
        self.inputs.remove(place)
    }

    pub(crate) fn is_over(&self) -> bool {
        self.over
    }

    /// What follows cannot be compared. The session is stopped.
    pub(crate) fn end(&mut self, note: String) {
        if !std::mem::replace(&mut self.over, true) {
            self.findings.notes.push(note);
        }
        self.inputs.clear();
        self.run.cancel();
    }

    /// The recording lacks something: that is a difference, or the place where it was cut off.
    pub(crate) fn missing(&mut self, part: DivergedPart, number: usize, text: String) {
        if self.is_complete {
            self.differ(part, number, text);
        } else {
            self.end("The recording ends here: omp exited before finishing it".to_owned());
        }
    }

    /// A message whose calls are those of the recorded one, but for ids that we made up.
    pub(crate) fn learn_ids(&mut self, event: &Value) {
        let Some(recorded) = self.events.waiting.front().filter(|_| event["type"] == "message_end") else {
            return;
        };
        let calls = |event: &Value| -> Vec<(Value, Value)> {
            let blocks = event["message"]["content"].as_array().map(Vec::as_slice).unwrap_or_default();
            let calls = blocks.iter().filter(|block| block["type"] == "toolCall");
            calls.map(|call| (call["name"].clone(), call["id"].clone())).collect()
        };
        let pairs = calls(event).into_iter().zip(calls(recorded));
        for ((name, id), (was_name, was_id)) in pairs {
            if let (true, Some(id), Some(was)) =
                (name == was_name && id != was_id, id.as_str(), was_id.as_str())
            {
                self.ids.insert(id.to_owned(), was.to_owned());
            }
        }
    }

    pub(crate) fn known_id(&self, id: &str) -> String {
        self.ids.get(id).cloned().unwrap_or_else(|| id.to_owned())
    }

    /// What came from outside at the end of a turn: words of the user, results of jobs, or an end.
    pub(crate) fn come_between(&mut self, event: &Value) {
        match event["type"].as_str() {
            Some("message_end") => self.after_tools = event["message"]["role"] == "toolResult",
            Some("turn_end") => {
                let next = |kind: &str| self.events.waiting.iter().position(|event| event["type"] == kind);
                let (turn, end) = (next("turn_start"), next("agent_end"));
                match (turn, end) {
                    (Some(turn), end) if end.is_none_or(|end| turn < end) => self.say_again(turn + 1),
                    // Results that nobody answered: the run was stopped.
                    _ if self.after_tools => self.run.cancel(),
                    _ => {}
                }
            }
            _ => {}
        }
    }

    /// Queues what the user said and what jobs brought while the turn ran. What is said at a screen is said there.
    fn say_again(&self, from: usize) {
        let Some(control) = &self.control else { return };
        let messages =
            self.events.waiting.iter().skip(from).take_while(|event| event["type"] == "message_end");
        for event in messages {
            if let Some(results) = self.results(event) {
                let mut results = Some(results);
                control.aside(Box::new(move || results.take()));
                continue;
            }
            if self.is_followed || event["message"]["role"] != "user" {
                continue;
            }
            let Ok(content) = serde_json::from_value::<UserContent>(event["message"]["content"].clone())
            else {
                continue;
            };
            match event["message"]["steering"] == true {
                true => control.steer(content),
                false => control.follow_up(content),
            };
        }
    }

    /// The results of jobs that were told with the prompt that is said now.
    pub(crate) fn results_along(&self, control: &Control) {
        let Some(turn) = self.events.waiting.iter().position(|event| event["type"] == "turn_start") else {
            return;
        };
        let messages =
            self.events.waiting.iter().skip(turn + 1).take_while(|event| event["type"] == "message_end");
        let before = messages.take_while(|event| event["message"]["role"] != "user");
        // A prompt that is nothing but results is no message beside it.
        if before.clone().count() == messages_of(&self.events.waiting, turn) {
            return;
        }
        before.filter_map(|event| self.results(event)).for_each(|results| control.next_prompt(results));
    }

    fn results(&self, event: &Value) -> Option<CustomMessage> {
        let mut message = event["message"].clone();
        if message["customType"] != RESULTS {
            return None;
        }
        message["timestamp"] = self.now.into();
        serde_json::from_value(message).ok()
    }

    pub(crate) fn with_known_ids(&self, value: &mut Value) {
        self.ids.iter().for_each(|(id, was)| replaced(value, id, was));
    }

    pub(crate) fn differ(&mut self, part: DivergedPart, number: usize, text: String) {
        if !self.over && self.findings.divergences.len() < MOST {
            self.findings.divergences.push(Divergence { part, number, text });
        }
    }

    /// What the model was told of a call.
    pub(crate) fn told(&self, id: &str) -> Option<String> {
        let ended = self.events.end_of(id)?;
        ended["result"]["content"][0]["text"].as_str().map(str::to_owned)
    }

    /// A call that did not run then: it was refused or stopped before, and its result says why.
    pub(crate) fn not_run(&mut self, number: usize, name: &str, id: &str) -> Result<ToolOutput, ToolError> {
        match self.told(id) {
            Some(text) => Err(ToolError::new(text)),
            None => {
                self.missing(DivergedPart::Tool, number, format!("{name} ({id}) is not in the recording"));
                Err(ToolError::new("the recording does not contain this call"))
            }
        }
    }

    /// What the recording has and the playback had not. One that was cut off has no end to compare.
    pub(crate) fn settle(&mut self) {
        if !self.is_complete || self.over {
            return;
        }
        let left = self.left_screen;
        for (number, exchange) in std::mem::take(&mut self.exchanges).into_iter().filter(|_| !left) {
            self.differ(DivergedPart::Request, number, format!("not sent in the replay ({})", exchange.url));
        }
        let mut runs: Vec<(usize, ToolRun)> = std::mem::take(&mut self.tools).into_values().collect();
        runs.sort_by_key(|(place, _)| *place);
        for (_, run) in runs {
            let number = self.calls + 1;
            self.differ(
                DivergedPart::Tool,
                number,
                format!("{} ({}) was not called in the replay", run.name, run.id),
            );
        }
        if let Some(event) =
            std::mem::take(&mut self.events.waiting).pop_front().filter(|_| !self.events.differ)
        {
            let kind = event["type"].as_str().unwrap_or_default().to_owned();
            let number = self.events.seen + 1;
            self.differ(DivergedPart::Event, number, format!("{kind} did not occur in the replay"));
        }
    }
}

/// So many messages begin a turn.
fn messages_of(events: &VecDeque<Value>, turn: usize) -> usize {
    events.iter().skip(turn + 1).take_while(|event| event["type"] == "message_end").count()
}
