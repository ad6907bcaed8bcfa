//! What the user decided: sentences that state a requirement, in the user's own words.
//!
//! Summaries are rewritten by every compaction, and each of them may forget. These sentences are not part of what a
//! model writes: they are read from the messages that go, and from what the compaction before carried.

use omp_types::Message;

use crate::plan::{Piece, Plan};
use crate::serialize::shortened;

/// Characters of all of them: an eighth of the window's tokens, which is about a thirtieth of the window.
const BUDGET_SHARE: u64 = 8;
const SMALLEST_BUDGET: usize = 1_000;
const LARGEST_BUDGET: usize = 8_000;
/// Characters of one of them.
const LONGEST: usize = 300;
/// Characters of the first message, which says what the session is for.
const LONGEST_TASK: usize = 600;
/// Sentences of one message: a document that was pasted is not a list of decisions.
const MOST_OF_ONE: usize = 6;
/// Characters of a message that are looked at.
const LOOKED_AT: usize = 16_000;
/// Of the budget, what the oldest keep when not all fit; the newest have the rest.
const OLDEST_PERCENT: usize = 75;

/// Words that state a requirement, in lower case. Of scripts without spaces any occurrence counts.
const WORDS: [&str; 62] = [
    // English
    "must",
    "never",
    "always",
    "only",
    "don't",
    "dont",
    "avoid",
    "prefer",
    "should",
    "shall",
    "requirement",
    "required",
    "requires",
    "remember",
    "decided",
    "decision",
    "instead",
    "ensure",
    "rule",
    "use",
    "stick",
    "forbidden",
    "important",
    "convention",
    "without", // German
    "muss",
    "müssen",
    "nie",
    "niemals",
    "immer",
    "nur",
    "soll",
    "sollte",
    "sollen",
    "statt",
    "merke",
    "verwende",
    "nutze",
    "kein",
    "keine",
    "entschieden", // French
    "doit",
    "jamais",
    "toujours",
    "seulement",
    "utilise",
    "plutôt",
    "évite", // Spanish
    "debe",
    "nunca",
    "siempre",
    "usa",
    "evita",
    "recuerda", // Portuguese
    "deve",
    "sempre",
    "lembre", // Russian
    "должен",
    "никогда",
    "всегда",
    "нельзя",
    "используй",
];
/// The same as parts of a text.
const PHRASES: [&str; 18] = [
    "do not ",
    "from now on",
    "make sure",
    "at most",
    "at least",
    "no longer",
    "not allowed",
    "rather than",
    "ab jetzt",
    "必须",
    "不要",
    "始终",
    "记住",
    "应该",
    "禁止",
    "必ず",
    "しないで",
    "使って",
];

/// The decisions so far and those of the messages that go, within the budget of a model with such a window. Where nothing
/// went before, the first message is the task and comes first.
pub(crate) fn kept(before: Vec<String>, plan: &Plan, window: u64) -> Vec<String> {
    let mut said = plan.dropped().filter_map(words).peekable();
    let task =
        said.peek().filter(|_| plan.previous.is_none()).map(|task| shortened(task.trim(), LONGEST_TASK));
    let all = before.into_iter().chain(task).chain(said.flat_map(|words| decisions(&words)));
    let mut kept: Vec<(String, String)> = Vec::new();
    for decision in all {
        let plain = normalized(&decision);
        if !plain.is_empty() && !kept.iter().any(|(_, earlier)| earlier.contains(&plain)) {
            kept.push((decision, plain));
        }
    }
    within_budget(kept.into_iter().map(|(decision, _)| decision).collect(), budget(window))
}

fn words(piece: &Piece) -> Option<String> {
    match &*piece.message {
        Message::User(user) => Some(user.content.text().chars().take(LOOKED_AT).collect()),
        _ => None,
    }
}

fn budget(window: u64) -> usize {
    let share = usize::try_from(window / BUDGET_SHARE).unwrap_or(usize::MAX);
    share.clamp(SMALLEST_BUDGET, LARGEST_BUDGET)
}

/// The oldest as far as their share goes, and of the others the newest.
fn within_budget(all: Vec<String>, budget: usize) -> Vec<String> {
    let length = |decision: &String| decision.chars().count() + 1;
    if all.iter().map(length).sum::<usize>() <= budget {
        return all;
    }
    let mut used = 0;
    let oldest = all.iter().take_while(|decision| {
        used += length(decision);
        used <= budget * OLDEST_PERCENT / 100
    });
    let oldest = oldest.count();
    let mut left = budget - all[..oldest].iter().map(length).sum::<usize>();
    let newest = all[oldest..].iter().rev().take_while(|decision| {
        let fits = length(decision) <= left;
        left = left.saturating_sub(length(decision));
        fits
    });
    let newest = newest.count();
    let (head, tail) = (all.iter().take(oldest), all.iter().skip(all.len() - newest));
    head.chain(tail).cloned().collect()
}

/// What a message of the user decides.
fn decisions(text: &str) -> Vec<String> {
    let mut fenced = false;
    let lines = text.lines().filter(|line| {
        let fence = line.trim_start().starts_with("```");
        fenced ^= fence;
        !fence && !fenced
    });
    let stated = lines.flat_map(sentences).filter(|sentence| states_a_requirement(sentence));
    stated.map(|sentence| shortened(sentence, LONGEST)).take(MOST_OF_ONE).collect()
}

/// The sentences of a line: a full stop ends one only before a space, so `a.rs` and `1.2` stay whole.
fn sentences(line: &str) -> impl Iterator<Item = &str> {
    let mut rest = line.trim();
    std::iter::from_fn(move || {
        if rest.is_empty() {
            return None;
        }
        let end = rest.char_indices().find_map(|(at, letter)| {
            let after = at + letter.len_utf8();
            let ends = match letter {
                '.' | '!' | '?' | ';' => rest[after..].starts_with(' '),
                '。' | '！' | '？' => true,
                _ => false,
            };
            ends.then_some(after)
        });
        let (sentence, left) = rest.split_at(end.unwrap_or(rest.len()));
        rest = left.trim_start();
        Some(sentence.trim())
    })
}

fn states_a_requirement(sentence: &str) -> bool {
    let text = sentence.to_lowercase().replace('’', "'");
    let mut words = text.split(|letter: char| !letter.is_alphanumeric() && letter != '\'');
    words.any(|word| WORDS.contains(&word)) || PHRASES.iter().any(|phrase| text.contains(phrase))
}

fn normalized(text: &str) -> String {
    text.to_lowercase().split_whitespace().collect::<Vec<_>>().join(" ")
}
