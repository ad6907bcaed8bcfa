//! The second pass: records become entries.

use std::collections::HashMap;

use omp_session::Compaction;
use omp_types::{Message, ToolCall};
use serde_json::Value;

use super::answer::Answer;
use super::survey::{self, Survey};
use super::user::{Results, Said};
use crate::emit::{Emitter, Id};
use crate::error::Trouble;
use crate::facts::Facts;
use crate::import::Input;
use crate::json::{is_true, kind, name, number, text};
use crate::lines::{self, LONGEST_LINE, Line, Span};
use crate::report::Report;
use crate::sink::Sink;
use crate::thread::{Parent, Thread};
use crate::time;

pub(super) struct Converter<'a> {
    pub(super) input: &'a Input<'a>,
    survey: Survey,
    pub(super) out: Emitter<'a>,
    pub(super) thread: Thread,
    /// The last entry of each answer that was made.
    answered: HashMap<u64, Id>,
    compactions: u32,
    boundary: Option<Boundary>,
    /// The model that last answered.
    model: String,
    /// The last record that was read again.
    again: Option<(u64, Results)>,
}

/// What a `compact_boundary` says about the summary behind it.
struct Boundary {
    tokens: u64,
    /// The first and the last message that is kept.
    kept: Option<(String, String)>,
}

impl<'a> Converter<'a> {
    pub(super) fn begin(
        input: &'a Input<'a>,
        survey: Survey,
        sink: &'a mut dyn Sink,
    ) -> Result<Self, Trouble> {
        let out = Emitter::begin(sink, &survey.facts)?;
        Ok(Self {
            input,
            survey,
            out,
            thread: Thread::default(),
            answered: HashMap::new(),
            compactions: 0,
            boundary: None,
            model: String::new(),
            again: None,
        })
    }

    pub(super) fn finish(self, facts: &Facts) -> Result<Report, Trouble> {
        let leaf = self.thread.end();
        self.out.finish(leaf, facts)
    }

    pub(super) fn line(&mut self, span: Span, line: Line) -> Result<(), Trouble> {
        self.out.report.records += 1;
        match line {
            Line::Json(record) if record.is_object() => self.record(span, record),
            line => self.out.append_damaged(&mut self.thread, line),
        }
    }

    fn record(&mut self, span: Span, record: Value) -> Result<(), Trouble> {
        self.out.at(time::read(record.get("timestamp")));
        if is_true(&record, "isSidechain") {
            return self.keep("sidechain", record);
        }
        if text(&record, "uuid").is_some_and(|uuid| self.thread.knows(uuid)) {
            self.out.report.repeated += 1;
            return Ok(());
        }
        match text(&record, "type") {
            Some("assistant") if record["message"].is_object() => self.answer(span, record),
            Some("user") if record["message"].is_object() => self.user(span, &record),
            Some("system") if survey::is_boundary(&record) => self.boundary(record),
            // The first pass has taken the title from them.
            Some(name @ ("summary" | "custom-title" | "ai-title" | "agent-name")) => {
                self.out.report.leave_out(name);
                Ok(())
            }
            Some("system") => {
                let name = format!("system/{}", name(&record, "subtype"));
                self.grow(&name, record)
            }
            _ => self.grow(&kind(&record), record),
        }
    }

    /// Keeps something at the end, outside of the tree.
    pub(super) fn keep(&mut self, kind: &str, data: Value) -> Result<(), Trouble> {
        let id = self.out.keep(self.thread.end(), kind, data)?;
        self.thread.append(id);
        Ok(())
    }

    /// Keeps a record at its place in the tree, if it has one.
    fn grow(&mut self, kind: &str, record: Value) -> Result<(), Trouble> {
        let Some(uuid) = text(&record, "uuid").map(str::to_owned) else { return self.keep(kind, record) };
        let parent = self.after(&record);
        let id = self.out.keep(parent, kind, record)?;
        self.thread.grow(Some(&uuid), id);
        Ok(())
    }

    /// The entry that a record follows.
    fn after(&mut self, record: &Value) -> Option<Id> {
        self.thread.after(parent(record)).unwrap_or_else(|last| {
            self.out.report.without_parent += 1;
            last
        })
    }

    fn answer(&mut self, span: Span, record: Value) -> Result<(), Trouble> {
        let uuid = text(&record, "uuid").map(str::to_owned);
        let group = text(&record["message"], "id").map(|id| survey::group(self.compactions, id));
        if let Some(entry) = group.and_then(|group| self.answered.get(&group)) {
            self.thread.alias(uuid.as_deref(), *entry);
            return Ok(());
        }
        let mut answer = Answer::default();
        answer.add(&record, span.offset);
        self.add_rest(&mut answer, group, span)?;
        if answer.is_empty() {
            return self.grow("assistant", record);
        }
        let parent = self.after(&record);
        let message = answer.message(&mut self.model, self.out.now());
        let first = self.out.answer(parent, message)?;
        let mut last = first;
        for (call, offset) in &answer.calls {
            last = self.result(last, call, *offset)?;
        }
        self.thread.grow_by(uuid.as_deref(), first, last);
        if let Some(group) = group {
            self.answered.insert(group, last);
        }
        self.keep_blocks(answer.strange)
    }

