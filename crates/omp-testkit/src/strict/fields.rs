//! Rules about single fields, shared by the wires.

use super::Check;
use crate::server::{RecordedRequest, Rules};
use serde_json::{Map, Value};

pub(super) fn json_body(request: &RecordedRequest) -> Check {
    let text =
        std::str::from_utf8(&request.raw_body).map_err(|error| format!("the body is not UTF-8: {error}"))?;
    let body: Value = serde_json::from_str(text).map_err(|error| format!("the body is not JSON: {error}"))?;
    if body.is_object() { Ok(()) } else { Err("the body must be a JSON object".into()) }
}

/// The members of an object value; an empty map for anything else.
pub(super) fn members(value: &Value) -> impl Iterator<Item = (&String, &Value)> {
    value.as_object().into_iter().flatten()
}

/// The entries of an array value; nothing for anything else.
pub(super) fn entries(value: &Value) -> &[Value] {
    value.as_array().map(Vec::as_slice).unwrap_or_default()
}

/// No member beyond `allowed` and the ones the scenario adds.
pub(super) fn known_top_level(body: &Value, allowed: &[&str], rules: &Rules) -> Check {
    for (name, _) in members(body) {
        if !allowed.contains(&name.as_str()) && !rules.allow_fields.contains(name) {
            return Err(format!("{name}: Extra inputs are not permitted (Unknown parameter: '{name}')"));
        }
    }
    Ok(())
}

/// No member beyond `allowed` in a nested object; `at` names it.
pub(super) fn known_members(value: &Value, at: &str, allowed: &[&str]) -> Check {
    match members(value).find(|(name, _)| !allowed.contains(&name.as_str())) {
        Some((name, _)) => Err(format!("{at}.{name}: Extra inputs are not permitted")),
        None => Ok(()),
    }
}

pub(super) fn required(body: &Value, names: &[&str]) -> Check {
    match names.iter().find(|name| body.get(**name).is_none_or(Value::is_null)) {
        Some(name) => Err(format!("{name}: Field required (Missing required parameter: '{name}')")),
        None => Ok(()),
    }
}

/// We only speak streams, so a request that does not ask for one is a mistake.
pub(super) fn streams(body: &Value) -> Check {
    if body["stream"] == true { Ok(()) } else { Err("stream: must be true".into()) }
}

pub(super) fn model(body: &Value) -> Check {
    match body["model"].as_str() {
        Some(model) if !model.trim().is_empty() => Ok(()),
        _ => Err("model: must be a non-empty string".into()),
    }
}

/// A token count, when present, is an integer of at least `least`.
pub(super) fn token_count(body: &Value, name: &str, least: u64) -> Check {
    match body.get(name) {
        None => Ok(()),
        Some(value) if value.as_u64().is_some_and(|count| count >= least) => Ok(()),
        Some(value) => Err(format!("{name}: must be an integer of at least {least}, not {value}")),
    }
}

/// `^[a-zA-Z0-9_-]{1,64}$`
pub(super) fn tool_name(name: &Value, at: &str) -> Check {
    let text = name.as_str().unwrap_or_default();
    if (1..=64).contains(&text.len()) && text.bytes().all(is_name_byte) {
        Ok(())
    } else {
        Err(format!("{at}: String should match pattern '^[a-zA-Z0-9_-]{{1,64}}$', not {name}"))
    }
}

pub(super) fn is_name_byte(byte: u8) -> bool {
    byte.is_ascii_alphanumeric() || matches!(byte, b'_' | b'-')
}

pub(super) fn unique_tool_names<'a>(names: impl Iterator<Item = &'a str>) -> Check {
    let mut seen = std::collections::HashSet::new();
    match names.filter(|name| !name.is_empty()).find(|name| !seen.insert(*name)) {
        Some(name) => Err(format!("tools: Tool names must be unique, {name:?} is there twice")),
        None => Ok(()),
    }
}

/// Arguments of a call: a string that holds a JSON object.
pub(super) fn arguments(value: &Value, at: &str) -> Check {
    let Some(text) = value.as_str() else { return Err(format!("{at}: must be a string, not {value}")) };
    match serde_json::from_str::<Map<String, Value>>(text) {
        Ok(_) => Ok(()),
        Err(error) => Err(format!("{at}: must be a string that holds a JSON object: {error}")),
    }
}

/// How closely to look at an image; nothing is the same as `auto`.
pub(super) fn image_detail(value: Option<&Value>, at: &str) -> Check {
    const KNOWN: [&str; 4] = ["low", "high", "auto", "original"];
    match value {
        None => Ok(()),
        Some(value) if value.as_str().is_some_and(|word| KNOWN.contains(&word)) => Ok(()),
        Some(value) => Err(format!("Invalid value: {value} in '{at}'. Supported values are: {KNOWN:?}.")),
    }
}

/// Images travel as `data:` URLs or over https.
pub(super) fn image_url(value: &Value, at: &str) -> Check {
    let url = value.as_str().unwrap_or_default();
    let inline = url.strip_prefix("data:image/").and_then(|rest| rest.split_once(";base64,"));
    if url.starts_with("https://") || inline.is_some_and(|(_, data)| !data.is_empty()) {
        Ok(())
    } else {
        Err(format!("{at}: must be an https URL or a data:image/…;base64, URL"))
    }
}
