//! Marketplaces and plugins as text and as JSON.

use std::fmt::Write as _;

use omp_sdk::marketplaces::{PluginHealth, plugin_state_word};
use omp_sdk::plugins::marketplace::{KnownMarketplace, ListedPlugin, OfferedPlugin, PluginRepair};
use omp_sdk::plugins::packages::{InspectedPart, PartState};
use omp_sdk::plugins::records::InstalledPackage;
use serde_json::{Value, json};

/// Plugins of a list that are shown as text.
const MOST: usize = 500;
/// Of a description.
const SHOWN: usize = 160;

pub(super) fn plugins(count: usize) -> String {
    if count == 1 { "1 plugin".to_owned() } else { format!("{count} plugins") }
}

pub(super) fn marketplaces(all: &[KnownMarketplace]) -> String {
    if all.is_empty() {
        return "No marketplaces (to add one: /marketplace add owner/repo, or omp plugin marketplace add owner/repo)"
            .to_owned();
    }
    let line = |known: &KnownMarketplace| {
        let updated = known.updated.as_deref().unwrap_or("never");
        format!("{}  {}  (updated {updated})", known.name, known.source.shown())
    };
    all.iter().map(line).collect::<Vec<_>>().join("\n")
}

pub(super) fn marketplaces_json(all: &[KnownMarketplace]) -> Value {
    let value = |known: &KnownMarketplace| {
        let (sort, _) = known.source.to_record();
        json!({"name": known.name, "type": sort, "source": known.source.shown(), "updatedAt": known.updated})
    };
    all.iter().map(value).collect()
}

pub(super) fn offered(all: &[OfferedPlugin], problems: &[String]) -> String {
    let mut text = String::new();
    for plugin in all.iter().take(MOST) {
        let _ = write!(text, "{}", plugin.id);
        if let Some(version) = &plugin.entry.version {
            let _ = write!(text, " {version}");
        }
        if plugin.is_installed {
            text.push_str(" (installed)");
        }
        if let Some(description) = &plugin.entry.description {
            let _ = write!(text, ": {}", shortened(description));
        }
        text.push('\n');
    }
    if all.len() > MOST {
        let _ = writeln!(text, "… {} more (--json lists all)", all.len() - MOST);
    }
    if all.is_empty() {
        text.push_str("No plugins (to add a marketplace: omp plugin marketplace add owner/repo)\n");
    }
    problems.iter().take(20).for_each(|problem| {
        let _ = writeln!(text, "  {problem}");
    });
    text.trim_end().to_owned()
}

pub(super) fn offered_json(all: &[OfferedPlugin], problems: &[String]) -> Value {
    let value = |plugin: &OfferedPlugin| {
        json!({
            "id": plugin.id.to_string(),
            "version": plugin.entry.version,
            "description": plugin.entry.description,
            "category": plugin.entry.category,
            "author": plugin.entry.author,
            "homepage": plugin.entry.homepage,
            "installed": plugin.is_installed,
        })
    };
    json!({"plugins": all.iter().map(value).collect::<Vec<_>>(), "problems": problems})
}

/// Everything that is installed.
pub fn installed_text(all: &[ListedPlugin], packages: &[InstalledPackage], warnings: &[String]) -> String {
    let mut text = String::new();
    for plugin in all {
        let version = plugin.version.as_deref().unwrap_or("unknown version");
        let _ = write!(text, "{} {version} ({}", plugin.id, plugin.owner());
        if let Some(remark) = plugin.remark() {
            let _ = write!(text, ", {remark}");
        }
        text.push_str(")\n");
    }
    for package in packages {
        let version = package.manifest.as_ref().ok().and_then(|manifest| manifest.version.as_deref());
        let how = if package.is_linked() { "linked" } else { "package" };
        let _ = write!(text, "{} {} ({how}", package.name, version.unwrap_or("unknown version"));
        if !package.is_active() {
            let by = if package.record.enabled { "disabled by this project" } else { "disabled" };
            let _ = write!(text, ", {by}");
        }
        text.push_str(")\n");
    }
    if text.is_empty() {
        text.push_str("No plugins (to find some: /marketplace discover, or omp plugin discover)\n");
    }
    warnings.iter().for_each(|warning| {
        let _ = writeln!(text, "  {warning}");
    });
    text.trim_end().to_owned()
}

