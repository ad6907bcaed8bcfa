//! Changes to a file of hosts.

use std::io::{ErrorKind, Read};
use std::path::{Path, PathBuf};

use omp_workspace::write::{Mode, WriteError, write};
use serde_json::{Map, Value, json};

use crate::host::{check_address, check_name, check_user};

const LARGEST: u64 = 1024 * 1024;
const HOSTS: &str = "hosts";

/// A host that somebody typed.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct Draft {
    pub name: String,
    pub address: String,
    pub user: Option<String>,
    pub port: Option<u16>,
    pub key: Option<String>,
    pub description: Option<String>,
    pub compat: bool,
}

/// Why a file was not changed. It is as it was.
#[derive(Debug, thiserror::Error)]
pub enum HostsFileError {
    #[error("{0}")]
    Refused(String),
    #[error("{} already has a host \"{name}\"; remove it first", file.display())]
    Taken { name: String, file: PathBuf },
    #[error("{} has no host \"{name}\"", file.display())]
    Unknown { name: String, file: PathBuf },
    #[error("cannot change {}: {reason}", file.display())]
    Broken { file: PathBuf, reason: String },
    #[error(transparent)]
    Write(#[from] WriteError),
}

/// Adds a host. Everything else in the file stays.
pub fn add(file: &Path, draft: &Draft) -> Result<(), HostsFileError> {
    check(draft).map_err(HostsFileError::Refused)?;
    let mut content = load(file)?;
    let hosts = hosts(&mut content, file)?;
    if hosts.contains_key(&draft.name) {
        return Err(HostsFileError::Taken { name: draft.name.clone(), file: file.to_owned() });
    }
    hosts.insert(draft.name.clone(), entry(draft));
    save(file, &content)
}

/// Takes a host out.
pub fn remove(file: &Path, name: &str) -> Result<(), HostsFileError> {
    let mut content = load(file)?;
    if hosts(&mut content, file)?.shift_remove(name).is_none() {
        return Err(HostsFileError::Unknown { name: name.to_owned(), file: file.to_owned() });
    }
    save(file, &content)
}

/// Variables are checked when they are known.
fn check(draft: &Draft) -> Result<(), String> {
    let Draft { name, address, user, .. } = draft;
    check_name(name).map_err(|_| format!("the name {name:?} must be one line of text"))?;
    if !address.contains("${") {
        check_address(address).map_err(|reason| format!("--host {address:?} {reason}"))?;
    }
    match user.as_deref().filter(|user| !user.contains("${")) {
        Some(user) => check_user(user).map_err(|reason| format!("--user {user:?} {reason}")),
        None => Ok(()),
    }
}

fn entry(draft: &Draft) -> Value {
    let mut entry = json!({ "host": draft.address });
    let texts = [("username", &draft.user), ("keyPath", &draft.key), ("description", &draft.description)];
    for (field, value) in texts {
        if let Some(value) = value {
            entry[field] = json!(value);
        }
    }
    if let Some(port) = draft.port {
        entry["port"] = json!(port);
    }
    if draft.compat {
        entry["compat"] = json!(true);
    }
    entry
}

fn load(file: &Path) -> Result<Map<String, Value>, HostsFileError> {
    let broken = |reason: String| HostsFileError::Broken { file: file.to_owned(), reason };
    let mut text = String::new();
    match std::fs::File::open(file).and_then(|file| file.take(LARGEST + 1).read_to_string(&mut text)) {
        Ok(length) if length as u64 > LARGEST => return Err(broken("it is larger than 1 MB".to_owned())),
        Ok(_) => {}
        Err(error) if error.kind() == ErrorKind::NotFound => {}
        Err(error) => return Err(broken(format!("it cannot be read: {error}"))),
    }
    if text.trim().is_empty() {
        return Ok(Map::new());
    }
    match serde_json::from_str(&text) {
        Ok(Value::Object(content)) => Ok(content),
        Ok(_) => Err(broken("it must contain a mapping".to_owned())),
        Err(error) => Err(broken(format!("it is not plain JSON: {error}"))),
    }
}

fn hosts<'a>(
    content: &'a mut Map<String, Value>,
    file: &Path,
) -> Result<&'a mut Map<String, Value>, HostsFileError> {
    match content.entry(HOSTS).or_insert_with(|| json!({})) {
        Value::Object(hosts) => Ok(hosts),
        _ => {
            let reason = format!("`{HOSTS}` must be a mapping from names to hosts");
            Err(HostsFileError::Broken { file: file.to_owned(), reason })
        }
    }
}

fn save(file: &Path, content: &Map<String, Value>) -> Result<(), HostsFileError> {
    let mut text = format!("{:#}", Value::Object(content.clone()));
    text.push('\n');
    write(file, text.as_bytes(), Mode::Keep)?;
    Ok(())
}
