//! Hooks in front of the approval of calls, and behind the calls.

use std::collections::HashMap;
use std::path::PathBuf;
use std::sync::{Arc, Mutex, MutexGuard, PoisonError};

use futures_util::future::BoxFuture;
use omp_agent::{Advice, Arguments, Decision as GateDecision, Gate, Passed, PendingCall, Tool, ToolError};
use omp_types::{ToolCall, ToolOutput, UserBlock};
use serde_json::{Map, Value};

use crate::decision::Verdict;
use crate::event::HookEvent;
use crate::session::{CallOutcome, Hooks};
use crate::vocabulary::Subject;

/// Calls that are remembered between their beginning and their end.
const MOST_CALLS: usize = 1_000;

/// The same gate with the hooks of the session around it; without hooks about calls the gate itself.
pub fn gate(inner: Arc<dyn Gate>, hooks: &Arc<Hooks>, cwd: PathBuf) -> Arc<dyn Gate> {
    if !hooks.has(HookEvent::PreToolUse) && !hooks.has(HookEvent::PostToolUse) {
        return inner;
    }
    Arc::new(HookedGate { inner, hooks: Arc::clone(hooks), cwd, calls: Mutex::default() })
}

struct HookedGate {
    inner: Arc<dyn Gate>,
    hooks: Arc<Hooks>,
    cwd: PathBuf,
    calls: Mutex<HashMap<String, Begun>>,
}

/// What is known of a call from before it ran.
struct Begun {
    arguments: Map<String, Value>,
    files: Vec<String>,
    advice: Option<Advice>,
    /// Words for the model that go with the result.
    context: Vec<String>,
}

impl HookedGate {
    fn calls(&self) -> MutexGuard<'_, HashMap<String, Begun>> {
        self.calls.lock().unwrap_or_else(PoisonError::into_inner)
    }

    fn remember(&self, id: &str, begun: Begun) {
        let mut calls = self.calls();
        // Calls that were given up before they ran are of no use any more.
        if calls.len() >= MOST_CALLS {
            calls.clear();
        }
        calls.insert(id.to_owned(), begun);
    }

    async fn ask_before(
        &self,
        tool: &Arc<dyn Tool>,
        call: &ToolCall,
        arguments: Map<String, Value>,
    ) -> Result<Map<String, Value>, ToolError> {
        let files = files(tool, &arguments).await;
        let (mut advice, mut context, mut wanted) = (None, Vec::new(), None);
        for subject in Subject::of_call(&call.name, &call.id, &arguments, &files, &self.cwd) {
            let decision = self.hooks.before_call(&subject).await;
            if let Some(reason) = decision.stop {
                return Err(ToolError::new(reason));
            }
            match decision.verdict {
                Verdict::Block(reason) => return Err(ToolError::new(reason)),
                Verdict::Ask(reason) => advice = Some(Advice::Ask(reason)),
                Verdict::Allow => advice = advice.or(Some(Advice::Allow)),
                // Whoever agrees to one file has not agreed to the others.
                Verdict::Proceed if advice == Some(Advice::Allow) => advice = None,
                Verdict::Proceed => {}
            }
            context.extend(decision.context);
            if let Some(input) = decision.input {
                wanted = Some(subject.our_arguments(input).map_err(ToolError::new)?);
            }
        }
        let arguments = wanted.unwrap_or(arguments);
        let begun = Begun { arguments: arguments.clone(), files, advice, context };
        self.remember(&call.id, begun);
        Ok(arguments)
    }

    async fn ask_after(
        &self,
        call: &ToolCall,
        mut result: Result<ToolOutput, ToolError>,
    ) -> Result<ToolOutput, ToolError> {
        let Some(begun) = self.calls().remove(&call.id) else { return result };
        add(&mut result, begun.context);
        if !self.hooks.has(HookEvent::PostToolUse) {
            return result;
        }
        let outcome = outcome(&result);
        for subject in Subject::of_call(&call.name, &call.id, &begun.arguments, &begun.files, &self.cwd) {
            let decision = self.hooks.after_call(&subject, &outcome).await;
            replace(&mut result, decision.content, decision.details);
            let complaint = match decision.verdict {
                Verdict::Block(reason) => Some(reason),
                Verdict::Proceed | Verdict::Allow | Verdict::Ask(_) => None,
            };
            add(&mut result, complaint.into_iter().chain(decision.context));
        }
        result
    }
}

