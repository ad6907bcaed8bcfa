//! What discovery gives: items, each with where it comes from and what hides it.

use std::path::PathBuf;

use serde_json::{Map, Value};

use crate::settings::Format;

/// Whose item it is.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord, Hash)]
pub enum Level {
    User,
    Project,
}

/// Where an item comes from.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Origin {
    /// The provider's id: `native`, `claude`, …
    pub provider: &'static str,
    pub level: Level,
    pub path: PathBuf,
}

/// An item that was found.
#[derive(Clone, Debug, PartialEq)]
pub struct Finding<T> {
    pub item: T,
    pub origin: Origin,
    /// The item of the same key that is used instead of this one.
    pub shadowed_by: Option<Origin>,
}

/// Everything of one kind, in order of precedence, and what could not be read.
#[derive(Clone, Debug, PartialEq)]
pub struct Listing<T> {
    pub all: Vec<Finding<T>>,
    pub warnings: Vec<String>,
}

impl<T> Default for Listing<T> {
    fn default() -> Self {
        Self { all: Vec::new(), warnings: Vec::new() }
    }
}

impl<T> Listing<T> {
    /// The items in use.
    pub fn active(&self) -> impl Iterator<Item = &Finding<T>> {
        self.all.iter().filter(|finding| finding.shadowed_by.is_none())
    }
}

/// Instructions for the model that a user or a project keeps in a file.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct ContextFile {
    /// Absolute.
    pub path: PathBuf,
    /// With imports expanded.
    pub content: String,
    /// Directories between the working directory and the file's; `None` for the user's own file.
    pub depth: Option<usize>,
}

/// A `RULES.md`: repeated near the current turn.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct StickyRule {
    pub path: PathBuf,
    pub level: Level,
    /// Without front matter, trimmed.
    pub content: String,
}

/// A directory with a `SKILL.md`.
#[derive(Clone, Debug, PartialEq)]
pub struct Skill {
    pub name: String,
    pub description: Option<String>,
    /// The `SKILL.md`.
    pub file: PathBuf,
    /// The directory it stands in.
    pub base: PathBuf,
    pub globs: Vec<String>,
    pub always_apply: bool,
    /// Not listed for the model: `hide`, or model invocation disabled.
    pub hidden: bool,
    /// Fields that omp does not know.
    pub metadata: Map<String, Value>,
}

/// A Markdown file that tells the model how to do something, always, on demand, or when it does it wrong.
#[derive(Clone, Debug, Default, PartialEq)]
pub struct Rule {
    pub name: String,
    pub path: PathBuf,
    /// Without front matter, trimmed.
    pub content: String,
    pub globs: Vec<String>,
    pub always_apply: bool,
    pub description: Option<String>,
    /// Expressions that make this a stream rule.
    pub condition: Vec<String>,
    pub ast_condition: Vec<String>,
    pub scope: Vec<String>,
    pub interrupt_mode: Option<InterruptMode>,
}

/// What a stream rule may interrupt.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum InterruptMode {
    Never,
    ProseOnly,
    ToolOnly,
    Always,
}

/// A Markdown file behind `/<name>`.
#[derive(Clone, Debug, PartialEq)]
pub struct CommandFile {
    pub name: String,
    pub path: PathBuf,
    /// From the front matter, else the first line of the body, cut.
    pub description: String,
    pub argument_hint: Option<String>,
    pub body: String,
}

/// A Markdown file of `prompts/`.
#[derive(Clone, Debug, PartialEq)]
pub struct PromptFile {
    pub name: String,
    pub path: PathBuf,
    /// Ends in `(user)`, `(project)` or `(project:sub)`.
    pub description: String,
    pub body: String,
}

/// A Markdown file of `instructions/`.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Instruction {
    pub name: String,
    pub path: PathBuf,
    /// Without front matter, trimmed.
    pub content: String,
}

/// When a hook runs.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
pub enum HookPhase {
    Pre,
    Post,
}

/// A file of `hooks/pre` or `hooks/post`. Nothing of it has been read.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct HookFile {
    /// The file's name.
    pub name: String,
    pub phase: HookPhase,
    /// The tool it applies to: the file's name without its extension.
    pub tool: String,
    pub path: PathBuf,
}

/// The hooks that one settings file describes, as written. They are neither checked nor run.
#[derive(Clone, Debug, PartialEq)]
pub struct HookSettings {
    pub path: PathBuf,
    /// The directory of the plugin whose file it is.
    pub plugin: Option<PathBuf>,
    pub hooks: Value,
}

/// What a file of `tools/` is good for.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum ToolForm {
    /// TypeScript or JavaScript.
    Module,
    /// Shell or Python.
    Script,
    /// Markdown or JSON: says something about a tool and cannot run.
    Description,
}

/// A file of `tools/`, or the `index.ts` of a folder in it. Nothing of it has been read.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct ToolFile {
    pub name: String,
    pub path: PathBuf,
    pub form: ToolForm,
}

/// What a module that extends omp is written as.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum ModuleForm {
    Extension,
    /// A hook module, which hears about all calls.
    Hook,
}

/// A module that extends omp. Nothing of it has been read.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct ExtensionModule {
    /// The file's name without its extension, or the folder's for an `index` file; for one of a package, the package's.
    pub name: String,
    pub path: PathBuf,
    pub form: ModuleForm,
}

/// A `gemini-extension.json`: a record, not code.
#[derive(Clone, Debug, PartialEq)]
pub struct ExtensionManifest {
    pub name: String,
    pub path: PathBuf,
    pub data: Map<String, Value>,
}

/// A server of the Model Context Protocol, as its file describes it: neither checked nor expanded.
#[derive(Clone, Debug, PartialEq)]
pub struct McpServer {
    pub name: String,
    /// The file that describes it.
    pub path: PathBuf,
    /// In omp's words: `command`, `args`, `env`, `cwd`, `url`, `headers`, `enabled`, …
    pub config: Map<String, Value>,
}

/// A machine that commands can be run on, as its file describes it: it has an address, the rest is neither checked nor
/// expanded.
#[derive(Clone, Debug, PartialEq)]
pub struct SshHost {
    pub name: String,
    /// `host`, `username`, `port`, `key` or `keyPath`, `description`, `compat`.
    pub config: Map<String, Value>,
}

/// A Markdown file that describes a sub-agent.
#[derive(Clone, Debug, PartialEq)]
pub struct AgentFile {
    pub name: String,
    pub description: String,
    pub path: PathBuf,
    /// The other fields of its front matter.
    pub fields: Map<String, Value>,
    /// Its system prompt.
    pub body: String,
}

/// A settings file of the project. It has not been read.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct SettingsFile {
    pub path: PathBuf,
    pub format: Format,
}
