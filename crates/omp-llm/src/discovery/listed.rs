//! What a server says about its models, checked and bounded.

use std::collections::HashSet;

use omp_types::ThinkingLevel;
use serde::{Deserialize, Serialize};
use serde_json::Value;

use crate::model::Input;

/// More models than this are not taken from one server.
pub(super) const MAX_MODELS: usize = 50_000;
/// No provider has longer ids.
const MAX_ID_BYTES: usize = 512;
const MAX_NAME_CHARS: usize = 200;
/// Windows and limits beyond this are mistakes.
const MAX_TOKENS: u64 = 1_000_000_000;

/// One model as its server describes it. What is left out was not said.
#[derive(Clone, Debug, Default, PartialEq, Serialize, Deserialize)]
#[serde(rename_all = "camelCase", default)]
pub struct ListedModel {
    pub id: String,
    #[serde(skip_serializing_if = "Option::is_none")]
    pub name: Option<String>,
    /// The wire's name, where the server has several.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub api: Option<String>,
    #[serde(skip_serializing_if = "Option::is_none")]
    pub reasoning: Option<bool>,
    #[serde(skip_serializing_if = "Option::is_none")]
    pub levels: Option<Vec<ThinkingLevel>>,
    #[serde(skip_serializing_if = "Option::is_none")]
    pub input: Option<Vec<Input>>,
    #[serde(skip_serializing_if = "Option::is_none")]
    pub context_window: Option<u64>,
    #[serde(skip_serializing_if = "Option::is_none")]
    pub max_tokens: Option<u32>,
    /// Input, output, cache read, cache write; dollars per million tokens.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub cost: Option<[f64; 4]>,
}

impl ListedModel {
    pub(super) fn new(id: &str) -> Self {
        Self { id: id.to_owned(), ..Self::default() }
    }

    /// Can the entry be used at all? Ids reach requests and terminals.
    pub(crate) fn is_sound(&self) -> bool {
        let id = &self.id;
        !id.is_empty() && id.len() <= MAX_ID_BYTES && id.trim() == id && !id.contains(char::is_control)
    }

    pub(super) fn named(mut self, name: Option<&str>) -> Self {
        let clean = name.map(|name| {
            let visible = name.chars().filter(|letter| !letter.is_control());
            visible.take(MAX_NAME_CHARS).collect::<String>().trim().to_owned()
        });
        self.name = clean.filter(|name| !name.is_empty());
        self
    }

    pub(super) fn sees(mut self, images: Option<bool>) -> Self {
        self.input = images.map(|images| match images {
            true => vec![Input::Text, Input::Image],
            false => vec![Input::Text],
        });
        self
    }
}

/// A server's list.
#[derive(Clone, Debug, Default, PartialEq)]
pub struct Listed {
    pub models: Vec<ListedModel>,
    /// Entries that could not be used: an id that cannot be shown, or too many of them.
    pub left_out: usize,
}

impl Listed {
    /// The sound entries, each id once. `None` stands for what is not a model to talk to.
    pub(super) fn collect(entries: impl IntoIterator<Item = Option<ListedModel>>) -> Self {
        let mut seen = HashSet::new();
        let mut listed = Self::default();
        for model in entries.into_iter().flatten() {
            if !model.is_sound() || listed.models.len() == MAX_MODELS {
                listed.left_out += 1;
            } else if seen.insert(model.id.clone()) {
                listed.models.push(model);
            }
        }
        listed
    }
}

/// The first of the fields that holds a number of tokens. Some servers write numbers as text.
pub(super) fn tokens(entry: &Value, fields: &[&str]) -> Option<u64> {
    let number = |value: &Value| {
        let count = value.as_u64().or_else(|| value.as_f64().map(|count| count as u64));
        count.or_else(|| value.as_str()?.trim().parse().ok())
    };
    let mut found = fields.iter().filter_map(|field| number(&entry[*field]));
    found.find(|count| (1..=MAX_TOKENS).contains(count))
}

/// As [`tokens`], for limits of answers.
pub(super) fn limit(entry: &Value, fields: &[&str]) -> Option<u32> {
    tokens(entry, fields).and_then(|count| u32::try_from(count).ok())
}
