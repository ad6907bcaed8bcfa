//! Ollama's own endpoints.

use futures_util::{StreamExt, stream};
use serde_json::{Value, json};

use super::Outcome;
use super::ask::Asker;
use super::listed::{Listed, ListedModel, tokens};

/// How many models are looked at closely at the same time.
const AT_ONCE: usize = 8;
/// Only so many are looked at closely; the others get the usual values.
const LOOKED_AT: usize = 256;

/// `/api/tags` names the models, `/api/show` describes each. A description that does not come is done without.
pub(super) async fn list(asker: &Asker<'_>) -> Outcome {
    let base = asker.source.base_url.trim().trim_end_matches('/');
    let root = base.strip_suffix("/v1").unwrap_or(base);
    let answer = asker.get(&format!("{root}/api/tags")).await?;
    let listed = answer.entries(|entry| {
        let id = ["model", "name"].iter().find_map(|field| entry[*field].as_str())?;
        Some(ListedModel::new(id))
    });
    let Listed { models, left_out } = listed.await?;
    let patient = asker.patient(8);
    let url = format!("{root}/api/show");
    let described = models.into_iter().enumerate().map(|(position, model)| {
        let (patient, url) = (&patient, &url);
        async move {
            let details = match position < LOOKED_AT {
                true => show(patient, url, &model.id).await,
                false => None,
            };
            describe(model, &details.unwrap_or_default(), patient.source.context)
        }
    });
    let described: Vec<_> = described.collect();
    let described: Vec<Option<ListedModel>> = stream::iter(described).buffered(AT_ONCE).collect().await;
    Ok(Listed { models: described.into_iter().flatten().collect(), left_out })
}

async fn show(asker: &Asker<'_>, url: &str, id: &str) -> Option<Value> {
    let answer = asker.post(url, &json!({"model": id})).await.ok()?;
    answer.json().ok()
}

/// `None` for models that cannot be talked to.
fn describe(mut model: ListedModel, details: &Value, context: Option<u64>) -> Option<ListedModel> {
    let capabilities = details["capabilities"].as_array();
    let can = |word: &str| capabilities.map(|words| words.iter().any(|known| known == word));
    if can("completion") == Some(false) && can("embedding") == Some(true) {
        return None;
    }
    model.context_window = context.or_else(|| parameter(details)).or_else(|| trained(details));
    model.reasoning = can("thinking");
    Some(model.sees(can("vision")))
}

/// `num_ctx` among the lines of the model's parameters: what the server really gives it.
fn parameter(details: &Value) -> Option<u64> {
    let lines = details["parameters"].as_str()?.lines();
    let value = lines.filter_map(|line| line.trim().strip_prefix("num_ctx")).next_back()?;
    tokens(&json!({ "num_ctx": value.trim() }), &["num_ctx"])
}

/// `<family>.context_length`.
fn trained(details: &Value) -> Option<u64> {
    let facts = details["model_info"].as_object()?;
    let key = facts.keys().find(|key| key.ends_with(".context_length"))?;
    tokens(&details["model_info"], &[key])
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::model::Input;

    /// proves: MOD-086
    #[test]
    fn descriptions_are_read() {
        let of = |details: Value| describe(ListedModel::new("m"), &details, None).unwrap();
        let info = json!({"general.architecture": "qwen3", "qwen3.context_length": 40_960});
        let both = of(json!({"parameters": "stop \"x\"\nnum_ctx                        8192\n",
            "model_info": info, "capabilities": ["completion", "thinking", "vision"]}));
        assert_eq!(both.context_window, Some(8192), "the parameter goes before what it was trained with");
        assert_eq!(both.reasoning, Some(true));
        assert_eq!(both.input, Some(vec![Input::Text, Input::Image]));
        let plain = of(json!({"model_info": info, "capabilities": ["completion", "tools"]}));
        assert_eq!(plain.context_window, Some(40_960));
        assert_eq!((plain.reasoning, plain.input), (Some(false), Some(vec![Input::Text])));
        assert_eq!(of(Value::Null), ListedModel::new("m"), "nothing said is nothing known");
        let embedding = json!({"capabilities": ["embedding"]});
        assert_eq!(describe(ListedModel::new("e"), &embedding, None), None);
    }
}
