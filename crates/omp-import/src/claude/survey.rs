//! The first pass: what is known of the whole, and where the parts of answers and their results are.

use std::collections::{HashMap, HashSet};

use serde_json::Value;

use crate::error::Trouble;
use crate::facts::{self, Facts};
use crate::import::Input;
use crate::json::{is_true, key, list, text};
use crate::lines::{Line, Span};
use crate::pairs::Pairs;
use crate::source::Source;
use crate::time;

/// Summaries of other sessions are written into this file too, so each is held until its record is found.
const MOST_SUMMARIES: usize = 1000;

pub(super) struct Survey {
    pub(super) facts: Facts,
    pub(super) pairs: Pairs,
    /// The records of each answer.
    pub(super) groups: HashMap<u64, Vec<Span>>,
    seen: HashSet<u64>,
    compactions: u32,
    titles: Titles,
}

/// Names of the session, by who gave them; the last of each kind counts.
#[derive(Default)]
struct Titles {
    chosen: Option<String>,
    made: Option<String>,
    /// By the record they are about.
    summaries: HashMap<u64, String>,
}

impl Survey {
    pub(super) fn of(input: &Input<'_>) -> Result<Self, Trouble> {
        let mut survey = Self {
            facts: Facts::new(Source::ClaudeCode),
            pairs: Pairs::default(),
            groups: HashMap::new(),
            seen: HashSet::new(),
            compactions: 0,
            titles: Titles::default(),
        };
        let mut lines = input.lines()?;
        while let Some((span, line)) = lines.next().map_err(Trouble::Reading)? {
            if let Line::Json(record) = line {
                survey.record(span, &record);
            }
        }
        let name = input.path.file_stem().map(|stem| stem.to_string_lossy().into_owned());
        survey.facts.id = survey.facts.id.take().or(name);
        input.date(&mut survey.facts);
        survey.name();
        Ok(survey)
    }

    fn record(&mut self, span: Span, record: &Value) {
        note(&mut self.facts, record);
        self.titles.note(record);
        if is_true(record, "isSidechain") {
            return;
        }
        if let Some(uuid) = text(record, "uuid")
            && !self.seen.insert(key(uuid))
        {
            return;
        }
        let message = &record["message"];
        match text(record, "type") {
            Some("assistant") => {
                if let Some(id) = text(message, "id") {
                    self.groups.entry(group(self.compactions, id)).or_default().push(span);
                }
                each_id(message, "tool_use", "id", |id| self.pairs.call(id, span));
            }
            Some("user") => each_id(message, "tool_result", "tool_use_id", |id| self.pairs.result(id, span)),
            Some("system") if is_boundary(record) => self.compactions += 1,
            _ => {}
        }
    }

    fn name(&mut self) {
        let titles = std::mem::take(&mut self.titles);
        let seen = std::mem::take(&mut self.seen);
        let mut own = titles.summaries.into_iter().filter(|(leaf, _)| seen.contains(leaf));
        self.facts.titled_by_user = titles.chosen.is_some();
        self.facts.title = titles.chosen.or(titles.made).or_else(|| own.next().map(|(_, title)| title));
    }
}

impl Titles {
    fn note(&mut self, record: &Value) {
        let named = |name: &str| text(record, name).and_then(facts::title);
        match text(record, "type") {
            Some("custom-title") => self.chosen = named("customTitle").or(self.chosen.take()),
            Some("ai-title") => self.made = named("aiTitle").or(self.made.take()),
            Some("summary") if self.summaries.len() < MOST_SUMMARIES => {
                if let (Some(leaf), Some(title)) = (text(record, "leafUuid"), named("summary")) {
                    self.summaries.insert(key(leaf), title);
                }
            }
            _ => {}
        }
    }
}

/// What a record adds to what is known: the first one that says something counts.
pub(crate) fn note(facts: &mut Facts, record: &Value) {
    let first = |known: &mut Option<String>, found: Option<String>| *known = known.take().or(found);
    let named = |name: &str| text(record, name).map(str::to_owned);
    first(&mut facts.id, named("sessionId"));
    first(&mut facts.cwd, text(record, "cwd").and_then(facts::directory));
    first(&mut facts.version, named("version"));
    first(&mut facts.git_branch, named("gitBranch"));
    if facts.started == 0 {
        facts.started = time::read(record.get("timestamp")).unwrap_or(0);
    }
}

/// The key of an answer. Behind a compaction the same answer may be written again.
pub(super) fn group(compactions: u32, message: &str) -> u64 {
    key(&format!("{compactions} {message}"))
}

pub(super) fn is_boundary(record: &Value) -> bool {
    text(record, "subtype") == Some("compact_boundary")
}

fn each_id(message: &Value, kind: &str, field: &str, mut each: impl FnMut(&str)) {
    for block in list(message, "content").iter().filter(|block| text(block, "type") == Some(kind)) {
        if let Some(id) = text(block, field) {
            each(id);
        }
    }
}
