//! How well a name fits what was typed.

use std::cmp::Reverse;

use nucleo_matcher::pattern::{AtomKind, CaseMatching, Normalization, Pattern};
use nucleo_matcher::{Config, Matcher, Utf32Str};

/// The less, the better: equal, begins with it, fuzzy; then the score; then the length.
pub(crate) type Key = (usize, Reverse<u32>, usize);

/// Compares names with one query.
pub(crate) struct Ranker {
    query: String,
    pattern: Pattern,
    matcher: Matcher,
    letters: Vec<char>,
}

impl Ranker {
    pub(crate) fn new(query: &str) -> Self {
        let mut config = Config::DEFAULT;
        config.prefer_prefix = true;
        let query = query.to_lowercase();
        let pattern = Pattern::new(&query, CaseMatching::Ignore, Normalization::Smart, AtomKind::Fuzzy);
        Self { query, pattern, matcher: Matcher::new(config), letters: Vec::new() }
    }

    /// How well a name fits: letters may be left out.
    pub(crate) fn name(&mut self, name: &str) -> Option<Key> {
        let score = self.pattern.score(Utf32Str::new(name, &mut self.letters), &mut self.matcher)?;
        let lower = name.to_lowercase();
        let tier = match lower.strip_prefix(&self.query) {
            Some("") => 0,
            Some(_) => 1,
            None => 2,
        };
        Some((tier, Reverse(score), name.len()))
    }

    /// How well a sentence fits: one of its words must begin with the query.
    pub(crate) fn words(&self, sentence: &str) -> Option<Key> {
        if self.query.len() < 2 {
            return None;
        }
        let lower = sentence.to_lowercase();
        let mut words = lower.split(|c: char| !c.is_alphanumeric());
        let at = words.position(|word| word.starts_with(&self.query))?;
        Some((3, Reverse(0), at))
    }
}
