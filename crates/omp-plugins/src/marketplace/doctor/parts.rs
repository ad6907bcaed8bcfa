//! The parts of one plugin, each with what became of it.

use std::os::unix::fs::PermissionsExt as _;
use std::path::{Path, PathBuf};

use omp_config::discovery::{
    Discovery, Finding, HookFile, Listing, McpServer, PluginManifest, PluginPart, ToolFile, ToolForm,
};
use serde_json::{Map, Value};

use super::PartSwitches;
use crate::packages::{InspectedPart, PartState};

/// Files of one kind that are looked at.
const MOST: usize = 1000;
const DEEPEST: usize = 8;
const NOT_YET: &str = "not available yet";

/// Where a file was found, and what hides it.
struct Found {
    path: PathBuf,
    hidden_by: Option<PathBuf>,
}

/// What a session would find.
pub(super) struct Findings {
    skills: Vec<Found>,
    commands: Vec<Found>,
    rules: Vec<Found>,
    hook_settings: Vec<Found>,
    hooks: Listing<HookFile>,
    tools: Listing<ToolFile>,
    servers: Listing<McpServer>,
    warnings: Vec<String>,
}

impl Findings {
    pub(super) fn of(discovery: &Discovery) -> Self {
        let mut warnings = Vec::new();
        let skills = found(discovery.skills(), &mut warnings);
        let commands = found(discovery.commands(), &mut warnings);
        let rules = found(discovery.rules(), &mut warnings);
        let hook_settings = found(discovery.hook_settings(), &mut warnings);
        let (hooks, tools, servers) = (discovery.hooks(), discovery.tools(), discovery.mcp_servers());
        warnings.extend([&hooks.warnings, &tools.warnings, &servers.warnings].into_iter().flatten().cloned());
        Self { skills, commands, rules, hook_settings, hooks, tools, servers, warnings }
    }

    /// What became of a file.
    fn state(&self, found: &[Found], file: &Path) -> PartState {
        match found.iter().find(|found| found.path == file) {
            Some(Found { hidden_by: None, .. }) => PartState::Active,
            Some(Found { hidden_by: Some(other), .. }) => {
                PartState::Off(format!("{} comes first", other.display()))
            }
            None => PartState::Broken(self.reason(file)),
        }
    }

    /// What was said about a file.
    fn reason(&self, file: &Path) -> String {
        let shown = file.display().to_string();
        let said = self.warnings.iter().find(|warning| warning.contains(&shown));
        let said = said.map(|warning| warning.replace(&shown, "the file"));
        said.unwrap_or_else(|| "it is switched off, or cannot be read".to_owned())
    }
}

fn found<T>(listing: Listing<T>, warnings: &mut Vec<String>) -> Vec<Found> {
    warnings.extend(listing.warnings);
    let found = |finding: Finding<T>| Found {
        path: finding.origin.path,
        hidden_by: finding.shadowed_by.map(|origin| origin.path),
    };
    listing.all.into_iter().map(found).collect()
}

/// All parts of a plugin. `off` says why the whole plugin is not used.
pub(super) fn of(
    root: &Path,
    findings: &Findings,
    off: Option<&str>,
    switches: PartSwitches,
) -> Vec<InspectedPart> {
    let manifest = PluginManifest::read(root);
    let mut rows = Rows { root, off, all: Vec::new() };
    for problem in &manifest.problems {
        rows.add("manifest", "plugin.json", root, PartState::Broken(problem.clone()));
    }
    for part in PluginPart::ALL {
        let (places, problems) = manifest.places(part);
        for problem in problems {
            rows.add(kind(part), &problem, root, PartState::Broken("it is not used".to_owned()));
        }
        match part {
            PluginPart::Skills => {
                for file in skills(&places) {
                    let state = findings.state(&findings.skills, &file);
                    rows.file("skills", &file, state);
                }
            }
            PluginPart::Commands => {
                rows.files(part, &places, |file| findings.state(&findings.commands, file));
            }
            PluginPart::Rules => rows.files(part, &places, |file| findings.state(&findings.rules, file)),
            PluginPart::Agents | PluginPart::OutputStyles => {
                rows.files(part, &places, |_| PartState::Off(NOT_YET.to_owned()));
            }
            PluginPart::Hooks => rows.hooks(&manifest, &places, findings, switches),
            PluginPart::Tools => rows.tools(&places, findings),
            PluginPart::McpServers => rows.servers(&manifest, &places, findings),
            PluginPart::LspServers => rows.language_servers(switches),
        }
    }
    rows.others(&manifest);
    rows.all
}

