//! What omp remembers between sessions.

settings! {
    Memory;
    MEMORY_BACKEND: Choice("memory.backend", &["off", "local", "hindsight", "mnemopi"], "Where memories are kept.").waits_for("memory");
    AUTOLEARN_ENABLED: Flag("autolearn.enabled", false, "Ask the agent to keep lessons after a turn.").waits_for("memory");
    AUTOLEARN_AUTO_CONTINUE: Flag("autolearn.autoContinue", false, "Spend an extra turn on it.").waits_for("memory");
    AUTOLEARN_MIN_TOOL_CALLS: Number("autolearn.minToolCalls", 5.0, "Tool calls from which a turn is worth it.").waits_for("memory");
    MEMORIES_MAX_ROLLOUT_AGE_DAYS: Number("memories.maxRolloutAgeDays", 30.0, "Days after which a session is not looked at.").waits_for("memory");
    MEMORIES_MIN_ROLLOUT_IDLE_HOURS: Number("memories.minRolloutIdleHours", 12.0, "Hours a session must have been idle.").waits_for("memory");
    MEMORIES_MAX_ROLLOUTS_PER_STARTUP: Number("memories.maxRolloutsPerStartup", 64.0, "Most sessions looked at per start.").waits_for("memory");
    MEMORIES_SUMMARY_INJECTION_TOKEN_LIMIT: Number("memories.summaryInjectionTokenLimit", 5000.0, "Most tokens of memory in the prompt.").waits_for("memory");
    MEMORIES_THREAD_SCAN_LIMIT: Number("memories.threadScanLimit", 300.0, "Most sessions listed to choose from.").waits_for("memory");
    MEMORIES_MAX_RAW_MEMORIES_FOR_GLOBAL: Number("memories.maxRawMemoriesForGlobal", 200.0, "Most extracts merged into the summary.").waits_for("memory");
    MEMORIES_STAGE1_CONCURRENCY: Number("memories.stage1Concurrency", 8.0, "Extractions at a time.").waits_for("memory");
    MEMORIES_STAGE1_LEASE_SECONDS: Number("memories.stage1LeaseSeconds", 120.0, "Seconds an extraction is reserved for one process.").waits_for("memory");
    MEMORIES_STAGE1_RETRY_DELAY_SECONDS: Number("memories.stage1RetryDelaySeconds", 120.0, "Seconds before a failed extraction is tried again.").waits_for("memory");
    MEMORIES_PHASE2_LEASE_SECONDS: Number("memories.phase2LeaseSeconds", 180.0, "Seconds the merge is reserved for one process.").waits_for("memory");
    MEMORIES_PHASE2_RETRY_DELAY_SECONDS: Number("memories.phase2RetryDelaySeconds", 180.0, "Seconds before a failed merge is tried again.").waits_for("memory");
    MEMORIES_PHASE2_HEARTBEAT_SECONDS: Number("memories.phase2HeartbeatSeconds", 30.0, "Seconds between signs of life of a merge.").waits_for("memory");
    MEMORIES_ROLLOUT_PAYLOAD_PERCENT: Number("memories.rolloutPayloadPercent", 0.7, "Share of the context window an extraction may use.").waits_for("memory");
    MEMORIES_PHASE1_INPUT_TOKEN_LIMIT: Number("memories.phase1InputTokenLimit", 4000.0, "Least tokens an extraction may use.").waits_for("memory");
    MEMORIES_FALLBACK_TOKEN_LIMIT: Number("memories.fallbackTokenLimit", 16_000.0, "Tokens assumed for a model of unknown size.").waits_for("memory");
    HINDSIGHT_API_URL: Text("hindsight.apiUrl", None, "Address of the Hindsight server.").waits_for("memory");
    HINDSIGHT_API_TOKEN: Text("hindsight.apiToken", None, "Token for the Hindsight server.").secret().waits_for("memory");
    HINDSIGHT_BANK_ID: Text("hindsight.bankId", None, "Bank to use.").waits_for("memory");
    HINDSIGHT_BANK_ID_PREFIX: Text("hindsight.bankIdPrefix", None, "What bank names begin with.").waits_for("memory");
    // Default: ours.
    HINDSIGHT_SCOPING: Choice("hindsight.scoping", &["per-project-tagged", "per-project", "global"], "Which memories a project sees.").waits_for("memory");
    HINDSIGHT_BANK_MISSION: Text("hindsight.bankMission", None, "What a new bank is told it is for.").waits_for("memory");
    HINDSIGHT_RETAIN_MISSION: Text("hindsight.retainMission", None, "What a new bank is told to keep.").waits_for("memory");
    // Defaults: ours, after the other backend.
    HINDSIGHT_AUTO_RECALL: Flag("hindsight.autoRecall", true, "Recall memories at the beginning of a session.").waits_for("memory");
    HINDSIGHT_AUTO_RETAIN: Flag("hindsight.autoRetain", true, "Keep finished turns.").waits_for("memory");
    // Choices: ours.
    HINDSIGHT_RETAIN_MODE: Choice("hindsight.retainMode", &["full-session", "last-turn"], "How much of a session is kept at a time.").waits_for("memory");
    HINDSIGHT_RETAIN_EVERY_N_TURNS: Number("hindsight.retainEveryNTurns", 3.0, "Turns between two writes.").waits_for("memory");
    HINDSIGHT_RETAIN_OVERLAP_TURNS: Number("hindsight.retainOverlapTurns", 2.0, "Turns that are written twice for continuity.").waits_for("memory");
    HINDSIGHT_RETAIN_CONTEXT: Text("hindsight.retainContext", Some("omp"), "Context noted with what is kept.").waits_for("memory");
    HINDSIGHT_RECALL_BUDGET: Choice("hindsight.recallBudget", &["mid", "low", "high"], "Effort of a recall.").waits_for("memory");
    HINDSIGHT_RECALL_MAX_TOKENS: Number("hindsight.recallMaxTokens", 1024.0, "Most tokens of a recall.").waits_for("memory");
    HINDSIGHT_RECALL_CONTEXT_TURNS: Number("hindsight.recallContextTurns", 1.0, "Earlier turns in the question.").waits_for("memory");
    HINDSIGHT_RECALL_MAX_QUERY_CHARS: Number("hindsight.recallMaxQueryChars", 800.0, "Longest question in characters.").waits_for("memory");
    HINDSIGHT_RECALL_TYPES: List("hindsight.recallTypes", &["world", "experience"], "Kinds of memories to recall.").waits_for("memory");
    HINDSIGHT_MENTAL_MODELS_ENABLED: Flag("hindsight.mentalModelsEnabled", true, "Keep summaries of preferences and conventions in the prompt.").waits_for("memory");
    HINDSIGHT_MENTAL_MODEL_AUTO_SEED: Flag("hindsight.mentalModelAutoSeed", true, "Create those summaries when they are missing.").waits_for("memory");
    HINDSIGHT_DEBUG: Flag("hindsight.debug", false, "Log what the server answers.").waits_for("memory");
    MNEMOPI_DB_PATH: Text("mnemopi.dbPath", None, "Database of memories; unset keeps it with the agent's files.").waits_for("memory");
    MNEMOPI_BANK: Text("mnemopi.bank", None, "Name of the shared bank and beginning of project banks.").waits_for("memory");
    MNEMOPI_SCOPING: Choice("mnemopi.scoping", &["per-project", "global", "per-project-tagged"], "Which memories a project sees.").waits_for("memory");
    MNEMOPI_AUTO_RECALL: Flag("mnemopi.autoRecall", true, "Recall memories at the beginning of a session.").waits_for("memory");
    MNEMOPI_AUTO_RETAIN: Flag("mnemopi.autoRetain", true, "Keep finished turns.").waits_for("memory");
    MNEMOPI_POLYPHONIC_RECALL: Flag("mnemopi.polyphonicRecall", false, "Combine several ways of ranking memories.")
        .variables(&[Variable { name: "MNEMOPI_POLYPHONIC_RECALL", path: "mnemopi.polyphonicRecall" }]).waits_for("memory");
    MNEMOPI_ENHANCED_RECALL: Flag("mnemopi.enhancedRecall", false, "Keep answers to similar questions.")
        .variables(&[Variable { name: "MNEMOPI_ENHANCED_RECALL", path: "mnemopi.enhancedRecall" }]).waits_for("memory");
    MNEMOPI_RETAIN_EVERY_N_TURNS: Number("mnemopi.retainEveryNTurns", 4.0, "Turns between two writes.").waits_for("memory");
    MNEMOPI_RECALL_LIMIT: Number("mnemopi.recallLimit", 8.0, "Most memories in the prompt.").waits_for("memory");
    MNEMOPI_RECALL_CONTEXT_TURNS: Number("mnemopi.recallContextTurns", 3.0, "Earlier turns in the question.").waits_for("memory");
    MNEMOPI_RECALL_MAX_QUERY_CHARS: Number("mnemopi.recallMaxQueryChars", 4000.0, "Longest question in characters.").waits_for("memory");
    MNEMOPI_INJECTION_TOKEN_LIMIT: Number("mnemopi.injectionTokenLimit", 5000.0, "Most tokens of memory in the prompt.").waits_for("memory");
    MNEMOPI_DEBUG: Flag("mnemopi.debug", false, "Log failures of the memory.").waits_for("memory");
    MNEMOPI_NO_EMBEDDINGS: Flag("mnemopi.noEmbeddings", false, "Search words only.").waits_for("memory");
    MNEMOPI_EMBEDDING_MODEL: Text("mnemopi.embeddingModel", None, "Model that makes embeddings.").waits_for("memory");
    MNEMOPI_EMBEDDING_API_URL: Text("mnemopi.embeddingApiUrl", None, "Address of the embeddings service.").waits_for("memory");
    MNEMOPI_EMBEDDING_API_KEY: Text("mnemopi.embeddingApiKey", None, "Key of the embeddings service.").secret().waits_for("memory");
    MNEMOPI_LLM_MODE: Choice("mnemopi.llmMode", &["smol", "remote", "none"], "Which model extracts facts.").waits_for("memory");
    MNEMOPI_LLM_BASE_URL: Text("mnemopi.llmBaseUrl", None, "Address of that model.").waits_for("memory");
    MNEMOPI_LLM_API_KEY: Text("mnemopi.llmApiKey", None, "Key of that model.").secret().waits_for("memory");
    MNEMOPI_LLM_MODEL: Text("mnemopi.llmModel", None, "Name of that model.").waits_for("memory");
}
