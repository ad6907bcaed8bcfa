//! What omp and other agents keep in their folders: one mechanism of providers for every kind of item.
//!
//! - [`table`] says who keeps what where, [`provider`] what a provider is.
//! - [`engine`] runs the loaders of a kind in order of priority and marks what is hidden.
//! - [`kind`] has one file for each kind of item: its key, and how it is read.
//! - [`packages`] finds what installed packages bring, [`plugins`] what plugins of marketplaces bring.
//! - [`places`], [`disk`], [`walk`] and [`ignores`] say where to look, and read within bounds.
//! - [`import`] and [`token`] expand `@path` in context files; [`boundary`] stops what leaves the project.
//! - [`bases`] looks for single files and folders where order alone decides.
//! - [`sources`] lists everything, [`survey`] looks below the working directory.
//!
//! A [`Discovery`] is a look at one moment: folders are read once. Make a new one to see what changed.

mod bases;
mod boundary;
mod disk;
mod engine;
mod fields;
mod ignores;
mod import;
mod item;
mod kind;
mod packages;
mod places;
mod plugins;
mod provider;
mod sources;
mod survey;
mod table;
mod token;
mod walk;

use std::path::{Path, PathBuf};
use std::sync::OnceLock;

pub use bases::{BaseDirectory, PromptFileName};
pub use boundary::Outside;
pub use item::{
    AgentFile, CommandFile, ContextFile, ExtensionManifest, ExtensionModule, Finding, HookFile, HookPhase,
    HookSettings, Instruction, InterruptMode, Level, Listing, McpServer, ModuleForm, Origin, PromptFile,
    Rule, SettingsFile, Skill, SshHost, StickyRule, ToolFile, ToolForm,
};
pub use kind::module::module_name;
pub use kind::skill::Description;
pub use places::Places;
pub use plugins::{
    MarketplacePlugin, PLUGIN_REGISTRY, PluginManifest, PluginPart, PluginRegistry, PluginState, plugin_want,
};
pub use sources::{SourceRow, Sources};
pub use survey::{Survey, SurveyEntry, SurveyLimits, survey};
pub use token::tokens as path_tokens;

use crate::settings::ForeignFile;
use disk::Disk;
use ignores::Ignores;
use packages::Packages;
use places::{NATIVE, Root};
use plugins::MarketplacePlugins;
use provider::Provider;
use table::PROVIDERS;

/// Finds items of every kind.
pub struct Discovery {
    places: Places,
    /// The working directory and those above it that count, nearest first.
    ancestors: Vec<PathBuf>,
    providers: Vec<&'static Provider>,
    /// Single items that are left out, as `kind:name`.
    left_out: Vec<String>,
    /// What the project may bring in from outside.
    outside: Outside,
    disk: Disk,
    packages: OnceLock<Packages>,
    plugins: OnceLock<MarketplacePlugins>,
}

impl Discovery {
    /// `disabled` are ids of providers that contribute nothing; ids of other things do no harm.
    pub fn new(places: Places, disabled: &[String]) -> Self {
        let ancestors = places.ancestors();
        let providers = engine::in_order(PROVIDERS, disabled);
        Self {
            places,
            ancestors,
            providers,
            left_out: Vec::new(),
            outside: Outside::default(),
            disk: Disk::default(),
            packages: OnceLock::new(),
            plugins: OnceLock::new(),
        }
    }

    /// The same without single items, named as [`SourceRow::entry`] does.
    #[must_use]
    pub fn without(self, left_out: Vec<String>) -> Self {
        Self { left_out, ..self }
    }

    pub fn places(&self) -> &Places {
        &self.places
    }

    /// The user's file, then the project's from the farthest to the nearest, with imports expanded.
    pub fn context_files(&self) -> Listing<ContextFile> {
        kind::context::context_files(self)
    }

    /// The user's, then the project's.
    pub fn sticky_rules(&self) -> Listing<StickyRule> {
        engine::list(self)
    }

    /// The skills of all providers.
    pub fn skills(&self) -> Listing<Skill> {
        engine::list(self)
    }

    /// The skills one level below `directory`, for directories that the user names.
    pub fn scan_skills(&self, directory: &Path, description: Description) -> Listing<Skill> {
        let root = Root { level: Level::User, path: directory.to_path_buf() };
        engine::list_alone(self, "custom", |search| kind::skill::collect(search, &root, description))
    }

    pub fn rules(&self) -> Listing<Rule> {
        engine::list(self)
    }

    pub fn commands(&self) -> Listing<CommandFile> {
        engine::list(self)
    }

    pub fn prompts(&self) -> Listing<PromptFile> {
        engine::list(self)
    }