fn kind(part: PluginPart) -> &'static str {
    match part {
        PluginPart::McpServers => "MCP servers",
        PluginPart::LspServers => "language servers",
        PluginPart::OutputStyles => "output styles",
        other => other.field(),
    }
}

struct Rows<'a> {
    root: &'a Path,
    off: Option<&'a str>,
    all: Vec<InspectedPart>,
}

impl Rows<'_> {
    fn add(&mut self, kind: &'static str, entry: &str, file: &Path, state: PartState) {
        let state = match (self.off, state) {
            (Some(off), PartState::Active | PartState::Broken(_)) if kind != "manifest" => {
                PartState::Off(off.to_owned())
            }
            (_, state) => state,
        };
        self.all.push(InspectedPart { kind, entry: entry.to_owned(), files: vec![file.to_owned()], state });
    }

    fn file(&mut self, kind: &'static str, file: &Path, state: PartState) {
        let entry = file.strip_prefix(self.root).unwrap_or(file).display().to_string();
        self.add(kind, &entry, file, state);
    }

    /// Markdown files, and those in directories.
    fn files(&mut self, part: PluginPart, places: &[PathBuf], state: impl Fn(&Path) -> PartState) {
        let mut files = Vec::new();
        places.iter().for_each(|place| markdown(place, 0, &mut files));
        for file in files {
            let state = state(&file);
            self.file(kind(part), &file, state);
        }
    }

    fn hooks(
        &mut self,
        manifest: &PluginManifest,
        places: &[PathBuf],
        findings: &Findings,
        switches: PartSwitches,
    ) {
        let off = (!switches.hooks).then(|| PartState::Off("hooks.enabled is off".to_owned()));
        let mut files: Vec<PathBuf> = places.iter().filter(|place| place.is_file()).cloned().collect();
        if !manifest.inline(PluginPart::Hooks).is_empty() {
            files.push(manifest.file());
        }
        for file in files {
            let state = off.clone().unwrap_or_else(|| findings.state(&findings.hook_settings, &file));
            let entry = file.strip_prefix(self.root).unwrap_or(&file).display().to_string();
            let events = events(&file);
            let entry = if events.is_empty() { entry } else { format!("{entry} ({events})") };
            self.add("hooks", &entry, &file, state);
        }
        let root = self.root;
        let own = findings.hooks.all.iter().filter(|finding| finding.item.path.starts_with(root));
        for finding in own {
            let path = &finding.item.path;
            let is_program = path.metadata().is_ok_and(|file| file.permissions().mode() & 0o111 != 0);
            let is_module =
                path.extension().is_some_and(|ending| MODULES.iter().any(|known| ending == *known));
            let state = match (&off, is_program || is_module) {
                (Some(off), _) => off.clone(),
                (None, true) => PartState::Active,
                (None, false) => PartState::Broken("it is not executable (chmod +x)".to_owned()),
            };
            self.file("hooks", path, state);
        }
    }

    fn tools(&mut self, places: &[PathBuf], findings: &Findings) {
        for finding in &findings.tools.all {
            if !places.iter().any(|place| finding.item.path.starts_with(place)) {
                continue;
            }
            let state = match (&finding.shadowed_by, finding.item.form) {
                (Some(other), _) => PartState::Off(format!("{} comes first", other.path.display())),
                (None, ToolForm::Module) => PartState::Active,
                (None, ToolForm::Script) => PartState::Off(format!("scripts as tools: {NOT_YET}")),
                (None, ToolForm::Description) => PartState::Off("it only describes a tool".to_owned()),
            };
            self.file("tools", &finding.item.path, state);
        }
    }

    fn servers(&mut self, manifest: &PluginManifest, places: &[PathBuf], findings: &Findings) {
        let mut files: Vec<PathBuf> = places.iter().filter(|place| place.is_file()).cloned().collect();
        if !manifest.inline(PluginPart::McpServers).is_empty() {
            files.push(manifest.file());
        }
        for file in files {
            let mut is_empty = true;
            for finding in findings.servers.all.iter().filter(|finding| finding.origin.path == file) {
                is_empty = false;
                let disabled = finding.item.config.get("enabled") == Some(&Value::Bool(false));
                let state = match (&finding.shadowed_by, disabled) {
                    (Some(other), _) => PartState::Off(format!("{} comes first", other.path.display())),
                    (None, true) => PartState::Off("its definition switches it off".to_owned()),
                    (None, false) => PartState::Active,
                };
                self.add("MCP servers", &finding.item.name, &file, state);
            }
            if is_empty {
                self.file("MCP servers", &file, PartState::Broken(findings.reason(&file)));
            }
        }
    }

    fn language_servers(&mut self, switches: PartSwitches) {
        let file = self.root.join(".lsp.json");
        let Ok(text) = std::fs::read(&file) else { return };
        let Ok(all) = serde_json::from_slice::<Map<String, Value>>(&text) else {
            return self.file(
                "language servers",
                &file,
                PartState::Broken("it is not a JSON object".to_owned()),
            );
        };
        let inner = ["servers", "lspServers"].iter().find_map(|field| all.get(*field)?.as_object().cloned());
        for (name, server) in inner.unwrap_or(all).into_iter().take(MOST) {
            let command = server.get("command").and_then(Value::as_str).unwrap_or_default();
            let state = match (switches.language_servers, is_program(command)) {
                (false, _) => PartState::Off("lsp.enabled is off".to_owned()),
                (true, false) => PartState::Broken(format!("the program {command:?} is not installed")),
                (true, true) => PartState::Active,
            };
            self.add("language servers", &name, &file, state);
        }
    }

    /// What a plugin may have and omp does not use.
    fn others(&mut self, manifest: &PluginManifest) {
        let package = std::fs::read(self.root.join("package.json")).ok();
        let package: Option<Value> = package.and_then(|text| serde_json::from_slice(&text).ok());
        let modules = package.as_ref().and_then(|package| {
            ["omp", "pi"].iter().find_map(|key| package.get(*key)?.get("extensions")?.as_array().cloned())
        });
        let why = "extension modules of marketplace plugins are not loaded (to use the plugin as a package: omp plugin link)";
        for module in modules.unwrap_or_default().iter().filter_map(Value::as_str).take(MOST) {
            self.add("extensions", module, self.root, PartState::Off(why.to_owned()));
        }
        for name in ["bin", "monitors", "themes", "workflows", "dapAdapters", "channels"] {
            let path = self.root.join(name);
            if path.is_dir() || manifest.fields().contains_key(name) {
                self.add(name, name, &path, PartState::Off(NOT_YET.to_owned()));
            }
        }
    }
}

