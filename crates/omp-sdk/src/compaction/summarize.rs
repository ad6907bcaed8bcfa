//! The words of a summary: of the history, of a turn that is cut, and one line for lists.

use std::sync::Arc;

use omp_agent::{Order, UpkeepError};
use omp_compaction::{Plan, Wishes, Words, history_request, prefix_request, short_request, within};
use tokio_util::sync::CancellationToken;

use super::Compactor;
use super::summarizer::Summarizer;

/// Tokens of the line for lists.
const SHORT_TOKENS: u32 = 256;
/// Characters of it.
const SHORT: usize = 120;

/// What is to be summarized, and for whom.
#[derive(Clone, Copy)]
pub(super) struct SummaryTask<'t> {
    pub(super) plan: &'t Plan,
    pub(super) order: Order<'t>,
    /// The model that reads the conversation.
    pub(super) model: &'t Arc<omp_llm::Model>,
    /// What the conversation takes now.
    pub(super) tokens: u64,
    pub(super) cancel: &'t CancellationToken,
}

/// What was said about a conversation.
pub(super) struct Summed {
    pub(super) words: Words,
    pub(super) short: String,
    pub(super) notices: Vec<String>,
}

impl Compactor {
    pub(super) async fn summarize(
        &self,
        plan: &Plan,
        wishes: Wishes<'_>,
        model: &Arc<omp_llm::Model>,
        cancel: CancellationToken,
    ) -> Result<Summed, UpkeepError> {
        let mut asking = Summarizer::new(self, model, cancel);
        // A quarter of the window for both together: the history has most of it.
        let most = self.window(model) / if plan.prefix.is_empty() { 4 } else { 6 };
        let mut words = Words::default();
        if !plan.history.is_empty() {
            let text = asking.ask(None, |tokens| history_request(plan, wishes, tokens)).await?;
            words.history = within(&text, most);
        }
        if !plan.prefix.is_empty() {
            // Another task than ours is one for the history, where there is one.
            let wishes = Wishes { prompt: wishes.prompt.filter(|_| plan.history.is_empty()), ..wishes };
            let text = asking.ask(None, |tokens| prefix_request(plan, wishes, tokens)).await?;
            words.prefix = Some(within(&text, most / 2));
        }
        let of = match (&words.prefix, words.history.is_empty()) {
            (Some(prefix), true) => prefix,
            _ => &words.history,
        };
        let short = asking.ask(Some(SHORT_TOKENS), |_| short_request(of)).await;
        let short = match short {
            Ok(text) => line(&text),
            Err(UpkeepError::Aborted) => return Err(UpkeepError::Aborted),
            // A line is not worth losing a summary.
            Err(_) => line(of),
        };
        Ok(Summed { words, short, notices: Vec::new() })
    }
}

/// The first line that is no heading, not too long.
fn line(text: &str) -> String {
    let lines = || text.lines().map(str::trim).filter(|line| !line.is_empty());
    let found = lines().find(|line| !line.starts_with('#')).or_else(|| lines().next()).unwrap_or_default();
    found.chars().take(SHORT).collect()
}
