use serde::{Deserialize, Serialize};
use serde_json::Value;

use crate::UserBlock;

/// What a model is told about a tool.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize)]
#[serde(rename_all = "camelCase")]
pub struct ToolDefinition {
    pub name: String,
    pub description: String,
    /// JSON Schema of the arguments object, in its canonical (not yet provider-specific) form.
    pub parameters: Value,
    /// `Some(false)`: the author knows that the schema cannot be enforced and says so on the wire.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub strict: Option<StrictHint>,
    /// A tool that takes free text instead of JSON, where the wire supports it.
    #[serde(default, skip_serializing_if = "std::ops::Not::not")]
    pub free_text: bool,
}

impl ToolDefinition {
    /// A tool with JSON arguments and no word on strictness.
    pub fn new(name: impl Into<String>, description: impl Into<String>, parameters: Value) -> Self {
        Self {
            name: name.into(),
            description: description.into(),
            parameters,
            strict: None,
            free_text: false,
        }
    }
}

/// A tool author's explicit word on strict argument enforcement.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Serialize, Deserialize)]
#[serde(rename_all = "lowercase")]
pub enum StrictHint {
    Never,
}

/// Which tool the model must, may or must not call.
#[derive(Clone, Debug, Default, PartialEq, Eq, Serialize, Deserialize)]
#[serde(rename_all = "camelCase")]
pub enum ToolChoice {
    #[default]
    Auto,
    None,
    /// Any tool, but at least one.
    Required,
    Tool(String),
}

/// What a tool gives back: content for the model, details for people and programs.
#[derive(Clone, Debug, Default, PartialEq, Serialize, Deserialize)]
#[serde(rename_all = "camelCase")]
pub struct ToolOutput {
    pub content: Vec<UserBlock>,
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub details: Option<Value>,
}

impl ToolOutput {
    pub fn text(text: impl Into<String>) -> Self {
        Self { content: vec![UserBlock::text(text)], details: None }
    }

    pub fn with_details(mut self, details: Value) -> Self {
        self.details = Some(details);
        self
    }

    /// Nothing came of the call: no match, nothing new. Such a result is blanked when room is needed. The mark is part
    /// of the details, so no model sees it.
    pub fn uneventful(mut self) -> Self {
        let mut details = match self.details.take() {
            Some(Value::Object(fields)) => fields,
            Some(other) => serde_json::Map::from_iter([("details".to_owned(), other)]),
            None => serde_json::Map::new(),
        };
        details.insert(crate::message::USELESS.to_owned(), Value::Bool(true));
        self.details = Some(Value::Object(details));
        self
    }
}
