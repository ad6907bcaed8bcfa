//! The tables are what the public vocabularies give; `OMP_BLESS=1` writes them again.

use std::path::Path;

use super::{Family, LENGTHS, PREFIX, Rolling, Vocabulary, mark, other};

fn tokens(family: Family) -> Vec<Vec<u8>> {
    let name = match family {
        Family::O200k => "o200k_base",
        Family::Cl100k => "cl100k_base",
    };
    let real = tiktoken::get_encoding(name).expect("the vocabulary");
    let size = u32::try_from(real.vocab_size()).expect("a size");
    (0..size).map(|rank| real.decode(&[rank])).filter(|token| !token.is_empty()).collect()
}

fn hash(token: &[u8]) -> Rolling {
    token.iter().fold(Rolling::new(), |hash, byte| hash.push(*byte))
}

/// A table that holds every token: a full bucket hands one of its fingerprints to that one's other bucket.
fn table(tokens: &[Vec<u8>]) -> Vec<u8> {
    let buckets = (tokens.len() / 4).next_power_of_two();
    let mut table = vec![[0_u16; 4]; buckets];
    for token in tokens {
        let hash = hash(token).finish();
        let mut mark = mark(hash);
        let mut bucket = (hash as usize) & (buckets - 1);
        for turn in 0.. {
            assert!(turn < 10_000, "the table is too full");
            let lanes = &mut table[bucket];
            if lanes.contains(&mark) {
                break;
            }
            if let Some(free) = lanes.iter_mut().find(|lane| **lane == 0) {
                *free = mark;
                break;
            }
            if turn > 0 {
                std::mem::swap(&mut lanes[turn % 4], &mut mark);
            }
            bucket = other(bucket, mark, buckets - 1);
        }
    }
    table.iter().flatten().flat_map(|lane| lane.to_le_bytes()).collect()
}

/// For each prefix the length of the longest token.
fn lengths(tokens: &[Vec<u8>]) -> Vec<u8> {
    let mut lengths = vec![0; LENGTHS];
    for token in tokens.iter().filter(|token| token.len() >= PREFIX) {
        let place = &mut lengths[hash(&token[..PREFIX]).place()];
        *place = (*place).max(u8::try_from(token.len()).expect("a short token"));
    }
    lengths
}

fn check(family: Family, file: &str) {
    let tokens = tokens(family);
    let mut wanted = lengths(&tokens);
    wanted.extend(table(&tokens));
    let path = Path::new(env!("CARGO_MANIFEST_DIR")).join("data").join(file);
    if std::env::var_os("OMP_BLESS").is_some() {
        std::fs::write(&path, &wanted).expect("the table");
    }
    assert!(std::fs::read(&path).expect("the table") == wanted, "run with OMP_BLESS=1 to write {file} again");
    let vocabulary = Vocabulary::new(Vec::leak(wanted));
    assert!(tokens.iter().all(|token| vocabulary.has(hash(token))), "a token is missing");
}

#[test]
fn the_table_of_o200k_holds_its_tokens() {
    check(Family::O200k, "o200k.bin");
}

#[test]
fn the_table_of_cl100k_holds_its_tokens() {
    check(Family::Cl100k, "cl100k.bin");
}

#[test]
fn strings_that_are_no_tokens_are_rarely_taken_for_one() {
    let vocabulary = Family::O200k.vocabulary();
    let strings =
        (0..100_000_u32).map(|number| format!("{number:x}~{:x}", number.wrapping_mul(2_654_435_761)));
    let wrong = strings.filter(|text| vocabulary.has(hash(text.as_bytes()))).count();
    assert!(wrong < 60, "{wrong} of 100,000");
}

#[test]
fn models_have_their_family() {
    for old in ["gpt-4", "gpt-4-turbo", "openai/gpt-3.5-turbo", "gpt-4:free"] {
        assert_eq!(Family::of(old), Family::Cl100k, "{old}");
    }
    for new in ["gpt-4o", "gpt-4.1", "gpt-5", "claude-opus-4-7", "o3"] {
        assert_eq!(Family::of(new), Family::O200k, "{new}");
    }
}
