//! `plugin.json`: where the parts of a plugin are, besides the directories that every plugin may have.

use std::path::{Path, PathBuf};

use omp_workspace::path::real_path;
use serde_json::{Map, Value};

use super::super::disk::{Trouble, Unread, read_text};

/// The files in which a plugin describes itself, the first one that exists.
const FILES: [&str; 2] = [".omp-plugin/plugin.json", ".claude-plugin/plugin.json"];
const MOST: usize = 1024 * 1024;
/// The kinds of parts that a catalogue has listed in full: their usual directories do not count.
const EXACTLY: &str = "ompExactly";

/// A kind of part.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
pub enum PluginPart {
    Skills,
    Commands,
    Agents,
    Rules,
    Hooks,
    Tools,
    McpServers,
    LspServers,
    OutputStyles,
}

impl PluginPart {
    pub const ALL: [Self; 9] = [
        Self::Skills,
        Self::Commands,
        Self::Agents,
        Self::Rules,
        Self::Hooks,
        Self::Tools,
        Self::McpServers,
        Self::LspServers,
        Self::OutputStyles,
    ];

    /// The field in a manifest or in an entry of a catalogue.
    pub fn field(self) -> &'static str {
        match self {
            Self::Skills => "skills",
            Self::Commands => "commands",
            Self::Agents => "agents",
            Self::Rules => "rules",
            Self::Hooks => "hooks",
            Self::Tools => "tools",
            Self::McpServers => "mcpServers",
            Self::LspServers => "lspServers",
            Self::OutputStyles => "outputStyles",
        }
    }

    /// The directory or file that needs no mention.
    pub fn usual(self) -> &'static str {
        match self {
            Self::Hooks => "hooks/hooks.json",
            Self::McpServers => ".mcp.json",
            Self::LspServers => ".lsp.json",
            Self::OutputStyles => "output-styles",
            other => other.field(),
        }
    }
}

/// What a plugin says about itself.
#[derive(Clone, Debug, Default, PartialEq)]
pub struct PluginManifest {
    root: PathBuf,
    fields: Map<String, Value>,
    /// What is wrong with it.
    pub problems: Vec<String>,
}

impl PluginManifest {
    /// Reads the manifest of a plugin. One that is missing is empty; what is wrong with one comes with it.
    pub fn read(root: &Path) -> Self {
        let mut manifest = Self { root: root.to_owned(), ..Self::default() };
        for file in FILES.iter().map(|file| root.join(file)) {
            match read_text(&file, MOST) {
                Err(Unread::Missing) => continue,
                Err(Unread::Unusable(problem)) => manifest.problems.push(problem),
                Ok(text) if text.trouble == Some(Trouble::Cut) => {
                    manifest.problems.push(format!("{} has more than {MOST} bytes", file.display()));
                }
                Ok(text) => match serde_json::from_str(&text.text) {
                    Ok(fields) => manifest.fields = fields,
                    Err(error) => manifest.problems.push(format!("{} is ignored: {error}", file.display())),
                },
            }
            return manifest;
        }
        manifest
    }

    /// All its fields.
    pub fn fields(&self) -> &Map<String, Value> {
        &self.fields
    }

    pub fn version(&self) -> Option<&str> {
        self.fields.get("version").and_then(Value::as_str).filter(|version| !version.trim().is_empty())
    }

    /// Adds what a catalogue says in place of the plugin. What it lists, it lists in full.
    #[must_use]
    pub fn with_catalogue(mut self, parts: &Map<String, Value>) -> Self {
        let mut exactly = Vec::new();
        for (field, value) in parts {
            self.fields.insert(field.clone(), value.clone());
            exactly.push(Value::String(field.clone()));
        }
        self.fields.insert(EXACTLY.to_owned(), Value::Array(exactly));
        self
    }

    /// Files and directories of a kind: the usual one, and those that are named. The second list has what is wrong.
    pub fn places(&self, part: PluginPart) -> (Vec<PathBuf>, Vec<String>) {
        let mut places = Vec::new();
        let mut problems = Vec::new();
        if !self.is_exact(part) {
            places.push(self.root.join(part.usual()));
        }
        let named = match self.fields.get(part.field()) {
            Some(Value::String(one)) => vec![one.as_str()],
            Some(Value::Array(list)) => list.iter().filter_map(Value::as_str).collect(),
            _ => Vec::new(),
        };
        for name in named {
            match self.inside(name) {
                Some(path) if path.exists() => {
                    if !places.contains(&path) {
                        places.push(path);
                    }
                }
                Some(_) => problems.push(format!("{name} does not exist")),
                None => problems.push(format!("{name} leaves the plugin")),
            }
        }
        (places, problems)
    }

    /// What the manifest has itself, without a file: definitions of servers and hooks.
    pub fn inline(&self, part: PluginPart) -> Vec<&Map<String, Value>> {
        match self.fields.get(part.field()) {
            Some(Value::Object(map)) => vec![map],
            Some(Value::Array(list)) => list.iter().filter_map(Value::as_object).collect(),
            _ => Vec::new(),
        }
    }

    /// Where the manifest is, for what it has itself.
    pub fn file(&self) -> PathBuf {
        let mut files = FILES.iter().map(|file| self.root.join(file));
        files.find(|file| file.exists()).unwrap_or_else(|| self.root.clone())
    }

    fn is_exact(&self, part: PluginPart) -> bool {
        let exactly = self.fields.get(EXACTLY).and_then(Value::as_array);
        exactly.is_some_and(|all| all.iter().any(|field| field == part.field()))
    }

    /// A path of the plugin, if it is one.
    pub fn inside(&self, name: &str) -> Option<PathBuf> {
        let relative = Path::new(name.strip_prefix("${CLAUDE_PLUGIN_ROOT}/").unwrap_or(name));
        let goes_up = relative
            .components()
            .any(|part| matches!(part, std::path::Component::ParentDir | std::path::Component::RootDir));
        let path: PathBuf = self.root.join(relative).components().collect();
        (!goes_up && real_path(&path).starts_with(real_path(&self.root))).then_some(path)
    }
}

#[cfg(test)]
mod tests {
    use serde_json::json;

    use super::*;

    #[test]
    fn parts_stay_inside() {
        let scratch = tempfile::tempdir().unwrap();
        let root = scratch.path().join("plugin");
        for directory in [".claude-plugin", "skills", "more/one"] {
            std::fs::create_dir_all(root.join(directory)).unwrap();
        }
        std::os::unix::fs::symlink("/etc", root.join("link")).unwrap();
        let manifest = json!({"version": "1.2", "skills": ["./more", "../x", "/etc", "./link", "./nothing", "./skills"]});
        std::fs::write(root.join(".claude-plugin/plugin.json"), manifest.to_string()).unwrap();
        let manifest = PluginManifest::read(&root);
        assert_eq!(manifest.version(), Some("1.2"));
        let (places, problems) = manifest.places(PluginPart::Skills);
        assert_eq!(places, [root.join("skills"), root.join("more")]);
        assert_eq!(problems.len(), 4, "{problems:?}");
        let parts = json!({"skills": ["./more/one"]});
        let exact = manifest.with_catalogue(parts.as_object().unwrap());
        assert_eq!(exact.places(PluginPart::Skills).0, [root.join("more/one")]);
        assert_eq!(exact.places(PluginPart::Commands).0, [root.join("commands")]);
    }
}
