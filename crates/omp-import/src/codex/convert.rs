//! Records become entries.

use omp_session::Compaction;
use omp_types::{AssistantBlock, Message};
use serde_json::Value;

use super::pending::{Model, Pending};
use super::{item, meta, output};
use crate::emit::{Emitter, Id};
use crate::error::Trouble;
use crate::facts::Facts;
use crate::json::{self, kind, list, number, text};
use crate::lines::{LONGEST_LINE, Line, Span};
use crate::report::Report;
use crate::sink::Sink;
use crate::time;

/// Events that say again what items say, or that only draw the screen.
const ECHOES: [&str; 14] = [
    "agent_message",
    "agent_reasoning",
    "agent_reasoning_raw_content",
    "agent_reasoning_section_break",
    "context_compacted",
    "exec_command_begin",
    "item_completed",
    "item_started",
    "task_complete",
    "task_started",
    "token_count",
    "turn_complete",
    "turn_started",
    "user_message",
];

pub(super) struct Converter<'a> {
    out: Emitter<'a>,
    leaf: Option<Id>,
    pending: Pending,
    model: Model,
    effort: Option<String>,
    described: bool,
    /// What each prompt of the branch follows, so that turns can be undone.
    turns: Vec<Option<Id>>,
}

impl<'a> Converter<'a> {
    pub(super) fn begin(facts: &Facts, sink: &'a mut dyn Sink) -> Result<Self, Trouble> {
        Ok(Self {
            out: Emitter::begin(sink, facts)?,
            leaf: None,
            pending: Pending::default(),
            model: Model::of(&Value::Null),
            effort: None,
            described: false,
            turns: Vec::new(),
        })
    }

    pub(super) fn finish(mut self, facts: &Facts) -> Result<Report, Trouble> {
        self.flush()?;
        self.out.finish(self.leaf, facts)
    }

    pub(super) fn line(&mut self, span: Span, line: Line) -> Result<(), Trouble> {
        self.out.report.records += 1;
        let record = match line {
            Line::Json(record) if record.is_object() => record,
            line => {
                self.leaf = self.out.damaged(self.leaf, line)?.or(self.leaf);
                return Ok(());
            }
        };
        self.out.at(time::read(record.get("timestamp")));
        let payload = &record["payload"];
        match text(&record, "type") {
            Some("session_meta") => self.describe(record),
            Some("turn_context") => self.context(payload),
            Some("compacted") => self.compacted(record),
            Some("event_msg") => self.event(record),
            Some("response_item") => self.item(payload, span),
            None if meta::meta(&record).is_some() => self.describe(record),
            None if record.get("record_type").is_some() => {
                self.out.report.leave_out("state");
                Ok(())
            }
            _ if record.get("payload").is_none() => self.item(&record, span),
            _ => self.keep(&kind(&record), record),
        }
    }

    fn keep(&mut self, kind: &str, data: Value) -> Result<(), Trouble> {
        self.leaf = Some(self.out.keep(self.leaf, kind, data)?);
        Ok(())
    }

    /// The first description is this session's; others come from the session it was forked from.
    fn describe(&mut self, record: Value) -> Result<(), Trouble> {
        if self.described {
            return self.keep("session_meta", record);
        }
        self.described = true;
        self.model = Model::of(meta::meta(&record).unwrap_or(&Value::Null));
        self.out.report.leave_out("session_meta");
        Ok(())
    }

    fn context(&mut self, context: &Value) -> Result<(), Trouble> {
        if !self.pending.waits() {
            self.flush()?;
        }
        self.out.report.leave_out("turn_context");
        if let Some(model) = text(context, "model") {
            model.clone_into(&mut self.model.id);
        }
        let settings = &context["collaboration_mode"]["settings"];
        let effort = text(context, "effort").or(text(settings, "reasoning_effort"));
        let level = effort.map(|effort| if effort == "none" { "off" } else { effort }.to_owned());
        if level.is_some() && level != self.effort {
            self.leaf = Some(self.out.thinking(self.leaf, level.as_deref().unwrap_or_default())?);
            self.effort = level;
        }
        Ok(())
    }

    fn event(&mut self, record: Value) -> Result<(), Trouble> {
        let event = &record["payload"];
        let name = kind(event);
        match name.as_str() {
            "token_count" => self.pending.count(event),
            "thread_rolled_back" => {
                self.flush()?;
                self.step_back(number(event, "num_turns"));
            }
            _ => {}
        }
        if ECHOES.contains(&name.as_str()) {
            self.out.report.leave_out(&name);
            return Ok(());
        }
        self.keep(&format!("event/{name}"), record)
    }

    fn step_back(&mut self, turns: u64) {
        for _ in 0..turns {
            let Some(before) = self.turns.pop() else { return };
            self.leaf = before;
            // The turn may have set it; the next one says it again.
            self.effort = None;
        }
    }

