//! When something has to be done about a conversation.

use std::collections::HashMap;
use std::path::Path;
use std::sync::Arc;
use std::sync::atomic::Ordering;

use omp_agent::{Look, Occasion, View};
use omp_compaction::{Blank, Protect, brim, learned_window, prune, stale, threshold};
use omp_session::{EntryKind, MessageEntry};
use omp_types::{CompactionReason, CompactionStrategy, Message};

use super::policy::Policy;
use super::{Compactor, GaveUp, InVain};

/// How long providers keep a conversation in their caches, in milliseconds.
const CACHE_LIFETIME_MS: u64 = 5 * 60 * 1000;
/// A conversation that could not be made shorter is left alone until it has grown by this share.
const GROWTH_PERCENT: u64 = 10;
/// Session files up to this size are rewritten when results are blanked.
const LARGEST_REWRITTEN: u64 = 32 * 1024 * 1024;

impl Compactor {
    pub(super) async fn look_at(&self, occasion: Occasion<'_>, view: View<'_>) -> Look {
        let policy = self.policy();
        match occasion {
            Occasion::Overflow(failure) => {
                if let Some(window) = learned_window(&failure.message) {
                    self.learned().windows.insert(view.model.selector(), window);
                }
                let wants = self.wants(&policy, CompactionReason::Overflow, at_once(&policy));
                Look { wants, ..Look::default() }
            }
            Occasion::Incomplete => {
                let wants = self.wants(&policy, CompactionReason::Incomplete, policy.strategy);
                Look { wants, ..Look::default() }
            }
            Occasion::BeforeRequest => self.before_request(&policy, view),
            Occasion::AfterTurn => self.after_turn(&policy, view).await,
            Occasion::BeforePrompt(prompt) => self.before_prompt(&policy, view, prompt).await,
        }
    }

    fn wants(
        &self,
        policy: &Policy,
        reason: CompactionReason,
        action: CompactionStrategy,
    ) -> Option<(CompactionReason, CompactionStrategy)> {
        if !policy.is_automatic() {
            return None;
        }
        match action {
            // It follows when the prompt has ended, where there is somebody to begin another session.
            CompactionStrategy::Handoff if self.hands_off.load(Ordering::Relaxed) => {
                self.handoff_due.store(true, Ordering::Relaxed);
                None
            }
            CompactionStrategy::Handoff => Some((reason, CompactionStrategy::ContextFull)),
            other => Some((reason, other)),
        }
    }

    async fn after_turn(&self, policy: &Policy, view: View<'_>) -> Look {
        let mut look = Look::default();
        let cold = self.note_turn();
        let blanks = stale(view.messages, policy.stale(cold), &self.protected());
        self.blank(&mut look, view.messages, &blanks).await;
        let messages = look.messages.clone();
        self.over_threshold(
            policy,
            View { messages: messages.as_deref().unwrap_or(view.messages), ..view },
            0,
            look,
        )
        .await
    }

    async fn before_prompt(&self, policy: &Policy, view: View<'_>, prompt: &Message) -> Look {
        self.note_turn();
        self.over_threshold(policy, view, omp_tokens::message(prompt), Look::default()).await
    }

    /// What is known not to fit is not sent. Nothing is blanked here: that was done at the border of the turn.
    fn before_request(&self, policy: &Policy, view: View<'_>) -> Look {
        let window = self.window(&self.model(view.model));
        let tokens = self.measured(view.messages).tokens;
        let before = self.learned().gave_up_at.filter(|before| before.why == InVain::Nothing);
        // With more messages than when there was nothing to take out, there may be something now.
        let in_vain = before.is_some_and(|before| view.messages.len() <= before.messages);
        // What the user says first is all there is; the provider decides about that.
        let first = !view.messages.iter().any(|message| message.as_assistant().is_some());
        if first || in_vain || tokens <= brim(window, &policy.limits) {
            return Look::default();
        }
        let wants = self.wants(policy, CompactionReason::Threshold, at_once(policy));
        Look { wants, ..Look::default() }
    }

    /// Is the provider's cache of the conversation gone by now?
    fn note_turn(&self) -> bool {
        let now = self.modes.clock.now_ms();
        let before = self.learned().last_turn.replace(now);
        before.is_some_and(|before| now.saturating_sub(before) > CACHE_LIFETIME_MS)
    }

