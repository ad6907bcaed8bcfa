//! What a program implements to be a server.

use futures_util::future::BoxFuture;
use serde_json::{Map, Value};
use tokio::sync::broadcast;

use super::client::{Client, Question};
use crate::connection::PromptTurn;
use crate::content::{ResourceBody, ToolResult};
use crate::items::{Prompt, Resource, ResourceTemplate, Tool};

/// How a server introduces itself.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct Identity {
    pub name: String,
    pub title: String,
    pub version: String,
    /// For the client's model.
    pub instructions: Option<String>,
}

/// What a server has beside tools.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub struct Features {
    /// Tools and prompts come and go.
    pub changing_tools: bool,
    pub resources: bool,
    /// Clients are told when a resource has changed that they follow.
    pub subscriptions: bool,
    pub prompts: bool,
    pub completions: bool,
    pub logging: bool,
}

/// A call of a tool. The arguments are a stranger's.
#[derive(Clone, Debug, PartialEq)]
pub struct ToolCall {
    pub name: String,
    pub arguments: Map<String, Value>,
}

/// A part of a list.
#[derive(Clone, Debug, Default, PartialEq)]
pub struct ResourcePage {
    pub resources: Vec<Resource>,
    /// Where the next part begins.
    pub next: Option<String>,
}

/// A prompt that was filled in.
#[derive(Clone, Debug, Default, PartialEq)]
pub struct PromptText {
    pub description: Option<String>,
    pub turns: Vec<PromptTurn>,
}

/// Why a request has no result. What a tool has to say about its own failure is a result.
#[derive(Clone, Debug, PartialEq)]
pub enum Refusal {
    /// The request makes no sense.
    Invalid(String),
    NoSuchResource {
        uri: String,
    },
    /// The client would have to answer this kind of question.
    ClientCannot(Box<Question>),
    Failed(String),
}

/// What clients are told about unasked.
#[derive(Clone, Debug, PartialEq, Eq)]
pub enum Change {
    Tools,
    Prompts,
    Resources,
    /// The content of this one.
    Resource(String),
}

/// A server without the protocol. Calls run side by side.
pub trait Backend: Send + Sync + 'static {
    fn identity(&self) -> Identity;

    fn features(&self) -> Features {
        Features::default()
    }

    /// In an order that does not change.
    fn tools(&self) -> Vec<Tool>;

    /// Runs a tool. [`Client::cancelled`] fires when nobody wants the result any more; what takes longer to end is dropped.
    fn call(&self, call: ToolCall, client: Client) -> BoxFuture<'_, Result<ToolResult, Refusal>>;

    fn resources(&self, cursor: Option<String>) -> BoxFuture<'_, Result<ResourcePage, Refusal>> {
        let _ = cursor;
        Box::pin(std::future::ready(Ok(ResourcePage::default())))
    }

    fn resource_templates(&self) -> Vec<ResourceTemplate> {
        Vec::new()
    }

    fn read(&self, uri: String, client: Client) -> BoxFuture<'_, Result<Vec<ResourceBody>, Refusal>> {
        let _ = client;
        Box::pin(std::future::ready(Err(Refusal::NoSuchResource { uri })))
    }

    fn prompts(&self) -> Vec<Prompt> {
        Vec::new()
    }

    fn prompt(
        &self,
        name: String,
        arguments: Map<String, Value>,
        client: Client,
    ) -> BoxFuture<'_, Result<PromptText, Refusal>> {
        let _ = (arguments, client);
        let refusal = Refusal::Invalid(format!("unknown prompt \"{name}\""));
        Box::pin(std::future::ready(Err(refusal)))
    }

    /// Values for an argument of a prompt or of a resource template.
    fn complete(&self, of: &str, argument: &str, typed: &str) -> Vec<String> {
        let _ = (of, argument, typed);
        Vec::new()
    }

    /// What changes while clients are connected.
    fn changes(&self) -> Option<broadcast::Receiver<Change>> {
        None
    }
}
