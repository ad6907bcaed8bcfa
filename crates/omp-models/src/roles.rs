//! Roles: models by what they are used for, written `pi/<role>` or `@<role>`.

use omp_config::settings::{Settings, keys, strings};
use omp_llm::registry::{Lookup, Registry};
use omp_types::ThinkingLevel;

/// Roles that exist without being set.
const BUILTIN: [&str; 10] =
    ["default", "smol", "slow", "vision", "plan", "designer", "commit", "title", "task", "advisor"];

/// The selector that `modelRoles` gives a role, if it gives one.
pub fn model_of_role<'a>(settings: &'a Settings, name: &str) -> Option<&'a str> {
    settings.get(keys::MODEL_ROLES).get(name)?.as_str().filter(|selector| !selector.trim().is_empty())
}

/// Every role there is: the built-in ones, those that `modelTags` and `cycleOrder` introduce, and those that were
/// given a model.
pub fn role_names(settings: &Settings) -> Vec<String> {
    let builtin = BUILTIN.iter().map(|role| (*role).to_owned());
    let tags = settings.get(keys::MODEL_TAGS).keys().cloned();
    let cycled = strings(settings.get(keys::CYCLE_ORDER)).map(str::to_owned);
    let given = settings.get(keys::MODEL_ROLES).keys().cloned();
    let mut names: Vec<String> = Vec::new();
    for name in builtin.chain(tags).chain(cycled).chain(given) {
        if !name.trim().is_empty() && !names.contains(&name) {
            names.push(name);
        }
    }
    names
}

/// The roles to step through: those of `cycleOrder` that have a model of their own, and the default one.
pub fn role_cycle_order(settings: &Settings) -> Vec<String> {
    let order = strings(settings.get(keys::CYCLE_ORDER));
    let has_model = |role: &&str| *role == "default" || model_of_role(settings, role).is_some();
    order.filter(has_model).map(str::to_owned).collect()
}

/// What a selector stands for once no role is left in it.
#[derive(Debug, PartialEq, Eq)]
pub enum RoleTarget {
    /// A selector of a model.
    Pattern(String),
    /// A role that nobody was given: the session's own model does its work.
    Initial(Option<ThinkingLevel>),
}

/// Roles that stand for each other.
#[derive(Debug, PartialEq, Eq, thiserror::Error)]
#[error("modelRoles: the roles {} refer to each other: assign a model to one of them", .0.join(" -> "))]
pub struct RoleCycle(Vec<String>);

/// Follows a role to its model. A level that is written earlier on the way goes before a later one.
pub fn resolve_role(
    text: &str,
    settings: &Settings,
    registry: &Registry,
    lookup: &dyn Lookup,
) -> Result<RoleTarget, RoleCycle> {
    let mut seen: Vec<String> = Vec::new();
    let mut level: Option<String> = None;
    let mut text = text.trim().to_owned();
    while let Some((role, suffix)) = alias(&text, settings) {
        level = level.or(suffix);
        let again = seen.contains(&role);
        seen.push(role.clone());
        if again {
            return Err(RoleCycle(seen));
        }
        text = match model_of_role(settings, &role) {
            Some(selector) => selector.trim().to_owned(),
            None => match registry.role_default(&role, lookup) {
                Some(selector) => selector,
                None => return Ok(RoleTarget::Initial(level.as_deref().and_then(ThinkingLevel::parse))),
            },
        };
    }
    Ok(RoleTarget::Pattern(match level {
        Some(level) => format!("{}:{level}", without_level(&text)),
        None => text,
    }))
}

/// The role a text names, and what follows the colon.
fn alias(text: &str, settings: &Settings) -> Option<(String, Option<String>)> {
    let rest = text.strip_prefix("pi/").or_else(|| text.strip_prefix('@'))?;
    let (role, level) = match rest.split_once(':') {
        Some((role, level)) => (role, Some(level.to_owned())),
        None => (rest, None),
    };
    let known = BUILTIN.contains(&role) || role_names(settings).iter().any(|name| name == role);
    known.then(|| (role.to_owned(), level))
}

/// The selector of a model alone.
pub fn without_level(selector: &str) -> &str {
    let named = |(_, suffix): &(&str, &str)| ThinkingLevel::parse(suffix).is_some();
    selector.rsplit_once(':').filter(named).map_or(selector, |(model, _)| model)
}
