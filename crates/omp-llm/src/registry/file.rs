//! Reads `models.yml`.
//!
//! The whole file is checked before any of it is used: a mistake in one provider must not leave the user with a
//! half-loaded list. What cannot be understood is named with line, provider, model and field.

use serde::de::DeserializeOwned;
use serde_json::{Map, Value, json};

use super::fields::{ModelConfig, ModelsFile, ProviderConfig};
use super::validate;

/// Parses and checks the text. The error is one sentence; the caller names the file.
pub(super) fn parse(text: &str) -> Result<ModelsFile, String> {
    let text = text.strip_prefix('\u{feff}').unwrap_or(text);
    if is_blank(text) {
        return Ok(ModelsFile::default());
    }
    let file = serde_saphyr::from_str_with_options(text, options()).map_err(|error| explain(text, &error))?;
    validate::check(&file)?;
    Ok(file)
}

/// Words like `yes` and `on` stay words: models have stranger names.
fn options() -> serde_saphyr::Options {
    serde_saphyr::options! { strict_booleans: true }
}

/// Nothing but comments and empty lines.
fn is_blank(text: &str) -> bool {
    text.lines().map(str::trim).all(|line| line.is_empty() || line.starts_with('#'))
}

/// The line of the mistake, and whose field it is. The second look at the file costs nothing that matters: there is
/// something to tell.
fn explain(text: &str, error: &serde_saphyr::Error) -> String {
    let line = error.location().map(|location| format!("line {}: ", location.line())).unwrap_or_default();
    let place = serde_saphyr::from_str_with_options::<Value>(text, options())
        .ok()
        .and_then(|file| find_mistake(&file));
    let sentence = place.unwrap_or_else(|| {
        let text = error.without_snippet().to_string();
        text.lines().next().unwrap_or_default().trim_end_matches('.').to_owned()
    });
    format!("{line}{sentence}")
}

fn find_mistake(file: &Value) -> Option<String> {
    let providers = file.get("providers").and_then(Value::as_object);
    for (id, provider) in providers.into_iter().flatten() {
        let Some(fields) = provider.as_object() else {
            return Some(format!("provider {id}: expected a mapping of settings"));
        };
        if let Some(sentence) = find_in_provider(id, fields) {
            return Some(sentence);
        }
    }
    wrong_field::<ModelsFile>(file.as_object()?)
}

fn find_in_provider(id: &str, fields: &Map<String, Value>) -> Option<String> {
    let place = format!("provider {id}");
    let models = fields.get("models").and_then(Value::as_array).into_iter().flatten().map(|model| {
        let name = model.get("id").and_then(Value::as_str).unwrap_or("without an id");
        (format!("{place}, model {name}"), model)
    });
    let overrides = fields.get("modelOverrides").and_then(Value::as_object).into_iter().flatten();
    let overrides = overrides.map(|(name, change)| (format!("{place}, modelOverrides {name}"), change));
    for (place, model) in models.chain(overrides) {
        let wrong = model.as_object().and_then(wrong_field::<ModelConfig>);
        if let Some(wrong) = wrong {
            return Some(format!("{place}: {wrong}"));
        }
    }
    wrong_field::<ProviderConfig>(fields).map(|wrong| format!("{place}: {wrong}"))
}

/// The first field that is unknown or has a value of the wrong kind, found by trying each on its own.
fn wrong_field<T: DeserializeOwned>(fields: &Map<String, Value>) -> Option<String> {
    fields.iter().find_map(|(key, value)| {
        let error = serde_json::from_value::<T>(json!({ key: value })).err()?.to_string();
        match error.strip_prefix(&format!("unknown field `{key}`, expected ")) {
            Some(known) => Some(format!("unknown setting \"{key}\"{}", suggestion(key, known))),
            None => Some(format!("\"{key}\" is not valid: {error}")),
        }
    })
}

/// serde lists the known names between backticks.
fn suggestion(key: &str, known: &str) -> String {
    let names = known.split('`').skip(1).step_by(2);
    let scored = names.map(|name| (strsim::jaro_winkler(key, name), name));
    match scored.filter(|(score, _)| *score > 0.8).max_by(|a, b| a.0.total_cmp(&b.0)) {
        Some((_, name)) => format!("; did you mean \"{name}\"?"),
        None => String::new(),
    }
}
