//! Which path is which service. Any prefix is accepted, as real base URLs have many.

use super::wire::Wire;

#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) enum Route {
    Model(Wire),
    /// A conversation in a shorter form.
    Compaction(Wire),
    ModelList,
    OllamaTags,
    OllamaShow,
    GoogleToken,
    Unknown,
}

pub(crate) fn route(method: &str, path: &str) -> Route {
    match method {
        "POST" if path.ends_with("/chat/completions") => Route::Model(Wire::OpenAiCompletions),
        "POST" if path.ends_with("/codex/responses/compact") => Route::Compaction(Wire::OpenAiCodexResponses),
        "POST" if path.ends_with("/v1/responses/compact") => Route::Compaction(Wire::OpenAiResponses),
        "POST" if path.ends_with("/codex/responses") => Route::Model(Wire::OpenAiCodexResponses),
        "POST" if path.ends_with("/openai/v1/responses") => Route::Model(Wire::AzureOpenAiResponses),
        "POST" if path.ends_with("/converse-stream") => Route::Model(Wire::BedrockConverseStream),
        "POST" if path.ends_with("/api/chat") => Route::Model(Wire::OllamaChat),
        "POST" if path.ends_with("/responses") => Route::Model(Wire::OpenAiResponses),
        "POST" if path.ends_with("/v1/messages") => Route::Model(Wire::AnthropicMessages),
        "POST" if path.ends_with(":streamGenerateContent") && path.contains("/publishers/google/") => {
            Route::Model(Wire::GoogleVertex)
        }
        "POST" if path.ends_with("/v1internal:streamGenerateContent") => Route::Model(Wire::GoogleGeminiCli),
        "POST" if path.ends_with(":streamGenerateContent") => Route::Model(Wire::GoogleGenerativeAi),
        "POST" if path.starts_with("/google/") && path.ends_with("/token") => Route::GoogleToken,
        "GET" if path == "/computeMetadata/v1/instance/service-accounts/default/token" => Route::GoogleToken,
        "GET" if path.ends_with("/models") => Route::ModelList,
        "GET" if path == "/api/tags" => Route::OllamaTags,
        "POST" if path == "/api/show" => Route::OllamaShow,
        _ => Route::Unknown,
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn prefixes_are_accepted_and_methods_matter() {
        assert_eq!(route("POST", "/v1/chat/completions"), Route::Model(Wire::OpenAiCompletions));
        assert_eq!(route("POST", "/proxy/a/v1/messages"), Route::Model(Wire::AnthropicMessages));
        assert_eq!(route("POST", "/v1internal:streamGenerateContent"), Route::Model(Wire::GoogleGeminiCli));
        assert_eq!(route("POST", "/responses"), Route::Model(Wire::OpenAiResponses));
        assert_eq!(route("GET", "/v1/models"), Route::ModelList);
        assert_eq!(route("POST", "/messages"), Route::Unknown);
        assert_eq!(route("GET", "/v1/responses"), Route::Unknown);
    }
}