    /// The other records of the same answer.
    fn add_rest(&mut self, answer: &mut Answer, group: Option<u64>, first: Span) -> Result<(), Trouble> {
        let spans = group.and_then(|group| self.survey.groups.remove(&group)).unwrap_or_default();
        let mut length = u64::from(first.length);
        for span in spans.into_iter().filter(|span| span.offset > first.offset) {
            length += u64::from(span.length);
            if length > LONGEST_LINE {
                self.out.report.note("An answer was truncated because it is too long".to_owned());
                break;
            }
            let record = lines::again(&self.input.file, span).map_err(Trouble::Reading)?;
            answer.add(&record, span.offset);
        }
        Ok(())
    }

    fn result(&mut self, parent: Id, call: &ToolCall, offset: u64) -> Result<Id, Trouble> {
        let Some(span) = self.survey.pairs.take(&call.id, offset) else {
            return self.out.close(Some(parent), call);
        };
        if self.again.as_ref().is_none_or(|(known, _)| *known != span.offset) {
            let record = lines::again(&self.input.file, span).map_err(Trouble::Reading)?;
            self.again = Some((span.offset, Results::read(record)));
        }
        let results = self.again.as_ref().map(|(_, results)| results);
        self.out.at(results.and_then(Results::time));
        match results.and_then(|results| results.of(call, self.out.now())) {
            Some(result) => self.out.message(Some(parent), Message::ToolResult(result)),
            None => self.out.close(Some(parent), call),
        }
    }

    fn user(&mut self, span: Span, record: &Value) -> Result<(), Trouble> {
        let uuid = text(record, "uuid");
        let mut said = Said::read(&record["message"]);
        for result in std::mem::take(&mut said.results) {
            let id = text(&result, "tool_use_id").unwrap_or_default();
            if !self.survey.pairs.was_taken(id, span) {
                said.strange.push(result);
            }
        }
        if is_true(record, "isCompactSummary") {
            return self.compaction(record, said.text());
        }
        if said.blocks.is_empty() {
            self.thread.pass_over(uuid, parent(record));
            return self.keep_blocks(said.strange);
        }
        let parent = self.after(record);
        let id = if is_true(record, "isMeta") || said.is_by_program() {
            self.out.aside(parent, "meta", said.blocks)?
        } else {
            self.out.user(parent, said.blocks)?
        };
        self.thread.grow(uuid, id);
        self.keep_blocks(said.strange)
    }

    fn keep_blocks(&mut self, blocks: Vec<Value>) -> Result<(), Trouble> {
        blocks.into_iter().try_for_each(|block| self.keep(&format!("block/{}", kind(&block)), block))
    }

    fn boundary(&mut self, record: Value) -> Result<(), Trouble> {
        self.compactions += 1;
        let facts = &record["compactMetadata"];
        let kept = &facts["preservedSegment"];
        let kept = text(kept, "headUuid").zip(text(kept, "tailUuid"));
        self.boundary = Some(Boundary {
            tokens: number(facts, "preTokens"),
            kept: kept.map(|(head, tail)| (head.to_owned(), tail.to_owned())),
        });
        let before = text(&record, "logicalParentUuid").map(Parent::Named);
        let parent = before.map_or_else(
            || self.thread.end(),
            |before| self.thread.after(before).unwrap_or_else(|last| last),
        );
        let uuid = text(&record, "uuid").map(str::to_owned);
        let id = self.out.keep(parent, "system/compact_boundary", record)?;
        self.thread.grow(uuid.as_deref(), id);
        Ok(())
    }

    fn compaction(&mut self, record: &Value, summary: String) -> Result<(), Trouble> {
        let boundary = self.boundary.take();
        let parent = self.after(record);
        // Messages that are written again behind the summary are not known yet.
        let kept = boundary.as_ref().and_then(|boundary| {
            let (head, tail) = boundary.kept.as_ref()?;
            Some((self.thread.first(head)?, tail.clone()))
        });
        let compaction = Compaction {
            summary,
            first_kept_entry_id: kept.as_ref().map(|(head, _)| head.text()),
            tokens_before: boundary.map_or(0, |boundary| boundary.tokens),
            ..Compaction::default()
        };
        let id = self.out.compaction(parent, compaction)?;
        self.thread.grow(text(record, "uuid"), id);
        if let Some((_, tail)) = kept {
            // What continues from the last kept message continues behind the summary.
            self.thread.alias(Some(&tail), id);
        }
        Ok(())
    }
}

fn parent(record: &Value) -> Parent<'_> {
    Parent::of(record, "parentUuid")
}
