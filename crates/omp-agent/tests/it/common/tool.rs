use std::sync::{Arc, Mutex};

use futures_util::FutureExt;
use futures_util::future::BoxFuture;
use omp_agent::{Inspection, Invocation, LineInput, Patience, Scheduling, Tool, ToolError};
use omp_types::{ToolDefinition, ToolOutput, ToolResultMessage, UserBlock};
use serde_json::{Map, Value, json};
use tokio::sync::Notify;

type Behaviour = Box<dyn Fn(Invocation) -> BoxFuture<'static, Result<ToolOutput, ToolError>> + Send + Sync>;

type Inspect = Box<dyn Fn(&Map<String, Value>) -> Inspection + Send + Sync>;

/// What happened, in order.
#[derive(Clone, Default)]
pub(crate) struct Trace(Arc<Mutex<Vec<String>>>);

impl Trace {
    pub(crate) fn note(&self, line: impl Into<String>) {
        self.0.lock().unwrap().push(line.into());
    }

    pub(crate) fn lines(&self) -> Vec<String> {
        self.0.lock().unwrap().clone()
    }
}

/// A tool whose behaviour a test decides.
pub(crate) struct FakeTool {
    definition: ToolDefinition,
    behaviour: Behaviour,
    scheduling: Scheduling,
    patience: Patience,
    inspect: Inspect,
    line_input: Option<LineInput>,
}

impl FakeTool {
    pub(crate) fn new<F>(name: &str, behaviour: impl Fn(Invocation) -> F + Send + Sync + 'static) -> Self
    where
        F: Future<Output = Result<ToolOutput, ToolError>> + Send + 'static,
    {
        Self {
            definition: ToolDefinition {
                name: name.to_owned(),
                description: format!("the {name} tool"),
                parameters: json!({"type": "object"}),
                strict: None,
                free_text: false,
            },
            behaviour: Box::new(move |call| behaviour(call).boxed()),
            scheduling: Scheduling::Shared,
            patience: Patience::Works,
            inspect: Box::new(|_| Inspection::GoOn),
            line_input: None,
        }
    }

    /// Answers at once with its name.
    pub(crate) fn quick(name: &str) -> Self {
        let text = format!("{name} ran");
        Self::new(name, move |_| std::future::ready(Ok(ToolOutput::text(text.clone()))))
    }

    /// Shows the arguments it got.
    pub(crate) fn echo(name: &str) -> Self {
        Self::new(name, |call| async move { Ok(ToolOutput::text(Value::Object(call.arguments).to_string())) })
    }

    /// Ends when the test says so, or with an error when cancelled.
    pub(crate) fn slow(name: &str, go: &Arc<Notify>) -> Self {
        let (go, text) = (Arc::clone(go), format!("{name} ran"));
        Self::new(name, move |call| {
            let (go, text) = (Arc::clone(&go), text.clone());
            async move {
                tokio::select! {
                    biased;
                    () = call.cancel.cancelled() => Err(ToolError::new("cancelled")),
                    () = go.notified() => Ok(ToolOutput::text(text)),
                }
            }
        })
    }

    /// Never ends, not even when cancelled.
    pub(crate) fn deaf(name: &str) -> Self {
        Self::new(name, |_| std::future::pending())
    }

    /// Notes when it begins and ends, with a wait between.
    pub(crate) fn traced(name: &str, ms: u64, trace: &Trace) -> Self {
        let (trace, name_again) = (trace.clone(), name.to_owned());
        Self::new(name, move |call| {
            let (trace, name) = (trace.clone(), name_again.clone());
            async move {
                trace.note(format!("{name} {} begins", call.id));
                tokio::time::sleep(std::time::Duration::from_millis(ms)).await;
                trace.note(format!("{name} {} ends", call.id));
                Ok(ToolOutput::text(format!("{name} ran")))
            }
        })
    }

    pub(crate) fn schema(mut self, parameters: Value) -> Self {
        self.definition.parameters = parameters;
        self
    }

    pub(crate) fn exclusive(mut self) -> Self {
        self.scheduling = Scheduling::Exclusive;
        self
    }

    /// Takes operations line by line in `input`, behind a header.
    pub(crate) fn lines(mut self, header: &'static str) -> Self {
        self.line_input = Some(LineInput { parameter: "input", header });
        self
    }

    pub(crate) fn only_waits(mut self) -> Self {
        self.patience = Patience::OnlyWaits;
        self
    }

    pub(crate) fn inspect(
        mut self,
        inspect: impl Fn(&Map<String, Value>) -> Inspection + Send + Sync + 'static,
    ) -> Self {
        self.inspect = Box::new(inspect);
        self
    }
}

impl Tool for FakeTool {
    fn definition(&self) -> &ToolDefinition {
        &self.definition
    }

    fn scheduling(&self, _arguments: &Map<String, Value>) -> Scheduling {
        self.scheduling
    }

    fn patience(&self) -> Patience {
        self.patience
    }

    fn inspect(&self, partial: &Map<String, Value>) -> Inspection {
        (self.inspect)(partial)
    }

    fn line_input(&self) -> Option<LineInput> {
        self.line_input
    }

    fn run<'a>(&'a self, call: Invocation) -> BoxFuture<'a, Result<ToolOutput, ToolError>> {
        (self.behaviour)(call)
    }
}

pub(crate) fn result_text(result: &ToolResultMessage) -> String {
    result.content.iter().filter_map(UserBlock::as_text).collect::<Vec<_>>().join("\n")
}