const MODULES: [&str; 6] = ["ts", "js", "mts", "mjs", "cts", "cjs"];

fn skills(places: &[PathBuf]) -> Vec<PathBuf> {
    let mut files = Vec::new();
    for place in places {
        let own = place.join("SKILL.md");
        if own.is_file() {
            files.push(own);
            continue;
        }
        let below = entries(place).into_iter().map(|path| path.join("SKILL.md"));
        files.extend(below.filter(|file| file.is_file()));
    }
    files.truncate(MOST);
    files
}

fn markdown(place: &Path, depth: usize, files: &mut Vec<PathBuf>) {
    if place.is_dir() {
        if depth < DEEPEST {
            entries(place).iter().for_each(|path| markdown(path, depth + 1, files));
        }
    } else if files.len() < MOST && place.extension().is_some_and(|ending| ending == "md" || ending == "mdc")
    {
        files.push(place.to_owned());
    }
}

fn entries(directory: &Path) -> Vec<PathBuf> {
    let entries = std::fs::read_dir(directory).into_iter().flatten().flatten().take(4096);
    let mut paths: Vec<PathBuf> = entries.map(|entry| entry.path()).collect();
    paths.sort();
    paths
}

/// The events that a file has hooks for.
fn events(file: &Path) -> String {
    let text = std::fs::read(file).unwrap_or_default();
    let all: Value = serde_json::from_slice(&text).unwrap_or_default();
    let hooks = all.get("hooks").and_then(Value::as_object);
    let hooks = hooks.map(|hooks| hooks.get("hooks").and_then(Value::as_object).unwrap_or(hooks));
    let names: Vec<&str> = hooks.into_iter().flat_map(|hooks| hooks.keys().map(String::as_str)).collect();
    names.join(", ").chars().take(200).collect()
}

/// Can a program of that name be started?
fn is_program(command: &str) -> bool {
    let is_executable = |path: &Path| {
        path.metadata().is_ok_and(|file| file.is_file() && file.permissions().mode() & 0o111 != 0)
    };
    if command.contains('/') {
        return is_executable(Path::new(command));
    }
    let path = std::env::var_os("PATH").unwrap_or_default();
    !command.is_empty()
        && std::env::split_paths(&path).any(|directory| is_executable(&directory.join(command)))
}
