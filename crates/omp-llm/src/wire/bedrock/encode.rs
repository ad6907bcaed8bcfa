//! The request: address, body and signature.

use omp_types::{ModelRequest, ToolChoice, ToolDefinition};
use serde_json::{Map, Value, json};

use super::messages;
use super::thinking::{self, Family};
use crate::history::{self, Alphabet, AssistantPart, IdRules, Turn};
use crate::hosts::AwsOptions;
use crate::model::Model;
use crate::wire::caching::Caching;
use crate::wire::limit::output_limit;
use crate::wire::{Policy, ToolNames, Toolbox, WireRequest, insert_number, join};
use omp_schema as schema;

const IDS: IdRules = IdRules { max_len: 64, prefix: "tooluse_", alphabet: Alphabet::Word };
/// Stands for the region in addresses of ours.
const REGION: &str = "{region}";
/// The name of the service in signatures; the host's name is another.
const SERVICE: &str = "bedrock";

pub(in crate::wire) fn encode(
    model: &Model,
    request: &ModelRequest,
    policy: Policy,
    aws: &AwsOptions,
) -> WireRequest {
    let turns = history::prepare(&request.messages, model, IDS, request.options.identity_from);
    let toolbox = Toolbox::new(request, &turns);
    let body = body(model, request, policy, &turns, &toolbox).to_string();
    let base = model.base_url.replace(REGION, &aws.region);
    let url = join(&base, &format!("/model/{}/converse-stream", percent_encoded(model.wire_id())));
    let mut headers = vec![("accept", "application/vnd.amazon.eventstream".to_owned())];
    headers.extend(signature(model, &url, &body, aws));
    WireRequest { url, headers, body, names: toolbox.names.into_reverse() }
}

/// The same request with another body.
pub(in crate::wire) fn sign_again(model: &Model, request: &mut WireRequest, aws: &AwsOptions) {
    let signed = signature(model, &request.url, &request.body, aws);
    request.headers.retain(|(name, _)| !signed.iter().any(|(signed, _)| signed == name));
    request.headers.extend(signed);
}

/// A bearer token goes before keys; the client puts it where keys go.
fn signature(model: &Model, url: &str, body: &str, aws: &AwsOptions) -> Vec<(&'static str, String)> {
    let (Some(credentials), None, Ok(url)) = (&aws.credentials, &model.key, url::Url::parse(url)) else {
        return Vec::new();
    };
    let region = region_of(url.host_str().unwrap_or_default()).unwrap_or(&aws.region);
    credentials.sign_post(region, SERVICE, url.as_str(), body)
}

/// The region in the name of one of Amazon's own hosts; a signature for another one is refused.
fn region_of(host: &str) -> Option<&str> {
    let rest =
        host.strip_prefix("bedrock-runtime.").or_else(|| host.strip_prefix("bedrock-runtime-fips."))?;
    let region = rest.strip_suffix(".amazonaws.com").or_else(|| rest.strip_suffix(".amazonaws.com.cn"))?;
    (!region.is_empty() && !region.contains('.')).then_some(region)
}

/// Ids hold colons, those of inference profiles slashes too.
fn percent_encoded(text: &str) -> String {
    let mut encoded = String::with_capacity(text.len());
    for byte in text.bytes() {
        match byte {
            b'A'..=b'Z' | b'a'..=b'z' | b'0'..=b'9' | b'-' | b'.' | b'_' | b'~' => encoded.push(byte.into()),
            _ => encoded.push_str(&format!("%{byte:02X}")),
        }
    }
    encoded
}

