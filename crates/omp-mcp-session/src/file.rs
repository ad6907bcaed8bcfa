//! The `mcp.json` files that omp writes: the user's and the project's. Files of other agents are only read.

use std::collections::HashSet;
use std::io::{ErrorKind, Read};
use std::os::unix::fs::MetadataExt;
use std::path::{Path, PathBuf};

use omp_config::Directories;
use omp_config::discovery::Level;
use omp_mcp::definition::{Coercion, DefinitionError, Variables, check_name, parse};
use omp_workspace::write::{Mode, WriteError, write};
use serde_json::{Map, Value, json};

use crate::definitions::ConfiguredServers;

const FILE: &str = "mcp.json";
const SERVERS: &str = "mcpServers";
const DISABLED: &str = "disabledServers";
const LARGEST: u64 = 1024 * 1024;
/// Where editors find what may be in the file.
const SCHEMA: &str = "https://raw.githubusercontent.com/can1357/oh-my-pi/main/packages/coding-agent/src/config/mcp-schema.json";

/// Why a file was not changed. It is as it was.
#[derive(Debug, thiserror::Error)]
pub enum McpFileError {
    /// The name or the definition cannot be used.
    #[error("Invalid server config: {0}")]
    Invalid(#[from] DefinitionError),
    /// There is one of that name.
    #[error("Server \"{name}\" already exists in {}", file.display())]
    Taken {
        /// The name.
        name: String,
        /// The file.
        file: PathBuf,
    },
    /// There is none of that name.
    #[error("{} has no server \"{name}\"", file.display())]
    Unknown {
        /// The name.
        name: String,
        /// The file.
        file: PathBuf,
    },
    /// The file is not what it should be.
    #[error("cannot change {}: {reason}", file.display())]
    Broken {
        /// The file.
        file: PathBuf,
        /// What is wrong with it.
        reason: String,
    },
    /// The file cannot be written.
    #[error(transparent)]
    Write(#[from] WriteError),
}

/// The user's file.
pub(crate) fn user_file(directories: &Directories) -> PathBuf {
    directories.agent.join(FILE)
}

/// The file of the level that omp writes to.
pub fn mcp_file(directories: &Directories, cwd: &Path, level: Level) -> PathBuf {
    match level {
        Level::User => user_file(directories),
        Level::Project => cwd.join(".omp").join(FILE),
    }
}

/// Adds a server. Everything else in the file stays.
pub fn add_server(file: &Path, name: &str, config: Map<String, Value>) -> Result<(), McpFileError> {
    check_name(name)?;
    // Variables are looked at when the server is used.
    let variables = Variables { lookup: &|_| None, workspace: None, home: None };
    parse(name, &config, Coercion::Strict, &variables)?;
    let mut content = load(file)?;
    let servers = servers(&mut content, file)?;
    if servers.contains_key(name) {
        return Err(McpFileError::Taken { name: name.to_owned(), file: file.to_owned() });
    }
    servers.insert(name.to_owned(), Value::Object(config));
    save(file, &content)
}

/// Takes a server out.
pub fn remove_server(file: &Path, name: &str) -> Result<(), McpFileError> {
    let mut content = load(file)?;
    if servers(&mut content, file)?.shift_remove(name).is_none() {
        return Err(McpFileError::Unknown { name: name.to_owned(), file: file.to_owned() });
    }
    save(file, &content)
}

/// Switches a server on or off: in its entry where omp may write it, and in the user's list otherwise.
pub fn switch_server(
    directories: &Directories,
    name: &str,
    own_file: Option<&Path>,
    enabled: bool,
) -> Result<PathBuf, McpFileError> {
    let user = user_file(directories);
    let mut content = load(&user)?;
    let listed = is_listed(&content, name);
    if enabled && listed {
        list(&mut content, &user)?.retain(|entry| entry.as_str() != Some(name));
        save(&user, &content)?;
    }
    match own_file {
        Some(file) => {
            let mut content = load(file)?;
            let entry = servers(&mut content, file)?.get_mut(name).and_then(Value::as_object_mut);
            let unknown = || McpFileError::Unknown { name: name.to_owned(), file: file.to_owned() };
            let entry = entry.ok_or_else(unknown)?;
            entry.shift_remove("disabled");
            match enabled {
                true => drop(entry.shift_remove("enabled")),
                false => drop(entry.insert("enabled".to_owned(), json!(false))),
            }
            save(file, &content)?;
            Ok(file.to_owned())
        }
        None => {
            if !enabled && !listed {
                list(&mut content, &user)?.push(json!(name));
                save(&user, &content)?;
            }
            Ok(user)
        }
    }
}

/// The names that the user's file switches off, wherever they are defined.
pub(crate) fn disabled_servers(file: &Path, warnings: &mut Vec<String>) -> HashSet<String> {
    let content = match load(file) {
        Ok(content) => content,
        // Discovery says what is wrong with it.
        Err(_) => return HashSet::new(),
    };
    match content.get(DISABLED) {
        None | Some(Value::Null) => HashSet::new(),
        Some(Value::Array(names)) => names.iter().filter_map(Value::as_str).map(str::to_owned).collect(),
        Some(_) => {
            warnings.push(format!("{}: `{DISABLED}` is ignored: it must be a list of names", file.display()));
            HashSet::new()
        }
    }
}

fn is_listed(content: &Map<String, Value>, name: &str) -> bool {
    let names = content.get(DISABLED).and_then(Value::as_array);
    names.is_some_and(|names| names.iter().any(|entry| entry.as_str() == Some(name)))
}

fn list<'c>(content: &'c mut Map<String, Value>, file: &Path) -> Result<&'c mut Vec<Value>, McpFileError> {
    match content.entry(DISABLED).or_insert_with(|| json!([])) {
        Value::Array(names) => Ok(names),
        _ => Err(broken(file, format!("`{DISABLED}` must be a list of names"))),
    }
}

