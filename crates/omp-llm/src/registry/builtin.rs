//! Hosted providers that need nothing but a key. Facts only; a row here is all a provider needs.

use crate::model::Api;

pub(super) struct BuiltinProvider {
    pub(super) id: &'static str,
    pub(super) api: Api,
    pub(super) base_url: &'static str,
    /// Tried in this order.
    pub(super) env: &'static [&'static str],
    /// The first model is the provider's default.
    pub(super) models: &'static [BuiltinModel],
}

pub(super) struct BuiltinModel {
    pub(super) id: &'static str,
    pub(super) reasoning: bool,
    pub(super) images: bool,
    pub(super) context_window: u64,
    pub(super) max_tokens: u32,
    /// Input, output, cache read, cache write; dollars per million tokens.
    pub(super) cost: [f64; 4],
}

const fn model(
    id: &'static str,
    reasoning: bool,
    images: bool,
    context_window: u64,
    max_tokens: u32,
    cost: [f64; 4],
) -> BuiltinModel {
    BuiltinModel { id, reasoning, images, context_window, max_tokens, cost }
}

/// Prices that are not recorded here read as zero; the catalogue of a later release holds them all.
const UNPRICED: [f64; 4] = [0.0; 4];

/// Stands for the address of the user's own resource.
pub(super) const AZURE: &str = "https://azure.invalid/openai/v1";

/// Project and place are added when a model is chosen.
pub(super) const VERTEX: &str = "https://aiplatform.googleapis.com";

/// The same models behind both of Google's doors.
const GEMINI: &[BuiltinModel] = &[
    model("gemini-2.5-pro", true, true, 1_048_576, 65_536, [1.25, 10.0, 0.125, 0.0]),
    model("gemini-2.5-flash", true, true, 1_048_576, 65_536, [0.3, 2.5, 0.03, 0.0]),
    model("gemini-2.5-flash-lite", true, true, 1_048_576, 65_536, [0.1, 0.4, 0.01, 0.0]),
    model("gemini-3-pro-preview", true, true, 1_048_576, 65_536, [2.0, 12.0, 0.2, 0.0]),
    model("gemini-3-flash-preview", true, true, 1_048_576, 65_536, [0.5, 3.0, 0.05, 0.0]),
];

