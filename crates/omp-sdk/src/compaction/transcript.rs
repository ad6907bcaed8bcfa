//! The conversation as people see it: also what the model no longer does.

use std::sync::Arc;

use omp_session::{Entry, EntryKind};
use omp_types::{CustomMessage, Message, UserContent};
use serde_json::json;

use crate::session::Session;

impl Session {
    /// Everything on the way to where the conversation stands, with each compaction and each branch summary where it
    /// happened: as messages of the types [`Session::COMPACTION`] and [`Session::BRANCH_SUMMARY`], which no model reads.
    pub async fn transcript(&self) -> Vec<Arc<Message>> {
        let leaf = self.record.lock().leaf().map(str::to_owned);
        match self.loaded().await {
            Ok(loaded) if loaded.entries().iter().any(is_divider) => {
                let mut messages: Vec<_> =
                    loaded.transcript(leaf.as_deref()).into_iter().filter_map(shown).collect();
                loaded.fill_images(&mut messages);
                messages
            }
            // The model still knows all of it.
            _ => self.conversation().await,
        }
    }

    /// The type of a message that stands for a compaction. Its details have `tokensBefore`.
    pub const COMPACTION: &'static str = "compaction";
    /// The type of a message that stands for the summary of a branch.
    pub const BRANCH_SUMMARY: &'static str = "branch_summary";
}

fn is_divider(entry: &Entry) -> bool {
    matches!(entry.kind, EntryKind::Compaction(_) | EntryKind::BranchSummary(_))
}

fn shown(entry: &Entry) -> Option<Arc<Message>> {
    let (custom_type, summary, details) = match &entry.kind {
        EntryKind::Compaction(compaction) => (
            Session::COMPACTION,
            &compaction.summary,
            Some(json!({ "tokensBefore": compaction.tokens_before })),
        ),
        EntryKind::BranchSummary(branch) => (Session::BRANCH_SUMMARY, &branch.summary, None),
        _ => return entry.spoken(),
    };
    Some(Arc::new(Message::Custom(CustomMessage {
        custom_type: custom_type.to_owned(),
        content: UserContent::Text(summary.clone()),
        display: true,
        details,
        timestamp: 0,
    })))
}
