//! Google's contents: roles, parts, and calls with their answers.

use super::fields::{self, entries};
use super::google::is_third_generation;
use super::{Check, Checker};
use serde_json::Value;
use std::collections::HashSet;

const KINDS: [&str; 4] = ["text", "inlineData", "functionCall", "functionResponse"];
const IMAGES: [&str; 5] = ["image/png", "image/jpeg", "image/webp", "image/heic", "image/heif"];
/// Google's own word for a call that another model made.
const NO_SIGNATURE: &str = "skip_thought_signature_validator";

pub(super) fn check(body: &Value, model: &str, checker: &Checker<'_>) -> Check {
    let Some(contents) = body["contents"].as_array().filter(|list| !list.is_empty()) else {
        return Err("contents: must be a non-empty array".into());
    };
    for (index, content) in contents.iter().enumerate() {
        shape(content, &format!("contents[{index}]"), model)?;
    }
    roles(contents)?;
    answered(contents)?;
    unique_ids(contents)?;
    signatures(contents, model, checker)?;
    let called = contents.iter().any(|content| !calls(content).is_empty());
    if called && entries(&body["tools"]).is_empty() {
        return Err("contents hold function calls, but 'tools' is missing".into());
    }
    Ok(())
}

fn shape(content: &Value, at: &str, model: &str) -> Check {
    fields::known_members(content, at, &["role", "parts"])?;
    let role = content["role"].as_str().unwrap_or_default();
    if !["user", "model"].contains(&role) {
        return Err(format!("{at}.role: Please use a valid role: user, model. Not {}", content["role"]));
    }
    let parts = entries(&content["parts"]);
    if parts.is_empty() {
        return Err(format!("{at}.parts: must not be empty"));
    }
    for (index, part) in parts.iter().enumerate() {
        part_shape(part, role, &format!("{at}.parts[{index}]"), model)?;
    }
    Ok(())
}

fn part_shape(part: &Value, role: &str, at: &str, model: &str) -> Check {
    let known: Vec<&str> = KINDS.into_iter().chain(["thought", "thoughtSignature"]).collect();
    fields::known_members(part, at, &known)?;
    let kinds: Vec<&str> = KINDS.into_iter().filter(|kind| part.get(kind).is_some()).collect();
    let [kind] = kinds.as_slice() else {
        return Err(format!(
            "{at}: required oneof field 'data' must have one initialized field, not {kinds:?}"
        ));
    };
    let marked = part.get("thought").is_some() || part.get("thoughtSignature").is_some();
    match (*kind, role) {
        (_, "user") if marked => Err(format!("{at}: thoughts are the model's")),
        ("text", _) if part["text"].as_str().is_none_or(str::is_empty) => {
            Err(format!("{at}.text: must not be empty"))
        }
        ("text", _) => Ok(()),
        ("inlineData", "user") => picture(&part["inlineData"], at),
        ("functionCall", "model") => call(&part["functionCall"], at),
        ("functionResponse", "user") => response(&part["functionResponse"], at, model),
        (kind, role) => Err(format!("{at}: a part with {kind} is not allowed in role {role}")),
    }
}

fn picture(data: &Value, at: &str) -> Check {
    fields::known_members(data, at, &["mimeType", "data"])?;
    if !IMAGES.iter().any(|kind| data["mimeType"] == *kind) {
        return Err(format!("{at}.inlineData: Unsupported MIME type: {}", data["mimeType"]));
    }
    let text = data["data"].as_str().unwrap_or_default();
    let base64 = |byte: u8| byte.is_ascii_alphanumeric() || matches!(byte, b'+' | b'/' | b'=');
    if text.is_empty() || !text.bytes().all(base64) {
        return Err(format!("{at}.inlineData.data: Base64 decoding failed"));
    }
    Ok(())
}

fn call(call: &Value, at: &str) -> Check {
    fields::known_members(call, &format!("{at}.functionCall"), &["id", "name", "args"])?;
    fields::tool_name(&call["name"], &format!("{at}.functionCall.name"))?;
    if call["args"].is_object() { Ok(()) } else { Err(format!("{at}.functionCall.args: must be an object")) }
}

