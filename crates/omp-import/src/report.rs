//! What became of a file.

use std::collections::BTreeMap;
use std::fmt;

use serde_json::{Value, json};

/// Counts of what was understood, kept as it is and left out.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct Report {
    /// Lines that are not blank.
    pub records: usize,
    pub user_messages: usize,
    pub answers: usize,
    pub results: usize,
    pub compactions: usize,
    /// Calls without a result, which got one that says so.
    pub closed_calls: usize,
    /// Records and blocks that were kept as `custom` entries, by kind.
    pub kept: BTreeMap<String, usize>,
    /// Records that say again what others say, or that only steer the other program, by kind.
    pub left_out: BTreeMap<String, usize>,
    /// Lines that are no JSON; their beginning is kept.
    pub unreadable: usize,
    /// Records that occur twice.
    pub repeated: usize,
    /// Records whose parent is not in the file; they follow the record before them.
    pub without_parent: usize,
    /// Sentences about single places, the first ones of many.
    pub notes: Vec<String>,
}

/// More kinds are counted together: their names come from the file.
const MOST_KINDS: usize = 100;
const MOST_NOTES: usize = 20;

impl Report {
    pub(crate) fn keep(&mut self, kind: &str) {
        count(&mut self.kept, kind);
    }

    pub(crate) fn leave_out(&mut self, kind: &str) {
        count(&mut self.left_out, kind);
    }

    pub(crate) fn note(&mut self, sentence: String) {
        if self.notes.len() < MOST_NOTES {
            self.notes.push(sentence);
        }
    }

    /// Was there a conversation at all?
    pub fn is_empty(&self) -> bool {
        self.user_messages + self.answers + self.compactions == 0
    }

    pub(crate) fn data(&self) -> Value {
        json!({
            "records": self.records,
            "userMessages": self.user_messages,
            "answers": self.answers,
            "results": self.results,
            "compactions": self.compactions,
            "closedCalls": self.closed_calls,
            "kept": self.kept,
            "leftOut": self.left_out,
            "unreadable": self.unreadable,
            "repeated": self.repeated,
            "withoutParent": self.without_parent,
            "notes": self.notes,
        })
    }
}

fn count(table: &mut BTreeMap<String, usize>, kind: &str) {
    let kind = if table.len() < MOST_KINDS || table.contains_key(kind) { kind } else { "other" };
    *table.entry(kind.to_owned()).or_default() += 1;
}

/// Sentences for people, one a line.
impl fmt::Display for Report {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        writeln!(
            f,
            "{}, {} and {} from {}",
            counted(self.user_messages, "user message"),
            counted(self.answers, "answer"),
            counted(self.results, "tool result"),
            counted(self.records, "record"),
        )?;
        if self.compactions > 0 {
            writeln!(f, "{} of the conversation", counted(self.compactions, "compaction"))?;
        }
        if self.closed_calls > 0 {
            writeln!(f, "{} without a result, marked as such", counted(self.closed_calls, "tool call"))?;
        }
        table(f, "Kept, but not sent to the model", &self.kept)?;
        table(f, "Skipped as redundant", &self.left_out)?;
        if self.unreadable > 0 {
            writeln!(f, "{} unreadable", counted(self.unreadable, "line"))?;
        }
        if self.repeated > 0 {
            writeln!(f, "{} duplicated and imported once", counted(self.repeated, "record"))?;
        }
        if self.without_parent > 0 {
            let records = counted(self.without_parent, "record");
            writeln!(f, "{records} with a missing parent")?;
        }
        self.notes.iter().try_for_each(|note| writeln!(f, "{note}"))
    }
}

fn table(f: &mut fmt::Formatter<'_>, title: &str, counts: &BTreeMap<String, usize>) -> fmt::Result {
    if counts.is_empty() {
        return Ok(());
    }
    let kinds: Vec<String> = counts.iter().map(|(kind, count)| format!("{count} {kind}")).collect();
    writeln!(f, "{title}: {}", kinds.join(", "))
}

fn counted(count: usize, thing: &str) -> String {
    if count == 1 { format!("1 {thing}") } else { format!("{count} {thing}s") }
}
