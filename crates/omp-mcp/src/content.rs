//! Results of servers as plain data, bounded. The texts are those of strangers: whoever shows them removes control bytes.

use rmcp::model::{CallToolResult, ContentBlock, ResourceContents};
use serde_json::Value;

use crate::limits;

/// One piece of a result.
#[derive(Clone, Debug, PartialEq)]
pub enum Content {
    Text(String),
    Image {
        mime_type: String,
        data: String,
    },
    Audio {
        mime_type: String,
        data: String,
    },
    /// A resource that comes with the result.
    Resource(ResourceBody),
    /// A resource that can be read.
    Link {
        uri: String,
        name: String,
        description: Option<String>,
        mime_type: Option<String>,
        size: Option<u64>,
    },
    /// Something that this revision of omp does not know.
    Unknown {
        kind: String,
    },
}

/// The content of a resource.
#[derive(Clone, Debug, PartialEq)]
pub struct ResourceBody {
    pub uri: String,
    pub mime_type: Option<String>,
    pub data: ResourceData,
}

#[derive(Clone, Debug, PartialEq)]
pub enum ResourceData {
    Text(String),
    /// Base64.
    Blob(String),
}

/// What a tool gave back.
#[derive(Clone, Debug, Default, PartialEq)]
pub struct ToolResult {
    pub content: Vec<Content>,
    pub structured: Option<Value>,
    /// The tool itself failed.
    pub is_error: bool,
    /// Data for programs, not for models.
    pub meta: Option<Value>,
    /// What was cut or is wrong, one sentence each.
    pub notes: Vec<String>,
}

impl ToolResult {
    /// All of it as one text for a model. Structured content is in it once: servers repeat it as text.
    pub fn text(&self) -> String {
        let mut parts: Vec<String> = self.content.iter().filter_map(Content::text).collect();
        if let Some(structured) = &self.structured {
            let repeats =
                |part: &String| serde_json::from_str::<Value>(part).is_ok_and(|value| value == *structured);
            if !parts.iter().any(repeats) {
                parts.push(serde_json::to_string_pretty(structured).unwrap_or_default());
            }
        }
        parts.join("\n")
    }
}

impl Content {
    /// For a model; `None` for what only eyes and ears can take.
    pub fn text(&self) -> Option<String> {
        match self {
            Self::Text(text) => Some(text.clone()),
            Self::Image { .. } => None,
            Self::Audio { mime_type, data } => {
                Some(format!("[audio: {mime_type}, {} bytes]", data.len() / 4 * 3))
            }
            Self::Resource(body) => Some(body.text()),
            Self::Link { uri, name, description, .. } => Some(match description {
                Some(description) => format!("[resource: {name} ({uri}): {description}]"),
                None => format!("[resource: {name} ({uri})]"),
            }),
            Self::Unknown { kind } => Some(format!("[content of unknown type: {kind}]")),
        }
    }
}

impl ResourceBody {
    pub fn text(&self) -> String {
        match &self.data {
            ResourceData::Text(text) => format!("[resource: {}]\n{text}", self.uri),
            ResourceData::Blob(data) => {
                let kind = self.mime_type.as_deref().unwrap_or("binary data");
                format!("[resource: {}: {kind}, {} bytes]", self.uri, data.len() / 4 * 3)
            }
        }
    }
}

/// Keeps count of what a result may still contain.
pub(crate) struct Intake {
    room: usize,
    blocks: usize,
    notes: Vec<String>,
}

impl Default for Intake {
    fn default() -> Self {
        Self { room: limits::TEXT, blocks: limits::BLOCKS, notes: Vec::new() }
    }
}

impl Intake {
    fn text(&mut self, text: String) -> String {
        if text.len() <= self.room {
            self.room -= text.len();
            return text;
        }
        self.notes
            .push(format!("the text of the result is longer than {} MiB and was cut", limits::TEXT >> 20));
        let kept = limits::cut(&text, self.room).to_owned();
        self.room = 0;
        kept
    }

    fn media(&mut self, what: &str, mime_type: &str, data: String) -> Result<(String, String), Content> {
        if data.len() <= limits::MEDIA {
            return Ok((limits::cut(mime_type, limits::NAME).to_owned(), data));
        }
        let size = data.len() >> 20;
        self.notes
            .push(format!("{what} of {size} MiB was left out: the limit is {} MiB", limits::MEDIA >> 20));
        Err(Content::Text(format!("[{what} of {size} MiB left out]")))
    }

    fn body(&mut self, contents: ResourceContents) -> ResourceBody {
        match contents {
            ResourceContents::TextResourceContents { uri, mime_type, text, .. } => {
                ResourceBody { uri, mime_type, data: ResourceData::Text(self.text(text)) }
            }
            ResourceContents::BlobResourceContents { uri, mime_type, blob, .. } => {
                let data = match self.media("a resource", "", blob) {
                    Ok((_, blob)) => ResourceData::Blob(blob),
                    Err(_) => ResourceData::Text("[left out]".to_owned()),
                };
                ResourceBody { uri, mime_type, data }
            }
            _ => {
                ResourceBody { uri: String::new(), mime_type: None, data: ResourceData::Text(String::new()) }
            }
        }
    }

