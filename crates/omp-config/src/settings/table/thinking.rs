//! How the model thinks and what is sent along with a request.

settings! {
    Thinking;
    DEFAULT_THINKING_LEVEL: Choice("defaultThinkingLevel", &["high", "minimal", "low", "medium", "xhigh", "auto"], "Default thinking level.")
        .flag("--thinking");
    HIDE_THINKING_BLOCK: Flag("hideThinkingBlock", false, "Hide the model's thinking.").flag("--hide-thinking");
    THINKING_BUDGETS_MINIMAL: Number("thinkingBudgets.minimal", 1024.0, "Thinking budget in tokens at level minimal.");
    THINKING_BUDGETS_LOW: Number("thinkingBudgets.low", 2048.0, "Thinking budget in tokens at level low.");
    THINKING_BUDGETS_MEDIUM: Number("thinkingBudgets.medium", 8192.0, "Thinking budget in tokens at level medium.");
    THINKING_BUDGETS_HIGH: Number("thinkingBudgets.high", 16384.0, "Thinking budget in tokens at level high.");
    THINKING_BUDGETS_XHIGH: Number("thinkingBudgets.xhigh", 32768.0, "Thinking budget in tokens at level xhigh.");
    TEMPERATURE: Number("temperature", -1.0, "Sampling temperature; -1 uses the provider's default.");
    TOP_P: Number("topP", -1.0, "Nucleus sampling (top-p); -1 uses the provider's default.");
    TOP_K: Number("topK", -1.0, "Maximum candidates per token (top-k); -1 uses the provider's default.");
    MIN_P: Number("minP", -1.0, "Minimum relative probability (min-p); -1 uses the provider's default.");
    PRESENCE_PENALTY: Number("presencePenalty", -1.0, "Presence penalty; -1 uses the provider's default.");
    REPETITION_PENALTY: Number("repetitionPenalty", -1.0, "Repetition penalty; -1 uses the provider's default.");
    SERVICE_TIER: Choice("serviceTier", &["none", "auto", "default", "flex", "scale", "priority", "openai-only", "claude-only"], "Service tier to request from the provider.")
        .flag("--service-tier");
    PERSONALITY: Choice("personality", &["default", "friendly", "pragmatic", "none"], "Tone of the answers.");
}
