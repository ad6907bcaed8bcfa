//! What is known about one model: where it is, which wire it speaks, and its quirks.

use std::borrow::Cow;
use std::fmt;

use indexmap::IndexMap;
use omp_types::{Cost, ThinkingLevel};
use serde::Deserialize;
use serde_json::{Map, Value};

use crate::quirks::ChatQuirks;

/// A secret that never shows in logs, errors or `Debug` output.
#[derive(Clone, PartialEq, Eq)]
pub struct Secret(String);

impl Secret {
    pub fn new(value: impl Into<String>) -> Self {
        Self(value.into())
    }

    /// The value itself, for the one place that puts it into a header.
    pub fn reveal(&self) -> &str {
        &self.0
    }

    /// An access token of a person's account, which travels differently from a key.
    pub(crate) fn is_anthropic_oauth(&self) -> bool {
        self.0.starts_with("sk-ant-oat")
    }
}

impl fmt::Debug for Secret {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str("Secret(…)")
    }
}

/// The wire a model speaks. Dispatch is by this value alone.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
pub enum Api {
    OpenAiCompletions,
    OpenAiResponses,
    AnthropicMessages,
    AzureOpenAiResponses,
    OpenAiCodexResponses,
    BedrockConverseStream,
    OllamaChat,
    GoogleGenerativeAi,
    GoogleVertex,
    /// The built-in guided tour; no network.
    Demo,
}

impl Api {
    pub fn name(self) -> &'static str {
        match self {
            Self::OpenAiCompletions => "openai-completions",
            Self::OpenAiResponses => "openai-responses",
            Self::AnthropicMessages => "anthropic-messages",
            Self::AzureOpenAiResponses => "azure-openai-responses",
            Self::OpenAiCodexResponses => "openai-codex-responses",
            Self::BedrockConverseStream => "bedrock-converse-stream",
            Self::OllamaChat => "ollama-chat",
            Self::GoogleGenerativeAi => "google-generative-ai",
            Self::GoogleVertex => "google-vertex",
            Self::Demo => "omp-demo",
        }
    }

    /// Wires a user may name in `models.yml`.
    pub const CONFIGURABLE: [Api; 9] = [
        Self::OpenAiCompletions,
        Self::OpenAiResponses,
        Self::AnthropicMessages,
        Self::AzureOpenAiResponses,
        Self::OpenAiCodexResponses,
        Self::BedrockConverseStream,
        Self::OllamaChat,
        Self::GoogleGenerativeAi,
        Self::GoogleVertex,
    ];

    pub fn parse(text: &str) -> Option<Self> {
        Self::CONFIGURABLE.into_iter().find(|api| api.name() == text)
    }
}

/// A kind of content a model accepts.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Deserialize)]
#[serde(rename_all = "lowercase")]
pub enum Input {
    Text,
    Image,
}

/// One concrete model of one provider.
#[derive(Clone, Debug)]
pub struct Model {
    pub provider: String,
    pub id: String,
    pub name: String,
    pub api: Api,
    pub base_url: String,
    pub headers: IndexMap<String, String>,
    /// The resolved credential; `None` for keyless providers.
    pub key: Option<Secret>,
    /// Send the key as a bearer token even where the wire has a header of its own.
    pub bearer: bool,
    pub reasoning: bool,
    pub thinking: ThinkingMode,
    /// Levels the model distinguishes, lowest first; a request outside is clamped.
    pub levels: Vec<ThinkingLevel>,
    pub input: Vec<Input>,
    /// Prices per million tokens.
    pub cost: Cost,
    pub context_window: u64,
    pub max_tokens: u32,
    pub compat: Compat,
    pub facts: Facts,
}

/// What is known of a model beyond what the wires read.
#[derive(Clone, Debug, Default, PartialEq)]
pub struct Facts {
    /// How much one request counts against a quota of premium requests.
    pub premium_multiplier: Option<f64>,
    /// Who takes over when a conversation outgrows the window: `provider/id`, or an id of the same provider.
    pub context_promotion_target: Option<String>,
    /// The thinking level the model is meant to be used with.
    pub default_level: Option<ThinkingLevel>,
    /// What the user said about quirks, provider and model together.
    pub compat: Map<String, Value>,
}

/// How a model is told to think.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub enum ThinkingMode {
    /// The wire's usual way: an effort word on the OpenAI wires, a token budget on Anthropic's.
    #[default]
    Standard,
    /// Anthropic: the model decides by itself, steered by an effort word.
    AnthropicAdaptive,
    /// Google: a level by its name, as Gemini 3 and later want it, instead of a budget.
    GoogleLevel,
}

