//! Tokens of a text: one for each piece that is a token, the longest tokens one after another for the others.

use crate::pieces::Pieces;
use crate::vocabulary::{Family, PREFIX, Rolling, Vocabulary};

/// No token is longer.
const LONGEST: usize = 128;

pub(crate) fn count(family: Family, text: &str) -> u64 {
    let mut counter = Counter { vocabulary: family.vocabulary(), hashes: [Rolling::new(); LONGEST] };
    Pieces::new(family, text).map(|piece| counter.piece(piece)).sum()
}

struct Counter {
    vocabulary: Vocabulary,
    /// The hashes of the first bytes, of one and more, where tokens are looked for.
    hashes: [Rolling; LONGEST],
}

impl Counter {
    #[inline]
    fn piece(&mut self, piece: &[u8]) -> u64 {
        if piece.len() <= 1 {
            return 1;
        }
        if piece.len() <= LONGEST {
            let hash = piece.iter().fold(Rolling::new(), |hash, byte| hash.push(*byte));
            if self.vocabulary.has(hash) {
                return 1;
            }
        }
        let mut rest = piece;
        let mut tokens = 0;
        while !rest.is_empty() {
            rest = rest.get(self.longest(rest)..).unwrap_or_default();
            tokens += 1;
        }
        tokens
    }

    /// Length of the longest token at the start of `bytes`; every single byte is a token.
    fn longest(&mut self, bytes: &[u8]) -> usize {
        let mut hash = Rolling::new();
        let mut most = LONGEST;
        let mut known = 0;
        for (place, byte) in self.hashes.iter_mut().zip(bytes) {
            if known >= most {
                break;
            }
            hash = hash.push(*byte);
            *place = hash;
            known += 1;
            if known == PREFIX {
                most = self.vocabulary.longest(hash).max(PREFIX);
            }
        }
        (2..=known).rev().find(|length| self.is_token(bytes, *length)).unwrap_or(1)
    }

    /// Long tokens end with a character; only short ones are parts of a character.
    #[inline]
    fn is_token(&self, bytes: &[u8], length: usize) -> bool {
        let inside = length > PREFIX && bytes.get(length).is_some_and(|next| next & 0xc0 == 0x80);
        !inside && self.hashes.get(length - 1).is_some_and(|hash| self.vocabulary.has(*hash))
    }
}
