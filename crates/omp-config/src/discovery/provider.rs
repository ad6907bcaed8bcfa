//! What a provider is; [`super::table`] lists them.

use super::engine::Loader;
use super::item::{
    AgentFile, CommandFile, ContextFile, ExtensionManifest, ExtensionModule, HookFile, HookSettings,
    Instruction, McpServer, PromptFile, Rule, SettingsFile, Skill, SshHost, StickyRule, ToolFile,
};

/// A program whose files omp reads.
pub(super) struct Provider {
    /// As in the setting `disabledProviders`.
    pub(super) id: &'static str,
    /// For people.
    pub(super) label: &'static str,
    /// The higher one wins; between equals the first in the table.
    pub(super) priority: u8,
    pub(super) loaders: Loaders,
}

/// How each kind of item is found.
pub(super) struct Loaders {
    pub(super) context_files: Loader<ContextFile>,
    pub(super) sticky_rules: Loader<StickyRule>,
    pub(super) skills: Loader<Skill>,
    pub(super) rules: Loader<Rule>,
    pub(super) commands: Loader<CommandFile>,
    pub(super) prompts: Loader<PromptFile>,
    pub(super) instructions: Loader<Instruction>,
    pub(super) hooks: Loader<HookFile>,
    pub(super) hook_settings: Loader<HookSettings>,
    pub(super) tools: Loader<ToolFile>,
    pub(super) extension_modules: Loader<ExtensionModule>,
    pub(super) extensions: Loader<ExtensionManifest>,
    pub(super) mcp_servers: Loader<McpServer>,
    pub(super) agents: Loader<AgentFile>,
    pub(super) ssh_hosts: Loader<SshHost>,
    pub(super) settings: Loader<SettingsFile>,
}

/// The kinds that a provider does not have.
pub(super) const NOTHING: Loaders = Loaders {
    context_files: |_| {},
    sticky_rules: |_| {},
    skills: |_| {},
    rules: |_| {},
    commands: |_| {},
    prompts: |_| {},
    instructions: |_| {},
    hooks: |_| {},
    hook_settings: |_| {},
    tools: |_| {},
    extension_modules: |_| {},
    extensions: |_| {},
    mcp_servers: |_| {},
    agents: |_| {},
    ssh_hosts: |_| {},
    settings: |_| {},
};
