//! Tokens of a text: one for each piece that is a token, the longest tokens one after another for the others.

use crate::pieces::Pieces;
use crate::vocabulary::{Family, Rolling, Vocabulary};

/// No token of a word is longer; runs of one character are the exception and are counted by steps of it.
const LONGEST: usize = 64;

pub(crate) fn count(family: Family, text: &str) -> u64 {
    let vocabulary = family.vocabulary();
    Pieces::new(family, text).map(|piece| of_piece(vocabulary, piece)).sum()
}

#[inline]
fn of_piece(vocabulary: Vocabulary, piece: &[u8]) -> u64 {
    if piece.len() <= 1 {
        return 1;
    }
    if piece.len() <= LONGEST {
        let hash = piece.iter().fold(Rolling::new(), |hash, byte| hash.push(*byte));
        if vocabulary.has(hash) {
            return 1;
        }
    }
    let mut rest = piece;
    let mut tokens = 0;
    while !rest.is_empty() {
        rest = rest.get(longest(vocabulary, rest)..).unwrap_or_default();
        tokens += 1;
    }
    tokens
}

/// Length of the longest token at the start of `bytes`; every byte is a token.
fn longest(vocabulary: Vocabulary, bytes: &[u8]) -> usize {
    let mut hashes = [Rolling::new(); LONGEST];
    let mut hash = Rolling::new();
    let mut known = 0;
    for (place, byte) in hashes.iter_mut().zip(bytes) {
        hash = hash.push(*byte);
        *place = hash;
        known += 1;
    }
    for length in (2..=known).rev() {
        if hashes.get(length - 1).is_some_and(|hash| vocabulary.has(*hash)) {
            return length;
        }
    }
    1
}
