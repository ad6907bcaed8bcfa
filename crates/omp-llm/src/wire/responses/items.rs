//! The conversation as input items.

use omp_types::ImageDetail;
use serde_json::{Map, Value, json};

use crate::history::{AssistantPart, ResultPart, Turn, UserPart};
use crate::model::Model;
use crate::wire::{ToolNames, data_url};

pub(super) fn encode(turns: &[Turn<'_>], model: &Model, names: &ToolNames) -> Vec<Value> {
    let mut items = Vec::new();
    for turn in turns {
        match turn {
            Turn::User(parts) => items.push(said("user", parts)),
            Turn::Developer(parts) => items.push(said(developer(parts, model), parts)),
            Turn::Assistant(parts) => push_assistant(&mut items, parts, model, names),
            Turn::Results(results) => items.extend(results.iter().map(|result| result_item(result, model))),
        }
    }
    items
}

fn said(role: &str, parts: &[UserPart<'_>]) -> Value {
    let content: Vec<Value> = parts.iter().map(content_part).collect();
    json!({"type": "message", "role": role, "content": content})
}

/// Pictures are shown by users only, and not every server knows the role.
fn developer(parts: &[UserPart<'_>], model: &Model) -> &'static str {
    let words = parts.iter().all(|part| matches!(part, UserPart::Text(_)));
    if words && model.compat.supports_developer_role { "developer" } else { "user" }
}

fn content_part(part: &UserPart<'_>) -> Value {
    match part {
        UserPart::Text(text) => json!({"type": "input_text", "text": text}),
        UserPart::Image(image) => {
            let detail = match image.detail {
                Some(ImageDetail::Original) => "original",
                None => "auto",
            };
            json!({"type": "input_image", "detail": detail, "image_url": data_url(image)})
        }
    }
}

/// An item with its id must bring the reasoning it was made with. Where that cannot be replayed, the items after it
/// are sent as if they were new.
fn push_assistant(items: &mut Vec<Value>, parts: &[AssistantPart<'_>], model: &Model, names: &ToolNames) {
    let mut anonymous = false;
    for part in parts {
        match part {
            AssistantPart::Thinking { signature, .. } => {
                let item = reasoning_item(signature);
                anonymous |= item.is_none();
                items.extend(item);
            }
            AssistantPart::Text { text, identity } => {
                let content = json!([{"type": "output_text", "text": text, "annotations": []}]);
                let mut item = new_item("message", identity.filter(|_| !anonymous));
                item.insert("role".into(), "assistant".into());
                item.insert("status".into(), "completed".into());
                item.insert("content".into(), content);
                items.push(Value::Object(item));
            }
            AssistantPart::Call { id, name, arguments, identity, custom } => {
                let said_as_custom = *custom && model.compat.custom_tools;
                let kind = if said_as_custom { "custom_tool_call" } else { "function_call" };
                // An id belongs to its kind.
                let mut item = new_item(kind, identity.filter(|_| !anonymous && said_as_custom == *custom));
                item.insert("call_id".into(), id.clone().into());
                item.insert("name".into(), names.wire(name).into());
                if said_as_custom {
                    item.insert(
                        "input".into(),
                        arguments.get("input").and_then(Value::as_str).unwrap_or_default().into(),
                    );
                } else {
                    item.insert("arguments".into(), Value::Object((**arguments).clone()).to_string().into());
                }
                items.push(Value::Object(item));
            }
            AssistantPart::Native { value } => items.push((*value).clone()),
            // Sealed reasoning of this wire is a thinking block without words.
            AssistantPart::Redacted { .. } => {}
        }
    }
}

fn new_item(kind: &str, identity: Option<&str>) -> Map<String, Value> {
    let mut item = Map::new();
    item.insert("type".into(), kind.into());
    if let Some(id) = identity {
        item.insert("id".into(), id.into());
    }
    item
}

/// The stored item, verbatim. Without its encrypted content the provider could not read it again.
fn reasoning_item(signature: &str) -> Option<Value> {
    let item: Value = serde_json::from_str(signature).ok()?;
    item.get("encrypted_content").is_some_and(Value::is_string).then_some(item)
}

fn result_item(result: &ResultPart<'_>, model: &Model) -> Value {
    let custom = result.custom && model.compat.custom_tools;
    let kind = if custom { "custom_tool_call_output" } else { "function_call_output" };
    let text = result.flagged_text();
    let output = if result.has_images() {
        let images = result.content.iter().filter(|part| part.text().is_none()).map(content_part);
        std::iter::once(json!({"type": "input_text", "text": text})).chain(images).collect()
    } else {
        Value::String(text)
    };
    json!({"type": kind, "call_id": result.id, "output": output})
}