impl Gate for HookedGate {
    fn behind(&self) -> Option<&dyn Gate> {
        Some(&*self.inner)
    }

    fn before<'a>(&'a self, tool: &'a Arc<dyn Tool>, call: &'a ToolCall, arguments: Arguments) -> Passed<'a> {
        Box::pin(async move {
            let arguments = self.inner.before(tool, call, arguments).await?;
            self.ask_before(tool, call, arguments).await
        })
    }

    fn approve<'a>(&'a self, pending: &'a PendingCall<'a>) -> BoxFuture<'a, GateDecision> {
        let advice = self.calls().get(&pending.call.id).and_then(|begun| begun.advice.clone());
        if let Some(advice) = advice {
            pending.advise(advice);
        }
        Box::pin(async move {
            let decision = self.inner.approve(pending).await;
            if decision != GateDecision::Allow {
                self.calls().remove(&pending.call.id);
            }
            decision
        })
    }

    fn after<'a>(
        &'a self,
        call: &'a ToolCall,
        result: Result<ToolOutput, ToolError>,
    ) -> BoxFuture<'a, Result<ToolOutput, ToolError>> {
        Box::pin(async move {
            let result = self.inner.after(call, result).await;
            self.ask_after(call, result).await
        })
    }
}

/// The files that a call names. A tool may look at the disk to find out.
async fn files(tool: &Arc<dyn Tool>, arguments: &Map<String, Value>) -> Vec<String> {
    let (tool, arguments) = (Arc::clone(tool), arguments.clone());
    tokio::task::spawn_blocking(move || tool.files(&arguments)).await.unwrap_or_default()
}

fn outcome(result: &Result<ToolOutput, ToolError>) -> CallOutcome {
    let content = match result {
        Ok(output) => output.content.clone(),
        Err(error) => vec![UserBlock::text(error.message.clone())],
    };
    let details = match result {
        Ok(output) => output.details.clone(),
        Err(error) => error.details.clone(),
    };
    let text = content.iter().filter_map(UserBlock::as_text).collect::<Vec<_>>().join("\n");
    let content = serde_json::to_value(&content).unwrap_or_default();
    CallOutcome { content, text, details: details.unwrap_or_default(), is_error: result.is_err() }
}

/// What stands instead of a result. A failure stays one.
fn replace(
    result: &mut Result<ToolOutput, ToolError>,
    content: Option<Vec<UserBlock>>,
    details: Option<Value>,
) {
    match result {
        Ok(output) => {
            output.content = content.unwrap_or(std::mem::take(&mut output.content));
            output.details = details.or(output.details.take());
        }
        Err(error) => {
            let text = |blocks: Vec<UserBlock>| {
                blocks.iter().filter_map(UserBlock::as_text).collect::<Vec<_>>().join("\n")
            };
            error.message = content.map(text).unwrap_or(std::mem::take(&mut error.message));
            error.details = details.or(error.details.take());
        }
    }
}

/// Words of hooks for the model, behind the result.
fn add(result: &mut Result<ToolOutput, ToolError>, words: impl IntoIterator<Item = String>) {
    for words in words {
        let words = format!("<hook>\n{}\n</hook>", words.trim_end());
        match result {
            Ok(output) => output.content.push(UserBlock::text(words)),
            Err(error) => error.message = format!("{}\n\n{words}", error.message),
        }
    }
}