fn body(
    model: &Model,
    request: &ModelRequest,
    policy: Policy,
    turns: &[Turn<'_>],
    toolbox: &Toolbox<'_>,
) -> Value {
    let forced = toolbox.forced() && model.compat.supports_forced_tool_choice;
    let thought = thinking::fields(model, &request.options, turns, forced);
    let cache = Caching::new(model, policy);
    let mut body = Map::new();
    let inference = inference(model, request, thought.excludes_sampling);
    if !inference.is_empty() {
        body.insert("inferenceConfig".into(), inference.into());
    }
    if !thought.fields.is_empty() {
        body.insert("additionalModelRequestFields".into(), thought.fields.into());
    }
    body.extend(model.compat.extra_body.clone());
    if let Some(config) = tool_config(toolbox, turns, forced) {
        body.insert("toolConfig".into(), config);
    }
    let system = request.system.iter().filter(|block| !block.trim().is_empty());
    let mut system: Vec<Value> = system.map(|text| json!({"text": text})).collect();
    if !system.is_empty() {
        cache.after(&mut system);
        body.insert("system".into(), system.into());
    }
    body.insert("messages".into(), messages::encode(turns, &toolbox.names, cache).into());
    Value::Object(body)
}

fn inference(model: &Model, request: &ModelRequest, excludes_sampling: bool) -> Map<String, Value> {
    let options = &request.options;
    let mut inference = Map::new();
    // Of Claude thoughts take part of the limit, so theirs is always sent and always the same.
    let limit = match Family::of(model) {
        Family::Claude => Some(options.max_tokens.unwrap_or(model.max_tokens).max(1)),
        Family::Effort | Family::Other => output_limit(model, request),
    };
    if let Some(limit) = limit {
        inference.insert("maxTokens".into(), limit.into());
    }
    if !excludes_sampling {
        insert_number(&mut inference, "temperature", options.sampling.temperature);
        insert_number(&mut inference, "topP", options.sampling.top_p);
    }
    inference
}

/// The API has no way to forbid tools, but a conversation with calls in it needs their definitions.
fn tool_config(toolbox: &Toolbox<'_>, turns: &[Turn<'_>], forced: bool) -> Option<Value> {
    let called = || {
        turns.iter().any(|turn| match turn {
            Turn::Assistant(parts) => parts.iter().any(|part| matches!(part, AssistantPart::Call { .. })),
            _ => false,
        })
    };
    if toolbox.tools.is_empty() || (toolbox.choice == ToolChoice::None && !called()) {
        return None;
    }
    let tools: Vec<Value> = toolbox.tools.iter().map(|tool| encode_tool(tool, &toolbox.names)).collect();
    let mut config = Map::new();
    config.insert("tools".into(), tools.into());
    match &toolbox.choice {
        ToolChoice::Required if forced => {
            config.insert("toolChoice".into(), json!({"any": {}}));
        }
        ToolChoice::Tool(name) if forced => {
            config.insert("toolChoice".into(), json!({"tool": {"name": toolbox.names.wire(name)}}));
        }
        _ => {}
    }
    Some(config.into())
}

fn encode_tool(tool: &ToolDefinition, names: &ToolNames) -> Value {
    let mut spec = Map::new();
    spec.insert("name".into(), names.wire(&tool.name).into());
    // An empty description is refused.
    if !tool.description.trim().is_empty() {
        spec.insert("description".into(), tool.description.clone().into());
    }
    spec.insert("inputSchema".into(), json!({"json": schema::normalize_for_anthropic(&tool.parameters)}));
    json!({"toolSpec": spec})
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn regions_are_those_of_the_host() {
        for (host, region) in [
            ("bedrock-runtime.eu-west-1.amazonaws.com", Some("eu-west-1")),
            ("bedrock-runtime-fips.us-gov-west-1.amazonaws.com", Some("us-gov-west-1")),
            ("bedrock-runtime.cn-north-1.amazonaws.com.cn", Some("cn-north-1")),
            ("vpce-1.bedrock-runtime.eu-west-1.vpce.amazonaws.com", None),
            ("127.0.0.1", None),
            ("bedrock-runtime.amazonaws.com", None),
        ] {
            assert_eq!(region_of(host), region, "{host}");
        }
    }

    #[test]
    fn ids_fit_into_a_path() {
        assert_eq!(percent_encoded("us.anthropic.claude-v1:0"), "us.anthropic.claude-v1%3A0");
        assert_eq!(percent_encoded("arn:aws:x/é"), "arn%3Aaws%3Ax%2F%C3%A9");
    }
}
