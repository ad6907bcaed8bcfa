//! What people and programs read about installed packages: the same from `omp plugin` and from a conversation.

use std::fmt::Write as _;

use omp_sdk::plugins::packages::{
    InstallMode, Installed, InstalledHow, InvalidSetting, SettingOrigin, SettingValue,
};
use omp_sdk::plugins::records::{InstalledPackage, SettingType};
use serde_json::{Map, Value, json};

/// What stands in the place of a value that nobody is to see.
const SECRET: &str = "********";

/// Packages, one below the other.
pub fn list(packages: &[InstalledPackage]) -> String {
    let mut text = String::new();
    for package in packages {
        let version = version(package).map(|version| format!("@{version}")).unwrap_or_default();
        let _ = write!(text, "{}{version}", package.name);
        if let Some(state) = state(package) {
            let _ = write!(text, " ({state})");
        }
        text.push('\n');
        if let Ok(manifest) = &package.manifest {
            if let Some(description) = &manifest.description {
                let _ = writeln!(text, "  {}", one_line(description));
            }
            if package.is_linked() {
                let target = package.directory.canonicalize().unwrap_or_else(|_| package.directory.clone());
                let _ = writeln!(text, "  linked to {}", target.display());
            }
            let active = manifest.active_features(package.chosen_features());
            let mark =
                |name: String| if active.contains(&name) { format!("+{name}") } else { format!("-{name}") };
            let features: Vec<String> =
                manifest.features().into_iter().map(|feature| mark(feature.name)).collect();
            if !features.is_empty() {
                let _ = writeln!(text, "  features: {}", features.join(" "));
            }
        }
    }
    text
}

fn one_line(text: &str) -> String {
    text.split_whitespace().collect::<Vec<_>>().join(" ")
}

fn version(package: &InstalledPackage) -> Option<String> {
    let manifest = package.manifest.as_ref().ok();
    manifest.and_then(|manifest| manifest.version.clone()).or_else(|| package.record.version.clone())
}

/// Why a package does nothing, if it does.
fn state(package: &InstalledPackage) -> Option<String> {
    match &package.manifest {
        Err(problem) => Some(format!("broken: {problem}")),
        Ok(_) if !package.record.enabled => Some("disabled".to_owned()),
        Ok(_) if package.disabled_here => Some("disabled by this project".to_owned()),
        Ok(manifest) if !manifest.contributes() => {
            Some("contributes nothing: no `omp` field in its package.json".to_owned())
        }
        Ok(_) => None,
    }
}

/// Packages, for programs.
pub fn rows(packages: &[InstalledPackage]) -> Value {
    packages.iter().map(row).collect()
}

fn row(package: &InstalledPackage) -> Value {
    let manifest = package.manifest.as_ref().ok();
    let active = manifest.map(|manifest| manifest.active_features(package.chosen_features()));
    let features = manifest
        .map(|manifest| manifest.features().into_iter().map(|feature| feature.name).collect::<Vec<_>>());
    json!({
        "name": package.name,
        "version": version(package),
        "path": package.directory,
        "enabled": package.is_active(),
        "linked": package.is_linked(),
        "description": manifest.and_then(|manifest| manifest.description.clone()),
        "enabledFeatures": package.chosen_features(),
        "activeFeatures": active,
        "features": features,
        "source": package.record.source,
        "commit": package.record.commit,
        "problem": state(package),
    })
}

/// What an installation did, or would do.
pub fn installed(installed: &Installed, mode: InstallMode) -> String {
    let name = named(installed);
    let dry = mode == InstallMode::DryRun;
    let mut text = match &installed.how {
        InstalledHow::Linked(directory) if dry => format!("Would link {name} to {}", directory.display()),
        InstalledHow::Linked(directory) => format!("Linked {name} to {}", directory.display()),
        InstalledHow::Unchanged => format!("{name} is already installed (--force installs it again)"),
        InstalledHow::Registry | InstalledHow::Git(_) if dry => format!("Would install {name}"),
        InstalledHow::Registry => format!("Installed {name}"),
        InstalledHow::Git(commit) => format!("Installed {name} at {}", commit.get(..12).unwrap_or(commit)),
    };
    match installed.dependencies {
        0 => {}
        1 => text.push_str(" with 1 dependency"),
        count => {
            let _ = write!(text, " with {count} dependencies");
        }
    }
    let previous =
        installed.previous.as_ref().filter(|previous| Some(*previous) != installed.version.as_ref());
    if let Some(previous) = previous {
        let _ = write!(text, ", replacing {previous}");
    }
    if !installed.active_features.is_empty() {
        let _ = write!(text, "\nfeatures: {}", installed.active_features.join(", "));
    }
    if !installed.contributes {
        text.push_str("\nit contributes nothing: no `omp` field in its package.json");
    }
    text
}

fn named(installed: &Installed) -> String {
    match &installed.version {
        Some(version) => format!("{}@{version}", installed.name),
        None => installed.name.clone(),
    }
}

