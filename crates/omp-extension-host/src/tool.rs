//! Tools of extensions, as the loop calls them.

use std::sync::{Arc, Weak};
use std::time::Duration;

use futures_util::FutureExt;
use futures_util::future::BoxFuture;
use omp_agent::{Invocation, McpOrigin, Scheduling, Tool, ToolError, ToolOrigin};
use omp_types::{Approval, ApprovalDetail, StrictHint, Tier, ToolDefinition, ToolOutput};
use serde::Deserialize;
use serde_json::{Map, Value, json};

use crate::extension::{Extension, ExtensionForm, lock};
use crate::extensions::Extensions;
use crate::registered::ToolSpec;

/// How long a tool that was cancelled may take to stop.
const STOPPING: Duration = Duration::from_secs(5);

/// How long it may take to say what a call would do.
const DESCRIBING: Duration = Duration::from_secs(2);

/// What a script says of a call before it runs.
#[derive(Debug, Default, Deserialize)]
#[serde(default)]
struct Described {
    lines: Vec<String>,
    tier: Option<String>,
}

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
    /// Carries out or drops what an extension wanted decided.
    pub async fn resolve_pending(
        &self,
        extension: u64,
        id: &str,
        applies: bool,
        reason: &str,
    ) -> Result<Option<ToolOutput>, ToolError> {
        let extension = self.by_id(extension).ok_or_else(|| ToolError::new("the extension has ended"))?;
        let action = if applies { "apply" } else { "reject" };
        let arguments = json!({"id": id, "action": action, "reason": reason});
        let mut said = extension.call("resolvePending", arguments, None).await.map_err(ToolError::new)?;
        self.say_if_ended(&extension);
        let failed = said["isError"] == true;
        let output = match said {
            Value::Null => return Ok(None),
            _ => serde_json::from_value::<ToolOutput>(said.take()),
        };
        let output = output.map_err(|error| ToolError::new(format!("the result cannot be read: {error}")))?;
        match failed {
            true => Err(ToolError::new(joined(&output))),
            false => Ok(Some(output)),
        }
    }

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
                let mut error = ToolError::new(joined(&output));
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

    /// What the script says of one call, where it has functions for that. Whoever asks waits, but not for ever.
    fn described(&self, arguments: &Map<String, Value>) -> Option<Described> {
        if !self.spec.asks_approval && !self.spec.describes_approval {
            return None;
        }
        let runtime = tokio::runtime::Handle::try_current().ok()?;
        let (sender, receiver) = std::sync::mpsc::channel();
        let extension = Arc::clone(&self.extension);
        let given = json!({"name": self.spec.name, "params": arguments});
        runtime.spawn(async move {
            let said = extension.call("describeApproval", given, Some(DESCRIBING)).await;
            let said = said.inspect_err(|reason| extension.fail("approval", reason));
            let _ = sender.send(said);
        });
        let said = receiver.recv_timeout(DESCRIBING).ok()?.ok()?;
        serde_json::from_value(said).ok()
    }
}

/// What a result says, as the reason of a failure.
pub(crate) fn joined(output: &ToolOutput) -> String {
    let text: Vec<&str> = output.content.iter().filter_map(|block| block.as_text()).collect();
    text.join("\n")
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
    fn approval(&self, arguments: &Map<String, Value>) -> Option<Approval> {
        let said = if self.spec.asks_approval { self.described(arguments) } else { None };
        let reason = self.spec.destructive.then(|| "the extension calls it destructive".into());
        let tier = self.tier(said.and_then(|said| said.tier).as_deref());
        Some(Approval { tier, reason, insists: false, hidden: false })
    }

    fn approval_details(&self, arguments: &Map<String, Value>) -> Vec<ApprovalDetail> {
        let detail = |label, value| ApprovalDetail { label, value };
        let mut details = vec![detail("Extension", self.extension.spec.name.clone())];
        let lines = match self.spec.describes_approval {
            true => self.described(arguments).map(|said| said.lines).unwrap_or_default(),
            false => Vec::new(),
        };
        if !lines.is_empty() {
            details.push(detail("Details", lines.join("\n")));
        } else if !arguments.is_empty() {
            let arguments = serde_json::to_string_pretty(arguments).unwrap_or_default();
            details.push(detail("Arguments", arguments));
        }
        details
    }

    fn run<'a>(&'a self, call: Invocation) -> BoxFuture<'a, Result<ToolOutput, ToolError>> {
        self.call(call).boxed()
    }
}
