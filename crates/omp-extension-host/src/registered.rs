//! What an extension has registered, as it says itself.

use serde::Deserialize;
use serde_json::{Map, Value};

use crate::event::EventName;

/// The most of each kind that one extension may register.
const MOST: usize = 2_000;

/// Everything that one extension offers.
#[derive(Clone, Debug, Default, Deserialize)]
#[serde(rename_all = "camelCase", default)]
pub struct Registered {
    /// The name that it gave itself.
    pub label: Option<String>,
    pub events: Vec<String>,
    pub tools: Vec<ToolSpec>,
    pub commands: Vec<CommandSpec>,
    pub shortcuts: Vec<ShortcutSpec>,
    pub flags: Vec<FlagSpec>,
    pub message_renderers: Vec<String>,
    pub thinking_renderers: usize,
    pub providers: Vec<Value>,
}

/// A tool for the model.
#[derive(Clone, Debug, Default, PartialEq, Deserialize)]
#[serde(rename_all = "camelCase", default)]
pub struct ToolSpec {
    pub name: String,
    pub label: String,
    pub description: String,
    pub parameters: Map<String, Value>,
    pub strict: bool,
    /// Not told to the model.
    pub hidden: bool,
    /// Not active until somebody activates it.
    pub default_inactive: bool,
    /// The model may have to search for it.
    pub deferrable: bool,
    /// `read`, `write` or `exec`.
    pub approval: Option<String>,
    /// Its own function says how much a call can do.
    pub asks_approval: bool,
    pub read_only: bool,
    /// It says of itself that it destroys something.
    pub destructive: bool,
    pub exclusive: bool,
    pub mcp_server_name: Option<String>,
    pub mcp_tool_name: Option<String>,
    pub prompt_snippet: Option<String>,
    pub prompt_guidelines: Option<Vec<String>>,
    pub renders_call: bool,
    pub renders_result: bool,
    pub describes_approval: bool,
}

/// A slash command.
#[derive(Clone, Debug, Default, PartialEq, Eq, Deserialize)]
#[serde(default)]
pub struct CommandSpec {
    pub name: String,
    pub description: String,
    /// It completes its arguments.
    pub completes: bool,
}

/// A key.
#[derive(Clone, Debug, Default, PartialEq, Eq, Deserialize)]
#[serde(default)]
pub struct ShortcutSpec {
    pub key: String,
    pub description: String,
}

/// A flag of the command line.
#[derive(Clone, Debug, PartialEq, Deserialize)]
pub struct FlagSpec {
    pub name: String,
    #[serde(default)]
    pub description: String,
    #[serde(rename = "type")]
    pub kind: FlagKind,
    #[serde(default)]
    pub default: Option<Value>,
}

#[derive(Clone, Copy, Debug, PartialEq, Eq, Deserialize)]
#[serde(rename_all = "lowercase")]
pub enum FlagKind {
    Boolean,
    String,
}

impl Registered {
    /// Reads what a script said. A kind with too many is cut; what was cut is said.
    pub(crate) fn read(value: Value) -> Result<(Self, Vec<String>), String> {
        let mut all: Self = serde_json::from_value(value).map_err(|error| error.to_string())?;
        let mut remarks = Vec::new();
        let mut cut = |kind: &str, length: usize| {
            if length > MOST {
                remarks.push(format!("{} {kind} beyond the first {MOST} are ignored", length - MOST));
            }
        };
        cut("tools", all.tools.len());
        cut("commands", all.commands.len());
        cut("shortcuts", all.shortcuts.len());
        all.tools.truncate(MOST);
        all.commands.truncate(MOST);
        all.shortcuts.truncate(MOST);
        for name in &all.events {
            match EventName::from_name(name) {
                None => remarks.push(format!("omp has no event {name:?}; its handlers never run")),
                Some(event) if !event.is_sent() => {
                    remarks.push(format!("the event {name:?} is not available yet; its handlers never run"));
                }
                Some(_) => {}
            }
        }
        for provider in all.providers.iter().filter(|provider| provider["logsIn"] == true) {
            let name = provider["name"].as_str().unwrap_or_default();
            remarks.push(format!("signing in to {name:?} through the extension is not available yet"));
        }
        Ok((all, remarks))
    }

    /// The events that it listens to, as a set.
    pub(crate) fn interest(&self) -> u64 {
        let events = self.events.iter().filter_map(|name| EventName::from_name(name));
        events.fold(0, |set, event| set | event.bit())
    }

    /// Adds or replaces one thing that was registered later.
    pub(crate) fn add(&mut self, kind: &str, value: Value) -> Result<(), String> {
        fn put<T>(list: &mut Vec<T>, new: T, same: impl Fn(&T, &T) -> bool) -> Result<(), String> {
            match list.iter().position(|old| same(old, &new)) {
                Some(at) => list[at] = new,
                None if list.len() >= MOST => return Err(format!("more than {MOST} cannot be registered")),
                None => list.push(new),
            }
            Ok(())
        }
        let said = |error: serde_json::Error| error.to_string();
        match kind {
            "events" => self.events = serde_json::from_value(value).map_err(said)?,
            "messageRenderers" => self.message_renderers = serde_json::from_value(value).map_err(said)?,
            "thinkingRenderers" => self.thinking_renderers = serde_json::from_value(value).map_err(said)?,
            "tool" => {
                let tool: ToolSpec = serde_json::from_value(value).map_err(said)?;
                put(&mut self.tools, tool, |old, new| old.name == new.name)?;
            }
            "command" => {
                let command: CommandSpec = serde_json::from_value(value).map_err(said)?;
                put(&mut self.commands, command, |old, new| old.name == new.name)?;
            }
            "shortcut" => {
                let shortcut: ShortcutSpec = serde_json::from_value(value).map_err(said)?;
                put(&mut self.shortcuts, shortcut, |old, new| old.key == new.key)?;
            }
            "flag" => {
                let flag: FlagSpec = serde_json::from_value(value).map_err(said)?;
                put(&mut self.flags, flag, |old, new| old.name == new.name)?;
            }
            "provider" => {
                put(&mut self.providers, value, |old, new| old.get("name") == new.get("name"))?;
            }
            "providerGone" => self.providers.retain(|provider| provider.get("name") != value.get("name")),
            other => return Err(format!("nothing of the kind {other:?} can be registered")),
        }
        Ok(())
    }
}
