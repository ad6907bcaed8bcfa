//! How the models of each family are told to think. The API itself has no field for it: each family's own field goes
//! into the part that is handed through to the model.

use omp_types::{RequestOptions, ThinkingLevel};
use serde_json::{Map, Value, json};

use crate::history::Turn;
use crate::model::Model;
use crate::wire::anthropic::Thinking;

/// Who made the model, as far as it changes the request.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) enum Family {
    Claude,
    /// Takes an effort word.
    Effort,
    Other,
}

impl Family {
    /// By id or, for the opaque ids of inference profiles, by the name the user gave.
    pub(super) fn of(model: &Model) -> Self {
        let names = |part: &str| {
            [&model.id, &model.name].into_iter().any(|text| text.to_ascii_lowercase().contains(part))
        };
        if names("claude") || names("anthropic") {
            Self::Claude
        } else if names("gpt-oss") {
            Self::Effort
        } else {
            Self::Other
        }
    }
}

/// Fields for the model itself.
#[derive(Default)]
pub(super) struct Thought {
    pub(super) fields: Map<String, Value>,
    pub(super) excludes_sampling: bool,
}

pub(super) fn fields(model: &Model, options: &RequestOptions, turns: &[Turn<'_>], forced: bool) -> Thought {
    let mut thought = Thought::default();
    match Family::of(model) {
        Family::Claude => {
            let limit = options.max_tokens.unwrap_or(model.max_tokens);
            // Thinking and a forced tool exclude each other here as on the maker's own API.
            let chosen = Thinking::choose(model, options, limit).filter(|_| !forced);
            match chosen.filter(|chosen| chosen.fits(turns)) {
                Some(chosen) => {
                    chosen.insert(&mut thought.fields);
                    thought.excludes_sampling = true;
                }
                None => crate::wire::insert_number(&mut thought.fields, "top_k", options.sampling.top_k),
            }
        }
        Family::Effort => {
            let level = model.clamp_level(options.thinking);
            if level != ThinkingLevel::Off {
                thought.fields.insert("reasoning_effort".into(), json!(effort(level)));
            }
        }
        Family::Other => {}
    }
    thought
}

/// The three words these models know.
fn effort(level: ThinkingLevel) -> &'static str {
    match level {
        ThinkingLevel::Off | ThinkingLevel::Minimal | ThinkingLevel::Low => "low",
        ThinkingLevel::Medium => "medium",
        ThinkingLevel::High | ThinkingLevel::Xhigh | ThinkingLevel::Max => "high",
    }
}
