//! What a session remembers of its choices, and takes up again when it is resumed.

use omp_session::{Context, EntryKind, ServiceTierChange, SessionWriter};

use omp_models::Effort;

/// The word for no tier.
const NO_TIER: &str = "none";

/// The file says which model answered, so that a resumed session continues with it.
pub(crate) fn note_choice(
    writer: &mut SessionWriter,
    context: &Context,
    model: &omp_llm::Model,
    effort: Effort,
) {
    let selector = model.selector();
    if context.model.as_deref() != Some(selector.as_str()) {
        writer.append_model_change(&selector, None);
    }
    if context.thinking_level.as_deref() != Some(effort.word()) {
        writer.append_thinking_level(effort.word());
    }
}

/// A tier that was asked for is noted; without one the session's own is asked for again. What is left open, the
/// settings decide.
pub(crate) fn service_tier(asked: &mut Option<String>, writer: &mut SessionWriter, context: &Context) {
    let had = context.service_tier.as_ref().map(|change| change.service_tier.as_deref().unwrap_or(NO_TIER));
    match asked {
        Some(word) if had != Some(word.as_str()) => {
            let service_tier = Some(word.clone()).filter(|word| word != NO_TIER);
            writer.append(EntryKind::ServiceTierChange(ServiceTierChange { service_tier }));
        }
        Some(_) => {}
        None => *asked = had.map(str::to_owned),
    }
}
