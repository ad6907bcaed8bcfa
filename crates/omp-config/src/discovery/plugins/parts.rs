//! What plugins bring, kind by kind.

use std::path::Path;

use serde_json::Value;

use super::super::engine::Search;
use super::super::item::{AgentFile, CommandFile, HookFile, HookSettings, McpServer, Rule, Skill, ToolFile};
use super::super::kind::skill::Description;
use super::super::kind::{agent, command, hook, hook_settings, mcp, rule, skill, tool};
use super::super::places::Root;
use super::super::provider::{Loaders, NOTHING};
use super::super::table::claude_settings;
use super::super::walk;
use super::{MarketplacePlugin, PluginManifest, PluginPart, installed};

/// Their extension modules are not loaded: a plugin of a marketplace is data and commands, not code in this program.
pub(in super::super) const MARKETPLACE_PLUGINS: Loaders = Loaders {
    skills,
    rules,
    commands,
    hooks,
    hook_settings: settings,
    tools,
    mcp_servers: servers,
    agents,
    ..NOTHING
};

/// A plugin with its manifest and the places of one kind of part.
struct Parts<'a> {
    plugin: &'a MarketplacePlugin,
    root: Root,
    manifest: PluginManifest,
    places: Vec<Root>,
}

fn each<'a, T>(search: &mut Search<'a, T>, part: PluginPart) -> Vec<Parts<'a>> {
    let mut all = Vec::new();
    for (plugin, root) in installed(search) {
        let manifest = PluginManifest::read(&root.path);
        let (places, problems) = manifest.places(part);
        for problem in manifest.problems.iter().chain(&problems) {
            search.warn(format!("plugin {}: {problem}", plugin.id));
        }
        let places = places.into_iter().map(|path| Root { level: root.level, path }).collect();
        all.push(Parts { plugin, root, manifest, places });
    }
    all
}

fn skills(search: &mut Search<'_, Skill>) {
    for parts in each(search, PluginPart::Skills) {
        for place in parts.places {
            let file = place.path.join("SKILL.md");
            if !file.is_file() {
                skill::collect(search, &place, Description::Optional);
                continue;
            }
            let name = place.path.file_name().unwrap_or_default().to_string_lossy().into_owned();
            skill::add(search, place.level, name, file, Description::Optional);
        }
    }
}

fn rules(search: &mut Search<'_, Rule>) {
    for parts in each(search, PluginPart::Rules) {
        for place in parts.places {
            match markdown_name(&place.path) {
                Some(name) => rule::add(search, place.level, &name, &place.path),
                None => rule::collect(search, &place, &["md", "mdc"]),
            }
        }
    }
}

fn commands(search: &mut Search<'_, CommandFile>) {
    for parts in each(search, PluginPart::Commands) {
        let prefix = parts.plugin.name();
        for place in parts.places {
            if let Some(name) = markdown_name(&place.path) {
                command::add_named(search, place.level, &place.path, format!("{prefix}:{name}"));
                continue;
            }
            for (folders, path) in walk::markdown_below(search, &place.path) {
                let Some(name) = markdown_name(&path) else { continue };
                let name = [&[prefix.to_owned()], folders.as_slice(), &[name]].concat().join(":");
                command::add_named(search, place.level, &path, name);
            }
        }
    }
}

fn agents(search: &mut Search<'_, AgentFile>) {
    for parts in each(search, PluginPart::Agents) {
        for place in parts.places {
            match markdown_name(&place.path) {
                Some(_) => agent::add(search, place.level, &place.path),
                None => agent::collect(search, &place),
            }
        }
    }
}

fn hooks(search: &mut Search<'_, HookFile>) {
    for (_, root) in installed(search) {
        hook::collect(search, &root.below("hooks"));
    }
}

fn settings(search: &mut Search<'_, HookSettings>) {
    let files = claude_settings(search);
    if hook_settings::are_disabled(search, &files) {
        return;
    }
    for parts in each(search, PluginPart::Hooks) {
        for place in &parts.places {
            hook_settings::collect_of_plugin(search, place, &parts.root.path);
        }
        let file = Root { level: parts.root.level, path: parts.manifest.file() };
        for inline in parts.manifest.inline(PluginPart::Hooks) {
            let hooks = inline.get("hooks").cloned().unwrap_or_else(|| Value::Object(inline.clone()));
            hook_settings::add_of_plugin(search, &file, &parts.root.path, hooks);
        }
    }
}

fn tools(search: &mut Search<'_, ToolFile>) {
    for parts in each(search, PluginPart::Tools) {
        parts.places.iter().for_each(|place| tool::collect(search, place));
    }
}

fn servers(search: &mut Search<'_, McpServer>) {
    for parts in each(search, PluginPart::McpServers) {
        for place in &parts.places {
            mcp::collect_of_plugin_file(search, place, &parts.root.path);
        }
        let file = Root { level: parts.root.level, path: parts.manifest.file() };
        for inline in parts.manifest.inline(PluginPart::McpServers) {
            mcp::add_of_plugin(search, &file, &parts.root.path, mcp::servers_in(inline.clone()));
        }
    }
}

/// The name of a Markdown file; `None` for a directory.
fn markdown_name(path: &Path) -> Option<String> {
    let is_markdown = path.extension().is_some_and(|extension| extension == "md" || extension == "mdc");
    let stem = path.file_stem()?.to_str()?;
    (is_markdown && !path.is_dir()).then(|| stem.to_owned())
}
