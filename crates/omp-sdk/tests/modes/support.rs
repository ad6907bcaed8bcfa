//! A program with a scripted person in front of it.

use std::collections::VecDeque;
use std::path::{Path, PathBuf};
use std::sync::atomic::{AtomicBool, AtomicU64, Ordering};
use std::sync::{Arc, Mutex};
use std::time::Duration;

use futures_util::FutureExt;
use futures_util::future::BoxFuture;
use omp_sdk::{
    ApprovalRequest, Asker, Clock, Dialog, Directories, Driver, Ended, Environment, Host, Listener, Outcome,
    Outfit, People, Persistence, PlanReview, PlanVerdict, Prompt, ProviderOptions, Questioner,
    Reply as Answer, Session, SessionError, SessionOptions, Ui,
};
use omp_testkit::{Home, Reply, Scenario, Server, Wire};
use omp_types::AgentEvent;
use serde_json::{Value, json};
use tokio_util::sync::CancellationToken;

/// How long every tool takes, on the clock of the tests.
pub(crate) const TOOL_MS: u64 = 1_500;

pub(crate) type Answering = fn(&Dialog) -> Ended;
pub(crate) type Reaction = Box<dyn FnMut(u64) + Send>;

/// What the person does, in order, and what the person saw.
#[derive(Default)]
pub(crate) struct Person {
    pub(crate) verdicts: Mutex<VecDeque<PlanVerdict>>,
    pub(crate) reviews: Mutex<Vec<PlanReview>>,
    pub(crate) confirms: Mutex<VecDeque<bool>>,
    pub(crate) questions: Mutex<Vec<String>>,
    /// What the person types, in order; then nothing.
    pub(crate) words: Mutex<VecDeque<String>>,
    pub(crate) composing: AtomicBool,
    pub(crate) approvals: Mutex<VecDeque<Answer>>,
    pub(crate) asked: Mutex<Vec<String>>,
    /// Answers the questions of the model; without it the person only looks at them.
    pub(crate) answers: Mutex<Option<Answering>>,
    pub(crate) events: Mutex<Vec<AgentEvent>>,
    /// Runs whenever the session sleeps, with the milliseconds.
    pub(crate) on_sleep: Mutex<Option<Reaction>>,
    pub(crate) sleeps: Mutex<Vec<u64>>,
    /// Rings when a question is looked at.
    pub(crate) waits: tokio::sync::Notify,
    now: AtomicU64,
}

impl Person {
    /// The names of the events of a kind, with their data.
    pub(crate) fn told(&self, kind: &str) -> Vec<Value> {
        let events = self.events.lock().unwrap();
        let values = events.iter().map(|event| serde_json::to_value(event).unwrap());
        values.filter(|event| event["type"] == kind).collect()
    }
}

impl Ui for Person {
    fn review<'a>(&'a self, review: &'a PlanReview) -> BoxFuture<'a, PlanVerdict> {
        self.reviews.lock().unwrap().push(review.clone());
        let verdict = self.verdicts.lock().unwrap().pop_front().expect("nobody said what to decide");
        std::future::ready(verdict).boxed()
    }

    fn confirm<'a>(&'a self, question: &'a str) -> BoxFuture<'a, bool> {
        self.questions.lock().unwrap().push(question.to_owned());
        let answer = self.confirms.lock().unwrap().pop_front().expect("nobody said what to confirm");
        std::future::ready(answer).boxed()
    }

    fn question<'a>(&'a self, question: &'a str) -> BoxFuture<'a, Option<String>> {
        self.questions.lock().unwrap().push(question.to_owned());
        std::future::ready(self.words.lock().unwrap().pop_front()).boxed()
    }

    fn edit<'a>(&'a self, text: &'a str) -> BoxFuture<'a, Option<String>> {
        self.questions.lock().unwrap().push(text.to_owned());
        std::future::ready(self.words.lock().unwrap().pop_front()).boxed()
    }

    fn is_composing(&self) -> bool {
        self.composing.load(Ordering::Relaxed)
    }
}

impl Asker for Person {
    fn ask<'a>(&'a self, request: &'a ApprovalRequest) -> BoxFuture<'a, Answer> {
        self.asked.lock().unwrap().push(request.question.text());
        let answer = self.approvals.lock().unwrap().pop_front().unwrap_or(Answer::No);
        std::future::ready(answer).boxed()
    }
}

