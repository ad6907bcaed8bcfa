//! Ids of sessions and of the entries in one.

use std::collections::HashSet;

use crate::index::{self, Index};

/// Short ids that are tried before a longer one is taken.
const SHORT_TRIES: usize = 100;

/// Every entry id of one session, so that a new one is new.
#[derive(Debug, Default)]
pub(crate) struct EntryIds {
    own: HashSet<String>,
    earlier: Option<Earlier>,
}

/// The ids of a long file, which are looked up where they are.
#[derive(Debug)]
struct Earlier {
    index: Index,
    /// The short ones in order, read when the first id is drawn; `None` if they cannot be read.
    taken: Option<Option<Vec<u32>>>,
}

impl EntryIds {
    pub(crate) fn of(index: Index) -> Self {
        Self { own: HashSet::new(), earlier: Some(Earlier { index, taken: None }) }
    }

    pub(crate) fn contains(&mut self, id: &str) -> bool {
        let earlier = self.earlier.as_mut();
        self.own.contains(id) || earlier.is_some_and(|earlier| matches!(earlier.index.find(id), Ok(Some(_))))
    }

    /// An id that is in use from now on.
    pub(crate) fn keep(&mut self, id: &str) {
        self.own.insert(id.to_owned());
    }

    /// Eight hexadecimal characters that no other entry has; sixteen if eight are hard to find.
    pub(crate) fn fresh(&mut self) -> String {
        self.fresh_from(|| fastrand::u32(..))
    }

    fn fresh_from(&mut self, mut random: impl FnMut() -> u32) -> String {
        for _ in 0..SHORT_TRIES {
            let id = format!("{:08x}", random());
            let earlier = self.earlier.as_mut();
            if earlier.is_none_or(|earlier| !earlier.may_have(&id)) && self.own.insert(id.clone()) {
                return id;
            }
        }
        loop {
            let id = session_id();
            if self.own.insert(id.clone()) {
                return id;
            }
        }
    }
}

impl Earlier {
    fn may_have(&mut self, id: &str) -> bool {
        let taken = self.taken.get_or_insert_with(|| self.index.short_ids().ok());
        let taken = taken.as_deref();
        index::short(id).is_none_or(|id| taken.is_none_or(|taken| taken.binary_search(&id).is_ok()))
    }
}

impl<'a> FromIterator<&'a str> for EntryIds {
    fn from_iter<T: IntoIterator<Item = &'a str>>(ids: T) -> Self {
        Self { own: ids.into_iter().map(str::to_owned).collect(), earlier: None }
    }
}

pub(crate) fn session_id() -> String {
    format!("{:016x}", fastrand::u64(..))
}

#[cfg(test)]
mod tests {
    use super::*;

    // proves: SES-017
    #[test]
    fn ids_never_collide() {
        let mut ids = EntryIds::default();
        let mut small = fastrand::Rng::with_seed(7);
        // A poor source: 64 values for 200 ids.
        let drawn: Vec<String> = (0..200).map(|_| ids.fresh_from(|| small.u32(0..64))).collect();
        assert_eq!(drawn.iter().collect::<HashSet<_>>().len(), drawn.len());
        assert!(drawn.iter().filter(|id| id.len() == 8).count() == 64, "all short ids are used first");
        assert!(drawn.iter().all(|id| id.bytes().all(|byte| byte.is_ascii_hexdigit())));
        // Those that the session had before count, too.
        let mut known: EntryIds = ["00000000", "00000001"].into_iter().collect();
        let mut numbers = [0, 1, 2].into_iter();
        assert_eq!(known.fresh_from(|| numbers.next().unwrap()), "00000002");
    }
}
