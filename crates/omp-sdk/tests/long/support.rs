//! A saved conversation, and a session that goes on with it.

use std::path::PathBuf;
use std::sync::{Arc, Mutex};

use omp_sdk::{Directories, Environment, Listener, Persistence, Prompt, Session, SessionOptions, ToolFilter};
use omp_testkit::{Home, ModelOptions, Server, Wire};
use omp_types::AgentEvent;
use serde_json::{Value, json};

struct NoEnvironment;

impl Environment for NoEnvironment {
    fn var(&self, _name: &str) -> Option<String> {
        None
    }
}

/// Keeps every event, as JSON.
#[derive(Clone, Default)]
pub(crate) struct Events(Arc<Mutex<Vec<Value>>>);

impl Listener for Events {
    fn event(&mut self, event: AgentEvent) {
        self.0.lock().unwrap().push(serde_json::to_value(event).unwrap());
    }
}

impl Events {
    /// The events of a kind.
    pub(crate) fn of(&self, kind: &str) -> Vec<Value> {
        self.0.lock().unwrap().iter().filter(|event| event["type"] == kind).cloned().collect()
    }
}

/// A home with a server of one wire and a saved conversation.
pub(crate) struct World {
    pub(crate) home: Home,
    pub(crate) server: Server,
    pub(crate) events: Events,
    pub(crate) file: PathBuf,
    pub(crate) persistence: Option<Persistence>,
}

impl World {
    pub(crate) fn new(server: Server, wire: Wire, model: ModelOptions, config: &str, talk: &Talk) -> Self {
        let home = Home::new();
        home.models_yml(&server, wire, model);
        home.write("home/.omp/agent/config.yml", config);
        let file = home.write("work/old.jsonl", talk.lines(&home.work_dir().display().to_string()));
        Self { home, server, events: Events::default(), file, persistence: None }
    }

    /// Opens the saved conversation.
    pub(crate) async fn open(&self) -> Session {
        let root = self.home.home_dir().display().to_string();
        let directories = Directories::resolve(|name| (name == "HOME").then(|| root.clone())).unwrap();
        let resume = || Persistence::Resume(self.file.display().to_string());
        let options = SessionOptions {
            tools: ToolFilter::None,
            persistence: self.persistence.clone().unwrap_or_else(resume),
            ..SessionOptions::new(self.home.work_dir(), directories, Arc::new(NoEnvironment))
        };
        Session::open(options, Box::new(self.events.clone())).await.unwrap()
    }

    /// The entries of the saved conversation, as they are now.
    pub(crate) fn entries(&self) -> Vec<Value> {
        let text = std::fs::read_to_string(&self.file).unwrap();
        text.lines().skip(1).map(|line| serde_json::from_str(line).unwrap()).collect()
    }

    /// The messages of a request.
    pub(crate) fn messages(&self, request: usize) -> Vec<Value> {
        self.server.requests()[request].body["messages"].as_array().unwrap().clone()
    }
}

/// Says something and waits for the answer.
pub(crate) async fn say(session: &Session, text: &str) {
    session.prompt(Prompt::text(text), Default::default()).await.unwrap();
}

/// A conversation to be saved.
#[derive(Default)]
pub(crate) struct Talk(Vec<Value>);

impl Talk {
    pub(crate) fn add(&mut self, mut entry: Value) {
        let parent = self.0.last().map(|entry| entry["id"].clone());
        entry["id"] = json!(format!("e{}", self.0.len()));
        entry["parentId"] = parent.unwrap_or(Value::Null);
        entry["timestamp"] = json!("2026-01-01T00:00:00.000Z");
        self.0.push(entry);
    }

    pub(crate) fn message(mut self, message: &Value) -> Self {
        self.add(json!({ "type": "message", "message": message }));
        self
    }

    pub(crate) fn user(self, text: &str) -> Self {
        self.message(&json!({ "role": "user", "content": text }))
    }

    pub(crate) fn answer(self, text: &str) -> Self {
        self.message(&json!({ "role": "assistant", "api": "x", "provider": "test", "model": "m",
            "stopReason": "stop", "content": [{ "type": "text", "text": text }] }))
    }

    /// A call and its result.
    pub(crate) fn called(self, id: &str, result: &str) -> Self {
        let call = json!({ "role": "assistant", "api": "x", "provider": "test", "model": "m",
            "stopReason": "toolUse",
            "content": [{ "type": "toolCall", "id": id, "name": "bash", "arguments": { "command": "ls" } }] });
        let result = json!({ "role": "toolResult", "toolCallId": id, "toolName": "bash", "isError": false,
            "content": [{ "type": "text", "text": result }] });
        self.message(&call).message(&result)
    }

    fn lines(&self, cwd: &str) -> String {
        let header = json!({ "type": "session", "version": 3, "id": "old", "timestamp": "2026-01-01T00:00:00.000Z",
            "cwd": cwd });
        let lines = std::iter::once(&header).chain(&self.0).map(|line| format!("{line}\n"));
        lines.collect()
    }
}

/// A text of about so many tokens.
pub(crate) fn words(tokens: usize) -> String {
    "word ".repeat(tokens)
}

/// All text of a message, whatever the wire calls it.
pub(crate) fn text(message: &Value) -> String {
    match &message["content"] {
        Value::String(text) => text.clone(),
        Value::Array(parts) => parts.iter().filter_map(|part| part["text"].as_str()).collect(),
        _ => String::new(),
    }
}
