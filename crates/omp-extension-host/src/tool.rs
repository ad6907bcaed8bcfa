//! Tools of extensions, as the loop calls them.

use std::sync::{Arc, Weak};
use std::time::Duration;

use futures_util::FutureExt;
use futures_util::future::BoxFuture;
use omp_agent::{Invocation, McpOrigin, Scheduling, Tool, ToolError, ToolOrigin};
use omp_types::{Approval, ApprovalDetail, StrictHint, Tier, ToolDefinition, ToolOutput};
use serde_json::{Map, Value, json};

use crate::extension::{Extension, ExtensionForm, lock};
use crate::extensions::Extensions;
use crate::registered::ToolSpec;

/// How long a tool that was cancelled may take to stop.
const STOPPING: Duration = Duration::from_secs(5);

/// A tool that a script runs.
struct ScriptTool {
    spec: ToolSpec,
    definition: ToolDefinition,
    origin: ToolOrigin,
    extension: Arc<Extension>,
    extensions: Weak<Extensions>,
}

/// A tool of an extension, what is known of it, and what brought it.
pub type ScriptedTool = (ToolSpec, ExtensionForm, Arc<dyn Tool>);

impl Extensions {
    /// Every tool that an extension has registered, in order; of two with one name the first. `ours` knows the definition of a
    /// tool of the program that one of them wraps.
    pub fn tools_over(
        self: &Arc<Self>,
        ours: impl Fn(&ToolSpec) -> Option<ToolDefinition>,
    ) -> (Vec<ScriptedTool>, Vec<String>) {
        let (mut tools, mut clashes): (Vec<ScriptedTool>, _) = (Vec::new(), Vec::new());
        for extension in self.list() {
            for mut spec in extension.registered().tools {
                if tools.iter().any(|(other, ..)| other.name == spec.name) {
                    clashes.push(format!(
                        "{}: the tool {:?} is already registered by another extension",
                        extension.spec.name, spec.name
                    ));
                    continue;
                }
                if let Some(ToolDefinition { description, parameters, .. }) = ours(&spec) {
                    if spec.description.is_empty() {
                        spec.description = description;
                    }
                    spec.parameters = parameters.as_object().cloned().unwrap_or_default();
                }
                let tool = ScriptTool::new(spec.clone(), Arc::clone(&extension), Arc::downgrade(self));
                tools.push((spec, extension.spec.form.clone(), Arc::new(tool)));
            }
        }
        (tools, clashes)
    }
}

impl ScriptTool {
    fn new(spec: ToolSpec, extension: Arc<Extension>, extensions: Weak<Extensions>) -> Self {
        let mut parameters = spec.parameters.clone();
        parameters.entry("type").or_insert_with(|| "object".into());
        parameters.entry("properties").or_insert_with(|| json!({}));
        let mut definition =
            ToolDefinition::new(spec.name.clone(), spec.description.clone(), Value::Object(parameters));
        if !spec.strict {
            definition.strict = Some(StrictHint::Never);
        }
        let mcp = spec.mcp_server_name.clone().zip(spec.mcp_tool_name.clone());
        let origin = ToolOrigin {
            label: Some(spec.label.clone()),
            summary: None,
            mcp: mcp.map(|(server, tool)| McpOrigin { server, tool }),
        };
        Self { spec, definition, origin, extension, extensions }
    }

    async fn call(&self, call: Invocation) -> Result<ToolOutput, ToolError> {
        let extensions =
            self.extensions.upgrade().ok_or_else(|| ToolError::new("the extension has ended"))?;
        let facts = extensions.facts().ok_or_else(|| ToolError::new("there is no session"))?;
        let Invocation { id, arguments, cancel, updates } = call;
        lock(&self.extension.state.updates).insert(id.clone(), updates);
        let given = json!({"name": self.spec.name, "id": id, "params": arguments, "session": facts.value()});
        let answer = {
            let mut run = std::pin::pin!(self.extension.run_tool(given));
            tokio::select! {
                answer = &mut run => answer,
                () = cancel.cancelled() => {
                    let stop = json!({"id": id, "reason": "the call was aborted"});
                    let stopped = async {
                        let _ = self.extension.call("abort", stop, Some(STOPPING)).await;
                        run.await
                    };
                    let late = Err("the call was aborted".to_owned());
                    tokio::time::timeout(STOPPING, stopped).await.unwrap_or(late)
                }
            }
        };
        lock(&self.extension.state.updates).remove(&id);
        extensions.say_if_ended(&self.extension);
        let mut answer = answer.map_err(ToolError::new)?;
        let failed = answer["isError"] == true;
        let output: ToolOutput = serde_json::from_value(answer.take())
            .map_err(|error| ToolError::new(format!("the tool returned something unreadable: {error}")))?;
        match failed {
            true => {
                let text: Vec<&str> = output.content.iter().filter_map(|block| block.as_text()).collect();
                let mut error = ToolError::new(text.join("\n"));
                error.details = output.details;
                Err(error)
            }
            false => Ok(output),
        }
    }

    fn tier(&self, said: Option<&str>) -> Tier {
        match said.or(self.spec.approval.as_deref()) {
            Some("read") => Tier::Read,
            Some("write") => Tier::Write,
            _ => Tier::Exec,
        }
    }
}

impl Tool for ScriptTool {
    fn definition(&self) -> &ToolDefinition {
        &self.definition
    }

    fn origin(&self) -> Option<&ToolOrigin> {
        Some(&self.origin)
    }

    fn scheduling(&self, _: &Map<String, Value>) -> Scheduling {
        if self.spec.exclusive { Scheduling::Exclusive } else { Scheduling::Shared }
    }

    /// What the extension says of its tool. It is code that the user has agreed to, and may say how much it does.
    fn approval(&self, _: &Map<String, Value>) -> Option<Approval> {
        Some(Approval { tier: self.tier(None), reason: None, insists: false, hidden: false })
    }

    fn approval_details(&self, arguments: &Map<String, Value>) -> Vec<ApprovalDetail> {
        let detail = |label, value| ApprovalDetail { label, value };
        let mut details = vec![detail("Extension", self.extension.spec.name.clone())];
        if !arguments.is_empty() {
            let arguments = serde_json::to_string_pretty(arguments).unwrap_or_default();
            details.push(detail("Arguments", arguments));
        }
        details
    }

    fn run<'a>(&'a self, call: Invocation) -> BoxFuture<'a, Result<ToolOutput, ToolError>> {
        self.call(call).boxed()
    }
}
