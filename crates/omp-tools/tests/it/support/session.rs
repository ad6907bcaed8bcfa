//! The tools of one session, which share what the model was shown.

use std::sync::Arc;

use omp_agent::{Tool, Updates};
use omp_tools::{Context, builtin};
use omp_types::ToolOutput;
use serde_json::json;
use tokio_util::sync::CancellationToken;

use super::{Project, invocation, text};

/// The tools of one session.
pub(crate) struct Session {
    pub(crate) project: Project,
    pub(crate) tools: Vec<Arc<dyn Tool>>,
}

impl Session {
    pub(crate) fn new() -> Self {
        Self::with(Project::new())
    }

    pub(crate) fn with(mut project: Project) -> Self {
        project.settings.edit.active = true;
        let (scope, environment) = (project.scope.clone(), project.environment.clone());
        let mut context = Context::new(project.path(), Some(project.home()), scope, environment);
        context.settings = project.settings.clone();
        context.resources = project.resources.clone();
        let tools = builtin(&Arc::new(context));
        Self { project, tools }
    }

    pub(crate) async fn call(&self, name: &str, arguments: serde_json::Value) -> Result<ToolOutput, String> {
        let tool = self.tools.iter().find(|tool| tool.definition().name == name).unwrap();
        let call = invocation(&arguments, CancellationToken::new(), Updates::ignored());
        tool.run(call).await.map_err(|error| error.message)
    }

    pub(crate) async fn read(&self, path: &str) -> String {
        text(&self.call("read", json!({ "path": path })).await.unwrap())
    }

    pub(crate) async fn edit(&self, input: &str) -> Result<String, String> {
        self.call("edit", json!({ "input": input })).await.map(|output| text(&output))
    }

    /// The `[PATH#TAG]` line of a read.
    pub(crate) async fn header(&self, path: &str) -> String {
        self.read(path).await.lines().next().unwrap().to_owned()
    }
}
