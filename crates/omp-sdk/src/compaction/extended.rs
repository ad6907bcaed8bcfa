//! What extensions say to a compaction.

use std::sync::Arc;

use omp_agent::{Order, Shorter, UpkeepError};
use omp_compaction::Plan;
use omp_extension_host::{Shortening, ShorteningAnswer, SummaryWishes};
use omp_session::Compaction;
use omp_types::CompactionStrategy;
use serde_json::Value;
use tokio_util::sync::CancellationToken;

use super::frames::FIELD;
use super::{Compactor, Extensions};

const CANCELLED: &str = "an extension cancelled it";

impl Compactor {
    pub(crate) fn attach_extensions(&self, extensions: Arc<Extensions>) {
        let _ = self.extensions.set(extensions);
    }

    /// The entry that an extension makes in our stead.
    pub(super) async fn made_by_extension(
        &self,
        about: Shortening<'_>,
        cancel: &CancellationToken,
    ) -> Result<Option<Compaction>, UpkeepError> {
        let Some(extensions) = self.extensions.get() else { return Ok(None) };
        match extensions.before_compact(about, cancel).await {
            _ if cancel.is_cancelled() => Err(UpkeepError::Aborted),
            ShorteningAnswer::Proceed => Ok(None),
            ShorteningAnswer::Cancelled => Err(UpkeepError::Failed(CANCELLED.to_owned())),
            ShorteningAnswer::Instead(mut entry) => {
                entry.preserve_data = entry.preserve_data.and_then(without_ours);
                Ok(Some(*entry))
            }
        }
    }

    /// Writes it.
    pub(super) async fn write_made(
        &self,
        entry: Compaction,
        back_to: Option<Option<String>>,
        order: Order<'_>,
    ) -> Result<Shorter, UpkeepError> {
        let order = Order { action: CompactionStrategy::ContextFull, ..order };
        self.write(entry, back_to, order, Vec::new()).await
    }

    pub(super) async fn wishes_of_extensions(
        &self,
        plan: &Plan,
        cancel: &CancellationToken,
    ) -> SummaryWishes {
        let Some(extensions) = self.extensions.get() else { return SummaryWishes::default() };
        let id = self.record.lock().header().id.clone();
        let mut wishes = extensions.compacting(&id, plan, cancel).await;
        wishes.preserve = wishes.preserve.and_then(without_ours);
        wishes
    }

    /// Extensions hear of the entry.
    pub(super) async fn tell_extensions(&self, id: &str, from_extension: bool) {
        if let Some(extensions) = self.extensions.get() {
            let entry = || self.record.lock().conversation().ok()?.entry(id).cloned();
            extensions.compacted(entry, from_extension).await;
        }
    }
}

/// Data of extensions, without fields that only we write.
fn without_ours(mut data: Value) -> Option<Value> {
    let fields = data.as_object_mut()?;
    fields.remove(FIELD);
    fields.remove(Compaction::SEALED);
    Some(data)
}

/// Both, ours where they have the same field.
pub(super) fn preserved(theirs: Option<Value>, ours: Option<Value>) -> Option<Value> {
    match (theirs, ours) {
        (Some(Value::Object(mut theirs)), Some(Value::Object(ours))) => {
            theirs.extend(ours);
            Some(Value::Object(theirs))
        }
        (theirs, ours) => ours.or(theirs),
    }
}
