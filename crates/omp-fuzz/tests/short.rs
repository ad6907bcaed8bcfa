//! Every fuzz target for a moment: its seeds as they are, then mutations of them, the same in every run.

use std::panic::{AssertUnwindSafe, catch_unwind};

use omp_fuzz::mutate::{Random, mutated, seeds, words};
use omp_fuzz::{TARGETS, find};

/// `OMP_FUZZ_SEED` chooses other mutations, `OMP_FUZZ_TIMES` more of them.
fn number(variable: &str, default: u64) -> u64 {
    std::env::var(variable).ok().and_then(|text| text.parse().ok()).unwrap_or(default)
}

fn drive(name: &str) {
    let target = find(name).unwrap_or_else(|| panic!("there is no target {name}"));
    let (seeds, words) = (seeds(name), words(name));
    assert!(!seeds.is_empty(), "fuzz/seeds/{name} is empty");
    let mut random = Random::new(number("OMP_FUZZ_SEED", 0x006f_6d70));
    let rounds = u64::from(target.rounds) * number("OMP_FUZZ_TIMES", 1);
    let mutations = (0..rounds).map(|_| mutated(&mut random, &seeds, &words));
    for input in seeds.iter().cloned().chain(mutations) {
        let outcome = catch_unwind(AssertUnwindSafe(|| (target.run)(&input)));
        assert!(outcome.is_ok(), "{name} fails for b\"{}\"", input.escape_ascii());
    }
}

macro_rules! targets {
    ($($name:ident)*) => {
        $(#[test]
        fn $name() {
            drive(stringify!($name));
        })*

        #[test]
        fn every_target_is_driven() {
            let driven = [$(stringify!($name)),*];
            assert_eq!(driven.as_slice(), TARGETS.iter().map(|target| target.name).collect::<Vec<_>>());
        }
    };
}

targets! {
    hashline patch replace sse provider arguments dialect mcp keys output shell frontmatter models definition notebook
    session settings dotenv catalogue zip tar office
}
