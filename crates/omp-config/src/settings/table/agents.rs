//! Sub-agents and the advisor.

settings! {
    Agents;
    TASK_BATCH: Flag("task.batch", true, "Let one call start several sub-agents.").waits_for("sub-agents");
    TASK_MAX_CONCURRENCY: Number("task.maxConcurrency", 32.0, "Most sub-agents at a time; 0 sets no limit.").waits_for("sub-agents");
    TASK_MAX_RECURSION_DEPTH: Number("task.maxRecursionDepth", 2.0, "How deep sub-agents may start sub-agents.").waits_for("sub-agents");
    TASK_SOFT_REQUEST_BUDGET: Number("task.softRequestBudget", 200.0, "Requests after which a sub-agent is asked to finish.").waits_for("sub-agents");
    TASK_MAX_RUNTIME_MS: Number("task.maxRuntimeMs", 0.0, "Longest time of a sub-agent in milliseconds; 0 sets no limit.").waits_for("sub-agents");
    TASK_AGENT_IDLE_TTL_MS: Number("task.agentIdleTtlMs", 420_000.0, "Milliseconds until an idle sub-agent is put away; 0 or less keeps it.").waits_for("sub-agents");
    TASK_DISABLED_AGENTS: List("task.disabledAgents", &[], "Sub-agents that may not be started.").waits_for("sub-agents");
    TASK_AGENT_MODEL_OVERRIDES: Record("task.agentModelOverrides", "Model of each sub-agent.").waits_for("sub-agents");
    TASK_ENABLE_LSP: Flag("task.enableLsp", false, "Give sub-agents language servers.").waits_for("sub-agents");
    TASK_EAGER: Choice("task.eager", &["default", "preferred", "always"], "How strongly the first prompt asks to delegate.").waits_for("sub-agents");
    TASK_ISOLATION_MODE: Choice("task.isolation.mode", &["none", "auto", "rcopy", "overlayfs", "projfs"], "How a sub-agent gets a workspace of its own.").waits_for("sub-agents");
    IRC_TIMEOUT_MS: Number("irc.timeoutMs", 120_000.0, "Milliseconds an agent waits for another's message; 0 waits for ever.").waits_for("sub-agents");
    ADVISOR_ENABLED: Flag("advisor.enabled", false, "Let a second model review each turn.").waits_for("advisor");
    ADVISOR_SUBAGENTS: Flag("advisor.subagents", false, "Give sub-agents an advisor too.").waits_for("advisor");
    ADVISOR_SYNC_BACKLOG: Choice("advisor.syncBacklog", &["off", "1", "3", "5"], "Unreviewed turns from which the agent waits for the advisor.").waits_for("advisor");
    ADVISOR_IMMUNE_TURNS: Number("advisor.immuneTurns", 3.0, "Turns after an interruption in which the advisor does not interrupt.").waits_for("advisor");
}
