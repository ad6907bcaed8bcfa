//! The lines of a recording.

use std::sync::Arc;

use omp_types::{Message, ToolDefinition, ToolOutput, UserContent};
use serde::{Deserialize, Serialize};
use serde_json::{Map, Value};

/// The form of recordings that this program writes and reads.
pub const VERSION: u32 = 1;

/// One line. Times are milliseconds since 1970.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize)]
#[serde(tag = "type", rename_all = "snake_case", rename_all_fields = "camelCase")]
pub enum Line {
    /// The first line.
    Recording {
        /// The form of the lines that follow.
        version: u32,
        /// The program that wrote them.
        omp: String,
    },
    /// What the session began with.
    World(Box<World>),
    /// The user said something, or the program in the user's stead.
    Prompt {
        /// When.
        at: u64,
        /// What.
        content: UserContent,
        /// The kind of the message, if it is none of the user's own words.
        #[serde(default, skip_serializing_if = "Option::is_none")]
        kind: Option<String>,
        /// Whether people see it.
        display: bool,
    },
    /// The last turn was tried again.
    Retry {
        /// When.
        at: u64,
    },
    /// A request to a provider, and the answer.
    Exchange(Exchange),
    /// A call of a tool.
    Tool(ToolRun),
    /// A number that was left to chance.
    Random {
        /// From 0 to 1.
        value: f64,
    },
    /// Something happened.
    Event {
        /// When.
        at: u64,
        /// What, without what differs every time.
        event: Value,
    },
    /// The recording was larger than it may be; the rest is missing.
    Full,
}

/// What a session begins with.
#[derive(Clone, Debug, Default, PartialEq, Serialize, Deserialize)]
#[serde(rename_all = "camelCase", default)]
pub struct World {
    /// When the session began.
    pub at: u64,
    /// The id of the session. It is part of some requests.
    pub session: String,
    /// Where the session worked.
    pub cwd: String,
    /// `provider/id` of the model.
    pub selector: String,
    /// The model as a models file describes it, without what is secret.
    pub models: Value,
    /// How hard the model thinks.
    pub thinking: String,
    /// What the model is told before the conversation.
    pub system: Vec<String>,
    /// What goes with every prompt of the user.
    pub sticky: Option<String>,
    /// The tools, as the model gets them described.
    pub tools: Vec<ToolDefinition>,
    /// Settings that are not as they come, by their paths.
    pub settings: Map<String, Value>,
    /// The conversation that the session went on with.
    pub messages: Vec<Arc<Message>>,
    /// Columns and rows, if there was a terminal.
    pub terminal: Option<(u16, u16)>,
}

/// A request and its answer.
#[derive(Clone, Debug, Default, PartialEq, Serialize, Deserialize)]
#[serde(rename_all = "camelCase", default)]
pub struct Exchange {
    /// When the answer had ended.
    pub at: u64,
    /// Where the request went.
    pub url: String,
    /// What it said.
    pub request: Value,
    /// The status of the answer; 0 if there was none.
    pub status: u16,
    /// Its headers, as far as they decide something.
    pub headers: Vec<(String, String)>,
    /// What the provider sent, if it is text.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub body: Option<String>,
    /// The same in base64, if it is not.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub bytes: Option<String>,
    /// How the answer ended.
    pub end: Ending,
}

/// How an answer ended.
#[derive(Clone, Debug, Default, PartialEq, Eq, Serialize, Deserialize)]
#[serde(rename_all = "camelCase")]
pub enum Ending {
    /// The provider had sent everything.
    Whole,
    /// Nobody read on: the answer was complete, or it was stopped.
    #[default]
    Stopped,
    /// The connection broke, or was never made.
    Broken(String),
}

/// A call of a tool and what it gave back.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize)]
#[serde(rename_all = "camelCase")]
pub struct ToolRun {
    /// When it had ended.
    pub at: u64,
    /// The id of the call.
    pub id: String,
    /// The tool.
    pub name: String,
    /// What it was given.
    pub arguments: Map<String, Value>,
    /// What it gave back.
    pub outcome: ToolOutcome,
}

/// What a tool gave back.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize)]
#[serde(rename_all = "camelCase")]
pub enum ToolOutcome {
    /// It did what it was asked for.
    Done(ToolOutput),
    /// It failed, with this message for the model.
    Failed {
        /// For the model.
        message: String,
        /// For people and programs.
        #[serde(default, skip_serializing_if = "Option::is_none")]
        details: Option<Value>,
    },
}
