//! The table of providers. A row is all that a provider needs which speaks a wire we have.

use super::super::builtin::{AZURE, ProviderEntry, VERTEX};
use crate::discovery::DiscoveryKind;
use crate::model::Api;

/// The wire that most gateways speak.
const fn chat(id: &'static str, name: &'static str, base_url: &'static str) -> ProviderEntry {
    ProviderEntry::new(id, name, Api::OpenAiCompletions, base_url).lists(DiscoveryKind::HostedOpenAi)
}

const fn on(api: Api, id: &'static str, name: &'static str, base_url: &'static str) -> ProviderEntry {
    ProviderEntry::new(id, name, api, base_url)
}

/// GitHub answers only to callers that name themselves.
const COPILOT_HEADERS: &[(&str, &str)] = &[
    ("Copilot-Integration-Id", "vscode-chat"),
    ("Editor-Version", concat!("omp/", env!("CARGO_PKG_VERSION"))),
    ("Openai-Intent", "conversation-edits"),
];

/// In the order in which they are preferred when nobody says more: makers, clouds, gateways, plans, engines.
pub(super) const PROVIDERS: &[ProviderEntry] = &[
    on(Api::AnthropicMessages, "anthropic", "Anthropic", "https://api.anthropic.com")
        .keys(&["ANTHROPIC_OAUTH_TOKEN", "ANTHROPIC_API_KEY"])
        .default("claude-sonnet-5")
        .lists(DiscoveryKind::Anthropic)
        .maker(),
    on(Api::OpenAiResponses, "openai", "OpenAI", "https://api.openai.com/v1")
        .keys(&["OPENAI_API_KEY"])
        .default("gpt-5.5")
        .lists(DiscoveryKind::HostedOpenAi)
        .maker(),
    on(
        Api::GoogleGenerativeAi,
        "google",
        "Google Gemini",
        "https://generativelanguage.googleapis.com/v1beta",
    )
    .keys(&["GEMINI_API_KEY", "GOOGLE_API_KEY", "GOOGLE_GENERATIVE_AI_API_KEY"])
    .default("gemini-2.5-pro")
    .lists(DiscoveryKind::Google)
    .maker(),
    on(Api::GoogleVertex, "google-vertex", "Google Vertex AI", VERTEX)
        .keys(&["GOOGLE_CLOUD_API_KEY"])
        .default("gemini-3.1-pro-preview")
        .maker(),
    chat("openrouter", "OpenRouter", "https://openrouter.ai/api/v1")
        .keys(&["OPENROUTER_API_KEY"])
        .default("anthropic/claude-sonnet-4.6"),
    chat("deepseek", "DeepSeek", "https://api.deepseek.com/v1")
        .keys(&["DEEPSEEK_API_KEY"])
        .default("deepseek-v4-pro")
        .maker(),
    chat("groq", "Groq", "https://api.groq.com/openai/v1")
        .keys(&["GROQ_API_KEY"])
        .default("openai/gpt-oss-120b"),
    chat("mistral", "Mistral", "https://api.mistral.ai/v1")
        .keys(&["MISTRAL_API_KEY"])
        .default("devstral-medium-latest")
        .maker(),
    chat("xai", "xAI", "https://api.x.ai/v1").keys(&["XAI_API_KEY"]).default("grok-4.7").maker(),
    chat("cerebras", "Cerebras", "https://api.cerebras.ai/v1")
        .keys(&["CEREBRAS_API_KEY"])
        .default("gpt-oss-120b"),
    chat("moonshot", "Moonshot (Kimi)", "https://api.moonshot.ai/v1")
        .keys(&["MOONSHOT_API_KEY", "KIMI_API_KEY"])
        .default("kimi-k3")
        .maker(),
    chat("zai", "Z.ai (GLM)", "https://api.z.ai/api/paas/v4")
        .keys(&["ZAI_API_KEY"])
        .default("glm-5.3")
        .maker(),
    on(Api::AzureOpenAiResponses, "azure", "Azure OpenAI", AZURE)
        .keys(&["AZURE_OPENAI_API_KEY"])
        .default("gpt-5.5")
        .maker(),
    on(
        Api::BedrockConverseStream,
        "amazon-bedrock",
        "Amazon Bedrock",
        "https://bedrock-runtime.{region}.amazonaws.com",
    )
    .keys(&["AWS_BEARER_TOKEN_BEDROCK"])
    .default("global.anthropic.claude-sonnet-5"),
    on(Api::OpenAiCodexResponses, "openai-codex", "ChatGPT (Codex)", "https://chatgpt.com/backend-api")
        .keys(&["OPENAI_CODEX_OAUTH_TOKEN"])
        .default("gpt-5.5")
        .maker(),
    on(
        Api::GoogleGeminiCli,
        "google-gemini-cli",
        "Google Gemini CLI (Cloud Code Assist)",
        "https://cloudcode-pa.googleapis.com",
    )
    .keys(&["GEMINI_CLI_OAUTH_TOKEN"])
    .default("gemini-2.5-pro"),
    on(
        Api::GoogleGeminiCli,
        "google-antigravity",
        "Google Antigravity",
        "https://daily-cloudcode-pa.googleapis.com",
    )
    .keys(&["ANTIGRAVITY_OAUTH_TOKEN"])
    .default("gemini-3.1-pro-high"),
    on(Api::OllamaChat, "ollama-cloud", "Ollama Cloud", "https://ollama.com")
        .keys(&["OLLAMA_CLOUD_API_KEY"])
        .default("gpt-oss:120b")
        .lists_all(DiscoveryKind::Ollama),
    chat("github-copilot", "GitHub Copilot", "https://api.githubcopilot.com")
        .keys(&["COPILOT_GITHUB_TOKEN"])
        .default("claude-sonnet-5")
        .headers(COPILOT_HEADERS),
    on(Api::AnthropicMessages, "minimax", "MiniMax", "https://api.minimax.io/anthropic")
        .keys(&["MINIMAX_API_KEY"])
        .default("MiniMax-M3")
        .maker(),
    chat("xiaomi", "Xiaomi MiMo", "https://api.xiaomimimo.com/v1")
        .keys(&["XIAOMI_API_KEY"])
        .default("mimo-v2.6-pro")
        .maker(),
    chat("vercel-ai-gateway", "Vercel AI Gateway", "https://ai-gateway.vercel.sh/v1")
        .keys(&["AI_GATEWAY_API_KEY", "VERCEL_AI_GATEWAY_API_KEY"])
        .default("anthropic/claude-opus-4.6"),
    chat(
        "cloudflare-ai-gateway",
        "Cloudflare AI Gateway",
        "https://api.cloudflare.com/client/v4/accounts/${CLOUDFLARE_ACCOUNT_ID}/ai/v1",
    )
    .keys(&["CLOUDFLARE_AI_GATEWAY_API_KEY"])
    .default("openai/gpt-5.5")
    .lists_nothing(),
    chat("huggingface", "Hugging Face", "https://router.huggingface.co/v1")
        .keys(&["HUGGINGFACE_HUB_TOKEN", "HF_TOKEN"])
        .default("openai/gpt-oss-120b"),
    chat("together", "Together AI", "https://api.together.xyz/v1")
        .keys(&["TOGETHER_API_KEY"])
        .default("moonshotai/Kimi-K3"),
    chat("fireworks", "Fireworks AI", "https://api.fireworks.ai/inference/v1")
        .keys(&["FIREWORKS_API_KEY"])
        .default("accounts/fireworks/models/kimi-k3"),
    chat("deepinfra", "DeepInfra", "https://api.deepinfra.com/v1/openai")
        .keys(&["DEEPINFRA_API_KEY", "DEEPINFRA_TOKEN"])
        .default("openai/gpt-oss-120b"),
    chat("nvidia", "NVIDIA NIM", "https://integrate.api.nvidia.com/v1")
        .keys(&["NVIDIA_API_KEY"])
        .default("openai/gpt-oss-120b"),
    chat("aimlapi", "AI/ML API", "https://api.aimlapi.com/v1")
        .keys(&["AIMLAPI_API_KEY"])
        .default("openai/gpt-5.5")
        .lists_all(DiscoveryKind::HostedOpenAi),
    chat("kilo", "Kilo Gateway", "https://api.kilo.ai/api/gateway")
        .keys(&["KILO_API_KEY"])
        .default("anthropic/claude-sonnet-4.6"),
    chat("nanogpt", "NanoGPT", "https://nano-gpt.com/api/v1")
        .keys(&["NANO_GPT_API_KEY"])
        .default("openai/gpt-5.2"),
    chat("qianfan", "Baidu Qianfan", "https://qianfan.baidubce.com/v2")
        .keys(&["QIANFAN_API_KEY"])
        .default("deepseek-v3.2"),
    chat("synthetic", "Synthetic", "https://api.synthetic.new/openai/v1")
        .keys(&["SYNTHETIC_API_KEY"])
        .default("hf:zai-org/GLM-4.6")
        .lists_all(DiscoveryKind::HostedOpenAi),
    chat("venice", "Venice", "https://api.venice.ai/api/v1")
        .keys(&["VENICE_API_KEY"])
        .default("llama-3.3-70b"),
    chat("zenmux", "ZenMux", "https://zenmux.ai/api/v1")
        .keys(&["ZENMUX_API_KEY"])
        .default("anthropic/claude-sonnet-4.6"),
    chat("opencode-zen", "OpenCode Zen", "https://opencode.ai/zen/v1")
        .keys(&["OPENCODE_API_KEY"])
        .default("claude-sonnet-4-6"),
    chat("opencode-go", "OpenCode Go", "https://opencode.ai/zen/go/v1")
        .keys(&["OPENCODE_API_KEY"])
        .default("kimi-k2.6"),
    chat("wafer-serverless", "Wafer Serverless", "https://pass.wafer.ai/v1")
        .keys(&["WAFER_SERVERLESS_API_KEY"])
        .default("GLM-5.1"),
    chat("wafer-pass", "Wafer Pass", "https://pass.wafer.ai/v1")
        .keys(&["WAFER_PASS_API_KEY"])
        .default("GLM-5.1"),
    chat("firepass", "Fireworks Fire Pass", "https://api.fireworks.ai/inference/v1")
        .keys(&["FIREPASS_API_KEY"])
        .default("accounts/fireworks/routers/kimi-k2p5-turbo")
        .lists_nothing(),
    chat("zhipu-coding-plan", "Zhipu GLM Coding Plan", "https://open.bigmodel.cn/api/coding/paas/v4")
        .keys(&["ZHIPU_API_KEY"])
        .default("glm-5.3")
        .lists_all(DiscoveryKind::HostedOpenAi),
    chat("kimi-code", "Kimi Code", "https://api.kimi.com/coding/v1")
        .keys(&["KIMI_API_KEY"])
        .default("kimi-for-coding"),
    chat("minimax-code", "MiniMax Coding Plan", "https://api.minimax.io/v1")
        .keys(&["MINIMAX_CODE_API_KEY"])
        .default("MiniMax-M3")
        .lists_nothing(),
    chat("minimax-code-cn", "MiniMax Coding Plan (China)", "https://api.minimaxi.com/v1")
        .keys(&["MINIMAX_CODE_CN_API_KEY"])
        .default("MiniMax-M3")
        .lists_nothing(),
    chat("alibaba-coding-plan", "Alibaba Coding Plan", "https://coding-intl.dashscope.aliyuncs.com/v1")
        .keys(&["ALIBABA_CODING_PLAN_API_KEY"])
        .default("qwen3-coder-plus"),
    chat("qwen-portal", "Qwen Portal", "https://portal.qwen.ai/v1")
        .keys(&["QWEN_OAUTH_TOKEN", "QWEN_PORTAL_API_KEY"])
        .default("coder-model"),
    chat("xai-oauth", "xAI (Grok account)", "https://api.x.ai/v1")
        .keys(&["XAI_OAUTH_TOKEN", "XAI_API_KEY"])
        .default("grok-4.7"),
    on(Api::AnthropicMessages, "umans", "Umans AI Coding Plan", "https://api.code.umans.ai")
        .keys(&["UMANS_AI_CODING_PLAN_API_KEY"])
        .default("umans-coder"),
    chat("litellm", "LiteLLM", "http://localhost:4000/v1")
        .lists_all(DiscoveryKind::OpenAiList)
        .keys(&["LITELLM_API_KEY"]),
    chat("vllm", "vLLM", "http://127.0.0.1:8000/v1")
        .lists_all(DiscoveryKind::OpenAiList)
        .keys(&["VLLM_API_KEY"]),
    on(Api::OpenAiResponses, "ollama", "Ollama", "http://127.0.0.1:11434/v1")
        .keys(&["OLLAMA_API_KEY"])
        .lists_all(DiscoveryKind::Ollama)
        .engine()
        .keyless(),
    on(Api::OpenAiCompletions, "lm-studio", "LM Studio", "http://127.0.0.1:1234/v1")
        .keys(&["LM_STUDIO_API_KEY"])
        .lists_all(DiscoveryKind::LmStudio)
        .engine()
        .keyless(),
    on(Api::OpenAiResponses, "llama.cpp", "llama.cpp", "http://127.0.0.1:8080/v1")
        .keys(&["LLAMA_CPP_API_KEY"])
        .lists_all(DiscoveryKind::LlamaCpp)
        .engine()
        .keyless(),
];