impl Questioner for Person {
    fn ask<'a>(&'a self, dialog: &'a Dialog) -> BoxFuture<'a, Ended> {
        let answers = *self.answers.lock().unwrap();
        async move {
            match answers {
                Some(answers) => answers(dialog),
                None => {
                    self.waits.notify_one();
                    std::future::pending().await
                }
            }
        }
        .boxed()
    }
}

/// A clock that moves by the time that is slept, at once.
impl Clock for Person {
    fn now_ms(&self) -> u64 {
        1_700_000_000_000 + self.now.load(Ordering::Relaxed)
    }

    fn sleep(&self, duration: Duration) -> BoxFuture<'static, ()> {
        let ms = duration.as_millis() as u64;
        if ms != 800 {
            // Time-outs of the loop: nothing that a test waits for.
            return tokio::time::sleep(duration).boxed();
        }
        self.now.fetch_add(ms, Ordering::Relaxed);
        self.sleeps.lock().unwrap().push(ms);
        if let Some(react) = &mut *self.on_sleep.lock().unwrap() {
            react(ms);
        }
        std::future::ready(()).boxed()
    }

    fn random(&self) -> f64 {
        1.0
    }
}

struct Ear(Arc<Person>);

impl Listener for Ear {
    fn event(&mut self, event: AgentEvent) {
        if matches!(event, AgentEvent::ToolExecutionEnd { .. }) {
            self.0.now.fetch_add(TOOL_MS, Ordering::Relaxed);
        }
        self.0.events.lock().unwrap().push(event);
    }
}

struct Variables;

impl Environment for Variables {
    fn var(&self, name: &str) -> Option<String> {
        (name == "PATH").then(|| std::env::var(name).unwrap_or_default())
    }
}

/// Is somebody there to ask?
#[derive(Clone, Copy, PartialEq, Eq)]
pub(crate) enum Presence {
    There,
    Away,
}

pub(crate) struct Program {
    directories: Directories,
    pub(crate) person: Arc<Person>,
    presence: Presence,
}

impl Outfit for Program {
    fn options(&self, cwd: &Path) -> Result<SessionOptions, SessionError> {
        let new = SessionOptions::new(cwd.to_owned(), self.directories.clone(), Arc::new(Variables));
        let there = self.presence == Presence::There;
        let person = || Arc::clone(&self.person);
        Ok(SessionOptions {
            people: People {
                asker: there.then(|| person() as Arc<dyn Asker>),
                questioner: there.then(|| person() as Arc<dyn Questioner>),
                ui: there.then(|| person() as Arc<dyn Ui>),
            },
            clock: Some(person() as Arc<dyn Clock>),
            ..new
        })
    }

    fn listener(&self) -> Box<dyn Listener> {
        Box::new(Ear(Arc::clone(&self.person)))
    }
}

/// Everything around a session.
pub(crate) struct World {
    pub(crate) home: Home,
    pub(crate) server: Server,
    pub(crate) person: Arc<Person>,
    pub(crate) host: Arc<Host>,
    pub(crate) driver: Driver,
}

/// A world whose model gives these answers. `config` is the user's `config.yml`.
pub(crate) async fn world(config: &str, replies: impl IntoIterator<Item = Reply>) -> World {
    Opening::new(config, replies).start().await
}

/// A world to come.
pub(crate) struct Opening {
    pub(crate) home: Home,
    pub(crate) server: Server,
    pub(crate) presence: Presence,
    pub(crate) persistence: Persistence,
    /// What is asked for when the program begins.
    pub(crate) model: Option<&'static str>,
    pub(crate) tier: Option<&'static str>,
}

impl Opening {
    pub(crate) fn new(config: &str, replies: impl IntoIterator<Item = Reply>) -> Self {
        Self::with(config, Scenario::replies(replies))
    }

    pub(crate) fn with(config: &str, scenario: Scenario) -> Self {
        let home = Home::new();
        home.write("home/.omp/agent/config.yml", config);
        let server = Server::start(scenario.keyless(true));
        let opening = Self {
            home,
            server,
            presence: Presence::There,
            persistence: Persistence::New,
            model: None,
            tier: None,
        };
        opening.models();
        opening
    }

