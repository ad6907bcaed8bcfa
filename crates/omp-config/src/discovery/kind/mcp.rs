//! Servers of the Model Context Protocol, in the files of several agents.

use std::path::Path;

use serde_json::{Map, Value};

use super::super::engine::{Kind, Loader, Search};
use super::super::item::McpServer;
use super::super::places::Root;
use super::super::provider::Loaders;
use crate::settings::Format;

impl Kind for McpServer {
    type Key = String;
    const NAME: &'static str = "MCP server";

    fn loader(loaders: &Loaders) -> Loader<Self> {
        loaders.mcp_servers
    }

    fn key(item: &Self) -> Option<String> {
        Some(item.name.clone())
    }

    fn label(item: &Self) -> String {
        item.name.clone()
    }
}

/// How an agent writes its servers down.
#[derive(Clone, Copy, Debug)]
pub(in super::super) enum Dialect {
    /// `mcpServers`, in JSON.
    Common,
    /// `servers`, in JSON.
    VsCode,
    /// `mcp`, with commands as lists.
    OpenCode,
    /// `mcp_servers`, in TOML.
    Codex,
}

impl Dialect {
    fn format(self) -> Format {
        match self {
            Self::Common | Self::VsCode | Self::OpenCode => Format::Json,
            Self::Codex => Format::Toml,
        }
    }

    fn key(self) -> &'static str {
        match self {
            Self::Common => "mcpServers",
            Self::VsCode => "servers",
            Self::OpenCode => "mcp",
            Self::Codex => "mcp_servers",
        }
    }

    fn common(self, config: Map<String, Value>) -> Map<String, Value> {
        match self {
            Self::OpenCode => from_opencode(config),
            Self::Common | Self::VsCode | Self::Codex => config,
        }
    }
}

/// Adds the servers of one file.
pub(in super::super) fn collect(search: &mut Search<'_, McpServer>, file: &Root, dialect: Dialect) {
    let servers = match super::entry(search, &file.path, dialect.format(), dialect.key()) {
        Some(Value::Object(servers)) => servers,
        Some(_) => {
            return search.warn(format!(
                "{}: `{}` must be a mapping from names to servers",
                file.path.display(),
                dialect.key()
            ));
        }
        None => return,
    };
    add(search, file, dialect, servers);
}

/// Adds the servers of a file of a plugin, which may name the plugin's directory and mean paths in it.
pub(in super::super) fn collect_of_plugin(
    search: &mut Search<'_, McpServer>,
    plugin: &Root,
    name: &str,
    dialect: Dialect,
) {
    let file = plugin.below(name);
    let Some(mut servers) = super::mapping(search, &file.path, dialect.format()) else { return };
    let Some(Value::Object(servers)) = servers.remove(dialect.key()) else { return };
    add_of_plugin(search, &file, &plugin.path, servers);
}

/// Adds the servers of a file of a plugin of a marketplace, where the names need no `mcpServers` around them.
pub(in super::super) fn collect_of_plugin_file(
    search: &mut Search<'_, McpServer>,
    file: &Root,
    plugin: &Path,
) {
    let Some(mapping) = super::mapping(search, &file.path, Format::Json) else { return };
    add_of_plugin(search, file, plugin, servers_in(mapping));
}

/// The servers in a mapping that has them, or is them.
pub(in super::super) fn servers_in(mut mapping: Map<String, Value>) -> Map<String, Value> {
    match mapping.remove("mcpServers") {
        Some(Value::Object(servers)) => servers,
        Some(_) => Map::new(),
        None => {
            mapping.retain(|name, config| config.is_object() && !name.starts_with('$'));
            mapping
        }
    }
}

/// Adds servers of a plugin.
pub(in super::super) fn add_of_plugin(
    search: &mut Search<'_, McpServer>,
    file: &Root,
    plugin: &Path,
    mut servers: Map<String, Value>,
) {
    for config in servers.values_mut() {
        in_plugin(config, plugin);
    }
    add(search, file, Dialect::Common, servers);
}

/// Names the plugin's directory in all texts of a definition, and starts relative paths there.
fn in_plugin(config: &mut Value, plugin: &Path) {
    for_all_texts(config, &mut |text| {
        for name in ["CLAUDE_PLUGIN_ROOT", "OMP_PLUGIN_ROOT"] {
            let variable = format!("${{{name}}}");
            if text.contains(&variable) {
                *text = text.replace(&variable, &plugin.to_string_lossy());
            }
        }
    });
    for key in ["command", "cwd"] {
        let Some(Value::String(path)) = config.get_mut(key) else { continue };
        if path.starts_with("./") || path.starts_with("../") || (key == "cwd" && path == ".") {
            *path = plugin.join(path.trim_start_matches("./")).to_string_lossy().into_owned();
        }
    }
}

fn for_all_texts(value: &mut Value, change: &mut impl FnMut(&mut String)) {
    match value {
        Value::String(text) => change(text),
        Value::Array(list) => list.iter_mut().for_each(|item| for_all_texts(item, change)),
        Value::Object(map) => map.values_mut().for_each(|item| for_all_texts(item, change)),
        Value::Null | Value::Bool(_) | Value::Number(_) => {}
    }
}

/// Adds the servers that Claude Code keeps for the working directory: `projects.<directory>.mcpServers` of the user's file.
pub(in super::super) fn collect_for_directory(search: &mut Search<'_, McpServer>, file: &Root) {
    let Some(Value::Object(mut projects)) = super::entry(search, &file.path, Format::Json, "projects") else {
        return;
    };
    let cwd = search.discovery.places.cwd.to_string_lossy().into_owned();
    let mut project = projects.remove(&cwd).unwrap_or_default();
    if let Some(Value::Object(servers)) = project.get_mut("mcpServers").map(Value::take) {
        add(search, file, Dialect::Common, servers);
    }
}

fn add(search: &mut Search<'_, McpServer>, file: &Root, dialect: Dialect, servers: Map<String, Value>) {
    for (name, config) in servers {
        match config {
            Value::Object(config) => {
                let server = McpServer { name, path: file.path.clone(), config: dialect.common(config) };
                search.add(file.level, file.path.clone(), server);
            }
            _ => search.warn(format!(
                "{}: the server `{name}` is ignored: it must be a mapping",
                file.path.display()
            )),
        }
    }
}

/// A `local` server has its arguments in `command` and its variables in `environment`.
fn from_opencode(mut config: Map<String, Value>) -> Map<String, Value> {
    let kind = match config.get("type").and_then(Value::as_str) {
        Some("local") => Some("stdio"),
        Some("remote") => Some("http"),
        _ => None,
    };
    if let Some(kind) = kind {
        config.insert("type".to_owned(), Value::from(kind));
    }
    if let Some(Value::Array(words)) = config.get("command").cloned() {
        let mut words = words.into_iter();
        config.insert("command".to_owned(), words.next().unwrap_or_default());
        config.insert("args".to_owned(), words.collect());
    }
    if let Some(environment) = config.remove("environment") {
        config.insert("env".to_owned(), environment);
    }
    config
}
