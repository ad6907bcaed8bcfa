//! Everything that was found, for people.

use std::path::PathBuf;

use super::Discovery;
use super::bases::{PromptFileName, prompt_candidates};
use super::disk::{FILE_LIMIT, Unread, read_text};
use super::engine::{self, Kind, trouble};
use super::item::{
    AgentFile, CommandFile, ExtensionManifest, ExtensionModule, HookFile, HookSettings, Instruction, Level,
    Listing, McpServer, PromptFile, Rule, SettingsFile, Skill, SshHost, StickyRule, ToolFile,
};

/// One item.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct SourceRow {
    /// `skill`, `context file`, …
    pub kind: &'static str,
    pub name: String,
    /// The provider's id.
    pub provider: &'static str,
    /// The provider's name.
    pub label: &'static str,
    pub level: Level,
    pub path: PathBuf,
    /// The file that is used instead.
    pub shadowed_by: Option<PathBuf>,
}

impl SourceRow {
    /// The item in `disabledExtensions`.
    pub fn entry(&self) -> String {
        engine::entry(self.kind, &self.name)
    }
}

/// Everything, kind by kind, each in order of precedence.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct Sources {
    pub rows: Vec<SourceRow>,
    pub warnings: Vec<String>,
}

pub(super) fn sources(discovery: &Discovery) -> Sources {
    let mut sources = Sources::default();
    sources.add(discovery, discovery.context_files());
    sources.add_prompt_files(discovery);
    sources.list::<StickyRule>(discovery);
    sources.list::<Skill>(discovery);
    sources.list::<Rule>(discovery);
    sources.list::<CommandFile>(discovery);
    sources.list::<PromptFile>(discovery);
    sources.list::<Instruction>(discovery);
    sources.list::<HookFile>(discovery);
    sources.list::<HookSettings>(discovery);
    sources.list::<ToolFile>(discovery);
    sources.list::<ExtensionModule>(discovery);
    sources.list::<ExtensionManifest>(discovery);
    sources.list::<McpServer>(discovery);
    sources.list::<AgentFile>(discovery);
    sources.list::<SshHost>(discovery);
    sources.list::<SettingsFile>(discovery);
    sources
}

impl Sources {
    fn list<T: Kind>(&mut self, discovery: &Discovery) {
        self.add(discovery, engine::list::<T>(discovery));
    }

    fn add<T: Kind>(&mut self, discovery: &Discovery, listing: Listing<T>) {
        for finding in listing.all {
            self.rows.push(SourceRow {
                kind: T::NAME,
                name: T::label(&finding.item),
                provider: finding.origin.provider,
                label: label(discovery, finding.origin.provider),
                level: finding.origin.level,
                path: finding.origin.path,
                shadowed_by: finding.shadowed_by.map(|winner| winner.path),
            });
        }
        listing.warnings.into_iter().for_each(|warning| self.warn(warning));
    }

    fn add_prompt_files(&mut self, discovery: &Discovery) {
        for name in PromptFileName::ALL {
            let mut used: Option<PathBuf> = None;
            for base in prompt_candidates(discovery, name) {
                match read_text(&base.path, FILE_LIMIT) {
                    Ok(text) if !text.text.trim().is_empty() => {
                        trouble(&base.path, &text).into_iter().for_each(|warning| self.warn(warning));
                        self.rows.push(SourceRow {
                            kind: "system prompt",
                            name: name.file_name().to_owned(),
                            provider: base.provider,
                            label: label(discovery, base.provider),
                            level: base.level,
                            path: base.path.clone(),
                            shadowed_by: used.clone(),
                        });
                        used.get_or_insert(base.path);
                    }
                    Ok(_) | Err(Unread::Missing) => {}
                    Err(Unread::Unusable(warning)) => self.warn(warning),
                }
            }
        }
    }

    /// Several kinds may meet the same folder.
    fn warn(&mut self, warning: String) {
        if !self.warnings.contains(&warning) {
            self.warnings.push(warning);
        }
    }
}

fn label(discovery: &Discovery, id: &str) -> &'static str {
    discovery.providers().find(|provider| provider.id == id).map_or("", |provider| provider.label)
}