fn broken(file: &Path, reason: String) -> McpFileError {
    McpFileError::Broken { file: file.to_owned(), reason }
}

fn load(file: &Path) -> Result<Map<String, Value>, McpFileError> {
    let mut text = String::new();
    match std::fs::File::open(file).and_then(|file| file.take(LARGEST + 1).read_to_string(&mut text)) {
        Ok(length) if length as u64 > LARGEST => {
            return Err(broken(file, "it is larger than 1 MB".to_owned()));
        }
        Ok(_) => {}
        Err(error) if error.kind() == ErrorKind::NotFound => {}
        Err(error) => return Err(broken(file, format!("it cannot be read: {error}"))),
    }
    if text.trim().is_empty() {
        return Ok(Map::new());
    }
    match serde_json::from_str(&text) {
        Ok(Value::Object(content)) => Ok(content),
        Ok(_) => Err(broken(file, "it must contain a mapping".to_owned())),
        Err(error) => Err(broken(file, format!("it is not plain JSON: {error}"))),
    }
}

fn servers<'c>(
    content: &'c mut Map<String, Value>,
    file: &Path,
) -> Result<&'c mut Map<String, Value>, McpFileError> {
    match content.entry(SERVERS).or_insert_with(|| json!({})) {
        Value::Object(servers) => Ok(servers),
        _ => Err(broken(file, format!("`{SERVERS}` must be a mapping from names to servers"))),
    }
}

fn save(file: &Path, content: &Map<String, Value>) -> Result<(), McpFileError> {
    let mut content = content.clone();
    if !content.contains_key("$schema") {
        content.shift_insert(0, "$schema".to_owned(), json!(SCHEMA));
    }
    let mut text = format!("{:#}", Value::Object(content));
    text.push('\n');
    write(file, text.as_bytes(), Mode::Keep)?;
    Ok(())
}

/// A file as it was when it was read.
#[derive(Clone, Debug, PartialEq, Eq)]
pub(crate) struct Stamp {
    file: PathBuf,
    /// Its number, length and time of change; `None` if there is none.
    state: Option<(u64, u64, i64, i64)>,
}

impl Stamp {
    fn of(file: PathBuf) -> Self {
        let state = state(&file);
        Self { file, state }
    }

    pub(crate) fn is_stale(&self) -> bool {
        state(&self.file) != self.state
    }
}

fn state(file: &Path) -> Option<(u64, u64, i64, i64)> {
    let metadata = file.metadata().ok()?;
    Some((metadata.ino(), metadata.size(), metadata.ctime(), metadata.ctime_nsec()))
}

/// The files that servers come from, and those that people add servers to.
pub(crate) fn stamps(directories: &Directories, cwd: &Path, configured: &ConfiguredServers) -> Vec<Stamp> {
    let mut files = vec![
        user_file(directories),
        mcp_file(directories, cwd, Level::Project),
        cwd.join(FILE),
        cwd.join(".mcp.json"),
    ];
    for server in &configured.servers {
        if !files.contains(&server.file) {
            files.push(server.file.clone());
        }
    }
    files.into_iter().map(Stamp::of).collect()
}
