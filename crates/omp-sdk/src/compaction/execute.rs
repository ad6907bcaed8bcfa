//! Carries a compaction out: plan, words, entry, and the conversation as it is then.

use std::sync::Arc;
use std::sync::atomic::Ordering;

use omp_agent::{Order, Shorter, Todos, UpkeepError, View};
use omp_compaction::{
    AUTO_CONTINUE, Carried, Detail, Nothing, Plan, Words, count_ratio, finish, finish_shorter, keep_recent,
    sealed_note, serialize,
};
use omp_extension_host::Shortening;
use omp_jobs::Status;
use omp_session::{Compaction, Context, Entry, EntryKind, PLAN_APPROVED};
use omp_tools::{InternalUrl, MAIN_AGENT};
use omp_types::{
    CompactionReason, CompactionResult, CompactionStrategy, CustomMessage, StopReason, UserContent,
};
use serde_json::{Value, json};
use tokio_util::sync::CancellationToken;

use super::frames::Standing;
use super::summarize::SummaryTask;
use super::{Compactor, GaveUp, InVain};

/// The kind of the message that makes the model continue.
const GO_ON: &str = "auto-continue";
/// A count that is further below our estimates is of something else.
const LEAST_RATIO: f64 = 0.5;
/// The most of a plan that is shown again.
const LONGEST_PLAN: usize = 16 * 1024;

impl Compactor {
    pub(super) async fn carry_out(
        &self,
        order: Order<'_>,
        view: View<'_>,
        cancel: CancellationToken,
    ) -> Result<Shorter, UpkeepError> {
        let measured = self.measured(view.messages);
        let allowed = match self.hooks.get() {
            Some(hooks) => hooks.compacting(order.reason, order.focus).await,
            None => Ok(()),
        };
        let done = match allowed {
            Ok(()) => self.shorten_by(order, view, &cancel).await,
            Err(error) => Err(error),
        };
        if let (Ok(_), Some(hooks)) = (&done, self.hooks.get()) {
            hooks.compacted().await;
        }
        let aborted =
            cancel.is_cancelled() || done.as_ref().is_err_and(|error| *error == UpkeepError::Aborted);
        let in_vain = match &done {
            Err(UpkeepError::Nothing(_)) => Some(InVain::Nothing),
            Err(UpkeepError::Failed(_)) => Some(InVain::Failed),
            Ok(_) | Err(UpkeepError::Aborted) => None,
        };
        if let Some(why) = in_vain.filter(|_| !aborted) {
            let (tokens, messages) = (measured.tokens, view.messages.len());
            self.learned().gave_up_at = Some(GaveUp { tokens, messages, why });
        }
        match done {
            Err(_) if aborted => Err(UpkeepError::Aborted),
            other => other,
        }
    }

    /// Shaking needs no model; what it does not win, a summary must.
    async fn shorten_by(
        &self,
        order: Order<'_>,
        view: View<'_>,
        cancel: &CancellationToken,
    ) -> Result<Shorter, UpkeepError> {
        if order.action == CompactionStrategy::Shake
            && let Some(shorter) = self.shake(order, view).await?
        {
            return Ok(shorter);
        }
        self.compact(order, view, cancel).await
    }

