//! Which of several credentials is used.

use std::collections::HashSet;

use omp_llm::Secret;

use crate::store::Stored;

/// What a session remembers about a provider.
#[derive(Clone, Debug, Default)]
pub(crate) struct Memory {
    /// The credential the session stays with.
    pub(crate) current: Option<i64>,
    /// Credentials the provider refused in this session.
    pub(crate) refused: HashSet<i64>,
    /// What a look at the store gave last.
    pub(crate) shown: Option<Secret>,
}

/// The credential for the next request: the one the session has, else the first that does not rest, else the one
/// that rests for the shortest time.
pub(crate) fn choose<'a>(rows: &'a [Stored], memory: &Memory, now_ms: u64) -> Option<&'a Stored> {
    let mut usable = usable(rows, memory).peekable();
    usable.peek()?;
    let all: Vec<&Stored> = usable.collect();
    let awake = |row: &&&Stored| rest_ms(row, now_ms).is_none();
    let kept = all.iter().find(|row| memory.current == Some(row.id)).filter(awake);
    let chosen = kept.or_else(|| all.iter().find(awake));
    chosen.or_else(|| all.iter().min_by_key(|row| rest_ms(row, now_ms))).copied()
}

/// Neither disabled nor refused.
pub(crate) fn usable<'a>(rows: &'a [Stored], memory: &Memory) -> impl Iterator<Item = &'a Stored> {
    rows.iter().filter(|row| row.disabled.is_none() && !memory.refused.contains(&row.id))
}

pub(crate) fn rest_ms(row: &Stored, now_ms: u64) -> Option<u64> {
    row.block.and_then(|block| block.rest_ms(now_ms))
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::credential::Credential;
    use crate::store::Block;

    fn row(id: i64, until_ms: Option<u64>) -> Stored {
        Stored {
            id,
            provider: "p".to_owned(),
            login: "p".to_owned(),
            identity: id.to_string(),
            credential: Credential::ApiKey(Secret::new("k")),
            block: until_ms.map(|until_ms| Block { from_ms: 1_000_000, until_ms }),
            disabled: None,
            revision: 0,
        }
    }

    fn chosen(rows: &[Stored], memory: &Memory, now_ms: u64) -> Option<i64> {
        choose(rows, memory, now_ms).map(|row| row.id)
    }

    #[test]
    fn the_session_stays_rests_are_respected_and_end() {
        let rows = [row(1, Some(1_500_000)), row(2, None), row(3, None)];
        let fresh = Memory::default();
        let staying = Memory { current: Some(3), ..Memory::default() };
        assert_eq!(chosen(&rows, &fresh, 1_000_000), Some(2));
        assert_eq!(chosen(&rows, &staying, 1_000_000), Some(3));
        assert_eq!(chosen(&rows, &fresh, 1_500_000), Some(1), "its rest is over");
        assert_eq!(chosen(&rows, &fresh, 100_000), Some(1), "the clock was set back to before it began");
        let refused = Memory { current: Some(2), refused: [2, 3].into(), ..Memory::default() };
        assert_eq!(chosen(&rows, &refused, 1_000_000), Some(1), "all that is left rests, so it is tried");
        let resting = [row(1, Some(3_000_000)), row(2, Some(2_000_000))];
        assert_eq!(chosen(&resting, &fresh, 1_000_000), Some(2), "free first");
        assert_eq!(chosen(&[], &fresh, 0), None);
        let disabled = [Stored { disabled: Some("revoked".to_owned()), ..row(1, None) }];
        assert_eq!(chosen(&disabled, &fresh, 0), None);
    }
}
