//! What a selector means. One engine for every place where a model can be named.

use std::cmp::Reverse;

use omp_types::ThinkingLevel;

use super::index::{Index, IndexedModel, RowId, plain};
use super::provider::Availability;
use super::values::Lookup;
use super::{Registry, glob};

/// Which providers come first, for one question.
pub(super) struct Ranks {
    /// By position in the registry.
    providers: Vec<(bool, usize)>,
}

impl Ranks {
    pub(super) fn is_ready(&self, row: &IndexedModel) -> bool {
        !self.providers[row.provider].0
    }

    /// Those with a key, then the user's order, then the registry's.
    pub(super) fn of(&self, row: &IndexedModel, at: RowId) -> (bool, usize, RowId) {
        let (unready, order) = self.providers[row.provider];
        (unready, order, at)
    }
}

/// One text, read as far as it can be without looking at the models.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) struct Suffix<'a> {
    pub(super) front: &'a str,
    pub(super) word: &'a str,
    pub(super) level: Option<ThinkingLevel>,
}

/// `front:word`.
pub(super) fn suffix(text: &str) -> Option<Suffix<'_>> {
    let (front, word) = text.rsplit_once(':')?;
    let (front, word) = (front.trim(), word.trim());
    (!front.is_empty()).then(|| Suffix { front, word, level: ThinkingLevel::parse(word) })
}

/// What a text was found to mean.
#[derive(Debug)]
pub(super) struct SelectorMatch {
    pub(super) row: RowId,
    /// Others that fit just as well and are other models.
    pub(super) rivals: Vec<RowId>,
}

impl SelectorMatch {
    pub(super) fn only(row: RowId) -> Self {
        Self { row, rivals: Vec::new() }
    }
}

impl Registry {
    pub(super) fn ranks(&self, lookup: &dyn Lookup) -> Ranks {
        let place = |id: &str| self.order.iter().position(|known| known.eq_ignore_ascii_case(id));
        let rank = |(id, provider): (&String, &super::Provider)| {
            let unready = provider.availability(lookup) == Availability::NoKey;
            (unready, place(id).unwrap_or(usize::MAX))
        };
        Ranks { providers: self.providers.iter().map(rank).collect() }
    }

    /// `provider/id`, else a canonical id, else an id. The first slash separates only after a known provider.
    pub(super) fn exact(&self, text: &str, within: Option<usize>, ranks: &Ranks) -> Option<RowId> {
        let index = self.index();
        let text = text.to_lowercase();
        let inside = |row: &RowId| within.is_none_or(|provider| index.rows[*row].provider == provider);
        let best = |rows: &[RowId]| {
            rows.iter().copied().filter(inside).min_by_key(|row| ranks.of(&index.rows[*row], *row))
        };
        index
            .selector(&text)
            .filter(inside)
            .or_else(|| best(index.canonical(&text)))
            .or_else(|| self.last_used(index.id(&text), inside, ranks))
    }

    /// Of several models of one id: one that can be used, the one that was used last, then as always.
    fn last_used(&self, rows: &[RowId], inside: impl Fn(&RowId) -> bool, ranks: &Ranks) -> Option<RowId> {
        let all = &self.index().rows;
        let usage = |row: &IndexedModel| match rows.len() {
            0 | 1 => usize::MAX,
            _ => self.preferences.recent.rank(&row.selector),
        };
        rows.iter().copied().filter(inside).min_by_key(|at| {
            let (unready, order, at) = ranks.of(&all[*at], *at);
            (unready, usage(&all[at]), order, at)
        })
    }

