//! From plain data to the SDK's types.

use rmcp::model as wire;
use rmcp::model::{
    CallToolResult, ContentBlock, ErrorData, ResourceContents, ServerCapabilities, ServerConfig,
};
use serde_json::{Value, json};

use super::backend::{Features, Identity, PromptText, Refusal};
use crate::content::{Content, ResourceBody, ResourceData, ToolResult};
use crate::host::Speaker;
use crate::items::{Prompt, Resource, ResourceTemplate, Tool};

pub(super) fn config(identity: Identity, features: Features, announces: bool) -> ServerConfig {
    let mut capabilities = json!({"tools": {"listChanged": features.changing_tools}});
    if features.resources {
        capabilities["resources"] = json!({"listChanged": announces, "subscribe": features.subscriptions});
    }
    if features.prompts {
        capabilities["prompts"] = json!({"listChanged": features.changing_tools});
    }
    if features.completions {
        capabilities["completions"] = json!({});
    }
    if features.logging {
        capabilities["logging"] = json!({});
    }
    let capabilities: ServerCapabilities = serde_json::from_value(capabilities).unwrap_or_default();
    let mut implementation = wire::Implementation::new(identity.name, identity.version);
    implementation.title = Some(identity.title);
    let mut config = ServerConfig::new(capabilities).with_server_info(implementation);
    config.instructions = identity.instructions;
    config
}

pub(super) fn tool(tool: Tool) -> wire::Tool {
    let hints = tool.hints;
    let annotations = wire::ToolAnnotations::from_raw(
        tool.title.clone(),
        hints.read_only,
        hints.destructive,
        hints.idempotent,
        hints.open_world,
    );
    let mut made = wire::Tool::new_with_raw(tool.name, tool.description.map(Into::into), tool.input_schema);
    made.title = tool.title;
    made.output_schema = tool.output_schema;
    made.with_annotations(annotations)
}

pub(super) fn resource(resource: Resource) -> wire::Resource {
    let mut made = wire::Resource::new(resource.uri, resource.name);
    made.title = resource.title;
    made.description = resource.description;
    made.mime_type = resource.mime_type;
    made.size = resource.size;
    made
}

pub(super) fn template(template: ResourceTemplate) -> wire::ResourceTemplate {
    let mut made = wire::ResourceTemplate::new(template.uri_template, template.name);
    made.title = template.title;
    made.description = template.description;
    made.mime_type = template.mime_type;
    made
}

pub(super) fn prompt(prompt: Prompt) -> wire::Prompt {
    let argument = |argument: crate::items::PromptArgument| {
        let mut made = wire::PromptArgument::new(argument.name).with_required(argument.required);
        made.description = argument.description;
        made
    };
    let arguments = prompt.arguments.into_iter().map(argument).collect();
    let mut made = wire::Prompt::new(prompt.name, prompt.description, Some(arguments));
    made.title = prompt.title;
    made
}

pub(super) fn body(body: ResourceBody) -> ResourceContents {
    let made = match body.data {
        ResourceData::Text(text) => ResourceContents::text(text, body.uri),
        ResourceData::Blob(blob) => ResourceContents::blob(blob, body.uri),
    };
    match body.mime_type {
        Some(kind) => made.with_mime_type(kind),
        None => made,
    }
}

fn block(content: Content) -> ContentBlock {
    match content {
        Content::Text(text) => ContentBlock::text(text),
        Content::Image { mime_type, data } => ContentBlock::image(data, mime_type),
        Content::Audio { mime_type, data } => ContentBlock::Audio(wire::AudioContent::new(data, mime_type)),
        Content::Resource(of) => ContentBlock::resource(body(of)),
        Content::Link { uri, name, description, mime_type, size } => {
            ContentBlock::resource_link(resource(Resource {
                uri,
                name,
                title: None,
                description,
                mime_type,
                size,
            }))
        }
        Content::Unknown { kind } => ContentBlock::text(format!("[content of unknown type: {kind}]")),
    }
}

pub(super) fn result(result: ToolResult) -> CallToolResult {
    let content = result.content.into_iter().map(block).collect();
    let mut made = match result.is_error {
        true => CallToolResult::error(content),
        false => CallToolResult::success(content),
    };
    made.structured_content = result.structured;
    made
}

pub(super) fn prompt_text(text: PromptText) -> wire::GetPromptResult {
    let turn = |turn: crate::connection::PromptTurn| {
        let role = match turn.speaker {
            Speaker::User => wire::Role::User,
            Speaker::Assistant => wire::Role::Assistant,
        };
        wire::PromptMessage::new(role, block(turn.content))
    };
    let mut made = wire::GetPromptResult::new(text.turns.into_iter().map(turn).collect());
    made.description = text.description;
    made
}

pub(super) fn refusal(refusal: Refusal) -> ErrorData {
    match refusal {
        Refusal::Invalid(why) => ErrorData::invalid_params(why, None),
        Refusal::NoSuchResource { uri } => {
            ErrorData::resource_not_found("resource not found", Some(Value::from_iter([("uri", uri)])))
        }
        Refusal::ClientCannot(question) => {
            ErrorData::missing_required_client_capability(question.capabilities())
        }
        Refusal::Failed(why) => ErrorData::internal_error(why, None),
    }
}
