//! Plays a recording and notices where the program decides otherwise.

use std::collections::{HashMap, VecDeque};
use std::fmt;
use std::path::Path;
use std::sync::{Mutex, MutexGuard, PoisonError};

use omp_agent::{Control, Prompt, PromptForm, ToolError};
use omp_types::{ToolOutput, UserContent};
use serde_json::{Map, Value, json};
use tokio_util::sync::CancellationToken;

use crate::compare::{Divergence, MOST, Part, difference, replaced};
use crate::events::call_of;
use crate::line::{Exchange, Line, ToolOutcome, ToolRun, World};
use crate::read::{self, ReplayError};

/// Something that was said to the session.
#[derive(Clone, Debug, PartialEq)]
pub enum Input {
    /// A prompt.
    Prompt(Prompt),
    /// The last turn was tried again.
    Retry,
}

/// Plays a recording.
pub struct Player {
    world: World,
    inputs: Vec<Input>,
    /// The recording was cut short.
    full: bool,
    state: Mutex<State>,
}

impl fmt::Debug for Player {
    fn fmt(&self, out: &mut fmt::Formatter<'_>) -> fmt::Result {
        out.debug_struct("Player").field("session", &self.world.session).finish_non_exhaustive()
    }
}

/// Where the playback stands.
#[derive(Default)]
struct State {
    /// Requests that nobody made yet.
    exchanges: Vec<(usize, Exchange)>,
    requests: usize,
    tools: HashMap<String, ToolRun>,
    calls: usize,
    /// What happened in order.
    events: VecDeque<Value>,
    events_seen: usize,
    /// Events are compared until they differ; what follows would differ, too.
    events_differ: bool,
    /// Beginnings and ends of calls, by both.
    call_events: HashMap<(String, String), Value>,
    /// Ids of calls that this program made up anew, because the provider gave none, and what they were then.
    ids: HashMap<String, String>,
    randoms: VecDeque<f64>,
    now: u64,
    /// The id of the session that plays.
    session: String,
    run: CancellationToken,
    control: Option<Control>,
    /// The last message was a result of a tool.
    after_tools: bool,
    divergences: Vec<Divergence>,
}

/// What came of a playback.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Report {
    /// Requests that were made.
    pub requests: usize,
    /// Calls of tools.
    pub calls: usize,
    /// Events that were told.
    pub events: usize,
    /// Where the program decided otherwise, in order.
    pub divergences: Vec<Divergence>,
    /// The recording was larger than it may be, so its end is missing.
    pub cut_short: bool,
}

impl Player {
    /// Reads a recording. May wait for the disk.
    pub fn load(path: &Path) -> Result<Self, ReplayError> {
        let mut player = Self {
            world: World::default(),
            inputs: Vec::new(),
            full: false,
            state: Mutex::new(State::default()),
        };
        let mut state = State::default();
        for line in read::lines(path)? {
            player.take(line, &mut state);
        }
        state.now = player.world.at;
        player.state = Mutex::new(state);
        Ok(player)
    }

    fn take(&mut self, line: Line, state: &mut State) {
        match line {
            Line::Recording { .. } => {}
            Line::World(world) => self.world = *world,
            Line::Prompt { content, kind, display, .. } => {
                // Kinds live as long as the program, which plays one recording.
                let form = match (kind.map(|kind| -> &'static str { kind.leak() }), display) {
                    (None, _) => PromptForm::Words,
                    (Some(custom_type), true) => PromptForm::Custom { custom_type, details: Value::Null },
                    (Some(custom_type), false) => PromptForm::Hidden { custom_type },
                };
                self.inputs.push(Input::Prompt(Prompt { content, form }));
            }
            Line::Retry { .. } => self.inputs.push(Input::Retry),
            Line::Exchange(exchange) => {
                let number = state.exchanges.len() + 1;
                state.exchanges.push((number, exchange));
            }
            Line::Tool(run) => drop(state.tools.insert(run.id.clone(), run)),
            Line::Random { value } => state.randoms.push_back(value),
            Line::Event { event, .. } => match call_of(&event) {
                Some((kind, call)) => {
                    let key = (kind.to_owned(), call.to_owned());
                    state.call_events.insert(key, event);
                }
                None => state.events.push_back(event),
            },
            Line::Full => self.full = true,
        }
    }

    fn state(&self) -> MutexGuard<'_, State> {
        self.state.lock().unwrap_or_else(PoisonError::into_inner)
    }

    /// What the session began with.
    pub fn world(&self) -> &World {
        &self.world
    }

    /// What was said, in order.
    pub fn inputs(&self) -> &[Input] {
        &self.inputs
    }

    /// The session that plays has this id. A run of it is steered by the control and stopped by the token.
    pub fn begin_run(&self, session: &str, control: Control, run: CancellationToken) {
        let mut state = self.state();
        state.session = session.to_owned();
        state.control = Some(control);
        state.run = run;
    }

    /// The recorded run was stopped here.
    pub(crate) fn stop_run(&self) {
        self.state().run.cancel();
    }

    pub(crate) fn now_ms(&self) -> u64 {
        self.state().now
    }

    pub(crate) fn random(&self) -> f64 {
        self.state().randoms.pop_front().unwrap_or(0.5)
    }

