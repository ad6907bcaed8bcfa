//! The conversation as contents with parts.

use serde_json::{Map, Value, json};

use super::encode::is_guest;
use crate::history::{AssistantPart, ResultPart, Turn, UserPart};
use crate::model::{Api, Model, ThinkingMode};
use crate::wire::ToolNames;

/// Gemini 3 wants a signature on the first call of each answer. This word, from Google's documentation, stands for one
/// where the call was made by another model.
const NO_SIGNATURE: &str = "skip_thought_signature_validator";
/// Gemini sees these alone.
const IMAGE_TYPES: [&str; 3] = ["image/png", "image/jpeg", "image/webp"];

/// What the model about to read knows of the format.
struct Writer<'a> {
    names: &'a ToolNames,
    /// Calls and results name each other; elsewhere their order does.
    ids: bool,
    /// Results may hold pictures, and calls must be signed.
    third_generation: bool,
}

pub(super) fn encode(turns: &[Turn<'_>], model: &Model, names: &ToolNames) -> Vec<Value> {
    let third_generation = model.thinking == ThinkingMode::GoogleLevel;
    let ids = model.api == Api::GoogleGenerativeAi || third_generation || is_guest(model);
    let writer = Writer { names, ids, third_generation };
    let mut contents = Vec::new();
    for turn in turns {
        match turn {
            Turn::User(parts) | Turn::Developer(parts) => {
                contents.push(content("user", &parts.iter().map(user_part).collect::<Vec<_>>()));
            }
            Turn::Assistant(parts) => contents.push(content("model", &writer.answer(parts))),
            Turn::Results(results) => writer.results(results, &mut contents),
        }
    }
    contents
}

fn content(role: &str, parts: &[Value]) -> Value {
    json!({"role": role, "parts": parts})
}

fn user_part(part: &UserPart<'_>) -> Value {
    match part {
        UserPart::Text(text) => json!({"text": text}),
        UserPart::Image(image) if IMAGE_TYPES.contains(&image.mime_type.as_str()) => {
            json!({"inlineData": {"mimeType": image.mime_type, "data": image.data}})
        }
        UserPart::Image(image) => {
            json!({"text": format!("[image left out: {} is not supported]", image.mime_type)})
        }
    }
}

impl Writer<'_> {
    fn answer(&self, parts: &[AssistantPart<'_>]) -> Vec<Value> {
        let mut written = Vec::new();
        let mut called = false;
        for part in parts {
            let value = match part {
                AssistantPart::Text { text, identity } => signed(json!({"text": text}), *identity),
                AssistantPart::Thinking { text, signature } => {
                    signed(json!({"text": text, "thought": true}), Some(signature))
                }
                AssistantPart::Call { id, name, arguments, identity, .. } => {
                    let stand_in = (self.third_generation && !called).then_some(NO_SIGNATURE);
                    called = true;
                    let call = self.identified(id, name, "args", json!(arguments.as_ref()));
                    signed(json!({"functionCall": call}), identity.or(stand_in))
                }
                // Nothing this wire says ever becomes one of these.
                AssistantPart::Redacted { .. } | AssistantPart::Native { .. } => continue,
            };
            written.push(value);
        }
        written
    }

    /// All results of an answer in one content. Where a result cannot hold a picture, it follows in one of its own.
    fn results(&self, results: &[ResultPart<'_>], contents: &mut Vec<Value>) {
        let mut pictures = Vec::new();
        let mut answers = Vec::new();
        for result in results {
            let shown: Vec<Value> =
                result.content.iter().filter(|part| part.text().is_none()).map(user_part).collect();
            let outcome = if result.is_error { "error" } else { "output" };
            let said = json!({outcome: result.flagged_text()});
            let mut response = self.identified(&result.id, result.name, "response", said);
            let (inside, beside): (Vec<Value>, Vec<Value>) =
                shown.into_iter().partition(|part| self.third_generation && part.get("inlineData").is_some());
            if !inside.is_empty() {
                response.insert("parts".into(), inside.into());
            }
            answers.push(json!({"functionResponse": response}));
            if !beside.is_empty() {
                pictures.push(json!({"text": format!("Image from {}:", result.name)}));
                pictures.extend(beside);
            }
        }
        contents.push(content("user", &answers));
        if !pictures.is_empty() {
            contents.push(content("user", &pictures));
        }
    }

    fn identified(&self, id: &str, name: &str, field: &str, value: Value) -> Map<String, Value> {
        let mut object = Map::new();
        if self.ids {
            object.insert("id".into(), id.into());
        }
        object.insert("name".into(), self.names.wire(name).into());
        object.insert(field.into(), value);
        object
    }
}

fn signed(mut part: Value, signature: Option<&str>) -> Value {
    if let Some(signature) = signature.filter(|signature| !signature.is_empty()) {
        part["thoughtSignature"] = signature.into();
    }
    part
}
