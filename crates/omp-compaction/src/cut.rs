//! Where a conversation may be cut.

use omp_session::{Entry, EntryKind};
use omp_types::{BashExecution, Message};

/// Roles of other versions that are like words of the user: they may begin what is kept.
const FOREIGN: [&str; 5] = ["bashExecution", "hookMessage", "custom", "branchSummary", "compactionSummary"];

/// May what is kept begin with this entry? Never with the result of a tool: it belongs to its call.
pub fn is_cut_point(entry: &Entry) -> bool {
    match &entry.kind {
        EntryKind::Message(entry) => !matches!(*entry.message, Message::ToolResult(_)),
        EntryKind::CustomMessage(_) | EntryKind::BranchSummary(_) => true,
        EntryKind::Unknown(line) => foreign_role(line).is_some_and(|role| FOREIGN.contains(&role)),
        _ => false,
    }
}

/// Does a turn begin with this entry?
pub fn is_turn_start(entry: &Entry) -> bool {
    match &entry.kind {
        EntryKind::Message(entry) => match &*entry.message {
            Message::User(_) => true,
            Message::Custom(custom) => BashExecution::is_told_by(custom),
            _ => false,
        },
        EntryKind::CustomMessage(_) | EntryKind::BranchSummary(_) => true,
        EntryKind::Unknown(line) => foreign_role(line) == Some("bashExecution"),
        _ => false,
    }
}

fn foreign_role(line: &serde_json::Value) -> Option<&str> {
    line.get("message")?.get("role")?.as_str()
}

/// Does an entry belong to the conversation, or to a compaction of it?
fn is_spoken(entry: &Entry) -> bool {
    matches!(
        entry.kind,
        EntryKind::Message(_)
            | EntryKind::CustomMessage(_)
            | EntryKind::BranchSummary(_)
            | EntryKind::Compaction(_)
    ) || is_cut_point(entry)
}

/// Where the conversation is cut.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) struct Cut {
    /// The first entry that stays.
    pub(crate) first_kept: usize,
    /// The entry that the cut turn begins with, if a turn is cut.
    pub(crate) turn_start: Option<usize>,
}

/// Finds the place so that about `keep` tokens stay, counted from the end. `sizes` are the tokens of the entries; only
/// entries from `start` on are candidates. `None` when everything from `start` on stays.
pub(crate) fn find(path: &[&Entry], sizes: &[u64], start: usize, keep: u64) -> Option<Cut> {
    let mut sum = 0;
    let full = (start..path.len()).rev().find(|at| {
        sum += sizes[*at];
        sum >= keep
    })?;
    let points = || (full..path.len()).filter(|at| is_cut_point(path[*at]));
    let kept = |at: usize| sizes[at..].iter().sum::<u64>();
    // One message that is much larger than all that is to be kept goes, if anything is left then.
    let fits = points().find(|at| kept(*at) <= keep.saturating_add(keep / 2) && kept(*at) > 0);
    let at = fits.or_else(|| points().next()).or_else(|| {
        // Nothing may be cut behind that place: the newest call and its results are larger than what is to be kept.
        (start..full).rev().find(|at| is_cut_point(path[*at]))
    })?;
    let first_kept = with_settings_before(path, start, at);
    let turn_start = match is_turn_start(path[at]) {
        true => None,
        false => (start..at).rev().find(|at| is_turn_start(path[*at])),
    };
    Some(Cut { first_kept, turn_start })
}

/// Changes of the model, labels and the like belong to what follows them.
fn with_settings_before(path: &[&Entry], start: usize, at: usize) -> usize {
    let mut first = at;
    while first > start && !is_spoken(path[first - 1]) {
        first -= 1;
    }
    first
}
