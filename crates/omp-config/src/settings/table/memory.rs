//! What omp remembers between sessions.

settings! {
    Memory;
    MEMORY_BACKEND: Choice("memory.backend", &["off", "local", "hindsight", "mnemopi"], "Memory backend.").waits_for("memory");
    AUTOLEARN_ENABLED: Flag("autolearn.enabled", false, "Ask the agent to save lessons after a turn.").waits_for("memory");
    AUTOLEARN_AUTO_CONTINUE: Flag("autolearn.autoContinue", false, "Use an extra turn to save lessons.").waits_for("memory");
    AUTOLEARN_MIN_TOOL_CALLS: Number("autolearn.minToolCalls", 5.0, "Minimum tool calls in a turn for saving lessons.").waits_for("memory");
    MEMORIES_MAX_ROLLOUT_AGE_DAYS: Number("memories.maxRolloutAgeDays", 30.0, "Maximum age of sessions to extract from, in days.").waits_for("memory");
    MEMORIES_MIN_ROLLOUT_IDLE_HOURS: Number("memories.minRolloutIdleHours", 12.0, "Minimum idle hours before a session is processed.").waits_for("memory");
    MEMORIES_MAX_ROLLOUTS_PER_STARTUP: Number("memories.maxRolloutsPerStartup", 64.0, "Maximum sessions processed per start.").waits_for("memory");
    MEMORIES_SUMMARY_INJECTION_TOKEN_LIMIT: Number("memories.summaryInjectionTokenLimit", 5000.0, "Maximum tokens of memory in the prompt.").waits_for("memory");
    MEMORIES_THREAD_SCAN_LIMIT: Number("memories.threadScanLimit", 300.0, "Maximum candidate sessions.").waits_for("memory");
    MEMORIES_MAX_RAW_MEMORIES_FOR_GLOBAL: Number("memories.maxRawMemoriesForGlobal", 200.0, "Maximum extracts merged into the summary.").waits_for("memory");
    MEMORIES_STAGE1_CONCURRENCY: Number("memories.stage1Concurrency", 8.0, "Concurrent extractions.").waits_for("memory");
    MEMORIES_STAGE1_LEASE_SECONDS: Number("memories.stage1LeaseSeconds", 120.0, "Lease of an extraction in seconds.").waits_for("memory");
    MEMORIES_STAGE1_RETRY_DELAY_SECONDS: Number("memories.stage1RetryDelaySeconds", 120.0, "Seconds before a failed extraction is retried.").waits_for("memory");
    MEMORIES_PHASE2_LEASE_SECONDS: Number("memories.phase2LeaseSeconds", 180.0, "Lease of the merge in seconds.").waits_for("memory");
    MEMORIES_PHASE2_RETRY_DELAY_SECONDS: Number("memories.phase2RetryDelaySeconds", 180.0, "Seconds before a failed merge is retried.").waits_for("memory");
    MEMORIES_PHASE2_HEARTBEAT_SECONDS: Number("memories.phase2HeartbeatSeconds", 30.0, "Seconds between heartbeats of a merge.").waits_for("memory");
    MEMORIES_ROLLOUT_PAYLOAD_PERCENT: Number("memories.rolloutPayloadPercent", 0.7, "Fraction of the context window an extraction may use.").waits_for("memory");
    MEMORIES_PHASE1_INPUT_TOKEN_LIMIT: Number("memories.phase1InputTokenLimit", 4000.0, "Minimum tokens for an extraction.").waits_for("memory");
    MEMORIES_FALLBACK_TOKEN_LIMIT: Number("memories.fallbackTokenLimit", 16_000.0, "Context window assumed for unknown models, in tokens.").waits_for("memory");
    HINDSIGHT_API_URL: Text("hindsight.apiUrl", None, "URL of the Hindsight server.").waits_for("memory");
    HINDSIGHT_API_TOKEN: Text("hindsight.apiToken", None, "Token for the Hindsight server.").secret().waits_for("memory");
    HINDSIGHT_BANK_ID: Text("hindsight.bankId", None, "Memory bank to use.").waits_for("memory");
    HINDSIGHT_BANK_ID_PREFIX: Text("hindsight.bankIdPrefix", None, "Prefix of bank names.").waits_for("memory");
    // Default: ours.
    HINDSIGHT_SCOPING: Choice("hindsight.scoping", &["per-project-tagged", "per-project", "global"], "Which memories a project sees.").waits_for("memory");
    HINDSIGHT_BANK_MISSION: Text("hindsight.bankMission", None, "Purpose given to a new bank.").waits_for("memory");
    HINDSIGHT_RETAIN_MISSION: Text("hindsight.retainMission", None, "Retention instructions given to a new bank.").waits_for("memory");
    // Defaults: ours, after the other backend.
    HINDSIGHT_AUTO_RECALL: Flag("hindsight.autoRecall", true, "Recall memories when a session starts.").waits_for("memory");
    HINDSIGHT_AUTO_RETAIN: Flag("hindsight.autoRetain", true, "Save completed turns.").waits_for("memory");
    // Choices: ours.
    HINDSIGHT_RETAIN_MODE: Choice("hindsight.retainMode", &["full-session", "last-turn"], "How much of a session is saved at a time.").waits_for("memory");
    HINDSIGHT_RETAIN_EVERY_N_TURNS: Number("hindsight.retainEveryNTurns", 3.0, "Turns between writes.").waits_for("memory");
    HINDSIGHT_RETAIN_OVERLAP_TURNS: Number("hindsight.retainOverlapTurns", 2.0, "Turns that overlap between writes, for continuity.").waits_for("memory");
    HINDSIGHT_RETAIN_CONTEXT: Text("hindsight.retainContext", Some("omp"), "Context label saved with memories.").waits_for("memory");
    HINDSIGHT_RECALL_BUDGET: Choice("hindsight.recallBudget", &["mid", "low", "high"], "Recall effort.").waits_for("memory");
    HINDSIGHT_RECALL_MAX_TOKENS: Number("hindsight.recallMaxTokens", 1024.0, "Maximum tokens per recall.").waits_for("memory");
    HINDSIGHT_RECALL_CONTEXT_TURNS: Number("hindsight.recallContextTurns", 1.0, "Earlier turns included in the recall query.").waits_for("memory");
    HINDSIGHT_RECALL_MAX_QUERY_CHARS: Number("hindsight.recallMaxQueryChars", 800.0, "Maximum length of the recall query in characters.").waits_for("memory");
    HINDSIGHT_RECALL_TYPES: List("hindsight.recallTypes", &["world", "experience"], "Kinds of memories to recall.").waits_for("memory");
    HINDSIGHT_MENTAL_MODELS_ENABLED: Flag("hindsight.mentalModelsEnabled", true, "Keep summaries of preferences and conventions in the prompt.").waits_for("memory");
    HINDSIGHT_MENTAL_MODEL_AUTO_SEED: Flag("hindsight.mentalModelAutoSeed", true, "Create missing summaries of preferences and conventions.").waits_for("memory");
    HINDSIGHT_DEBUG: Flag("hindsight.debug", false, "Log server responses.").waits_for("memory");
    MNEMOPI_DB_PATH: Text("mnemopi.dbPath", None, "Path of the memory database; unset keeps it in the agent directory.").waits_for("memory");
    MNEMOPI_BANK: Text("mnemopi.bank", None, "Name of the shared bank and prefix of project banks.").waits_for("memory");
    MNEMOPI_SCOPING: Choice("mnemopi.scoping", &["per-project", "global", "per-project-tagged"], "Which memories a project sees.").waits_for("memory");
    MNEMOPI_AUTO_RECALL: Flag("mnemopi.autoRecall", true, "Recall memories when a session starts.").waits_for("memory");
    MNEMOPI_AUTO_RETAIN: Flag("mnemopi.autoRetain", true, "Save completed turns.").waits_for("memory");
    MNEMOPI_POLYPHONIC_RECALL: Flag("mnemopi.polyphonicRecall", false, "Combine several ranking methods.")
        .variables(&[Variable { name: "MNEMOPI_POLYPHONIC_RECALL", path: "mnemopi.polyphonicRecall" }]).waits_for("memory");
    MNEMOPI_ENHANCED_RECALL: Flag("mnemopi.enhancedRecall", false, "Cache answers to similar queries.")
        .variables(&[Variable { name: "MNEMOPI_ENHANCED_RECALL", path: "mnemopi.enhancedRecall" }]).waits_for("memory");
    MNEMOPI_RETAIN_EVERY_N_TURNS: Number("mnemopi.retainEveryNTurns", 4.0, "Turns between writes.").waits_for("memory");
    MNEMOPI_RECALL_LIMIT: Number("mnemopi.recallLimit", 8.0, "Maximum memories in the prompt.").waits_for("memory");
    MNEMOPI_RECALL_CONTEXT_TURNS: Number("mnemopi.recallContextTurns", 3.0, "Earlier turns included in the recall query.").waits_for("memory");
    MNEMOPI_RECALL_MAX_QUERY_CHARS: Number("mnemopi.recallMaxQueryChars", 4000.0, "Maximum length of the recall query in characters.").waits_for("memory");
    MNEMOPI_INJECTION_TOKEN_LIMIT: Number("mnemopi.injectionTokenLimit", 5000.0, "Maximum tokens of memory in the prompt.").waits_for("memory");
    MNEMOPI_DEBUG: Flag("mnemopi.debug", false, "Log memory failures.").waits_for("memory");
    MNEMOPI_NO_EMBEDDINGS: Flag("mnemopi.noEmbeddings", false, "Use keyword search only.").waits_for("memory");
    MNEMOPI_EMBEDDING_MODEL: Text("mnemopi.embeddingModel", None, "Embedding model.").waits_for("memory");
    MNEMOPI_EMBEDDING_API_URL: Text("mnemopi.embeddingApiUrl", None, "URL of the embedding service.").waits_for("memory");
    MNEMOPI_EMBEDDING_API_KEY: Text("mnemopi.embeddingApiKey", None, "API key of the embedding service.").secret().waits_for("memory");
    MNEMOPI_LLM_MODE: Choice("mnemopi.llmMode", &["smol", "remote", "none"], "Model that extracts facts.").waits_for("memory");
    MNEMOPI_LLM_BASE_URL: Text("mnemopi.llmBaseUrl", None, "URL of the extraction model.").waits_for("memory");
    MNEMOPI_LLM_API_KEY: Text("mnemopi.llmApiKey", None, "API key of the extraction model.").secret().waits_for("memory");
    MNEMOPI_LLM_MODEL: Text("mnemopi.llmModel", None, "Name of the extraction model.").waits_for("memory");
}
