//! What is known about a call.

use std::time::Duration;

use omp_types::{ToolOutput, ToolResultMessage, UserBlock};
use serde_json::{Map, Value};

/// Whether all of a result is shown.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub enum Expansion {
    /// A few rows.
    #[default]
    Collapsed,
    /// Everything that is in the result.
    Expanded,
}

/// How far a call is.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Phase {
    /// Its arguments are arriving.
    Pending,
    /// Its arguments are there, and it waits for its turn or for a word of the user.
    Ready,
    /// It runs.
    Running,
    /// It went well.
    Done,
    /// It failed.
    Failed,
    /// Somebody stopped it, or it never ran because the run ended.
    Aborted,
    /// It was not allowed.
    Denied,
}

impl Phase {
    /// Whether nothing more will happen to the call.
    pub fn is_over(self) -> bool {
        matches!(self, Self::Done | Self::Failed | Self::Aborted | Self::Denied)
    }

    /// What became of a call whose result says this. Results in session files have no other trace of it.
    pub fn of_result(text: &str, is_error: bool) -> Self {
        const ABORTED: [&str; 4] = [
            "Tool execution was aborted.",
            "Skipped due to queued user message.",
            "No result: the run was interrupted",
            "This call was not run:",
        ];
        const DENIED: [&str; 3] =
            ["was not approved by the user", "is blocked by user policy", "so the call did not run"];
        let first = text.lines().next().unwrap_or_default();
        match is_error {
            false => Self::Done,
            true if ABORTED.iter().any(|words| first.starts_with(words)) => Self::Aborted,
            true if first.starts_with("Tool \"") && DENIED.iter().any(|words| first.contains(words)) => {
                Self::Denied
            }
            true => Self::Failed,
        }
    }
}

/// A call with all that has happened to it.
#[derive(Clone, Debug)]
pub struct Call {
    /// The tool.
    pub name: String,
    /// The arguments, as far as they have arrived.
    pub arguments: Map<String, Value>,
    /// Why the model makes the call.
    pub intent: Option<String>,
    /// How far it is.
    pub phase: Phase,
    /// The result, or what there is of it.
    pub output: ToolOutput,
    /// How long it ran, once it is over.
    pub took: Option<Duration>,
}

impl Call {
    /// A call whose arguments are about to arrive.
    pub fn new(name: impl Into<String>) -> Self {
        Self {
            name: name.into(),
            arguments: Map::new(),
            intent: None,
            phase: Phase::Pending,
            output: ToolOutput::default(),
            took: None,
        }
    }

    /// The call with complete arguments.
    #[must_use]
    pub fn with_arguments(mut self, arguments: Map<String, Value>) -> Self {
        self.arguments = arguments;
        self.phase = Phase::Ready;
        self
    }

    /// The call with a result from a session file.
    #[must_use]
    pub fn with_result(mut self, result: &ToolResultMessage) -> Self {
        self.output = ToolOutput { content: result.content.clone(), details: result.details.clone() };
        self.phase = Phase::of_result(&self.text(), result.is_error);
        self
    }

    /// A text argument; empty if it is not there.
    pub(crate) fn argument(&self, name: &str) -> &str {
        self.arguments.get(name).and_then(Value::as_str).unwrap_or_default()
    }

    /// A list of texts, or one text, as one text.
    pub(crate) fn listed(&self, name: &str) -> String {
        match self.arguments.get(name) {
            Some(Value::String(one)) => one.clone(),
            Some(Value::Array(several)) => {
                several.iter().filter_map(Value::as_str).collect::<Vec<_>>().join(", ")
            }
            _ => String::new(),
        }
    }

    /// The text of the result.
    pub(crate) fn text(&self) -> String {
        self.output.content.iter().filter_map(UserBlock::as_text).collect::<Vec<_>>().join("\n")
    }

    /// The pictures of the result: their kinds.
    pub(crate) fn images(&self) -> Vec<&str> {
        let kinds = self.output.content.iter().filter_map(|block| match block {
            UserBlock::Image(image) => Some(image.mime_type.as_str()),
            UserBlock::Text(_) => None,
        });
        kinds.collect()
    }

    /// A value in the details of the result, by its JSON pointer.
    pub(crate) fn detail(&self, pointer: &str) -> Option<&Value> {
        self.output.details.as_ref()?.pointer(pointer)
    }

    pub(crate) fn number(&self, pointer: &str) -> Option<u64> {
        self.detail(pointer)?.as_u64()
    }

    pub(crate) fn flag(&self, pointer: &str) -> bool {
        self.detail(pointer).and_then(Value::as_bool).unwrap_or(false)
    }

    /// The parts of a figure that say something.
    pub(crate) fn is_done(&self) -> bool {
        self.phase == Phase::Done
    }
}
