//! How a Gemini model is told to think: a budget of tokens up to 2.5, a level by its name from 3 on.

use omp_types::{RequestOptions, ThinkingLevel};
use serde_json::{Value, json};

use crate::model::{Model, ThinkingMode};
use crate::wire::limit::thinking_room;

/// Budgets a family accepts.
struct Budgets {
    family: &'static str,
    least: u32,
    most: u32,
    /// Zero turns thinking off.
    off: bool,
}

/// The longer name first.
const BUDGETS: [Budgets; 3] = [
    Budgets { family: "gemini-2.5-pro", least: 128, most: 32_768, off: false },
    Budgets { family: "gemini-2.5-flash-lite", least: 512, most: 24_576, off: true },
    Budgets { family: "gemini-2.5-flash", least: 1, most: 24_576, off: true },
];
const ANY_BUDGETS: Budgets = Budgets { family: "", least: 1, most: 24_576, off: true };

/// Levels a family knows, lowest first.
const LEVELS: [(&str, &[ThinkingLevel]); 2] = [
    ("gemini-3-pro", &[ThinkingLevel::Low, ThinkingLevel::High]),
    ("gemini-3.1-pro", &[ThinkingLevel::Low, ThinkingLevel::Medium, ThinkingLevel::High]),
];
const ALL_LEVELS: &[ThinkingLevel] =
    &[ThinkingLevel::Minimal, ThinkingLevel::Low, ThinkingLevel::Medium, ThinkingLevel::High];

/// `None` for models that do not reason: they refuse the field.
pub(super) fn config(model: &Model, options: &RequestOptions, limit: u32) -> Option<Value> {
    if !model.reasoning {
        return None;
    }
    let wanted = model.clamp_level(options.thinking);
    let shown = wanted != ThinkingLevel::Off;
    let mut config = match model.thinking {
        ThinkingMode::GoogleLevel => json!({"thinkingLevel": level(&model.id, wanted)}),
        ThinkingMode::Standard | ThinkingMode::AnthropicAdaptive => {
            json!({"thinkingBudget": budget(model, options, wanted, limit)})
        }
    };
    if shown {
        config["includeThoughts"] = true.into();
    }
    Some(config)
}

/// The lowest level that is not below the wanted one; a model that cannot be quiet thinks as little as it can.
fn level(model_id: &str, wanted: ThinkingLevel) -> &'static str {
    let known =
        LEVELS.iter().find(|(family, _)| model_id.starts_with(family)).map_or(ALL_LEVELS, |row| row.1);
    let chosen = known.iter().find(|level| **level >= wanted).or(known.last());
    match chosen {
        Some(ThinkingLevel::Minimal) => "MINIMAL",
        Some(ThinkingLevel::Low) => "LOW",
        Some(ThinkingLevel::Medium) => "MEDIUM",
        _ => "HIGH",
    }
}

/// Thoughts count against the output limit, so some of it is kept for the answer.
fn budget(model: &Model, options: &RequestOptions, wanted: ThinkingLevel, limit: u32) -> u32 {
    let limits = BUDGETS.iter().find(|row| model.id.starts_with(row.family)).unwrap_or(&ANY_BUDGETS);
    let none = if limits.off { 0 } else { limits.least };
    if wanted == ThinkingLevel::Off {
        return none;
    }
    let room = thinking_room(limit);
    let budget = options.thinking_budgets.of(wanted).clamp(limits.least, limits.most);
    if room < limits.least { none } else { budget.min(room) }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn levels_are_those_the_family_knows() {
        for (id, wanted, expected) in [
            ("gemini-3-pro-preview", ThinkingLevel::Off, "LOW"),
            ("gemini-3-pro-preview", ThinkingLevel::Minimal, "LOW"),
            ("gemini-3-pro-preview", ThinkingLevel::Medium, "HIGH"),
            ("gemini-3.1-pro-preview", ThinkingLevel::Medium, "MEDIUM"),
            ("gemini-3-flash-preview", ThinkingLevel::Off, "MINIMAL"),
            ("gemini-3-flash-preview", ThinkingLevel::Max, "HIGH"),
        ] {
            assert_eq!(level(id, wanted), expected, "{id} {wanted:?}");
        }
    }
}
