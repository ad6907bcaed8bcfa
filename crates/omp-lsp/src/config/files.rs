//! Files that change the table of servers.

use std::io::Read;
use std::path::Path;

use serde_json::{Map, Value};

use super::{Config, Server};

/// The names that a file may have, in every directory where one is looked for.
pub const FILE_NAMES: [&str; 6] = ["lsp.json", ".lsp.json", "lsp.yaml", ".lsp.yaml", "lsp.yml", ".lsp.yml"];
/// Larger files are not read.
const MAX_BYTES: u64 = 1024 * 1024;
/// Servers of one file that are looked at.
const MOST_SERVERS: usize = 500;

/// Reads one file, if it is there, and changes what is known. What it says wrong is told and left out.
pub(super) fn read(path: &Path, known: &mut Vec<Server>, config: &mut Config) {
    let Some(content) = content(path) else { return };
    let shown = path.display();
    let parsed = content.and_then(|text| parse(path, &text));
    let table = match parsed {
        Ok(Value::Object(table)) => table,
        Ok(Value::Null) => return,
        Ok(_) => {
            return config.warnings.push(format!("ignoring {shown}: it must be a mapping of servers"));
        }
        Err(error) => return config.warnings.push(format!("ignoring {shown}: {error}")),
    };
    match table.get("idleTimeoutMs").map(|value| (value, value.as_u64())) {
        Some((_, Some(milliseconds))) => {
            config.idle_timeout_ms = Some(milliseconds).filter(|milliseconds| *milliseconds > 0);
        }
        Some((value, None)) => {
            config
                .warnings
                .push(format!("{shown}: `idleTimeoutMs` must be a number of milliseconds, not {value}"));
        }
        None => {}
    }
    let servers = match table.get("servers") {
        Some(Value::Object(servers)) => servers,
        Some(_) => return config.warnings.push(format!("ignoring {shown}: `servers` must be a mapping")),
        None => &table,
    };
    for (name, value) in servers.iter().filter(|(name, _)| *name != "idleTimeoutMs").take(MOST_SERVERS) {
        if let Err(problem) = change(name, value, known) {
            config.warnings.push(format!("{shown}: ignoring server `{name}`: {problem}"));
        }
    }
}

/// The text of a file; `None` if there is none.
fn content(path: &Path) -> Option<Result<String, String>> {
    let file = std::fs::File::open(path).ok()?;
    if !file.metadata().is_ok_and(|metadata| metadata.is_file()) {
        return None;
    }
    let mut text = String::new();
    match file.take(MAX_BYTES + 1).read_to_string(&mut text) {
        Ok(length) if length as u64 > MAX_BYTES => Some(Err("it is larger than 1 MB".to_owned())),
        Ok(_) => Some(Ok(text)),
        Err(error) => Some(Err(error.to_string())),
    }
}

fn parse(path: &Path, text: &str) -> Result<Value, String> {
    if path.extension().is_some_and(|ending| ending == "json") {
        return serde_json::from_str(text).map_err(|error| error.to_string());
    }
    serde_saphyr::from_str(text)
        .map_err(|error| error.to_string().lines().next().unwrap_or_default().to_owned())
}

/// Puts what a file says over what is known, or adds a server. Nothing changes if a field is invalid.
fn change(name: &str, value: &Value, known: &mut Vec<Server>) -> Result<(), String> {
    let Value::Object(fields) = value else { return Err("it must be a mapping".to_owned()) };
    let position = known.iter().position(|server| server.name == name);
    let mut server = match position {
        Some(position) => known[position].clone(),
        None => new(name, fields)?,
    };
    for (field, value) in fields {
        set(&mut server, field, value).map_err(|expected| format!("`{field}` must be {expected}"))?;
    }
    match position {
        Some(position) => known[position] = server,
        None => known.push(server),
    }
    Ok(())
}

fn new(name: &str, fields: &Map<String, Value>) -> Result<Server, String> {
    let missing: Vec<&str> = ["command", "fileTypes", "rootMarkers"]
        .into_iter()
        .filter(|field| !fields.contains_key(*field))
        .collect();
    if !missing.is_empty() {
        return Err(format!("a new server requires {}", missing.join(", ")));
    }
    Ok(Server {
        name: name.to_owned(),
        command: String::new(),
        arguments: Vec::new(),
        file_types: Vec::new(),
        root_markers: Vec::new(),
        init_options: Value::Null,
        settings: Value::Null,
        disabled: false,
        warmup_timeout_ms: None,
        is_linter: false,
        capabilities: Map::new(),
        program: Default::default(),
    })
}

/// Sets one field, or says what it would have to be. Fields that nobody knows are left alone, `resolvedCommand` with them.
fn set(server: &mut Server, field: &str, value: &Value) -> Result<(), &'static str> {
    const SWITCH: &str = "true or false";
    match field {
        "command" => {
            let command =
                value.as_str().filter(|command| !command.trim().is_empty() && !command.contains('\0'));
            server.command = command.ok_or("the name of a program")?.to_owned();
        }
        "args" => server.arguments = texts(value).ok_or("a list of strings")?,
        "fileTypes" => server.file_types = some(texts(value)).ok_or("a list of extensions such as `.rs`")?,
        "rootMarkers" => server.root_markers = some(texts(value)).ok_or("a list of file names")?,
        "initOptions" => server.init_options = mapping(value)?,
        "settings" => server.settings = mapping(value)?,
        "disabled" => server.disabled = value.as_bool().ok_or(SWITCH)?,
        "isLinter" => server.is_linter = value.as_bool().ok_or(SWITCH)?,
        "warmupTimeoutMs" => {
            server.warmup_timeout_ms = Some(value.as_u64().ok_or("a number of milliseconds")?);
        }
        "capabilities" => {
            let table = value.as_object().filter(|table| table.values().all(Value::is_boolean));
            server.capabilities = table.ok_or("a mapping of booleans")?.clone();
        }
        _ => {}
    }
    Ok(())
}

fn texts(value: &Value) -> Option<Vec<String>> {
    value.as_array()?.iter().map(|item| item.as_str().map(str::to_owned)).collect()
}

fn some(list: Option<Vec<String>>) -> Option<Vec<String>> {
    list.filter(|list| !list.is_empty())
}

fn mapping(value: &Value) -> Result<Value, &'static str> {
    value.is_object().then(|| value.clone()).ok_or("a mapping")
}
