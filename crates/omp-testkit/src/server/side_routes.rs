//! Model lists: OpenAI's and Ollama's.

use super::scenario::Scenario;
use serde_json::{Value, json};

pub(crate) fn model_list(scenario: &Scenario) -> Value {
    if let Some(answer) = &scenario.model_list {
        return answer.clone();
    }
    let data: Vec<Value> = (scenario.models.iter())
        .map(|id| json!({"id": id, "object": "model", "created": 1_700_000_000, "owned_by": "omp-testkit"}))
        .collect();
    json!({"object": "list", "data": data})
}

pub(crate) fn ollama_tags(names: &[String]) -> Value {
    let models: Vec<Value> = (names.iter())
        .map(|name| {
            json!({
                "name": name, "model": name, "modified_at": "2025-01-01T00:00:00Z", "size": 1_000_000,
                "digest": "0".repeat(64),
                "details": {"format": "gguf", "family": "llama", "parameter_size": "8B", "quantization_level": "Q4_0"},
            })
        })
        .collect();
    json!({"models": models})
}

/// Details of the model named in `body`, or `None` when there is no such model.
pub(crate) fn ollama_show(names: &[String], body: &[u8]) -> Option<Value> {
    let asked: Value = serde_json::from_slice(body).ok()?;
    let name = asked["model"].as_str().or_else(|| asked["name"].as_str())?;
    names.iter().any(|known| known == name).then(|| {
        json!({
            "modelfile": "", "parameters": "", "template": "",
            "details": {"format": "gguf", "family": "llama", "parameter_size": "8B", "quantization_level": "Q4_0"},
            "model_info": {"general.architecture": "llama", "llama.context_length": 131_072},
            "capabilities": ["completion", "tools"],
        })
    })
}