    async fn compact(
        &self,
        order: Order<'_>,
        view: View<'_>,
        cancel: &CancellationToken,
    ) -> Result<Shorter, UpkeepError> {
        let policy = self.policy();
        let model = self.model(view.model);
        let window = self.window(&model);
        let recent = self.load().await?;
        let mut path = recent.path();
        let failed = drop_failed(&mut path, order.reason);
        let measured = self.measured(view.messages);
        self.note_beside(view.messages);
        let must_fit = self.must_fit(order, measured.tokens, window);
        let ratio = count_ratio(view.messages, self.scale());
        let mut keep = keep_recent(window, &policy.limits, ratio);
        if must_fit {
            // So much does not fit, whatever the catalogue says.
            keep = keep.min(measured.tokens / 3).max(1);
        }
        let back_to = failed.then(|| path.last().map(|entry| entry.id.clone()));
        let plan = match self.plan(&path, keep, must_fit.then_some(window)) {
            Ok(plan) => plan,
            Err(nothing) => return self.take_out(nothing, must_fit, &path, window, back_to).await,
        };
        if order.action != CompactionStrategy::Snapcompact && !is_worth_it(&plan, window) {
            return self.take_out(Nothing::NotShorter, must_fit, &path, window, back_to).await;
        }
        let tokens_before = measured.tokens;
        let (limits, enabled, focus) = (&policy.limits, policy.enabled, order.focus);
        let about = Shortening { plan: &plan, path: &path, tokens_before, focus, enabled, limits };
        if let Some(entry) = self.made_by_extension(about, cancel).await? {
            return self.write_made(entry, back_to, order).await;
        }
        let task = SummaryTask { plan: &plan, order, model: &model, tokens: measured.tokens, cancel };
        let Standing { summed, mut preserve, sealed, action } = self.stand_in(task).await?;
        let carried = self.carried(&plan, &path, window).await;
        if let Some(mut sealed) = sealed {
            sealed.note = sealed_note(&plan, &carried);
            preserve.get_or_insert_with(|| json!({}))[Compaction::SEALED] = json!(sealed);
        }
        let finished = match action {
            CompactionStrategy::Snapcompact => finish(&plan, &summed.words, &carried),
            _ => match finish_shorter(&plan, &summed.words, &carried) {
                Ok(finished) => finished,
                Err(nothing) => return self.take_out(nothing, must_fit, &path, window, back_to).await,
            },
        };
        if cancel.is_cancelled() {
            return Err(UpkeepError::Aborted);
        }
        let entry = Compaction {
            summary: finished.summary,
            short_summary: Some(summed.short),
            first_kept_entry_id: Some(plan.first_kept.clone()),
            tokens_before: measured.tokens,
            details: Some(finished.details),
            preserve_data: preserve,
            from_extension: false,
        };
        if must_fit {
            self.squeeze_kept(&plan.kept, &path, &entry.summary, window).await?;
        }
        let stands = omp_tokens::message(&entry.message());
        let saved = plan.replaced_tokens().saturating_sub(stands);
        let mut shorter = self.write(entry, back_to, Order { action, ..order }, summed.notices).await?;
        if let Some(result) = shorter.result.as_mut().filter(|_| ratio > LEAST_RATIO) {
            // Where a provider counts less than we estimate, what went is taken off its count.
            result.tokens_after = result.tokens_after.min(measured.tokens.saturating_sub(saved));
        }
        Ok(shorter)
    }

    /// Writes the entry and rebuilds the conversation.
    pub(super) async fn write(
        &self,
        entry: Compaction,
        back_to: Option<Option<String>>,
        order: Order<'_>,
        mut notices: Vec<String>,
    ) -> Result<Shorter, UpkeepError> {
        let from_extension = entry.from_extension;
        let (summary, short_summary) = (entry.summary.clone(), entry.short_summary.clone());
        let (first_kept_entry_id, tokens_before) = (entry.first_kept_entry_id.clone(), entry.tokens_before);
        let entry_id = self.append(entry, back_to);
        notices.extend(self.record.lock().take_report());
        let context = self.settle().await?;
        let tokens_after = self.measured(&context.messages).tokens;
        self.tell_extensions(&entry_id, from_extension).await;
        let result = CompactionResult {
            entry_id,
            summary,
            short_summary,
            first_kept_entry_id,
            tokens_before,
            tokens_after,
        };
        Ok(Shorter {
            messages: context.messages,
            result: Some(result),
            action: order.action,
            go_on: self.goes_on(order),
            notices,
        })
    }

    /// Appends the entry; an answer that failed is left on a branch of its own.
    fn append(&self, entry: Compaction, back_to: Option<Option<String>>) -> String {
        self.leave_failed(back_to);
        self.record.lock().append(EntryKind::Compaction(entry))
    }

    /// Leaves an answer that failed on a branch of its own.
    pub(super) fn leave_failed(&self, back_to: Option<Option<String>>) {
        let mut writer = self.record.lock();
        match back_to {
            Some(Some(id)) => {
                // An entry that was just read is there.
                let _ = writer.branch(&id);
            }
            Some(None) => writer.reset_leaf(),
            None => {}
        }
    }