impl ThinkingMode {
    /// What the wire and the model's id tell.
    pub fn detect(api: Api, model_id: &str) -> Self {
        let google = matches!(api, Api::GoogleGenerativeAi | Api::GoogleVertex);
        let generation = model_id.strip_prefix("gemini-").and_then(|rest| rest.split(['.', '-']).next());
        match generation.and_then(|number| number.parse::<u32>().ok()) {
            Some(number) if google && number >= 3 => Self::GoogleLevel,
            _ => Self::Standard,
        }
    }
}

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
    pub supports_reasoning_effort: bool,
    pub thinking_format: ThinkingFormat,
    pub reasoning_field: ReasoningField,
    pub requires_tool_result_name: bool,
    pub strict: Strictness,
    pub stream_idle_timeout_ms: u64,
    pub cache_control: CacheControlFormat,
    pub long_cache_retention: bool,
    pub eager_input_streaming: bool,
    pub interleaved_thinking: bool,
    pub replay_unsigned_thinking: bool,
    /// The Responses API of this host knows tools that take free text.
    pub custom_tools: bool,
    /// The host takes sampling parameters beyond OpenAI's: `top_k`, `min_p`, `repetition_penalty`.
    pub extended_sampling: bool,
    /// Stop an answer that repeats one phrase without end; weaker hosted and local models do that.
    pub repetition_guard: bool,
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
        let zhipu = host.within("z.ai") || host.within("bigmodel.cn");
        let anthropic = api == Api::AnthropicMessages;
        let official_anthropic = anthropic && host.is("api.anthropic.com");
        let claude_on_openrouter = openrouter && model_id.starts_with("anthropic/");
        Self {
            supports_store: openai,
            supports_developer_role: openai || azure,
            supports_usage_in_streaming: true,
            max_tokens_field: if openai || azure {
                MaxTokensField::MaxCompletionTokens
            } else {
                MaxTokensField::MaxTokens
            },
            always_send_max_tokens: host.within("moonshot.ai") || host.within("moonshot.cn"),
            supports_tool_choice: true,
            supports_forced_tool_choice: true,
            // Of the models Ollama runs, this family alone takes a word instead of on and off.
            supports_reasoning_effort: if ollama {
                model_id.contains("gpt-oss")
            } else {
                !(host.within("x.ai") || zhipu || host.within("xiaomimimo.com"))
            },
            thinking_format: match (openrouter, zhipu) {
                (true, _) => ThinkingFormat::Openrouter,
                (_, true) => ThinkingFormat::Zai,
                _ => ThinkingFormat::Openai,
            },
            reasoning_field: if openrouter {
                ReasoningField::Reasoning
            } else {
                ReasoningField::ReasoningContent
            },
            requires_tool_result_name: host.is("api.mistral.ai"),
            strict: if openai || codex || api == Api::AzureOpenAiResponses {
                Strictness::WherePossible
            } else {
                Strictness::Unsupported
            },
            stream_idle_timeout_ms: 0,
            cache_control: if anthropic || claude_on_openrouter || claude_on_bedrock {
                CacheControlFormat::Anthropic
            } else {
                CacheControlFormat::None
            },
            long_cache_retention: openai || official_anthropic,
            eager_input_streaming: false,
            interleaved_thinking: official_anthropic,
            replay_unsigned_thinking: false,
            custom_tools: openai || azure || codex,
            extended_sampling: !(openai || azure),
            repetition_guard: ollama || (api == Api::OpenAiCompletions && !openai),
            chat: ChatQuirks::detect(&host, model_id),
            tool_result_id: false,
            supports_tools: true,
            heals_markup: api == Api::OpenAiCompletions && !openai,
            extra_body: Map::new(),
            when_thinking: None,
        }
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

impl Model {
    /// The same model with another credential of its provider.
    pub fn rekeyed(&self, key: Secret) -> Self {
        let was_oauth = self.key.as_ref().is_some_and(Secret::is_anthropic_oauth);
        let bearer = (self.bearer && !was_oauth) || key.is_anthropic_oauth();
        Self { key: Some(key), bearer, ..self.clone() }
    }

    /// `provider/id`, as users write it.
    pub fn selector(&self) -> String {
        format!("{}/{}", self.provider, self.id)
    }

    /// The model as one request sees it: some hosts behave differently while they think.
    pub(crate) fn while_thinking(&self, level: ThinkingLevel) -> Cow<'_, Self> {
        let thinks = self.reasoning && self.clamp_level(level) != ThinkingLevel::Off;
        match self.compat.when_thinking.as_deref().filter(|_| thinks) {
            Some(compat) => Cow::Owned(Self { compat: compat.clone(), ..self.clone() }),
            None => Cow::Borrowed(self),
        }
    }

    pub fn accepts_images(&self) -> bool {
        self.input.contains(&Input::Image)
    }

    /// Does the model want unsigned thoughts of its own back?
    pub(crate) fn replays_own_thinking(&self) -> bool {
        let chat = &self.compat.chat;
        let on_chat =
            self.api == Api::OpenAiCompletions && (chat.reasoning_for_calls || chat.thinking_as_text);
        self.compat.replay_unsigned_thinking || on_chat
    }

    /// Unsigned thoughts of its own: Anthropic's wire needs them as text, the others do without.
    pub(crate) fn demotes_own_thinking(&self) -> bool {
        self.api == Api::AnthropicMessages
    }

    /// The nearest level the model supports; `Off` for models that do not reason.
    pub fn clamp_level(&self, wanted: ThinkingLevel) -> ThinkingLevel {
        if !self.reasoning || wanted == ThinkingLevel::Off {
            return ThinkingLevel::Off;
        }
        let distance = |level: &ThinkingLevel| (*level as i8 - wanted as i8).unsigned_abs();
        self.levels
            .iter()
            .copied()
            .filter(|level| *level != ThinkingLevel::Off)
            .min_by_key(distance)
            .unwrap_or(wanted)
    }
}