    /// Blanks old output if the conversation has grown too long, and says if it still is.
    async fn over_threshold(&self, policy: &Policy, view: View<'_>, coming: u64, mut look: Look) -> Look {
        let window = self.window(&self.model(view.model));
        let limit = threshold(window, &policy.limits);
        let tokens = |messages: &[Arc<Message>]| self.measured(messages).tokens + coming;
        // What was said is all that can become shorter.
        if view.messages.is_empty() || tokens(view.messages) <= limit {
            return look;
        }
        let blanks = prune(view.messages, policy.stale(true), &self.protected());
        self.blank(&mut look, view.messages, &blanks).await;
        let left = tokens(look.messages.as_deref().unwrap_or(view.messages));
        let tried = match self.gave_up(left) {
            // A record needs no model, and is due when nothing more fits.
            Some(InVain::Failed) => left <= brim(window, &policy.limits),
            Some(InVain::Nothing) => true,
            None => false,
        };
        if left <= limit || tried {
            return look;
        }
        look.wants = self.wants(policy, CompactionReason::Threshold, policy.strategy);
        look
    }

    /// Was a conversation of about this size tried before, and why in vain?
    pub(super) fn gave_up(&self, tokens: u64) -> Option<InVain> {
        let GaveUp { tokens: before, why, .. } = self.learned().gave_up_at?;
        (tokens < before + before * GROWTH_PERCENT / 100).then_some(why)
    }

    /// What must not be taken out: the plan that the session works by.
    pub(super) fn protected(&self) -> Protect {
        Protect { plan: self.modes.plan_file() }
    }

    /// Puts blanked results into the conversation, and into the session file.
    async fn blank(&self, look: &mut Look, messages: &[Arc<Message>], blanks: &[Blank]) {
        if blanks.is_empty() {
            return;
        }
        if self.is_small().await
            && let Err(problem) = self.keep_blanks(messages, blanks).await
        {
            return look.notices.push(problem);
        }
        let mut blanked = look.messages.take().unwrap_or_else(|| messages.to_vec());
        for blank in blanks {
            if let Some(Message::ToolResult(result)) = blanked.get(blank.index).map(|message| &**message) {
                blanked[blank.index] = Arc::new(blank.apply(result, messages));
            }
        }
        look.messages = Some(blanked);
    }

    /// Can the session file be rewritten without anybody noticing? In a larger one old results stay, and are blanked
    /// again when the session is resumed.
    async fn is_small(&self) -> bool {
        let path = self.record.lock().path().map(ToOwned::to_owned);
        let length = tokio::task::spawn_blocking(move || path.map_or(0, |path| length(&path))).await;
        length.is_ok_and(|length| length <= LARGEST_REWRITTEN)
    }

    /// Puts blanked results into the session file.
    async fn keep_blanks(&self, messages: &[Arc<Message>], blanks: &[Blank]) -> Result<(), String> {
        let recent =
            self.load().await.map_err(|error| format!("Old results could not be pruned: {error}"))?;
        // Some servers give the same id again and again; the moment tells which result is meant.
        let moment = |blank: &&Blank| Some(messages.get(blank.index)?.as_tool_result()?.timestamp);
        let by_call: HashMap<(&str, u64), &Blank> =
            blanks.iter().filter_map(|blank| Some(((blank.call.as_str(), moment(&blank)?), blank))).collect();
        let mut kinds = HashMap::new();
        for entry in recent.path() {
            let Some(result) = entry.message().and_then(|message| message.as_tool_result()) else { continue };
            if let Some(blank) = by_call.get(&(result.tool_call_id.as_str(), result.timestamp)) {
                let message = Arc::new(blank.apply(result, messages));
                kinds.insert(entry.id.clone(), EntryKind::Message(MessageEntry { message }));
            }
        }
        let record = self.record.clone();
        match tokio::task::spawn_blocking(move || record.lock().replace(&kinds)).await {
            Ok(Err(error)) => Err(format!("Old results could not be pruned: {error}")),
            _ => Ok(()),
        }
    }
}

/// How a conversation is made shorter that has to be: a document about it would have to be made from what does not fit.
fn at_once(policy: &Policy) -> CompactionStrategy {
    match policy.strategy {
        CompactionStrategy::Handoff => CompactionStrategy::ContextFull,
        other => other,
    }
}

fn length(path: &Path) -> u64 {
    path.metadata().map_or(0, |metadata| metadata.len())
}
