//! The metadata at the head of Markdown files.

use serde_json::{Map, Value};

/// A Markdown file, taken apart.
#[derive(Clone, Debug, Default, PartialEq)]
pub struct Document {
    /// Empty when the file has no front matter.
    pub data: Map<String, Value>,
    /// What follows, trimmed.
    pub body: String,
    /// Why `data` was read line by line instead of as YAML.
    pub warning: Option<String>,
}
