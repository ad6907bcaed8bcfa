//! Lasting changes. They go to the user's own file and nowhere else, one process at a time, and touch nothing but
//! the keys that change.

use std::path::{Path, PathBuf};

use omp_workspace::write::{Mode, write};
use serde_json::{Map, Value};

use super::check::accept;
use super::edit::{Edited, edit};
use super::error::SettingsError;
use super::file::{Text, read};
use super::index::INDEX;
use super::load::global_file;
use super::lock::exclusively;
use super::parse::{Format, mapping};
use super::row::{Setting, Shape};
use super::{migrate, tree};
use crate::directories::Directories;

/// What a save did.
#[derive(Clone, Debug, PartialEq, Eq)]
pub enum Saved {
    /// Only the lines of the keys differ.
    InPlace,
    /// The file could not be changed in place and was rewritten; the previous one is here.
    Rewritten { backup: PathBuf },
}

/// One change of the user's file.
#[derive(Clone, Debug)]
pub(super) struct Change {
    pub(super) setting: &'static Setting,
    pub(super) value: Value,
    /// The one member of a mapping that changes; the others stay.
    pub(super) member: Option<String>,
}

impl Change {
    pub(super) fn new(path: &str, value: Value) -> Result<Self, SettingsError> {
        let Some(setting) = INDEX.row(path) else { return Err(SettingsError::unknown(path)) };
        let value = accept(setting, value)
            .map_err(|reason| SettingsError::Value { path: path.to_owned(), reason })?;
        Ok(Self { setting, value, member: None })
    }

    /// One member of a setting that is a mapping.
    fn member(path: &str, member: &str, value: Value) -> Result<Self, SettingsError> {
        let Some(setting) = INDEX.row(path) else { return Err(SettingsError::unknown(path)) };
        let refuse = |reason: &str| SettingsError::Value { path: path.to_owned(), reason: reason.to_owned() };
        if !matches!(setting.shape, Shape::Record) {
            return Err(refuse("it is not a mapping and has no members"));
        }
        if member.is_empty() || member.contains('.') {
            return Err(refuse("the name of a member must not be empty or contain a dot"));
        }
        Ok(Self { setting, value, member: Some(member.to_owned()) })
    }
}

/// Writes a value of a setting to the user's file.
pub fn set(directories: &Directories, path: &str, value: Value) -> Result<Saved, SettingsError> {
    save(directories, &[Change::new(path, value)?])
}

/// Writes one member of a setting that is a mapping to the user's file; the other members stay as they are.
pub fn set_member(
    directories: &Directories,
    path: &str,
    member: &str,
    value: Value,
) -> Result<Saved, SettingsError> {
    save(directories, &[Change::member(path, member, value)?])
}

/// Adds to a setting that is a list, in the user's file alone: what a project says stays the project's.
pub fn add_to_list(
    directories: &Directories,
    path: &str,
    values: impl IntoIterator<Item = String>,
) -> Result<Saved, SettingsError> {
    let file = global_file(directories);
    exclusively(&file, || {
        let text = text_to_change(&file)?;
        let old = understood(&text, &file)?;
        let mut list = tree::find(&old, path).and_then(Value::as_array).cloned().unwrap_or_default();
        for value in values.into_iter().map(Value::String) {
            if !list.contains(&value) {
                list.push(value);
            }
        }
        let edited = changed(Edited::InPlace(text.clone()), &Change::new(path, Value::Array(list))?, &file)?;
        store(&file, &text, &edited)
    })
}

/// Takes a value out of a setting that is a list, in the user's file. `false` if it is not there.
pub fn remove_from_list(directories: &Directories, path: &str, value: &str) -> Result<bool, SettingsError> {
    let file = global_file(directories);
    exclusively(&file, || {
        let text = text_to_change(&file)?;
        let old = understood(&text, &file)?;
        let list = tree::find(&old, path).and_then(Value::as_array).cloned().unwrap_or_default();
        let rest: Vec<Value> = list.iter().filter(|one| one.as_str() != Some(value)).cloned().collect();
        if rest.len() == list.len() {
            return Ok(false);
        }
        let edited = changed(Edited::InPlace(text.clone()), &Change::new(path, Value::Array(rest))?, &file)?;
        store(&file, &text, &edited).map(|_| true)
    })
}

