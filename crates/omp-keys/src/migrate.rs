//! Files of old: names without a place, and JSON instead of YAML.

use serde_json::{Map, Value};

use crate::table;

/// The first line of a file that we write.
const HEADER: &str = "# Keys by action. /hotkeys lists every action; an empty list unbinds it.\n";

/// The id that an old name stands for.
fn new_name(old: &str) -> Option<&'static str> {
    table::ROWS.iter().find(|row| row.old_names.contains(&old)).map(|row| row.action.id())
}

/// The entries with today's names; `None` if they have them already. An entry under today's name wins.
pub(crate) fn renamed(entries: &Map<String, Value>) -> Option<Map<String, Value>> {
    if !entries.keys().any(|name| new_name(name).is_some()) {
        return None;
    }
    let mut renamed = Map::new();
    for (name, value) in entries {
        match new_name(name) {
            Some(new) if entries.contains_key(new) => {}
            Some(new) => drop(renamed.insert(new.to_owned(), value.clone())),
            None => drop(renamed.insert(name.clone(), value.clone())),
        }
    }
    Some(renamed)
}

/// A YAML file with these entries.
pub(crate) fn emit(entries: &Map<String, Value>) -> String {
    let mut text = HEADER.to_owned();
    for (name, value) in entries {
        let plain =
            name.chars().all(|character| character.is_ascii_alphanumeric() || ".-_".contains(character));
        let begins = name.starts_with(|character: char| character.is_ascii_alphabetic());
        let key = if plain && begins { name.clone() } else { Value::from(name.as_str()).to_string() };
        text.push_str(&format!("{key}: {value}\n"));
    }
    text
}

/// A YAML text with today's names and everything else, comments included, as it was.
pub(crate) fn rename_in_text(text: &str) -> String {
    text.split_inclusive('\n').map(rename_in_line).collect()
}

fn rename_in_line(line: &str) -> String {
    let Some((key, rest)) = line.split_once(':') else { return line.to_owned() };
    let bare = key.trim_end();
    let quoted = ['"', '\''].iter().find_map(|quote| bare.strip_prefix(*quote)?.strip_suffix(*quote));
    match new_name(quoted.unwrap_or(bare)) {
        Some(new) => format!("{new}:{rest}"),
        None => line.to_owned(),
    }
}
