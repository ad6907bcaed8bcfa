//! Which models there are and which one does what.

settings! {
    Models;
    MODEL_ROLES: Record("modelRoles", "Model of each role, as `provider/model` with an optional thinking suffix such as `:high`.")
        .variables(ROLE_VARIABLES).flag("--model, --smol, --slow, --plan");
    MODEL_TAGS: Record("modelTags", "Names and colours of roles, also of roles you invent.");
    MODEL_PROVIDER_ORDER: List("modelProviderOrder", &[], "Providers to prefer when several offer the same model.");
    CYCLE_ORDER: List("cycleOrder", &["smol", "default", "slow"], "Roles that the model key steps through.");
    ENABLED_MODELS: List("enabledModels", &[], "Only these models are offered; empty means all. Entries may be limited to a path.")
        .flag("--models");
    DISABLED_PROVIDERS: List("disabledProviders", &[], "Model providers and discovery sources that are not used. Entries may be limited to a path.");
    INCLUDE_MODEL_IN_PROMPT: Flag("includeModelInPrompt", true, "Tell the model its own name.");
    MODEL_PROFILE_DEFAULT: Text("modelProfile.default", None, "Model preset that every session starts with.").flag("--mpreset");
    RETRY_ENABLED: Flag("retry.enabled", true, "Try again when a provider fails for a passing reason.");
    RETRY_MAX_RETRIES: Number("retry.maxRetries", 10.0, "Most retries of one request.");
    RETRY_BASE_DELAY_MS: Number("retry.baseDelayMs", 500.0, "Milliseconds before the first retry; each further one waits longer.");
    RETRY_MAX_DELAY_MS: Number("retry.maxDelayMs", 300_000.0, "Longest wait in milliseconds; 0 or less removes the limit.");
    RETRY_MODEL_FALLBACK: Flag("retry.modelFallback", true, "Go on with another model when one cannot be reached.");
    RETRY_FALLBACK_CHAINS: Record("retry.fallbackChains", "Models to fall back to, by role or model.");
    RETRY_FALLBACK_REVERT_POLICY: Choice("retry.fallbackRevertPolicy", &["cooldown-expiry", "never"], "When to return from a fallback to the model that failed.");
    CONTEXT_PROMOTION_ENABLED: Flag("contextPromotion.enabled", true, "Switch to a model with a larger context window before compacting.");
}

const ROLE_VARIABLES: &[Variable] = &[
    variable("PI_SMOL_MODEL", "modelRoles.smol"),
    variable("PI_SLOW_MODEL", "modelRoles.slow"),
    variable("PI_PLAN_MODEL", "modelRoles.plan"),
];
