//! What stands on the user's side: prompts, results, and what the program says to the model.

use std::collections::HashMap;

use omp_types::{ToolCall, ToolResultMessage, UserBlock};
use serde_json::Value;

use crate::images;
use crate::json::{is_true, kind, list, text, word};
use crate::time;

/// How texts begin that the program writes on the user's side.
const PROGRAM: [&str; 9] = [
    "<command-name>",
    "<command-message>",
    "<local-command-",
    "<bash-input>",
    "<bash-stdout>",
    "<bash-stderr>",
    "<system-reminder>",
    "<task-notification>",
    "Caveat: The messages below",
];

/// The content of a record on the user's side.
#[derive(Default)]
pub(super) struct Said {
    pub(super) blocks: Vec<UserBlock>,
    /// The `tool_result` blocks.
    pub(super) results: Vec<Value>,
    /// Blocks that cannot be part of a message here.
    pub(super) strange: Vec<Value>,
}

impl Said {
    pub(super) fn read(message: &Value) -> Self {
        let mut said = Self::default();
        if let Some(words) = text(message, "content") {
            said.blocks.push(UserBlock::text(words));
        }
        for block in list(message, "content") {
            match text(block, "type") {
                Some("tool_result") => said.results.push(block.clone()),
                _ => said.block(block),
            }
        }
        said
    }

    fn block(&mut self, block: &Value) {
        match readable(block) {
            Some(block) => self.blocks.push(block),
            None => {
                self.blocks.push(left_out(block));
                self.strange.push(block.clone());
            }
        }
    }

    /// Does all of it come from the program?
    pub(super) fn is_by_program(&self) -> bool {
        self.blocks.iter().all(|block| {
            let begins = |text: &str| PROGRAM.iter().any(|marker| text.trim_start().starts_with(marker));
            block.as_text().is_some_and(begins)
        })
    }

    pub(super) fn text(&self) -> String {
        self.blocks.iter().filter_map(UserBlock::as_text).collect::<Vec<_>>().join("\n")
    }
}

/// The prompt that a record is, if it is one.
pub(crate) fn prompt(record: &Value) -> Option<String> {
    let strange = ["isSidechain", "isMeta", "isCompactSummary"].iter().any(|flag| is_true(record, flag));
    if strange || text(record, "type") != Some("user") {
        return None;
    }
    let said = Said::read(&record["message"]);
    let words = said.text();
    (!said.blocks.is_empty() && !said.is_by_program() && !words.trim().is_empty()).then_some(words)
}

/// The results in a record, by the call they are for.
pub(super) struct Results {
    record: Value,
    places: HashMap<String, usize>,
}

impl Results {
    pub(super) fn read(record: Value) -> Self {
        let blocks = list(&record["message"], "content").iter().enumerate();
        let results = blocks.filter(|(_, block)| text(block, "type") == Some("tool_result"));
        let places = results.filter_map(|(at, block)| Some((text(block, "tool_use_id")?.to_owned(), at)));
        Self { places: places.collect(), record }
    }

    pub(super) fn time(&self) -> Option<u64> {
        time::read(self.record.get("timestamp"))
    }

    /// The result of a call, with what the program noted about it.
    pub(super) fn of(&self, call: &ToolCall, timestamp: u64) -> Option<ToolResultMessage> {
        let block = list(&self.record["message"], "content").get(*self.places.get(&call.id)?)?;
        let details = self.record.get("toolUseResult").filter(|_| self.places.len() == 1);
        Some(ToolResultMessage {
            tool_call_id: call.id.clone(),
            tool_name: call.name.clone(),
            content: content(block),
            details: details.cloned(),
            is_error: is_true(block, "is_error"),
            timestamp,
        })
    }
}

fn content(result: &Value) -> Vec<UserBlock> {
    match text(result, "content") {
        Some(words) => vec![UserBlock::text(words)],
        None => list(result, "content")
            .iter()
            .map(|block| readable(block).unwrap_or_else(|| left_out(block)))
            .collect(),
    }
}

fn readable(block: &Value) -> Option<UserBlock> {
    let source = &block["source"];
    match (text(block, "type")?, text(source, "type")) {
        ("text", _) => Some(UserBlock::text(word(block, "text"))),
        ("image", Some("base64")) => {
            Some(images::from_base64(text(source, "media_type")?, text(source, "data")?))
        }
        ("image", Some("url")) => Some(images::from_url(text(source, "url")?)),
        _ => None,
    }
}

fn left_out(block: &Value) -> UserBlock {
    UserBlock::text(format!("[{}, omitted on import]", kind(block)))
}
