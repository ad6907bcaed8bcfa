//! Our side of `tools/differential/sessions`: writes sessions step by step, and says what a model would be told of a
//! file. Cases are lines of JSON on standard input, answered by one line each.

use std::collections::HashMap;
use std::io::{BufRead, Write};
use std::path::{Path, PathBuf};
use std::sync::Arc;

use omp_session::{
    BranchSummary, Compaction, Context, Custom, CustomMessageEntry, Entry, EntryKind, IfHeld, Label,
    ModeChange, NewSession, SessionWriter, Sessions, TitleSource, Tree, TtsrInjection,
};
use omp_types::{AssistantBlock, BashExecution, CustomMessage, Message, UserBlock, UserContent};
use serde_json::{Value, json};

type Failure = Box<dyn std::error::Error>;

fn main() -> Result<(), Failure> {
    let mut out = std::io::stdout().lock();
    for line in std::io::stdin().lock().lines() {
        let said = answer(&serde_json::from_str(&line?)?)
            .unwrap_or_else(|error| json!({"error": error.to_string()}));
        writeln!(out, "{said}")?;
    }
    Ok(())
}

fn answer(job: &Value) -> Result<Value, Failure> {
    let path = |name: &str| job[name].as_str().map(PathBuf::from);
    if let Some(file) = path("read") {
        return read(&file, job["index"] == true);
    }
    let steps = job["steps"].as_array().ok_or("no steps")?;
    if let Some(file) = path("go_on") {
        let mut opened = store(&file).resume(&file, file.parent().ok_or("no directory")?, IfHeld::Refuse)?;
        write(&mut opened.writer, steps)?;
        return Ok(json!({"file": file}));
    }
    let directory = path("directory").ok_or("no directory")?;
    let sessions = Sessions::new(&directory, &directory, &directory).in_directory(&directory);
    let mut writer = sessions.create(&directory, NewSession::default());
    write(&mut writer, steps)?;
    Ok(json!({"file": writer.path()}))
}

fn store(file: &Path) -> Sessions {
    let directory = file.parent().unwrap_or(file);
    Sessions::new(directory, directory, directory).in_directory(directory)
}

/// Does what a writer of sessions can do, in order. Steps that name an entry give the number of the step that made it.
fn write(writer: &mut SessionWriter, steps: &[Value]) -> Result<(), Failure> {
    let mut ids: HashMap<usize, String> = HashMap::new();
    for (number, step) in steps.iter().enumerate() {
        if let Some(id) = one(writer, step, &ids)? {
            ids.insert(number, id);
        }
    }
    writer.flush();
    writer.problem().map_or(Ok(()), |problem| Err(problem.to_string().into()))
}

fn one(
    writer: &mut SessionWriter,
    step: &Value,
    ids: &HashMap<usize, String>,
) -> Result<Option<String>, Failure> {
    let text = |at: usize| step[at].as_str().map(str::to_owned);
    let made =
        |at: usize| step[at].as_u64().and_then(|number| ids.get(&usize::try_from(number).ok()?)).cloned();
    let kind = match step[0].as_str().unwrap_or_default() {
        "message" => return Ok(Some(said(writer, &step[1])?)),
        "compaction" => EntryKind::Compaction(Compaction {
            summary: text(1).ok_or("no summary")?,
            short_summary: text(2),
            first_kept_entry_id: made(3),
            tokens_before: step[4].as_u64().unwrap_or_default(),
            ..Compaction::default()
        }),
        "custom" => {
            EntryKind::Custom(Custom { custom_type: text(1).ok_or("no type")?, data: Some(step[2].clone()) })
        }
        "custom_message" => EntryKind::CustomMessage(serde_json::from_value::<CustomMessageEntry>(json!({
            "customType": step[1], "content": step[2], "display": step[3], "attribution": step[4],
        }))?),
        "label" => {
            let target_id = made(1).ok_or("no target")?;
            EntryKind::Label(Label { target_id, label: text(2) })
        }
        "model" => {
            return Ok(Some(writer.append_model_change(&text(1).ok_or("no model")?, text(2).as_deref())));
        }
        "thinking" => return Ok(Some(writer.append_thinking_level(&text(1).ok_or("no level")?))),
        "mode" => EntryKind::ModeChange(ModeChange { mode: text(1).ok_or("no mode")?, data: None }),
        "ttsr" => EntryKind::TtsrInjection(TtsrInjection {
            injected_rules: serde_json::from_value(step[1].clone())?,
        }),
        "branch" => {
            writer.branch(&made(1).ok_or("no entry")?)?;
            return Ok(None);
        }
        "root" => {
            writer.reset_leaf();
            return Ok(None);
        }
        "branch_summary" => {
            let target = made(1);
            match &target {
                Some(id) => writer.branch(id)?,
                None => writer.reset_leaf(),
            }
            EntryKind::BranchSummary(BranchSummary {
                from_id: target.unwrap_or_else(|| BranchSummary::ROOT.to_owned()),
                summary: text(2).ok_or("no summary")?,
                details: Some(step[3].clone()).filter(|details| !details.is_null()),
                ..BranchSummary::default()
            })
        }
        "title" => {
            let source = if step[2] == "user" { TitleSource::User } else { TitleSource::Auto };
            writer.set_title(&text(1).ok_or("no title")?, source)?;
            return Ok(None);
        }
        other => return Err(format!("no step {other}").into()),
    };
    Ok(Some(writer.append(kind)))
}

