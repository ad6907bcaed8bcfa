//! From configuration files to servers: which are there, which are used, and why the others are not.

use std::collections::HashSet;
use std::path::{Path, PathBuf};

use omp_auth::Environment;
use omp_config::Directories;
use omp_config::discovery::{Discovery, Finding, Level, McpServer};
use omp_config::settings::{Settings, keys};
use omp_guard::trust::{Want, WantKind, content_hash};
use omp_mcp::ServerDefinition;
use omp_mcp::definition::{Coercion, Parsed, Variables, parse};
use omp_workspace::open::content;
use serde_json::{Map, Value};

use crate::file;

/// The provider whose files omp writes itself.
const NATIVE: &str = "native";
/// As much of a file as its checksum covers.
const MAX_HASHED: u64 = 64 * 1024 * 1024;

/// A server that a file describes.
#[derive(Clone, Debug)]
pub struct ConfiguredServer {
    /// Its name in the file.
    pub name: String,
    /// The file.
    pub file: PathBuf,
    /// Whose file it is.
    pub level: Level,
    /// Which agent's file it is: `native`, `claude`, …
    pub provider: &'static str,
    /// Whether it is used.
    pub usage: ServerUsage,
    /// What it is; `None` if nobody can tell, or may not look yet.
    pub definition: Option<ServerDefinition>,
    /// Identifies the definition as it is written.
    pub hash: String,
    /// What it is in a few words: its command line or its address, as the file has it.
    pub summary: String,
}

/// Whether a server is used.
#[derive(Clone, Debug, PartialEq, Eq)]
pub enum ServerUsage {
    /// It is connected to when it is needed.
    Active,
    /// Its definition or the user's list switches it off.
    Disabled,
    /// The project brings it, and the user has not agreed to it.
    Untrusted(String),
    /// Its definition cannot be used.
    Invalid(String),
}

impl ServerUsage {
    /// Why it is not used, if that needs a sentence.
    pub fn reason(&self) -> Option<&str> {
        match self {
            Self::Untrusted(reason) | Self::Invalid(reason) => Some(reason),
            Self::Active | Self::Disabled => None,
        }
    }
}

/// What the files say.
#[derive(Clone, Debug, Default)]
pub struct ConfiguredServers {
    /// The servers, the most important source first.
    pub servers: Vec<ConfiguredServer>,
    /// What could not be read or was ignored.
    pub warnings: Vec<String>,
}

impl ConfiguredServers {
    /// The server of that name.
    pub fn get(&self, name: &str) -> Option<&ConfiguredServer> {
        self.servers.iter().find(|server| server.name == name)
    }

    /// The definitions of all servers that may be connected to.
    pub(crate) fn definitions(&self) -> Vec<ServerDefinition> {
        let active = self
            .servers
            .iter()
            .filter(|server| matches!(server.usage, ServerUsage::Active | ServerUsage::Disabled));
        active
            .filter_map(|server| {
                let mut definition = server.definition.clone()?;
                definition.enabled = server.usage == ServerUsage::Active;
                Some(definition)
            })
            .collect()
    }
}

/// Where definitions are looked for, and what they may refer to.
pub(crate) struct DefinitionSources<'s> {
    pub(crate) discovery: &'s Discovery,
    pub(crate) directories: &'s Directories,
    pub(crate) cwd: &'s Path,
    pub(crate) settings: &'s Settings,
    pub(crate) environment: &'s dyn Environment,
    /// May a server that the project brings run? The error says why not.
    pub(crate) trusts: &'s dyn Fn(&Want) -> Result<(), String>,
}

