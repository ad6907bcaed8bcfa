//! Which language servers a project has.
//!
//! A built-in table ([`table`]) says how well-known servers are started and which files they are for. Files of the user
//! and of the project change it ([`files`]). Of all that, a project has those servers one of whose root markers is in its
//! directory and whose program is installed ([`programs`]).

mod files;
mod programs;
pub(crate) mod table;

use std::ffi::OsStr;
use std::path::{Path, PathBuf};

use globset::GlobBuilder;
use serde_json::{Map, Value};

pub use files::FILE_NAMES;
pub(crate) use programs::find as find_program;
pub use programs::project_code;

/// Where to look for configuration and programs.
#[derive(Clone, Debug, Default)]
pub struct Places {
    /// The project.
    pub cwd: PathBuf,
    /// Directories that may hold a configuration file, the least important first.
    pub directories: Vec<PathBuf>,
    /// `PATH`.
    pub path: Option<std::ffi::OsString>,
    /// Whose programs are started.
    pub trust: Trust,
}

/// Whose programs are started as servers.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub enum Trust {
    /// Also those that the project brings along.
    #[default]
    Project,
    /// Only those outside of the project.
    User,
}

/// One server, as it is configured.
#[derive(Clone, Debug, PartialEq)]
pub struct Server {
    /// Its name in the configuration.
    pub name: String,
    pub command: String,
    pub arguments: Vec<String>,
    /// Endings with their dot, or whole names of files.
    pub file_types: Vec<String>,
    pub root_markers: Vec<String>,
    pub init_options: Value,
    pub settings: Value,
    pub disabled: bool,
    pub warmup_timeout_ms: Option<u64>,
    pub is_linter: bool,
    /// Switches of one server, such as `flycheck` of rust-analyzer.
    pub capabilities: Map<String, Value>,
    /// The program that was found.
    pub program: PathBuf,
}

/// How a server is talked to.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum ServerKind {
    /// In the protocol.
    Protocol,
    /// By running its program for each question.
    Biome,
    SwiftLint,
}

impl Server {
    /// How the server is talked to.
    pub fn kind(&self) -> ServerKind {
        match self.name.as_str() {
            "biome" => ServerKind::Biome,
            "swiftlint" => ServerKind::SwiftLint,
            _ => ServerKind::Protocol,
        }
    }

    /// Speaks the protocol.
    pub fn speaks(&self) -> bool {
        self.kind() == ServerKind::Protocol
    }

    /// Is the server for this file?
    pub fn serves(&self, path: &Path) -> bool {
        let name = path.file_name().and_then(OsStr::to_str).unwrap_or_default();
        let ending = path.extension().and_then(OsStr::to_str).unwrap_or_default();
        self.file_types.iter().any(|wanted| {
            wanted == name
                || (!ending.is_empty()
                    && wanted.strip_prefix('.').unwrap_or(wanted).eq_ignore_ascii_case(ending))
        })
    }
}

/// The servers of a project.
#[derive(Clone, Debug, Default)]
pub struct Config {
    /// Those that can be used, in the order of the table.
    pub servers: Vec<Server>,
    /// Those for a project like this one whose program is not installed.
    pub missing: Vec<Server>,
    /// Servers that nobody used for so long are ended.
    pub idle_timeout_ms: Option<u64>,
    /// What is wrong with the files.
    pub warnings: Vec<String>,
}

impl Config {
    /// Reads the files and looks for the programs. Waits for the disk.
    pub fn load(places: &Places) -> Self {
        let mut known = table::builtin();
        let mut config = Self::default();
        for directory in &places.directories {
            for name in FILE_NAMES {
                files::read(&directory.join(name), &mut known, &mut config);
            }
        }
        let markers = Markers::new(&places.cwd);
        for mut server in known {
            if server.disabled || !markers.has_one_of(&server.root_markers) {
                continue;
            }
            match programs::find(&server.command, places) {
                Some(program) => {
                    server.program = program;
                    config.servers.push(server);
                }
                None => config.missing.push(server),
            }
        }
        config
    }

    /// The servers for a file; those that only find faults come last.
    pub fn for_file(&self, path: &Path) -> Vec<&Server> {
        let mut found: Vec<&Server> = self.servers.iter().filter(|server| server.serves(path)).collect();
        found.sort_by_key(|server| server.is_linter);
        found
    }

    /// The server that knows most about a file.
    pub fn primary(&self, path: &Path) -> Option<&Server> {
        self.for_file(path).into_iter().find(|server| !server.is_linter && server.speaks())
    }

    /// All servers that speak the protocol.
    pub fn speaking(&self) -> impl Iterator<Item = &Server> {
        self.servers.iter().filter(|server| server.speaks())
    }
}

/// The names in a project's directory.
struct Markers {
    cwd: PathBuf,
    names: Vec<String>,
}

/// Names of a directory that a pattern is compared with.
const MOST_NAMES: usize = 10_000;

impl Markers {
    fn new(cwd: &Path) -> Self {
        let entries = std::fs::read_dir(cwd).into_iter().flatten().flatten().take(MOST_NAMES);
        let names = entries.filter_map(|entry| entry.file_name().into_string().ok()).collect();
        Self { cwd: cwd.to_owned(), names }
    }

    fn has_one_of(&self, markers: &[String]) -> bool {
        markers.iter().any(|marker| self.has(marker))
    }

    fn has(&self, marker: &str) -> bool {
        if !marker.contains(['*', '?', '[', '{']) {
            return self.cwd.join(marker).exists();
        }
        let glob = GlobBuilder::new(marker).literal_separator(true).build();
        glob.is_ok_and(|glob| {
            let glob = glob.compile_matcher();
            self.names.iter().any(|name| glob.is_match(name))
        })
    }
}
