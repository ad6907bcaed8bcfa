//! What is known about one model: where it is, which wire it speaks, and its quirks.

use std::borrow::Cow;
use std::fmt;

use indexmap::IndexMap;
use omp_types::{AssistantBlock, AssistantMessage, Cost, StopReason, ThinkingLevel, Usage};
use serde::{Deserialize, Serialize};
use serde_json::{Map, Value};

pub use crate::compat::{
    CacheControlFormat, Compat, MaxTokensField, ReasoningField, Strictness, ThinkingFormat,
};

use crate::shaping::Shaping;

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
    /// Cloud Code Assist, the door of Google's own coding programs.
    GoogleGeminiCli,
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
            Self::GoogleGeminiCli => "google-gemini-cli",
            Self::Demo => "omp-demo",
        }
    }

    /// Wires a user may name in `models.yml`.
    pub const CONFIGURABLE: [Api; 10] = [
        Self::OpenAiCompletions,
        Self::OpenAiResponses,
        Self::AnthropicMessages,
        Self::AzureOpenAiResponses,
        Self::OpenAiCodexResponses,
        Self::BedrockConverseStream,
        Self::OllamaChat,
        Self::GoogleGenerativeAi,
        Self::GoogleVertex,
        Self::GoogleGeminiCli,
    ];

    pub fn parse(text: &str) -> Option<Self> {
        Self::CONFIGURABLE.into_iter().find(|api| api.name() == text)
    }
}

/// A kind of content a model accepts.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Serialize, Deserialize)]
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
    pub transport: Transport,
    pub shaping: Shaping,
}

/// Who is spoken to.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub enum Transport {
    /// The provider itself, in the words of its wire.
    #[default]
    Provider,
    /// A gateway of our own kind, which speaks to the provider in our stead (`transport: pi-native`).
    PiNative,
    /// A script that the user added: nothing goes over a wire.
    Script,
}

/// What is known of a model beyond what the wires read.
#[derive(Clone, Debug, Default, PartialEq)]
pub struct Facts {
    /// How much one request counts against a quota of premium requests.
    pub premium_multiplier: Option<f64>,
    /// What a script that answers for the model calls its API.
    pub api_name: Option<String>,
    /// Who takes over when a conversation outgrows the window: `provider/id`, or an id of the same provider.
    pub context_promotion_target: Option<String>,
    /// The thinking level the model is meant to be used with.
    pub default_level: Option<ThinkingLevel>,
    /// How we know of the model.
    pub source: ModelSource,
    /// What the user said about quirks, provider and model together.
    pub compat: Map<String, Value>,
    /// The output limit is known, not made up: the user, the catalogue or the server stated it.
    pub max_tokens_stated: bool,
    /// Where the key came from: what to change when it is refused.
    pub key_origin: KeyOrigin,
}

/// Where a provider's key came from.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub enum KeyOrigin {
    /// There is none.
    #[default]
    None,
    /// It was given for this run: `--api-key`.
    Given,
    /// `apiKey` of the user's file.
    ModelsFile,
    /// A variable of the environment or of a `.env` file.
    Variable(String),
    /// The user logged in.
    Login,
}

/// How we know of a model.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub enum ModelSource {
    /// It is compiled in.
    #[default]
    Builtin,
    /// The user's file describes it.
    File,
    /// Its server lists it.
    Discovered,
}

impl ModelSource {
    /// One word, as lists show it.
    pub fn name(self) -> &'static str {
        match self {
            Self::Builtin => "built-in",
            Self::File => "file",
            Self::Discovered => "discovered",
        }
    }
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
        let google = matches!(api, Api::GoogleGenerativeAi | Api::GoogleVertex | Api::GoogleGeminiCli);
        let generation = model_id.strip_prefix("gemini-").and_then(|rest| rest.split(['.', '-']).next());
        match generation.and_then(|number| number.parse::<u32>().ok()) {
            Some(number) if google && number >= 3 => Self::GoogleLevel,
            _ => Self::Standard,
        }
    }
}

impl Model {
    /// The same model with another credential of its provider.
    pub fn rekeyed(&self, key: Secret) -> Self {
        let was_oauth = self.key.as_ref().is_some_and(Secret::is_anthropic_oauth);
        let bearer = (self.bearer && !was_oauth) || key.is_anthropic_oauth();
        Self { key: Some(key), bearer, ..self.clone() }
    }

    /// The name of the wire, or of whatever stands in its place.
    pub fn api_name(&self) -> &str {
        self.facts.api_name.as_deref().unwrap_or(self.api.name())
    }

    /// A message of this model that ended well.
    pub(crate) fn message(&self, content: Vec<AssistantBlock>, timestamp: u64) -> AssistantMessage {
        AssistantMessage {
            content,
            api: self.api_name().to_owned(),
            provider: self.provider.clone(),
            model: self.id.clone(),
            response_id: None,
            usage: Usage::default(),
            stop_reason: StopReason::Stop,
            error_message: None,
            timestamp,
        }
    }

    /// The id that goes into a request.
    pub(crate) fn wire_id(&self) -> &str {
        self.shaping.wire_id.as_deref().unwrap_or(&self.id)
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

    /// Is it one of OpenAI's wires, regardless of who serves it?
    pub(crate) fn speaks_openai(&self) -> bool {
        let openai = matches!(
            self.api,
            Api::OpenAiCompletions
                | Api::OpenAiResponses
                | Api::AzureOpenAiResponses
                | Api::OpenAiCodexResponses
        );
        openai && self.transport == Transport::Provider
    }

    /// Has its provider a compaction of its own? OpenAI has one, for keys and for ChatGPT accounts.
    pub fn compacts(&self) -> bool {
        let openai = match self.api {
            Api::OpenAiResponses => self.provider == "openai",
            Api::OpenAiCodexResponses => true,
            _ => false,
        };
        openai && self.transport == Transport::Provider
    }

    /// Is the output limit worth being sent? Whoever names its field wants it.
    pub(crate) fn states_max_tokens(&self) -> bool {
        self.facts.max_tokens_stated
            || self.compat.always_send_max_tokens
            || self.facts.compat.contains_key("maxTokensField")
    }

    pub fn accepts_images(&self) -> bool {
        self.input.contains(&Input::Image)
    }

    /// Does the model want unsigned thoughts of its own back?
    pub(crate) fn replays_own_thinking(&self) -> bool {
        let chat = &self.compat.chat;
        let on_chat =
            self.api == Api::OpenAiCompletions && (chat.reasoning_for_calls || chat.thinking_as_text);
        self.compat.thinking.replay_unsigned || on_chat
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

    /// The effort to name where a host that hears nothing takes its own default: thinking that is off becomes the
    /// least the model has.
    pub(crate) fn effort(&self, wanted: ThinkingLevel) -> ThinkingLevel {
        match self.clamp_level(wanted) {
            ThinkingLevel::Off => self.clamp_level(ThinkingLevel::Minimal),
            level => level,
        }
    }
}
