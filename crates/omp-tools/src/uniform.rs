//! Tools whose calls are all alike: with the tier of their row, and never or always alone.

use std::sync::Arc;

use futures_util::FutureExt;
use futures_util::future::BoxFuture;
use omp_agent::{Invocation, Patience, Scheduling, Tool, ToolError};
use omp_types::{Approval, BuiltinTool, ToolDefinition, ToolOutput};
use serde_json::{Map, Value};

use crate::Wording;

/// What differs between such tools. [`uniform`] makes tools of them.
pub(crate) trait UniformTool: Send + Sync + 'static {
    const ROW: &'static BuiltinTool;
    /// Its `tool.md`.
    const TEXT: &'static str;
    const SCHEDULING: Scheduling = Scheduling::Shared;
    const PATIENCE: Patience = Patience::Works;

    fn call(&self, call: Invocation) -> impl Future<Output = Result<ToolOutput, ToolError>> + Send;
}

/// The tool, described as its `tool.md` says.
pub(crate) fn uniform(code: impl UniformTool, wording: Wording) -> Arc<dyn Tool> {
    described(code, wording, |_| {})
}

/// The same, with a description that the session adds to.
pub(crate) fn described<T: UniformTool>(
    code: T,
    wording: Wording,
    add: impl FnOnce(&mut ToolDefinition),
) -> Arc<dyn Tool> {
    let mut definition = wording.describe(T::ROW, T::TEXT);
    add(&mut definition);
    Arc::new(Described { definition, code })
}

struct Described<T> {
    definition: ToolDefinition,
    code: T,
}

impl<T: UniformTool> Tool for Described<T> {
    fn definition(&self) -> &ToolDefinition {
        &self.definition
    }

    fn scheduling(&self, _arguments: &Map<String, Value>) -> Scheduling {
        T::SCHEDULING
    }

    fn patience(&self) -> Patience {
        T::PATIENCE
    }

    fn approval(&self, _arguments: &Map<String, Value>) -> Option<Approval> {
        T::ROW.approval()
    }

    fn run<'a>(&'a self, call: Invocation) -> BoxFuture<'a, Result<ToolOutput, ToolError>> {
        self.code.call(call).boxed()
    }
}
