//! A model that answers by rule, however long the conversation gets, and looks at every request on the way.
//!
//! It sums up for real: what it is given to sum up is searched for facts, and the summary says those that were found. A fact
//! that is not in the text that reaches it is lost.

use std::collections::{BTreeMap, HashSet};
use std::sync::{Arc, Mutex, MutexGuard, PoisonError};

use omp_sdk::{
    Directories, Environment, Listener, Persistence, Prompt, PromptOptions, Session, SessionOptions,
    ToolFilter,
};
use omp_testkit::{Home, RecordedRequest, Reply, Scenario, Server, Usage, Wire};
use omp_types::AgentEvent;
use serde_json::{Value, json};

/// A turn that says a fact comes after so many that do not.
pub(crate) const FACT_EVERY: usize = 100;
/// A turn that calls a tool comes after so many that do not.
const CALL_EVERY: usize = 9;
/// How a fact begins.
const FACT: &str = "fact-";

/// What the model saw.
#[derive(Default)]
pub(crate) struct Seen {
    /// Requests of the conversation.
    pub(crate) requests: usize,
    /// Texts that were summed up.
    pub(crate) summaries: usize,
    /// Requests that did not go on where the one before had ended.
    pub(crate) breaks: usize,
    /// What no request may have.
    pub(crate) faults: Vec<String>,
    /// The system prompt of the conversation: what has another one is asked beside it.
    system: Option<Value>,
    previous: Vec<u8>,
    /// Something was said that lets the next request be another one.
    pub(crate) excused: bool,
}

/// The model.
#[derive(Clone, Default)]
pub(crate) struct Script(Arc<Mutex<Seen>>);

impl Script {
    pub(crate) fn seen(&self) -> MutexGuard<'_, Seen> {
        self.0.lock().unwrap_or_else(PoisonError::into_inner)
    }

    pub(crate) fn scenario(&self) -> Scenario {
        let script = self.clone();
        Scenario::dynamic(move |request| script.answer(request)).keyless(true).keep_last(2)
    }

    fn answer(&self, request: &RecordedRequest) -> Reply {
        let mut seen = self.seen();
        let messages = request.body["messages"].as_array().map(Vec::as_slice).unwrap_or_default();
        let [first, .., last] = messages else { return Reply::status(400) };
        if seen.system.get_or_insert_with(|| first.clone()) != first {
            seen.summaries += usize::from(text(last).contains("<conversation>"));
            seen.excused = true;
            return sum_up(&text(last));
        }
        seen.look(request, messages);
        let usage = Usage { input: request.raw_body.len() as u64 / 4, output: 20, ..Usage::default() };
        next(last, seen.requests).usage(usage)
    }
}

impl Seen {
    /// Looks at a request of the conversation.
    fn look(&mut self, request: &RecordedRequest, messages: &[Value]) {
        self.requests += 1;
        self.faults.extend(unpaired(messages).map(|fault| format!("request {}: {fault}", self.requests)));
        let grown = request.raw_body.starts_with(tail_off(&self.previous));
        if !grown {
            self.breaks += 1;
            if !self.excused {
                self.faults
                    .push(format!("request {} does not go on where the last one ended", self.requests));
            }
        }
        self.excused = false;
        self.previous.clone_from(&request.raw_body);
    }

    /// The facts in the last request of the conversation.
    pub(crate) fn facts(&self) -> BTreeMap<String, String> {
        let body: Value = serde_json::from_slice(&self.previous).unwrap_or_default();
        let messages = body["messages"].as_array().map(Vec::as_slice).unwrap_or_default();
        facts(&messages.iter().map(text).collect::<Vec<_>>().join("\n"))
    }
}

/// A request without the end of its list, which the next request goes on with.
fn tail_off(body: &[u8]) -> &[u8] {
    body.strip_suffix(b"]}").unwrap_or(body)
}

/// The notes on a conversation: the facts in it. The line for lists says nothing.
fn sum_up(asked: &str) -> Reply {
    if !asked.contains("<conversation>") {
        return Reply::new().text("A long piece of work.");
    }
    let facts = facts(asked);
    let lines: Vec<String> = facts.iter().map(|(name, value)| format!("- {FACT}{name}: {value}")).collect();
    Reply::new().text(&format!("## Facts\n{}\nNothing else matters.", lines.join("\n")))
}

/// What the conversation gets: now and then a call, else words.
fn next(last: &Value, turn: usize) -> Reply {
    if last["role"] != "tool" && turn.is_multiple_of(CALL_EVERY) {
        let line = turn % 900 + 1;
        return Reply::new()
            .tool_call("read", json!({"_i": "x", "path": format!("notes.txt:{line}-{line}")}));
    }
    let words: Vec<String> = (0..12).map(|word| format!("{}", (turn * 31 + word * 7) % 1_000)).collect();
    Reply::new().text(&format!("Answer {turn}: {}", words.join(" ")))
}

