//! Entries in a dump.

use std::borrow::Cow;
use std::io::{self, Write};

use omp_session::{Entry, EntryKind};
use omp_types::{
    AssistantBlock, AssistantMessage, Message, StopReason, ToolCall, ToolResultMessage, UserBlock,
    UserContent,
};
use serde_json::Value;

use super::Form;
use crate::number::{bytes, plural};

/// What is left of a long text in the compact form.
const LINES: usize = 40;
const CHARACTERS: usize = 4000;
/// What is left of a long argument.
const ARGUMENT: usize = 400;

/// Writes an entry if a model sees it.
pub(super) fn write(entry: &Entry, form: Form, out: &mut dyn Write) -> io::Result<()> {
    match &entry.kind {
        EntryKind::Message(entry) => message(&entry.message, form, out),
        EntryKind::CustomMessage(custom) => {
            writeln!(out, "\n=== Message from {} ===\n\n{}", custom.custom_type, content(&custom.content))
        }
        EntryKind::BranchSummary(branch) => {
            writeln!(out, "\n=== Summary of another branch ===\n\n{}", branch.summary.trim_end())
        }
        EntryKind::Compaction(compaction) => {
            writeln!(
                out,
                "\n=== Summary of the earlier conversation ===\n\n{}",
                compaction.summary.trim_end()
            )
        }
        _ => Ok(()),
    }
}

fn message(message: &Message, form: Form, out: &mut dyn Write) -> io::Result<()> {
    match message {
        Message::User(user) => writeln!(out, "\n=== User ===\n\n{}", content(&user.content)),
        Message::Assistant(answer) => assistant(answer, form, out),
        Message::ToolResult(result) => tool_result(result, form, out),
        Message::Custom(custom) => {
            writeln!(out, "\n=== Message from {} ===\n\n{}", custom.custom_type, content(&custom.content))
        }
    }
}

fn assistant(answer: &AssistantMessage, form: Form, out: &mut dyn Write) -> io::Result<()> {
    writeln!(out, "\n=== Assistant ===")?;
    for block in &answer.content {
        match block {
            AssistantBlock::Text(text) => writeln!(out, "\n{}", text.text.trim_end())?,
            AssistantBlock::Thinking(thinking) if thinking.thinking.trim().is_empty() => {}
            AssistantBlock::Thinking(thinking) => {
                writeln!(
                    out,
                    "\n[thinking]\n{}\n[/thinking]",
                    shortened(thinking.thinking.trim_end(), form)
                )?;
            }
            AssistantBlock::RedactedThinking(_) => writeln!(out, "\n[thinking kept by the provider]")?,
            AssistantBlock::ToolCall(call) => tool_call(call, form, out)?,
            AssistantBlock::Native(native) => {
                writeln!(out, "\n[{} block] {}", native.api, shortened(&native.value.to_string(), form))?;
            }
        }
    }
    match (answer.stop_reason, answer.error_message.as_deref()) {
        (StopReason::Error, reason) => writeln!(out, "\n[failed] {}", reason.unwrap_or_default()),
        (StopReason::Aborted, reason) => writeln!(out, "\n[stopped] {}", reason.unwrap_or_default()),
        (StopReason::Length, _) => writeln!(out, "\n[truncated at the model's limit]"),
        _ => Ok(()),
    }
}

fn tool_call(call: &ToolCall, form: Form, out: &mut dyn Write) -> io::Result<()> {
    if let Some(raw) = &call.invalid_arguments {
        return writeln!(out, "\n[call {}] not JSON: {}", call.name, shortened(raw, form));
    }
    match form {
        Form::Compact => {
            let arguments: Vec<String> =
                call.arguments.iter().map(|(name, value)| format!("{name}={}", argument(value))).collect();
            writeln!(out, "\n[call {}] {}", call.name, arguments.join(" "))
        }
        Form::Raw => {
            let arguments = serde_json::to_string_pretty(&call.arguments)?;
            writeln!(out, "\n[call {} {}] {arguments}", call.name, call.id)
        }
    }
}

fn tool_result(result: &ToolResultMessage, form: Form, out: &mut dyn Write) -> io::Result<()> {
    let failed = if result.is_error { ", failed" } else { "" };
    match form {
        Form::Compact => writeln!(out, "\n=== Result of {}{failed} ===\n", result.tool_name)?,
        Form::Raw => {
            writeln!(out, "\n=== Result of {} {}{failed} ===\n", result.tool_name, result.tool_call_id)?;
        }
    }
    for block in &result.content {
        writeln!(out, "{}", shortened(&shown(block), form))?;
    }
    Ok(())
}

fn content(content: &UserContent) -> String {
    match content {
        UserContent::Text(text) => text.trim_end().to_owned(),
        UserContent::Blocks(blocks) => blocks.iter().map(shown).collect::<Vec<_>>().join("\n"),
    }
}

fn shown(block: &UserBlock) -> Cow<'_, str> {
    match block {
        UserBlock::Text(text) => Cow::Borrowed(text.text.trim_end()),
        UserBlock::Image(image) if image.data.starts_with("blob:") => {
            Cow::Owned(format!("[image: {}]", image.mime_type))
        }
        UserBlock::Image(image) => {
            Cow::Owned(format!("[image: {}, {}]", image.mime_type, bytes(image.data.len() / 4 * 3)))
        }
    }
}

fn argument(value: &Value) -> String {
    let text = value.to_string();
    if text.len() <= ARGUMENT {
        return text;
    }
    let end = text.floor_char_boundary(ARGUMENT);
    format!("{}… [{} more]", &text[..end], bytes(text.len() - end))
}

/// The beginning of a long text, and how much is missing.
fn shortened(text: &str, form: Form) -> Cow<'_, str> {
    if form == Form::Raw {
        return Cow::Borrowed(text);
    }
    let lines = text.match_indices('\n').nth(LINES - 1).map_or(text.len(), |(at, _)| at);
    let end = lines.min(text.floor_char_boundary(CHARACTERS));
    if end == text.len() {
        return Cow::Borrowed(text);
    }
    let missing = &text[end..];
    let count = missing.trim_start_matches('\n').lines().count();
    let lines = plural(count, "line", "lines");
    Cow::Owned(format!("{}\n[… {lines}, {} more]", &text[..end], bytes(missing.len())))
}