/// The same for programs.
pub fn installed_row(installed: &Installed, mode: InstallMode) -> Value {
    let mut row = json!({
        "name": installed.name,
        "version": installed.version,
        "previousVersion": installed.previous,
        "action": match (&installed.how, mode) {
            (InstalledHow::Linked(_), _) => "link",
            (InstalledHow::Unchanged, _) => "none",
            (InstalledHow::Registry | InstalledHow::Git(_), _) => "install",
        },
        "dryRun": mode == InstallMode::DryRun,
        "dependencies": installed.dependencies,
        "activeFeatures": installed.active_features,
        "warnings": installed.warnings,
    });
    match &installed.how {
        InstalledHow::Linked(directory) => row["path"] = json!(directory),
        InstalledHow::Git(commit) => row["commit"] = json!(commit),
        InstalledHow::Registry | InstalledHow::Unchanged => {}
    }
    row
}

/// The features of a package.
pub fn features(package: &InstalledPackage) -> String {
    let Ok(manifest) = &package.manifest else { return format!("{} is broken\n", package.name) };
    let active = manifest.active_features(package.chosen_features());
    let all = manifest.features();
    if all.is_empty() {
        return format!("{} has no features\n", package.name);
    }
    let mut text = format!("Features of {}\n", package.name);
    for feature in all {
        let mark = if active.contains(&feature.name) { "on" } else { "off" };
        let about = feature.description.map(|about| format!("  {}", one_line(&about))).unwrap_or_default();
        let default = if feature.default { " (default)" } else { "" };
        let _ = writeln!(text, "  {:<4}{}{default}{about}", mark, feature.name);
    }
    text
}

/// The features of a package, for programs.
pub fn feature_rows(package: &InstalledPackage) -> Value {
    let manifest = package.manifest.as_ref().ok();
    let active =
        manifest.map(|manifest| manifest.active_features(package.chosen_features())).unwrap_or_default();
    let features = manifest.map(|manifest| manifest.features()).unwrap_or_default();
    let row = |feature: omp_sdk::plugins::records::Feature| {
        let enabled = active.contains(&feature.name);
        json!({"name": feature.name, "description": feature.description, "default": feature.default, "enabled": enabled})
    };
    json!({"plugin": package.name, "features": features.into_iter().map(row).collect::<Vec<_>>()})
}

/// The settings of a package with their values.
pub fn settings(name: &str, values: &[SettingValue]) -> String {
    if values.is_empty() {
        return format!("{name} has no settings\n");
    }
    let mut text = format!("Settings of {name}\n");
    for value in values {
        let schema = &value.schema;
        let _ = write!(text, "  {} = {}", schema.key, shown(value));
        if value.origin != SettingOrigin::Unset {
            let _ = write!(text, " ({})", value.origin.name());
        }
        match &schema.kind {
            SettingType::OneOf(values) => {
                let _ = write!(text, ", one of {}", values.join(", "));
            }
            _ => {
                let _ = write!(text, ", {}", schema.type_name());
            }
        }
        if let Some(env) = &schema.env {
            let _ = write!(text, ", from {env} if unset");
        }
        text.push('\n');
        if let Some(about) = &schema.description {
            let _ = writeln!(text, "    {}", one_line(about));
        }
    }
    text
}

/// A value as people see it.
pub fn shown(value: &SettingValue) -> String {
    match &value.value {
        None => "(not set)".to_owned(),
        Some(_) if value.schema.secret => SECRET.to_owned(),
        Some(Value::String(text)) => text.clone(),
        Some(other) => other.to_string(),
    }
}

/// The settings of a package, for programs; secrets stay secret.
pub fn setting_rows(values: &[SettingValue]) -> Value {
    let mut rows = Map::new();
    for value in values {
        let schema = &value.schema;
        let hidden = schema.secret && value.origin != SettingOrigin::Unset;
        let shown = if hidden { Some(Value::from(SECRET)) } else { value.value.clone() };
        let mut row = json!({"value": shown, "origin": value.origin.name(), "type": schema.type_name()});
        for (key, text) in [("description", &schema.description), ("env", &schema.env)] {
            if let Some(text) = text {
                row[key] = text.as_str().into();
            }
        }
        if let SettingType::OneOf(values) = &schema.kind {
            row["values"] = json!(values);
        }
        if schema.secret {
            row["secret"] = true.into();
        }
        rows.insert(schema.key.clone(), row);
    }
    Value::Object(rows)
}

/// Settings that their schemas do not allow.
pub fn invalid(invalid: &[InvalidSetting]) -> String {
    if invalid.is_empty() {
        return "All settings are valid\n".to_owned();
    }
    let line = |one: &InvalidSetting| format!("{}: {}: {}\n", one.plugin, one.key, one.reason);
    invalid.iter().map(line).collect()
}

/// The same for programs.
pub fn invalid_rows(invalid: &[InvalidSetting]) -> Value {
    let row = |one: &InvalidSetting| json!({"plugin": one.plugin, "key": one.key, "error": one.reason});
    json!({"valid": invalid.is_empty(), "errors": invalid.iter().map(row).collect::<Vec<_>>()})
}
