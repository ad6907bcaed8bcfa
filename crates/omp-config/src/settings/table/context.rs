//! What happens when a conversation grows long, and rules that watch the answer.

settings! {
    Context;
    COMPACTION_ENABLED: Flag("compaction.enabled", true, "Compact long conversations by themselves.");
    COMPACTION_STRATEGY: Choice("compaction.strategy", &["context-full", "handoff", "shake", "snapcompact", "off"], "How a conversation is made shorter.");
    COMPACTION_THRESHOLD_PERCENT: Number("compaction.thresholdPercent", -1.0, "Percent of the context window that starts it; -1 keeps a reserve instead.");
    COMPACTION_THRESHOLD_TOKENS: Number("compaction.thresholdTokens", -1.0, "Tokens that start it, before any percentage; -1 sets no number.");
    COMPACTION_RESERVE_TOKENS: Number("compaction.reserveTokens", 16_384.0, "Tokens kept free for the next turn.");
    COMPACTION_KEEP_RECENT_TOKENS: Number("compaction.keepRecentTokens", 20_000.0, "Newest tokens that are never summarised.");
    COMPACTION_REMOTE_ENABLED: Flag("compaction.remoteEnabled", true, "Let the provider or a service make the summary.");
    COMPACTION_REMOTE_ENDPOINT: Text("compaction.remoteEndpoint", None, "Service that makes summaries.");
    COMPACTION_AUTO_CONTINUE: Flag("compaction.autoContinue", true, "Go on with the task afterwards.");
    COMPACTION_IDLE_ENABLED: Flag("compaction.idleEnabled", false, "Compact while nothing happens.");
    COMPACTION_IDLE_THRESHOLD_TOKENS: Number("compaction.idleThresholdTokens", 200_000.0, "Tokens from which idle compaction is worth it.");
    COMPACTION_IDLE_TIMEOUT_SECONDS: Number("compaction.idleTimeoutSeconds", 300.0, "Seconds without activity that count as idle.");
    COMPACTION_SUPERSEDE_READS: Flag("compaction.supersedeReads", true, "Blank reads of a file that was read again.");
    COMPACTION_DROP_USELESS: Flag("compaction.dropUseless", true, "Blank results that said nothing.");
    COMPACTION_HANDOFF_SAVE_TO_DISK: Flag("compaction.handoffSaveToDisk", false, "Keep automatic handoff documents as files.");
    BRANCH_SUMMARY_ENABLED: Flag("branchSummary.enabled", false, "Ask for a summary when leaving a branch.");
    BRANCH_SUMMARY_RESERVE_TOKENS: Number("branchSummary.reserveTokens", 16_384.0, "Tokens kept free for such a summary.");
    SNAPCOMPACT_SHAPE: Choice("snapcompact.shape", SHAPES, "Font and ink of history that is kept as pictures.");
    SNAPCOMPACT_SYSTEM_PROMPT: Flag("snapcompact.systemPrompt", false, "Send the system prompt as pictures.");
    SNAPCOMPACT_TOOL_RESULTS: Flag("snapcompact.toolResults", false, "Send tool results as pictures.");
    TTSR_ENABLED: Flag("ttsr.enabled", true, "Let stream rules watch the answer; otherwise their conditions do not count.");
    TTSR_CONTEXT_MODE: Choice("ttsr.contextMode", &["discard", "keep"], "Whether the interrupted answer stays in the conversation.").waits_for("stream rules");
    TTSR_INTERRUPT_MODE: Choice("ttsr.interruptMode", &["always", "prose-only", "tool-only", "never"], "What a stream rule may interrupt.").waits_for("stream rules");
    TTSR_REPEAT_MODE: Choice("ttsr.repeatMode", &["once", "after-gap"], "How often one rule may interrupt.").waits_for("stream rules");
    TTSR_REPEAT_GAP: Number("ttsr.repeatGap", 10.0, "Turns until a rule may interrupt again.").waits_for("stream rules");
    TTSR_DISABLED_RULES: List("ttsr.disabledRules", &[], "Rules that are not used at all.");
    TTSR_BUILTIN_RULES: Flag("ttsr.builtinRules", true, "Use the rules that come with omp.");
    PROVIDER_APPEND_ONLY_CONTEXT: Choice("provider.appendOnlyContext", &["auto", "on", "off"], "Never change what was sent, for the sake of prompt caches.").waits_for("compaction");
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
