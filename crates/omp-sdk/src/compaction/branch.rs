//! The summary of a branch that is left behind.

use omp_agent::UpkeepError;
use omp_compaction::{BranchPlan, branch_request, branch_summary};
use omp_extension_host::TravelAnswer;
use omp_session::{BranchSummary, Navigation};
use serde_json::Value;
use tokio_util::sync::CancellationToken;

use super::summarizer::Summarizer;
use crate::session::conversation_tree::ConversationTree;
use crate::session::conversation_tree::Moved;
use crate::session::host::SwitchError;

/// Why a branch was not left. The conversation stands where it stood.
#[derive(Debug, thiserror::Error)]
pub enum BranchSummaryError {
    /// The way there could not be gone.
    #[error(transparent)]
    Switch(#[from] SwitchError),
    /// Nothing but the demo would answer.
    #[error("no model is available to summarize the branch: connect one, or switch without a summary")]
    NoModel,
    /// The user stopped it.
    #[error("Branch summary cancelled")]
    Aborted,
    /// No model summed the branch up.
    #[error("could not summarize the branch: {0}")]
    Failed(String),
}

impl ConversationTree<'_> {
    /// Goes to another place in the conversation like [`ConversationTree::navigate`], and says there what happened on the branch
    /// that is left. Nothing moves before the summary is there; where nothing is left behind none is made.
    /// `instructions` take the place of our own.
    pub async fn summarize_branch(
        self,
        target: &str,
        instructions: Option<&str>,
        cancel: CancellationToken,
    ) -> Result<Option<Moved>, BranchSummaryError> {
        self.session.rest().await;
        let loaded = self.loaded().await?;
        let way = loaded.navigation(target, self.session.record.lock().leaf()).map_err(SwitchError::from)?;
        let Navigation::Move { abandoned, .. } = &way else { return Ok(None) };
        let entries: Vec<_> = abandoned.iter().filter_map(|id| loaded.entry(id)).collect();
        match self.ask_extensions(&loaded, target, Some(instructions), &cancel).await? {
            _ if cancel.is_cancelled() => return Err(BranchSummaryError::Aborted),
            TravelAnswer::Proceed => {}
            TravelAnswer::Cancelled => return Err(SwitchError::Cancelled.into()),
            TravelAnswer::Summary(summary, details) => {
                let entry =
                    BranchSummary { summary, details, from_extension: true, ..BranchSummary::default() };
                return Ok(self.navigate_with(target, Some(entry)).await?);
            }
        }
        if entries.iter().all(|entry| entry.spoken_anywhere().is_none()) {
            return Ok(self.navigate_with(target, None).await?);
        }
        if self.session.models().fell_back_to_demo() {
            return Err(BranchSummaryError::NoModel);
        }
        let (summary, details) = self.branch_words(&entries, instructions, cancel).await?;
        let entry = BranchSummary { summary, details, ..BranchSummary::default() };
        Ok(self.navigate_with(target, Some(entry)).await?)
    }

    /// The text of the entry and its details.
    async fn branch_words(
        self,
        entries: &[&omp_session::Entry],
        instructions: Option<&str>,
        cancel: CancellationToken,
    ) -> Result<(String, Option<Value>), BranchSummaryError> {
        let identity = self.session.agent.model().await.identity();
        let model = self.session.compactor.model(&identity);
        let window = self.session.compactor.window(&model);
        // A reserve that would eat a small window takes half of it.
        let tokens = window - self.session.compactor.policy().branch_reserve.min(window / 2);
        let plan = BranchPlan::new(entries, tokens);
        let mut asking = Summarizer::new(&self.session.compactor, &model, cancel);
        let words = asking.ask(None, |room| branch_request(&plan.pieces, instructions, room)).await;
        match words {
            Ok(words) => {
                let (text, details) = branch_summary(&plan, &words);
                Ok((text, Some(details)))
            }
            Err(UpkeepError::Aborted) => Err(BranchSummaryError::Aborted),
            Err(UpkeepError::Failed(reason) | UpkeepError::Nothing(reason)) => {
                Err(BranchSummaryError::Failed(reason))
            }
        }
    }
}
