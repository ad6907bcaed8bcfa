//! MCP servers, through the program: a scripted server that the user or a project has configured, and what becomes of it.

mod approving;
mod asking;
mod calling;
mod completing;
mod configuring;
mod edges;
mod listing;
mod living;
mod panel;
mod remote;

use std::path::PathBuf;
use std::time::{Duration, Instant};

use omp_testkit::{Home, Reply, Server, Wire, mcp_server};
use serde_json::{Value, json};

use crate::sessions::{lines, session_files};
use crate::support::{home, omp_run};

/// A home with scripted servers.
pub(crate) struct McpHome {
    pub(crate) home: Home,
    pub(crate) server: Server,
}

impl McpHome {
    /// A user whose model gives these replies.
    pub(crate) fn new(replies: impl IntoIterator<Item = Reply>) -> Self {
        let server = Server::start(replies.into_iter().collect::<Vec<_>>());
        Self { home: home(&server, Wire::OpenAiCompletions), server }
    }

    /// What a server offers and does, from now on.
    pub(crate) fn script(&self, name: &str, spec: &Value) -> PathBuf {
        self.home.write(format!("{name}.json"), spec.to_string())
    }

    /// The entry of a server that does what `script` says.
    pub(crate) fn entry(&self, name: &str) -> Value {
        json!({"command": "python3", "args": [mcp_server(), self.home.path(format!("{name}.json"))]})
    }

    /// Servers in the user's file, each with its script.
    pub(crate) fn user<const N: usize>(self, servers: [(&str, Value); N]) -> Self {
        let mut entries = json!({});
        for (name, spec) in servers {
            self.script(name, &spec);
            entries[name] = self.entry(name);
        }
        self.write_user(&entries);
        self
    }

    /// The same, and all of them have been connected before: what they offer is known from the start, however busy the
    /// machine is.
    pub(crate) fn known<const N: usize>(self, servers: [(&str, Value); N]) -> Self {
        let names = servers.each_ref().map(|(name, _)| (*name).to_owned());
        let this = self.user(servers);
        names.iter().for_each(|name| this.connect(name));
        this
    }

    /// Connects once, by hand.
    pub(crate) fn connect(&self, name: &str) {
        omp_run(&self.home, &["mcp", "test", name]).assert_success();
    }

    pub(crate) fn write_user(&self, entries: &Value) {
        self.home.write("home/.omp/agent/mcp.json", json!({"mcpServers": entries}).to_string());
    }

    /// Lines that a server has received, and when it was started.
    pub(crate) fn log(&self, name: &str) -> Vec<String> {
        let path = format!("{name}.json.log");
        match self.home.exists(&path) {
            true => self.home.read(path).lines().map(str::to_owned).collect(),
            false => Vec::new(),
        }
    }

    /// How often a server was started.
    pub(crate) fn starts(&self, name: &str) -> usize {
        self.log(name).iter().filter(|line| line.starts_with("started")).count()
    }

    /// Requests of one method that a server has received.
    pub(crate) fn received(&self, name: &str, method: &str) -> Vec<Value> {
        let log = self.log(name);
        let messages = log.iter().filter_map(|line| serde_json::from_str::<Value>(line).ok());
        messages.filter(|message| message["method"] == method).collect()
    }

    /// Runs one prompt; the run succeeds.
    pub(crate) fn ask(&self, arguments: &[&str]) -> omp_testkit::Output {
        let output = omp_run(&self.home, &[&["-p", "go"], arguments].concat());
        output.assert_success();
        output
    }

    /// The names of the tools in one request.
    pub(crate) fn offered(&self, request: usize) -> Vec<String> {
        let body = &self.server.requests()[request].body;
        let tools = body["tools"].as_array().cloned().unwrap_or_default();
        tools.iter().map(|tool| tool["function"]["name"].as_str().unwrap().to_owned()).collect()
    }

    /// The tools of servers in one request.
    pub(crate) fn offered_mcp(&self, request: usize) -> Vec<String> {
        self.offered(request).into_iter().filter(|name| name.starts_with("mcp__")).collect()
    }

    /// What the model was told about its calls, in the whole session.
    pub(crate) fn results(&self) -> Vec<(String, bool, Value)> {
        let saved = session_files(&self.home).into_iter().flat_map(|file| lines(&file));
        let results = saved.filter(|line| line["message"]["role"] == "toolResult");
        let result = |line: Value| {
            let message = &line["message"];
            let blocks = message["content"].as_array().unwrap();
            let texts: Vec<&str> = blocks.iter().filter_map(|block| block["text"].as_str()).collect();
            (texts.join("\n"), message["isError"] == true, message["details"].clone())
        };
        results.map(result).collect()
    }
}

/// Waits for something that happens elsewhere.
pub(crate) fn until(what: &str, mut is_so: impl FnMut() -> bool) {
    let begun = Instant::now();
    while !is_so() {
        assert!(begun.elapsed() < Duration::from_secs(60), "never {what}");
        std::thread::sleep(Duration::from_millis(20));
    }
}

/// A call by the model.
pub(crate) fn call(tool: &str, arguments: Value) -> Reply {
    let mut arguments = arguments;
    arguments["_i"] = json!("x");
    Reply::new().tool_call(tool, arguments)
}

pub(crate) fn done() -> Reply {
    Reply::new().text("done")
}

pub(crate) fn weather() -> Value {
    json!({"tools": [{
        "name": "weather",
        "description": "Tells the weather",
        "inputSchema": {"type": "object", "properties": {"city": {"type": "string"}}, "required": ["city"]},
    }]})
}
