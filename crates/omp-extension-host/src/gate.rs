//! Extensions in front of the approval of calls, and behind the calls.

use std::collections::HashMap;
use std::sync::{Arc, Mutex};

use futures_util::future::BoxFuture;
use omp_agent::{Decision, Gate, PendingCall, Tool, ToolError};
use omp_types::{ToolCall, ToolOutput, UserBlock};
use serde_json::{Map, Value, json};

use crate::event::EventName;
use crate::extension::lock;
use crate::extensions::Extensions;

/// Calls that are remembered between their beginning and their end.
const MOST_CALLS: usize = 1_000;

/// The same gate with extensions around it.
pub fn gate(inner: Arc<dyn Gate>, extensions: &Arc<Extensions>) -> Arc<dyn Gate> {
    Arc::new(ExtensionGate { inner, extensions: Arc::clone(extensions), calls: Mutex::default() })
}

struct ExtensionGate {
    inner: Arc<dyn Gate>,
    extensions: Arc<Extensions>,
    /// What is known of running calls.
    calls: Mutex<HashMap<String, Begun>>,
}

/// The arguments of a running call, and what is said to the model with its result.
type Begun = (Map<String, Value>, Vec<String>);

impl ExtensionGate {
    fn listens(&self) -> bool {
        self.extensions.listens(EventName::ToolCall) || self.extensions.listens(EventName::ToolResult)
    }

    async fn ask(&self, call: &ToolCall, arguments: &Map<String, Value>) -> Result<(), ToolError> {
        let context = match self.extensions.listens(EventName::ToolCall) {
            true => {
                let input = Value::Object(arguments.clone());
                self.extensions.tool_call(&call.id, &call.name, &input).await.map_err(ToolError::new)?
            }
            false => Vec::new(),
        };
        let mut calls = lock(&self.calls);
        // Calls that were given up before they ran are of no use any more.
        if calls.len() >= MOST_CALLS {
            calls.clear();
        }
        calls.insert(call.id.clone(), (arguments.clone(), context));
        Ok(())
    }

    async fn tell(
        &self,
        call: &ToolCall,
        mut result: Result<ToolOutput, ToolError>,
    ) -> Result<ToolOutput, ToolError> {
        let begun = lock(&self.calls).remove(&call.id);
        let (arguments, context) = begun.unwrap_or_else(|| (call.arguments.clone(), Vec::new()));
        if self.extensions.listens(EventName::ToolResult) {
            let (content, details) = match &result {
                Ok(output) => (output.content.clone(), output.details.clone()),
                Err(error) => (vec![UserBlock::text(error.message.clone())], error.details.clone()),
            };
            let original = json!({
                "type": EventName::ToolResult.name(), "toolCallId": call.id, "toolName": call.name,
                "input": arguments, "content": content, "details": details, "isError": result.is_err(),
            });
            let change = self.extensions.tool_result(original, &call.name).await;
            let is_error = change.is_error.unwrap_or(result.is_err());
            let content = change.content.unwrap_or(content);
            let details = change.details.or(details);
            result = match is_error {
                false => Ok(ToolOutput { content, details }),
                true => {
                    let text: Vec<&str> = content.iter().filter_map(UserBlock::as_text).collect();
                    Err(ToolError { message: text.join("\n"), details })
                }
            };
        }
        for words in context {
            let words = format!("<extension>\n{}\n</extension>", words.trim_end());
            match &mut result {
                Ok(output) => output.content.push(UserBlock::text(words)),
                Err(error) => error.message = format!("{}\n\n{words}", error.message),
            }
        }
        result
    }
}

impl Gate for ExtensionGate {
    fn before<'a>(
        &'a self,
        tool: &'a Arc<dyn Tool>,
        call: &'a ToolCall,
        arguments: Map<String, Value>,
    ) -> BoxFuture<'a, Result<Map<String, Value>, ToolError>> {
        Box::pin(async move {
            let arguments = self.inner.before(tool, call, arguments).await?;
            if self.listens() {
                self.ask(call, &arguments).await?;
            }
            Ok(arguments)
        })
    }

    fn approve<'a>(&'a self, pending: &'a PendingCall<'a>) -> BoxFuture<'a, Decision> {
        Box::pin(async move {
            let decision = self.inner.approve(pending).await;
            if decision != Decision::Allow {
                lock(&self.calls).remove(&pending.call.id);
            }
            decision
        })
    }

    fn restore(&self, arguments: Map<String, Value>) -> Map<String, Value> {
        self.inner.restore(arguments)
    }

    fn after<'a>(
        &'a self,
        call: &'a ToolCall,
        result: Result<ToolOutput, ToolError>,
    ) -> BoxFuture<'a, Result<ToolOutput, ToolError>> {
        Box::pin(async move {
            let result = self.inner.after(call, result).await;
            match self.extensions.listens(EventName::ToolResult) || !lock(&self.calls).is_empty() {
                true => self.tell(call, result).await,
                false => result,
            }
        })
    }
}
