//! A program with sessions, as one without a screen has them.

use std::path::{Path, PathBuf};
use std::sync::Arc;

use omp_commands::{Answer, CommandContext, call};
use omp_sdk::{
    Directories, Environment, Host, Listener, Outfit, PageTheme, Persistence, Prompt, SessionError,
    SessionOptions,
};
use omp_testkit::{Home, Reply, Scenario, Server, Wire};
use omp_types::AgentEvent;
use serde_json::Value;

struct Nobody;

impl Listener for Nobody {
    fn event(&mut self, _event: AgentEvent) {}
}

/// The variables of a test.
#[derive(Default)]
pub(crate) struct Variables(pub(crate) Vec<(&'static str, String)>);

impl Environment for Variables {
    fn var(&self, name: &str) -> Option<String> {
        self.0.iter().find(|(known, _)| *known == name).map(|(_, value)| value.clone())
    }
}

struct Program {
    directories: Directories,
    environment: Arc<Variables>,
}

impl Outfit for Program {
    fn options(&self, cwd: &Path) -> Result<SessionOptions, SessionError> {
        let environment = Arc::clone(&self.environment) as Arc<dyn Environment>;
        Ok(SessionOptions::new(cwd.to_owned(), self.directories.clone(), environment))
    }

    fn listener(&self) -> Box<dyn Listener> {
        Box::new(Nobody)
    }
}

/// A session and the model behind it.
pub(crate) struct Room {
    pub(crate) context: CommandContext,
    pub(crate) server: Server,
    pub(crate) home: Home,
}

impl Room {
    pub(crate) async fn new(replies: impl IntoIterator<Item = Reply>) -> Self {
        Self::with(replies, Persistence::New, Variables::default(), |_| {}).await
    }

    pub(crate) async fn in_memory(replies: impl IntoIterator<Item = Reply>) -> Self {
        Self::with(replies, Persistence::Off, Variables::default(), |_| {}).await
    }

    pub(crate) async fn with(
        replies: impl IntoIterator<Item = Reply>,
        persistence: Persistence,
        variables: Variables,
        prepare: impl FnOnce(&Home),
    ) -> Self {
        Self::on(Wire::OpenAiCompletions, replies, persistence, variables, prepare).await
    }

    /// With models of another wire.
    pub(crate) async fn on(
        wire: Wire,
        replies: impl IntoIterator<Item = Reply>,
        persistence: Persistence,
        variables: Variables,
        prepare: impl FnOnce(&Home),
    ) -> Self {
        let server = Server::start(Scenario::replies(replies).keyless(true));
        let home = Home::new();
        let (base, api) = (server.base_url_for(wire), wire.api());
        let models = "[{id: a}, {id: b}]";
        home.write(
            "home/.omp/agent/models.yml",
            format!(
                "providers:\n  openai:\n    baseUrl: {base}\n    api: {api}\n    auth: none\n    models: {models}\n"
            ),
        );
        prepare(&home);
        Self::start(home, server, persistence, variables, "openai/a").await
    }

    /// With everything prepared.
    pub(crate) async fn start(
        home: Home,
        server: Server,
        persistence: Persistence,
        variables: Variables,
        model: &str,
    ) -> Self {
        let root = home.home_dir().display().to_string();
        let directories = Directories::resolve(|name| (name == "HOME").then(|| root.clone())).unwrap();
        let program = Arc::new(Program { directories, environment: Arc::new(variables) });
        let first = SessionOptions {
            persistence,
            model: omp_sdk::ModelOptions::named(model),
            ..program.options(&home.work_dir()).unwrap()
        };
        let host = Arc::new(Host::start(program, first).await.unwrap());
        Self { context: CommandContext { host, theme: PageTheme::default() }, server, home }
    }

    /// What a line is answered with.
    pub(crate) async fn ask(&self, line: &str) -> Answer {
        let call = call(line).unwrap_or_else(|| panic!("{line} is no command"));
        omp_commands::answer(&self.context, &call).await
    }

    /// The text of the answer.
    pub(crate) async fn text(&self, line: &str) -> String {
        self.ask(line).await.text().unwrap_or_default()
    }

    /// Has the model answer.
    pub(crate) async fn say(&self, text: &str) {
        self.context.host.session().prompt(Prompt::text(text), Default::default()).await.unwrap();
    }

    pub(crate) fn file(&self) -> PathBuf {
        self.context.host.session().file().expect("a saved session")
    }

    /// The body of the last request.
    pub(crate) fn request(&self) -> Value {
        self.server.requests().last().expect("a request").body.clone()
    }
}

/// The entries of a session file.
pub(crate) fn lines(path: &Path) -> Vec<Value> {
    let text = std::fs::read_to_string(path).unwrap();
    text.lines().map(|line| serde_json::from_str(line).unwrap()).collect()
}
