//! Packages that extend omp, as they are on disk: what is recorded of them, and what they say about themselves. Nothing here writes.
//!
//! - [`records`]: `omp-plugins.lock.json`, which says what is installed, and what a project overrides
//! - [`manifest`]: the field `omp` or `pi` of a `package.json`
//! - [`parts`]: the files that a manifest names

mod manifest;
mod parts;
mod records;

use std::path::{Path, PathBuf};

pub use manifest::{Feature, PackageManifest, PartKind, SettingSchema, SettingType};
pub use parts::DeclaredPart;
pub use records::{PackageOverrides, PackageRecord, PackageRecords};

/// The file with the records, below the directory of plugins.
pub const RECORDS_FILE: &str = "omp-plugins.lock.json";
/// What a project overrides, below its root.
pub const OVERRIDES_FILE: &str = ".omp/plugin-overrides.json";

/// The directory of an installed package.
pub fn package_directory(plugins: &Path, name: &str) -> PathBuf {
    plugins.join("node_modules").join(name)
}

/// A package that is installed.
#[derive(Clone, Debug)]
pub struct InstalledPackage {
    pub name: String,
    /// Where it is; a symbolic link for one that was linked.
    pub directory: PathBuf,
    /// What its `package.json` says, or why that cannot be read.
    pub manifest: Result<PackageManifest, String>,
    pub record: PackageRecord,
    /// The project switches it off.
    pub disabled_here: bool,
    /// Features that the project has chosen.
    pub features_here: Option<Vec<String>>,
}

impl InstalledPackage {
    /// Is it used here?
    pub fn is_active(&self) -> bool {
        self.record.enabled && !self.disabled_here
    }

    /// The features that were chosen; `None` are those that the manifest says.
    pub fn chosen_features(&self) -> Option<&[String]> {
        self.features_here.as_deref().or(self.record.features.as_deref())
    }

    /// Does its directory belong to somebody else?
    pub fn is_linked(&self) -> bool {
        self.directory.is_symlink()
    }
}

/// Everything that is installed in `plugins`, in the order of its records, as a run in `cwd` sees it.
pub fn installed_packages(plugins: &Path, cwd: &Path, warnings: &mut Vec<String>) -> Vec<InstalledPackage> {
    let (records, warning) = PackageRecords::load(&plugins.join(RECORDS_FILE));
    warnings.extend(warning);
    let names = names(plugins, &records);
    if names.is_empty() {
        return Vec::new();
    }
    let overrides = PackageOverrides::load(&cwd.join(OVERRIDES_FILE), warnings);
    let package = |name: String| {
        let directory = package_directory(plugins, &name);
        InstalledPackage {
            manifest: PackageManifest::read(&directory),
            record: records.package(&name).unwrap_or_default(),
            disabled_here: overrides.disables(&name),
            features_here: overrides.features(&name),
            directory,
            name,
        }
    };
    names.into_iter().map(package).collect()
}

/// Those of the records, and those that a package manager has put there.
fn names(plugins: &Path, records: &PackageRecords) -> Vec<String> {
    let mut names: Vec<String> =
        records.names().filter(|name| is_package_name(name)).map(str::to_owned).collect();
    let file = std::fs::read_to_string(plugins.join("package.json")).unwrap_or_default();
    let document: serde_json::Value = serde_json::from_str(&file).unwrap_or_default();
    let declared = document.get("dependencies").and_then(serde_json::Value::as_object);
    for name in declared.into_iter().flat_map(|declared| declared.keys()) {
        let known = names.iter().any(|known| known == name);
        if !known && is_package_name(name) && package_directory(plugins, name).is_dir() {
            names.push(name.clone());
        }
    }
    names
}

/// `name` or `@scope/name`, as registries allow it: one directory, or two, and none of them a way out.
pub fn is_package_name(name: &str) -> bool {
    let part = |part: &str| {
        !part.is_empty()
            && !part.starts_with('.')
            && part.bytes().all(|b| b.is_ascii_alphanumeric() || b"-._~".contains(&b))
    };
    let whole = match name.strip_prefix('@') {
        Some(scoped) => scoped.split_once('/').is_some_and(|(scope, name)| part(scope) && part(name)),
        None => part(name),
    };
    whole && name.len() <= 214 && name != "node_modules"
}

#[cfg(test)]
mod tests {
    use super::is_package_name;

    #[test]
    fn names_are_directories() {
        for name in ["pi-btw", "@scope/name", "a.b_c~d", "A"] {
            assert!(is_package_name(name), "{name}");
        }
        for name in
            ["", "..", "../x", "@x", "@x/..", "@../y", "a/b", "a b", ".bin", "node_modules", "@a/b/c", "a\\b"]
        {
            assert!(!is_package_name(name), "{name}");
        }
    }
}
