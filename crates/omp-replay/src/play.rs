//! Plays a recording and notices where the program decides otherwise.

use std::collections::VecDeque;
use std::fmt;
use std::path::Path;
use std::sync::{Mutex, MutexGuard, PoisonError};

use omp_agent::{Control, Prompt, PromptForm, ToolError};
use omp_types::{CustomMessage, ToolOutput};
use serde_json::{Map, Value, json};
use tokio_util::sync::CancellationToken;

use crate::compare::{DivergedPart, Divergence, difference, replaced, without_entry_ids};
use crate::events::call_of;
use crate::gate::Gate;
use crate::line::{Exchange, Line, Screen, ToolOutcome, World};
use crate::playback::Playback;
use crate::read::{self, ReplayError};
use crate::request_matching::closest;

/// Something that was said to the session.
#[derive(Clone, Debug, PartialEq)]
pub enum Input {
    /// A prompt.
    Prompt(Prompt),
    /// The last turn was tried again.
    Retry,
    /// A message became part of the conversation without a turn, or waits for the next prompt.
    Note(CustomMessage, bool),
    /// The user changed this, which a playback without the screen does not do.
    Turned(String),
}

/// Plays a recording.
pub struct Player {
    world: World,
    version: String,
    state: Mutex<Playback>,
    screen: Mutex<VecDeque<Screen>>,
    pub(crate) gate: Gate,
}

impl fmt::Debug for Player {
    fn fmt(&self, out: &mut fmt::Formatter<'_>) -> fmt::Result {
        out.debug_struct("Player").field("session", &self.world.session).finish_non_exhaustive()
    }
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
    /// Frames that were compared; `None` if there was no screen.
    pub frames: Option<usize>,
    /// Where the program decided otherwise, in order.
    pub divergences: Vec<Divergence>,
    /// Why not everything was compared.
    pub notes: Vec<String>,
}

impl Player {
    /// Reads a recording. May wait for the disk.
    pub fn load(path: &Path) -> Result<Self, ReplayError> {
        let read::Recording { version, is_complete, lines } = read::recording(path)?;
        let (mut state, mut world, mut screen) = (Playback::default(), World::default(), VecDeque::new());
        state.is_complete = is_complete;
        for line in lines {
            match line {
                Line::World(begun) => world = *begun,
                Line::Screen(entry) => screen.push_back(entry),
                line => state.take(line),
            }
        }
        state.now = world.at;
        let (state, screen) = (Mutex::new(state), Mutex::new(screen));
        Ok(Self { world, version, state, screen, gate: Gate::default() })
    }

