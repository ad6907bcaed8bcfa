//! Finding and reading the user's keybindings files.

use std::fs::File;
use std::io::{self, Read as _};
use std::path::{Path, PathBuf};

use omp_workspace::write::{Mode, write};
use serde_json::{Map, Value};

use crate::file::{UserKeys, interpret};
use crate::migrate::{emit, rename_in_text, renamed};

/// The file that is written, and the names it may have; the first that exists counts.
const YAML: &str = "keybindings.yml";
const OTHER_YAML: &str = "keybindings.yaml";
const JSON: &str = "keybindings.json";
/// What becomes of a JSON file that was taken over.
const TAKEN_OVER: &str = "keybindings.json.bak";

/// No keybindings file is larger.
const LARGEST: u64 = 1024 * 1024;

/// What the user's files say.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct Loaded {
    /// The user's chords.
    pub keys: UserKeys,
    /// What the user should know: files and chords that could not be used.
    pub warnings: Vec<String>,
}

/// Reads the keybindings of agent directories, the nearest last: the default profile, then the one in use.
///
/// Files with old names, and JSON files, are rewritten as today's YAML. Nothing else is ever written.
pub fn load(directories: &[&Path]) -> Loaded {
    let mut loaded = Loaded::default();
    for directory in directories {
        let mut warnings = Vec::new();
        if let Some(entries) = read_directory(directory, &mut warnings) {
            loaded.keys.extend(interpret(&entries, &mut warnings));
        }
        let shown = directory.display();
        loaded
            .warnings
            .extend(warnings.into_iter().map(|warning| format!("Key bindings in {shown}: {warning}")));
    }
    loaded
}

fn read_directory(directory: &Path, warnings: &mut Vec<String>) -> Option<Map<String, Value>> {
    let json = directory.join(JSON);
    for name in [YAML, OTHER_YAML] {
        let path = directory.join(name);
        let Some(text) = read(&path, warnings) else { continue };
        if json.is_file() {
            if was_taken_over(directory, &text) {
                return take_over(directory, warnings);
            }
            warnings.push(format!("{JSON} is ignored because {name} exists: move its entries there"));
        }
        return read_yaml(&path, &text, warnings);
    }
    take_over(directory, warnings)
}

fn read_yaml(path: &Path, text: &str, warnings: &mut Vec<String>) -> Option<Map<String, Value>> {
    let entries = parsed(path, yaml(text), warnings)?;
    let Some(renamed) = renamed(&entries) else { return Some(entries) };
    // Comments stay where the lines can be changed one by one.
    let edited = rename_in_text(text);
    let kept = renamed.len() == entries.len() && yaml(&edited).is_ok_and(|edited| edited == renamed);
    save(path, &if kept { edited } else { emit(&renamed) }, warnings);
    Some(renamed)
}

/// Reads the JSON file, and puts a YAML file in its place.
fn take_over(directory: &Path, warnings: &mut Vec<String>) -> Option<Map<String, Value>> {
    let path = directory.join(JSON);
    let text = read(&path, warnings)?;
    let entries = parsed(&path, from_json(&text), warnings)?;
    let entries = renamed(&entries).unwrap_or(entries);
    if save(&directory.join(YAML), &emit(&entries), warnings) {
        match std::fs::rename(&path, directory.join(TAKEN_OVER)) {
            // Another omp was faster.
            Err(error) if error.kind() != io::ErrorKind::NotFound => {
                warnings.push(format!("cannot rename {JSON} to {TAKEN_OVER}: {error}"));
            }
            _ => {}
        }
    }
    Some(entries)
}

/// Whether a YAML file is what we made of a JSON file and nobody has changed since. Then a JSON file that is there
/// again is the user's newest word.
fn was_taken_over(directory: &Path, yaml: &str) -> bool {
    let before = read(&directory.join(TAKEN_OVER), &mut Vec::new());
    let entries = before.and_then(|text| from_json(&text).ok());
    entries.is_some_and(|entries| emit(&renamed(&entries).unwrap_or(entries)) == yaml)
}

fn read(path: &Path, warnings: &mut Vec<String>) -> Option<String> {
    let mut text = String::new();
    let read = File::open(path).and_then(|file| file.take(LARGEST + 1).read_to_string(&mut text));
    match read {
        Ok(_) if text.len() as u64 > LARGEST => {
            warnings.push(format!("{} is ignored: it is larger than {LARGEST} bytes", name(path)));
            None
        }
        Ok(_) => Some(text),
        Err(error) if error.kind() == io::ErrorKind::NotFound => None,
        Err(error) => {
            warnings.push(format!("cannot read {}: {error}.", name(path)));
            None
        }
    }
}

fn parsed(
    path: &Path,
    read: Result<Map<String, Value>, String>,
    warnings: &mut Vec<String>,
) -> Option<Map<String, Value>> {
    read.map_err(|reason| {
        warnings.push(format!("{} is ignored and the defaults apply: {reason}", name(path)));
    })
    .ok()
}

fn from_json(text: &str) -> Result<Map<String, Value>, String> {
    let text = text.trim_start_matches('\u{feff}');
    if text.trim().is_empty() {
        return Ok(Map::new());
    }
    entries(serde_json::from_str(text).map_err(|error| error.to_string())?)
}

fn yaml(text: &str) -> Result<Map<String, Value>, String> {
    let text = text.trim_start_matches('\u{feff}');
    let options = serde_saphyr::options! {
        // A chord may be the letter `y`.
        strict_booleans: true,
        duplicate_keys: serde_saphyr::DuplicateKeyPolicy::LastWins,
        alias_limits: serde_saphyr::alias_limits! { max_total_replayed_events: 10_000 },
        with_snippet: false,
    };
    let read = serde_saphyr::from_str_with_options::<Option<Value>>(text, options);
    entries(read.map_err(|error| error.render())?.unwrap_or(Value::Null))
}

fn entries(value: Value) -> Result<Map<String, Value>, String> {
    match value {
        Value::Object(entries) => Ok(entries),
        Value::Null => Ok(Map::new()),
        _ => Err("it must hold action ids and their chords".to_owned()),
    }
}

fn save(path: &Path, text: &str, warnings: &mut Vec<String>) -> bool {
    let written = write(path, text.as_bytes(), Mode::Private);
    if let Err(error) = &written {
        warnings.push(format!("the names in {} are old, and it cannot be rewritten: {error}", name(path)));
    }
    written.is_ok()
}

fn name(path: &Path) -> String {
    let name: PathBuf = path.file_name().map(PathBuf::from).unwrap_or_default();
    name.display().to_string()
}
