//! The conversation as people see it: also what the model no longer does.

use std::sync::Arc;

use omp_session::{Entry, EntryKind, Way};
use omp_types::{CustomMessage, Message, UserContent};
use serde_json::json;

use crate::session::Session;

/// Of a longer conversation only so many entries, the newest, are shown.
const MOST_SHOWN: usize = 2_000;

/// The conversation for people: as messages, as figures, as text, as a page, as a link.
#[derive(Clone, Copy)]
pub struct Transcript<'s> {
    pub(crate) session: &'s Session,
}

impl Transcript<'_> {
    /// The way to where the conversation stands, with each compaction and each branch summary where it happened: as
    /// messages of the types [`Transcript::COMPACTION`] and [`Transcript::BRANCH_SUMMARY`], which no model reads. A very long
    /// way begins late, with a message of the type [`Transcript::EARLIER`]; what is before is not even read.
    pub async fn messages(self) -> Vec<Arc<Message>> {
        let known = self.session.conversation().await;
        match self.way_here().await {
            Some((way, messages)) if way.before > 0 => {
                std::iter::once(earlier(way.before)).chain(messages).collect()
            }
            Some((way, messages)) if way.entries.iter().any(is_divider) => messages,
            // The model still knows all of it.
            _ => {
                let before = known.len().saturating_sub(MOST_SHOWN);
                let first = (before > 0).then(|| earlier(before));
                first.into_iter().chain(known.into_iter().skip(before)).collect()
            }
        }
    }

    /// The end of the way in the session's file, and its messages. `None` if there is no file to read.
    async fn way_here(self) -> Option<(Way, Vec<Arc<Message>>)> {
        let (record, store) = (self.session.record.clone(), self.session.store());
        let read = tokio::task::spawn_blocking(move || {
            let mut writer = record.lock();
            writer.flush();
            let leaf = writer.leaf().map(str::to_owned);
            let path = writer.path().filter(|_| writer.is_saved()).map(ToOwned::to_owned);
            if path.is_none() && writer.problem().is_none() {
                // In memory alone.
                let entries = writer.snapshot().path(leaf.as_deref()).into_iter().cloned().collect();
                let way = Way { entries, before: 0 };
                let messages = way.entries.iter().filter_map(shown).collect();
                return Some((way, messages));
            }
            drop(writer);
            let mut archive = store.archive(&path?).ok()??;
            let way = archive.way(leaf.as_deref(), MOST_SHOWN).ok()?;
            let mut messages: Vec<_> = way.entries.iter().filter_map(shown).collect();
            archive.fill_images(&mut messages);
            Some((way, messages))
        });
        read.await.ok().flatten()
    }

    /// The type of a message that stands for a compaction. Its details have `tokensBefore`.
    pub const COMPACTION: &'static str = "compaction";

    /// The type of a message that stands for the summary of a branch.
    pub const BRANCH_SUMMARY: &'static str = "branch_summary";

    /// The type of a message that stands for what came before and is not shown.
    pub const EARLIER: &'static str = "earlier";
}

fn is_divider(entry: &Entry) -> bool {
    matches!(entry.kind, EntryKind::Compaction(_) | EntryKind::BranchSummary(_))
}

fn earlier(count: usize) -> Arc<Message> {
    let text = format!("{count} earlier entries not shown (use /tree)");
    stands_for(Transcript::EARLIER, text, None)
}

fn shown(entry: &Entry) -> Option<Arc<Message>> {
    match &entry.kind {
        EntryKind::Compaction(compaction) => Some(stands_for(
            Transcript::COMPACTION,
            compaction.summary.clone(),
            Some(json!({ "tokensBefore": compaction.tokens_before })),
        )),
        EntryKind::BranchSummary(branch) => {
            Some(stands_for(Transcript::BRANCH_SUMMARY, branch.summary.clone(), None))
        }
        _ => entry.spoken(),
    }
}

fn stands_for(kind: &str, text: String, details: Option<serde_json::Value>) -> Arc<Message> {
    Arc::new(Message::Custom(CustomMessage {
        custom_type: kind.to_owned(),
        content: UserContent::Text(text),
        display: true,
        details,
        timestamp: 0,
    }))
}
