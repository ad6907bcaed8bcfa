//! What is summarized and what stays.

use std::sync::Arc;

use omp_session::{Compaction, Entry, EntryKind, since_reset};
use omp_types::Message;

use crate::cut;
use crate::files::FileActivity;

/// A message and the entry it comes from.
#[derive(Clone, Debug, PartialEq)]
pub struct Piece {
    /// The entry's id.
    pub id: String,
    pub message: Arc<Message>,
}

/// A compaction that is possible.
#[derive(Clone, Debug)]
pub struct Plan {
    /// The compaction before this one.
    pub previous: Option<Compaction>,
    /// What is summarized: what the compaction before kept, and everything since, up to the turn that is cut.
    pub history: Vec<Piece>,
    /// The part of a cut turn that goes.
    pub prefix: Vec<Piece>,
    /// What stays.
    pub kept: Vec<Piece>,
    /// The entry that what stays begins with.
    pub first_kept: String,
    /// Files that were read and written in the part that goes, and before.
    pub files: FileActivity,
}

/// There is nothing to summarize.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Nothing {
    /// Everything said so far would stay.
    TooShort,
    /// Nothing was said since.
    JustCompacted,
    /// What would stand for the messages is as long as they are.
    NotShorter,
}

impl std::fmt::Display for Nothing {
    fn fmt(&self, formatter: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
        formatter.write_str(match self {
            Self::TooShort => "Nothing to compact: the conversation is short enough to be kept whole",
            Self::JustCompacted => "Nothing to compact: nothing was said since the last compaction",
            Self::NotShorter => "Nothing to compact: a summary would be as long as what it replaces",
        })
    }
}

impl Plan {
    /// Plans a compaction of the way to the leaf, which keeps about `keep` tokens of its end.
    pub fn new(path: &[&Entry], keep: u64) -> Result<Self, Nothing> {
        let path = since_reset(path);
        let before = path.iter().rposition(|entry| matches!(entry.kind, EntryKind::Compaction(_)));
        let start = before.map_or(0, |at| at + 1);
        let sizes: Vec<u64> = path.iter().enumerate().map(|(at, entry)| size(entry, at >= start)).collect();
        if sizes[start..].iter().all(|size| *size == 0) {
            return Err(if before.is_some() { Nothing::JustCompacted } else { Nothing::TooShort });
        }
        let (previous, carried) = match before.map(|at| (at, &path[at].kind)) {
            Some((at, EntryKind::Compaction(compaction))) => {
                (Some(compaction.clone()), kept_by(compaction, &path[..at]))
            }
            _ => (None, &path[..0]),
        };
        let cut = match cut::find(path, &sizes, start, keep) {
            Some(cut) => cut,
            // What the compaction before kept can still go.
            None if !carried.is_empty() => cut::Cut { first_kept: start, turn_start: None },
            None => return Err(Nothing::TooShort),
        };
        let end = cut.turn_start.unwrap_or(cut.first_kept);
        let mut history = pieces(carried);
        history.extend(pieces(&path[start..end.max(start)]));
        let prefix = pieces(&path[end.max(start)..cut.first_kept]);
        if history.is_empty() && prefix.is_empty() {
            return Err(Nothing::TooShort);
        }
        let mut files = FileActivity::of_details(previous.as_ref());
        files.add(history.iter().chain(&prefix).map(|piece| &*piece.message));
        Ok(Self {
            previous,
            history,
            prefix,
            kept: pieces(&path[cut.first_kept..]),
            first_kept: path[cut.first_kept].id.clone(),
            files,
        })
    }

    /// Everything that goes, the oldest first.
    pub fn dropped(&self) -> impl Iterator<Item = &Piece> {
        self.history.iter().chain(&self.prefix)
    }

    /// Tokens of what goes: the messages, and the summary of what went before them.
    pub fn replaced_tokens(&self) -> u64 {
        let summary = self.previous.as_ref().map_or(0, |previous| omp_tokens::message(&previous.message()));
        summary + self.dropped().map(|piece| omp_tokens::message(&piece.message)).sum::<u64>()
    }

    /// Tokens of what stays.
    pub fn kept_tokens(&self) -> u64 {
        self.kept.iter().map(|piece| omp_tokens::message(&piece.message)).sum()
    }
}

/// The messages that a model is told now, but for the summary of what went before.
pub fn standing(path: &[&Entry]) -> Vec<Piece> {
    let path = since_reset(path);
    let before = path.iter().rposition(|entry| matches!(entry.kind, EntryKind::Compaction(_)));
    let mut standing = match before.map(|at| (at, &path[at].kind)) {
        Some((at, EntryKind::Compaction(compaction))) => pieces(kept_by(compaction, &path[..at])),
        _ => Vec::new(),
    };
    standing.extend(pieces(&path[before.map_or(0, |at| at + 1)..]));
    standing
}

/// What a compaction kept of the entries before it.
fn kept_by<'a, 'b>(compaction: &Compaction, before: &'a [&'b Entry]) -> &'a [&'b Entry] {
    let wanted = compaction.first_kept_entry_id.as_deref();
    let first = before.iter().position(|entry| Some(entry.id.as_str()) == wanted);
    &before[first.unwrap_or(before.len())..]
}

fn pieces(entries: &[&Entry]) -> Vec<Piece> {
    let piece = |(at, entry): (usize, &&Entry)| {
        let message = entry.spoken().filter(|_| !omp_session::is_repeated(entries, at))?;
        Some(Piece { id: entry.id.clone(), message })
    };
    entries.iter().enumerate().filter_map(piece).collect()
}

/// Tokens of an entry; only those that may be cut are counted.
fn size(entry: &Entry, counted: bool) -> u64 {
    if !counted {
        return 0;
    }
    match &entry.kind {
        EntryKind::Message(entry) => omp_tokens::message(&entry.message),
        _ => entry.spoken().map_or(0, |message| omp_tokens::message(&message)),
    }
}
