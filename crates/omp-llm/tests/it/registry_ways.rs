//! The same model by another way: one upstream of a gateway, a route, a larger sibling.

use omp_llm::preview;
use omp_llm::registry::{Preferences, Registry, SelectError};
use omp_types::ThinkingLevel;
use serde_json::{Value, json};

use crate::registry::{Environment, registry, select};
use crate::support::{request, user};

fn keys() -> Environment {
    Environment::with(&[("OPENROUTER_API_KEY", "k"), ("AI_GATEWAY_API_KEY", "k"), ("OPENAI_API_KEY", "k")])
}

fn body(registry: &Registry, selector: &str) -> Value {
    let selection = select(registry, selector, &keys()).unwrap_or_else(|error| panic!("{selector}: {error}"));
    preview(&selection.model, &request(vec![user("hi")]))
}

/// The gateway is told to use this provider and no other; the id stays what it is.
/// proves: MOD-120
#[test]
fn a_gateway_can_be_pinned_to_an_upstream() {
    let registry = Registry::new(None);
    let id = "anthropic/claude-sonnet-4.5";
    let pinned = body(&registry, &format!("openrouter/{id}@google-vertex"));
    assert_eq!((&pinned["model"], &pinned["provider"]), (&json!(id), &json!({"only": ["google-vertex"]})));
    assert_eq!(body(&registry, &format!("openrouter/{id}")).get("provider"), None);
    let vercel = body(&registry, &format!("vercel-ai-gateway/{id}@bedrock"));
    assert_eq!(vercel["model"], id);
    assert_eq!(vercel["providerOptions"], json!({"gateway": {"only": ["bedrock"]}}));

    let selection = select(&registry, &format!("openrouter/{id}@google-vertex:low"), &keys()).unwrap();
    assert_eq!(selection.thinking, Some(ThinkingLevel::Low));
    let again = select(&registry, &selection.model.selector(), &keys()).unwrap();
    assert_eq!(again.model.selector(), selection.model.selector(), "a session can be resumed");
    let unlisted = body(&registry, "openrouter/vendor/new-model@somewhere");
    assert_eq!(
        (&unlisted["model"], &unlisted["provider"]["only"]),
        (&json!("vendor/new-model"), &json!(["somewhere"]))
    );
}

/// Only gateways have upstreams, and an id may hold the sign itself.
#[test]
fn nothing_else_is_pinned() {
    let registry = registry(
        "providers:\n  mine:\n    baseUrl: http://mine/v1\n    auth: none\n    api: openai-completions\n    models: [{id: m}, {id: m@2024}]\n  openrouter: {baseUrl: http://elsewhere/v1}\n",
    );
    assert_eq!(body(&registry, "mine/m@2024")["model"], "m@2024");
    let error = select(&registry, "mine/m@upstream", &keys()).unwrap_err();
    assert!(matches!(error, SelectError::Unknown { .. }), "{error}");
    let moved = select(&registry, "openrouter/vendor/m@google", &keys()).unwrap();
    assert!(
        moved.warnings.iter().any(|warning| warning.contains("google is not sent")),
        "{:?}",
        moved.warnings
    );
}

/// A route that is written goes before the preferred one, and a pin goes with either.
#[test]
fn routes_and_pins_go_together() {
    let mut registry = Registry::new(None);
    let openrouter_variant = Some("nitro".to_owned());
    registry.set_preferences(Preferences { openrouter_variant, ..Preferences::default() });
    let pinned = body(&registry, "openrouter/anthropic/claude-sonnet-4.5@google-vertex");
    assert_eq!(pinned["model"], "anthropic/claude-sonnet-4.5:nitro");
    assert_eq!(pinned["provider"]["only"], json!(["google-vertex"]));
    assert_eq!(
        body(&registry, "openrouter/anthropic/claude-sonnet-4.5:free")["model"],
        "anthropic/claude-sonnet-4.5:free"
    );
    assert_eq!(body(&registry, "openai/gpt-5")["model"], "gpt-5");
}
