//! What happens when a conversation grows long, and rules that watch the answer.

settings! {
    Context;
    COMPACTION_ENABLED: Flag("compaction.enabled", true, "Compact long conversations automatically.");
    COMPACTION_STRATEGY: Choice("compaction.strategy", &["context-full", "handoff", "shake", "snapcompact", "off"], "How conversations are compacted.");
    COMPACTION_THRESHOLD_PERCENT: Number("compaction.thresholdPercent", -1.0, "Percentage of the context window that triggers compaction; -1 keeps a reserve instead.");
    COMPACTION_THRESHOLD_TOKENS: Number("compaction.thresholdTokens", -1.0, "Tokens that trigger compaction, overriding the percentage; -1 disables it.");
    COMPACTION_RESERVE_TOKENS: Number("compaction.reserveTokens", 16_384.0, "Tokens reserved for the next turn.");
    COMPACTION_KEEP_RECENT_TOKENS: Number("compaction.keepRecentTokens", 20_000.0, "Most recent tokens that are never summarised.");
    COMPACTION_REMOTE_ENABLED: Flag("compaction.remoteEnabled", true, "Let the provider or a service create the summary.");
    COMPACTION_REMOTE_ENDPOINT: Text("compaction.remoteEndpoint", None, "Service that creates summaries.");
    COMPACTION_AUTO_CONTINUE: Flag("compaction.autoContinue", true, "Continue the task after compaction.");
    COMPACTION_IDLE_ENABLED: Flag("compaction.idleEnabled", false, "Compact while idle.");
    COMPACTION_IDLE_THRESHOLD_TOKENS: Number("compaction.idleThresholdTokens", 200_000.0, "Minimum tokens for idle compaction.");
    COMPACTION_IDLE_TIMEOUT_SECONDS: Number("compaction.idleTimeoutSeconds", 300.0, "Seconds without activity before idle compaction.");
    COMPACTION_SUPERSEDE_READS: Flag("compaction.supersedeReads", true, "Drop superseded reads of the same file.");
    COMPACTION_DROP_USELESS: Flag("compaction.dropUseless", true, "Drop empty tool results.");
    COMPACTION_HANDOFF_SAVE_TO_DISK: Flag("compaction.handoffSaveToDisk", false, "Save automatic handoff documents to files.");
    BRANCH_SUMMARY_ENABLED: Flag("branchSummary.enabled", false, "Summarise a branch when switching away from it.");
    BRANCH_SUMMARY_RESERVE_TOKENS: Number("branchSummary.reserveTokens", 16_384.0, "Tokens reserved for a branch summary.");
    SNAPCOMPACT_SHAPE: Choice("snapcompact.shape", SHAPES, "Font and colour of history rendered as images.");
    SNAPCOMPACT_SYSTEM_PROMPT: Flag("snapcompact.systemPrompt", false, "Send the system prompt as images.");
    SNAPCOMPACT_TOOL_RESULTS: Flag("snapcompact.toolResults", false, "Send tool results as images.");
    TTSR_ENABLED: Flag("ttsr.enabled", true, "Let stream rules watch the answer; otherwise their conditions are ignored.");
    TTSR_CONTEXT_MODE: Choice("ttsr.contextMode", &["discard", "keep"], "Whether the interrupted answer stays in the conversation.").waits_for("stream rules");
    TTSR_INTERRUPT_MODE: Choice("ttsr.interruptMode", &["always", "prose-only", "tool-only", "never"], "What stream rules may interrupt.").waits_for("stream rules");
    TTSR_REPEAT_MODE: Choice("ttsr.repeatMode", &["once", "after-gap"], "How often a rule may interrupt.").waits_for("stream rules");
    TTSR_REPEAT_GAP: Number("ttsr.repeatGap", 10.0, "Turns before a rule may interrupt again.").waits_for("stream rules");
    TTSR_DISABLED_RULES: List("ttsr.disabledRules", &[], "Disabled rules.");
    TTSR_BUILTIN_RULES: Flag("ttsr.builtinRules", true, "Use the built-in rules.");
    PROVIDER_APPEND_ONLY_CONTEXT: Choice("provider.appendOnlyContext", &["auto", "on", "off"], "Never change what was already sent, to preserve prompt caches.").waits_for("append-only context");
}

/// Grids in sentence colours or black, then the fixed combinations.
const SHAPES: &[&str] = &[
    "auto",
    "8x8r-sent",
    "8x8r-bw",
    "8x8u-sent",
    "8x8u-bw",
    "6x6u-sent",
    "6x6u-bw",
    "5x8-sent",
    "5x8-bw",
    "6x12-dim",
    "8x13-bw",
    "8on16-bw",
    "doc-8on16-bw",
    "doc-8on16-sent",
    "doc-8on16-sent-dim",
];
