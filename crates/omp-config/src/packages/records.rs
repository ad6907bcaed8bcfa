//! What is recorded of packages: which are installed and enabled, with which features and settings.

use std::path::Path;

use serde_json::{Map, Value, json};

/// A larger file is not one of ours.
const LIMIT: u64 = 16 * 1024 * 1024;

/// What is known of one package.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct PackageRecord {
    pub version: Option<String>,
    /// The features that were chosen; `None` are those that the manifest says.
    pub features: Option<Vec<String>>,
    pub enabled: bool,
    /// What was typed to install it.
    pub source: Option<String>,
    /// The commit, for one from git.
    pub commit: Option<String>,
}

impl Default for PackageRecord {
    fn default() -> Self {
        Self { version: None, features: None, enabled: true, source: None, commit: None }
    }
}

/// `omp-plugins.lock.json`. Fields that omp does not know stay as they are.
#[derive(Clone, Debug, Default, PartialEq)]
pub struct PackageRecords {
    document: Map<String, Value>,
}

impl PackageRecords {
    /// Reads the file. One that is missing or broken counts as empty; what is wrong with it comes with it.
    pub fn load(path: &Path) -> (Self, Option<String>) {
        match mapping(path) {
            Ok(document) => (Self { document: document.unwrap_or_default() }, None),
            Err(problem) => {
                let warning = format!(
                    "{}: {problem}; no installed plugin is known until it is repaired",
                    path.display()
                );
                (Self::default(), Some(warning))
            }
        }
    }

    /// The names of all packages.
    pub fn names(&self) -> impl Iterator<Item = &str> {
        self.document
            .get("plugins")
            .and_then(Value::as_object)
            .into_iter()
            .flat_map(Map::keys)
            .map(String::as_str)
    }

    pub fn package(&self, name: &str) -> Option<PackageRecord> {
        let entry = self.document.get("plugins")?.get(name)?;
        let text = |key: &str| entry.get(key).and_then(Value::as_str).map(str::to_owned);
        Some(PackageRecord {
            version: text("version"),
            features: entry.get("enabledFeatures").and_then(strings),
            enabled: entry.get("enabled") != Some(&Value::Bool(false)),
            source: text("source"),
            commit: text("commit"),
        })
    }

    pub fn set_package(&mut self, name: &str, record: &PackageRecord) {
        let entry = self.section("plugins").entry(name).or_insert_with(|| json!({}));
        if !entry.is_object() {
            *entry = json!({});
        }
        entry["version"] = record.version.as_deref().into();
        entry["enabledFeatures"] = json!(record.features);
        entry["enabled"] = record.enabled.into();
        for (key, value) in [("source", &record.source), ("commit", &record.commit)] {
            match (value, entry.as_object_mut()) {
                (Some(value), Some(entry)) => drop(entry.insert(key.to_owned(), value.as_str().into())),
                (None, Some(entry)) => drop(entry.shift_remove(key)),
                (_, None) => {}
            }
        }
    }

    /// Forgets a package with its settings. `false` if nothing was known of it.
    pub fn remove_package(&mut self, name: &str) -> bool {
        let known = self.section("plugins").shift_remove(name).is_some();
        self.section("settings").shift_remove(name).is_some() || known
    }

    /// The settings of a package.
    pub fn settings(&self, name: &str) -> Map<String, Value> {
        let settings = self.document.get("settings").and_then(|all| all.get(name)).and_then(Value::as_object);
        settings.cloned().unwrap_or_default()
    }

    /// Sets a setting of a package, or with `None` takes it back.
    pub fn set_setting(&mut self, name: &str, key: &str, value: Option<Value>) {
        let settings = self.section("settings").entry(name).or_insert_with(|| json!({}));
        if !settings.is_object() {
            *settings = json!({});
        }
        let Some(settings) = settings.as_object_mut() else { return };
        match value {
            Some(value) => drop(settings.insert(key.to_owned(), value)),
            None => drop(settings.shift_remove(key)),
        }
    }

    /// As it is written.
    pub fn text(&self) -> String {
        let mut document = self.document.clone();
        for section in ["plugins", "settings"] {
            document.entry(section).or_insert_with(|| json!({}));
        }
        let text = serde_json::to_string_pretty(&Value::Object(document)).unwrap_or_default();
        format!("{text}\n")
    }

    fn section(&mut self, name: &str) -> &mut Map<String, Value> {
        let section = self.document.entry(name).or_insert_with(|| Value::Object(Map::new()));
        if !section.is_object() {
            *section = Value::Object(Map::new());
        }
        match section {
            Value::Object(section) => section,
            _ => unreachable!("it was just made one"),
        }
    }
}

/// `.omp/plugin-overrides.json`: what a project changes for itself. omp never writes it.
#[derive(Clone, Debug, Default)]
pub struct PackageOverrides {
    document: Map<String, Value>,
}

impl PackageOverrides {
    /// Reads the file. A broken one is named and ignored.
    pub fn load(path: &Path, warnings: &mut Vec<String>) -> Self {
        match mapping(path) {
            Ok(document) => Self { document: document.unwrap_or_default() },
            Err(problem) => {
                warnings.push(format!("{} is ignored: {problem}", path.display()));
                Self::default()
            }
        }
    }

    /// Does the project switch the package off?
    pub fn disables(&self, name: &str) -> bool {
        self.document.get("disabled").and_then(strings).is_some_and(|all| all.iter().any(|it| it == name))
    }

    pub fn features(&self, name: &str) -> Option<Vec<String>> {
        self.document.get("features")?.get(name).and_then(strings)
    }

    pub fn settings(&self, name: &str) -> Map<String, Value> {
        let settings = self.document.get("settings").and_then(|all| all.get(name)).and_then(Value::as_object);
        settings.cloned().unwrap_or_default()
    }
}

fn strings(value: &Value) -> Option<Vec<String>> {
    let list = value.as_array()?;
    Some(list.iter().filter_map(Value::as_str).map(str::to_owned).collect())
}

/// The mapping in a file; `None` if there is no file.
pub(super) fn mapping(path: &Path) -> Result<Option<Map<String, Value>>, String> {
    let file = match omp_workspace::open::open(path) {
        Ok(omp_workspace::open::OpenedPath::File(file, _)) => file,
        Ok(_) => return Err("it is not a file".to_owned()),
        Err(error)
            if matches!(error.kind(), std::io::ErrorKind::NotFound | std::io::ErrorKind::NotADirectory) =>
        {
            return Ok(None);
        }
        Err(error) => return Err(error.to_string()),
    };
    let mut bytes = Vec::new();
    let read = std::io::Read::read_to_end(&mut std::io::Read::take(file, LIMIT + 1), &mut bytes);
    read.map_err(|error| error.to_string())?;
    if bytes.len() as u64 > LIMIT {
        return Err(format!("it has more than {LIMIT} bytes"));
    }
    let bytes = bytes.strip_prefix(b"\xef\xbb\xbf").unwrap_or(&bytes);
    match serde_json::from_slice(bytes) {
        Ok(Value::Object(document)) => Ok(Some(document)),
        Ok(_) => Err("it is not a JSON object".to_owned()),
        Err(error) => Err(format!("it is not valid JSON ({error})")),
    }
}
