//! Model profiles: a name that stands for a model in every role.

use omp_auth::{Environment, EnvironmentLookup};
use omp_config::Directories;
use omp_config::settings::{Layer, Settings, SettingsError, keys};
use omp_llm::registry::{Lookup, Profile, Registry};
use serde::Serialize;
use serde_json::{Map, Value};

use crate::models_file::load_registry;
use crate::roles::model_of_role;

/// Why a profile cannot be used.
#[derive(Debug, PartialEq, Eq, thiserror::Error)]
pub enum ProfileError {
    /// Nothing is called that.
    #[error("unknown model profile \"{name}\"{}", suggest(.near))]
    Unknown {
        /// What was asked for.
        name: String,
        /// Names that are like it.
        near: Vec<String>,
    },
    /// Providers that it needs have no credentials.
    #[error("the model profile \"{name}\" needs credentials for {}", .providers.join(" and "))]
    MissingCredentials {
        /// The profile.
        name: String,
        /// Those providers.
        providers: Vec<String>,
    },
}

/// Why a profile was not put into use.
#[derive(Debug, thiserror::Error)]
pub enum ActivationError {
    /// The profile cannot be used.
    #[error(transparent)]
    Profile(#[from] ProfileError),
    /// A role cannot be set.
    #[error(transparent)]
    Settings(#[from] SettingsError),
}

fn suggest(near: &[String]) -> String {
    if near.is_empty() { String::new() } else { format!(": did you mean {}?", near.join(" or ")) }
}

/// One profile of a listing.
#[derive(Clone, Debug, Serialize)]
#[serde(rename_all = "camelCase")]
pub struct ProfileRow {
    /// What it is called.
    pub name: String,
    /// Does it come with the program?
    pub builtin: bool,
    /// Providers that its models are of.
    pub required_providers: Vec<String>,
    /// Those of the required providers that have no credentials.
    pub missing_providers: Vec<String>,
    /// Role to selector, with the level that the model really has.
    pub models: Map<String, Value>,
}

/// Every profile with what it would do, and what went wrong while reading the user's file.
pub fn list_profiles(
    directories: &Directories,
    settings: &Settings,
    environment: &dyn Environment,
) -> (Vec<ProfileRow>, Vec<String>) {
    let mut warnings = Vec::new();
    let registry = load_registry(directories, settings, &mut warnings);
    let lookup = EnvironmentLookup(environment);
    let row = |profile: Profile| ProfileRow {
        missing_providers: registry.missing_providers(&profile, &lookup),
        models: effective(&profile, &registry, &lookup),
        name: profile.name,
        builtin: profile.builtin,
        required_providers: profile.required_providers,
    };
    (registry.profiles().into_iter().map(row).collect(), warnings)
}

/// The mapping as it takes effect: no role thinks harder or less than its model can.
fn effective(profile: &Profile, registry: &Registry, lookup: &dyn Lookup) -> Map<String, Value> {
    let clamp = |(role, selector): (&String, &String)| {
        (role.clone(), Value::from(registry.within_range(selector, lookup)))
    };
    profile.mapping.iter().map(clamp).collect()
}

/// Puts a profile's models into their roles, for this session. A flag or a variable that names a role's model goes
/// before. Returns the model of the default role, if the profile has one.
pub fn activate_profile(
    name: &str,
    settings: &mut Settings,
    registry: &Registry,
    lookup: &dyn Lookup,
) -> Result<Option<String>, ActivationError> {
    let profiles = registry.profiles();
    let Some(profile) = profiles.iter().find(|profile| profile.name == name) else {
        let near = registry.similar_profiles(name);
        return Err(ProfileError::Unknown { name: name.to_owned(), near }.into());
    };
    let providers = registry.missing_providers(profile, lookup);
    if !providers.is_empty() {
        return Err(ProfileError::MissingCredentials { name: name.to_owned(), providers }.into());
    }
    let mut mapping = effective(profile, registry, lookup);
    let path = keys::MODEL_ROLES.path();
    mapping.retain(|role, _| settings.origin(&format!("{path}.{role}")) != Layer::Runtime);
    let default = mapping.get("default").and_then(Value::as_str).map(str::to_owned);
    settings.set_override(path, Value::Object(mapping))?;
    Ok(default)
}

/// `modelBindings` of the user's file, for the roles that nobody else was given.
pub fn bind_roles(
    settings: &mut Settings,
    registry: &Registry,
    warnings: &mut Vec<String>,
) -> Result<(), SettingsError> {
    let bindings = registry.bindings();
    let free = bindings.model_roles.iter().filter(|(role, _)| model_of_role(settings, role).is_none());
    let roles: Map<String, Value> =
        free.map(|(role, selector)| (role.clone(), Value::from(selector.as_str()))).collect();
    if !roles.is_empty() {
        settings.set_override(keys::MODEL_ROLES.path(), Value::Object(roles))?;
    }
    if !bindings.agent_model_overrides.is_empty() {
        warnings.push(
            "modelBindings.agentModelOverrides has no effect: sub-agents are not available yet".to_owned(),
        );
    }
    Ok(())
}
