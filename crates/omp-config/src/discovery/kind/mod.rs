//! The kinds of items, each with its key and how it is read.

pub(super) mod agent;
pub(super) mod command;
pub(super) mod context;
pub(super) mod hook;
pub(super) mod hook_settings;
pub(super) mod instruction;
pub(super) mod manifest;
pub(super) mod mcp;
pub(super) mod module;
pub(super) mod prompt;
pub(super) mod rule;
pub(super) mod settings;
pub(super) mod skill;
pub(super) mod ssh;
pub(super) mod sticky;
pub(super) mod tool;

use std::collections::HashMap;
use std::path::Path;

use serde_json::value::RawValue;
use serde_json::{Map, Value};

use super::disk::Trouble;
use super::engine::Search;
use crate::settings::Format;

/// Files of other agents also hold their history.
const MAPPING_LIMIT: usize = 16 * 1024 * 1024;

/// One field of a file that holds a mapping. A file that does not is named and ignored.
pub(super) fn entry<T>(search: &mut Search<'_, T>, path: &Path, format: Format, key: &str) -> Option<Value> {
    let text = mapping_text(search, path)?;
    // Of a large file only what is asked for is taken apart.
    if format == Format::Json
        && let Ok(entries) = serde_json::from_str::<HashMap<String, &RawValue>>(&text)
    {
        return serde_json::from_str(entries.get(key)?.get()).ok();
    }
    parse(search, path, &text, format)?.remove(key)
}

/// A file that holds a mapping; one that does not is named and ignored.
pub(super) fn mapping<T>(
    search: &mut Search<'_, T>,
    path: &Path,
    format: Format,
) -> Option<Map<String, Value>> {
    let text = mapping_text(search, path)?;
    parse(search, path, &text, format)
}

fn mapping_text<T>(search: &mut Search<'_, T>, path: &Path) -> Option<String> {
    let text = search.read_up_to(path, MAPPING_LIMIT)?;
    if text.trouble == Some(Trouble::Cut) {
        search.warn(format!(
            "{} is ignored: it has {} bytes, more than the limit of {MAPPING_LIMIT}",
            path.display(),
            text.size
        ));
        return None;
    }
    Some(text.text)
}

fn parse<T>(
    search: &mut Search<'_, T>,
    path: &Path,
    text: &str,
    format: Format,
) -> Option<Map<String, Value>> {
    match crate::settings::mapping(text, format) {
        Ok(mapping) => Some(mapping),
        Err(error) => {
            search.warn(format!("{} is ignored: {error}", path.display()));
            None
        }
    }
}
