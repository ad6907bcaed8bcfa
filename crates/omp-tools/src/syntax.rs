//! What the tools ask about the languages of files.

use std::time::{Duration, Instant};

use omp_edits::hashline::Syntax;
use omp_syntax::{Bounds, Language, block, parses};

/// A question about one text is given up after this long.
const PATIENCE: Duration = Duration::from_secs(2);

/// The grammars that are part of the program.
#[derive(Clone, Copy, Debug, Default)]
pub(crate) struct Grammars;

impl Syntax for Grammars {
    fn block(&self, path: &str, text: &str, line: usize) -> Option<(usize, usize)> {
        let language = language(path, text)?;
        patiently(|bounds| block(text, language, line, bounds))
    }

    fn parses(&self, path: &str, text: &str) -> Option<bool> {
        let language = language(path, text)?;
        patiently(|bounds| parses(text, language, bounds))
    }
}

/// The language of a file.
pub(crate) fn language(path: &str, text: &str) -> Option<Language> {
    Language::of_path(path, text.lines().next().unwrap_or_default())
}

/// Asks a question that ends in time.
pub(crate) fn patiently<T>(question: impl FnOnce(Bounds<'_>) -> T) -> T {
    let until = Instant::now() + PATIENCE;
    question(Bounds { stop: &|| Instant::now() >= until })
}
