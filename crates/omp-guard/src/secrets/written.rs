//! Events as they are shown, kept and recorded: no secret in any of their parts.

use std::sync::Arc;

use omp_types::{AgentEvent, Message, ToolOutput, UserBlock};
use serde_json::Value;

use super::{Secrets, rewritten};

impl Secrets {
    /// The event without secrets. What streams is passed on as it comes: a model knows only what it was told.
    pub fn event(&self, event: AgentEvent) -> AgentEvent {
        match event {
            AgentEvent::MessageStart { message } => AgentEvent::MessageStart { message: self.kept(message) },
            AgentEvent::MessageEnd { message } => AgentEvent::MessageEnd { message: self.kept(message) },
            AgentEvent::TurnEnd { message, tool_results } => AgentEvent::TurnEnd {
                message: self.kept(message),
                tool_results: tool_results.into_iter().map(|result| self.kept(result)).collect(),
            },
            AgentEvent::AgentEnd { messages } => AgentEvent::AgentEnd {
                messages: messages.into_iter().map(|message| self.kept(message)).collect(),
            },
            AgentEvent::ToolExecutionStart { tool_call_id, tool_name, args, intent } => {
                let args = self.json(&args).unwrap_or(args);
                let intent = intent.map(|intent| self.masked(&intent).into_owned());
                AgentEvent::ToolExecutionStart { tool_call_id, tool_name, args, intent }
            }
            AgentEvent::ToolExecutionUpdate { tool_call_id, tool_name, partial_result } => {
                let partial_result = self.output(partial_result);
                AgentEvent::ToolExecutionUpdate { tool_call_id, tool_name, partial_result }
            }
            AgentEvent::ToolExecutionEnd { tool_call_id, tool_name, result, is_error } => {
                let result = self.output(result);
                AgentEvent::ToolExecutionEnd { tool_call_id, tool_name, result, is_error }
            }
            AgentEvent::AutoRetryStart { attempt, max_attempts, delay_ms, error_message } => {
                let error_message = self.masked(&error_message).into_owned();
                AgentEvent::AutoRetryStart { attempt, max_attempts, delay_ms, error_message }
            }
            AgentEvent::Notice { message } => {
                AgentEvent::Notice { message: self.masked(&message).into_owned() }
            }
            other => other,
        }
    }

    /// The message as it is kept.
    pub fn kept(&self, message: Arc<Message>) -> Arc<Message> {
        let masked = self.message(&message);
        let mut kept = masked.unwrap_or_else(|| Message::clone(&message));
        let changed = match &mut kept {
            Message::ToolResult(result) => self.mask_details(&mut result.details),
            Message::Custom(custom) => self.mask_details(&mut custom.details),
            Message::Assistant(answer) => {
                let hidden = answer.error_message.as_deref().and_then(|error| self.obfuscate(error));
                let changed = hidden.is_some();
                answer.error_message = hidden.or(answer.error_message.take());
                changed
            }
            Message::User(_) => false,
        };
        if changed || kept != *message { Arc::new(kept) } else { message }
    }

    fn mask_details(&self, details: &mut Option<Value>) -> bool {
        let masked = details.as_ref().and_then(|details| self.json(details));
        let changed = masked.is_some();
        *details = masked.or(details.take());
        changed
    }

    fn output(&self, mut output: ToolOutput) -> ToolOutput {
        for block in &mut output.content {
            if let UserBlock::Text(block) = block
                && let Some(text) = self.obfuscate(&block.text)
            {
                block.text = text;
            }
        }
        self.mask_details(&mut output.details);
        output
    }

    /// A value with its texts masked; `None` if nothing changes.
    fn json(&self, value: &Value) -> Option<Value> {
        rewritten(value, &|text| self.obfuscate(text))
    }
}
