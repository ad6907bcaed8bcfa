//! A project directory and the tools in it.
#![allow(dead_code, reason = "each test file uses its share")]

#[path = "../../../../omp-documents/tests/support/files.rs"]
pub(crate) mod files;
pub(crate) mod machine;
#[path = "../../../../omp-workspace/tests/support/pictures.rs"]
pub(crate) mod pictures;
pub(crate) mod servers;
pub(crate) mod session;

use std::path::{Path, PathBuf};
use std::sync::Arc;
use std::time::{Duration, SystemTime};

use omp_agent::{Invocation, Tool, ToolError, Updates};
use omp_shell::{Environment, Scope};
use omp_tools::{Context, Resources, Settings, builtin};
use omp_types::{ToolOutput, UserBlock};
use serde_json::{Map, Value};
use tokio_util::sync::CancellationToken;

pub(crate) struct Project {
    directory: tempfile::TempDir,
    pub(crate) scope: Arc<Scope>,
    pub(crate) settings: Settings,
    pub(crate) environment: Environment,
    pub(crate) resources: Resources,
}

impl Project {
    pub(crate) fn new() -> Self {
        let path = std::env::var_os("PATH").unwrap();
        Self {
            directory: tempfile::tempdir().unwrap(),
            scope: Arc::new(Scope::new()),
            settings: Settings::default(),
            environment: [("PATH", path)].into_iter().collect(),
            resources: Resources::default(),
        }
    }

    /// The directory of the project, which lies beside a home.
    pub(crate) fn path(&self) -> PathBuf {
        let path = self.directory.path().join("project");
        std::fs::create_dir_all(&path).unwrap();
        path
    }

    pub(crate) fn home(&self) -> PathBuf {
        let path = self.directory.path().join("home");
        std::fs::create_dir_all(&path).unwrap();
        path
    }

    pub(crate) fn file(&self, name: &str, content: impl AsRef<[u8]>) -> PathBuf {
        let path = self.path().join(name);
        std::fs::create_dir_all(path.parent().unwrap()).unwrap();
        std::fs::write(&path, content).unwrap();
        path
    }

    pub(crate) fn content(&self, name: &str) -> Vec<u8> {
        std::fs::read(self.path().join(name)).unwrap()
    }

    pub(crate) fn tool(&self, name: &str) -> Arc<dyn Tool> {
        let (scope, environment) = (self.scope.clone(), self.environment.clone());
        let mut context = Context::new(self.path(), Some(self.home()), scope, environment);
        context.settings = self.settings.clone();
        context.now = now;
        context.resources = self.resources.clone();
        let tools = builtin(&Arc::new(context));
        tools.into_iter().find(|tool| tool.definition().name == name).unwrap()
    }

    pub(crate) async fn call(&self, tool: &str, arguments: Value) -> Result<ToolOutput, ToolError> {
        self.tool(tool).run(invocation(&arguments, CancellationToken::new(), Updates::ignored())).await
    }

    pub(crate) async fn read(&self, path: &str) -> String {
        text(&self.read_output(path).await)
    }

    pub(crate) async fn read_output(&self, path: &str) -> ToolOutput {
        self.call("read", serde_json::json!({ "path": path })).await.unwrap()
    }

    pub(crate) async fn read_error(&self, path: &str) -> String {
        self.call("read", serde_json::json!({ "path": path })).await.unwrap_err().message
    }
}

/// A fixed clock.
pub(crate) fn now() -> SystemTime {
    SystemTime::UNIX_EPOCH + Duration::from_secs(2_000_000_000)
}

pub(crate) fn invocation(arguments: &Value, cancel: CancellationToken, updates: Updates) -> Invocation {
    let arguments: Map<String, Value> = arguments.as_object().unwrap().clone();
    Invocation { id: "call-1".into(), arguments, cancel, updates }
}

pub(crate) fn text(output: &ToolOutput) -> String {
    output.content.iter().filter_map(UserBlock::as_text).collect::<Vec<_>>().join("\n")
}

/// `details.meta` of a result.
pub(crate) fn meta(output: &ToolOutput) -> Value {
    output.details.as_ref().unwrap()["meta"].clone()
}

pub(crate) fn numbered(lines: u64) -> String {
    (1..=lines).map(|number| format!("line {number}\n")).collect()
}

pub(crate) fn set_age(path: &Path, seconds: u64) {
    std::fs::File::open(path).unwrap().set_modified(now() - Duration::from_secs(seconds)).unwrap();
}
