//! `conflict://` addresses.

use super::ConflictSide;

/// What a `conflict://` address names.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum ConflictAddress {
    /// `conflict://3`
    Conflict(usize),
    /// `conflict://3/ours`: for reading only.
    Side(usize, ConflictSide),
    /// `conflict://*`
    All,
}

impl ConflictAddress {
    /// `None` if `typed` is not an address of a conflict; an error if it is a wrong one.
    pub fn parse(typed: &str) -> Option<Result<Self, String>> {
        const SCHEME: &str = "conflict://";
        let scheme = typed.get(..SCHEME.len())?;
        if !scheme.eq_ignore_ascii_case(SCHEME) {
            return None;
        }
        let rest = &typed[SCHEME.len()..];
        let (id, side) = match rest.split_once('/') {
            Some((id, side)) => (id, Some(side)),
            None => (rest, None),
        };
        let address = match (id, id.parse(), side.map(ConflictSide::from_word)) {
            ("*", _, None) => Some(Self::All),
            (_, Ok(id), None) => Some(Self::Conflict(id)),
            (_, Ok(id), Some(Some(side))) if side != ConflictSide::Both => Some(Self::Side(id, side)),
            _ => None,
        };
        Some(address.ok_or_else(|| {
            format!(
                "'{typed}' does not name a conflict. Use conflict://N with the number shown by read, \
                 optionally with /ours, /theirs or /base to read one side, or conflict://* to resolve all."
            )
        }))
    }
}
