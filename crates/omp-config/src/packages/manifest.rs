//! What a package says about itself: the field `omp` of its `package.json`, else `pi`.

use std::path::Path;

use serde_json::{Map, Value};

use super::records::mapping;

/// What manifests name files of.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
pub enum PartKind {
    Extensions,
    Tools,
    Hooks,
    Commands,
    Skills,
    Prompts,
}

impl PartKind {
    pub const ALL: [Self; 6] =
        [Self::Extensions, Self::Tools, Self::Hooks, Self::Commands, Self::Skills, Self::Prompts];

    /// The field in the manifest.
    pub fn key(self) -> &'static str {
        match self {
            Self::Extensions => "extensions",
            Self::Tools => "tools",
            Self::Hooks => "hooks",
            Self::Commands => "commands",
            Self::Skills => "skills",
            Self::Prompts => "prompts",
        }
    }

    /// Is it a module that is run?
    pub fn is_code(self) -> bool {
        matches!(self, Self::Extensions | Self::Tools | Self::Hooks)
    }
}

/// A `package.json`.
#[derive(Clone, Debug, PartialEq)]
pub struct PackageManifest {
    pub name: Option<String>,
    pub version: Option<String>,
    pub description: Option<String>,
    /// The field `omp` or `pi`; without one, a package contributes nothing.
    pub contributions: Option<Map<String, Value>>,
}

/// An optional part of a package.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Feature {
    pub name: String,
    pub description: Option<String>,
    /// It is used unless somebody chose otherwise.
    pub default: bool,
}

impl PackageManifest {
    /// Reads the `package.json` of a directory.
    pub fn read(directory: &Path) -> Result<Self, String> {
        let path = directory.join("package.json");
        match mapping(&path) {
            Ok(Some(document)) => Ok(Self::of(&document)),
            Ok(None) => Err(format!("{} does not exist", path.display())),
            Err(problem) => Err(format!("{}: {problem}", path.display())),
        }
    }

    /// The manifest in a `package.json`.
    pub fn of(document: &Map<String, Value>) -> Self {
        let text = |key: &str| document.get(key).and_then(Value::as_str).map(str::to_owned);
        let contributions = ["omp", "pi"].iter().find_map(|key| document.get(*key)?.as_object().cloned());
        Self { name: text("name"), version: text("version"), description: text("description"), contributions }
    }

    /// A package without a manifest of omp can be installed and contributes nothing.
    pub fn contributes(&self) -> bool {
        self.contributions.is_some()
    }

    /// The optional parts, in the order in which they are declared.
    pub fn features(&self) -> Vec<Feature> {
        let features = self.contributions.as_ref().and_then(|manifest| manifest.get("features")?.as_object());
        let feature = |(name, value): (&String, &Value)| Feature {
            name: name.clone(),
            description: value.get("description").and_then(Value::as_str).map(str::to_owned),
            default: value.get("default") == Some(&Value::Bool(true)),
        };
        features.into_iter().flatten().map(feature).collect()
    }

    /// The features in use when these were chosen.
    pub fn active_features(&self, chosen: Option<&[String]>) -> Vec<String> {
        let is_active = |feature: &Feature| match chosen {
            Some(chosen) => chosen.contains(&feature.name),
            None => feature.default,
        };
        self.features().into_iter().filter(is_active).map(|feature| feature.name).collect()
    }

    /// Files and directories of one kind as the manifest names them, those of the active features last, each with its feature.
    pub fn entries(&self, kind: PartKind, chosen: Option<&[String]>) -> Vec<(String, Option<String>)> {
        let Some(manifest) = &self.contributions else { return Vec::new() };
        let listed = |map: &Map<String, Value>| match map.get(kind.key()) {
            Some(Value::String(one)) => vec![one.clone()],
            Some(Value::Array(list)) => list.iter().filter_map(Value::as_str).map(str::to_owned).collect(),
            _ => Vec::new(),
        };
        let mut entries: Vec<_> = listed(manifest).into_iter().map(|entry| (entry, None)).collect();
        let features = manifest.get("features").and_then(Value::as_object);
        for name in self.active_features(chosen) {
            let feature = features.and_then(|features| features.get(&name)?.as_object());
            let own = feature.map(listed).unwrap_or_default();
            entries.extend(own.into_iter().map(|entry| (entry, Some(name.clone()))));
        }
        entries
    }

