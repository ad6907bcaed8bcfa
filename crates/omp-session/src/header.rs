//! The first line of a session file.

use std::path::Path;

use serde::{Deserialize, Serialize};
use serde_json::{Map, Value};

use crate::entry::take_text;
use crate::{id, time};

/// The version of the file format that is written.
pub const VERSION: u32 = 3;

/// Who, when, where. Fields of other versions are kept in `other`.
#[derive(Clone, Debug, PartialEq, Serialize)]
#[serde(tag = "type", rename = "session", rename_all = "camelCase")]
pub struct Header {
    pub version: u32,
    pub id: String,
    /// ISO 8601, UTC, milliseconds.
    pub timestamp: String,
    pub cwd: String,
    #[serde(skip_serializing_if = "Option::is_none")]
    pub title: Option<String>,
    #[serde(skip_serializing_if = "Option::is_none")]
    pub title_source: Option<TitleSource>,
    /// Where the session comes from: an id or a path, for people to read. Never followed.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub parent_session: Option<String>,
    #[serde(flatten)]
    pub other: Map<String, Value>,
}

/// Who named the session: a name by the user is never replaced by an automatic one.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize)]
#[serde(rename_all = "lowercase")]
pub enum TitleSource {
    Auto,
    User,
    #[serde(untagged)]
    Other(String),
}

impl TitleSource {
    pub(crate) fn named(name: &str) -> Self {
        match name {
            "auto" => Self::Auto,
            "user" => Self::User,
            other => Self::Other(other.to_owned()),
        }
    }
}

impl Header {
    pub(crate) fn new(cwd: &Path) -> Self {
        Self {
            version: VERSION,
            id: id::session_id(),
            timestamp: time::now(),
            cwd: cwd.to_string_lossy().into_owned(),
            title: None,
            title_source: None,
            parent_session: None,
            other: Map::new(),
        }
    }

    /// A header is an object of type `session` with a text as id; everything else may be missing or strange,
    /// because a session must not be lost over it.
    pub(crate) fn read(value: Value) -> Option<Self> {
        let Value::Object(mut fields) = value else { return None };
        if take_text(&mut fields, "type")? != "session" {
            return None;
        }
        let id = take_text(&mut fields, "id")?;
        let version = version(fields.remove("version").as_ref());
        let timestamp = take_text(&mut fields, "timestamp").unwrap_or_default();
        let cwd = take_text(&mut fields, "cwd").unwrap_or_default();
        let title = take_text(&mut fields, "title");
        let title_source = fields.remove("titleSource").and_then(|value| serde_json::from_value(value).ok());
        let parent_session = take_text(&mut fields, "parentSession");
        Some(Self { version, id, timestamp, cwd, title, title_source, parent_session, other: fields })
    }

    pub(crate) fn line(&self) -> Vec<u8> {
        let mut line = serde_json::to_vec(self).expect("a header is plain data");
        line.push(b'\n');
        line
    }
}

/// Files of the first version do not say so. What is no number was not written by an old version.
fn version(value: Option<&Value>) -> u32 {
    let Some(value) = value else { return 1 };
    value.as_u64().and_then(|version| u32::try_from(version).ok()).unwrap_or(VERSION)
}

#[cfg(test)]
mod tests {
    use serde_json::json;

    use super::*;

    // proves: SES-013, SES-014
    #[test]
    fn header_fields_and_defaults() {
        let header = Header::new(Path::new("/p"));
        let written: Value = serde_json::from_slice(&header.line()).unwrap();
        let names: Vec<&String> = written.as_object().unwrap().keys().collect();
        assert_eq!(names, ["type", "version", "id", "timestamp", "cwd"]);
        assert_eq!(
            (written["type"].as_str(), written["version"].as_u64(), written["cwd"].as_str()),
            (Some("session"), Some(3), Some("/p"))
        );
        assert_eq!(time::from_millis(time::to_millis(&header.timestamp)), header.timestamp);

        let old = Header::read(json!({"type": "session", "id": "a"})).unwrap();
        assert_eq!(old.version, 1);
        let full = json!({"type": "session", "version": 3, "id": "a", "timestamp": "t", "cwd": "/p",
            "title": "T", "titleSource": "user", "parentSession": "b", "later": {"x": 1}});
        let header = Header::read(full.clone()).unwrap();
        assert_eq!(header.title_source, Some(TitleSource::User));
        assert_eq!(serde_json::to_value(&header).unwrap(), full, "unknown fields stay");
    }

    #[test]
    fn what_is_no_header() {
        for value in [json!({"type": "message", "id": "a"}), json!({"type": "session"}), json!([])] {
            assert_eq!(Header::read(value), None);
        }
        assert_eq!(Header::read(json!({"type": "session", "id": 5})), None);
        let strange = json!({"type": "session", "id": "a", "version": "x", "cwd": null, "title": 1});
        assert_eq!(Header::read(strange).unwrap().version, VERSION);
    }
}
