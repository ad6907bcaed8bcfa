//! Ids of sessions and of the entries in one.

use std::collections::HashSet;

/// Every entry id of one session, so that a new one is new.
#[derive(Clone, Debug, Default)]
pub(crate) struct EntryIds(HashSet<String>);

/// Short ids that are tried before a longer one is taken.
const SHORT_TRIES: usize = 100;

impl EntryIds {
    pub(crate) fn contains(&self, id: &str) -> bool {
        self.0.contains(id)
    }

    /// Eight hexadecimal characters that no other entry has; sixteen if eight are hard to find.
    pub(crate) fn fresh(&mut self) -> String {
        self.fresh_from(|| fastrand::u32(..))
    }

    fn fresh_from(&mut self, mut random: impl FnMut() -> u32) -> String {
        for _ in 0..SHORT_TRIES {
            let id = format!("{:08x}", random());
            if self.0.insert(id.clone()) {
                return id;
            }
        }
        loop {
            let id = session_id();
            if self.0.insert(id.clone()) {
                return id;
            }
        }
    }
}

impl<'a> FromIterator<&'a str> for EntryIds {
    fn from_iter<T: IntoIterator<Item = &'a str>>(ids: T) -> Self {
        Self(ids.into_iter().map(str::to_owned).collect())
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
    }
}
