//! Files of earlier versions: `settings.json` and the settings in `agent.db` become `config.yml`, once.

use std::path::Path;

use omp_workspace::open::{OpenedPath, open};
use omp_workspace::write::{Mode, write};
use rusqlite::{Connection, OpenFlags};
use serde_json::{Map, Value};

use super::super::edit::{document, edit};
use super::super::error::SettingsError;
use super::super::file::{Text, read};
use super::super::load::global_file;
use super::super::lock::exclusively;
use super::super::parse::{Format, mapping};
use super::super::tree;
use super::fields;
use super::fields::flat_theme;
use crate::directories::Directories;

/// For which background the theme of a name is made; `None` if nobody knows.
pub type IsLight<'a> = &'a dyn Fn(&str) -> Option<bool>;

/// The version whose changes were shown last.
const MARKER: &str = "last-changelog-version";
const VERSION_KEY: &str = "lastChangelogVersion";
/// Rows of the old table; it had dozens.
const MAX_ROWS: i64 = 1000;

/// Brings the files of earlier versions up to date. `is_light` says for which background a theme is made, as far as
/// it is known. Gives what could not be done, as sentences; nothing is lost then, and the next start tries again.
pub fn migrate_files(directories: &Directories, is_light: IsLight<'_>) -> Vec<String> {
    let mut warnings = Vec::new();
    let file = global_file(directories);
    let result = if file.symlink_metadata().is_ok() {
        move_changelog_version(directories, &file).and_then(|()| place_theme(&file, is_light))
    } else {
        build(directories, &file, is_light, &mut warnings)
    };
    if let Err(error) = result {
        warnings.push(error.to_string());
    }
    warnings
}

/// Makes `config.yml` from what older versions left.
fn build(
    directories: &Directories,
    file: &Path,
    is_light: IsLight<'_>,
    warnings: &mut Vec<String>,
) -> Result<(), SettingsError> {
    let json = directories.agent.join("settings.json");
    let database = directories.database();
    let from_json = json_settings(&json, warnings);
    let mut merged = from_json.clone().unwrap_or_default();
    tree::merge(&mut merged, &database_settings(&database));
    if merged.is_empty() {
        return Ok(());
    }
    exclusively(file, || {
        // Another process may have been faster.
        if file.symlink_metadata().is_ok() {
            return Ok(());
        }
        if let Some(Value::String(version)) = merged.get(VERSION_KEY) {
            write(&directories.agent.join(MARKER), version.as_bytes(), Mode::Private)?;
        }
        let flat = merged.get("theme").filter(|theme| theme.is_string()).cloned();
        fields(&mut merged);
        if let Some(flat) = flat {
            // The name alone decided; the theme itself knows better.
            merged.insert("theme".to_owned(), flat);
            flat_theme(&mut merged, is_light);
        }
        write(file, document(&merged).as_bytes(), Mode::Private)?;
        if from_json.is_some() {
            let backup = directories.agent.join("settings.json.bak");
            std::fs::rename(&json, backup)
                .map_err(|source| SettingsError::Lock { path: json.clone(), source })?;
        }
        Ok(())
    })
}

fn json_settings(path: &Path, warnings: &mut Vec<String>) -> Option<Map<String, Value>> {
    let shown = path.display();
    match read(path) {
        Text::Missing => None,
        Text::Unreadable(reason) => {
            warnings.push(format!("{shown} {reason}; it was not migrated"));
            None
        }
        Text::Read(text) => match mapping(&text, Format::Json) {
            Ok(map) => Some(map),
            Err(error) => {
                warnings.push(format!("{shown}, {error}; it was not migrated"));
                None
            }
        },
    }
}

/// The table `settings` of a database, if it has one of that shape. Never changes the database.
fn database_settings(path: &Path) -> Map<String, Value> {
    // SQLite would wait for a pipe.
    if !matches!(open(path), Ok(OpenedPath::File(..))) {
        return Map::new();
    }
    rows(path).unwrap_or_default()
}

fn rows(path: &Path) -> rusqlite::Result<Map<String, Value>> {
    let flags = OpenFlags::SQLITE_OPEN_READ_ONLY | OpenFlags::SQLITE_OPEN_NO_MUTEX;
    let connection = Connection::open_with_flags(path, flags)?;
    let mut statement = connection.prepare("SELECT key, value FROM settings LIMIT ?1")?;
    let rows =
        statement.query_map([MAX_ROWS], |row| Ok((row.get::<_, String>(0)?, row.get::<_, String>(1)?)))?;
    let mut map = Map::new();
    for row in rows {
        let (key, text) = row?;
        let value = serde_json::from_str(&text).unwrap_or(Value::String(text));
        let mut layer = Map::new();
        tree::insert(&mut layer, &key, value);
        tree::merge(&mut map, &layer);
    }
    Ok(map)
}

/// The version is no setting: it goes to a file of its own and leaves `config.yml`.
fn move_changelog_version(directories: &Directories, file: &Path) -> Result<(), SettingsError> {
    if version_in(file).is_none() {
        return Ok(());
    }
    exclusively(file, || {
        let Some((text, old, version)) = version_in(file) else { return Ok(()) };
        write(&directories.agent.join(MARKER), version.as_bytes(), Mode::Private)?;
        let mut new = old.clone();
        new.shift_remove(VERSION_KEY);
        let edited = edit(&text, &old, &new, VERSION_KEY);
        write(file, edited.text().as_bytes(), Mode::Private)?;
        Ok(())
    })
}

/// A flat `theme: name` becomes the theme of one background, in the file itself: what the theme is made for is known
/// here, while the layers of a session know only its name.
fn place_theme(file: &Path, is_light: IsLight<'_>) -> Result<(), SettingsError> {
    if theme_in(file).is_none() {
        return Ok(());
    }
    exclusively(file, || {
        let Some((text, old)) = theme_in(file) else { return Ok(()) };
        let mut new = old.clone();
        flat_theme(&mut new, is_light);
        write(file, edit(&text, &old, &new, "theme").text().as_bytes(), Mode::Private)?;
        Ok(())
    })
}

fn theme_in(file: &Path) -> Option<(String, Map<String, Value>)> {
    let Text::Read(text) = read(file) else { return None };
    // Parsing is for the few files that may have it.
    if !text.contains("theme") {
        return None;
    }
    let map = mapping(&text, Format::Yaml).ok()?;
    map.get("theme")?.is_string().then_some((text, map))
}

fn version_in(file: &Path) -> Option<(String, Map<String, Value>, String)> {
    let Text::Read(text) = read(file) else { return None };
    // Parsing is for the few files that still have it.
    if !text.contains(VERSION_KEY) {
        return None;
    }
    let map = mapping(&text, Format::Yaml).ok()?;
    let version = map.get(VERSION_KEY)?.as_str()?.to_owned();
    Some((text, map, version))
}