    fn models(&self) {
        let base = self.server.base_url_for(Wire::OpenAiCompletions);
        let models = "[{id: a, contextWindow: 10000, reasoning: true}, {id: b, contextWindow: 10000, reasoning: true}]";
        self.home.write(
            "home/.omp/agent/models.yml",
            format!(
                "providers:\n  one:\n    baseUrl: {base}\n    api: openai-completions\n    auth: none\n    models: {models}\n"
            ),
        );
    }

    pub(crate) async fn start(self) -> World {
        let root = self.home.home_dir().display().to_string();
        let directories = Directories::resolve(|name| (name == "HOME").then(|| root.clone())).unwrap();
        let person = Arc::new(Person::default());
        let program = Arc::new(Program { directories, person: Arc::clone(&person), presence: self.presence });
        let first = SessionOptions {
            persistence: self.persistence,
            model: omp_sdk::ModelOptions {
                selector: self.model.map(str::to_owned),
                ..omp_sdk::ModelOptions::default()
            },
            provider: ProviderOptions {
                service_tier: self.tier.map(str::to_owned),
                ..ProviderOptions::default()
            },
            ..program.options(&self.home.work_dir()).unwrap()
        };
        let host = Arc::new(Host::start(program as Arc<dyn Outfit>, first).await.unwrap());
        let driver = Driver::new(Arc::clone(&host), Arc::clone(&person) as Arc<dyn Ui>, "interactive");
        World { home: self.home, server: self.server, person, host, driver }
    }
}

impl World {
    pub(crate) fn session(&self) -> Arc<Session> {
        self.host.session()
    }

    pub(crate) async fn submit(&self, text: &str) -> Outcome {
        self.driver.submit(Prompt::text(text), CancellationToken::new()).await.unwrap()
    }

    /// The messages of a request.
    pub(crate) fn messages(&self, request: usize) -> Vec<Value> {
        self.server.requests()[request].body["messages"].as_array().unwrap().clone()
    }

    /// The last message of a request, as text.
    pub(crate) fn last(&self, request: usize) -> String {
        text(self.messages(request).last().unwrap())
    }

    /// The results of calls in a request.
    pub(crate) fn results(&self, request: usize) -> Vec<String> {
        let messages = self.messages(request);
        let plain = |message: &Value| {
            let text = text(message);
            text.strip_prefix("Error: ").unwrap_or(&text).to_owned()
        };
        messages.iter().filter(|message| message["role"] == "tool").map(plain).collect()
    }

    /// The names of the tools that a request offers.
    pub(crate) fn tools(&self, request: usize) -> Vec<String> {
        let tools = self.server.requests()[request].body["tools"].as_array().cloned().unwrap_or_default();
        tools.iter().map(|tool| tool["function"]["name"].as_str().unwrap().to_owned()).collect()
    }

    pub(crate) fn model(&self, request: usize) -> String {
        self.server.requests()[request].body["model"].as_str().unwrap().to_owned()
    }

    pub(crate) fn file(&self) -> PathBuf {
        self.session().file().unwrap()
    }

    /// Ends the program and starts it again, with the same server.
    pub(crate) async fn reopen(self, persistence: Persistence) -> Self {
        self.session().close().await;
        let Self { home, server, .. } = self;
        let opening =
            Opening { home, server, presence: Presence::There, persistence, model: None, tier: None };
        opening.start().await
    }

    /// Ends everything; the server must have been asked for all its answers.
    pub(crate) async fn finish(self) -> Home {
        self.session().close().await;
        self.server.finish();
        self.home
    }
}

pub(crate) fn text(message: &Value) -> String {
    match &message["content"] {
        Value::String(text) => text.clone(),
        Value::Array(parts) => parts.iter().filter_map(|part| part["text"].as_str()).collect(),
        _ => String::new(),
    }
}

pub(crate) fn lines(path: &Path) -> Vec<Value> {
    let text = std::fs::read_to_string(path).unwrap();
    text.lines().map(|line| serde_json::from_str(line).unwrap()).collect()
}

/// The entries of one type.
pub(crate) fn entries(path: &Path, kind: &str) -> Vec<Value> {
    lines(path).into_iter().filter(|line| line["type"] == kind).collect()
}

pub(crate) fn call(name: &str, mut arguments: Value) -> Reply {
    arguments["_i"] = json!("x");
    Reply::new().tool_call(name, arguments)
}

pub(crate) fn say(text: &str) -> Reply {
    Reply::new().text(text)
}
