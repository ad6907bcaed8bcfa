//! Other configuration files, such as `models.yml`: YAML or JSON, found, missing or wrong.

use std::io::ErrorKind;
use std::path::{Path, PathBuf};

use omp_workspace::write::{Mode, write};
use serde_json::{Map, Value};

use super::edit::document;
use super::error::SettingsError;
use super::file::{Text, read};
use super::lock::exclusively;
use super::parse::{self, Format, ParseError};

/// A file that was asked for.
#[derive(Debug)]
pub enum Loaded {
    Ok { path: PathBuf, map: Map<String, Value> },
    NotFound,
    Error(ConfigFileError),
}

/// Why a file cannot be used.
#[derive(Debug, thiserror::Error)]
pub enum ConfigFileError {
    #[error("{} {reason}", path.display())]
    Unreadable { path: PathBuf, reason: String },
    #[error("{}, {error}; fix the file or move it away", path.display())]
    Wrong { path: PathBuf, error: ParseError },
}

/// Loads `path`. Where a YAML file is asked for and only a `.json` of the same name exists, that one is read and
/// kept as YAML from now on.
pub fn load(path: &Path) -> Loaded {
    let yaml = format_of(path) == Format::Yaml;
    match read(path) {
        Text::Read(text) => parsed(path, &text),
        Text::Unreadable(reason) => {
            Loaded::Error(ConfigFileError::Unreadable { path: path.to_owned(), reason })
        }
        Text::Missing if yaml => convert(path),
        Text::Missing => Loaded::NotFound,
    }
}

fn format_of(path: &Path) -> Format {
    match path.extension().and_then(|extension| extension.to_str()) {
        Some("json" | "jsonc") => Format::Json,
        Some("toml") => Format::Toml,
        _ => Format::Yaml,
    }
}

fn parsed(path: &Path, text: &str) -> Loaded {
    match parse::mapping(text, format_of(path)) {
        Ok(map) => Loaded::Ok { path: path.to_owned(), map },
        Err(error) => Loaded::Error(ConfigFileError::Wrong { path: path.to_owned(), error }),
    }
}

/// Reads the `.json` beside `path` and writes it to `path`. If it cannot be written, it is used as it is.
fn convert(path: &Path) -> Loaded {
    let json = path.with_extension("json");
    let text = match read(&json) {
        Text::Missing => return Loaded::NotFound,
        Text::Unreadable(reason) => return Loaded::Error(ConfigFileError::Unreadable { path: json, reason }),
        Text::Read(text) => text,
    };
    match parsed(&json, &text) {
        Loaded::Ok { map, .. } => {
            let kept = keep(path, &map).is_ok();
            Loaded::Ok { path: if kept { path.to_owned() } else { json }, map }
        }
        other => other,
    }
}

fn keep(path: &Path, map: &Map<String, Value>) -> Result<(), SettingsError> {
    exclusively(path, || match path.symlink_metadata() {
        Err(error) if error.kind() == ErrorKind::NotFound => {
            write(path, document(map).as_bytes(), Mode::Private)?;
            Ok(())
        }
        _ => Ok(()),
    })
}
