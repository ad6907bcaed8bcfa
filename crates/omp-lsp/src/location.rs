//! Places in files that a server answers with, in the four forms that servers use.

use std::path::PathBuf;

use serde_json::Value;

use crate::position::Range;
use crate::uri;

/// Places of one answer that are looked at.
const MOST: usize = 10_000;

/// A place in a file.
#[derive(Clone, Debug, PartialEq, Eq, Hash)]
pub struct Location {
    pub uri: String,
    pub range: Range,
}

impl Location {
    /// The file, if it is one of this machine.
    pub fn path(&self) -> Option<PathBuf> {
        uri::path(&self.uri)
    }

    /// One place, as a location or as a link.
    pub fn parse(value: &Value) -> Option<Self> {
        let uri = value.get("uri").or_else(|| value.get("targetUri"))?.as_str()?.to_owned();
        let range = ["range", "targetSelectionRange", "targetRange"].into_iter();
        let range = range.filter_map(|name| value.get(name)).find(|range| range.is_object());
        let range = range.and_then(|range| serde_json::from_value(range.clone()).ok()).unwrap_or_default();
        Some(Self { uri, range })
    }

    /// One place or a list of them.
    pub fn list(value: &Value) -> Vec<Self> {
        match value {
            Value::Array(items) => items.iter().take(MOST).filter_map(Self::parse).collect(),
            one => Self::parse(one).into_iter().collect(),
        }
    }
}
