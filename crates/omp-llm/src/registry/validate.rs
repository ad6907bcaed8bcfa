//! What must hold in `models.yml`. Every sentence names provider, model and field.

use super::fields::{AuthKind, DiscoveryConfig, ModelConfig, ModelsFile, ProviderConfig, ThinkingConfig};
use super::{profiles, transform};
use crate::discovery::DiscoveryKind;
use crate::model::Api;

/// A provider without models has to say at least one of these.
const OVERRIDES: &str = "\"baseUrl\", \"apiKey\", \"apiKeyEnv\", \"headers\", \"compat\", \
                         \"disableStrictTools\", \"modelOverrides\", \"discovery\", \"cacheRetention\", \
                         \"requestTransform\", \"auth: none\", \"models\"";

const THINKING_MODES: [&str; 5] =
    ["effort", "budget", "google-level", "anthropic-adaptive", "anthropic-budget-effort"];

/// A wire that other programs have a name for and this one does not speak.
const FOREIGN_API: &str = "cursor-agent";

/// The one other way to reach a provider: through a gateway that speaks for us.
pub(super) const PI_NATIVE: &str = "pi-native";

/// The first mistake, as a sentence.
pub(super) fn check(file: &ModelsFile) -> Result<(), String> {
    for (selector, canonical) in &file.equivalence.overrides {
        if !selector.contains('/') || canonical.trim().is_empty() {
            return Err(format!(
                "equivalence.overrides: \"{selector}\" must be written provider/model and name a canonical \
                 id"
            ));
        }
    }
    profiles::check(file)?;
    file.providers.iter().try_for_each(|(id, provider)| check_provider(id, provider))
}

fn check_provider(id: &str, provider: &ProviderConfig) -> Result<(), String> {
    let place = format!("provider {id}");
    if id.trim().is_empty() || id.contains('/') {
        return Err(format!("provider \"{id}\": the id must not be empty or contain \"/\""));
    }
    not_empty(
        &place,
        [
            ("baseUrl", &provider.base_url),
            ("apiKey", &provider.api_key),
            ("apiKeyEnv", &provider.api_key_env),
            ("api", &provider.api),
        ],
    )?;
    if provider.api_key.is_some() && provider.api_key_env.is_some() {
        return Err(format!("{place}: set \"apiKey\" or \"apiKeyEnv\", not both"));
    }
    transform::check(&place, provider.request_transform.as_ref())?;
    check_api(&place, provider.api.as_deref())?;
    check_transport(&place, provider.transport.as_deref())?;
    if let Some(discovery) = &provider.discovery {
        check_discovery(&place, provider, discovery)?;
    }
    for (model, change) in &provider.model_overrides {
        check_override(&format!("{place}, modelOverrides {model}"), change)?;
    }
    match provider.models.is_empty() {
        true => check_override_only(&place, provider),
        false => check_definitions(&place, provider),
    }
}

fn not_empty<const N: usize>(place: &str, fields: [(&str, &Option<String>); N]) -> Result<(), String> {
    match fields.into_iter().find(|(_, value)| value.as_ref().is_some_and(|value| value.trim().is_empty())) {
        Some((field, _)) => Err(format!("{place}: \"{field}\" must not be empty")),
        None => Ok(()),
    }
}

fn check_transport(place: &str, transport: Option<&str>) -> Result<(), String> {
    match transport {
        None | Some(PI_NATIVE) => Ok(()),
        Some(other) => Err(format!("{place}: unknown \"transport\" \"{other}\"; use \"{PI_NATIVE}\"")),
    }
}

fn check_discovery(
    place: &str,
    provider: &ProviderConfig,
    discovery: &DiscoveryConfig,
) -> Result<(), String> {
    let Some(kind) = DiscoveryKind::parse(&discovery.kind) else {
        return Err(format!(
            "{place}: unknown \"discovery.type\" \"{}\"; use one of {}",
            discovery.kind,
            DiscoveryKind::CONFIGURABLE.map(DiscoveryKind::name).join(", ")
        ));
    };
    if discovery.timeout_ms.is_some_and(|limit| !limit.is_finite() || limit <= 0.0) {
        return Err(format!("{place}: \"discovery.timeoutMs\" must be a positive number"));
    }
    match kind != DiscoveryKind::Proxy && provider.api.is_none() {
        true => {
            Err(format!("{place}: \"discovery\" needs \"api\" on the provider, except for type \"proxy\""))
        }
        false => Ok(()),
    }
}

fn check_override_only(place: &str, provider: &ProviderConfig) -> Result<(), String> {
    let says_something = provider.base_url.is_some()
        || provider.api_key.is_some()
        || provider.api_key_env.is_some()
        || provider.cache_retention.is_some()
        || provider.request_transform.is_some()
        || !provider.headers.is_empty()
        || provider.compat.is_some()
        || provider.disable_strict_tools
        || !provider.model_overrides.is_empty()
        || provider.discovery.is_some()
        || provider.auth == Some(AuthKind::None);
    match says_something {
        true => Ok(()),
        false => Err(format!("{place}: set at least one of {OVERRIDES}")),
    }
}

