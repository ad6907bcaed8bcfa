//! Profiles: sets of models for the roles, by name. Some come with the program; the user's file adds its own, and a
//! name that both have means the user's.

use indexmap::IndexMap;

use super::Registry;
use super::fields::{ModelsFile, ProfileConfig};
use super::provider::Availability;
use super::select::similar;
use super::values::Lookup;

/// One set.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Profile {
    pub name: String,
    /// Providers that must have credentials.
    pub required_providers: Vec<String>,
    /// Role to selector; roles that are not named stay as they are.
    pub mapping: IndexMap<String, String>,
    /// Does it come with the program?
    pub builtin: bool,
}

/// Providers with one strong model, which every role shares: family, provider, model.
const FAMILIES: [(&str, &str, &str); 7] = [
    ("codex", "openai-codex", "gpt-5.5"),
    ("glm", "zai", "glm-5.1"),
    ("kimi-coding-plan", "kimi-code", "kimi-k2.7-code"),
    ("mimo", "xiaomi", "mimo-v2.5-pro"),
    ("grok", "xai", "grok-4.3"),
    ("cursor", "cursor", "composer-1.5"),
    ("minimax", "minimax-code", "minimax-v3"),
];

/// The roles of a family, in the order of the efforts of [`TIERS`].
const ROLES: [&str; 5] = ["default", "task", "slow", "plan", "advisor"];

/// How hard each role thinks.
const TIERS: [(&str, [&str; 5]); 3] = [
    ("eco", ["low", "minimal", "medium", "low", "low"]),
    ("medium", ["medium", "low", "high", "medium", "medium"]),
    ("pro", ["medium", "medium", "xhigh", "high", "high"]),
];

/// Sets that mix models, with a selector for each of [`ROLES`].
const MIXED: [(&str, [&str; 5]); 4] = [
    (
        "opencodego",
        [
            "opencode-go/kimi-k2.7-code",
            "opencode-go/deepseek-v4-flash",
            "opencode-go/deepseek-v4-pro",
            "opencode-go/qwen3.7-max",
            "opencode-go/mimo-v2.5-pro",
        ],
    ),
    (
        "claude-opus",
        [
            "anthropic/claude-opus-4-8:medium",
            "anthropic/claude-opus-4-8:low",
            "anthropic/claude-opus-4-8:high",
            "anthropic/claude-opus-4-8:high",
            "anthropic/claude-opus-4-8:high",
        ],
    ),
    (
        "opus-codex",
        [
            "anthropic/claude-opus-4-8:medium",
            "openai-codex/gpt-5.5:low",
            "openai-codex/gpt-5.5:high",
            "openai-codex/gpt-5.5:high",
            "openai-codex/gpt-5.5:high",
        ],
    ),
    (
        "codex-opencodego",
        [
            "openai-codex/gpt-5.5:medium",
            "opencode-go/deepseek-v4-flash",
            "openai-codex/gpt-5.5:high",
            "opencode-go/qwen3.7-max",
            "opencode-go/mimo-v2.5-pro",
        ],
    ),
];

fn builtin() -> Vec<Profile> {
    let tiers = FAMILIES.iter().flat_map(|(family, provider, model)| {
        TIERS.iter().map(move |(tier, efforts)| {
            let selectors = efforts.map(|effort| format!("{provider}/{model}:{effort}"));
            shipped(format!("{family}-{tier}"), selectors)
        })
    });
    let mixed =
        MIXED.iter().map(|(name, selectors)| shipped((*name).to_owned(), selectors.map(str::to_owned)));
    tiers.chain(mixed).collect()
}

fn shipped(name: String, selectors: [String; 5]) -> Profile {
    let mut required_providers: Vec<String> = Vec::new();
    for provider in selectors.iter().filter_map(|selector| selector.split('/').next()) {
        if !required_providers.iter().any(|known| known == provider) {
            required_providers.push(provider.to_owned());
        }
    }
    let mapping = ROLES.map(str::to_owned).into_iter().zip(selectors).collect();
    Profile { name, required_providers, mapping, builtin: true }
}

/// What must hold in `profiles` and `modelBindings`.
pub(super) fn check(file: &ModelsFile) -> Result<(), String> {
    for (name, profile) in &file.profiles {
        if name.trim().is_empty() {
            return Err("profiles: the name of a profile must not be empty".to_owned());
        }
        check_roles(&format!("profiles.{name}.model_mapping"), &profile.model_mapping)?;
    }
    check_roles("modelBindings.modelRoles", &file.model_bindings.model_roles)?;
    check_roles("modelBindings.agentModelOverrides", &file.model_bindings.agent_model_overrides)
}

fn check_roles(place: &str, roles: &IndexMap<String, String>) -> Result<(), String> {
    for (role, selector) in roles {
        if role.trim().is_empty() || role.contains(['.', '/', ':']) {
            return Err(format!("{place}: \"{role}\" is not a valid role name"));
        }
        if selector.trim().is_empty() || selector.contains(',') {
            return Err(format!(
                "{place}.{role}: \"{selector}\" must be exactly one model, written provider/model[:level]"
            ));
        }
    }
    Ok(())
}

impl Registry {
    /// Every profile, those of the user's file first.
    pub fn profiles(&self) -> Vec<Profile> {
        let own = self.profiles.iter().map(|(name, config)| described(name, config));
        let shipped = builtin().into_iter().filter(|profile| !self.profiles.contains_key(&profile.name));
        own.chain(shipped).collect()
    }

    /// The names of profiles that sound like this one.
    pub fn similar_profiles(&self, name: &str) -> Vec<String> {
        let profiles = self.profiles();
        similar(name, profiles.iter().map(|profile| profile.name.as_str()))
    }

    /// Those of the required providers that cannot be used.
    pub fn missing_providers(&self, profile: &Profile, lookup: &dyn Lookup) -> Vec<String> {
        let usable = |id: &str| {
            let provider = self.position(id).map(|position| &self.providers[position]);
            provider.is_some_and(|provider| provider.availability(lookup) == Availability::Ready)
        };
        profile.required_providers.iter().filter(|id| !usable(id)).cloned().collect()
    }

    /// A selector with the level that its model really has: `model:minimal` of a model that begins at low is
    /// `model:low`. A selector that names no known model stays as it is.
    pub fn within_range(&self, selector: &str, lookup: &dyn Lookup) -> String {
        let Ok(meant) = self.meaning(selector, None, &self.ranks(lookup)) else { return selector.to_owned() };
        match meant.thinking {
            Some(wanted) if meant.model.reasoning => {
                let front = selector.rsplit_once(':').map_or(selector, |(front, _)| front);
                format!("{front}:{}", meant.model.clamp_level(wanted).name())
            }
            _ => selector.to_owned(),
        }
    }

    /// Who does what according to the file.
    pub fn bindings(&self) -> &super::Bindings {
        &self.bindings
    }
}

fn described(name: &str, config: &ProfileConfig) -> Profile {
    Profile {
        name: name.to_owned(),
        required_providers: config.required_providers.clone(),
        mapping: config.model_mapping.clone(),
        builtin: false,
    }
}
