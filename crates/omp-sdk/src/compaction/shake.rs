//! Shaking: heavy parts of a conversation move to an artifact, without a model.

use omp_agent::{Order, Shorter, UpkeepError, View};
use omp_compaction::{Shake, ShakeOutcome, Shaken, without_images};
use omp_types::{CompactionReason, CompactionStrategy};

use super::Compactor;
use super::manual::CompactError;
use crate::session::context_window::ContextWindow;

/// The name of the artifacts.
const ARTIFACT: &str = "shake";
/// Percent of a window that may be full after a request that did not fit.
const FILLED: u64 = 70;

/// What shaking took out of the conversation.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct ShakeReport {
    /// Results, blocks or pictures that went.
    pub parts: usize,
    /// Tokens that were won, as far as they can be told.
    pub saved: u64,
    /// Where the originals are; nothing of pictures, and of a session that is not saved.
    pub artifact: Option<String>,
}

impl ContextWindow<'_> {
    /// Takes heavy parts out of the conversation: results of tools and large blocks, or pictures. Waits for a run to
    /// end. The session file keeps a line in each place that says where the original is.
    pub async fn shake(self, what: Shake) -> Result<ShakeReport, CompactError> {
        let Some(report) = self.session.compactor.shake_off(what).await? else {
            return Err(UpkeepError::Nothing(nothing(what).to_owned()).into());
        };
        let context = self.session.compactor.settle().await?;
        self.session.compactor.begin(context.messages.len());
        self.session.agent.load(context.messages).await?;
        Ok(report)
    }
}

fn nothing(what: Shake) -> &'static str {
    match what {
        Shake::Elide => "Nothing to trim: no old results or blocks are large enough",
        Shake::Images => "Nothing to trim: no images in the conversation",
    }
}

impl Compactor {
    /// Takes heavy parts out of the session file. `None` if there are none.
    async fn shake_off(&self, what: Shake) -> Result<Option<ShakeReport>, UpkeepError> {
        let recent = self.load().await?;
        let path = recent.path();
        let (outcome, artifact) = match what {
            Shake::Images => (without_images(&path), None),
            Shake::Elide => match Shaken::find(&path) {
                Some(shaken) => self.move_away(shaken).await?,
                None => return Ok(None),
            },
        };
        if outcome.parts == 0 {
            return Ok(None);
        }
        let (record, kinds) = (self.record.clone(), outcome.kinds);
        let written = tokio::task::spawn_blocking(move || record.lock().replace(&kinds)).await;
        match written {
            Ok(Ok(())) => Ok(Some(ShakeReport { parts: outcome.parts, saved: outcome.saved, artifact })),
            Ok(Err(error)) => Err(UpkeepError::Failed(error.to_string())),
            Err(_) => Err(UpkeepError::Aborted),
        }
    }

    /// Keeps the originals in an artifact, where the session has a directory for them.
    async fn move_away(&self, shaken: Shaken) -> Result<(ShakeOutcome, Option<String>), UpkeepError> {
        let (artifacts, deck) = (std::sync::Arc::clone(&self.artifacts), self.deck.clone());
        let moved = tokio::task::spawn_blocking(move || {
            let url = match artifacts.directory() {
                Some(_) => {
                    let saved = Self::keep_whole(&artifacts, deck.as_ref(), ARTIFACT, &shaken.originals());
                    let id = saved.map_err(|error| format!("cannot save the originals: {error}"))?;
                    Some(format!("artifact://{id}"))
                }
                None => None,
            };
            Ok((shaken.apply(url.as_deref()), url))
        });
        match moved.await {
            Ok(moved) => moved.map_err(UpkeepError::Failed),
            Err(_) => Err(UpkeepError::Aborted),
        }
    }

    /// Takes the pictures out of a conversation that does not fit. Says what was done, if there were any.
    pub(super) async fn without_pictures(&self) -> Result<Option<String>, UpkeepError> {
        let Some(report) = self.shake_off(Shake::Images).await? else { return Ok(None) };
        Ok(Some(match report.parts {
            1 => "An image did not fit and was removed from the conversation".to_owned(),
            parts => format!("{parts} images did not fit and were removed from the conversation"),
        }))
    }

    /// Shakes as the settings want it. `None` if that does not win enough room, and a summary has to follow.
    pub(super) async fn shake(
        &self,
        order: Order<'_>,
        view: View<'_>,
    ) -> Result<Option<Shorter>, UpkeepError> {
        let Some(report) = self.shake_off(Shake::Elide).await? else { return Ok(None) };
        let before = self.measured(view.messages);
        self.note_beside(view.messages);
        let window = self.window(&self.model(view.model));
        let limit = match order.reason {
            CompactionReason::Overflow => window * FILLED / 100,
            _ => omp_compaction::threshold(window, &self.policy().limits),
        };
        if before.tokens.saturating_sub(report.saved) > limit {
            return Ok(None);
        }
        let context = self.settle().await?;
        // What providers counted before is the size of another conversation.
        self.begin(context.messages.len());
        let place = report.artifact.map_or_else(String::new, |url| format!(" to {url}"));
        let notice = format!("Moved {} large parts ({} tokens){place}", report.parts, report.saved);
        Ok(Some(Shorter {
            messages: context.messages,
            result: None,
            action: CompactionStrategy::Shake,
            go_on: self.goes_on(order),
            notices: vec![notice],
        }))
    }
}