pub(super) const PROVIDERS: &[BuiltinProvider] = &[
    BuiltinProvider {
        id: "anthropic",
        api: Api::AnthropicMessages,
        base_url: "https://api.anthropic.com",
        env: &["ANTHROPIC_OAUTH_TOKEN", "ANTHROPIC_API_KEY"],
        models: &[
            model("claude-sonnet-4-5", true, true, 200_000, 64_000, [3.0, 15.0, 0.3, 3.75]),
            model("claude-opus-4-5", true, true, 200_000, 64_000, [5.0, 25.0, 0.5, 6.25]),
            model("claude-haiku-4-5", true, true, 200_000, 64_000, [1.0, 5.0, 0.1, 1.25]),
        ],
    },
    BuiltinProvider {
        id: "openai",
        api: Api::OpenAiResponses,
        base_url: "https://api.openai.com/v1",
        env: &["OPENAI_API_KEY"],
        models: &[
            model("gpt-5", true, true, 400_000, 128_000, [1.25, 10.0, 0.125, 0.0]),
            model("gpt-5-mini", true, true, 400_000, 128_000, [0.25, 2.0, 0.025, 0.0]),
            model("gpt-4.1", false, true, 1_047_576, 32_768, [2.0, 8.0, 0.5, 0.0]),
            model("gpt-4o", false, true, 128_000, 16_384, [2.5, 10.0, 1.25, 0.0]),
        ],
    },
    BuiltinProvider {
        id: "google",
        api: Api::GoogleGenerativeAi,
        base_url: "https://generativelanguage.googleapis.com/v1beta",
        env: &["GEMINI_API_KEY", "GOOGLE_API_KEY", "GOOGLE_GENERATIVE_AI_API_KEY"],
        models: GEMINI,
    },
    BuiltinProvider {
        id: "google-vertex",
        api: Api::GoogleVertex,
        base_url: VERTEX,
        env: &["GOOGLE_CLOUD_API_KEY"],
        models: GEMINI,
    },
    BuiltinProvider {
        id: "openrouter",
        api: Api::OpenAiCompletions,
        base_url: "https://openrouter.ai/api/v1",
        env: &["OPENROUTER_API_KEY"],
        models: &[model("anthropic/claude-sonnet-4.5", true, true, 200_000, 64_000, [3.0, 15.0, 0.3, 3.75])],
    },
    BuiltinProvider {
        id: "deepseek",
        api: Api::OpenAiCompletions,
        base_url: "https://api.deepseek.com/v1",
        env: &["DEEPSEEK_API_KEY"],
        models: &[
            model("deepseek-chat", false, false, 128_000, 8192, UNPRICED),
            model("deepseek-reasoner", true, false, 128_000, 65_536, UNPRICED),
        ],
    },
    BuiltinProvider {
        id: "groq",
        api: Api::OpenAiCompletions,
        base_url: "https://api.groq.com/openai/v1",
        env: &["GROQ_API_KEY"],
        models: &[model("openai/gpt-oss-120b", true, false, 131_072, 65_536, UNPRICED)],
    },
    BuiltinProvider {
        id: "mistral",
        api: Api::OpenAiCompletions,
        base_url: "https://api.mistral.ai/v1",
        env: &["MISTRAL_API_KEY"],
        models: &[model("devstral-medium-latest", false, false, 131_072, 32_768, UNPRICED)],
    },
    BuiltinProvider {
        id: "xai",
        api: Api::OpenAiCompletions,
        base_url: "https://api.x.ai/v1",
        env: &["XAI_API_KEY"],
        models: &[model("grok-4", true, true, 256_000, 64_000, UNPRICED)],
    },
    BuiltinProvider {
        id: "cerebras",
        api: Api::OpenAiCompletions,
        base_url: "https://api.cerebras.ai/v1",
        env: &["CEREBRAS_API_KEY"],
        models: &[model("gpt-oss-120b", true, false, 131_072, 40_960, UNPRICED)],
    },
    BuiltinProvider {
        id: "moonshot",
        api: Api::OpenAiCompletions,
        base_url: "https://api.moonshot.ai/v1",
        env: &["MOONSHOT_API_KEY", "KIMI_API_KEY"],
        models: &[model("kimi-k2-thinking", true, false, 262_144, 32_768, UNPRICED)],
    },
    BuiltinProvider {
        id: "zai",
        api: Api::OpenAiCompletions,
        base_url: "https://api.z.ai/api/paas/v4",
        env: &["ZAI_API_KEY"],
        models: &[model("glm-4.6", true, false, 204_800, 131_072, UNPRICED)],
    },
    BuiltinProvider {
        id: "azure",
        api: Api::AzureOpenAiResponses,
        base_url: AZURE,
        env: &["AZURE_OPENAI_API_KEY"],
        models: &[
            model("gpt-5", true, true, 400_000, 128_000, [1.25, 10.0, 0.125, 0.0]),
            model("gpt-5-mini", true, true, 400_000, 128_000, [0.25, 2.0, 0.025, 0.0]),
            model("gpt-4.1", false, true, 1_047_576, 32_768, [2.0, 8.0, 0.5, 0.0]),
        ],
    },
    BuiltinProvider {
        id: "amazon-bedrock",
        api: Api::BedrockConverseStream,
        base_url: "https://bedrock-runtime.{region}.amazonaws.com",
        env: &["AWS_BEARER_TOKEN_BEDROCK"],
        models: &[
            model(
                "global.anthropic.claude-sonnet-4-5-20250929-v1:0",
                true,
                true,
                200_000,
                64_000,
                [3.0, 15.0, 0.3, 3.75],
            ),
            model(
                "global.anthropic.claude-haiku-4-5-20251001-v1:0",
                true,
                true,
                200_000,
                64_000,
                [1.0, 5.0, 0.1, 1.25],
            ),
            model("openai.gpt-oss-120b-1:0", true, false, 128_000, 16_384, UNPRICED),
        ],
    },
    BuiltinProvider {
        id: "openai-codex",
        api: Api::OpenAiCodexResponses,
        base_url: "https://chatgpt.com/backend-api",
        env: &["OPENAI_CODEX_OAUTH_TOKEN"],
        models: &[
            model("gpt-5-codex", true, true, 272_000, 128_000, UNPRICED),
            model("gpt-5", true, true, 272_000, 128_000, UNPRICED),
        ],
    },
    BuiltinProvider {
        id: "ollama-cloud",
        api: Api::OllamaChat,
        base_url: "https://ollama.com",
        env: &["OLLAMA_CLOUD_API_KEY"],
        models: &[model("gpt-oss:120b", true, false, 131_072, 65_536, UNPRICED)],
    },
];