    pub fn instructions(&self) -> Listing<Instruction> {
        engine::list(self)
    }

    pub fn hooks(&self) -> Listing<HookFile> {
        engine::list(self)
    }

    /// Hooks that settings files describe; those of [`Discovery::hooks`] are files of their own.
    pub fn hook_settings(&self) -> Listing<HookSettings> {
        engine::list(self)
    }

    pub fn tools(&self) -> Listing<ToolFile> {
        engine::list(self)
    }

    pub fn extension_modules(&self) -> Listing<ExtensionModule> {
        engine::list(self)
    }

    /// The modules of a directory that the user names.
    pub fn extension_entries(&self, directory: &Path) -> Vec<PathBuf> {
        let root = Root { level: Level::User, path: directory.to_path_buf() };
        let found = engine::list_alone(self, "named", |search| kind::module::collect_named(search, &root));
        found.active().map(|finding: &Finding<ExtensionModule>| finding.item.path.clone()).collect()
    }

    pub fn extensions(&self) -> Listing<ExtensionManifest> {
        engine::list(self)
    }

    pub fn mcp_servers(&self) -> Listing<McpServer> {
        engine::list(self)
    }

    /// Machines for the ssh tool. OpenSSH's own configuration is not read.
    pub fn ssh_hosts(&self) -> Listing<SshHost> {
        engine::list(self)
    }

    /// Directories of the plugins of marketplaces that are in use.
    pub fn plugin_roots(&self) -> Vec<PathBuf> {
        let active = self.marketplace_plugins().iter().filter(|plugin| plugin.is_active());
        let enabled = self.is_enabled("claude-plugins");
        active.filter(|_| enabled).map(|plugin| plugin.path.clone()).collect()
    }

    pub fn agents(&self) -> Listing<AgentFile> {
        engine::list(self)
    }

    /// A file that replaces or extends a system prompt, and its text.
    pub fn prompt_file(&self, name: PromptFileName) -> Option<(PathBuf, String)> {
        bases::prompt_file(self, name)
    }

    /// What the user should know about the files of [`Self::prompt_file`].
    pub fn prompt_notes(&self) -> Vec<String> {
        self.disk.notes()
    }

    /// Everything that was found, the hidden included, and what could not be read.
    pub fn sources(&self) -> Sources {
        sources::sources(self)
    }

    fn providers(&self) -> impl Iterator<Item = &'static Provider> {
        self.providers.iter().copied()
    }

    fn is_enabled(&self, provider: &str) -> bool {
        self.providers.iter().any(|enabled| enabled.id == provider)
    }

    /// `.omp` of every directory, nearest first, then the user's.
    fn native_everywhere(&self) -> Vec<Root> {
        let project = self.ancestors.iter().map(|directory| directory.join(NATIVE));
        let project = project.map(|path| Root { level: Level::Project, path });
        project.chain([Root { level: Level::User, path: self.places.agent.clone() }]).collect()
    }

    /// `.agent` and `.agents` of every directory, nearest first, then the user's.
    fn agents_everywhere(&self) -> Vec<Root> {
        let named = |directory: &Path, level| {
            [".agent", ".agents"].map(|name| Root { level, path: directory.join(name) })
        };
        let project = self.ancestors.iter().filter(|directory| **directory != self.places.home);
        let project = project.flat_map(|directory| named(directory, Level::Project));
        project.chain(named(&self.places.home, Level::User)).collect()
    }

    /// What git ignores in `directory`: by the rules of the repository around it, or its own alone.
    fn ignores(&self, directory: &Path) -> Ignores {
        let around = self.places.repository.as_deref().filter(|repository| directory.starts_with(repository));
        Ignores::between(around.unwrap_or(directory), directory)
    }
}

/// The settings files of other agents in the project, the least important first.
pub fn settings_files(cwd: &Path, disabled: &[String]) -> Vec<ForeignFile> {
    // Only the working directory is asked for settings, so the user's places do not matter.
    let nowhere = PathBuf::new();
    let places = Places {
        home: nowhere.clone(),
        agent: nowhere.clone(),
        cwd: cwd.to_path_buf(),
        repository: None,
        plugins: nowhere,
        plugin_directories: Vec::new(),
    };
    let listing = engine::list::<SettingsFile>(&Discovery::new(places, disabled));
    let foreign = listing.all.into_iter().rev().filter(|finding| finding.origin.provider != "native");
    foreign
        .map(|Finding { item, origin, .. }| ForeignFile {
            provider: origin.provider,
            path: item.path,
            format: item.format,
        })
        .collect()
}
