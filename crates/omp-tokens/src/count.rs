//! Tokens of a text: one for each piece that is a token, the longest tokens one after another for the others. Of long texts
//! samples are looked at.

use crate::pieces::Pieces;
use crate::vocabulary::{Family, PREFIX, Rolling, Vocabulary};

/// No token is longer.
const LONGEST: usize = 128;

/// Longer texts are looked at in samples: it is an estimate anyway, and long texts are much the same all along.
const SAMPLED_FROM: usize = 128 * 1024;
/// Bytes that are looked at, and bytes after them that are not. Short, so that each kind of text is met by both.
const SAMPLE: usize = 1024;
const SKIPPED: usize = 3 * SAMPLE;
/// A sample ends between words, if there is a space within so many bytes.
const NEAR: usize = 64;

pub(crate) fn count(family: Family, text: &str) -> u64 {
    let mut counter = Counter { vocabulary: family.vocabulary(), hashes: [Rolling::new(); LONGEST] };
    match text.len() < SAMPLED_FROM {
        true => counter.text(family, text),
        false => sampled(&mut counter, family, text),
    }
}

/// Counts samples and takes the rest to be like them.
fn sampled(counter: &mut Counter, family: Family, text: &str) -> u64 {
    let (mut at, mut seen, mut tokens) = (0, 0_u64, 0);
    while at < text.len() {
        let end = border(text, at + SAMPLE);
        tokens += counter.text(family, text.get(at..end).unwrap_or_default());
        seen += (end - at) as u64;
        at = border(text, end + SKIPPED);
    }
    (tokens as f64 * text.len() as f64 / seen.max(1) as f64).round() as u64
}

/// The next place at or after `at` where a text can be cut.
fn border(text: &str, at: usize) -> usize {
    let rest = text.as_bytes().get(at..).unwrap_or_default();
    let space = rest.iter().take(NEAR).position(u8::is_ascii_whitespace);
    let near = (at + space.unwrap_or(0)).min(text.len());
    (near..text.len()).find(|place| text.is_char_boundary(*place)).unwrap_or(text.len())
}

struct Counter {
    vocabulary: Vocabulary,
    /// The hashes of the first bytes, of one and more, where tokens are looked for.
    hashes: [Rolling; LONGEST],
}

impl Counter {
    fn text(&mut self, family: Family, text: &str) -> u64 {
        Pieces::new(family, text).map(|piece| self.piece(piece)).sum()
    }

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

#[cfg(test)]
mod tests {
    use super::*;

    fn exact(text: &str) -> f64 {
        let family = Family::O200k;
        let mut counter = Counter { vocabulary: family.vocabulary(), hashes: [Rolling::new(); LONGEST] };
        counter.text(family, text) as f64
    }

    /// Texts of all kinds, also such that change their kind on the way: samples say what the whole says.
    #[test]
    fn samples_say_what_the_whole_says() {
        let code: String =
            (0..9_000).map(|line| format!("    let value_{line} = compute({line});\n")).collect();
        let prose =
            "The quick brown fox jumps over the lazy dog, and nobody knows why it should. ".repeat(3_000);
        let ideographs: String = (0..90_000_u32)
            .map(|at| char::from_u32(0x4e00 + at.wrapping_mul(2_654_435_761) % 3_000).unwrap_or('。'))
            .collect();
        let base64: String = (0..300_000_u32)
            .map(|at| {
                char::from(
                    b"ABCDEFGHIJKLMNOPQRSTUVWXYZabcdefghijklmnopqrstuvwxyz0123456789+/"
                        [(at.wrapping_mul(2_654_435_761) >> 26) as usize],
                )
            })
            .collect();
        let lines: String = (0..20_000)
            .map(|line| if line % 2 == 0 { "{}\n".to_owned() } else { format!("短い {line}\n") })
            .collect();
        let mixed = [&code, &ideographs, &base64, &prose]
            .map(|text| text.chars().take(60_000).collect::<String>())
            .concat();
        for (name, text) in [
            ("code", &code),
            ("prose", &prose),
            ("ideographs", &ideographs),
            ("base64", &base64),
            ("lines", &lines),
            ("mixed", &mixed),
        ] {
            assert!(text.len() >= SAMPLED_FROM, "{name} is {} bytes", text.len());
            let (whole, estimate) = (exact(text), count(Family::O200k, text) as f64);
            let error = (estimate - whole).abs() / whole;
            assert!(error < 0.02, "{name}: {estimate} for {whole}, {:.2} %", error * 100.0);
        }
    }

    #[test]
    fn texts_can_be_cut_anywhere() {
        for text in ["", "a", "日本語", "a b", "é"] {
            for at in 0..8 {
                assert!(text.is_char_boundary(border(text, at)), "{text:?} at {at}");
            }
        }
    }
}
