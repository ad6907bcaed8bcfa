//! Servers that list their models the way OpenAI does.

use serde_json::Value;

use super::Outcome;
use super::ask::Asker;
use super::listed::{ListedModel, limit, tokens};
use super::source::DiscoveryKind;
use crate::model::{Api, Input};

/// `<base>/models`.
pub(super) async fn list(asker: &Asker<'_>) -> Outcome {
    let source = asker.source;
    let base = source.kind.base_for(source.api, &source.base_url);
    let answer = asker.get(&format!("{base}/models")).await?;
    let (kind, api) = (source.kind, source.api);
    answer.entries(move |entry| read(entry, kind, api)).await
}

/// The native endpoints: `/models` names them, `/props` says what the one that is loaded can do.
pub(super) async fn llama_cpp(asker: &Asker<'_>) -> Outcome {
    let source = asker.source;
    let base = source.base_url.trim().trim_end_matches('/');
    let root = base.strip_suffix("/v1").unwrap_or(base);
    let answer = asker.get(&format!("{root}/models")).await?;
    let api = source.api;
    let mut listed = answer.entries(move |entry| read(entry, DiscoveryKind::LlamaCpp, api)).await?;
    let props = match asker.patient(4).get(&format!("{root}/props")).await {
        Ok(answer) => answer.json().unwrap_or_default(),
        // Routers and old servers do not have them.
        Err(_) => Value::Null,
    };
    let window = tokens(&props["default_generation_settings"], &["n_ctx"]);
    let images = props["modalities"]["vision"].as_bool();
    for model in &mut listed.models {
        model.context_window = model.context_window.or(window);
        if images == Some(true) {
            model.input = Some(vec![Input::Text, Input::Image]);
        }
    }
    Ok(listed)
}

/// One entry; `None` for what cannot be used as a model to talk to.
fn read(entry: &Value, kind: DiscoveryKind, api: Option<Api>) -> Option<ListedModel> {
    let id = ["id", "model", "name"].iter().find_map(|field| entry[*field].as_str())?;
    let mut model = ListedModel::new(id);
    model.context_window = tokens(entry, &["max_model_len", "context_length"]);
    match kind {
        DiscoveryKind::Proxy => model.api = Some(wire(entry, api)?.name().to_owned()),
        DiscoveryKind::HostedOpenAi => return hosted(entry, model),
        DiscoveryKind::LlamaCpp => {
            model.context_window = model.context_window.or_else(|| tokens(&entry["meta"], &["n_ctx"]));
        }
        _ => {}
    }
    model.max_tokens = limit(entry, &["max_output_tokens"]);
    Some(model)
}

/// The wire a proxy serves a model on.
fn wire(entry: &Value, api: Option<Api>) -> Option<Api> {
    let types = entry["supported_endpoint_types"].as_array();
    let speaks = |word: &str| {
        types.is_some_and(|types| types.iter().any(|kind| kind.as_str().is_some_and(|kind| kind == word)))
    };
    match (speaks("anthropic"), speaks("openai")) {
        (true, _) => Some(Api::AnthropicMessages),
        (false, true) => Some(Api::OpenAiCompletions),
        (false, false) => api,
    }
}

/// Parts of ids of what is not talked to in text.
const NO_CHAT: [&str; 22] = [
    "embed",
    "whisper",
    "tts",
    "dall-e",
    "moderation",
    "transcribe",
    "realtime",
    "-audio",
    "gpt-image",
    "sora",
    "babbage",
    "davinci",
    "rerank",
    "guard",
    "imagen",
    "veo",
    "flux",
    "stable-diffusion",
    "ocr",
    "computer-use",
    "deep-research",
    "speech",
];

/// Hosted lists say more, each in its own words, and list more than models to talk to.
fn hosted(entry: &Value, model: ListedModel) -> Option<ListedModel> {
    let id = model.id.to_lowercase();
    let kind = entry["type"].as_str().unwrap_or("model");
    let silent = !matches!(kind, "model" | "chat" | "language" | "base" | "llm" | "text");
    let no_chat = entry["capabilities"]["completion_chat"].as_bool() == Some(false);
    if silent || no_chat || NO_CHAT.iter().any(|part| id.contains(part)) {
        return None;
    }
    let window = ["context_length", "context_window", "max_context_length", "max_model_len"];
    let architecture = entry["architecture"]["input_modalities"].as_array();
    let images = architecture.map(|kinds| kinds.iter().any(|kind| kind == "image"));
    let images = images.or_else(|| entry["capabilities"]["vision"].as_bool());
    let parameters = entry["supported_parameters"].as_array();
    let reasoning = parameters.map(|names| names.iter().any(|name| name == "reasoning"));
    let name = ["name", "display_name"].iter().find_map(|field| entry[*field].as_str());
    let answer = limit(entry, &["max_output_tokens", "max_completion_tokens"]);
    Some(ListedModel {
        context_window: tokens(entry, &window),
        max_tokens: answer.or_else(|| limit(&entry["top_provider"], &["max_completion_tokens"])),
        reasoning: reasoning.or_else(|| entry["capabilities"]["reasoning"].as_bool()),
        cost: prices(&entry["pricing"]),
        ..model.named(name.filter(|name| *name != id)).sees(images)
    })
}

/// Dollars per token, as text; ours are per million.
fn prices(pricing: &Value) -> Option<[f64; 4]> {
    let price = |field: &str| {
        let given: f64 = pricing[field].as_str()?.trim().parse().ok()?;
        let per_million = (given * 1e12).round() / 1e6;
        (per_million.is_finite() && (0.0..1e6).contains(&per_million)).then_some(per_million)
    };
    let (input, output) = (price("prompt")?, price("completion")?);
    let cached = |field: &str| price(field).unwrap_or(0.0);
    Some([input, output, cached("input_cache_read"), cached("input_cache_write")])
}

#[cfg(test)]
mod tests {
    use super::*;
    use serde_json::json;

    /// What OpenRouter and its kind say is taken over; what is not a model to talk to is not.
    #[test]
    fn hosted_lists_are_read_and_sifted() {
        let entry = json!({
            "id": "acme/large", "name": "Acme: Large", "context_length": 200_000,
            "architecture": {"input_modalities": ["text", "image"]},
            "pricing": {"prompt": "0.000003", "completion": "0.000015", "input_cache_read": "0.0000003"},
            "top_provider": {"max_completion_tokens": 64_000},
            "supported_parameters": ["tools", "reasoning"],
        });
        let model = read(&entry, DiscoveryKind::HostedOpenAi, None).unwrap();
        assert_eq!(model.name.as_deref(), Some("Acme: Large"));
        assert_eq!((model.context_window, model.max_tokens), (Some(200_000), Some(64_000)));
        assert_eq!(model.cost, Some([3.0, 15.0, 0.3, 0.0]));
        assert_eq!(model.reasoning, Some(true));
        assert_eq!(model.input, Some(vec![Input::Text, Input::Image]));
        for (id, kind) in [("text-embedding-3-large", "model"), ("whisper-1", "model"), ("x", "embedding")] {
            let entry = json!({"id": id, "type": kind});
            assert_eq!(read(&entry, DiscoveryKind::HostedOpenAi, None), None, "{id}");
        }
    }
}