impl DefinitionSources<'_> {
    /// Reads all of them. Starts nothing.
    pub(crate) fn load(&self) -> ConfiguredServers {
        let found = self.discovery.mcp_servers();
        let mut warnings = found.warnings.clone();
        let disabled = match found.all.is_empty() {
            true => HashSet::new(),
            false => file::disabled_servers(&file::user_file(self.directories), &mut warnings),
        };
        let with_project = self.settings.get(keys::MCP_ENABLE_PROJECT_CONFIG);
        let mut servers = Vec::new();
        for finding in found.active() {
            if finding.origin.level == Level::Project && !with_project {
                continue;
            }
            servers.push(self.server(finding, &disabled, &mut warnings));
        }
        ConfiguredServers { servers, warnings }
    }

    fn server(
        &self,
        finding: &Finding<McpServer>,
        disabled: &HashSet<String>,
        warnings: &mut Vec<String>,
    ) -> ConfiguredServer {
        let McpServer { name, path, config } = &finding.item;
        let (level, provider) = (finding.origin.level, finding.origin.provider);
        let want = want(name, config, self.cwd);
        let mut server = ConfiguredServer {
            name: name.clone(),
            file: path.clone(),
            level,
            provider,
            usage: ServerUsage::Active,
            definition: None,
            hash: want.hash.clone(),
            summary: summary(config),
        };
        let coercion = if provider == NATIVE { Coercion::Lenient } else { Coercion::Strict };
        let lookup = |name: &str| self.environment.var(name);
        let home = Some(self.directories.home.as_path());
        let variables = Variables { lookup: &lookup, workspace: Some(self.cwd), home };
        match parse(name, config, coercion, &variables) {
            Ok(Parsed { definition, warnings: ignored }) => {
                if !definition.enabled || disabled.contains(name) {
                    server.usage = ServerUsage::Disabled;
                } else if level == Level::Project
                    && let Err(reason) = (self.trusts)(&want)
                {
                    server.usage = ServerUsage::Untrusted(reason);
                }
                warnings.extend(ignored.into_iter().map(|warning| located(path, &warning)));
                server.definition = Some(definition);
            }
            Err(error) => {
                warnings.push(located(path, &format!("Invalid server config: {error}")));
                server.usage = ServerUsage::Invalid(error.to_string());
            }
        }
        server
    }
}

fn located(path: &Path, warning: &str) -> String {
    format!("{}: {warning}", path.display())
}

/// What the user agrees to with a server of the project: the definition as it is written, and the files of the project that
/// it names.
pub fn want(name: &str, config: &Map<String, Value>, cwd: &Path) -> Want {
    let written = Value::Object(config.clone()).to_string();
    let mut parts: Vec<(String, Vec<u8>)> = vec![("definition".to_owned(), written.into_bytes())];
    for file in named_files(config, cwd) {
        parts.push((file.display().to_string(), content(&file, MAX_HASHED)));
    }
    let hash = content_hash(parts.iter().map(|(name, content)| (name.as_str(), content.as_slice())));
    Want { kind: WantKind::McpServer, what: format!("{name}: {}", summary(config)), hash }
}

/// Files of the project that the command line names: what would really run.
fn named_files(config: &Map<String, Value>, cwd: &Path) -> Vec<PathBuf> {
    let words = words(config);
    let base = config.get("cwd").and_then(Value::as_str).map_or_else(|| cwd.to_owned(), |dir| cwd.join(dir));
    let expand = |word: &String| {
        let word = word.replace("${workspaceFolder}", &cwd.to_string_lossy());
        let value = word.split_once('=').map_or(word.as_str(), |(_, value)| value).to_owned();
        [base.join(&word), base.join(value)]
    };
    let mut files: Vec<PathBuf> = Vec::new();
    for file in words.iter().flat_map(expand) {
        if file.starts_with(cwd) && file.is_file() && !files.contains(&file) {
            files.push(file);
        }
    }
    files
}

fn words(config: &Map<String, Value>) -> Vec<String> {
    let texts = |value: Option<&Value>| -> Vec<String> {
        match value {
            Some(Value::String(text)) => vec![text.clone()],
            Some(Value::Array(items)) => items.iter().filter_map(Value::as_str).map(str::to_owned).collect(),
            _ => Vec::new(),
        }
    };
    [texts(config.get("command")), texts(config.get("args"))].concat()
}

/// Its command line or its address.
fn summary(config: &Map<String, Value>) -> String {
    let url = ["url", "httpUrl", "serverUrl"].iter().find_map(|field| config.get(*field)?.as_str());
    let text = match url {
        Some(url) => url.to_owned(),
        None => words(config).join(" "),
    };
    let mut text: String = text.chars().map(|c| if c.is_control() { ' ' } else { c }).take(200).collect();
    if text.is_empty() {
        text.push_str("(no command)");
    }
    text
}
