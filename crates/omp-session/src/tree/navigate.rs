//! Going to another place in the tree.

use std::collections::HashSet;

use omp_types::Message;

use crate::entry::{BranchSummary, Entry, EntryKind};
use crate::load::Loaded;
use crate::writer::{NoSuchEntry, SessionWriter};

/// What choosing an entry leads to.
#[derive(Clone, Debug, PartialEq, Eq)]
pub enum Navigation {
    /// The conversation stands there already.
    AlreadyThere,
    /// The leaf moves.
    Move {
        /// The new leaf; `None` before the first entry.
        to: Option<String>,
        /// What goes into the editor: the text of the message that was chosen, to be said again in other words.
        prefill: Option<String>,
        /// The entries that are left behind, the oldest first; a summary is worth making only if there are any.
        abandoned: Vec<String>,
        /// The last entry that the old and the new way have in common.
        common: Option<String>,
    },
}

impl Loaded {
    /// What choosing `target` leads to when the conversation stands at `leaf`. Choosing what a user said goes back
    /// before it; choosing anything else goes there.
    pub fn navigation(&self, target: &str, leaf: Option<&str>) -> Result<Navigation, NoSuchEntry> {
        if leaf == Some(target) {
            return Ok(Navigation::AlreadyThere);
        }
        let entry = self.entry(target).ok_or_else(|| NoSuchEntry(target.to_owned()))?;
        let prefill = spoken(entry);
        let to = match prefill {
            Some(_) => entry.parent_id.clone().filter(|parent| self.entry(parent).is_some()),
            None => Some(entry.id.clone()),
        };
        let new: HashSet<&str> = self.path(to.as_deref()).iter().map(|entry| entry.id.as_str()).collect();
        let old = self.path(leaf.filter(|leaf| self.entry(leaf).is_some()));
        let shared = old.iter().take_while(|entry| new.contains(entry.id.as_str())).count();
        let common = shared.checked_sub(1).map(|last| old[last].id.clone());
        let abandoned = old[shared..].iter().map(|entry| entry.id.clone()).collect();
        Ok(Navigation::Move { to, prefill, abandoned, common })
    }
}

impl SessionWriter {
    /// Goes where a choice leads. With a `summary` of what is left behind, an entry for it is appended at the new
    /// place, and its id returned; where nothing is left behind there is nothing to summarize, and nothing is written.
    pub fn go(&mut self, way: &Navigation, summary: Option<String>) -> Result<Option<String>, NoSuchEntry> {
        self.go_with(way, summary.map(|summary| BranchSummary { summary, ..BranchSummary::default() }))
    }

    /// The same with a whole entry for the branch; what it was left for is filled in.
    pub fn go_with(
        &mut self,
        way: &Navigation,
        summary: Option<BranchSummary>,
    ) -> Result<Option<String>, NoSuchEntry> {
        let Navigation::Move { to, abandoned, .. } = way else { return Ok(None) };
        let summary = summary.filter(|_| !abandoned.is_empty());
        match (to, summary) {
            (to, Some(summary)) => self.branch_with(to.as_deref(), summary).map(Some),
            (Some(to), None) => self.branch(to).map(|()| None),
            (None, None) => {
                self.reset_leaf();
                Ok(None)
            }
        }
    }
}

/// The words of an entry that a person can say again.
fn spoken(entry: &Entry) -> Option<String> {
    match &entry.kind {
        EntryKind::Message(message) => match &*message.message {
            Message::User(user) => Some(user.content.text()),
            _ => None,
        },
        EntryKind::CustomMessage(custom) => Some(custom.content.text()),
        _ => None,
    }
}