/// Writes the default of a setting to the user's file. A text without a default becomes empty, which means the
/// same.
pub fn reset(directories: &Directories, path: &str) -> Result<Saved, SettingsError> {
    let Some(setting) = INDEX.row(path) else { return Err(SettingsError::unknown(path)) };
    save(directories, &[Change { setting, value: reset_value(setting), member: None }])
}

/// What `reset` writes.
pub fn reset_value(setting: &Setting) -> Value {
    match setting.default_value() {
        Value::Null => Value::from(""),
        default => default,
    }
}

/// Makes all changes in one step.
pub(super) fn save(directories: &Directories, changes: &[Change]) -> Result<Saved, SettingsError> {
    let file = global_file(directories);
    exclusively(&file, || {
        let text = text_to_change(&file)?;
        let mut edited = Edited::InPlace(text.clone());
        for change in changes {
            edited = changed(edited, change, &file)?;
        }
        store(&file, &text, &edited)
    })
}

/// Adds an entry to a YAML file of the user's that is not about settings, in the same careful way. `None`: something
/// stands there already, and nothing was changed.
pub fn add_entry(file: &Path, place: &str, value: Value) -> Result<Option<Saved>, SettingsError> {
    exclusively(file, || {
        let text = text_to_change(file)?;
        let old = understood(&text, file)?;
        if tree::find(&old, place).is_some() {
            return Ok(None);
        }
        let mut new = old.clone();
        tree::insert(&mut new, place, value);
        store(file, &text, &edit(&text, &old, &new, place)).map(Some)
    })
}

/// Whether a file has something at a place; nothing is written.
pub fn has_entry(file: &Path, place: &str) -> Result<bool, SettingsError> {
    Ok(tree::find(&understood(&text_to_change(file)?, file)?, place).is_some())
}

fn understood(text: &str, file: &Path) -> Result<Map<String, Value>, SettingsError> {
    mapping(text, Format::Yaml).map_err(|error| SettingsError::Broken {
        path: file.to_owned(),
        reason: format!("cannot be parsed: {error}"),
    })
}

/// The text of the file; what cannot be read is not touched.
fn text_to_change(file: &Path) -> Result<String, SettingsError> {
    match read(file) {
        Text::Missing => Ok(String::new()),
        Text::Read(text) => Ok(text),
        Text::Unreadable(reason) => Err(SettingsError::Broken { path: file.to_owned(), reason }),
    }
}

fn changed(before: Edited, change: &Change, file: &Path) -> Result<Edited, SettingsError> {
    let old = understood(before.text(), file)?;
    let mut new = old.clone();
    let mut place = make_room(&mut new, change.setting);
    if let Some(member) = &change.member {
        place = format!("{place}.{member}");
    }
    tree::insert(&mut new, &place, change.value.clone());
    let after = edit(before.text(), &old, &new, &place);
    Ok(match (before, after) {
        // Once comments are lost, they are lost.
        (Edited::Rewritten(_), Edited::InPlace(text)) => Edited::Rewritten(text),
        (_, after) => after,
    })
}

/// Where the value goes. An old shape that stands in the way becomes the new one first, so that what it says is
/// kept.
fn make_room(map: &mut Map<String, Value>, setting: &Setting) -> String {
    let mut migrated = map.clone();
    migrate::fields(&mut migrated);
    let group = setting.stored.split('.').next().unwrap_or_default();
    if let (Some(old), Some(Value::Object(new))) = (map.get_mut(group), migrated.get(group))
        && !old.is_object()
        && group != setting.stored
    {
        *old = Value::Object(new.clone());
    }
    if let Some((switch, _)) = setting.path.rsplit_once('.')
        && let Some(Value::Bool(on)) = tree::find(map, switch).cloned()
    {
        tree::insert(map, &format!("{switch}.enabled"), Value::Bool(on));
    }
    // A switch that is also a group is written as a plain switch while the group has no members.
    match tree::find(map, setting.path) {
        Some(Value::Object(_)) => setting.stored.to_owned(),
        _ => setting.path.to_owned(),
    }
}

fn store(file: &Path, before: &str, after: &Edited) -> Result<Saved, SettingsError> {
    let saved = match after {
        Edited::InPlace(_) => Saved::InPlace,
        Edited::Rewritten(_) => {
            let backup = file.with_extension("yml.bak");
            write(&backup, before.as_bytes(), Mode::Private)?;
            Saved::Rewritten { backup }
        }
    };
    if after.text() != before || !file.exists() {
        write(file, after.text().as_bytes(), Mode::Private)?;
    }
    Ok(saved)
}
