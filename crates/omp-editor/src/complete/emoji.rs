//! `:name:` to an emoji.

use super::rank::Ranker;
use super::{Fit, Offer, Then};

/// A name and an emoji a line; several names may give the same.
const TABLE: &str = include_str!("emoji.tsv");

/// Most offers.
const LIMIT: usize = 30;

fn entries() -> impl Iterator<Item = (&'static str, &'static str)> {
    TABLE.lines().filter_map(|line| line.split_once('\t'))
}

/// The emoji of a name.
pub(crate) fn by_name(name: &str) -> Option<&'static str> {
    entries().find(|(known, _)| *known == name).map(|(_, emoji)| emoji)
}

/// The emoji whose names fit.
pub(crate) fn complete(query: &str) -> Vec<Offer> {
    let mut ranker = Ranker::new(query);
    let mut found: Vec<_> =
        entries().filter_map(|(name, emoji)| Some((ranker.name(name)?, name, emoji))).collect();
    found.sort();
    found.truncate(LIMIT);
    let offer = |name: &str, emoji: &str| Offer {
        label: format!("{emoji} :{name}:"),
        insert: emoji.to_owned(),
        detail: String::new(),
        topic: String::new(),
        then: Then::Close,
        fit: Fit::Prefix,
    };
    found.into_iter().map(|(_, name, emoji)| offer(name, emoji)).collect()
}
