//! Files of earlier versions.
//!
//! | from | what changes |
//! |---|---|
//! | 1 | entries get ids and form a chain in file order; `firstKeptEntryIndex` becomes `firstKeptEntryId` |
//! | 2 | messages of the role `hookMessage` get the role `custom` |
//!
//! Everything else stays as it was written, byte for byte; also lines that are no JSON, which may be of use to
//! whoever repairs the file.

use serde_json::{Value, json};

use crate::header::VERSION;
use crate::id::EntryIds;
use crate::raw::RawObject;

/// Brings the lines of a file of an earlier version up to date, in order.
pub(crate) struct Migration {
    version: u32,
    /// The ids given to the lines that are JSON, in order, without the header.
    ids: Vec<String>,
    used: EntryIds,
}

impl Migration {
    pub(crate) fn from(version: u32) -> Self {
        Self { version, ids: Vec::new(), used: EntryIds::default() }
    }

    /// The header in the current version.
    pub(crate) fn header(&self, header: &mut RawObject) {
        if self.version < VERSION {
            header.set(1, "version", &json!(VERSION));
        }
    }

    /// A line after the header, without its newline; `None` if it stays as it is.
    pub(crate) fn line(&mut self, line: &[u8]) -> Option<Vec<u8>> {
        if self.version >= VERSION {
            return None;
        }
        if self.version >= 2 && memchr::memmem::find(line, b"hookMessage").is_none() {
            return None;
        }
        let Some(mut entry) = RawObject::read(line) else {
            self.count_strange(line);
            return None;
        };
        let chained = self.version < 2;
        if chained {
            self.chain(&mut entry);
        }
        let renamed = rename_hook_role(&mut entry);
        (chained || renamed).then(|| entry.line())
    }

    /// JSON that is no object has a place in the count of lines all the same.
    fn count_strange(&mut self, line: &[u8]) {
        if self.version < 2 && serde_json::from_slice::<Value>(line).is_ok() {
            self.ids.push(self.used.fresh());
        }
    }

    fn chain(&mut self, entry: &mut RawObject) {
        let id = self.used.fresh();
        entry.set(1, "id", &json!(id));
        entry.set(2, "parentId", &json!(self.ids.last()));
        if let Some(kept) = entry.remove("firstKeptEntryIndex")
            && let Some(id) = self.kept_id(&kept)
        {
            entry.set(usize::MAX, "firstKeptEntryId", &json!(id));
        }
        self.ids.push(id);
    }

    /// The index counted the lines of the file, the header being the first.
    fn kept_id(&self, index: &Value) -> Option<&String> {
        let index = usize::try_from(index.as_u64()?).ok()?;
        self.ids.get(index.checked_sub(1)?)
    }
}

fn rename_hook_role(entry: &mut RawObject) -> bool {
    if entry.get("type").is_none_or(|name| name != "message") {
        return false;
    }
    let Some(mut message) = entry.object("message") else { return false };
    if message.get("role").is_none_or(|role| role != "hookMessage") {
        return false;
    }
    message.set(0, "role", &json!("custom"));
    entry.set_object("message", &message);
    true
}