    /// The conversation as it is from now on; everything that knew the old one starts over.
    pub(super) async fn settle(&self) -> Result<Context, UpkeepError> {
        let context = self.load().await?.context();
        if let Some(checkpoints) = &self.modes.shared.checkpoints {
            checkpoints.forget();
        }
        self.models.pipeline.client.close().await;
        self.models.pipeline.ledger.shortened();
        if let Some(todos) = &context.todos {
            self.todos.restore(todos);
        }
        self.stale.store(context.kept, Ordering::Relaxed);
        self.learned().gave_up_at = None;
        Ok(context)
    }

    /// What makes the model continue where it would have stopped.
    pub(super) fn goes_on(&self, order: Order<'_>) -> Option<CustomMessage> {
        let wanted = order.reason == CompactionReason::Threshold && self.policy().auto_continue;
        wanted.then(|| CustomMessage {
            custom_type: GO_ON.to_owned(),
            content: UserContent::Text(AUTO_CONTINUE.to_owned()),
            display: false,
            details: None,
            timestamp: self.modes.clock.now_ms(),
        })
    }

    /// What survives word for word, with the whole text of what goes in an artifact.
    async fn carried(&self, plan: &Plan, path: &[&Entry], window: u64) -> Carried {
        let pieces: Vec<_> = plan.dropped().cloned().collect();
        let (artifacts, deck) = (Arc::clone(&self.artifacts), self.deck.clone());
        let saved = tokio::task::spawn_blocking(move || {
            // Without a directory no URL would lead to it.
            artifacts.directory()?;
            let whole = serialize(&pieces, Detail::WHOLE);
            Self::keep_whole(&artifacts, deck.as_ref(), "compaction", &whole).ok()
        });
        let artifact = saved.await.ok().flatten().map(|id| format!("artifact://{id}"));
        let mut carried = Carried::new(plan, window, artifact);
        carried.todos = self.todos.open();
        carried.jobs = self.running_jobs();
        carried.plan = self.approved_plan(path).await;
        carried
    }

    fn running_jobs(&self) -> Vec<String> {
        let all = self.jobs.as_ref().map(|jobs| jobs.snapshots(MAIN_AGENT)).unwrap_or_default();
        let running = all.into_iter().filter(|job| job.status == Status::Running);
        running.map(|job| format!("{} ({}): {}", job.id, job.kind, job.label)).collect()
    }

    /// The plan that the session works by, if one was approved.
    async fn approved_plan(&self, path: &[&Entry]) -> Option<(String, String)> {
        let url = path.iter().rev().find_map(|entry| match &entry.kind {
            EntryKind::Custom(custom) if custom.custom_type == PLAN_APPROVED => {
                let file = custom.data.as_ref()?.get("planFile").and_then(Value::as_str)?;
                Some(file.to_owned())
            }
            _ => None,
        })?;
        let parsed = InternalUrl::parse(&url)?;
        let located = self.modes.context.resources.locate(&parsed).ok()?;
        let text = tokio::task::spawn_blocking(move || std::fs::read_to_string(located)).await.ok()?.ok()?;
        let cut = text.char_indices().nth(LONGEST_PLAN).map_or(text.len(), |(at, _)| at);
        Some((url, text[..cut].to_owned()))
    }
}

/// Can anything that stands for these messages be shorter than they are?
fn is_worth_it(plan: &Plan, window: u64) -> bool {
    finish_shorter(plan, &Words::default(), &Carried::new(plan, window, None)).is_ok()
}

/// Takes the answers that failed off the end of the way. They are asked for again.
fn drop_failed(path: &mut Vec<&Entry>, reason: CompactionReason) -> bool {
    let wanted = match reason {
        CompactionReason::Overflow => StopReason::Error,
        CompactionReason::Incomplete => StopReason::Length,
        _ => return false,
    };
    let mut dropped = false;
    loop {
        let last = path.iter().rposition(|entry| entry.spoken().is_some());
        let answer = last.and_then(|at| path[at].message().and_then(|message| message.as_assistant()));
        match (last, answer) {
            (Some(at), Some(answer)) if answer.stop_reason == wanted => {
                path.truncate(at);
                dropped = true;
            }
            _ => return dropped,
        }
    }
}