    fn item(&mut self, item: &Value, span: Span) -> Result<(), Trouble> {
        let name = kind(item);
        match name.as_str() {
            "message" if item::is_message_of(item, "assistant") => match item::words(item) {
                Some(block) => self.add(block, span),
                None => Ok(()),
            },
            "message" if item::is_message_of(item, "user") => self.user(item),
            "message" => self.keep(&json::name(item, "role"), item.clone()),
            "reasoning" => self.add(AssistantBlock::Thinking(item::thought(item)), span),
            "function_call" | "custom_tool_call" | "local_shell_call" => self.call(item, span),
            "function_call_output" | "custom_tool_call_output" | "local_shell_call_output" => {
                self.output(item, span)
            }
            _ => {
                if name.ends_with("_call") {
                    self.miss()?;
                }
                self.keep(&name, item.clone())
            }
        }
    }

    /// Something of an answer cannot be replayed: the provider would miss it behind the thought that led to it.
    fn miss(&mut self) -> Result<(), Trouble> {
        if self.pending.is_answered() {
            return self.flush();
        }
        self.pending.forget_ids();
        Ok(())
    }

    fn user(&mut self, item: &Value) -> Result<(), Trouble> {
        let blocks = item::said(item);
        if blocks.is_empty() || item::is_by_program(&blocks) {
            return self.keep("context", item.clone());
        }
        self.flush()?;
        self.turns.push(self.leaf);
        self.leaf = Some(self.out.user(self.leaf, blocks)?);
        Ok(())
    }

    fn call(&mut self, item: &Value, span: Span) -> Result<(), Trouble> {
        match item::call(item) {
            Some(call) if !self.pending.has_call(&call.id) || self.pending.is_answered() => {
                self.add(AssistantBlock::ToolCall(call), span)
            }
            Some(_) => {
                self.out.report.repeated += 1;
                Ok(())
            }
            None => self.keep(&kind(item), item.clone()),
        }
    }

    fn output(&mut self, item: &Value, span: Span) -> Result<(), Trouble> {
        let id = text(item, "call_id").or(text(item, "id")).unwrap_or_default();
        let Some(call) = self.pending.open_call(id) else {
            return self.keep(&format!("{}/without-call", kind(item)), item.clone());
        };
        let result = output::result(call, item, self.out.now());
        self.pending.answer(result);
        self.pending.length += u64::from(span.length);
        Ok(())
    }

    fn add(&mut self, block: AssistantBlock, span: Span) -> Result<(), Trouble> {
        let long = self.pending.length.saturating_add(u64::from(span.length)) > LONGEST_LINE;
        if self.pending.is_answered() || long {
            self.flush()?;
        }
        if self.pending.is_empty() {
            self.pending.began = self.out.now();
        }
        self.pending.length += u64::from(span.length);
        self.pending.add(block);
        Ok(())
    }

    /// The answer is whole: what comes next is another's turn.
    fn flush(&mut self) -> Result<(), Trouble> {
        let pending = std::mem::take(&mut self.pending);
        if pending.is_empty() {
            return Ok(());
        }
        let now = self.out.now();
        self.out.at(Some(pending.began));
        let (message, calls) = pending.finish(&self.model);
        let mut last = self.out.answer(self.leaf, message)?;
        for (call, result) in calls {
            last = match result {
                Some(result) => {
                    self.out.at(Some(result.timestamp));
                    self.out.message(Some(last), Message::ToolResult(result))?
                }
                None => self.out.close(Some(last), &call)?,
            };
        }
        self.out.at(Some(now));
        self.leaf = Some(last);
        Ok(())
    }

    fn compacted(&mut self, record: Value) -> Result<(), Trouble> {
        self.flush()?;
        let payload = &record["payload"];
        let replacement = list(payload, "replacement_history");
        let mut kept: Vec<&Value> = replacement.iter().filter(|item| item::prompt(item).is_some()).collect();
        let sealed = replacement.iter().any(|item| text(item, "encrypted_content").is_some());
        let told = text(payload, "message").map(str::to_owned);
        let summary = match told {
            Some(summary) => summary,
            None if sealed => String::new(),
            None => kept.pop().and_then(item::prompt).unwrap_or_default(),
        };
        if summary.trim().is_empty() {
            self.out.report.note(
                "A summary that only the provider can read was kept; the messages before it stay in the \
                 conversation"
                    .to_owned(),
            );
            return self.keep("compacted", record);
        }
        // The summary stands among the messages that are kept, too, as the last one.
        let repeats = |item: &&Value| item::prompt(item).is_some_and(|words| words.contains(summary.trim()));
        if let Some(at) = kept.iter().rposition(repeats) {
            kept.remove(at);
        }
        let compaction = Compaction { summary, ..Compaction::default() };
        self.leaf = Some(self.out.compaction(self.leaf, compaction)?);
        for item in kept {
            self.leaf = Some(self.out.aside(self.leaf, "kept", item::said(item))?);
        }
        Ok(())
    }
}
