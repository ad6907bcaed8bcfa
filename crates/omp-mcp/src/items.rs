//! What a server offers: tools, resources, prompts; bounded, and without what could not be used.

use std::sync::Arc;

use rmcp::model as wire;
use serde::{Deserialize, Serialize};
use serde_json::{Map, Value, json};

use crate::definition::hex;
use crate::limits;

/// A tool of a server.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize)]
pub struct Tool {
    pub server: String,
    /// As the server calls it.
    pub name: String,
    pub title: Option<String>,
    pub description: Option<String>,
    pub input_schema: Arc<Map<String, Value>>,
    pub output_schema: Option<Arc<Map<String, Value>>>,
    pub hints: ToolHints,
}

/// What a server says about a tool. It may lie.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, Serialize, Deserialize)]
pub struct ToolHints {
    pub read_only: Option<bool>,
    pub destructive: Option<bool>,
    pub idempotent: Option<bool>,
    pub open_world: Option<bool>,
}

impl Tool {
    /// As models see it.
    pub fn model_name(&self) -> String {
        crate::name::tool_name(&self.server, &self.name)
    }

    /// Changes with everything that a user agreed to when agreeing to the tool.
    pub fn fingerprint(&self) -> String {
        let text =
            json!([self.name, self.title, self.description, self.input_schema, self.hints]).to_string();
        hex(ring::digest::digest(&ring::digest::SHA256, text.as_bytes()).as_ref())
    }
}

/// Something that can be read.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize)]
pub struct Resource {
    pub uri: String,
    pub name: String,
    pub title: Option<String>,
    pub description: Option<String>,
    pub mime_type: Option<String>,
    pub size: Option<u64>,
}

/// A family of resources.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize)]
pub struct ResourceTemplate {
    pub uri_template: String,
    pub name: String,
    pub title: Option<String>,
    pub description: Option<String>,
    pub mime_type: Option<String>,
}

/// A prompt that a server has ready.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize)]
pub struct Prompt {
    pub name: String,
    pub title: Option<String>,
    pub description: Option<String>,
    pub arguments: Vec<PromptArgument>,
}

#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize)]
pub struct PromptArgument {
    pub name: String,
    pub description: Option<String>,
    pub required: bool,
}

/// Everything a server offers.
#[derive(Clone, Debug, Default, PartialEq)]
pub struct Offer {
    pub tools: Arc<Vec<Tool>>,
    pub resources: Arc<Vec<Resource>>,
    pub templates: Arc<Vec<ResourceTemplate>>,
    pub prompts: Arc<Vec<Prompt>>,
    /// What was left out and why.
    pub notes: Vec<String>,
}

fn text(text: Option<impl AsRef<str>>) -> Option<String> {
    text.map(|text| limits::shortened(text.as_ref(), limits::DESCRIPTION))
}

/// Names and addresses are used as keys and shown in lists.
fn check_name(what: &str, name: &str, most: usize) -> Result<(), String> {
    let problem = if name.is_empty() {
        "its name is empty"
    } else if name.len() > most {
        "its name is too long"
    } else if name.chars().any(char::is_control) {
        "its name contains control characters"
    } else {
        return Ok(());
    };
    let shown: String = name.chars().filter(|c| !c.is_control()).take(60).collect();
    Err(format!("the {what} \"{shown}\" was left out: {problem}"))
}

fn check_schema(tool: &str, what: &str, schema: &Map<String, Value>) -> Result<(), String> {
    let length = serde_json::to_string(schema).map_or(0, |text| text.len());
    match length > limits::SCHEMA {
        false => Ok(()),
        true => Err(format!(
            "the tool \"{tool}\" was left out: its {what} schema has {} KiB, the limit is {} KiB",
            length >> 10,
            limits::SCHEMA >> 10
        )),
    }
}

impl Tool {
    pub(crate) fn of_wire(server: &str, tool: wire::Tool) -> Result<Self, String> {
        check_name("tool", &tool.name, limits::NAME)?;
        check_schema(&tool.name, "input", &tool.input_schema)?;
        if let Some(schema) = &tool.output_schema {
            check_schema(&tool.name, "output", schema)?;
        }
        let annotations = tool.annotations.unwrap_or_default();
        Ok(Self {
            server: server.to_owned(),
            title: text(tool.title.or(annotations.title)),
            description: text(tool.description),
            input_schema: tool.input_schema,
            output_schema: tool.output_schema,
            hints: ToolHints {
                read_only: annotations.read_only_hint,
                destructive: annotations.destructive_hint,
                idempotent: annotations.idempotent_hint,
                open_world: annotations.open_world_hint,
            },
            name: tool.name.into_owned(),
        })
    }
}

impl Resource {
    pub(crate) fn of_wire(resource: wire::Resource) -> Result<Self, String> {
        check_name("resource", &resource.uri, limits::URI)?;
        Ok(Self {
            uri: resource.uri,
            name: limits::shortened(&resource.name, limits::NAME),
            title: text(resource.title),
            description: text(resource.description),
            mime_type: text(resource.mime_type),
            size: resource.size,
        })
    }
}

impl ResourceTemplate {
    pub(crate) fn of_wire(template: wire::ResourceTemplate) -> Result<Self, String> {
        check_name("resource template", &template.uri_template, limits::URI)?;
        Ok(Self {
            uri_template: template.uri_template,
            name: limits::shortened(&template.name, limits::NAME),
            title: text(template.title),
            description: text(template.description),
            mime_type: text(template.mime_type),
        })
    }
}

impl Prompt {
    pub(crate) fn of_wire(prompt: wire::Prompt) -> Result<Self, String> {
        check_name("prompt", &prompt.name, limits::NAME)?;
        let arguments = prompt.arguments.unwrap_or_default().into_iter().take(limits::BLOCKS);
        let arguments = arguments.map(|argument| PromptArgument {
            name: limits::shortened(&argument.name, limits::NAME),
            description: text(argument.description),
            required: argument.required.unwrap_or(false),
        });
        Ok(Self {
            name: prompt.name,
            title: text(prompt.title),
            description: text(prompt.description),
            arguments: arguments.collect(),
        })
    }
}
