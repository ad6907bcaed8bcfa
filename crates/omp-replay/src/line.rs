//! The lines of a recording.

use std::sync::Arc;

use omp_types::{Message, ToolDefinition, ToolOutput, UserContent};
use serde::{Deserialize, Serialize};
use serde_json::{Map, Value};

/// The form of recordings that this program writes and reads.
pub const VERSION: u32 = 3;
/// The oldest form that this program still reads: without a screen. The second had no numbers of artifacts.
pub const OLDEST: u32 = 1;

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
        /// What programs are told about it.
        #[serde(default, skip_serializing_if = "Value::is_null")]
        details: Value,
    },
    /// The last turn was tried again.
    Retry {
        /// When.
        at: u64,
    },
    /// The user ran a command.
    Command {
        /// When it had ended.
        at: u64,
        /// The command.
        command: String,
        /// What became of it.
        outcome: Value,
    },
    /// A message became part of the conversation without a turn.
    Note {
        /// When.
        at: u64,
        /// The message.
        message: Value,
        /// It waits for the next prompt.
        later: bool,
    },
    /// The user changed something that requests depend on.
    Turned {
        /// When.
        at: u64,
        /// What.
        what: String,
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
    /// The session itself kept a text as an artifact. Which number it gets depends on what tools kept before.
    Artifact {
        /// The number.
        id: u64,
    },
    /// The terminal: what was typed, what came in and what it showed.
    Screen(Screen),
    /// The recording was larger than it may be; the rest is missing.
    Full,
    /// The session ended in good order.
    End,
}

/// What happened at the terminal. Times are milliseconds since the program began to show something.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize)]
#[serde(tag = "entry", rename_all = "snake_case", rename_all_fields = "camelCase")]
pub enum Screen {
    /// The screen began with this.
    Begun {
        /// Columns and rows.
        size: (u16, u16),
        /// What was told first, in the words of the program.
        greeting: Value,
        /// Things the user was told.
        remarks: Vec<String>,
        /// Prompts of the command line.
        prompts: Vec<UserContent>,
        /// The user's keys: actions and their chords.
        keys: Vec<(String, Vec<String>)>,
        /// Whether a model was asked for names of sessions.
        #[serde(default)]
        titles: bool,
    },
    /// The terminal has another size.
    Size {
        /// When.
        at: u64,
        /// Columns and rows.
        size: (u16, u16),
    },
    /// Text was typed.
    Text {
        /// When.
        at: u64,
        /// So many events the session had told by then.
        told: u64,
        /// What.
        text: String,
    },
    /// A key that types no text.
    Key {
        /// When.
        at: u64,
        /// So many events the session had told by then.
        told: u64,
        /// Which.
        key: String,
    },
    /// Text was pasted.
    Paste {
        /// When.
        at: u64,
        /// So many events the session had told by then.
        told: u64,
        /// What.
        text: String,
    },
    /// The screen took up what the session said.
    Words {
        /// When.
        at: u64,
        /// So many events.
        events: u64,
        /// So many questions.
        questions: u64,
    },
    /// Something of the machine, or something that was waited for.
    Fact {
        /// When.
        at: u64,
        /// So many events the session had told by then.
        told: u64,
        /// Which.
        name: String,
        /// What it is.
        value: Value,
    },
    /// What the screen showed at rest: the rows that are not as in the frame before.
    Frame {
        /// When.
        at: u64,
        /// Columns and rows of the terminal.
        size: (u16, u16),
        /// The rows.
        rows: Vec<FrameRow>,
        /// How many rows there are, with those that lie over others.
        count: usize,
    },
    /// The user did something that is not played; the screen is not kept from here on.
    Left {
        /// When.
        at: u64,
        /// What.
        what: String,
    },
}

/// A row of a frame, counted from the top of the screen, and its characters.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize)]
pub struct FrameRow(pub usize, pub String);

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
    /// The home directory, which is shown as `~`.
    #[serde(skip_serializing_if = "String::is_empty")]
    pub home: String,
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
    /// The lines of its file, if it was saved: a compaction works on entries, not on messages.
    #[serde(skip_serializing_if = "Vec::is_empty")]
    pub entries: Vec<Value>,
    /// Columns and rows, if there was a terminal.
    pub terminal: Option<(u16, u16)>,
    /// Whether the conversation was saved.
    #[serde(skip_serializing_if = "std::ops::Not::not")]
    pub kept: bool,
}

/// A request and its answer.
#[derive(Clone, Debug, Default, PartialEq, Serialize, Deserialize)]
#[serde(rename_all = "camelCase", default)]
pub struct Exchange {
    /// When the answer had ended.
    pub at: u64,
    /// So many events the session had told when the request was made.
    pub told: u64,
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
    /// The answer held something secret that could not be replaced, and is not here.
    #[serde(skip_serializing_if = "std::ops::Not::not")]
    pub withheld: bool,
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
