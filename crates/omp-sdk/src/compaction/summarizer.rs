//! The models that summarize: one after the other, until one has done it.

use std::sync::Arc;
use std::time::Duration;

use futures_util::StreamExt;
use omp_agent::{Model, UpkeepError};
use omp_compaction::Request;
use omp_config::settings::keys;
use omp_llm::Api;
use omp_models::model_of_role;
use omp_types::{
    Failure, FailureKind, Message, ModelRequest, RequestOptions, StreamEvent, ThinkingLevel, ToolChoice,
};
use tokio_util::sync::CancellationToken;

use super::Compactor;
use crate::configure;

/// Roles that may summarize, the best first; the session's own model comes after the first of them.
const ROLES: [&str; 4] = ["compaction", "default", "slow", "smol"];
/// Attempts with one model.
const MOST_ATTEMPTS: u32 = 3;
/// Longer waits are not worth it when another model can do it.
const LONG_WAIT_MS: u64 = 10_000;
/// Bytes that a model may say for each token it was allowed before it is stopped.
const MOST_BYTES: usize = 32;
/// Room for the words around the conversation.
const OVERHEAD: u64 = 2_000;

/// A model that can summarize.
pub(super) struct Candidate {
    pub(super) model: Arc<omp_llm::Model>,
    served: Arc<dyn Model>,
    window: u64,
}

impl Candidate {
    /// Tokens of an answer.
    fn room(&self, reserve: u64) -> u64 {
        (reserve * 4 / 5).min(u64::from(self.model.max_tokens)).min(self.window / 4).max(256)
    }

    /// Tokens of a conversation that it can be given.
    fn budget(&self, reserve: u64) -> u64 {
        self.window.saturating_sub(self.room(reserve) + OVERHEAD).max(self.window / 4)
    }
}

/// Asks the candidates. It continues with the one that answered last.
pub(super) struct Summarizer<'a> {
    compactor: &'a Compactor,
    candidates: Vec<Candidate>,
    /// The one that is asked now.
    at: usize,
    cancel: CancellationToken,
}

impl<'a> Summarizer<'a> {
    pub(super) fn new(
        compactor: &'a Compactor,
        current: &Arc<omp_llm::Model>,
        cancel: CancellationToken,
    ) -> Self {
        Self { compactor, candidates: compactor.candidates(current), at: 0, cancel }
    }

    /// One text. `make` writes the question for a model that can be given so many tokens.
    pub(super) async fn ask(
        &mut self,
        most: Option<u32>,
        make: impl Fn(u64) -> Request + Send,
    ) -> Result<String, UpkeepError> {
        let policy = self.compactor.policy();
        let mut last = "no model can write a summary: connect one with `omp login`".to_owned();
        if policy.remote && policy.endpoint.is_some() {
            let budget = self.candidates.first().map_or(u64::MAX, |first| first.window);
            match self.compactor.ask_endpoint(&make(budget), &self.cancel).await {
                Ok(text) if !text.trim().is_empty() => return Ok(text.trim().to_owned()),
                Err(failure) if failure.kind == FailureKind::Aborted => return Err(UpkeepError::Aborted),
                // A model can do what the service cannot.
                Ok(_) | Err(_) => {}
            }
        }
        while let Some(candidate) = self.candidates.get(self.at) {
            let reserve = policy.limits.reserve_tokens.max(1);
            let others = self.at + 1 < self.candidates.len();
            let mut budget = candidate.budget(reserve);
            let room = most.unwrap_or_else(|| u32::try_from(candidate.room(reserve)).unwrap_or(u32::MAX));
            for attempt in 0..MOST_ATTEMPTS {
                match question(candidate, make(budget), room, self.cancel.clone()).await {
                    Ok(text) if !text.trim().is_empty() => return Ok(text.trim().to_owned()),
                    Ok(_) => last = format!("{} returned an empty answer", candidate.model.selector()),
                    Err(failure) if failure.kind == FailureKind::Aborted || self.cancel.is_cancelled() => {
                        return Err(UpkeepError::Aborted);
                    }
                    Err(failure) => {
                        last.clone_from(&failure.message);
                        if failure.kind == FailureKind::ContextOverflow {
                            budget /= 2;
                            continue;
                        }
                        match self.compactor.wait_ms(&failure, attempt, others) {
                            Some(wait) => self.compactor.rest(wait, &self.cancel).await?,
                            None => break,
                        }
                    }
                }
            }
            self.at += 1;
        }
        self.at = 0;
        Err(UpkeepError::Failed(last))
    }
}