fn said(writer: &mut SessionWriter, message: &Value) -> Result<String, Failure> {
    let line = json!({"type": "message", "id": "x", "message": message});
    let entry: omp_session::MessageEntry = serde_json::from_value(line)?;
    Ok(writer.append_message(&entry.message))
}

fn read(file: &Path, through_index: bool) -> Result<Value, Failure> {
    let sessions = if through_index { store(file).with_index_from(1) } else { store(file) };
    let opened = sessions.resume(file, file.parent().ok_or("no directory")?, IfHeld::Refuse)?;
    let Context { messages, model, thinking_level, mode, injected_rules, kept, .. } = opened.context;
    let listed = sessions.describe(file).ok_or("not listed")?;
    let title = opened.writer.header().title.clone();
    if listed.title != title && title.is_some() {
        return Err(format!("listed as {:?}, resumed as {title:?}", listed.title).into());
    }
    let loaded = omp_session::load(file)?.ok_or("no session")?;
    Ok(json!({
        "messages": messages.iter().map(told).collect::<Vec<_>>(),
        "kept": kept,
        "title": title,
        "model": model,
        "thinking": thinking_level.unwrap_or_else(|| "off".to_owned()),
        "mode": mode.map_or_else(|| "none".to_owned(), |mode| mode.mode),
        "rules": injected_rules,
        "labels": labels(loaded.entries()),
        "entries": loaded.entries().len(),
    }))
}

fn labels(entries: &[Entry]) -> Vec<Value> {
    let tree = Tree::of(entries);
    let mut found: Vec<(String, String)> = entries
        .iter()
        .filter_map(|entry| Some((entry.id.clone(), tree.node(&entry.id)?.label.clone()?)))
        .collect();
    found.sort();
    found.into_iter().map(|(id, label)| json!([id, label])).collect()
}

fn told(message: &Arc<Message>) -> Value {
    match &**message {
        Message::User(user) => json!({"role": "user", "parts": parts(&user.content)}),
        Message::Custom(custom) => json!({
            "role": role(custom), "parts": parts(&custom.content), "type": custom.custom_type,
        }),
        Message::ToolResult(result) => json!({
            "role": "result", "call": result.tool_call_id, "failed": result.is_error,
            "parts": blocks(&result.content),
        }),
        Message::Assistant(answer) => json!({
            "role": "assistant", "stop": answer.stop_reason, "parts": answer.content.iter().map(answered).collect::<Vec<_>>(),
        }),
    }
}

/// Who says a message of the program, as on the wires that know developers.
fn role(custom: &CustomMessage) -> &'static str {
    let shows = match &custom.content {
        UserContent::Blocks(blocks) => blocks.iter().any(|block| matches!(block, UserBlock::Image(_))),
        UserContent::Text(_) => false,
    };
    if shows || BashExecution::is_told_by(custom) { "user" } else { "developer" }
}

fn parts(content: &UserContent) -> Vec<Value> {
    match content {
        UserContent::Text(text) => vec![json!(["text", text])],
        UserContent::Blocks(content) => blocks(content),
    }
}

fn blocks(blocks: &[UserBlock]) -> Vec<Value> {
    let one = |block: &UserBlock| match block {
        UserBlock::Text(text) => json!(["text", text.text]),
        UserBlock::Image(image) => json!(["image", image.mime_type, image.data]),
    };
    blocks.iter().map(one).collect()
}

fn answered(block: &AssistantBlock) -> Value {
    match block {
        AssistantBlock::Text(text) => json!(["text", text.text]),
        AssistantBlock::Thinking(thought) => {
            json!(["thinking", thought.thinking, thought.thinking_signature])
        }
        AssistantBlock::ToolCall(call) => json!(["call", call.id, call.name, call.arguments]),
        AssistantBlock::RedactedThinking(_) => json!(["redactedThinking"]),
        AssistantBlock::Native(_) => json!(["native"]),
    }
}