    pub(crate) fn state(&self) -> MutexGuard<'_, Playback> {
        self.state.lock().unwrap_or_else(PoisonError::into_inner)
    }

    /// What the session began with.
    pub fn world(&self) -> &World {
        &self.world
    }

    /// The version of the program that recorded it.
    pub fn version(&self) -> &str {
        &self.version
    }

    /// What is said next.
    pub fn next_input(&self) -> Option<Input> {
        self.state().inputs.front().cloned()
    }

    /// Something is said: what was said then is said again. It may have been typed in fewer words then, as a command.
    pub fn take_prompt(&self, prompt: Prompt) -> Prompt {
        let mut state = self.state();
        let number = state.prompts + 1;
        let Some(Input::Prompt(recorded)) = state.next_words() else {
            state.missing(DivergedPart::Prompt, number, "this prompt is not in the recording".to_owned());
            return prompt;
        };
        state.prompts = number;
        let is_command = prompt.content.text().starts_with('/');
        let value = |prompt: &Prompt| serde_json::to_value(&prompt.content).unwrap_or_default();
        if let Some(text) = difference(&value(&recorded), &value(&prompt)).filter(|_| !is_command) {
            state.differ(DivergedPart::Prompt, number, text);
        }
        recorded
    }

    /// The results of background jobs, if they are what is said next.
    pub fn take_results(&self, kind: &str) -> Option<Prompt> {
        let mut state = self.state();
        let is_result = |input: &&Input| {
            matches!(input, Input::Prompt(Prompt { form: PromptForm::Custom { custom_type, .. }, .. })
                if *custom_type == kind)
        };
        state.inputs.front().filter(is_result)?;
        match state.inputs.pop_front()? {
            Input::Prompt(prompt) => {
                state.prompts += 1;
                Some(prompt)
            }
            Input::Retry | Input::Note(..) | Input::Turned(_) => None,
        }
    }

    /// The next input, if it is a message of this kind that waited for the next prompt.
    pub fn take_note_of(&self, kind: &str) -> Option<CustomMessage> {
        let mut state = self.state();
        let is_it = |input: &&Input| matches!(input, Input::Note(message, _) if message.custom_type == kind);
        state.inputs.front().filter(is_it)?;
        match state.inputs.pop_front()? {
            Input::Note(message, _) => Some(message),
            Input::Prompt(_) | Input::Retry | Input::Turned(_) => None,
        }
    }

    /// The message that became part of the conversation without a turn, and whether it waited for the next prompt.
    pub fn take_note(&self) -> Option<(CustomMessage, bool)> {
        let mut state = self.state();
        let place = state.inputs.iter().position(|input| matches!(input, Input::Note(..)))?;
        match state.inputs.remove(place)? {
            Input::Note(message, later) => Some((message, later)),
            Input::Prompt(_) | Input::Retry | Input::Turned(_) => None,
        }
    }

    /// What became of a command of the user.
    pub fn take_command(&self, command: &str) -> Option<Value> {
        let mut state = self.state();
        let Some(place) = state.commands.iter().position(|(known, _)| known == command) else {
            let number = state.prompts + 1;
            state.missing(
                DivergedPart::Prompt,
                number,
                format!("the command {command:?} is not in the recording"),
            );
            return None;
        };
        state.commands.remove(place).map(|(_, outcome)| outcome)
    }

    /// The user changed something here that is not changed now: the rest cannot be compared.
    pub fn end_at(&self, what: &str) {
        self.state()
            .end(format!("The user changed {what} here, which is not replayed; the rest is not compared"));
    }

    /// The last turn is tried again.
    pub fn take_retry(&self) {
        let mut state = self.state();
        if state.next_words() != Some(Input::Retry) {
            let number = state.prompts + 1;
            state.missing(DivergedPart::Prompt, number, "this retry is not in the recording".to_owned());
        }
    }

    /// A run begins in the session with this id. What stops it is the token that comes back: a run that was stopped
    /// then is stopped at the same place, whenever somebody asks for it.
    pub fn begin_run(&self, session: &str, control: Control, cancel: CancellationToken) -> CancellationToken {
        let followed = self.gate.is_followed();
        let mut state = self.state();
        state.session = session.to_owned();
        state.run = if followed { CancellationToken::new() } else { cancel.clone() };
        state.asked = cancel;
        state.is_followed = followed;
        state.results_along(&control);
        state.control = Some(control);
        if state.is_over() {
            state.run.cancel();
        }
        state.run.clone()
    }

    /// The recorded run was stopped here.
    pub(crate) fn stop_run(&self) {
        self.state().run.cancel();
    }

    /// A wait is over. One that somebody wanted to end was ended by that.
    pub(crate) fn waited(&self) {
        let state = self.state();
        if state.asked.is_cancelled() {
            state.run.cancel();
        }
    }

    pub(crate) fn now_ms(&self) -> u64 {
        self.state().now
    }

    pub(crate) fn random(&self) -> f64 {
        self.state().randoms.pop_front().unwrap_or(0.5)
    }

    /// The answer to a request: that of the same request, else of the one most like it, which is a difference.
    pub(crate) fn exchange(&self, mut request: Value) -> Option<Exchange> {
        let mut state = self.state();
        state.requests += 1;
        if !state.session.is_empty() {
            replaced(&mut request, &state.session, &self.world.session);
        }
        state.with_known_ids(&mut request);
        without_entry_ids(&mut request);
        let Some(place) = closest(&state.exchanges, &request) else {
            let number = state.requests;
            state.missing(DivergedPart::Request, number, "the recording has no more requests".to_owned());
            return None;
        };
        let (number, exchange) = state.exchanges.remove(place);
        self.gate.stir();
        if let Some(text) = difference(&exchange.request, &request) {
            state.differ(DivergedPart::Request, number, text);
        }
        if exchange.withheld {
            state.end(format!("The answer to request {number} was omitted because it contained a secret"));
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
        let id = state.known_id(id);
        let id = id.as_str();
        let Some((_, run)) = state.tools.remove(id) else { return state.not_run(number, name, id) };
        let was = json!({"tool": run.name, "arguments": run.arguments});
        if let Some(text) = difference(&was, &json!({"tool": name, "arguments": arguments})) {
            state.differ(DivergedPart::Tool, number, text);
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

    /// Where in the recording a call ended.
    pub(crate) fn place_of(&self, id: &str) -> Option<usize> {
        let state = self.state();
        let id = state.known_id(id);
        state.tools.get(&id).map(|(place, _)| *place)
    }

    /// Something happens.
    pub(crate) fn event(&self, mut event: Value) {
        let mut state = self.state();
        state.events.seen += 1;
        let number = state.events.seen;
        state.learn_ids(&event);
        state.with_known_ids(&mut event);
        without_entry_ids(&mut event);
        let recorded = match call_of(&event) {
            Some((kind, call)) => state.events.take_call(kind, call),
            None if state.events.differ => return,
            None => state.events.waiting.pop_front(),
        };
        match &recorded {
            Some(recorded) => {
                if let Some(text) = difference(recorded, &event) {
                    state.events.differ |= call_of(&event).is_none();
                    state.differ(DivergedPart::Event, number, text);
                }
            }
            None => {
                state.events.differ |= call_of(&event).is_none();
                let kind = event["type"].as_str().unwrap_or_default();
                state.missing(DivergedPart::Event, number, format!("{kind} is not in the recording"));
            }
        }
        state.come_between(&event);
    }

    /// Waits, where a screen leads, until it has come to where the session went on: at the end of a turn or of a call.
    /// What was asked beside it by then has been asked.
    pub(crate) async fn border(&self) {
        let asked = |told: u64| {
            let state = self.state();
            state.exchanges.iter().all(|(_, exchange)| exchange.told > told)
        };
        self.gate.pass_after(asked).await;
    }

    /// What the program said before the run that begins now, beside what the session says by itself.
    pub fn take_notices(&self, own: Option<&str>) -> Vec<String> {
        let state = self.state();
        let notices = state.events.waiting.iter().take_while(|event| event["type"] == "notice");
        let texts = notices.filter_map(|event| event["message"].as_str());
        texts.filter(|text| Some(*text) != own).map(str::to_owned).collect()
    }

    /// Something on the screen is other than it was.
    pub fn differ_on_screen(&self, frame: usize, text: String) {
        self.state().differ(DivergedPart::Frame, frame, text);
    }

    /// Why the rest of the screen is not played. What was asked beside the conversation is then not asked again.
    pub fn leave_screen(&self, note: String) {
        let mut state = self.state();
        state.findings.notes.push(note);
        state.left_screen = true;
    }

    /// So many frames were compared.
    pub fn compared(&self, frames: usize) {
        self.state().findings.frames = Some(frames);
    }

    /// The next entry of the screen.
    pub fn next_screen(&self) -> Option<Screen> {
        self.screen.lock().unwrap_or_else(PoisonError::into_inner).pop_front()
    }

    /// Was there a screen?
    pub fn has_screen(&self) -> bool {
        let screen = self.screen.lock().unwrap_or_else(PoisonError::into_inner);
        matches!(screen.front(), Some(Screen::Begun { .. }))
    }

    /// From now on a screen leads, and the session waits for it at the borders of its turns; or does not any more.
    pub fn follow_screen(&self, followed: bool) {
        self.gate.follow(followed);
        self.state().is_followed = followed;
    }

    /// The screen is ready for so many events in all.
    pub fn wants(&self, events: u64) {
        self.gate.wants(events);
    }

    /// So many events the session has told.
    pub fn told(&self) -> u64 {
        self.gate.told()
    }

    /// Waits until the session has told so many events.
    pub async fn reached(&self, events: u64) {
        self.gate.reached(events).await;
    }

    /// How it went. What the recording has and the playback had not is a difference, too.
    pub fn report(&self) -> Report {
        let mut state = self.state();
        state.settle();
        Report {
            requests: state.requests,
            calls: state.calls,
            events: state.events.seen,
            frames: state.findings.frames,
            divergences: state.findings.divergences.clone(),
            notes: state.findings.notes.clone(),
        }
    }
}

/// A difference of a playback as people read it.
impl Report {
    /// The first place where the program decided otherwise.
    pub fn first(&self) -> Option<&Divergence> {
        self.divergences.first()
    }
}
