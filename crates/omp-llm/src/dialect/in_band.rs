//! A request for a model that speaks about tools in its text: the catalogue in the system prompt, calls and results
//! of the conversation written out.

use std::sync::Arc;

use omp_dialects::{Dialect, Outcome, WrittenCall, WrittenResult, instructions};
use omp_types::{
    AssistantBlock, Message, ModelRequest, ParallelTools, RequestOptions, TextBlock, ToolChoice, UserBlock,
    UserContent, UserMessage,
};
use serde_json::Value;

use crate::history::{self, Alphabet, AssistantPart, IdRules, ResultPart, Turn, UserPart};
use crate::model::Model;

/// Ids never reach the wire; those of the dialect are kept.
const IDS: IdRules = IdRules { max_len: 128, prefix: "call_", alphabet: Alphabet::Any };

/// The same request, with nothing native in it.
pub(crate) fn in_band(dialect: Dialect, model: &Model, request: &ModelRequest) -> ModelRequest {
    let mut system = request.system.to_vec();
    if !request.tools.is_empty() {
        system.push(instructions(dialect, &request.tools));
    }
    // The model reads its own thoughts as text, where the dialect has a place for them.
    let mut reader = model.clone();
    reader.compat.thinking.replay_unsigned = true;
    let turns = history::prepare(&request.messages, &reader, IDS, request.options.identity_from);
    ModelRequest {
        system: system.into(),
        tools: Arc::from([]),
        messages: turns.iter().map(|turn| Arc::new(message(dialect, model, turn))).collect(),
        options: RequestOptions {
            tool_choice: ToolChoice::Auto,
            parallel_tools: ParallelTools::Allowed,
            identity_from: 0,
            ..request.options.clone()
        },
    }
}

fn message(dialect: Dialect, model: &Model, turn: &Turn<'_>) -> Message {
    match turn {
        Turn::User(parts) | Turn::Developer(parts) => user(parts.iter().map(block).collect()),
        Turn::Results(results) => user(result_blocks(dialect, results)),
        Turn::Assistant(parts) => {
            let text = TextBlock { text: assistant_text(dialect, parts), ..TextBlock::default() };
            Message::Assistant(model.message(vec![AssistantBlock::Text(text)], 0))
        }
    }
}

fn user(blocks: Vec<UserBlock>) -> Message {
    Message::User(UserMessage {
        content: UserContent::Blocks(blocks),
        steering: false,
        sealed: None,
        timestamp: 0,
    })
}

fn block(part: &UserPart<'_>) -> UserBlock {
    match part {
        UserPart::Text(text) => UserBlock::text(text.as_ref()),
        UserPart::Image(image) => UserBlock::Image((*image).clone()),
    }
}

/// Prose first, then the calls. Thoughts are kept where calls follow: there they are part of unfinished work.
fn assistant_text(dialect: Dialect, parts: &[AssistantPart<'_>]) -> String {
    let calls: Vec<(&str, &str, Value)> = parts.iter().filter_map(call).collect();
    let written: Vec<WrittenCall<'_>> =
        calls.iter().map(|(id, name, arguments)| WrittenCall { id, name, arguments }).collect();
    let mut text = String::new();
    for part in parts {
        match part {
            AssistantPart::Thinking { text: thought, .. } if !written.is_empty() => {
                text.push_str(&dialect.write_thought(thought));
            }
            AssistantPart::Text { text: words, .. } => {
                if !text.is_empty() && !text.ends_with('\n') {
                    text.push('\n');
                }
                text.push_str(&dialect.write_words(words));
            }
            _ => {}
        }
    }
    if !written.is_empty() {
        if !text.is_empty() && !text.ends_with('\n') {
            text.push('\n');
        }
        text.push_str(&dialect.write_calls(&written));
    }
    text
}

fn call<'p>(part: &'p AssistantPart<'_>) -> Option<(&'p str, &'p str, Value)> {
    match part {
        AssistantPart::Call { id, name, arguments, .. } => {
            Some((id.as_str(), *name, Value::Object(arguments.as_ref().clone())))
        }
        _ => None,
    }
}

/// One text for all results; pictures follow it.
fn result_blocks(dialect: Dialect, results: &[ResultPart<'_>]) -> Vec<UserBlock> {
    let texts: Vec<String> = results.iter().map(ResultPart::flagged_text).collect();
    let written: Vec<WrittenResult<'_>> = results
        .iter()
        .zip(&texts)
        .map(|(result, text)| WrittenResult {
            id: &result.id,
            name: result.name,
            text,
            outcome: if result.is_error { Outcome::Failed } else { Outcome::Fine },
        })
        .collect();
    let mut blocks = vec![UserBlock::text(dialect.write_results(&written))];
    let images = results.iter().flat_map(|result| &result.content).filter(|part| part.text().is_none());
    blocks.extend(images.map(block));
    blocks
}