impl Compactor {
    /// Models that can summarize, each once.
    fn candidates(&self, current: &Arc<omp_llm::Model>) -> Vec<Candidate> {
        let settings = self.settings();
        let of_role = |role: &str| {
            let selector = model_of_role(&settings, role)?;
            self.models.select(selector).ok().map(|selection| Arc::new(selection.model))
        };
        let [first, others @ ..] = ROLES;
        let mut models: Vec<Arc<omp_llm::Model>> = of_role(first).into_iter().collect();
        models.push(Arc::clone(current));
        models.extend(others.iter().filter_map(|role| of_role(role)));
        let mut candidates: Vec<Candidate> = Vec::new();
        // The built-in tour knows nothing but its own story.
        for model in models.into_iter().filter(|model| model.api != Api::Demo) {
            if candidates.iter().any(|candidate| candidate.model.selector() == model.selector()) {
                continue;
            }
            let (served, window) = (self.models.serve(Arc::clone(&model)), self.window(&model));
            candidates.push(Candidate { model, served, window });
        }
        candidates
    }

    /// How long to wait before the same model is asked again; `None` if that is not worth it.
    fn wait_ms(&self, failure: &Failure, attempt: u32, others: bool) -> Option<u64> {
        let worth_it = matches!(failure.kind, FailureKind::Transient | FailureKind::RateLimit);
        if !worth_it || attempt + 1 >= MOST_ATTEMPTS {
            return None;
        }
        let settings = self.settings();
        let base = configure::whole(&settings, keys::RETRY_BASE_DELAY_MS);
        let wait = failure.retry_after_ms.unwrap_or(0).max(base.saturating_mul(1 << attempt));
        let longest = settings.get(keys::RETRY_MAX_DELAY_MS);
        let too_long = longest > 0.0 && wait as f64 > longest;
        let better_elsewhere = others && wait > LONG_WAIT_MS;
        (!too_long && !better_elsewhere).then_some(wait)
    }

    async fn rest(&self, wait: u64, cancel: &CancellationToken) -> Result<(), UpkeepError> {
        let sleep = self.modes.clock.sleep(Duration::from_millis(wait));
        cancel.run_until_cancelled(sleep).await.ok_or(UpkeepError::Aborted)
    }
}

async fn question(
    candidate: &Candidate,
    asked: Request,
    room: u32,
    cancel: CancellationToken,
) -> Result<String, Failure> {
    let request = ModelRequest {
        system: Arc::from([asked.system]),
        messages: vec![Arc::new(Message::user(asked.prompt, 0))],
        options: RequestOptions {
            thinking: candidate.model.clamp_level(ThinkingLevel::Off),
            tool_choice: ToolChoice::Auto,
            max_tokens: Some(room),
            ..RequestOptions::default()
        },
        ..ModelRequest::default()
    };
    let stop = cancel.child_token();
    let mut stream = candidate.served.stream(request, stop.clone());
    let most = usize::try_from(room).unwrap_or(usize::MAX).saturating_mul(MOST_BYTES);
    let mut heard = 0_usize;
    while let Some(batch) = stream.next().await {
        for event in batch {
            match event {
                StreamEvent::TextDelta { delta, .. }
                | StreamEvent::ThinkingDelta { delta, .. }
                | StreamEvent::ToolCallDelta { delta, .. } => heard = heard.saturating_add(delta.len()),
                StreamEvent::Done { message, .. } => {
                    return Ok(message.texts().collect::<Vec<_>>().join("\n"));
                }
                StreamEvent::Error { failure, .. } => return Err(failure),
                _ => {}
            }
        }
        if heard > most {
            // It was told how much to say, and says more and more.
            stop.cancel();
            return Err(failed(
                FailureKind::Fatal,
                format!("{} exceeded the length limit of a summary", candidate.model.selector()),
            ));
        }
    }
    Err(failed(FailureKind::Transient, "the model's answer was cut off".to_owned()))
}

fn failed(kind: FailureKind, message: String) -> Failure {
    Failure { kind, message, status: None, retry_after_ms: None }
}
