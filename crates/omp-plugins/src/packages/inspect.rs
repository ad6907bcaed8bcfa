//! What a package says that it brings, part by part.

use std::path::{Path, PathBuf};

use omp_config::packages::{DeclaredPart, InstalledPackage, PartKind};

/// Directories and files that count without being named.
const BY_NAME: [(&str, &str); 7] = [
    ("skills", "skills"),
    ("commands", "commands"),
    ("rules", "rules"),
    ("prompts", "prompts"),
    ("agents", "agents"),
    ("hooks", "hooks"),
    ("MCP servers", ".mcp.json"),
];

/// What became of a part.
#[derive(Clone, Debug, PartialEq, Eq)]
pub enum PartState {
    /// It is used.
    Active,
    /// It is not, because somebody chose so. The reason is half a sentence.
    Off(String),
    /// It cannot be. The reason is half a sentence.
    Broken(String),
}

/// A part of a package.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct InspectedPart {
    /// `extensions`, `skills`, …
    pub kind: &'static str,
    /// As the package names it.
    pub entry: String,
    /// What it leads to.
    pub files: Vec<PathBuf>,
    pub state: PartState,
}

/// Every part that a package declares, those of inactive features as well.
pub fn inspect(package: &InstalledPackage) -> Vec<InspectedPart> {
    let Ok(manifest) = &package.manifest else { return Vec::new() };
    if !manifest.contributes() {
        return Vec::new();
    }
    let everything: Vec<String> = manifest.features().into_iter().map(|feature| feature.name).collect();
    let active = manifest.active_features(package.chosen_features());
    let off = match (package.record.enabled, package.disabled_here) {
        (false, _) => Some("the plugin is disabled".to_owned()),
        (true, true) => Some("this project disables the plugin".to_owned()),
        (true, false) => None,
    };
    let mut parts = Vec::new();
    for kind in PartKind::ALL {
        for DeclaredPart { entry, feature, files, problem, .. } in
            manifest.declared(&package.directory, kind, Some(&everything))
        {
            let feature_off = feature.filter(|feature| !active.contains(feature));
            let state = match (problem, &off, feature_off) {
                (Some(problem), ..) => PartState::Broken(problem),
                (None, Some(reason), _) => PartState::Off(reason.clone()),
                (None, None, Some(feature)) => PartState::Off(format!("the feature {feature} is off")),
                (None, None, None) => PartState::Active,
            };
            parts.push(InspectedPart { kind: kind.key(), entry, files, state });
        }
    }
    parts.extend(by_name(&package.directory, off.as_deref(), &parts));
    parts
}

fn by_name(directory: &Path, off: Option<&str>, named: &[InspectedPart]) -> Vec<InspectedPart> {
    let is_named =
        |path: &Path| named.iter().any(|part| part.files.iter().any(|file| file.starts_with(path)));
    let there = BY_NAME.iter().map(|(kind, name)| (*kind, *name, directory.join(name)));
    let there = there.filter(|(_, _, path)| path.exists() && !is_named(path));
    there
        .map(|(kind, name, path)| InspectedPart {
            kind,
            entry: name.to_owned(),
            files: vec![path],
            state: off.map_or(PartState::Active, |reason| PartState::Off(reason.to_owned())),
        })
        .collect()
}
