//! A world for the loop: scripted model, fake tools, virtual time, recorded events.

mod answer;
mod clock;
mod listener;
mod model;
mod tool;

use std::sync::{Arc, Mutex};

use omp_agent::{
    AccountAnswer, Agent, AgentConfig, Beside, Conduct, Control, FreeConduct, Gate, Model, ModelIdentity,
    Models, OpenGate, Outcome, Parts, Prompt, Setup, Todos, Tool,
};
use omp_types::{AgentEvent, AssistantBlock, Message, ThinkingLevel, UserContent};
use tokio_util::sync::CancellationToken;

pub(crate) use answer::Answer;
pub(crate) use clock::TestClock;
pub(crate) use listener::Recorder;
pub(crate) use model::Script;
pub(crate) use tool::{FakeTool, Trace, result_text};

/// An agent with everything around it.
pub(crate) struct World {
    pub(crate) agent: Agent,
    pub(crate) control: Control,
    pub(crate) script: Arc<Script>,
    pub(crate) recorder: Recorder,
    pub(crate) clock: Arc<TestClock>,
    pub(crate) setup: Arc<FakeSetup>,
    pub(crate) models: Arc<FakeModels>,
}

/// What a world is built from.
pub(crate) struct Builder {
    script: Script,
    tools: Vec<Arc<dyn Tool>>,
    config: AgentConfig,
    recorder: Recorder,
    gate: Arc<dyn Gate>,
    models: FakeModels,
    todos: Option<Arc<dyn Todos>>,
    clock: TestClock,
    sticky: Option<&'static str>,
    beside: fn(&str) -> Beside,
    conduct: Arc<dyn Conduct>,
}

/// A world whose model gives these answers, one per request.
pub(crate) fn world(answers: impl IntoIterator<Item = Answer>) -> Builder {
    Builder {
        script: Script::new("test/primary", answers),
        tools: Vec::new(),
        config: AgentConfig { intent_tracing: false, ..AgentConfig::default() },
        recorder: Recorder::default(),
        gate: Arc::new(OpenGate),
        models: FakeModels::default(),
        todos: None,
        clock: TestClock::default(),
        sticky: None,
        beside: |_| Beside::default(),
        conduct: Arc::new(FreeConduct),
    }
}

impl Builder {
    pub(crate) fn tool(mut self, tool: FakeTool) -> Self {
        self.tools.push(Arc::new(tool));
        self
    }

    pub(crate) fn config(mut self, change: impl FnOnce(&mut AgentConfig)) -> Self {
        change(&mut self.config);
        self
    }

    pub(crate) fn gate(mut self, gate: impl Gate + 'static) -> Self {
        self.gate = Arc::new(gate);
        self
    }

    pub(crate) fn recorder(mut self, recorder: Recorder) -> Self {
        self.recorder = recorder;
        self
    }

    pub(crate) fn unforceable(mut self) -> Self {
        self.script = self.script.unforceable();
        self
    }

    /// Another model that recovery can turn to.
    pub(crate) fn other(mut self, script: &Arc<Script>, thinking: Option<ThinkingLevel>) -> Self {
        let selector = script.identity().selector();
        self.models.known.push((selector, Arc::clone(script) as Arc<dyn Model>, thinking));
        self
    }

    pub(crate) fn accounts(mut self, answers: impl IntoIterator<Item = AccountAnswer>) -> Self {
        self.models.accounts = Mutex::new(answers.into_iter().collect());
        self
    }

    pub(crate) fn todos(mut self, todos: impl Fn() -> Vec<String> + Send + Sync + 'static) -> Self {
        self.todos = Some(Arc::new(FakeTodos(Box::new(todos))));
        self
    }

    pub(crate) fn conduct(mut self, conduct: Arc<dyn Conduct>) -> Self {
        self.conduct = conduct;
        self
    }

    pub(crate) fn sticky(mut self, text: &'static str) -> Self {
        self.sticky = Some(text);
        self
    }

    pub(crate) fn beside(mut self, beside: fn(&str) -> Beside) -> Self {
        self.beside = beside;
        self
    }

    pub(crate) fn random(mut self, random: f64) -> Self {
        self.clock = self.clock.random(random);
        self
    }

    pub(crate) fn build(self) -> World {
        let (script, clock, models) = (Arc::new(self.script), Arc::new(self.clock), Arc::new(self.models));
        let system: Arc<[String]> = vec!["system".to_owned()].into();
        let setup = Arc::new(FakeSetup {
            system: Mutex::new(system),
            tools: Mutex::new(self.tools),
            sticky: Mutex::new(self.sticky.map(Arc::from)),
            beside: self.beside,
        });
        let parts = Parts {
            model: Arc::clone(&script) as Arc<dyn Model>,
            models: Arc::clone(&models) as Arc<dyn Models>,
            setup: Arc::clone(&setup) as Arc<dyn Setup>,
            gate: self.gate,
            clock: Arc::clone(&clock) as Arc<dyn omp_agent::Clock>,
            listener: Box::new(self.recorder.clone()),
            todos: self.todos,
            conduct: self.conduct,
            upkeep: Arc::new(omp_agent::NoUpkeep),
        };
        let agent = Agent::new(parts, self.config);
        let control = agent.control();
        World { agent, control, script, recorder: self.recorder, clock, setup, models }
    }
}

