//! Compaction by the provider itself: the history in a form that only the model it was made for can read.
//!
//! The entry keeps that form beside a record in words, which every other model reads. A model that is asked for another
//! focus, by the user or an extension, or a role of its own that summarizes, makes a summary instead.

use std::sync::Arc;

use omp_agent::UpkeepError;
use omp_compaction::{Plan, Words, digest};
use omp_extension_host::SummaryWishes;
use omp_models::model_of_role;
use omp_session::Compaction;
use omp_types::{
    AssistantBlock, AssistantMessage, FailureKind, ModelRequest, Purpose, RequestOptions, SealedHistory,
};

use super::Compactor;
use super::summarize::{SummaryTask, Summed};
use crate::side_tasks::small_model;

/// The role of the model that summarizes.
const ROLE: &str = "compaction";
/// The part of a window that the record in words may take.
const RECORD_SHARE: u64 = 8;

impl Compactor {
    /// Asks the provider. `None` where it has no compaction, is not to be asked, or failed: then a summary is made.
    pub(super) async fn seal(
        &self,
        task: SummaryTask<'_>,
        wishes: &SummaryWishes,
    ) -> Result<Option<(Summed, SealedHistory)>, UpkeepError> {
        let SummaryTask { plan, order, model, cancel, .. } = task;
        let other_role = model_of_role(&self.settings(), ROLE).is_some();
        let wished = order.focus.is_some() || !wishes.context.is_empty() || wishes.prompt.is_some();
        if !self.policy().remote || !model.compacts() || wished || other_role {
            return Ok(None);
        }
        let earlier = plan.previous.iter().map(Compaction::message);
        let dropped = plan.dropped().map(|piece| Arc::clone(&piece.message));
        let request = ModelRequest {
            system: Arc::clone(&self.system),
            messages: earlier.chain(dropped).collect(),
            options: RequestOptions {
                purpose: Purpose::Compaction,
                prompt_cache_key: Some(self.record.lock().header().id.clone()),
                ..RequestOptions::default()
            },
            ..ModelRequest::default()
        };
        let served = self.models.serve(Arc::clone(model));
        match small_model::ask(served.as_ref(), request, cancel.clone(), |_| {}).await {
            Ok(answer) => Ok(Some((self.record_of(plan, model), sealed(answer)))),
            Err(failure) if failure.kind == FailureKind::Aborted || cancel.is_cancelled() => {
                Err(UpkeepError::Aborted)
            }
            // A summary does not need it.
            Err(_) => Ok(None),
        }
    }

    /// What other models read instead.
    fn record_of(&self, plan: &Plan, model: &omp_llm::Model) -> Summed {
        let history = digest(plan, self.window(model) / RECORD_SHARE);
        let short = format!("Compacted by {}", model.provider);
        Summed { words: Words { history, prefix: None }, short, notices: Vec::new() }
    }
}

fn sealed(answer: AssistantMessage) -> SealedHistory {
    let AssistantMessage { api, provider, model, usage, content, .. } = answer;
    let items: Vec<_> = content
        .into_iter()
        .filter_map(|block| match block {
            AssistantBlock::Native(native) => Some(native.value),
            _ => None,
        })
        .collect();
    // Who counts nothing is estimated: about four characters of a sealed text for three bytes, four bytes a token.
    let length =
        |items: &[serde_json::Value]| items.iter().map(|item| item.to_string().len() as u64).sum::<u64>();
    let tokens = if usage.output > 0 { usage.output } else { length(&items) * 3 / 16 };
    SealedHistory { api, provider, model, items, tokens, note: String::new() }
}
