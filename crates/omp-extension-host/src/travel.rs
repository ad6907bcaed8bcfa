//! Extensions around a move in the tree of a conversation: they may cancel it, or say what happened on the branch that is
//! left.

use omp_session::{Entry, EntryKind, Navigation};
use serde_json::{Value, json};
use tokio_util::sync::CancellationToken;

use crate::event::EventName;
use crate::extensions::Extensions;

/// The longest summary of an extension, with its details.
const LONGEST: usize = 1024 * 1024;

/// A move that is about to be made.
#[derive(Clone, Copy)]
pub struct Travel<'a> {
    pub target: &'a str,
    /// Where the conversation stands.
    pub leaf: Option<&'a str>,
    pub way: &'a Navigation,
    /// What is left behind.
    pub left: &'a [&'a Entry],
    pub wants_summary: bool,
    pub focus: Option<&'a str>,
}

/// What becomes of it.
#[derive(Clone, Debug, PartialEq)]
pub enum TravelAnswer {
    Proceed,
    Cancelled,
    /// An extension has summed the branch up.
    Summary(String, Option<Value>),
}

impl Extensions {
    /// Asks about a move. A summary counts only where the user wanted one.
    pub async fn before_tree(&self, about: Travel<'_>, cancel: &CancellationToken) -> TravelAnswer {
        let event = EventName::SessionBeforeTree;
        let Navigation::Move { common, .. } = about.way else { return TravelAnswer::Proceed };
        if !self.listens(event) {
            return TravelAnswer::Proceed;
        }
        let preparation = json!({
            "targetId": about.target, "oldLeafId": about.leaf, "commonAncestorId": common,
            "entriesToSummarize": about.left, "userWantsSummary": about.wants_summary,
            "customInstructions": about.focus,
        });
        let payload = json!({"preparation": preparation});
        let answer = self.before_until(event, payload, Some(cancel)).await.unwrap_or_default();
        if answer["cancel"] == true {
            return TravelAnswer::Cancelled;
        }
        let summary = &answer["summary"];
        match summary["summary"].as_str().filter(|text| about.wants_summary && !text.trim().is_empty()) {
            Some(_) if summary.to_string().len() > LONGEST => {
                self.say(
                    "the branch summary of an extension was not used: it is larger than 1 MiB".to_owned(),
                );
                TravelAnswer::Proceed
            }
            Some(text) => {
                let details = summary.get("details").filter(|details| !details.is_null()).cloned();
                TravelAnswer::Summary(text.to_owned(), details)
            }
            None => TravelAnswer::Proceed,
        }
    }

    /// The conversation stands elsewhere now, with an entry for the branch that was left if there is one.
    pub async fn moved(&self, old: Option<&str>, new: Option<&str>, summary: impl FnOnce() -> Option<Entry>) {
        let event = EventName::SessionTree;
        if !self.listens(event) {
            return;
        }
        let mut payload = json!({"type": event.name(), "newLeafId": new, "oldLeafId": old});
        if let Some(entry) = summary() {
            payload["fromExtension"] =
                matches!(&entry.kind, EntryKind::BranchSummary(summary) if summary.from_extension).into();
            payload["summaryEntry"] = json!(entry);
        }
        self.tell(event, &payload).await;
    }
}