    pub(crate) fn block(&mut self, block: ContentBlock) -> Content {
        match block {
            ContentBlock::Text(text) => Content::Text(self.text(text.text)),
            ContentBlock::Image(image) => match self.media("an image", &image.mime_type, image.data) {
                Ok((mime_type, data)) => Content::Image { mime_type, data },
                Err(instead) => instead,
            },
            ContentBlock::Audio(audio) => match self.media("a recording", &audio.mime_type, audio.data) {
                Ok((mime_type, data)) => Content::Audio { mime_type, data },
                Err(instead) => instead,
            },
            ContentBlock::Resource(embedded) => Content::Resource(self.body(embedded.resource)),
            ContentBlock::ResourceLink(link) => Content::Link {
                uri: link.uri,
                name: link.name,
                description: link.description.map(|text| limits::shortened(&text, limits::DESCRIPTION)),
                mime_type: link.mime_type,
                size: link.size,
            },
            _ => Content::Unknown { kind: "?".to_owned() },
        }
    }

    /// A block as JSON, which need not be one that is known.
    fn value(&mut self, value: Value) -> Content {
        let kind = value.get("type").and_then(Value::as_str).unwrap_or("?");
        let kind = limits::cut(kind, limits::NAME).to_owned();
        match serde_json::from_value(value) {
            Ok(block) => self.block(block),
            Err(_) => Content::Unknown { kind },
        }
    }

    fn blocks<T>(&mut self, blocks: Vec<T>, take: impl Fn(&mut Self, T) -> Content) -> Vec<Content> {
        if blocks.len() > self.blocks {
            let left = blocks.len() - self.blocks;
            self.notes.push(format!("{left} of {} parts of the result were left out", blocks.len()));
        }
        blocks.into_iter().take(self.blocks).map(|block| take(self, block)).collect()
    }

    pub(crate) fn resource(mut self, contents: Vec<ResourceContents>) -> (Vec<ResourceBody>, Vec<String>) {
        let most = self.blocks;
        let bodies = contents.into_iter().take(most).map(|body| self.body(body)).collect();
        (bodies, self.notes)
    }
}

impl From<CallToolResult> for ToolResult {
    fn from(result: CallToolResult) -> Self {
        let mut intake = Intake::default();
        let content = intake.blocks(result.content, Intake::block);
        Self {
            content,
            structured: result.structured_content,
            is_error: result.is_error.unwrap_or(false),
            meta: result.meta.and_then(|meta| serde_json::to_value(meta).ok()),
            notes: intake.notes,
        }
    }
}

impl ToolResult {
    /// From JSON that is not quite a result: servers send blocks of types that nobody knows.
    pub(crate) fn lenient(value: Value) -> Option<Self> {
        let Value::Object(mut map) = value else { return None };
        let Some(Value::Array(blocks)) = map.remove("content") else { return None };
        let mut intake = Intake::default();
        let content = intake.blocks(blocks, Intake::value);
        Some(Self {
            content,
            structured: map.remove("structuredContent"),
            is_error: map.get("isError") == Some(&Value::Bool(true)),
            meta: map.remove("_meta"),
            notes: intake.notes,
        })
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use serde_json::json;

    #[test]
    fn structured_content_is_shown_once() {
        let result = |text: &str| {
            let result = json!({"content": [{"type": "text", "text": text}], "structuredContent": {"a": 1}});
            ToolResult::from(serde_json::from_value::<CallToolResult>(result).unwrap()).text()
        };
        assert_eq!(result("{ \"a\": 1 }"), "{ \"a\": 1 }");
        assert_eq!(result("done"), "done\n{\n  \"a\": 1\n}");
    }

    #[test]
    fn every_kind_of_content() {
        let result = json!({"content": [
            {"type": "text", "text": "t"},
            {"type": "image", "data": "AAAA", "mimeType": "image/png"},
            {"type": "audio", "data": "AAAAAAAA", "mimeType": "audio/wav"},
            {"type": "resource", "resource": {"uri": "file:///a", "text": "body"}},
            {"type": "resource", "resource": {"uri": "file:///b", "blob": "AAAA", "mimeType": "application/pdf"}},
            {"type": "resource_link", "uri": "file:///c", "name": "c", "description": "d"},
        ], "isError": true});
        let result = ToolResult::from(serde_json::from_value::<CallToolResult>(result).unwrap());
        assert!(result.is_error && result.notes.is_empty());
        assert_eq!(
            result.text(),
            "t\n[audio: audio/wav, 6 bytes]\n[resource: file:///a]\nbody\n\
             [resource: file:///b: application/pdf, 3 bytes]\n[resource: c (file:///c): d]"
        );
    }

    #[test]
    fn unknown_blocks_do_not_spoil_the_rest() {
        let value =
            json!({"content": [{"type": "hologram"}, {"type": "text", "text": "t"}, {"type": "text"}, 5]});
        let result = ToolResult::lenient(value).unwrap();
        assert_eq!(
            result.text(),
            "[content of unknown type: hologram]\nt\n[content of unknown type: text]\n[content of unknown type: ?]"
        );
    }

    #[test]
    fn everything_is_bounded() {
        let long = "x".repeat(3 << 20);
        let block = json!({"type": "text", "text": long});
        let mut blocks = vec![block.clone(), block.clone(), block];
        blocks.push(json!({"type": "image", "data": "A".repeat(15 << 20), "mimeType": "image/png"}));
        blocks.resize(300, json!({"type": "text", "text": "y"}));
        let result = serde_json::from_value::<CallToolResult>(json!({"content": blocks})).unwrap();
        let result = ToolResult::from(result);
        assert!(result.text().len() < (4 << 20) + 1024 && result.content.len() == 256);
        assert!(result.notes.iter().any(|note| note.contains("44 of 300 parts")), "{:?}", result.notes);
        assert!(result.notes.iter().any(|note| note.contains("an image of 15 MiB")), "{:?}", result.notes);
    }
}
