//! How the loop behaves. The defaults are the documented ones; settings change them.

use omp_types::RequestOptions;

use crate::fallback::Chain;

#[derive(Clone, Debug)]
pub struct AgentConfig {
    pub request: RequestOptions,
    pub steering_mode: QueueMode,
    pub follow_up_mode: QueueMode,
    pub interrupt_mode: InterruptMode,
    pub retry: RetryConfig,
    pub fallbacks: Fallbacks,
    /// Continue with a larger model when the conversation outgrows the current one.
    pub context_promotion: bool,
    /// Ask the model for a short reason with every call.
    pub intent_tracing: bool,
    pub todo: TodoConfig,
    /// Hint to delegate at the start of a conversation.
    pub eager_task: Eager,
}

impl Default for AgentConfig {
    fn default() -> Self {
        Self {
            request: RequestOptions::default(),
            steering_mode: QueueMode::OneAtATime,
            follow_up_mode: QueueMode::OneAtATime,
            interrupt_mode: InterruptMode::Immediate,
            retry: RetryConfig::default(),
            fallbacks: Fallbacks::default(),
            context_promotion: true,
            intent_tracing: true,
            todo: TodoConfig::default(),
            eager_task: Eager::Default,
        }
    }
}

/// How many queued messages one turn takes.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum QueueMode {
    All,
    OneAtATime,
}

/// When steering reaches a turn whose tools are running.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum InterruptMode {
    /// At once: running tools are aborted, the rest skipped.
    Immediate,
    /// After the tools of the turn.
    Wait,
}

#[derive(Clone, Debug, PartialEq)]
pub struct RetryConfig {
    pub enabled: bool,
    pub max_retries: u32,
    pub base_delay_ms: u64,
    /// Longest wait worth taking; zero or less means no limit.
    pub max_delay_ms: i64,
}

impl Default for RetryConfig {
    fn default() -> Self {
        Self { enabled: true, max_retries: 10, base_delay_ms: 500, max_delay_ms: 300_000 }
    }
}

#[derive(Clone, Debug)]
pub struct Fallbacks {
    pub enabled: bool,
    pub chains: Vec<Chain>,
    pub revert: RevertPolicy,
}

impl Default for Fallbacks {
    fn default() -> Self {
        Self { enabled: true, chains: Vec::new(), revert: RevertPolicy::CooldownExpiry }
    }
}

/// When a fallback gives way to the model it stands in for.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum RevertPolicy {
    CooldownExpiry,
    Never,
}

#[derive(Clone, Copy, Debug)]
pub struct TodoConfig {
    pub reminders: bool,
    pub max_reminders: u32,
    pub eager: Eager,
}

impl Default for TodoConfig {
    fn default() -> Self {
        Self { reminders: true, max_reminders: 3, eager: Eager::Default }
    }
}

/// How strongly a conversation is nudged towards a tool at its start.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Eager {
    Default,
    Preferred,
    Always,
}
