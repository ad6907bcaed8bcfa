//! The models and providers that are compiled in.
//!
//! `providers` is the table of providers, `data/models.tsv` one line for each model, made by `tools/catalogue/refresh`.
//! Nothing of it is turned into models before somebody looks at a provider: `list` holds what is not made yet,
//! `line` reads one line.

mod line;
mod list;
mod providers;

use std::collections::{HashMap, HashSet};
use std::ops::Range;
use std::sync::LazyLock;

use indexmap::IndexMap;
use omp_types::{Cost, ThinkingLevel};

use super::builtin::{ProviderEntry, Standing};
use crate::model::{Api, Compat, Facts, Input, Model, ThinkingMode, Transport};
use crate::shaping::Shaping;
pub(super) use line::Line;
pub(super) use list::{ModelList, Redirect};

const MODELS: &str = include_str!("../../../data/models.tsv");

/// Every provider that omp knows without being told, in the order of preference.
pub fn entries() -> &'static [ProviderEntry] {
    providers::PROVIDERS
}

/// Where the lines of each provider are. They stand together in the data.
static BLOCKS: LazyLock<HashMap<&'static str, Range<usize>>> = LazyLock::new(|| {
    let mut blocks: HashMap<&str, Range<usize>> = HashMap::new();
    let mut end = 0;
    for line in MODELS.split_inclusive('\n') {
        let begin = end;
        end += line.len();
        let provider = line.split('\t').next().unwrap_or_default();
        blocks.entry(provider).and_modify(|block| block.end = end).or_insert(begin..end);
    }
    blocks
});

/// A provider's lines in the order of the data, its default first.
pub(super) fn lines(entry: &ProviderEntry) -> impl Iterator<Item = Line> + use<> {
    let block = BLOCKS.get(entry.id).map(|block| &MODELS[block.clone()]).unwrap_or_default();
    let all = move || block.lines().map(Line::new);
    let default = entry.default_model;
    all().filter(move |line| line.id() == default).chain(all().filter(move |line| line.id() != default))
}

/// Facts by id, regardless of who offers the model; the makers' own go before others'.
static BY_ID: LazyLock<HashMap<&'static str, Line>> = LazyLock::new(|| {
    let mut known = HashMap::new();
    for standing in [Standing::Maker, Standing::Reseller] {
        for entry in entries().iter().filter(|entry| entry.standing == standing) {
            for line in lines(entry) {
                known.entry(line.id()).or_insert(line);
            }
        }
    }
    known
});

/// What is known of a model of that id.
pub(super) fn known(id: &str) -> Option<Line> {
    BY_ID.get(id).copied()
}

/// Weights that anybody may serve. Their makers offer them under no id of their own.
const OPEN_WEIGHTS: [&str; 2] = ["gpt-oss-120b", "gpt-oss-20b"];

/// Ids under which the makers themselves offer their models.
pub(super) static OFFICIAL: LazyLock<HashSet<&'static str>> = LazyLock::new(|| {
    let makers = entries().iter().filter(|entry| entry.standing == Standing::Maker);
    makers.flat_map(lines).map(Line::id).chain(OPEN_WEIGHTS).collect()
});

/// A model of which only the place is known.
pub(super) fn blank(provider: &str, api: Api, base_url: &str) -> Model {
    Model {
        provider: provider.to_owned(),
        id: String::new(),
        name: String::new(),
        api,
        base_url: base_url.to_owned(),
        headers: IndexMap::new(),
        key: None,
        bearer: false,
        reasoning: false,
        thinking: ThinkingMode::Standard,
        levels: vec![ThinkingLevel::Minimal, ThinkingLevel::Low, ThinkingLevel::Medium, ThinkingLevel::High],
        input: vec![Input::Text],
        cost: Cost::default(),
        context_window: 128_000,
        max_tokens: 16_384,
        compat: Compat::detect(api, base_url, ""),
        facts: Facts::default(),
        transport: Transport::default(),
        shaping: Shaping::default(),
    }
}
