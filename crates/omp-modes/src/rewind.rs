//! The end of a checkpoint: the conversation continues from there, with a report of what happened since.

use std::sync::Arc;

use omp_agent::{Note, Rewind};
use omp_session::{BranchSummary, EntryKind, SessionWriter};
use omp_tools::Rewound;
use omp_types::{CustomMessage, Message};
use serde_json::json;

use crate::SessionModes;

const OPEN: &str = include_str!("../prompts/checkpoint-open.md");
const REPORT: &str = include_str!("../prompts/rewind-report.md");
const WORDS: &str = include_str!("../prompts/rewind-words.md");

impl SessionModes {
    /// A checkpoint that was asked for begins; one that has its report ends.
    pub(crate) fn swap(&self, conversation: &[Arc<Message>]) -> Option<Rewind> {
        let checkpoints = self.shared.checkpoints.as_ref()?;
        checkpoints.begin(conversation.len(), self.record.lock().leaf());
        let Rewound { mark, report } = checkpoints.take_rewound()?;
        let ended = iso(self.clock.now_ms());
        let details = json!({ "startedAt": mark.started, "rewoundAt": ended });
        let summary = BranchSummary {
            summary: report.clone(),
            details: Some(json!({ "rewind": details })),
            ..BranchSummary::default()
        };
        let lost = leave_branch(&mut self.record.lock(), mark.entry.as_deref(), summary);
        if let Some(entry) = lost {
            self.notice(format!(
                "The checkpoint's entry {entry} is missing; the session continues from its start"
            ));
        }
        let since = conversation.get(mark.messages..).unwrap_or_default();
        let text = with_words(REPORT.trim_end().replace("{{report}}", &report), since);
        let message = CustomMessage { details: Some(details), ..self.hidden("rewind-report", text) };
        Some(Rewind { keep: mark.messages.min(conversation.len()), report: message })
    }

    /// The model may not stop while it owes a report.
    pub(crate) fn owed_report(&self) -> Option<Note> {
        self.shared.checkpoints.as_ref()?.owes_report()?;
        Some(Note { custom_type: "checkpoint-open", text: OPEN.trim_end().into() })
    }
}

/// Goes back to `entry` and says there what happened since. Returns the entry if there is none of that name; then the
/// session goes back to its beginning.
fn leave_branch(writer: &mut SessionWriter, entry: Option<&str>, summary: BranchSummary) -> Option<String> {
    let found = entry.filter(|id| writer.branch(id).is_ok());
    if found.is_none() {
        writer.reset_leaf();
    }
    let from_id = found.unwrap_or(BranchSummary::ROOT).to_owned();
    writer.append(EntryKind::BranchSummary(BranchSummary { from_id, ..summary }));
    match found {
        Some(_) => None,
        None => Some(entry.unwrap_or(BranchSummary::ROOT).to_owned()),
    }
}

/// What the user said since then is not the model's to forget.
fn with_words(report: String, since: &[Arc<Message>]) -> String {
    let said = since.iter().filter_map(|message| match &**message {
        Message::User(user) => Some(format!("> {}", user.content.text().replace('\n', "\n> "))),
        _ => None,
    });
    let said: Vec<String> = said.collect();
    match said.is_empty() {
        true => report,
        false => format!("{report}\n\n{}", WORDS.trim_end().replace("{{words}}", &said.join("\n\n"))),
    }
}

fn iso(milliseconds: u64) -> String {
    let time = jiff::Timestamp::from_millisecond(i64::try_from(milliseconds).unwrap_or_default());
    time.map(|time| time.strftime("%Y-%m-%dT%H:%M:%S%.3fZ").to_string()).unwrap_or_default()
}

#[cfg(test)]
mod tests {
    use std::path::Path;

    use super::*;

    /// The entry of the checkpoint is no longer there: the session begins another tree and says so.
    /// proves: LOP-134
    #[test]
    fn a_lost_entry_leads_to_the_beginning() {
        let mut writer = SessionWriter::in_memory(Path::new("/work"));
        let kept = writer.append_model_change("a/b", None);
        let summary = || BranchSummary { summary: "found".to_owned(), ..BranchSummary::default() };
        assert_eq!(leave_branch(&mut writer, Some("gone"), summary()), Some("gone".to_owned()));
        let last = writer.entries().last().unwrap().clone();
        assert_eq!(last.parent_id, None);
        assert!(matches!(&last.kind, EntryKind::BranchSummary(branch) if branch.from_id == "root"));
        assert_eq!(leave_branch(&mut writer, Some(&kept), summary()), None);
        assert_eq!(writer.entries().last().unwrap().parent_id, Some(kept));
    }
}
