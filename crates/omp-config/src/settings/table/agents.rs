//! Sub-agents and the advisor.

settings! {
    Agents;
    TASK_BATCH: Flag("task.batch", true, "Allow one call to start several sub-agents.").waits_for("sub-agents");
    TASK_MAX_CONCURRENCY: Number("task.maxConcurrency", 32.0, "Maximum number of concurrent sub-agents; 0 means no limit.").waits_for("sub-agents");
    TASK_MAX_RECURSION_DEPTH: Number("task.maxRecursionDepth", 2.0, "Maximum nesting depth of sub-agents.").waits_for("sub-agents");
    TASK_SOFT_REQUEST_BUDGET: Number("task.softRequestBudget", 200.0, "Number of requests after which a sub-agent is told to finish.").waits_for("sub-agents");
    TASK_MAX_RUNTIME_MS: Number("task.maxRuntimeMs", 0.0, "Timeout of a sub-agent in milliseconds; 0 means no limit.").waits_for("sub-agents");
    TASK_AGENT_IDLE_TTL_MS: Number("task.agentIdleTtlMs", 420_000.0, "Milliseconds until an idle sub-agent is suspended; 0 or less keeps it running.").waits_for("sub-agents");
    TASK_DISABLED_AGENTS: List("task.disabledAgents", &[], "Disabled sub-agents.").waits_for("sub-agents");
    TASK_AGENT_MODEL_OVERRIDES: Record("task.agentModelOverrides", "Model per sub-agent.").waits_for("sub-agents");
    TASK_ENABLE_LSP: Flag("task.enableLsp", false, "Enable language servers in sub-agents.").waits_for("sub-agents");
    TASK_EAGER: Choice("task.eager", &["default", "preferred", "always"], "How strongly the first prompt encourages delegation.").waits_for("sub-agents");
    TASK_ISOLATION_MODE: Choice("task.isolation.mode", &["none", "auto", "rcopy", "overlayfs", "projfs"], "How sub-agent workspaces are isolated.").waits_for("sub-agents");
    IRC_TIMEOUT_MS: Number("irc.timeoutMs", 120_000.0, "Milliseconds an agent waits for another agent's message; 0 means no timeout.").waits_for("sub-agents");
    ADVISOR_ENABLED: Flag("advisor.enabled", false, "Have a second model review each turn.").waits_for("advisor");
    ADVISOR_SUBAGENTS: Flag("advisor.subagents", false, "Enable the advisor in sub-agents.").waits_for("advisor");
    ADVISOR_SYNC_BACKLOG: Choice("advisor.syncBacklog", &["off", "1", "3", "5"], "Number of unreviewed turns after which the agent waits for the advisor.").waits_for("advisor");
    ADVISOR_IMMUNE_TURNS: Number("advisor.immuneTurns", 3.0, "Turns after an interruption during which the advisor does not interrupt again.").waits_for("advisor");
}
