//! The events that extensions can hear.

/// An event by its name in scripts.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
#[repr(u8)]
pub enum EventName {
    SessionStart,
    SessionBeforeSwitch,
    SessionSwitch,
    SessionBeforeBranch,
    SessionBeforeFork,
    SessionBranch,
    SessionBeforeCompact,
    SessionCompacting,
    SessionCompact,
    SessionBeforeTree,
    SessionTree,
    SessionStop,
    SessionShutdown,
    AgentStart,
    AgentEnd,
    AgentSettled,
    TurnStart,
    TurnEnd,
    MessageStart,
    MessageUpdate,
    MessageEnd,
    ToolExecutionStart,
    ToolExecutionUpdate,
    ToolExecutionEnd,
    ToolCall,
    ToolResult,
    Context,
    BeforeAgentStart,
    BeforeProviderRequest,
    AfterProviderResponse,
    Input,
    UserBash,
    UserPython,
    AutoCompactionStart,
    AutoCompactionEnd,
    AutoRetryStart,
    AutoRetryEnd,
    RetryFallbackApplied,
    RetryFallbackSucceeded,
    TtsrTriggered,
    TodoReminder,
    GoalUpdated,
    CredentialDisabled,
    ModelSelect,
    ThinkingLevelSelect,
    ToolApprovalRequested,
    ToolApprovalResolved,
    McpNotification,
    ResourcesDiscover,
}

/// Every event, in the order of their numbers.
const ALL: &[(EventName, &str)] = &[
    (EventName::SessionStart, "session_start"),
    (EventName::SessionBeforeSwitch, "session_before_switch"),
    (EventName::SessionSwitch, "session_switch"),
    (EventName::SessionBeforeBranch, "session_before_branch"),
    (EventName::SessionBeforeFork, "session_before_fork"),
    (EventName::SessionBranch, "session_branch"),
    (EventName::SessionBeforeCompact, "session_before_compact"),
    (EventName::SessionCompacting, "session.compacting"),
    (EventName::SessionCompact, "session_compact"),
    (EventName::SessionBeforeTree, "session_before_tree"),
    (EventName::SessionTree, "session_tree"),
    (EventName::SessionStop, "session_stop"),
    (EventName::SessionShutdown, "session_shutdown"),
    (EventName::AgentStart, "agent_start"),
    (EventName::AgentEnd, "agent_end"),
    (EventName::AgentSettled, "agent_settled"),
    (EventName::TurnStart, "turn_start"),
    (EventName::TurnEnd, "turn_end"),
    (EventName::MessageStart, "message_start"),
    (EventName::MessageUpdate, "message_update"),
    (EventName::MessageEnd, "message_end"),
    (EventName::ToolExecutionStart, "tool_execution_start"),
    (EventName::ToolExecutionUpdate, "tool_execution_update"),
    (EventName::ToolExecutionEnd, "tool_execution_end"),
    (EventName::ToolCall, "tool_call"),
    (EventName::ToolResult, "tool_result"),
    (EventName::Context, "context"),
    (EventName::BeforeAgentStart, "before_agent_start"),
    (EventName::BeforeProviderRequest, "before_provider_request"),
    (EventName::AfterProviderResponse, "after_provider_response"),
    (EventName::Input, "input"),
    (EventName::UserBash, "user_bash"),
    (EventName::UserPython, "user_python"),
    (EventName::AutoCompactionStart, "auto_compaction_start"),
    (EventName::AutoCompactionEnd, "auto_compaction_end"),
    (EventName::AutoRetryStart, "auto_retry_start"),
    (EventName::AutoRetryEnd, "auto_retry_end"),
    (EventName::RetryFallbackApplied, "retry_fallback_applied"),
    (EventName::RetryFallbackSucceeded, "retry_fallback_succeeded"),
    (EventName::TtsrTriggered, "ttsr_triggered"),
    (EventName::TodoReminder, "todo_reminder"),
    (EventName::GoalUpdated, "goal_updated"),
    (EventName::CredentialDisabled, "credential_disabled"),
    (EventName::ModelSelect, "model_select"),
    (EventName::ThinkingLevelSelect, "thinking_level_select"),
    (EventName::ToolApprovalRequested, "tool_approval_requested"),
    (EventName::ToolApprovalResolved, "tool_approval_resolved"),
    (EventName::McpNotification, "mcp_notification"),
    (EventName::ResourcesDiscover, "resources_discover"),
];

/// Events that are known and that nothing sends yet.
const NOT_SENT: &[EventName] =
    &[EventName::UserPython, EventName::TtsrTriggered, EventName::ResourcesDiscover];

impl EventName {
    /// Does omp send it? A handler of another one never runs, and its author should know.
    pub(crate) fn is_sent(self) -> bool {
        !NOT_SENT.contains(&self)
    }

    pub fn from_name(name: &str) -> Option<Self> {
        ALL.iter().find(|(_, known)| *known == name).map(|(event, _)| *event)
    }

    pub fn name(self) -> &'static str {
        ALL[self as usize].1
    }

    /// One bit of a set of events.
    pub(crate) fn bit(self) -> u64 {
        1 << (self as u8)
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn every_event_stands_at_its_number() {
        assert!(ALL.len() <= 64, "a set of events is one number");
        for (at, (event, name)) in ALL.iter().enumerate() {
            assert_eq!(*event as usize, at, "{name}");
            assert_eq!(EventName::from_name(name), Some(*event));
        }
    }
}