    /// The best of the models whose name holds the text.
    pub(super) fn fuzzy(&self, text: &str, within: Option<usize>, ranks: &Ranks) -> Option<SelectorMatch> {
        let index = self.index();
        let text = text.to_lowercase();
        let bare = plain(&text);
        let scored = index.rows.iter().enumerate().filter_map(|(at, row)| {
            let inside = within.is_none_or(|provider| row.provider == provider);
            let fit = if inside { fit(row, &text, &bare, within) } else { None }?;
            let (unready, order, at) = ranks.of(row, at);
            // An alias stands for the newest, and of the dated ones the newest comes first.
            Some(((unready, fit), (row.date != 0, Reverse(row.date), order), at))
        });
        let scored: Vec<_> = scored.collect();
        let (class, _, row) = scored.iter().min().copied()?;
        let dated = index.rows[row].date;
        let rivals = scored.iter().filter(|(other_class, _, other)| {
            *other_class == class
                && *other != row
                && !index.same(row, *other)
                && index.rows[*other].id() != index.rows[row].id()
                && (index.rows[*other].date == 0) == (dated == 0)
        });
        Some(SelectorMatch { row, rivals: rivals.map(|(_, _, other)| *other).collect() })
    }

    /// Exact, else fuzzy; after a known provider within that provider only.
    pub(super) fn resolve(&self, text: &str, within: Option<usize>, ranks: &Ranks) -> Option<SelectorMatch> {
        if let Some(row) = self.exact_within(text, within, ranks) {
            return Some(SelectorMatch::only(row));
        }
        match self.split_provider(text, within) {
            Some((provider, id)) => self.fuzzy(id, Some(provider), ranks),
            None => self.fuzzy(text, within, ranks),
        }
    }

    /// As [`Registry::exact`]; `provider/text` may also name a canonical id.
    pub(super) fn exact_within(&self, text: &str, within: Option<usize>, ranks: &Ranks) -> Option<RowId> {
        match self.split_provider(text, within) {
            Some((provider, id)) => {
                // The id may itself begin with the provider's name.
                let whole = self.exact(text, Some(provider), ranks);
                whole.or_else(|| self.exact(id, Some(provider), ranks))
            }
            None => self.exact(text, within, ranks),
        }
    }

    /// The known provider before the first slash, and the rest.
    pub(super) fn split_provider<'a>(
        &self,
        text: &'a str,
        within: Option<usize>,
    ) -> Option<(usize, &'a str)> {
        let (name, id) = text.split_once('/')?;
        let provider = self.position(name)?;
        let allowed = within.is_none_or(|wanted| wanted == provider) && !id.trim().is_empty();
        allowed.then(|| (provider, id.trim()))
    }

    /// Every model a text stands for where several may be named.
    pub(super) fn all(&self, text: &str, ranks: &Ranks) -> Vec<RowId> {
        if glob::is_glob(text) {
            return self.matching(text);
        }
        let index = self.index();
        let lower = text.to_lowercase();
        if let Some(row) = index.selector(&lower) {
            return vec![row];
        }
        for rows in [index.canonical(&lower), index.id(&lower)] {
            if !rows.is_empty() {
                return rows.to_vec();
            }
        }
        self.resolve(text, None, ranks).map(|found| found.row).into_iter().collect()
    }

    /// Models whose name a glob describes. After a known provider it speaks of that provider alone.
    fn matching(&self, text: &str) -> Vec<RowId> {
        let index: &Index = self.index();
        let pattern = text.to_lowercase();
        let whole_name = self.split_provider(&pattern, None).is_some();
        let fits = |row: &IndexedModel| {
            glob::matches(&pattern, &row.selector) || (!whole_name && glob::matches(&pattern, row.id()))
        };
        index.rows.iter().enumerate().filter(|(_, row)| fits(row)).map(|(at, _)| at).collect()
    }
}

/// How well a name holds the text: smaller is better.
fn fit(row: &IndexedModel, text: &str, bare: &str, within: Option<usize>) -> Option<u8> {
    if text.is_empty() || bare.is_empty() {
        return None;
    }
    let selector = within.is_none();
    // Who begins with punctuation means it.
    let loose = text.starts_with(char::is_alphanumeric);
    if loose && row.plain_id() == bare {
        Some(0)
    } else if row.id().starts_with(text) {
        Some(1)
    } else if row.id().contains(text) {
        Some(2)
    } else if loose && row.plain_id().contains(bare) {
        Some(3)
    } else if selector && (row.selector.contains(text) || (loose && row.plain_selector.contains(bare))) {
        Some(4)
    } else {
        None
    }
}
