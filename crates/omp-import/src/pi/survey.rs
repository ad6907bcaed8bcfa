//! The first pass: what is known of the whole, and where the results of calls are.

use serde_json::Value;

use super::message;
use crate::error::Trouble;
use crate::facts::{self, Facts};
use crate::import::Input;
use crate::json::text;
use crate::lines::{Line, Span};
use crate::pairs::Pairs;
use crate::source::Source;
use crate::time;

pub(super) struct Survey {
    pub(super) facts: Facts,
    pub(super) pairs: Pairs,
}

impl Survey {
    pub(super) fn of(input: &Input<'_>) -> Result<Self, Trouble> {
        let mut survey = Self { facts: Facts::new(Source::Pi), pairs: Pairs::default() };
        let mut lines = input.lines()?;
        while let Some((span, line)) = lines.next().map_err(Trouble::Reading)? {
            if let Line::Json(record) = line {
                survey.record(span, &record);
            }
        }
        input.date(&mut survey.facts);
        Ok(survey)
    }

    fn name(&mut self, title: Option<&str>, by_user: bool) {
        if let Some(title) = title.and_then(facts::title) {
            self.facts.title = Some(title);
            self.facts.titled_by_user = by_user;
        }
    }

    fn record(&mut self, span: Span, record: &Value) {
        note(&mut self.facts, record);
        match text(record, "type") {
            Some("session_info") => self.name(text(record, "name"), true),
            Some("title" | "title_change") => {
                self.name(text(record, "title"), text(record, "source") == Some("user"));
            }
            Some("message") => {
                let message = &record["message"];
                message::calls(message).for_each(|id| self.pairs.call(id, span));
                if let Some(id) = message::answered(message) {
                    self.pairs.result(id, span);
                }
            }
            _ => {}
        }
    }
}

/// What a record adds to what is known: the header says it all.
pub(crate) fn note(facts: &mut Facts, record: &Value) {
    if text(record, "type") != Some("session") || facts.id.is_some() {
        return;
    }
    facts.id = text(record, "id").map(str::to_owned);
    facts.cwd = text(record, "cwd").and_then(facts::directory);
    facts.started = time::read(record.get("timestamp")).unwrap_or(0);
    facts.version = record.get("version").map(|version| format!("format {version}"));
}
