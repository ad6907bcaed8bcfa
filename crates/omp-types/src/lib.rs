//! Plain data that every layer shares: messages, content blocks, tool definitions, the table of built-in tools, usage,
//! events.
//!
//! Nothing here does anything: no I/O, no clocks, no providers. The serialised forms are the ones found in
//! session files and on the JSON event stream, so a change of a name here is a change of a file format.

pub mod address;
mod approval;
mod bash_execution;
mod builtin_tools;
mod compaction;
mod event;
mod goal;
mod message;
mod request;
mod side;
mod stream;
mod tool;
mod usage;

pub use approval::{Approval, ApprovalDetail, Tier};
pub use bash_execution::BashExecution;
pub use builtin_tools::{
    BUILTIN_TOOLS, BuiltinTool, CallView, TOOL_NAMES, ToolNeeds, ToolOffer, ToolTier, ToolTrait, builtin,
    builtin_tool, tool_has, tools_table,
};
pub use compaction::{CompactionReason, CompactionResult, CompactionStrategy};
pub use event::{AgentEvent, MessageUpdate, RetryFallback};
pub use goal::{Goal, GoalStatus};
pub use message::{
    AssistantBlock, AssistantMessage, CustomMessage, ImageBlock, ImageDetail, Message, NativeBlock,
    RedactedBlock, SealedHistory, StopReason, TextBlock, ThinkingBlock, ToolCall, ToolResultMessage,
    UserBlock, UserContent, UserMessage,
};
pub use request::{
    CacheRetention, LineTool, ModelRequest, ParallelTools, Purpose, RequestOptions, Sampling, ThinkingBudgets,
};
pub use side::SideRequest;
pub use stream::{Failure, FailureKind, StreamEvent};
pub use tool::{StrictHint, ToolChoice, ToolDefinition, ToolOutput};
pub use usage::{Cost, Usage};

/// How hard a model is asked to think. `Off` sends no reasoning request at all.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord, Hash, serde::Serialize, serde::Deserialize)]
#[serde(rename_all = "lowercase")]
pub enum ThinkingLevel {
    Off,
    Minimal,
    Low,
    Medium,
    High,
    Xhigh,
    Max,
}

impl ThinkingLevel {
    pub const ALL: [ThinkingLevel; 7] =
        [Self::Off, Self::Minimal, Self::Low, Self::Medium, Self::High, Self::Xhigh, Self::Max];

    pub fn name(self) -> &'static str {
        match self {
            Self::Off => "off",
            Self::Minimal => "minimal",
            Self::Low => "low",
            Self::Medium => "medium",
            Self::High => "high",
            Self::Xhigh => "xhigh",
            Self::Max => "max",
        }
    }

    pub fn parse(text: &str) -> Option<Self> {
        Self::ALL.into_iter().find(|level| level.name().eq_ignore_ascii_case(text))
    }
}
