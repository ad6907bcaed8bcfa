//! Which models are the same model, offered by several providers.

use std::collections::HashSet;

use indexmap::IndexMap;

use super::catalogue;
use super::fields::Equivalence;

/// Makers whose name gateways put before an id.
const MAKERS: [&str; 14] = [
    "anthropic",
    "openai",
    "google",
    "deepseek",
    "deepseek-ai",
    "mistralai",
    "mistral",
    "x-ai",
    "xai",
    "moonshotai",
    "moonshot",
    "z-ai",
    "zai-org",
    "meta-llama",
];

/// Decides a model's canonical id.
pub(super) struct Canonical<'a> {
    overrides: &'a IndexMap<String, String>,
    exclude: HashSet<&'a str>,
    /// Names that others were mapped to.
    targets: HashSet<&'a str>,
}

/// Where a model belongs.
#[derive(Debug, PartialEq, Eq)]
pub(super) enum Membership {
    /// A group of that id, whoever else is in it.
    Shared(String),
    /// Nothing says that another model is the same.
    Alone,
}

impl<'a> Canonical<'a> {
    pub(super) fn new(equivalence: &'a Equivalence) -> Self {
        Self {
            overrides: &equivalence.overrides,
            exclude: equivalence.exclude.iter().map(String::as_str).collect(),
            targets: equivalence.overrides.values().map(String::as_str).collect(),
        }
    }

    /// The user's word, then an official id, then an official id behind a gateway's spelling.
    pub(super) fn of(&self, provider: &str, id: &str) -> Membership {
        let selector = format!("{provider}/{id}");
        if self.exclude.contains(selector.as_str()) {
            return Membership::Alone;
        }
        if let Some(canonical) = self.overrides.get(&selector) {
            return Membership::Shared(canonical.clone());
        }
        match official_spelling(id) {
            Some(id) => Membership::Shared(id),
            // Who bears the name that others were mapped to is one of them.
            None if self.targets.contains(id) => Membership::Shared(id.to_owned()),
            None => Membership::Alone,
        }
    }
}

/// The maker's own id behind a gateway's spelling of it.
fn official_spelling(id: &str) -> Option<String> {
    let bare = match id.split_once('/') {
        Some((maker, rest)) if MAKERS.contains(&maker) => rest,
        _ => id,
    };
    let dashed = bare.replace('.', "-");
    let dotted = dotted(bare);
    [id, bare, dashed.as_str(), dotted.as_str()]
        .into_iter()
        .find(|spelling| catalogue::OFFICIAL.contains(spelling))
        .map(str::to_owned)
}

/// `4-6` as `4.6`: a dash between two digits.
fn dotted(id: &str) -> String {
    let bytes = id.as_bytes();
    let digit = |position: usize| bytes.get(position).is_some_and(u8::is_ascii_digit);
    let letter = |(position, letter): (usize, char)| match letter {
        '-' if position > 0 && digit(position - 1) && digit(position + 1) => '.',
        other => other,
    };
    id.char_indices().map(letter).collect()
}