    /// The answer to a request: that of the same request, else of the next one, which is a difference.
    pub(crate) fn exchange(&self, mut request: Value) -> Option<Exchange> {
        let mut state = self.state();
        state.requests += 1;
        if !state.session.is_empty() {
            replaced(&mut request, &state.session, &self.world.session);
        }
        state.with_known_ids(&mut request);
        let same = state.exchanges.iter().position(|(_, exchange)| exchange.request == request);
        if state.exchanges.is_empty() {
            let number = state.requests;
            state.differ(Part::Request, number, "the recording has no more requests".to_owned());
            return None;
        }
        let (number, exchange) = state.exchanges.remove(same.unwrap_or(0));
        if let Some(text) = difference(&exchange.request, &request) {
            state.differ(Part::Request, number, text);
        }
        state.now = state.now.max(exchange.at);
        Some(exchange)
    }

    /// What a call gave back.
    pub(crate) fn tool(
        &self,
        name: &str,
        id: &str,
        arguments: &Map<String, Value>,
    ) -> Result<ToolOutput, ToolError> {
        let mut state = self.state();
        state.calls += 1;
        let number = state.calls;
        let id = state.ids.get(id).cloned().unwrap_or_else(|| id.to_owned());
        let id = id.as_str();
        let Some(run) = state.tools.remove(id) else { return state.not_run(number, name, id) };
        let was = json!({"tool": run.name, "arguments": run.arguments});
        if let Some(text) = difference(&was, &json!({"tool": name, "arguments": arguments})) {
            state.differ(Part::Tool, number, text);
        }
        state.now = state.now.max(run.at);
        match run.outcome {
            ToolOutcome::Done(output) => Ok(output),
            // The loop had the last word on a call that it stopped.
            ToolOutcome::Failed { message, details } => match state.told(id) {
                Some(told) if told != message => Err(ToolError::new(told)),
                _ => Err(ToolError { message, details }),
            },
        }
    }

    /// Something happens.
    pub(crate) fn event(&self, mut event: Value) {
        let mut state = self.state();
        state.events_seen += 1;
        let number = state.events_seen;
        state.learn_ids(&event);
        state.with_known_ids(&mut event);
        let recorded = match call_of(&event) {
            Some((kind, call)) => state.call_events.remove(&(kind.to_owned(), call.to_owned())),
            None if state.events_differ => return,
            None => state.events.pop_front(),
        };
        let text = match &recorded {
            Some(recorded) => difference(recorded, &event),
            None => Some(format!("{} is new", event["type"].as_str().unwrap_or_default())),
        };
        if let Some(text) = text {
            state.events_differ |= call_of(&event).is_none();
            state.differ(Part::Event, number, text);
        }
        state.come_between(&event);
    }

    /// How it went. What the recording has and the playback had not is a difference, too.
    pub fn report(&self) -> Report {
        let mut state = self.state();
        if !self.full {
            state.settle();
        }
        Report {
            requests: state.requests,
            calls: state.calls,
            events: state.events_seen,
            divergences: state.divergences.clone(),
            cut_short: self.full,
        }
    }
}

impl State {
    /// A message whose calls are those of the recorded one, but for ids that we made up.
    fn learn_ids(&mut self, event: &Value) {
        let Some(recorded) = self.events.front().filter(|_| event["type"] == "message_end") else { return };
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

    /// What came from outside at the end of a turn: words of the user, or an end.
    fn come_between(&mut self, event: &Value) {
        match event["type"].as_str() {
            Some("message_end") => self.after_tools = event["message"]["role"] == "toolResult",
            Some("turn_end") => {
                let next = |kind: &str| self.events.iter().position(|event| event["type"] == kind);
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

    /// Queues what the user said while the turn ran.
    fn say_again(&self, from: usize) {
        let Some(control) = &self.control else { return };
        let messages = self.events.iter().skip(from).take_while(|event| event["type"] == "message_end");
        for event in messages.filter(|event| event["message"]["role"] == "user") {
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

    fn with_known_ids(&self, value: &mut Value) {
        self.ids.iter().for_each(|(id, was)| replaced(value, id, was));
    }

    fn differ(&mut self, part: Part, number: usize, text: String) {
        if self.divergences.len() < MOST {
            self.divergences.push(Divergence { part, number, text });
        }
    }

    /// What the model was told of a call.
    fn told(&self, id: &str) -> Option<String> {
        let ended = self.call_events.get(&("tool_execution_end".to_owned(), id.to_owned()))?;
        ended["result"]["content"][0]["text"].as_str().map(str::to_owned)
    }

    /// A call that did not run then: it was refused or stopped before, and its result says why.
    fn not_run(&mut self, number: usize, name: &str, id: &str) -> Result<ToolOutput, ToolError> {
        match self.told(id) {
            Some(text) => Err(ToolError::new(text)),
            None => {
                self.differ(Part::Tool, number, format!("{name} ({id}) is called, and was not then"));
                Err(ToolError::new("The recording does not have this call."))
            }
        }
    }

    fn settle(&mut self) {
        for (number, exchange) in std::mem::take(&mut self.exchanges) {
            self.differ(Part::Request, number, format!("it is not made again ({})", exchange.url));
        }
        let mut runs: Vec<ToolRun> = std::mem::take(&mut self.tools).into_values().collect();
        runs.sort_by(|one, other| (one.at, &one.id).cmp(&(other.at, &other.id)));
        for run in runs {
            let number = self.calls + 1;
            self.differ(Part::Tool, number, format!("{} ({}) was called, and is not now", run.name, run.id));
        }
        if let Some(event) = std::mem::take(&mut self.events).pop_front().filter(|_| !self.events_differ) {
            let kind = event["type"].as_str().unwrap_or_default().to_owned();
            let number = self.events_seen + 1;
            self.differ(Part::Event, number, format!("{kind} does not happen any more"));
        }
    }
}
