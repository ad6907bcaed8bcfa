//! Lists of models: `--models`, `enabledModels`, and the canonical view.

use std::collections::HashSet;

use omp_types::ThinkingLevel;

use super::Registry;
use super::engine::{Ranks, suffix};
use super::index::RowId;
use super::values::Lookup;

/// The models a list of selectors offers, in the order of the list.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct Scope {
    pub models: Vec<ScopedModel>,
    /// Entries that name nothing that can be used.
    pub unmatched: Vec<String>,
}

#[derive(Clone, Debug, PartialEq, Eq)]
pub struct ScopedModel {
    /// `provider/id`.
    pub selector: String,
    /// From a `:level` suffix of the entry.
    pub thinking: Option<ThinkingLevel>,
}

/// One model, regardless of who offers it.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct CanonicalModel {
    pub id: String,
    /// `provider/id` of every offer, the one that would be used first.
    pub variants: Vec<String>,
    /// Can the first be used now?
    pub available: bool,
}

impl Registry {
    /// Models that can be used and that the entries name. A canonical id stands for all of its variants.
    pub fn scope<'a>(&self, entries: impl IntoIterator<Item = &'a str>, lookup: &dyn Lookup) -> Scope {
        let ranks = self.ranks(lookup);
        let mut scope = Scope::default();
        let mut seen = HashSet::new();
        for entry in entries {
            let (rows, thinking) = self.entry(entry.trim(), &ranks);
            if rows.is_empty() {
                scope.unmatched.push(entry.to_owned());
            }
            for row in rows.into_iter().filter(|row| seen.insert(*row)) {
                scope.models.push(ScopedModel { selector: self.model_at(row).selector(), thinking });
            }
        }
        scope
    }

    fn entry(&self, entry: &str, ranks: &Ranks) -> (Vec<RowId>, Option<ThinkingLevel>) {
        let usable = |rows: Vec<RowId>| -> Vec<RowId> {
            rows.into_iter().filter(|row| ranks.is_ready(&self.index().rows[*row])).collect()
        };
        let level = suffix(entry).filter(|suffix| suffix.level.is_some());
        match level {
            // The level is part of an id only if the id is written out.
            Some(suffix) if self.exact_within(entry, None, ranks).is_none() => {
                (usable(self.all(suffix.front, ranks)), suffix.level)
            }
            _ => (usable(self.all(entry, ranks)), None),
        }
    }

    /// The coalesced view: one row for each model, however many providers offer it.
    pub fn canonical(&self, lookup: &dyn Lookup) -> Vec<CanonicalModel> {
        let index = self.index();
        let ranks = self.ranks(lookup);
        let shared = index.groups().map(|group| (group.id.clone(), group.members.clone()));
        let alone = (0..index.rows.len()).filter(|row| !index.is_grouped(*row));
        let alone = alone.map(|row| (self.model_at(row).id.clone(), vec![row]));
        let listed = shared.chain(alone).map(|(id, members)| self.canonical_row(id, members, &ranks));
        let mut listed: Vec<CanonicalModel> = listed.collect();
        listed.sort_by(|one, other| one.id.cmp(&other.id));
        listed
    }

    fn canonical_row(&self, id: String, mut members: Vec<RowId>, ranks: &Ranks) -> CanonicalModel {
        let rows = &self.index().rows;
        members.sort_by_key(|row| ranks.of(&rows[*row], *row));
        let available = members.first().is_some_and(|row| ranks.is_ready(&rows[*row]));
        let variants = members.into_iter().map(|row| self.model_at(row).selector()).collect();
        CanonicalModel { id, variants, available }
    }
}
