//! The second pass: records become entries.

use std::borrow::Cow;

use omp_types::{AssistantMessage, Message, ToolCall};
use serde_json::Value;

use super::entry::{self, numbered};
use super::message::{self, Translated};
use super::survey::Survey;
use crate::emit::{Emitter, Id};
use crate::error::Trouble;
use crate::facts::Facts;
use crate::import::Input;
use crate::json::{kind, name, text};
use crate::lines::{self, Line, Span};
use crate::report::Report;
use crate::sink::Sink;
use crate::thread::{Parent, Thread};
use crate::time;

pub(super) struct Converter<'a> {
    input: &'a Input<'a>,
    survey: Survey,
    out: Emitter<'a>,
    thread: Thread,
    /// Records so far.
    records: u64,
}

/// What a record calls itself and its parent.
struct Names<'r> {
    own: Cow<'r, str>,
    parent: Parent<'r>,
}

impl Names<'_> {
    /// As the thread takes it, where a record may have no name.
    fn own(&self) -> Option<&str> {
        Some(&self.own)
    }
}

impl<'a> Converter<'a> {
    pub(super) fn begin(
        input: &'a Input<'a>,
        survey: Survey,
        sink: &'a mut dyn Sink,
    ) -> Result<Self, Trouble> {
        let out = Emitter::begin(sink, &survey.facts)?;
        Ok(Self { input, survey, out, thread: Thread::default(), records: 0 })
    }

    pub(super) fn finish(self, facts: &Facts) -> Result<Report, Trouble> {
        let leaf = self.thread.end();
        self.out.finish(leaf, facts)
    }

    pub(super) fn line(&mut self, span: Span, line: Line) -> Result<(), Trouble> {
        self.out.report.records += 1;
        match line {
            // The first pass has taken the name from it; it is none of the entries.
            Line::Json(record) if self.records == 0 && text(&record, "type") == Some("title") => Ok(()),
            Line::Json(record) if record.is_object() => {
                let names = self.names(&record);
                self.records += 1;
                self.record(span, &record, &names)
            }
            line => self.out.append_damaged(&mut self.thread, line),
        }
    }

    /// The entries of version 1 are a chain and have no names of their own.
    fn names<'r>(&self, record: &'r Value) -> Names<'r> {
        match text(record, "id") {
            Some(own) => Names { own: own.into(), parent: Parent::of(record, "parentId") },
            None => Names { own: numbered(self.records).into(), parent: Parent::Last },
        }
    }

    fn record(&mut self, span: Span, record: &Value, names: &Names<'_>) -> Result<(), Trouble> {
        if self.records == 1 && text(record, "type") == Some("session") {
            return Ok(());
        }
        let time =
            time::read(record.get("timestamp")).or_else(|| time::read(record["message"].get("timestamp")));
        self.out.at(time);
        if self.thread.knows(&names.own) {
            self.out.report.repeated += 1;
            return Ok(());
        }
        match text(record, "type") {
            Some("message") => return self.message(span, record, names),
            // The first pass has taken the title from it.
            Some("session_info") => {
                self.out.report.leave_out("session_info");
                self.thread.pass_over(names.own(), names.parent);
                return Ok(());
            }
            Some("label") => {
                if let Some(target) = text(record, "targetId").and_then(|id| self.thread.first(id)) {
                    let label = text(record, "label").map(str::to_owned);
                    let parent = self.after(names);
                    let id = self.out.label(parent, target, label)?;
                    self.thread.grow(names.own(), id);
                    return Ok(());
                }
            }
            _ => {
                if let Some(entry) = entry::translate(record, |id| self.thread.first(id)) {
                    self.out.report.compactions += usize::from(entry.name() == "compaction");
                    let parent = self.after(names);
                    let id = self.out.emit(parent, entry)?;
                    self.thread.grow(names.own(), id);
                    return Ok(());
                }
            }
        }
        let name = kind(record);
        self.keep(&name, record, names)
    }

    fn after(&mut self, names: &Names<'_>) -> Option<Id> {
        self.thread.after(names.parent).unwrap_or_else(|last| {
            self.out.report.without_parent += 1;
            last
        })
    }

    fn keep(&mut self, kind: &str, record: &Value, names: &Names<'_>) -> Result<(), Trouble> {
        let parent = self.after(names);
        let id = self.out.keep(parent, kind, record.clone())?;
        self.thread.grow(names.own(), id);
        Ok(())
    }

    fn message(&mut self, span: Span, record: &Value, names: &Names<'_>) -> Result<(), Trouble> {
        let translated = message::translate(&record["message"]);
        let strange = message::lost_blocks(&record["message"]);
        let parent = self.after(names);
        let (first, last) = match translated {
            Translated::Message(message) => match *message {
                Message::Assistant(answer) => self.answer(parent, answer, span)?,
                Message::ToolResult(result) => {
                    if self.survey.pairs.was_taken(&result.tool_call_id, span) {
                        self.thread.pass_over(names.own(), names.parent);
                        return Ok(());
                    }
                    let id = self.out.keep(parent, "toolResult/without-call", record.clone())?;
                    (id, id)
                }
                message => {
                    let id = self.out.message(parent, message)?;
                    (id, id)
                }
            },
            Translated::Aside(content) => {
                let role = name(&record["message"], "role");
                let id = self.out.aside(parent, &role, content)?;
                (id, id)
            }
            Translated::Kept => {
                let id = self.out.keep(parent, "message", record.clone())?;
                self.thread.grow(names.own(), id);
                return Ok(());
            }
        };
        self.thread.grow_by(names.own(), first, last);
        for block in strange {
            let id = self.out.keep(self.thread.end(), &format!("block/{}", kind(&block)), block)?;
            self.thread.append(id);
        }
        Ok(())
    }

    fn answer(
        &mut self,
        parent: Option<Id>,
        answer: AssistantMessage,
        span: Span,
    ) -> Result<(Id, Id), Trouble> {
        let calls: Vec<ToolCall> = answer.tool_calls().cloned().collect();
        let first = self.out.answer(parent, answer)?;
        let mut last = first;
        for call in calls {
            last = self.result(last, &call, span)?;
        }
        Ok((first, last))
    }

    fn result(&mut self, parent: Id, call: &ToolCall, at: Span) -> Result<Id, Trouble> {
        let Some(span) = self.survey.pairs.take(&call.id, at.offset) else {
            return self.out.close(Some(parent), call);
        };
        let record = lines::again(&self.input.file, span).map_err(Trouble::Reading)?;
        self.out.at(time::read(record.get("timestamp")));
        match message::translate(&record["message"]) {
            Translated::Message(message) if message.as_tool_result().is_some() => {
                self.out.message(Some(parent), *message)
            }
            _ => self.out.close(Some(parent), call),
        }
    }
}
