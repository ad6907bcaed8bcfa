//! Files of earlier versions.
//!
//! | from | what changes |
//! |---|---|
//! | 1 | entries get ids and form a chain in file order; `firstKeptEntryIndex` becomes `firstKeptEntryId` |
//! | 2 | messages of the role `hookMessage` get the role `custom` |

use serde_json::{Value, json};

use crate::header::{Header, VERSION};
use crate::id::EntryIds;

/// The content of a session file in the current version; `None` if it is that already, or is no session.
///
/// Lines that are not JSON are copied: they may be of use to whoever repairs the file.
pub(crate) fn upgrade(content: &[u8]) -> Option<Vec<u8>> {
    let mut lines: Vec<Line> = content.split(|byte| *byte == b'\n').filter_map(Line::read).collect();
    let mut values: Vec<&mut Value> = lines.iter_mut().filter_map(Line::value).collect();
    let (header, entries) = values.split_first_mut()?;
    let version = Header::read(header.clone())?.version;
    if version >= VERSION {
        return None;
    }
    if version < 2 {
        chain(entries);
    }
    entries.iter_mut().for_each(|entry| rename_hook_role(entry));
    set_version(header);
    Some(lines.iter().flat_map(Line::bytes).collect())
}

enum Line {
    Json(Value),
    Other(Vec<u8>),
}

impl Line {
    fn read(bytes: &[u8]) -> Option<Self> {
        if bytes.trim_ascii().is_empty() {
            return None;
        }
        Some(serde_json::from_slice(bytes).map_or_else(|_| Self::Other(bytes.to_owned()), Self::Json))
    }

    fn value(&mut self) -> Option<&mut Value> {
        match self {
            Self::Json(value) => Some(value),
            Self::Other(_) => None,
        }
    }

    fn bytes(&self) -> Vec<u8> {
        let mut bytes = match self {
            Self::Json(value) => value.to_string().into_bytes(),
            Self::Other(bytes) => bytes.clone(),
        };
        bytes.push(b'\n');
        bytes
    }
}

/// Keeps the version near the front, where it is in new files.
fn set_version(header: &mut Value) {
    let Value::Object(fields) = header else { return };
    fields.shift_insert(1, "version".to_owned(), json!(VERSION));
}

fn chain(entries: &mut [&mut Value]) {
    let mut used = EntryIds::default();
    let ids: Vec<String> = entries.iter().map(|_| used.fresh()).collect();
    for (index, entry) in entries.iter_mut().enumerate() {
        let Value::Object(fields) = &mut **entry else { continue };
        let parent = index.checked_sub(1).map(|before| ids[before].clone());
        fields.shift_insert(fields.len().min(1), "id".to_owned(), json!(ids[index]));
        fields.shift_insert(2, "parentId".to_owned(), json!(parent));
        if let Some(kept) = fields.shift_remove("firstKeptEntryIndex")
            && let Some(id) = kept_id(&kept, &ids)
        {
            fields.insert("firstKeptEntryId".to_owned(), json!(id));
        }
    }
}

/// The index counted the lines of the file, the header being the first.
fn kept_id<'a>(index: &Value, ids: &'a [String]) -> Option<&'a String> {
    let index = usize::try_from(index.as_u64()?).ok()?;
    ids.get(index.checked_sub(1)?)
}

fn rename_hook_role(entry: &mut Value) {
    if entry["type"] == "message" && entry["message"]["role"] == "hookMessage" {
        entry["message"]["role"] = json!("custom");
    }
}
