//! A project with language servers.

use std::path::PathBuf;
use std::sync::Arc;
use std::sync::mpsc;
use std::time::Duration;

use omp_agent::{Tool, ToolError, Updates};
use omp_history::History;
use omp_lsp::{Servers, Surroundings};
use omp_shell::{Environment, Scope};
use omp_testkit::LanguageServer;
use omp_tools::{Context, LanguageServers, LspSettings, Settings, builtin};
use omp_types::ToolOutput;
use serde_json::{Value, json};
use tokio::task::JoinHandle;
use tokio_util::sync::CancellationToken;

use super::{invocation, text};

/// Waits for what another process does, however the clock of the test goes.
pub(crate) async fn until(what: &str, is_so: impl Fn() -> bool) {
    for _ in 0..6_000 {
        if is_so() {
            return;
        }
        tokio::task::spawn_blocking(|| std::thread::sleep(Duration::from_millis(5))).await.unwrap();
    }
    panic!("{what} has not happened");
}

/// Lets everybody run who does not wait for another process.
pub(crate) async fn let_others_run() {
    for _ in 0..100 {
        tokio::task::yield_now().await;
    }
}

/// A clock that only moves when it is told to, while other processes go on.
pub(crate) struct StoppedClock {
    _running: mpsc::Sender<()>,
}

impl StoppedClock {
    pub(crate) fn stop() -> Self {
        tokio::time::pause();
        let (sender, receiver) = mpsc::channel::<()>();
        // The clock of a test jumps ahead when everybody waits, unless something runs.
        tokio::task::spawn_blocking(move || receiver.recv());
        Self { _running: sender }
    }

    pub(crate) async fn forward(&self, milliseconds: u64) {
        tokio::time::advance(Duration::from_millis(milliseconds)).await;
        let_others_run().await;
    }
}

impl Drop for StoppedClock {
    fn drop(&mut self) {
        tokio::time::resume();
    }
}

/// A range on one line, as servers write it.
pub(crate) fn range(line: u32, from: u32, to: u32) -> Value {
    json!({"start": {"line": line, "character": from}, "end": {"line": line, "character": to}})
}

/// A place in a file of the project, as servers write it.
pub(crate) fn location(file: &str, line: u32, from: u32, to: u32) -> Value {
    json!({"uri": format!("${{root}}/{file}"), "range": range(line, from, to)})
}

/// New text in the place of old, as servers write it.
pub(crate) fn text_edit(line: u32, from: u32, to: u32, text: &str) -> Value {
    json!({"range": range(line, from, to), "newText": text})
}

/// A call under way.
pub(crate) type Begun = JoinHandle<Result<ToolOutput, ToolError>>;

/// A project before its session begins.
pub(crate) struct Bench {
    directory: tempfile::TempDir,
    pub(crate) settings: LspSettings,
    pub(crate) tools: Settings,
    pub(crate) history: Option<Arc<History>>,
    pub(crate) path: Option<String>,
    pub(crate) variables: Vec<(String, String)>,
}

/// A session in it.
pub(crate) struct Seat {
    pub(crate) context: Arc<Context>,
    pub(crate) desk: Arc<LanguageServers>,
}

impl Bench {
    pub(crate) fn new() -> Self {
        let bench = Self {
            directory: tempfile::tempdir().unwrap(),
            settings: LspSettings::default(),
            tools: Settings::default(),
            history: None,
            path: None,
            variables: Vec::new(),
        };
        for name in ["home", "project", "bin"] {
            std::fs::create_dir(bench.at(name)).unwrap();
        }
        bench
    }

    /// A path below the whole.
    pub(crate) fn at(&self, name: &str) -> PathBuf {
        // The system's own directory for temporary files may be a link.
        self.directory.path().canonicalize().unwrap().join(name)
    }

    pub(crate) fn project(&self) -> PathBuf {
        self.at("project")
    }

    pub(crate) fn file(&self, name: &str, content: impl AsRef<[u8]>) -> PathBuf {
        let path = self.project().join(name);
        std::fs::create_dir_all(path.parent().unwrap()).unwrap();
        std::fs::write(&path, content).unwrap();
        path
    }

    pub(crate) fn content(&self, name: &str) -> String {
        std::fs::read_to_string(self.project().join(name)).unwrap()
    }

