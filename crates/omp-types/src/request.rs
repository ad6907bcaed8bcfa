use std::sync::Arc;

use serde::Deserialize;

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
    pub sampling: Sampling,
    pub thinking_budgets: ThinkingBudgets,
    pub service_tier: Option<String>,
    /// Provider-side session: sticky routing and cache affinity.
    pub session_id: Option<String>,
    pub prompt_cache_key: Option<String>,
    /// How long the provider should keep the prompt; absent leaves it to the model and the client.
    pub cache_retention: Option<CacheRetention>,
    /// Messages before this index are replayed without provider-side identities: the provider said that it no
    /// longer knows them.
    pub identity_from: usize,
    /// Tools of the request whose input may be cut between lines.
    pub line_tools: Vec<LineTool>,
    pub purpose: Purpose,
}

/// What a request is for.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub enum Purpose {
    /// The model's next words.
    #[default]
    Answer,
    /// The same conversation in a shorter form that only this model can read: native blocks. Few providers have it.
    Compaction,
}

/// A tool with a parameter that holds operations, one after the other on lines of their own. Text behind the last
/// whole operation can be cut off and `*** Abort` put in its place; what stands before it still means the same.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct LineTool {
    pub name: String,
    pub parameter: String,
    /// How the text begins when it is in this form; empty when it always is.
    pub header: String,
}

impl Default for RequestOptions {
    fn default() -> Self {
        Self {
            thinking: ThinkingLevel::Off,
            tool_choice: ToolChoice::Auto,
            parallel_tools: ParallelTools::Allowed,
            max_tokens: None,
            sampling: Sampling::default(),
            thinking_budgets: ThinkingBudgets::default(),
            service_tier: None,
            session_id: None,
            prompt_cache_key: None,
            cache_retention: None,
            identity_from: 0,
            line_tools: Vec::new(),
            purpose: Purpose::Answer,
        }
    }
}

/// How long a provider keeps a prompt that may come again.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, Deserialize)]
#[serde(rename_all = "lowercase")]
pub enum CacheRetention {
    /// Nothing is asked for.
    None,
    /// As long as the provider usually does.
    #[default]
    Short,
    /// As long as the provider offers.
    Long,
}

impl CacheRetention {
    /// `none`, `short` or `long`.
    pub fn from_word(word: &str) -> Option<Self> {
        match word {
            "none" => Some(Self::None),
            "short" => Some(Self::Short),
            "long" => Some(Self::Long),
            _ => None,
        }
    }
}

/// How the next token is chosen. What is absent is the provider's choice; what a wire does not know is not sent.
#[derive(Clone, Copy, Debug, Default, PartialEq)]
pub struct Sampling {
    pub temperature: Option<f64>,
    pub top_p: Option<f64>,
    pub top_k: Option<f64>,
    pub min_p: Option<f64>,
    pub presence_penalty: Option<f64>,
    pub repetition_penalty: Option<f64>,
}

/// Tokens to think with, for models that are given a number.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct ThinkingBudgets {
    pub minimal: u32,
    pub low: u32,
    pub medium: u32,
    pub high: u32,
    pub xhigh: u32,
}

impl Default for ThinkingBudgets {
    fn default() -> Self {
        Self { minimal: 1024, low: 2048, medium: 8192, high: 16_384, xhigh: 32_768 }
    }
}

impl ThinkingBudgets {
    pub fn of(&self, level: ThinkingLevel) -> u32 {
        match level {
            ThinkingLevel::Off => 0,
            ThinkingLevel::Minimal => self.minimal,
            ThinkingLevel::Low => self.low,
            ThinkingLevel::Medium => self.medium,
            ThinkingLevel::High => self.high,
            ThinkingLevel::Xhigh | ThinkingLevel::Max => self.xhigh,
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
