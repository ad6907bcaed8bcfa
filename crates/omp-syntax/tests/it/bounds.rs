//! Nothing hangs and nothing overflows, whatever the text.

use std::cell::Cell;

use omp_syntax::outline::{self, Options};
use omp_syntax::pattern::{Pattern, PatternError, Source};
use omp_syntax::{Bounds, Language, MAX_BYTES, block, parses};

const DEPTH: usize = 100_000;

fn language(path: &str) -> Language {
    Language::of_path(path, "").unwrap()
}

/// On the stack of a worker thread, which is smaller than that of a program.
fn on_a_small_stack(work: impl FnOnce() + Send + 'static) {
    std::thread::Builder::new().stack_size(1024 * 1024).spawn(work).unwrap().join().unwrap();
}

/// Brackets in brackets, each on a line of its own.
fn nested() -> String {
    format!("{}{}", "[\n".repeat(DEPTH), "]\n".repeat(DEPTH))
}

#[test]
fn deep_nesting_has_blocks() {
    on_a_small_stack(|| {
        let (text, middle) = (nested(), DEPTH / 2);
        let found = block(&text, language("a.json"), middle, Bounds::SIZE);
        assert_eq!(found, Some((middle, 2 * DEPTH - middle + 1)));
    });
}

#[test]
fn deep_nesting_has_an_outline() {
    on_a_small_stack(|| {
        let options = Options { max_lines: usize::MAX, ..Options::default() };
        let summary = outline::code(&nested(), language("a.js"), &options, Bounds::SIZE).unwrap();
        assert!(summary.elided_lines() > DEPTH);
    });
}

#[test]
fn deep_nesting_is_not_searched() {
    on_a_small_stack(|| {
        assert!(Source::parse(&nested(), language("a.json"), Bounds::SIZE).is_none());
    });
}

#[test]
fn a_deep_pattern_is_refused() {
    on_a_small_stack(|| {
        let pattern = format!("{}{}", "[".repeat(DEPTH), "]".repeat(DEPTH));
        assert_eq!(Pattern::new(&pattern, language("a.js")).err(), Some(PatternError::TooDeep));
    });
}

#[test]
fn a_long_text_is_not_parsed() {
    let comment = |length: usize| format!("//{}\n", "x".repeat(length - 3));
    let language = language("a.js");
    assert_eq!(parses(&comment(MAX_BYTES), language, Bounds::SIZE), Some(true));
    assert_eq!(parses(&comment(MAX_BYTES + 1), language, Bounds::SIZE), None);
}

#[test]
fn a_parse_gives_up_when_told_to() {
    let text = "a();\n".repeat(100_000);
    let asked = Cell::new(0);
    let stop = || {
        asked.set(asked.get() + 1);
        asked.get() > 3
    };
    assert_eq!(parses(&text, language("a.js"), Bounds { stop: &stop }), None);
    assert_eq!(asked.get(), 4, "it does not go on afterwards");
}
