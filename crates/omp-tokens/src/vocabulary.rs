//! Which byte strings are tokens of a family, as fingerprints.
//!
//! A file in `data/` has two parts. The first says how long a token can be that starts with three given bytes.
//! The second is a table of buckets of four 16-bit fingerprints. A token lies in one of two buckets; a string
//! that is no token is taken for one in about one case of eight thousand. The tests of this module write
//! the files.

/// A tokenizer whose vocabulary is public.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub enum Family {
    /// Models of OpenAI since GPT-4o. Also what a model with a tokenizer of its own is measured with.
    #[default]
    O200k,
    /// GPT-4 and GPT-3.5.
    Cl100k,
}

impl Family {
    /// The family of a model by its id.
    pub fn of(model: &str) -> Self {
        let name = model.rsplit('/').next().unwrap_or(model).to_ascii_lowercase();
        let old = name.starts_with("gpt-3.5")
            || name == "gpt-4"
            || ["gpt-4-", "gpt-4:"].iter().any(|start| name.starts_with(start));
        if old { Self::Cl100k } else { Self::O200k }
    }

    pub(crate) fn vocabulary(self) -> Vocabulary {
        match self {
            Self::O200k => O200K,
            Self::Cl100k => CL100K,
        }
    }
}

static O200K: Vocabulary = Vocabulary::new(include_bytes!("../data/o200k.bin"));
static CL100K: Vocabulary = Vocabulary::new(include_bytes!("../data/cl100k.bin"));

/// Bytes of the first part of a file.
const LENGTHS: usize = 1 << 16;
/// Bytes that decide how long a token can be.
pub(crate) const PREFIX: usize = 3;

const START: u64 = 0x9e37_79b9_7f4a_7c15;
const STEP: u64 = 0xd6e8_feb8_6659_fd93;
const LANES: u64 = 0x0001_0001_0001_0001;
const HIGH: u64 = 0x8000_8000_8000_8000;

/// The hash of a string that grows by a byte at a time.
#[derive(Clone, Copy)]
pub(crate) struct Rolling(u64);

impl Rolling {
    pub(crate) const fn new() -> Self {
        Self(START)
    }

    #[inline]
    pub(crate) const fn push(self, byte: u8) -> Self {
        Self(self.0.wrapping_mul(STEP).wrapping_add(byte as u64))
    }

    /// The bits of the hash spread evenly, so that any of them can be used.
    #[inline]
    const fn finish(self) -> u64 {
        let mixed = (self.0 ^ (self.0 >> 32)).wrapping_mul(START);
        mixed ^ (mixed >> 29)
    }

    /// Where the length of tokens with this prefix is.
    #[inline]
    const fn place(self) -> usize {
        (self.finish() >> 20) as usize & (LENGTHS - 1)
    }
}

/// What is known of one family's tokens.
#[derive(Clone, Copy)]
pub(crate) struct Vocabulary {
    lengths: &'static [u8],
    buckets: &'static [[u8; 8]],
}

impl Vocabulary {
    const fn new(file: &'static [u8]) -> Self {
        let (lengths, table) = file.split_at(LENGTHS);
        Self { lengths, buckets: table.as_chunks().0 }
    }

    /// Bytes of the longest token that starts with the first bytes, given their hash.
    #[inline]
    pub(crate) fn longest(self, prefix: Rolling) -> usize {
        self.lengths.get(prefix.place()).copied().map_or(0, usize::from)
    }

    #[inline]
    pub(crate) fn has(self, hash: Rolling) -> bool {
        let hash = hash.finish();
        let mask = self.buckets.len() - 1;
        let mark = mark(hash);
        let first = (hash as usize) & mask;
        self.bucket_has(first, mark) || self.bucket_has(other(first, mark, mask), mark)
    }

    #[inline]
    fn bucket_has(self, bucket: usize, mark: u16) -> bool {
        let Some(bytes) = self.buckets.get(bucket) else { return false };
        let differences = u64::from_le_bytes(*bytes) ^ (u64::from(mark) * LANES);
        differences.wrapping_sub(LANES) & !differences & HIGH != 0
    }
}

/// The fingerprint of a hash; zero means an empty place.
const fn mark(hash: u64) -> u16 {
    let mark = (hash >> 48) as u16;
    if mark == 0 { 1 } else { mark }
}

/// The second bucket of a fingerprint, and the first one of the second.
const fn other(bucket: usize, mark: u16, mask: usize) -> usize {
    (bucket ^ (mark as usize).wrapping_mul(0x5bd1_e995)) & mask
}

#[cfg(test)]
mod tests;
