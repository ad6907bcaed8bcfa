//! Quirks of endpoints: what a host wants differently from the others that speak its wire.

use serde::Deserialize;
use serde_json::{Map, Value};

use crate::model::Api;
use crate::quirks::{ChatQuirks, ThinkingQuirks};

/// Quirks of an endpoint, resolved once per model. Unset values in configuration fall back to what the base
/// URL tells; the wires read only this structure and never ask who the provider is.
#[derive(Clone, Debug, PartialEq)]
pub struct Compat {
    pub supports_store: bool,
    pub supports_developer_role: bool,
    pub supports_usage_in_streaming: bool,
    pub max_tokens_field: MaxTokensField,
    pub always_send_max_tokens: bool,
    pub supports_tool_choice: bool,
    pub supports_forced_tool_choice: bool,
    pub requires_tool_result_name: bool,
    pub strict: Strictness,
    pub stream_idle_timeout_ms: u64,
    pub cache_control: CacheControlFormat,
    pub long_cache_retention: bool,
    pub eager_input_streaming: bool,
    /// The Responses API of this host knows tools that take free text.
    pub custom_tools: bool,
    /// The host takes sampling parameters beyond OpenAI's: `top_k`, `min_p`, `repetition_penalty`.
    pub extended_sampling: bool,
    /// Stop an answer that repeats one phrase without end; weaker hosted and local models do that.
    pub repetition_guard: bool,
    pub thinking: ThinkingQuirks,
    pub chat: ChatQuirks,
    /// Results on Anthropic's wire carry their call's id under a second name.
    pub tool_result_id: bool,
    /// The model has a native interface for tools; without one they are spoken about in its text.
    pub supports_tools: bool,
    /// Calls and thoughts that a hosted model spills into its text are lifted out of it.
    pub heals_markup: bool,
    /// Merged into the top level of every request body.
    pub extra_body: Map<String, Value>,
    /// What holds instead while the model thinks.
    pub when_thinking: Option<Box<Compat>>,
}

#[derive(Clone, Copy, Debug, PartialEq, Eq, Deserialize)]
#[serde(rename_all = "snake_case")]
pub enum MaxTokensField {
    MaxTokens,
    MaxCompletionTokens,
}

#[derive(Clone, Copy, Debug, PartialEq, Eq, Deserialize)]
#[serde(rename_all = "kebab-case")]
pub enum ThinkingFormat {
    Openai,
    Openrouter,
    Zai,
    Qwen,
    QwenChatTemplate,
}

/// The field of a chat message that carries chain of thought.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Deserialize)]
#[serde(rename_all = "snake_case")]
pub enum ReasoningField {
    ReasoningContent,
    Reasoning,
    ReasoningText,
}

impl ReasoningField {
    pub const ALL: [ReasoningField; 3] = [Self::ReasoningContent, Self::Reasoning, Self::ReasoningText];

    pub fn name(self) -> &'static str {
        match self {
            Self::ReasoningContent => "reasoning_content",
            Self::Reasoning => "reasoning",
            Self::ReasoningText => "reasoning_text",
        }
    }
}

/// Which tools are sent with an enforced schema.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Strictness {
    /// The endpoint does not know the `strict` key.
    Unsupported,
    /// Every tool whose schema can be enforced.
    WherePossible,
    /// Every tool, whatever its schema.
    Everywhere,
}

#[derive(Clone, Copy, Debug, PartialEq, Eq, Deserialize)]
#[serde(rename_all = "lowercase")]
pub enum CacheControlFormat {
    None,
    Anthropic,
}

impl Compat {
    /// What can be told from the wire, the host and the model's id.
    pub fn detect(api: Api, base_url: &str, model_id: &str) -> Self {
        let host = Host::of(base_url);
        let openai = host.is("api.openai.com");
        let azure = api == Api::AzureOpenAiResponses || host.within("openai.azure.com");
        let codex = api == Api::OpenAiCodexResponses;
        let ollama = api == Api::OllamaChat;
        let claude_on_bedrock = api == Api::BedrockConverseStream && model_id.contains("claude");
        let openrouter = host.is("openrouter.ai");
        let anthropic = api == Api::AnthropicMessages;
        let official_anthropic = anthropic && host.is("api.anthropic.com");
        let claude_on_openrouter = openrouter && model_id.starts_with("anthropic/");
        Self {
            supports_store: openai,
            supports_developer_role: openai || azure || codex,
            supports_usage_in_streaming: true,
            max_tokens_field: if openai || azure {
                MaxTokensField::MaxCompletionTokens
            } else {
                MaxTokensField::MaxTokens
            },
            always_send_max_tokens: host.within("moonshot.ai") || host.within("moonshot.cn"),
            supports_tool_choice: true,
            supports_forced_tool_choice: true,
            requires_tool_result_name: host.is("api.mistral.ai"),
            strict: if openai || codex || anthropic || api == Api::AzureOpenAiResponses {
                Strictness::WherePossible
            } else {
                Strictness::Unsupported
            },
            stream_idle_timeout_ms: idle_floor_ms(&host, base_url),
            cache_control: if anthropic || claude_on_openrouter || claude_on_bedrock {
                CacheControlFormat::Anthropic
            } else {
                CacheControlFormat::None
            },
            long_cache_retention: openai || official_anthropic,
            eager_input_streaming: false,
            custom_tools: openai || azure || codex,
            extended_sampling: !(openai || azure),
            repetition_guard: ollama || (api == Api::OpenAiCompletions && !openai),
            thinking: ThinkingQuirks::detect(api, &host, model_id),
            chat: ChatQuirks::detect(&host, model_id),
            tool_result_id: false,
            supports_tools: true,
            heals_markup: api == Api::OpenAiCompletions && !openai,
            extra_body: Map::new(),
            when_thinking: None,
        }
    }
}

/// Hosts that are known to be silent for long while a model thinks.
fn idle_floor_ms(host: &Host, base_url: &str) -> u64 {
    let glm_coding_plan =
        (host.within("z.ai") || host.within("bigmodel.cn")) && base_url.contains("/coding/");
    match (glm_coding_plan, host.within("deepseek.com")) {
        (true, _) => 600_000,
        (_, true) => 300_000,
        _ => 0,
    }
}

/// The host of a base URL, for questions about whose it is.
pub(crate) struct Host(String);

impl Host {
    pub(crate) fn of(base_url: &str) -> Self {
        let url = url::Url::parse(base_url).ok();
        Self(url.and_then(|url| url.host_str().map(str::to_owned)).unwrap_or_default())
    }

    pub(crate) fn is(&self, name: &str) -> bool {
        self.0 == name
    }

    /// The domain itself or anything below it; `notx.ai` is not within `x.ai`.
    pub(crate) fn within(&self, domain: &str) -> bool {
        self.is(domain) || self.0.strip_suffix(domain).is_some_and(|front| front.ends_with('.'))
    }
}
