//! Compaction without a model: the history is printed on pictures.

use std::sync::Arc;

use omp_agent::UpkeepError;
use omp_compaction::{Plan, Words};
use omp_config::settings::keys;
use omp_session::Compaction;
use omp_snapcompact::{Archive, Input, Script, Shape, compact, frame_budget, printable_share, reading_guide};
use omp_tokens::Billing;
use omp_types::{CompactionStrategy, Message, SealedHistory};
use serde_json::{Value, json};

use super::Compactor;
use super::extended::preserved;
use super::summarize::{SummaryTask, Summed};

/// The field of an entry's preserved data that holds the frames.
pub(super) const FIELD: &str = "snapcompact";
/// Less of a text than this on a frame is not worth a frame.
const LEAST_PRINTED: f64 = 0.9;
/// What follows when nothing can be printed.
const INSTEAD: &str =
    "the conversation is summarized instead of rendered as images (compaction.strategy is snapcompact)";

/// What stands for the messages that go.
pub(super) struct Standing {
    pub(super) summed: Summed,
    /// What the entry keeps: the frames, also those of earlier compactions.
    pub(super) preserve: Option<Value>,
    /// The history as the provider sealed it.
    pub(super) sealed: Option<SealedHistory>,
    /// How it was done.
    pub(super) action: CompactionStrategy,
}

/// The frames of an earlier compaction.
fn archive_of(compaction: &Compaction) -> Option<Archive> {
    let kept = compaction.preserve_data.as_ref()?.get(FIELD)?;
    serde_json::from_value(kept.clone()).ok().filter(|archive: &Archive| !archive.frames.is_empty())
}

impl Compactor {
    /// How the provider counts pictures.
    pub(crate) fn billing(&self) -> Billing {
        let model = self.live.model();
        Billing::of(model.api.name(), &model.id)
    }

    /// Prints what belongs on pictures, where that was ordered and can be done; else has it summarized.
    pub(super) async fn stand_in(&self, task: SummaryTask<'_>) -> Result<Standing, UpkeepError> {
        let SummaryTask { plan, order, model, .. } = task;
        let mut notices = Vec::new();
        if order.action == CompactionStrategy::Snapcompact {
            match self.frame(plan, model).await {
                Ok(standing) => return Ok(standing),
                Err(reason) => notices.push(reason),
            }
        }
        let wishes = self.wishes_of_extensions(plan, task.cancel).await;
        let (mut summed, sealed) = match self.seal(task, &wishes).await? {
            Some((summed, sealed)) => (summed, Some(sealed)),
            None => (self.sum_up(task, &wishes).await?, None),
        };
        summed.notices.splice(0..0, notices);
        // Frames of earlier compactions are history that no summary holds.
        let archive = plan.previous.as_ref().and_then(archive_of);
        if let Some(archive) = archive.as_ref().filter(|_| model.accepts_images()) {
            let guide = reading_guide(archive);
            summed.words.history = format!("{guide}\n\n{}", summed.words.history);
        }
        let preserve = preserved(wishes.preserve, archive.map(|archive| json!({ FIELD: archive })));
        Ok(Standing { summed, preserve, sealed, action: CompactionStrategy::ContextFull })
    }

    /// Prints what goes, or says why that cannot be done.
    async fn frame(&self, plan: &Plan, model: &omp_llm::Model) -> Result<Standing, String> {
        if !model.accepts_images() {
            return Err(format!("{} does not accept images; {INSTEAD}", model.selector()));
        }
        let shape = Shape::of(self.settings().get(keys::SNAPCOMPACT_SHAPE), &model.id, model.api.name());
        let budget = frame_budget(&model.provider);
        let previous = plan.previous.clone();
        let messages: Vec<Arc<Message>> = plan.dropped().map(|piece| Arc::clone(&piece.message)).collect();
        let printing = move || print(&messages, previous.as_ref(), shape, budget);
        let printed = tokio::task::spawn_blocking(printing).await;
        let (archive, guide) = printed.map_err(|_| format!("Rendering was interrupted; {INSTEAD}"))??;
        let summed = Summed {
            words: Words { history: guide, prefix: None },
            short: format!("Rendered as {} images", archive.frames.len()),
            notices: Vec::new(),
        };
        let preserve = Some(json!({ FIELD: archive }));
        Ok(Standing { summed, preserve, sealed: None, action: CompactionStrategy::Snapcompact })
    }
}

fn print(
    messages: &[Arc<Message>],
    previous: Option<&Compaction>,
    shape: Shape,
    budget: usize,
) -> Result<(Archive, String), String> {
    let messages = || messages.iter().map(|message| &**message);
    if printable_share(&Script::of(messages()).text()) < LEAST_PRINTED {
        return Err(format!("The pixel fonts cannot render the script of the conversation; {INSTEAD}"));
    }
    let archive = previous.and_then(archive_of);
    let summary = match &archive {
        Some(_) => None,
        None => previous.map(|previous| previous.summary.as_str()),
    };
    let input = Input { previous: archive.as_ref(), previous_summary: summary, shape, budget };
    compact(messages(), input).map_err(|error| format!("Rendering failed ({error}); {INSTEAD}"))
}

#[cfg(test)]
mod tests {
    use omp_config::settings::keys;

    use super::*;

    #[test]
    fn the_setting_names_every_shape() {
        let named: Vec<&str> = Shape::names().collect();
        assert_eq!(keys::SNAPCOMPACT_SHAPE.setting().choices()[1..], named, "and `auto` before them");
    }
}
