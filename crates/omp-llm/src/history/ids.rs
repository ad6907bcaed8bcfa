//! Tool-call ids that the model about to read them accepts.

use std::collections::HashSet;

/// What a wire allows in a tool-call id.
#[derive(Clone, Copy)]
pub(crate) struct IdRules {
    pub(crate) max_len: usize,
    /// How ids begin that we make for this wire.
    pub(crate) prefix: &'static str,
    pub(crate) alphabet: Alphabet,
}

#[derive(Clone, Copy, PartialEq, Eq)]
pub(crate) enum Alphabet {
    Any,
    /// `[a-zA-Z0-9_-]`
    Word,
    /// Exactly nine of `[a-zA-Z0-9]`.
    NineLetters,
}

/// Where an id comes from, seen from the model that is about to read it.
#[derive(Clone, Copy, PartialEq, Eq)]
pub(crate) enum Origin {
    /// The same provider over the same wire: whatever it minted, it accepts back.
    SameProvider,
    /// Another provider over the same wire: plain ids are fine.
    SameWire,
    /// Another wire, whose ids mean nothing here.
    OtherWire,
}

/// Gives every call an id that the target accepts and that is unique in the conversation. The same conversation
/// gets the same ids every time.
pub(super) struct Ids {
    rules: IdRules,
    used: HashSet<String>,
}

impl Ids {
    pub(super) fn new(rules: IdRules) -> Self {
        Self { rules, used: HashSet::new() }
    }

    pub(super) fn assign(&mut self, original: &str, origin: Origin) -> String {
        let base = if self.keeps(original, origin) { original.to_owned() } else { self.mint(original) };
        let mut id = base.clone();
        let mut copy = 2;
        while !self.used.insert(id.clone()) {
            id = self.mint(&format!("{base} {copy}"));
            copy += 1;
        }
        id
    }

    fn keeps(&self, id: &str, origin: Origin) -> bool {
        let fits = (1..=self.rules.max_len).contains(&id.len());
        if self.rules.alphabet == Alphabet::NineLetters {
            return id.len() == 9 && id.bytes().all(|b| b.is_ascii_alphanumeric());
        }
        let plain = id.bytes().all(|b| b.is_ascii_alphanumeric() || b == b'_' || b == b'-');
        fits && match origin {
            Origin::SameProvider => plain || self.rules.alphabet == Alphabet::Any,
            Origin::SameWire => plain,
            Origin::OtherWire => false,
        }
    }

    fn mint(&self, original: &str) -> String {
        if self.rules.alphabet == Alphabet::NineLetters {
            let digits = |hash: u64| (0..9u32).map(move |place| (hash >> (place * 5)) as usize % 32);
            return digits(fnv1a(original)).map(|digit| char::from(LETTERS[digit])).collect();
        }
        format!("{}{:016x}", self.rules.prefix, fnv1a(original))
    }
}

const LETTERS: &[u8; 32] = b"abcdefghijkmnpqrstuvwxyz23456789";

/// Small, stable and good enough to mint an id from another id.
fn fnv1a(text: &str) -> u64 {
    text.bytes()
        .fold(0xcbf2_9ce4_8422_2325, |hash, byte| (hash ^ u64::from(byte)).wrapping_mul(0x0100_0000_01b3))
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn ids_are_kept_where_they_are_at_home() {
        let mut ids = Ids::new(IdRules { max_len: 24, prefix: "call_", alphabet: Alphabet::Any });
        assert_eq!(ids.assign("functions.bash:0", Origin::SameProvider), "functions.bash:0");
        assert_eq!(ids.assign("call_1", Origin::SameWire), "call_1");
        let again = ids.assign("call_1", Origin::SameWire);
        assert!(again.starts_with("call_") && again != "call_1");
        for (id, origin) in [
            ("functions.bash:1", Origin::SameWire),
            ("toolu_1", Origin::OtherWire),
            ("", Origin::SameProvider),
            ("much-too-long-for-this-wire", Origin::SameProvider),
        ] {
            let minted = ids.assign(id, origin);
            assert!(minted != id && minted.starts_with("call_") && minted.len() <= 24, "{id}: {minted}");
        }
        let mut words = Ids::new(IdRules { max_len: 64, prefix: "toolu_", alphabet: Alphabet::Word });
        assert!(words.assign("functions.bash:0", Origin::SameProvider).starts_with("toolu_"));
    }
}
