//! Makes a conversation fit that does not: without a model if need be.
//!
//! A request that is known to be longer than its model's window is never sent as long as anything can be taken out of it. So
//! what a model cannot summarize is recorded, what stays is cut further back, and output in it goes.

use std::collections::HashMap;
use std::sync::Arc;

use omp_agent::{Order, Shorter, UpkeepError};
use omp_compaction::{Nothing, Piece, Plan, Wishes, Words, brim, digest, squeeze, standing, without_images};
use omp_extension_host::SummaryWishes;
use omp_session::{Entry, EntryKind, MessageEntry};
use omp_types::{CompactionReason, CompactionStrategy, Message};

use super::summarize::{SummaryTask, Summed};
use super::{Compactor, InVain};

/// Percent of a window that a conversation may fill which did not fit.
const FILLED: u64 = 70;
/// The part of a window that a summary with all that is carried over takes at most, as it is planned.
const SUMMARY_SHARE: u64 = 4;
/// The part of a window that a record takes.
const RECORD_SHARE: u64 = 8;

impl Compactor {
    /// Does the conversation have to become shorter, whether a model can sum it up or not?
    pub(super) fn must_fit(&self, order: Order<'_>, tokens: u64, window: u64) -> bool {
        order.reason == CompactionReason::Overflow || tokens > brim(window, &self.policy().limits)
    }

    /// Plans what goes. For a conversation that has to fit into a window less and less of its end stays.
    pub(super) fn plan(&self, path: &[&Entry], keep: u64, window: Option<u64>) -> Result<Plan, Nothing> {
        let mut plan = Plan::new(path, keep)?;
        let Some(window) = window else { return Ok(plan) };
        let (room, mut keep) = (self.room_of_kept(window, window / SUMMARY_SHARE), keep);
        while self.least_kept(&plan) > room && keep > 1 {
            keep /= 2;
            plan = Plan::new(path, keep)?;
        }
        Ok(plan)
    }

    /// Tokens that what is kept may have beside such a summary.
    fn room_of_kept(&self, window: u64, summary: u64) -> u64 {
        let (beside, limit) = (self.beside(), brim(window, &self.policy().limits));
        // What is sent beside the messages is only an estimate until a provider has counted it.
        let usual = (window * FILLED / 100).saturating_sub(beside.min(window / 4));
        usual.min(limit.saturating_sub(beside)).saturating_sub(summary)
    }

    /// Tokens of what a plan keeps when all output in it has gone.
    fn least_kept(&self, plan: &Plan) -> u64 {
        let messages = messages(&plan.kept);
        let saved: u64 = squeeze(&messages, 0, &self.protected()).iter().map(|blank| blank.saved).sum();
        plan.kept_tokens().saturating_sub(saved)
    }

    /// The model's words. A conversation that has to become shorter at once is recorded without them if need be; where
    /// no model could write a summary just before, none is asked again.
    pub(super) async fn sum_up(
        &self,
        task: SummaryTask<'_>,
        wishes: &SummaryWishes,
    ) -> Result<Summed, UpkeepError> {
        let SummaryTask { plan, order, model, tokens, cancel } = task;
        let must_fit = self.must_fit(order, tokens, self.window(model));
        if must_fit && self.gave_up(tokens) == Some(InVain::Failed) {
            return Ok(self.recorded(plan, model, "no model could write a summary"));
        }
        let SummaryWishes { context, prompt, .. } = wishes;
        let wishes = Wishes { focus: order.focus, context, prompt: prompt.as_deref() };
        match self.summarize(plan, wishes, model, cancel.clone()).await {
            Err(UpkeepError::Failed(reason)) if must_fit => Ok(self.recorded(plan, model, &reason)),
            other => other,
        }
    }

    fn recorded(&self, plan: &Plan, model: &omp_llm::Model, reason: &str) -> Summed {
        let tokens = (self.window(model) / RECORD_SHARE).min(plan.replaced_tokens() / 2);
        let history = digest(plan, tokens);
        let notice =
            format!("No summary could be written ({reason}); a shortened record replaces the old messages");
        let short = "A shortened record of the conversation".to_owned();
        Summed { words: Words { history, prefix: None }, short, notices: vec![notice] }
    }

    /// What is left to do where nothing can be summarized: output goes, and pictures where that is not enough.
    pub(super) async fn take_out(
        &self,
        nothing: Nothing,
        must_fit: bool,
        path: &[&Entry],
        window: u64,
        back_to: Option<Option<String>>,
    ) -> Result<Shorter, UpkeepError> {
        let nothing = || UpkeepError::Nothing(nothing.to_string());
        if !must_fit {
            return Err(nothing());
        }
        let summary = path.iter().rev().find_map(|entry| match &entry.kind {
            EntryKind::Compaction(compaction) => Some(compaction.summary.as_str()),
            _ => None,
        });
        let squeezed = self.squeeze_kept(&standing(path), path, summary.unwrap_or_default(), window).await?;
        let notice = match squeezed {
            true => Some("Tool output did not fit and was removed from the conversation".to_owned()),
            false => self.without_pictures().await?,
        };
        let notice = notice.ok_or_else(nothing)?;
        self.leave_failed(back_to);
        let context = self.settle().await?;
        self.begin(context.messages.len());
        let (messages, notices) = (context.messages, vec![notice]);
        Ok(Shorter { messages, result: None, action: CompactionStrategy::Shake, go_on: None, notices })
    }

    /// Makes sure that what stays fits: output of tools in it goes, the oldest first, and pictures if that is not enough.
    /// `true` if anything went.
    pub(super) async fn squeeze_kept(
        &self,
        kept: &[Piece],
        path: &[&Entry],
        summary: &str,
        window: u64,
    ) -> Result<bool, UpkeepError> {
        let room = self.room_of_kept(window, omp_tokens::estimate(summary));
        let messages = messages(kept);
        let blanks = squeeze(&messages, room, &self.protected());
        let saved: u64 = blanks.iter().map(|blank| blank.saved).sum();
        let all: u64 = messages.iter().map(|message| omp_tokens::message(message)).sum();
        let mut kinds = match all.saturating_sub(saved) > room {
            true => without_images(from_first(kept, path)).kinds,
            false => HashMap::new(),
        };
        let kind = |blank: &omp_compaction::Blank| {
            let result = messages[blank.index].as_tool_result()?;
            let message = Arc::new(blank.apply(result, &[]));
            Some((kept[blank.index].id.clone(), EntryKind::Message(MessageEntry { message })))
        };
        kinds.extend(blanks.iter().filter_map(kind));
        if kinds.is_empty() {
            return Ok(false);
        }
        let record = self.record.clone();
        let written = tokio::task::spawn_blocking(move || record.lock().replace(&kinds)).await;
        match written {
            Ok(Ok(())) => Ok(true),
            Ok(Err(error)) => Err(UpkeepError::Failed(error.to_string())),
            Err(_) => Err(UpkeepError::Aborted),
        }
    }
}

fn messages(pieces: &[Piece]) -> Vec<Arc<Message>> {
    pieces.iter().map(|piece| Arc::clone(&piece.message)).collect()
}

/// The entries of the way from the first of these messages on.
fn from_first<'a, 'b>(kept: &[Piece], path: &'a [&'b Entry]) -> &'a [&'b Entry] {
    let first = kept.first().and_then(|first| path.iter().position(|entry| entry.id == first.id));
    &path[first.unwrap_or(path.len())..]
}
