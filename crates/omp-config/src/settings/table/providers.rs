//! Which service does what, and how to talk to it.

settings! {
    Providers;
    PROVIDERS_WEB_SEARCH: Choice("providers.webSearch", &["auto", "tavily", "perplexity", "brave", "jina", "kimi", "anthropic", "gemini", "codex", "zai", "exa", "parallel", "kagi", "synthetic", "searxng"], "Web search provider.").waits_for("web search");
    PROVIDERS_IMAGE: Choice("providers.image", &["auto", "openai", "antigravity", "xai", "gemini", "openrouter"], "Image generation provider.").waits_for("image tool");
    PROVIDERS_FETCH: Choice("providers.fetch", &["auto", "native", "trafilatura", "lynx", "parallel", "jina"], "How web pages are converted to text.").waits_for("web search");
    PROVIDERS_TINY_MODEL: Choice("providers.tinyModel", TINY_MODELS, "Model for titles and other small tasks: online or local.").waits_for("local models");
    PROVIDERS_MEMORY_MODEL: Choice("providers.memoryModel", TINY_MODELS, "Model for memories: online or local.").waits_for("memory");
    PROVIDERS_AUTO_THINKING_MODEL: Choice("providers.autoThinkingModel", TINY_MODELS, "Model that chooses the thinking level: online or local.").waits_for("local models");
    PROVIDERS_UNEXPECTED_STOP_MODEL: Choice("providers.unexpectedStopModel", TINY_MODELS, "Model that detects unexpected stops: online or local.").waits_for("advisor");
    // Choices: ours, the usual devices and precisions of ONNX.
    PROVIDERS_TINY_MODEL_DEVICE: Choice("providers.tinyModelDevice", &["default", "auto", "cpu", "gpu", "cuda", "coreml", "dml", "webgpu", "wasm"], "Hardware that local models run on.")
        .variables(&[Variable { name: "PI_TINY_DEVICE", path: "providers.tinyModelDevice" }]).waits_for("local models");
    PROVIDERS_TINY_MODEL_DTYPE: Choice("providers.tinyModelDtype", &["default", "auto", "fp32", "fp16", "q8", "int8", "uint8", "q4", "q4f16", "bnb4"], "Precision of local models.")
        .variables(&[Variable { name: "PI_TINY_DTYPE", path: "providers.tinyModelDtype" }]).waits_for("local models");
    PROVIDERS_OPENAI_WEBSOCKETS: Choice("providers.openaiWebsockets", &["auto", "off", "on"], "Use WebSockets for ChatGPT accounts: when supported, never or always.");
    PROVIDERS_OPENROUTER_VARIANT: Choice("providers.openrouterVariant", &["default", "nitro", "floor", "online", "exacto"], "OpenRouter routing variant.");
    PROVIDERS_KIMI_API_FORMAT: Choice("providers.kimiApiFormat", &["anthropic", "openai"], "Kimi API to use.");
}

const TINY_MODELS: &[&str] =
    &["online", "lfm2-350m", "qwen3-0.6b", "gemma-270m", "qwen2.5-0.5b", "lfm2-700m"];
