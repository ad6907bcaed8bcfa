//! How the model thinks and what is sent along with a request.

settings! {
    Thinking;
    DEFAULT_THINKING_LEVEL: Choice("defaultThinkingLevel", &["high", "minimal", "low", "medium", "xhigh", "auto"], "How much a model thinks unless told otherwise.")
        .flag("--thinking");
    HIDE_THINKING_BLOCK: Flag("hideThinkingBlock", false, "Do not show what the model thinks.").flag("--hide-thinking").waits_for("terminal");
    THINKING_BUDGETS_MINIMAL: Number("thinkingBudgets.minimal", 1024.0, "Tokens for thinking at level minimal.");
    THINKING_BUDGETS_LOW: Number("thinkingBudgets.low", 2048.0, "Tokens for thinking at level low.");
    THINKING_BUDGETS_MEDIUM: Number("thinkingBudgets.medium", 8192.0, "Tokens for thinking at level medium.");
    THINKING_BUDGETS_HIGH: Number("thinkingBudgets.high", 16384.0, "Tokens for thinking at level high.");
    THINKING_BUDGETS_XHIGH: Number("thinkingBudgets.xhigh", 32768.0, "Tokens for thinking at level xhigh.");
    TEMPERATURE: Number("temperature", -1.0, "Sampling temperature; -1 leaves it to the provider.");
    TOP_P: Number("topP", -1.0, "Nucleus sampling; -1 leaves it to the provider.");
    TOP_K: Number("topK", -1.0, "Most candidates per token; -1 leaves it to the provider.");
    MIN_P: Number("minP", -1.0, "Smallest relative probability; -1 leaves it to the provider.");
    PRESENCE_PENALTY: Number("presencePenalty", -1.0, "Penalty for tokens that occurred; -1 leaves it to the provider.");
    REPETITION_PENALTY: Number("repetitionPenalty", -1.0, "Penalty for repeated tokens; -1 leaves it to the provider.");
    SERVICE_TIER: Choice("serviceTier", &["none", "auto", "default", "flex", "scale", "priority", "openai-only", "claude-only"], "Processing tier to ask the provider for.")
        .flag("--service-tier");
    PERSONALITY: Choice("personality", &["default", "friendly", "pragmatic", "none"], "Tone of the answers.");
}
