//! The tree of a source, entry for record.

use std::collections::HashMap;

use serde_json::Value;

use crate::emit::Id;
use crate::json::{key, text};

/// Knows which entry a record's children follow, and where a record without a place goes.
#[derive(Default)]
pub(crate) struct Thread {
    tips: HashMap<u64, Id>,
    /// The first entries of records that became several.
    firsts: HashMap<u64, Id>,
    /// The last entry that has a place in the source's tree.
    anchor: Option<Id>,
    /// The last entry; it follows the anchor through entries without a place of their own.
    trail: Option<Id>,
}

/// What a record says about its parent.
#[derive(Clone, Copy)]
pub(crate) enum Parent<'a> {
    /// It is the first of a tree.
    Root,
    Named(&'a str),
    /// Nothing: it follows the record before it.
    Last,
}

impl<'a> Parent<'a> {
    /// The parent in a field of a record.
    pub(crate) fn of(record: &'a Value, field: &str) -> Self {
        match (record.get(field), text(record, field)) {
            (_, Some(name)) => Self::Named(name),
            (None, None) => Self::Last,
            (Some(_), None) => Self::Root,
        }
    }
}

impl Thread {
    pub(crate) fn knows(&self, record: &str) -> bool {
        self.tips.contains_key(&key(record))
    }

    /// The entry that a record became, or the first of those it became.
    pub(crate) fn first(&self, record: &str) -> Option<Id> {
        self.firsts.get(&key(record)).or_else(|| self.tips.get(&key(record))).copied()
    }

    /// The entry to follow; `Err` with the last one if the named parent is not there.
    pub(crate) fn after(&self, parent: Parent<'_>) -> Result<Option<Id>, Option<Id>> {
        match parent {
            // What stands before the conversation belongs to it.
            Parent::Root if self.anchor.is_none() => Ok(self.trail),
            Parent::Root => Ok(None),
            Parent::Last => Ok(self.trail),
            Parent::Named(record) => match self.tips.get(&key(record)).copied() {
                Some(tip) if Some(tip) == self.anchor => Ok(self.trail),
                Some(tip) => Ok(Some(tip)),
                None => Err(self.trail),
            },
        }
    }

    /// The last entry of all.
    pub(crate) fn end(&self) -> Option<Id> {
        self.trail
    }

    /// A record became this entry.
    pub(crate) fn grow(&mut self, record: Option<&str>, entry: Id) {
        self.grow_by(record, entry, entry);
    }

    /// A record became the entries from `first` to `last`.
    pub(crate) fn grow_by(&mut self, record: Option<&str>, first: Id, last: Id) {
        if let Some(record) = record {
            self.tips.insert(key(record), last);
            if first != last {
                self.firsts.insert(key(record), first);
            }
        }
        self.anchor = Some(last);
        self.trail = Some(last);
    }

    /// An entry without a place in the tree was added at the end.
    pub(crate) fn append(&mut self, entry: Id) {
        self.trail = Some(entry);
    }

    /// The children of a record follow this entry.
    pub(crate) fn alias(&mut self, record: Option<&str>, entry: Id) {
        if let Some(record) = record {
            self.tips.insert(key(record), entry);
        }
    }

    /// A record became no entry of its own: its children follow its parent.
    pub(crate) fn pass_over(&mut self, record: Option<&str>, parent: Parent<'_>) {
        let entry = match parent {
            Parent::Root => None,
            Parent::Last => self.anchor,
            Parent::Named(parent) => self.tips.get(&key(parent)).copied().or(self.anchor),
        };
        if let Some(entry) = entry {
            self.alias(record, entry);
        }
    }
}
