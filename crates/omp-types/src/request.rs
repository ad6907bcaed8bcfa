use std::sync::Arc;

use crate::{Message, ThinkingLevel, ToolChoice, ToolDefinition};

/// Everything one model call needs, before any provider's shape is given to it.
///
/// The order of the parts is the order in which they reach the wire: what changes least comes first, so that
/// consecutive requests share the longest possible prefix and prompt caches hit.
#[derive(Clone, Debug, Default)]
pub struct ModelRequest {
    /// System prompt blocks, stable ones first.
    pub system: Arc<[String]>,
    pub tools: Arc<[ToolDefinition]>,
    pub messages: Vec<Arc<Message>>,
    pub options: RequestOptions,
}

#[derive(Clone, Debug, PartialEq)]
pub struct RequestOptions {
    pub thinking: ThinkingLevel,
    pub tool_choice: ToolChoice,
    pub parallel_tools: ParallelTools,
    /// Upper bound of the answer; the model's own limit when absent.
    pub max_tokens: Option<u32>,
    pub temperature: Option<f64>,
    pub service_tier: Option<String>,
    /// Provider-side session: sticky routing and cache affinity.
    pub session_id: Option<String>,
    pub prompt_cache_key: Option<String>,
    /// Messages before this index are replayed without provider-side identities: the provider said that it no
    /// longer knows them.
    pub identity_from: usize,
}

impl Default for RequestOptions {
    fn default() -> Self {
        Self {
            thinking: ThinkingLevel::Off,
            tool_choice: ToolChoice::Auto,
            parallel_tools: ParallelTools::Allowed,
            max_tokens: None,
            temperature: None,
            service_tier: None,
            session_id: None,
            prompt_cache_key: None,
            identity_from: 0,
        }
    }
}

/// May the model ask for several tools in one answer?
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub enum ParallelTools {
    #[default]
    Allowed,
    OneAtATime,
}