fn response(response: &Value, at: &str, model: &str) -> Check {
    let at = format!("{at}.functionResponse");
    fields::known_members(response, &at, &["id", "name", "response", "parts"])?;
    fields::tool_name(&response["name"], &format!("{at}.name"))?;
    if response["response"].as_object().is_none_or(serde_json::Map::is_empty) {
        return Err(format!("{at}.response: must be an object with members"));
    }
    let Some(parts) = response.get("parts") else { return Ok(()) };
    if !is_third_generation(model) {
        return Err(format!("{at}.parts: multimodal function responses are not supported by this model"));
    }
    entries(parts).iter().try_for_each(|part| {
        fields::known_members(part, &at, &["inlineData"])?;
        picture(&part["inlineData"], &at)
    })
}

/// The user begins and has the last word, and the model never speaks twice.
fn roles(contents: &[Value]) -> Check {
    let is_model = |content: &Value| content["role"] == "model";
    if contents.first().is_some_and(is_model) || contents.last().is_some_and(is_model) {
        return Err("contents: the first and the last must have the role user".into());
    }
    match contents.windows(2).position(|pair| pair.iter().all(is_model)) {
        Some(index) => Err(format!("contents[{}]: the model must not speak twice in a row", index + 1)),
        None => Ok(()),
    }
}

fn calls(content: &Value) -> Vec<&Value> {
    entries(&content["parts"]).iter().filter_map(|part| part.get("functionCall")).collect()
}

fn responses(content: &Value) -> Vec<&Value> {
    entries(&content["parts"]).iter().filter_map(|part| part.get("functionResponse")).collect()
}

/// After a content with calls comes one with their answers, all of them, in order, and nothing else.
fn answered(contents: &[Value]) -> Check {
    for (index, content) in contents.iter().enumerate() {
        let given = responses(content);
        let asked = index.checked_sub(1).map(|before| calls(&contents[before])).unwrap_or_default();
        if given.len() != asked.len()
            || (!asked.is_empty() && given.len() != entries(&content["parts"]).len())
        {
            return Err(format!(
                "contents[{index}]: Please ensure that the number of function response parts is equal to the number of \
                 function call parts of the function call turn, and that nothing else is among them."
            ));
        }
        for (place, (call, answer)) in asked.iter().zip(&given).enumerate() {
            if call["name"] != answer["name"] || call.get("id") != answer.get("id") {
                return Err(format!(
                    "contents[{index}].parts[{place}]: name or id differ from those of the call"
                ));
            }
        }
    }
    Ok(())
}

fn unique_ids(contents: &[Value]) -> Check {
    let mut seen = HashSet::new();
    let ids = contents.iter().flat_map(calls).filter_map(|call| call["id"].as_str());
    for id in ids {
        if id.is_empty() || id.len() > 64 || !seen.insert(id) {
            return Err(format!("functionCall.id: {id:?} must have 1 to 64 characters and be used once"));
        }
    }
    Ok(())
}

/// Signatures are this server's own and stand where it put them; Gemini 3 misses one it gave out.
fn signatures(contents: &[Value], model: &str, checker: &Checker<'_>) -> Check {
    for (index, content) in contents.iter().enumerate().filter(|(_, content)| content["role"] == "model") {
        let mut called = false;
        for part in entries(&content["parts"]) {
            let signature = part.get("thoughtSignature").and_then(Value::as_str);
            if signature.is_some_and(|given| given != NO_SIGNATURE && !checker.mint.is_redacted(given)) {
                return Err(format!("contents[{index}]: Thought signature is not valid."));
            }
            let Some(call) = part.get("functionCall") else { continue };
            let first = !std::mem::replace(&mut called, true);
            if is_third_generation(model) && first && signature.is_none() {
                return Err(format!("contents[{index}]: Function call is missing a thought_signature."));
            }
            in_place(call, signature, checker).map_err(|error| format!("contents[{index}]: {error}"))?;
        }
    }
    Ok(())
}

/// A signature on a call of ours must be the one it was sent with.
fn in_place(call: &Value, signature: Option<&str>, checker: &Checker<'_>) -> Check {
    let Some(signature) = signature.filter(|given| *given != NO_SIGNATURE) else { return Ok(()) };
    let is_it = |part: &Value| part["functionCall"]["id"] == call["id"] && call["id"].is_string();
    let Some(turn) = checker.turns.find(|turn| turn.blocks.iter().any(is_it)) else { return Ok(()) };
    let sent = turn.blocks.iter().find(|part| is_it(part)).and_then(|part| part["thoughtSignature"].as_str());
    if sent == Some(signature) { Ok(()) } else { Err("the thought signature belongs to another part".into()) }
}
