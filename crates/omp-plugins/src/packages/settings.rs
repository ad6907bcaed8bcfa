//! What a package can be told.

use omp_config::packages::{OVERRIDES_FILE, PackageOverrides, PackageRecords, RECORDS_FILE, SettingSchema};
use serde_json::{Map, Value};

use super::commit::{Change, DirectoryChange};
use super::{PackageError, Packages};

/// Where a value comes from.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum SettingOrigin {
    /// The project overrides it.
    Project,
    /// The user has set it.
    User,
    /// A variable of the environment.
    Environment,
    /// The package says so.
    Default,
    Unset,
}

impl SettingOrigin {
    /// For people and programs.
    pub fn name(self) -> &'static str {
        match self {
            Self::Project => "project",
            Self::User => "user",
            Self::Environment => "environment",
            Self::Default => "default",
            Self::Unset => "unset",
        }
    }
}

/// A setting with its value.
#[derive(Clone, Debug, PartialEq)]
pub struct SettingValue {
    pub schema: SettingSchema,
    pub value: Option<Value>,
    pub origin: SettingOrigin,
}

/// A value that its schema does not allow.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct InvalidSetting {
    pub plugin: String,
    pub key: String,
    pub reason: String,
}

impl Packages {
    /// The settings of a package with their values.
    pub fn settings(
        &self,
        name: &str,
        env: &dyn Fn(&str) -> Option<String>,
    ) -> Result<Vec<SettingValue>, PackageError> {
        let schemas = self.schemas(name)?;
        let (user, project) = self.values(name);
        let value = |schema: SettingSchema| {
            let from_env = || schema.env.as_deref().and_then(env).and_then(|text| schema.parse(&text).ok());
            let found = project
                .get(&schema.key)
                .cloned()
                .map(|value| (value, SettingOrigin::Project))
                .or_else(|| user.get(&schema.key).cloned().map(|value| (value, SettingOrigin::User)))
                .or_else(|| from_env().map(|value| (value, SettingOrigin::Environment)))
                .or_else(|| schema.default.clone().map(|value| (value, SettingOrigin::Default)));
            let (value, origin) =
                found.map_or((None, SettingOrigin::Unset), |(value, origin)| (Some(value), origin));
            SettingValue { schema, value, origin }
        };
        Ok(schemas.into_iter().map(value).collect())
    }

    /// Sets a setting to what was typed, and answers its value.
    pub fn set_setting(&self, name: &str, key: &str, typed: &str) -> Result<Value, PackageError> {
        let schema = self.schema(name, key)?;
        let invalid =
            |reason| PackageError::InvalidSetting { plugin: name.to_owned(), key: key.to_owned(), reason };
        let value = schema.parse(typed).map_err(invalid)?;
        self.write_setting(name, key, Some(value.clone()))?;
        Ok(value)
    }

    /// Takes a setting back. `false` if it was not set.
    pub fn delete_setting(&self, name: &str, key: &str) -> Result<bool, PackageError> {
        self.find(name)?;
        let (user, _) = self.values(name);
        if !user.contains_key(key) {
            self.schema(name, key)?;
            return Ok(false);
        }
        self.write_setting(name, key, None)?;
        Ok(true)
    }

    /// What is set and not allowed, in one package or in all.
    pub fn invalid_settings(&self, only: Option<&str>) -> Result<Vec<InvalidSetting>, PackageError> {
        let names = match only {
            Some(name) => vec![self.find(name)?.name],
            None => self.list().0.into_iter().map(|package| package.name).collect(),
        };
        let mut invalid = Vec::new();
        for plugin in names {
            let Ok(schemas) = self.schemas(&plugin) else { continue };
            let (user, project) = self.values(&plugin);
            for (key, value) in user.iter().chain(&project) {
                let checked = match schemas.iter().find(|schema| schema.key == *key) {
                    Some(schema) => schema.check(value),
                    None => Err("the plugin has no such setting".to_owned()),
                };
                let entry = |reason| InvalidSetting { plugin: plugin.clone(), key: key.clone(), reason };
                invalid.extend(checked.err().map(entry));
            }
        }
        Ok(invalid)
    }

    /// The schema of a setting.
    pub fn schema(&self, name: &str, key: &str) -> Result<SettingSchema, PackageError> {
        let schemas = self.schemas(name)?;
        let available = schemas.iter().map(|schema| schema.key.clone()).collect();
        schemas.into_iter().find(|schema| schema.key == key).ok_or_else(|| PackageError::UnknownSetting {
            plugin: name.to_owned(),
            key: key.to_owned(),
            available,
        })
    }

    fn schemas(&self, name: &str) -> Result<Vec<SettingSchema>, PackageError> {
        let manifest = self.find(name)?.manifest;
        manifest
            .map(|manifest| manifest.settings())
            .map_err(|reason| PackageError::Install { name: name.to_owned(), reason })
    }

    /// What the user has set, and what the project.
    fn values(&self, name: &str) -> (Map<String, Value>, Map<String, Value>) {
        let (records, _) = PackageRecords::load(&self.plugins.join(RECORDS_FILE));
        let overrides = PackageOverrides::load(&self.cwd.join(OVERRIDES_FILE), &mut Vec::new());
        (records.settings(name), overrides.settings(name))
    }

    fn write_setting(&self, name: &str, key: &str, value: Option<Value>) -> Result<(), PackageError> {
        let mut change = Change::begin(&self.plugins)?;
        change.records.set_setting(name, key, value);
        change.commit(name, DirectoryChange::Keep)?;
        Ok(())
    }
}