impl World {
    pub(crate) async fn prompt(&self, text: &str) -> Outcome {
        self.agent.prompt(Prompt::text(text), CancellationToken::new()).await.unwrap()
    }

    /// Runs a prompt while something else happens.
    pub(crate) async fn prompt_while(&self, text: &str, meanwhile: impl Future<Output = ()>) -> Outcome {
        tokio::join!(self.prompt(text), meanwhile).0
    }

    pub(crate) async fn retry(&self) -> Outcome {
        self.agent.retry(CancellationToken::new()).await.unwrap()
    }

    pub(crate) fn steer(&self, text: &str) {
        self.control.steer(words(text));
    }

    pub(crate) fn follow_up(&self, text: &str) {
        self.control.follow_up(words(text));
    }

    pub(crate) fn events(&self) -> Vec<AgentEvent> {
        self.recorder.events()
    }

    /// The types of the events, without the deltas.
    pub(crate) fn kinds(&self) -> Vec<String> {
        self.events().iter().map(kind).filter(|kind| kind != "message_update").collect()
    }

    /// The messages of a request, in short.
    pub(crate) fn request(&self, index: usize) -> Vec<String> {
        short(&self.script.requests()[index].messages)
    }

    pub(crate) async fn context(&self) -> Vec<String> {
        short(&self.agent.messages().await)
    }
}

pub(crate) fn words(text: &str) -> UserContent {
    UserContent::Text(text.to_owned())
}

/// The serialised name of an event's type.
pub(crate) fn kind(event: &AgentEvent) -> String {
    serde_json::to_value(event).unwrap()["type"].as_str().unwrap().to_owned()
}

/// Each message on one line: `user: go`, `call a read`, `result a: text`, `error a: text`.
pub(crate) fn short(messages: &[Arc<Message>]) -> Vec<String> {
    messages.iter().flat_map(|message| short_message(message)).collect()
}

fn short_message(message: &Message) -> Vec<String> {
    match message {
        Message::User(user) => vec![format!("user: {}", user.content.text())],
        Message::Custom(custom) => vec![format!("{}: {}", custom.custom_type, custom.content.text())],
        Message::ToolResult(result) => {
            let outcome = if result.is_error { "error" } else { "result" };
            vec![format!("{outcome} {}: {}", result.tool_call_id, result_text(result))]
        }
        Message::Assistant(answer) if answer.content.is_empty() => {
            vec![format!("nothing ({:?})", answer.stop_reason)]
        }
        Message::Assistant(answer) => answer.content.iter().map(short_block).collect(),
    }
}

fn short_block(block: &AssistantBlock) -> String {
    match block {
        AssistantBlock::Text(text) => format!("text: {}", text.text),
        AssistantBlock::Thinking(thinking) => format!("thinking: {}", thinking.thinking),
        AssistantBlock::ToolCall(call) => format!("call {} {}", call.id, call.name),
        AssistantBlock::RedactedThinking(_) | AssistantBlock::Native(_) => "other".to_owned(),
    }
}

/// Tools and prompt that a test can change while a run is going on.
pub(crate) struct FakeSetup {
    pub(crate) system: Mutex<Arc<[String]>>,
    pub(crate) tools: Mutex<Vec<Arc<dyn Tool>>>,
    sticky: Mutex<Option<Arc<str>>>,
    beside: fn(&str) -> Beside,
}

impl Setup for FakeSetup {
    fn system(&self) -> Arc<[String]> {
        Arc::clone(&self.system.lock().unwrap())
    }

    fn tools(&self) -> Vec<Arc<dyn Tool>> {
        self.tools.lock().unwrap().clone()
    }

    fn sticky(&self) -> Option<Arc<str>> {
        self.sticky.lock().unwrap().clone()
    }

    fn beside(&self, message: &Message) -> Option<Beside> {
        let Message::User(user) = message else { return None };
        Some((self.beside)(&user.content.text()))
    }
}

/// Models by selector, and what happens when an account is used up.
#[derive(Default)]
pub(crate) struct FakeModels {
    known: Vec<(String, Arc<dyn Model>, Option<ThinkingLevel>)>,
    accounts: Mutex<std::collections::VecDeque<AccountAnswer>>,
    pub(crate) limited: Mutex<Vec<(String, Option<u64>)>>,
}

impl Models for FakeModels {
    fn resolve(&self, selector: &str) -> Option<(Arc<dyn Model>, Option<ThinkingLevel>)> {
        let found = self.known.iter().find(|(known, ..)| known == selector);
        found.map(|(_, model, thinking)| (Arc::clone(model), *thinking))
    }

    fn usage_limited(&self, model: &ModelIdentity, hint_ms: Option<u64>) -> AccountAnswer {
        self.limited.lock().unwrap().push((model.selector(), hint_ms));
        self.accounts.lock().unwrap().pop_front().unwrap_or(AccountAnswer::NoSibling)
    }
}

struct FakeTodos(Box<dyn Fn() -> Vec<String> + Send + Sync>);

impl Todos for FakeTodos {
    fn open(&self) -> Vec<String> {
        (self.0)()
    }
}