/// The facts in a text: `fact-7: mango-12`.
pub(crate) fn facts(text: &str) -> BTreeMap<String, String> {
    let mut found = BTreeMap::new();
    let mut words = text.split_whitespace().peekable();
    while let Some(word) = words.next() {
        let name =
            word.trim_start_matches(['>', '-']).strip_prefix(FACT).and_then(|name| name.strip_suffix(':'));
        if let (Some(name), Some(value)) = (name, words.peek()) {
            found.insert(name.to_owned(), value.trim_end_matches(['.', ',']).to_owned());
        }
    }
    found
}

/// What is wrong with the calls and results of a request.
pub(crate) fn unpaired(messages: &[Value]) -> Option<String> {
    let mut open: HashSet<String> = HashSet::new();
    for (at, message) in messages.iter().enumerate() {
        if message["role"] == "tool" {
            let id = message["tool_call_id"].as_str().unwrap_or_default();
            if !open.remove(id) {
                return Some(format!("message {at} answers a call that is not before it"));
            }
            continue;
        }
        if !open.is_empty() {
            return Some(format!("message {at} comes before the results of {open:?}"));
        }
        let calls = message["tool_calls"].as_array().map(Vec::as_slice).unwrap_or_default();
        open.extend(calls.iter().filter_map(|call| call["id"].as_str()).map(str::to_owned));
    }
    (!open.is_empty()).then(|| format!("no results of {open:?}"))
}

pub(crate) fn text(message: &Value) -> String {
    match &message["content"] {
        Value::String(text) => text.clone(),
        Value::Array(parts) => parts.iter().filter_map(|part| part["text"].as_str()).collect(),
        _ => String::new(),
    }
}

struct NoEnvironment;

impl Environment for NoEnvironment {
    fn var(&self, _name: &str) -> Option<String> {
        None
    }
}

struct Nobody;

impl Listener for Nobody {
    fn event(&mut self, _event: AgentEvent) {}
}

/// A session with two such models.
pub(crate) struct Work {
    pub(crate) script: Script,
    pub(crate) server: Server,
    pub(crate) home: Home,
    pub(crate) session: Session,
}

/// Thresholds that make a conversation short again after some hundred turns.
const CONFIG: &str = "compaction:\n  thresholdTokens: 3500\n  keepRecentTokens: 600\n  autoContinue: false\nread:\n  \
                      defaultLimit: 100\n";

impl Work {
    pub(crate) async fn begin() -> Self {
        let script = Script::default();
        let (server, home) = (Server::start(script.scenario()), Home::new());
        let base = server.base_url_for(Wire::OpenAiCompletions);
        let models = "[{id: a, contextWindow: 16000}, {id: b, contextWindow: 16000}]";
        home.write(
            "home/.omp/agent/models.yml",
            format!(
                "providers:\n  one:\n    baseUrl: {base}\n    api: openai-completions\n    auth: none\n    models: {models}\n"
            ),
        );
        home.write("home/.omp/agent/config.yml", CONFIG);
        let lines: String = (0..1_000).map(|line| format!("line {line} of the notes\n")).collect();
        home.write("work/notes.txt", lines);
        let root = home.home_dir().display().to_string();
        let directories = Directories::resolve(|name| (name == "HOME").then(|| root.clone())).unwrap();
        let options = SessionOptions {
            tools: ToolFilter::Only(vec!["read".to_owned()]),
            persistence: Persistence::New,
            model: omp_sdk::ModelOptions::named("one/a"),
            prompt: PromptOptions { system: Some("You keep notes.".to_owned()), ..PromptOptions::default() },
            ..SessionOptions::new(home.work_dir(), directories, Arc::new(NoEnvironment))
        };
        let session = Session::open(options, Box::new(Nobody)).await.unwrap();
        Self { script, server, home, session }
    }

    /// One turn of the conversation. Returns the fact that was said, if one was.
    pub(crate) async fn turn(&self, turn: usize) -> Option<(String, String)> {
        let fact =
            turn.is_multiple_of(FACT_EVERY).then(|| (format!("{turn:05}"), format!("mango-{}", turn * 7)));
        let words = match &fact {
            Some((name, value)) => format!("Turn {turn}. Remember {FACT}{name}: {value}."),
            None => format!("Turn {turn}. Go on with the work, please."),
        };
        self.session.prompt(Prompt::text(words), Default::default()).await.unwrap();
        fact
    }

    /// Another model answers from now on, which may cost the cache.
    pub(crate) async fn use_model(&self, selector: &str) {
        self.session.models().switch(selector).await.unwrap();
        self.script.seen().excused = true;
    }
}