fn check_definitions(place: &str, provider: &ProviderConfig) -> Result<(), String> {
    if provider.base_url.is_none() {
        return Err(format!("{place}: \"baseUrl\" is required when defining custom models"));
    }
    // Amazon signs with credentials of the machine; its keys have no place in this file.
    let signed = provider.api.as_deref() == Some(Api::BedrockConverseStream.name());
    let keyed = provider.api_key.is_some() || provider.api_key_env.is_some();
    if !keyed && provider.auth != Some(AuthKind::None) && !signed {
        return Err(format!(
            "{place}: \"apiKey\" is required when defining custom models unless auth is \"none\""
        ));
    }
    for (position, model) in provider.models.iter().enumerate() {
        if model.id().trim().is_empty() {
            let number = position + 1;
            return Err(format!("{place}: model {number} of the list needs an \"id\""));
        }
        check_definition(&format!("{place}, model {}", model.id()), provider, model)?;
    }
    Ok(())
}

fn check_definition(place: &str, provider: &ProviderConfig, model: &ModelConfig) -> Result<(), String> {
    if model.api.is_none() && provider.api.is_none() {
        return Err(format!("{place}: no \"api\" is set on the model or its provider"));
    }
    check_api(place, model.api.as_deref())?;
    if let Some(cost) = &model.cost
        && let Some((missing, _)) = cost.prices().into_iter().find(|(_, price)| price.is_none())
    {
        return Err(format!("{place}: \"cost.{missing}\" is missing; set all four prices"));
    }
    check_values(place, model)
}

fn check_override(place: &str, change: &ModelConfig) -> Result<(), String> {
    for (field, given) in [("id", &change.id), ("api", &change.api), ("baseUrl", &change.base_url)] {
        if given.is_some() {
            return Err(format!(
                "{place}: \"{field}\" cannot be overridden; define the model under \"models\""
            ));
        }
    }
    check_values(place, change)
}

/// What holds for definitions and overrides alike.
fn check_values(place: &str, model: &ModelConfig) -> Result<(), String> {
    not_empty(
        place,
        [
            ("name", &model.name),
            ("baseUrl", &model.base_url),
            ("contextPromotionTarget", &model.context_promotion_target),
            ("wireModelId", &model.wire_model_id),
        ],
    )?;
    transform::check(place, model.request_transform.as_ref())?;
    for (field, value) in [("contextWindow", model.context_window), ("maxTokens", model.max_tokens)] {
        if value.is_some_and(|value| value <= 0) {
            return Err(format!("{place}: \"{field}\" must be a positive number"));
        }
    }
    let is_price = |price: &f64| price.is_finite() && *price >= 0.0;
    if let Some(cost) = &model.cost
        && let Some((field, _)) =
            cost.prices().into_iter().find(|(_, price)| price.is_some_and(|price| !is_price(&price)))
    {
        return Err(format!("{place}: \"cost.{field}\" must be a non-negative number"));
    }
    model.thinking.as_ref().map_or(Ok(()), |thinking| check_thinking(place, thinking))
}

fn check_thinking(place: &str, thinking: &ThinkingConfig) -> Result<(), String> {
    if let Some(mode) = thinking.mode.as_deref().filter(|mode| !THINKING_MODES.contains(mode)) {
        let known = THINKING_MODES.join(", ");
        return Err(format!("{place}: unknown \"thinking.mode\" \"{mode}\"; use one of {known}"));
    }
    let listed = thinking.levels.as_ref().is_some_and(|levels| !levels.is_empty());
    match (listed, thinking.min_level, thinking.max_level) {
        (true, _, _) => Ok(()),
        (false, Some(lowest), Some(highest)) if lowest <= highest => Ok(()),
        (false, Some(_), Some(_)) => {
            Err(format!("{place}: \"thinking.minLevel\" must not be above \"thinking.maxLevel\""))
        }
        _ => Err(format!("{place}: \"thinking\" needs \"levels\" or both \"minLevel\" and \"maxLevel\"")),
    }
}

fn check_api(place: &str, api: Option<&str>) -> Result<(), String> {
    let Some(api) = api else { return Ok(()) };
    if Api::parse(api).is_some() {
        return Ok(());
    }
    let known = Api::CONFIGURABLE.map(Api::name).join(", ");
    match api == FOREIGN_API {
        true => Err(format!("{place}: api \"{api}\" is not supported; use one of {known}")),
        false => Err(format!("{place}: unknown api \"{api}\"; use one of {known}")),
    }
}
