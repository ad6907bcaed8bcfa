//! Which models there are and which one does what.

settings! {
    Models;
    MODEL_ROLES: Record("modelRoles", "Model per role, as `provider/model` with an optional thinking suffix such as `:high`.")
        .variables(ROLE_VARIABLES).flag("--model, --smol, --slow, --plan");
    MODEL_TAGS: Record("modelTags", "Names and colours of roles, including custom roles.");
    MODEL_PROVIDER_ORDER: List("modelProviderOrder", &[], "Preferred providers when several offer the same model.");
    CYCLE_ORDER: List("cycleOrder", &["smol", "default", "slow"], "Roles that the model key cycles through.");
    ENABLED_MODELS: List("enabledModels", &[], "Offer only these models; empty means all. Entries may be limited to a path.")
        .flag("--models");
    DISABLED_PROVIDERS: List("disabledProviders", &[], "Disabled model providers and discovery sources. Entries may be limited to a path.");
    INCLUDE_MODEL_IN_PROMPT: Flag("includeModelInPrompt", true, "Tell the model its own name.");
    MODEL_PROFILE_DEFAULT: Text("modelProfile.default", None, "Default model preset for new sessions.").flag("--mpreset");
    RETRY_ENABLED: Flag("retry.enabled", true, "Retry when a provider fails temporarily.");
    RETRY_MAX_RETRIES: Number("retry.maxRetries", 10.0, "Maximum retries per request.");
    RETRY_BASE_DELAY_MS: Number("retry.baseDelayMs", 500.0, "Milliseconds before the first retry; the delay grows with each retry.");
    RETRY_MAX_DELAY_MS: Number("retry.maxDelayMs", 300_000.0, "Maximum delay between retries in milliseconds; 0 or less means no limit.");
    RETRY_MODEL_FALLBACK: Flag("retry.modelFallback", true, "Fall back to another model when one is unavailable.");
    RETRY_FALLBACK_CHAINS: Record("retry.fallbackChains", "Fallback models, by role or model.");
    RETRY_FALLBACK_REVERT_POLICY: Choice("retry.fallbackRevertPolicy", &["cooldown-expiry", "never"], "When to switch back from a fallback to the model that failed.");
    CONTEXT_PROMOTION_ENABLED: Flag("contextPromotion.enabled", true, "Switch to a model with a larger context window before compacting.");
}

const ROLE_VARIABLES: &[Variable] = &[
    variable("PI_SMOL_MODEL", "modelRoles.smol"),
    variable("PI_SLOW_MODEL", "modelRoles.slow"),
    variable("PI_PLAN_MODEL", "modelRoles.plan"),
];
