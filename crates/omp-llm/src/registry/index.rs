//! Every model under every name it can be called by, computed once and searched without copying.

use std::collections::HashMap;

use indexmap::IndexMap;

use super::canonical::{Canonical, Membership};
use super::fields::Equivalence;
use super::merge::Providers;

/// Positions in [`Index::rows`].
pub(super) type RowId = usize;

pub(super) struct Index {
    pub(super) rows: Vec<IndexedModel>,
    by_selector: HashMap<String, RowId>,
    by_id: HashMap<String, Vec<RowId>>,
    /// By the lower-case canonical id.
    groups: IndexMap<String, Group>,
}

/// One model. Names are in lower case.
pub(super) struct IndexedModel {
    /// Position of the provider in the registry, and of the model in the provider.
    pub(super) provider: usize,
    pub(super) model: usize,
    /// `provider/id`.
    pub(super) selector: String,
    /// Where the id begins in `selector`.
    id_at: usize,
    /// The selector and the id without punctuation, for people who leave it out.
    pub(super) plain_selector: String,
    plain_id_at: usize,
    /// `YYYYMMDD` at the end of the id; zero for an alias, which stands for the newest.
    pub(super) date: u32,
    /// Its place among [`Index::groups`], for those that share one.
    group: Option<usize>,
}

impl IndexedModel {
    pub(super) fn id(&self) -> &str {
        &self.selector[self.id_at..]
    }

    pub(super) fn plain_id(&self) -> &str {
        &self.plain_selector[self.plain_id_at..]
    }
}

/// Models that are the same.
pub(super) struct Group {
    /// As it is written.
    pub(super) id: String,
    pub(super) members: Vec<RowId>,
}

impl Index {
    pub(super) fn build(providers: &Providers, equivalence: &Equivalence) -> Self {
        let mut index = Self {
            rows: Vec::new(),
            by_selector: HashMap::new(),
            by_id: HashMap::new(),
            groups: IndexMap::new(),
        };
        let canonical = Canonical::new(equivalence);
        for (provider, (name, entry)) in providers.iter().enumerate() {
            for (position, id) in entry.models.ids().enumerate() {
                index.add(row(provider, position, name, id), canonical.of(name, id));
            }
        }
        index
    }

    fn add(&mut self, mut row: IndexedModel, membership: Membership) {
        let at = self.rows.len();
        if let Membership::Shared(id) = membership {
            let entry = self.groups.entry(id.to_lowercase());
            row.group = Some(entry.index());
            entry.or_insert_with(|| Group { id, members: Vec::new() }).members.push(at);
        }
        self.by_selector.entry(row.selector.clone()).or_insert(at);
        self.by_id.entry(row.id().to_owned()).or_default().push(at);
        self.rows.push(row);
    }

    /// `provider/id`, in lower case.
    pub(super) fn selector(&self, selector: &str) -> Option<RowId> {
        self.by_selector.get(selector).copied()
    }

    /// All models of that id, in lower case.
    pub(super) fn id(&self, id: &str) -> &[RowId] {
        self.by_id.get(id).map(Vec::as_slice).unwrap_or_default()
    }

    /// The members of a canonical group, whose id is in lower case.
    pub(super) fn canonical(&self, id: &str) -> &[RowId] {
        self.groups.get(id).map(|group| group.members.as_slice()).unwrap_or_default()
    }

    pub(super) fn groups(&self) -> impl Iterator<Item = &Group> {
        self.groups.values()
    }

    /// Are these the same model, offered twice?
    pub(super) fn same(&self, one: RowId, other: RowId) -> bool {
        let group = self.rows[one].group;
        group.is_some() && group == self.rows[other].group
    }

    pub(super) fn is_grouped(&self, row: RowId) -> bool {
        self.rows[row].group.is_some()
    }
}

fn row(provider: usize, model: usize, provider_id: &str, id: &str) -> IndexedModel {
    let provider_id = provider_id.to_lowercase();
    let id = id.to_lowercase();
    let plain_provider = plain(&provider_id);
    IndexedModel {
        provider,
        model,
        id_at: provider_id.len() + 1,
        plain_id_at: plain_provider.len(),
        plain_selector: plain_provider + &plain(&id),
        date: date(&id),
        selector: format!("{provider_id}/{id}"),
        group: None,
    }
}

/// Without punctuation.
pub(super) fn plain(text: &str) -> String {
    text.chars().filter(|letter| letter.is_alphanumeric()).collect()
}

/// `-20250929` or `-2025-09-29` at the end.
fn date(id: &str) -> u32 {
    let digits: String = id.chars().rev().take(10).collect::<Vec<_>>().into_iter().rev().collect();
    let compact: String = match digits.as_bytes() {
        [_, _, _, _, b'-', _, _, b'-', _, _] => digits.chars().filter(|letter| *letter != '-').collect(),
        [_, b'-', ..] => digits[2..].to_owned(),
        _ => return 0,
    };
    let number =
        Some(compact).filter(|text| text.len() == 8 && text.bytes().all(|byte| byte.is_ascii_digit()));
    number
        .and_then(|text| text.parse().ok())
        .filter(|date| (20_000_000..21_000_000).contains(date))
        .unwrap_or(0)
}

#[cfg(test)]
mod tests {
    use super::date;

    #[test]
    fn dates_are_read_from_the_end() {
        assert_eq!(date("claude-sonnet-4-20250514"), 20_250_514);
        assert_eq!(date("gpt-4o-2024-08-06"), 20_240_806);
        for undated in
            ["claude-sonnet-4-5", "gpt-4o", "model-12345678", "20250514", "é-2025051", "ä-20250514x"]
        {
            assert_eq!(date(undated), 0, "{undated}");
        }
    }
}
