//! `resolve`: the decision about a change that was shown.

use std::sync::Arc;

use futures_util::FutureExt;
use futures_util::future::BoxFuture;
use omp_agent::{Invocation, Note, Scheduling, Tool, ToolError};
use omp_types::{Approval, ApprovalDetail, BuiltinTool, ToolDefinition, ToolOutput, builtin};
use serde::Deserialize;
use serde_json::{Map, Value, json};

use crate::pending::{Decision, PendingAction};
use crate::reach::Closing;
use crate::{Context, approval, lsp};

pub(crate) const TOOL: &BuiltinTool = &builtin::RESOLVE;

/// The kind of the message that asks for a decision.
const REMINDER: &str = "resolve-reminder";

pub(crate) struct Resolve {
    definition: ToolDefinition,
    context: Arc<Context>,
}

#[derive(Deserialize)]
struct Arguments {
    action: Action,
    reason: String,
    extra: Option<Map<String, Value>>,
}

#[derive(Clone, Copy, Deserialize, PartialEq, Eq)]
#[serde(rename_all = "lowercase")]
enum Action {
    Apply,
    Discard,
}

impl Action {
    fn word(self) -> &'static str {
        match self {
            Self::Apply => "apply",
            Self::Discard => "discard",
        }
    }
}

impl Resolve {
    pub(crate) fn new(context: Arc<Context>) -> Self {
        let definition = context.settings.wording.describe(TOOL, include_str!("tool.md"));
        Self { definition, context }
    }
}

impl Tool for Resolve {
    fn definition(&self) -> &ToolDefinition {
        &self.definition
    }

    /// Applying is what changes files; the preview did not. Without a preview there is only a plan to hand in, which a
    /// person decides about.
    fn approval(&self, arguments: &Map<String, Value>) -> Option<Approval> {
        let applies = arguments.get("action").is_none_or(|action| action != "discard");
        let previewed = self.context.pending.first_label().is_some();
        Some(match applies && previewed {
            true => self.context.agree(TOOL.name, arguments, &self.context.pending.first_files()),
            false => Approval::READ,
        })
    }

    fn files(&self, arguments: &Map<String, Value>) -> Vec<String> {
        if arguments.get("action").is_some_and(|action| action == "discard") {
            return Vec::new();
        }
        self.context.pending.first_files().iter().map(|path| path.display().to_string()).collect()
    }

    fn approval_details(&self, _arguments: &Map<String, Value>) -> Vec<ApprovalDetail> {
        let files = self.context.pending.first_files();
        let typed: Vec<String> = files.iter().map(|file| self.context.base().display(file)).collect();
        approval::paths(&self.context, typed.iter().map(|typed| ("Path", typed.as_str())))
    }

    fn scheduling(&self, _arguments: &Map<String, Value>) -> Scheduling {
        Scheduling::Exclusive
    }

    fn demand(&self) -> Option<Note> {
        let label = self.context.pending.first_label()?;
        let text = include_str!("reminder.md").trim().replace("{{label}}", &label);
        Some(Note { custom_type: REMINDER, text: text.into() })
    }

    fn run<'a>(&'a self, call: Invocation) -> BoxFuture<'a, Result<ToolOutput, ToolError>> {
        let context = self.context.clone();
        async move {
            let _agreed = Closing(&self.context);
            let arguments: Arguments = crate::arguments(call.arguments)?;
            let result = crate::blocking(move || decide(&context, arguments)).await;
            lsp::after(&self.context, lsp::Occasion::Edit, result, &call.cancel).await
        }
        .boxed()
    }
}

fn decide(context: &Context, arguments: Arguments) -> Result<ToolOutput, ToolError> {
    let Some(pending) = context.pending.next() else {
        return Err(ToolError::new("No pending action to resolve. Nothing to apply or discard."));
    };
    let Arguments { action, reason, extra } = arguments;
    let decision = Decision { reason, extra };
    let result = match (action, &pending.reject) {
        (Action::Apply, _) => (pending.apply)(&decision).map_err(|error| ToolError {
            message: format!("Apply failed: {}", error.message),
            details: error.details,
        })?,
        (Action::Discard, Some(reject)) => reject(&decision)?,
        (Action::Discard, None) => {
            let reason = &decision.reason;
            ToolOutput::text(format!("Discarded: {}. Reason: {reason}", pending.label))
        }
    };
    context.pending.settle(&pending);
    Ok(with_facts(result, &pending, action, decision))
}

/// The result with who decided what.
fn with_facts(result: ToolOutput, pending: &PendingAction, action: Action, decision: Decision) -> ToolOutput {
    let mut facts = json!({
        "action": action.word(),
        "reason": decision.reason,
        "sourceToolName": pending.source,
        "label": pending.label,
    });
    if let Some(extra) = decision.extra {
        facts["extra"] = Value::Object(extra);
    }
    if let Some(details) = &result.details {
        facts["sourceResultDetails"] = details.clone();
    }
    result.with_details(facts)
}