    /// The settings that the package has, in the order in which they are declared.
    pub fn settings(&self) -> Vec<SettingSchema> {
        let settings = self.contributions.as_ref().and_then(|manifest| manifest.get("settings")?.as_object());
        settings.into_iter().flatten().map(|(key, value)| SettingSchema::of(key, value)).collect()
    }
}

/// What a setting of a package can be.
#[derive(Clone, Debug, PartialEq)]
pub enum SettingType {
    Text,
    Number { min: Option<f64>, max: Option<f64> },
    Boolean,
    OneOf(Vec<String>),
}

/// A setting of a package.
#[derive(Clone, Debug, PartialEq)]
pub struct SettingSchema {
    pub key: String,
    pub kind: SettingType,
    pub description: Option<String>,
    pub default: Option<Value>,
    /// A variable of the environment with the value where none is set.
    pub env: Option<String>,
    /// Its value is not shown.
    pub secret: bool,
}

impl SettingSchema {
    fn of(key: &str, value: &Value) -> Self {
        let text = |key: &str| value.get(key).and_then(Value::as_str).map(str::to_owned);
        let number = |key: &str| value.get(key).and_then(Value::as_f64);
        let kind = match value.get("type").and_then(Value::as_str) {
            Some("number") => SettingType::Number { min: number("min"), max: number("max") },
            Some("boolean") => SettingType::Boolean,
            Some("enum") => {
                let values = value.get("values").and_then(Value::as_array).into_iter().flatten();
                SettingType::OneOf(values.filter_map(Value::as_str).map(str::to_owned).collect())
            }
            _ => SettingType::Text,
        };
        Self {
            key: key.to_owned(),
            kind,
            description: text("description"),
            default: value.get("default").cloned(),
            env: text("env"),
            secret: value.get("secret") == Some(&Value::Bool(true)),
        }
    }

    /// `string`, `number`, …
    pub fn type_name(&self) -> &'static str {
        match self.kind {
            SettingType::Text => "string",
            SettingType::Number { .. } => "number",
            SettingType::Boolean => "boolean",
            SettingType::OneOf(_) => "enum",
        }
    }

    /// What was typed, as a value of this setting.
    pub fn parse(&self, typed: &str) -> Result<Value, String> {
        let value = match self.kind {
            SettingType::Text | SettingType::OneOf(_) => Value::from(typed),
            SettingType::Number { .. } => {
                let parsed = serde_json::from_str::<serde_json::Number>(typed.trim());
                Value::Number(parsed.map_err(|_| format!("{typed:?} is not a number"))?)
            }
            SettingType::Boolean => match typed {
                "true" | "yes" | "on" | "1" => Value::Bool(true),
                "false" | "no" | "off" | "0" => Value::Bool(false),
                _ => return Err(format!("{typed:?} is not true or false")),
            },
        };
        self.check(&value).map(|()| value)
    }

    /// Can this be its value?
    pub fn check(&self, value: &Value) -> Result<(), String> {
        match (&self.kind, value) {
            (SettingType::Text, Value::String(_)) | (SettingType::Boolean, Value::Bool(_)) => Ok(()),
            (SettingType::Number { min, max }, Value::Number(number)) => {
                let number = number.as_f64().unwrap_or(f64::NAN);
                match (min, max) {
                    (Some(min), _) if number < *min => Err(format!("{number} is less than {min}")),
                    (_, Some(max)) if number > *max => Err(format!("{number} is more than {max}")),
                    _ => Ok(()),
                }
            }
            (SettingType::OneOf(values), Value::String(text)) => match values.contains(text) {
                true => Ok(()),
                false => Err(format!("{text:?} is not one of {}", values.join(", "))),
            },
            (SettingType::OneOf(values), _) => Err(format!("it must be one of {}", values.join(", "))),
            _ => Err(format!("it must be a {}", self.type_name())),
        }
    }
}
