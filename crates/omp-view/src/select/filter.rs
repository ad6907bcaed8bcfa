//! Which options fit what was typed.

use nucleo_matcher::pattern::{AtomKind, CaseMatching, Normalization, Pattern};
use nucleo_matcher::{Config, Matcher, Utf32Str};
use omp_tui::text::width::clusters;

use super::{Choice, Presence};

/// An option that fits.
#[derive(Clone, Debug, PartialEq, Eq)]
pub(super) struct FilterMatch {
    /// Its place in the list.
    pub(super) choice: usize,
    /// The characters of its label that fit, by number.
    pub(super) hits: Vec<usize>,
}

/// The options for who has typed nothing, in their order.
pub(super) fn unsearched(choices: &[Choice], shows_all: bool) -> Vec<FilterMatch> {
    let absent = if shows_all { Presence::UntilAll } else { Presence::OnSearch };
    let present = choices.iter().enumerate().filter(|(_, choice)| choice.presence != absent);
    present.map(|(choice, _)| FilterMatch { choice, hits: Vec::new() }).collect()
}

/// What was typed.
#[derive(Clone, Debug, Default)]
pub(super) struct Query(String);

impl Query {
    pub(super) fn text(&self) -> &str {
        &self.0
    }

    /// Appends text; a pasted line break is a space.
    pub(super) fn push(&mut self, text: &str, most: usize) {
        for cluster in clusters(text) {
            if self.0.len() + cluster.text.len() > most {
                return;
            }
            let blank = cluster.text.chars().any(|character| character.is_whitespace());
            match (blank, cluster.width) {
                (true, _) => self.0.push(' '),
                (false, 0) => {}
                (false, _) => self.0.push_str(cluster.text),
            }
        }
    }

    pub(super) fn pop(&mut self) {
        let last = clusters(&self.0).last().map_or(0, |cluster| cluster.text.len());
        self.0.truncate(self.0.len() - last);
    }

    pub(super) fn pop_word(&mut self) {
        let kept = self.0.trim_end().rfind(' ').map_or(0, |at| at + 1);
        self.0.truncate(kept);
    }

    pub(super) fn clear(&mut self) {
        self.0.clear();
    }

    /// The options that fit, best first; equally good ones in their order. Words fit in any order, letters of a label may
    /// be left out, capital letters count only where some are typed.
    pub(super) fn find(&self, choices: &[Choice], shows_all: bool) -> Vec<FilterMatch> {
        if self.0.trim().is_empty() {
            return unsearched(choices, shows_all);
        }
        let pattern = Pattern::parse(&self.0, CaseMatching::Smart, Normalization::Smart);
        // In sentences letters that stand far apart mean nothing.
        let words = Pattern::new(&self.0, CaseMatching::Smart, Normalization::Smart, AtomKind::Substring);
        let mut matcher = Matcher::new(Config::DEFAULT);
        let mut scored: Vec<(u32, FilterMatch)> = Vec::new();
        let searched = choices.iter().enumerate().filter(|(_, choice)| choice.presence != Presence::UntilAll);
        for (choice, option) in searched {
            if let Some((score, hits)) = score(option, &pattern, &words, &mut matcher) {
                scored.push((score, FilterMatch { choice, hits }));
            }
        }
        scored.sort_by_key(|(score, _)| std::cmp::Reverse(*score));
        scored.into_iter().map(|(_, found)| found).collect()
    }
}

fn score(
    choice: &Choice,
    pattern: &Pattern,
    words: &Pattern,
    matcher: &mut Matcher,
) -> Option<(u32, Vec<usize>)> {
    let mut buffer = Vec::new();
    let mut hits = Vec::new();
    if let Some(score) = pattern.indices(Utf32Str::new(&choice.label, &mut buffer), matcher, &mut hits) {
        let mut hits: Vec<usize> = hits.into_iter().filter_map(|hit| usize::try_from(hit).ok()).collect();
        hits.sort_unstable();
        hits.dedup();
        // What is found by its name goes before what is found by a remark.
        return Some((score.saturating_add(1000), hits));
    }
    let all = [&choice.label, &choice.detail, &choice.group, &choice.keywords].map(String::as_str).join(" ");
    let score = words.score(Utf32Str::new(&all, &mut buffer), matcher)?;
    Some((score, Vec::new()))
}