/// The plugins of marketplaces.
pub fn installed_json(all: &[ListedPlugin]) -> Value {
    let value = |plugin: &ListedPlugin| {
        json!({
            "id": plugin.id,
            "version": plugin.version,
            "scope": plugin.scope().map(|scope| scope.word()),
            "source": plugin.owner(),
            "path": plugin.path,
            "state": plugin_state_word(&plugin.state),
        })
    };
    all.iter().map(value).collect()
}

/// What was repaired.
pub(super) fn repaired(repair: &PluginRepair) -> String {
    match repair {
        PluginRepair::Delete(path) => format!("deleted {}", path.display()),
        PluginRepair::Forget(id, scope) => {
            format!("removed {id} from the registry ({scope}); to install it again: omp plugin install {id}")
        }
    }
}

/// Every part of every plugin, what is wrong, and a summary.
pub fn health_text(health: &PluginHealth, repaired: &[String]) -> String {
    let mut text = String::new();
    for examined in &health.plugins {
        let plugin = &examined.plugin;
        let version = plugin.version.as_deref().unwrap_or("unknown version");
        let remark = plugin.remark().map(|remark| format!(", {remark}")).unwrap_or_default();
        let _ = writeln!(text, "{} {version} ({}{remark})", plugin.id, plugin.owner());
        parts(&mut text, &examined.parts);
        examined.notes.iter().for_each(|note| {
            let _ = writeln!(text, "  note: {note}");
        });
    }
    for package in &health.packages {
        let version = package.version.as_deref().unwrap_or("unknown version");
        let _ = writeln!(text, "{} {version} (package)", package.name);
        parts(&mut text, &package.parts);
    }
    repaired.iter().for_each(|done| {
        let _ = writeln!(text, "fixed: {done}");
    });
    for problem in &health.problems {
        let hint = if problem.repair.is_some() { " (to fix it: doctor --fix)" } else { "" };
        let _ = writeln!(text, "problem: {}{hint}", problem.text);
    }
    let all = || {
        let of_plugins = health.plugins.iter().flat_map(|plugin| &plugin.parts);
        of_plugins.chain(health.packages.iter().flat_map(|package| &package.parts))
    };
    let active = all().filter(|part| part.state == PartState::Active).count();
    let broken = health.broken();
    let _ = write!(
        text,
        "{}: {} parts, {active} active, {} off, {broken} broken; {} {}",
        plugins(health.plugins.len() + health.packages.len()),
        all().count(),
        all().count() - active - broken,
        health.problems.len(),
        if health.problems.len() == 1 { "problem" } else { "problems" },
    );
    text
}

fn parts(text: &mut String, parts: &[InspectedPart]) {
    if parts.is_empty() {
        text.push_str("  no parts\n");
    }
    for part in parts {
        let (word, reason) = state(&part.state);
        let reason = reason.map(|reason| format!(": {reason}")).unwrap_or_default();
        let _ = writeln!(text, "  {word:6}  {}  {}{reason}", part.kind, part.entry);
    }
}

fn state(state: &PartState) -> (&'static str, Option<&str>) {
    match state {
        PartState::Active => ("active", None),
        PartState::Off(reason) => ("off", Some(reason)),
        PartState::Broken(reason) => ("broken", Some(reason)),
    }
}

/// The same for programs.
pub fn health_json(health: &PluginHealth, repaired: &[String]) -> Value {
    let part = |part: &InspectedPart| {
        let (word, reason) = state(&part.state);
        json!({"kind": part.kind, "entry": part.entry, "state": word, "reason": reason})
    };
    let plugin = |examined: &omp_sdk::plugins::marketplace::ExaminedPlugin| {
        json!({
            "id": examined.plugin.id,
            "version": examined.plugin.version,
            "source": examined.plugin.owner(),
            "state": plugin_state_word(&examined.plugin.state),
            "parts": examined.parts.iter().map(part).collect::<Vec<_>>(),
            "notes": examined.notes,
        })
    };
    let package = |package: &omp_sdk::marketplaces::ExaminedPackage| {
        let parts: Vec<Value> = package.parts.iter().map(part).collect();
        json!({"id": package.name, "version": package.version, "source": "package", "parts": parts})
    };
    json!({
        "plugins": health.plugins.iter().map(plugin).chain(health.packages.iter().map(package)).collect::<Vec<_>>(),
        "problems": health.problems.iter().map(|problem| problem.text.clone()).collect::<Vec<_>>(),
        "fixed": repaired,
    })
}

fn shortened(text: &str) -> String {
    match text.char_indices().nth(SHOWN) {
        Some((end, _)) => format!("{}…", text[..end].trim_end()),
        None => text.to_owned(),
    }
}
