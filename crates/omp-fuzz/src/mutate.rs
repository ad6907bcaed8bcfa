//! Inputs made of seeds: without coverage to guide it, but the same on every machine.

use std::path::{Path, PathBuf};

/// A generator of numbers that are the same for the same beginning.
#[derive(Debug)]
pub struct Random(u64);

impl Random {
    pub fn new(seed: u64) -> Self {
        Self(seed | 1)
    }

    /// Below `limit`, which is not zero.
    fn below(&mut self, limit: usize) -> usize {
        self.0 ^= self.0 << 13;
        self.0 ^= self.0 >> 7;
        self.0 ^= self.0 << 17;
        (self.0.wrapping_mul(0x2545_f491_4f6c_dd1d) >> 33) as usize % limit
    }
}

/// Where the seeds and dictionaries of a target are.
fn below_fuzz(name: &str) -> PathBuf {
    Path::new(env!("CARGO_MANIFEST_DIR")).join("../../fuzz").join(name)
}

/// The seeds of a target, in the order of their names.
pub fn seeds(target: &str) -> Vec<Vec<u8>> {
    let entries = std::fs::read_dir(below_fuzz("seeds").join(target)).into_iter().flatten().flatten();
    let mut paths: Vec<PathBuf> = entries.map(|entry| entry.path()).collect();
    paths.sort();
    paths.iter().filter_map(|path| std::fs::read(path).ok()).collect()
}

/// The words of a target's dictionary, in the format of libFuzzer: quoted, with `\xNN`.
pub fn words(target: &str) -> Vec<Vec<u8>> {
    let path = below_fuzz("dictionaries").join(format!("{target}.dict"));
    let text = std::fs::read_to_string(path).unwrap_or_default();
    text.lines().filter_map(|line| word(line.trim().strip_prefix('"')?.strip_suffix('"')?)).collect()
}

fn word(quoted: &str) -> Option<Vec<u8>> {
    let mut bytes = Vec::new();
    let mut rest = quoted.as_bytes();
    while let Some((&first, after)) = rest.split_first() {
        rest = after;
        if first != b'\\' {
            bytes.push(first);
        } else if let Some(digits) = rest.strip_prefix(b"x").and_then(|rest| rest.get(..2)) {
            bytes.push(u8::from_str_radix(std::str::from_utf8(digits).ok()?, 16).ok()?);
            rest = &rest[3..];
        } else {
            let (&escaped, after) = rest.split_first()?;
            bytes.push(escaped);
            rest = after;
        }
    }
    Some(bytes)
}

/// A seed with up to six changes: bytes, ranges, words, and parts of other seeds.
pub fn mutated(random: &mut Random, seeds: &[Vec<u8>], words: &[Vec<u8>]) -> Vec<u8> {
    let mut data = seeds[random.below(seeds.len())].clone();
    for _ in 0..random.below(7) {
        let at = random.below(data.len() + 1);
        let length = random.below(data.len() - at + 1).min(1 << random.below(10));
        match random.below(8) {
            0 => data.insert(at, random.below(256) as u8),
            1 => drop(data.drain(at..at + length)),
            2 => data.truncate(at),
            3 if at < data.len() => data[at] ^= 1 << random.below(8),
            4 => {
                let part = data[at..at + length].to_vec();
                let to = random.below(data.len() + 1);
                data.splice(to..to, part);
            }
            5 => {
                let other = &seeds[random.below(seeds.len())];
                let from = random.below(other.len() + 1);
                data.splice(at.., other[from..].iter().copied());
            }
            _ if !words.is_empty() => {
                data.splice(at..at, words[random.below(words.len())].iter().copied());
            }
            _ => {
                let odd: [&[u8]; 6] = [
                    b"\0",
                    b"\xff\xfe",
                    "\u{1F600}\u{301}".as_bytes(),
                    b"\r\n",
                    b"-1",
                    b"99999999999999999999",
                ];
                data.splice(at..at, odd[random.below(odd.len())].iter().copied());
            }
        }
        data.truncate(1 << 16);
    }
    data
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn words_are_read() {
        assert_eq!(word(r#"@@\x0a\"\\"#).unwrap(), b"@@\n\"\\");
        assert!(word(r"\x4").is_none() || word(r"\x4").unwrap() == b"x4");
    }

    #[test]
    fn the_same_beginning_gives_the_same_inputs() {
        let seeds = [b"one two three".to_vec(), b"{}".to_vec()];
        let inputs = |seed| {
            let mut random = Random::new(seed);
            (0..50).map(|_| mutated(&mut random, &seeds, &[])).collect::<Vec<_>>()
        };
        assert_eq!(inputs(7), inputs(7));
        assert_ne!(inputs(7), inputs(8));
        assert!(inputs(7).iter().any(|input| !seeds.contains(input)));
    }
}