    /// A server for `.fake` files that the project configures. `more` are further fields of its entry.
    pub(crate) fn server(&self, name: &str, script: &Value, more: &Value) -> LanguageServer {
        let server = LanguageServer::install(&self.at("bin"), name, script);
        let path = self.project().join("lsp.json");
        let old = std::fs::read(&path).ok().and_then(|bytes| serde_json::from_slice(&bytes).ok());
        let mut config: Value = old.unwrap_or_else(|| json!({"servers": {}}));
        let mut entry =
            json!({"command": server.program(), "fileTypes": [".fake"], "rootMarkers": ["lsp.json"]});
        for (field, value) in more.as_object().unwrap() {
            entry[field] = value.clone();
        }
        config["servers"][name] = entry;
        std::fs::write(&path, config.to_string()).unwrap();
        server
    }

    /// One server for `.fake` files, and a session.
    pub(crate) fn with(script: &Value) -> (Self, LanguageServer, Seat) {
        let bench = Self::new();
        let server = bench.server("fake", script, &json!({}));
        let seat = bench.sit();
        (bench, server, seat)
    }

    /// A program that is no language server.
    pub(crate) fn program(&self, name: &str, script: &str) -> PathBuf {
        use std::os::unix::fs::PermissionsExt;
        let path = self.at("bin").join(name);
        std::fs::write(&path, format!("#!/bin/sh\n{script}\n")).unwrap();
        std::fs::set_permissions(&path, std::fs::Permissions::from_mode(0o755)).unwrap();
        path
    }

    /// Begins a session.
    pub(crate) fn sit(&self) -> Seat {
        let bin = self.at("bin");
        let path = self.path.clone().unwrap_or_else(|| format!("{}:/usr/bin:/bin", bin.display()));
        let mut environment: Environment = [("PATH", path)].into_iter().collect();
        environment.extend(self.variables.iter().cloned());
        let scope = Arc::new(Scope::new());
        let (home, project) = (self.at("home"), self.project());
        let mut context =
            Context::new(project.clone(), Some(home.clone()), scope.clone(), environment.clone());
        context.settings = self.tools.clone();
        context.settings.edit.active = true;
        context.history.clone_from(&self.history);
        let places = vec![home.clone(), home.join(".omp/agent"), project.join(".omp"), project.clone()];
        let servers = Servers::new(Surroundings {
            scope,
            environment,
            cwd: project,
            directories: Box::new(move || places.clone()),
            consent: Box::new(|| Ok(())),
        });
        let desk = Arc::new(LanguageServers::new(servers, self.settings));
        context.lsp = Some(desk.clone());
        Seat { context: Arc::new(context), desk }
    }
}

impl Seat {
    pub(crate) fn tool(&self, name: &str) -> Arc<dyn Tool> {
        let tools = builtin(&self.context).into_iter();
        tools.into_iter().find(|tool| tool.definition().name == name).unwrap()
    }

    pub(crate) async fn call(&self, tool: &str, arguments: Value) -> Result<ToolOutput, ToolError> {
        self.tool(tool).run(invocation(&arguments, CancellationToken::new(), Updates::ignored())).await
    }

    /// Begins a call of `lsp` that can be taken back.
    pub(crate) fn begin(&self, arguments: &Value) -> (Begun, CancellationToken) {
        self.begin_with("lsp", arguments)
    }

    /// Begins a call that can be taken back.
    pub(crate) fn begin_with(&self, tool: &str, arguments: &Value) -> (Begun, CancellationToken) {
        let (tool, cancel) = (self.tool(tool), CancellationToken::new());
        let call = invocation(arguments, cancel.clone(), Updates::ignored());
        (tokio::spawn(async move { tool.run(call).await }), cancel)
    }

    /// The whole result of the tool.
    pub(crate) async fn lsp(&self, arguments: Value) -> ToolOutput {
        self.call("lsp", arguments).await.unwrap()
    }

    /// The text of a result that is a success.
    pub(crate) async fn ask(&self, arguments: Value) -> String {
        let output = self.lsp(arguments).await;
        assert_eq!(output.details.as_ref().unwrap()["success"], true, "{}", text(&output));
        text(&output)
    }

    /// The text of a result that is none.
    pub(crate) async fn refused(&self, arguments: Value) -> String {
        let output = self.lsp(arguments).await;
        assert_eq!(output.details.as_ref().unwrap()["success"], false, "{}", text(&output));
        text(&output)
    }

    /// Ends the servers.
    pub(crate) async fn leave(self) {
        self.desk.servers.close().await;
        self.context.commands.scope.end().await;
    }
}
