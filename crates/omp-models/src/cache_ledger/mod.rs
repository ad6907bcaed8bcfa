//! What the provider's prompt cache saves and what its misses cost.
//!
//! Every request of the conversation is hashed in parts ([`prefix`]). When the answer says that less was read from the cache
//! than the request before had put there, the difference is a miss: it gets the first part that changed as its cause
//! ([`miss_cause`]) and a price from the catalogue. [`watched_model`] stands between the loop and the model and sees both.

mod miss_cause;
mod prefix;
mod watched_model;

use std::collections::{BTreeSet, VecDeque};
use std::sync::{Arc, Mutex, MutexGuard, PoisonError};

use omp_agent::Clock;
use omp_types::{CacheRetention, Cost, ModelRequest, Usage};

use prefix::Prefix;
pub use watched_model::WatchedModel;

/// Misses that are remembered one by one; the totals count all.
const REMEMBERED: usize = 50;
/// How long providers keep a prompt, in milliseconds.
const SHORT_LIFETIME: u64 = 5 * 60 * 1000;
const LONG_LIFETIME: u64 = 60 * 60 * 1000;

/// Why a provider read a prompt again.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord)]
pub enum MissCause {
    /// Another model answers.
    Model,
    /// The system prompt is another one.
    SystemPrompt,
    /// Other tools are offered, or the same in another order.
    Tools,
    /// The conversation was made shorter.
    Compaction,
    /// Something before the end of the conversation changed: results were blanked, or it continues from an earlier place.
    History,
    /// The model thinks more or less than before.
    Thinking,
    /// The provider had forgotten the prompt.
    Expired,
    /// Nothing changed here: the provider dropped it.
    Provider,
}

impl MissCause {
    /// Every cause.
    pub const ALL: [Self; 8] = [
        Self::Model,
        Self::SystemPrompt,
        Self::Tools,
        Self::Compaction,
        Self::History,
        Self::Thinking,
        Self::Expired,
        Self::Provider,
    ];

    /// The cause in a few words.
    pub fn words(self) -> &'static str {
        match self {
            Self::Model => "the model changed",
            Self::SystemPrompt => "the system prompt changed",
            Self::Tools => "the tool list changed",
            Self::Compaction => "the conversation was compacted",
            Self::History => "earlier messages changed",
            Self::Thinking => "the thinking level changed",
            Self::Expired => "the provider's cache had expired",
            Self::Provider => "the provider dropped it",
        }
    }
}

/// A prompt that the provider re-read.
#[derive(Clone, Debug, PartialEq)]
pub struct CacheMiss {
    /// The request it happened with, counted from one.
    pub request: u64,
    /// When, in milliseconds since 1970.
    pub at_ms: u64,
    /// The model, as `provider/id`.
    pub model: String,
    /// Why.
    pub cause: MissCause,
    /// Tokens that were re-read.
    pub tokens: u64,
    /// What they cost more than from the cache.
    pub cost: f64,
}

/// What misses of one cause came to.
#[derive(Clone, Copy, Debug, PartialEq)]
pub struct CauseTotal {
    /// Why.
    pub cause: MissCause,
    /// How often.
    pub misses: u64,
    /// Tokens that were re-read.
    pub tokens: u64,
    /// What they cost more than from the cache.
    pub cost: f64,
}

/// The cache since the session was opened.
#[derive(Clone, Debug, Default, PartialEq)]
pub struct CacheReport {
    /// Requests that were answered.
    pub requests: u64,
    /// Tokens that came from the cache.
    pub read: u64,
    /// Tokens that went into it.
    pub written: u64,
    /// Tokens that had nothing to do with it.
    pub fresh: u64,
    /// What reading from the cache saved.
    pub saved: f64,
    /// Tokens that were re-read.
    pub missed: u64,
    /// What those cost more.
    pub missed_cost: f64,
    /// The same by cause, only causes that there were.
    pub causes: Vec<CauseTotal>,
    /// The newest misses, the oldest first.
    pub misses: Vec<CacheMiss>,
}

/// A prompt that the provider still has.
#[derive(Clone, Debug, PartialEq)]
pub struct CacheAtStake {
    /// The model that has it.
    pub model: String,
    /// Tokens of the prompt.
    pub tokens: u64,
}

impl CacheAtStake {
    /// What a switch to another model costs, for the person who is about to do it.
    pub fn warning(&self, to: &omp_llm::Model) -> String {
        let rate = if to.cost.cache_write > 0.0 { to.cost.cache_write } else { to.cost.input };
        let cost = self.tokens as f64 * rate / 1_000_000.0;
        let price = if cost > 0.0 { format!(", about ${cost:.3}") } else { String::new() };
        format!(
            "{} has {} tokens of this conversation cached; switching re-sends them to {}{price}",
            self.model,
            self.tokens,
            to.selector()
        )
    }
}

/// Watches the cache of one session.
pub struct CacheLedger {
    clock: Arc<dyn Clock>,
    state: Mutex<LedgerState>,
}

#[derive(Default)]
struct LedgerState {
    report: CacheReport,
    last: Option<Sent>,
    /// The conversation was made shorter since the last request.
    shortened: bool,
    /// Models whose provider was seen to cache.
    caching: BTreeSet<String>,
    misses: VecDeque<CacheMiss>,
    totals: [(u64, u64, f64); MissCause::ALL.len()],
}

/// A request that was answered.
struct Sent {
    selector: String,
    prefix: Prefix,
    at_ms: u64,
    /// Tokens of the prompt, as the provider counted them.
    prompt: u64,
    lifetime_ms: u64,
}

/// A request that is under way.
struct Ticket {
    selector: String,
    prefix: Prefix,
    price: Cost,
    at_ms: u64,
    lifetime_ms: u64,
}

impl CacheLedger {
    /// A ledger with nothing in it.
    pub fn new(clock: Arc<dyn Clock>) -> Self {
        Self { clock, state: Mutex::default() }
    }

    fn lock(&self) -> MutexGuard<'_, LedgerState> {
        // Valid after every statement, so a panic elsewhere does not spoil it.
        self.state.lock().unwrap_or_else(PoisonError::into_inner)
    }

    /// A request goes out.
    fn sent(&self, request: &ModelRequest, model: &omp_llm::Model) -> Ticket {
        let prefix = Prefix::of(request, self.lock().last.as_ref().map(|last| &last.prefix));
        let lifetime_ms = match request.options.cache_retention {
            Some(CacheRetention::Long) => LONG_LIFETIME,
            _ => SHORT_LIFETIME,
        };
        let at_ms = self.clock.now_ms();
        Ticket { selector: model.selector(), prefix, price: model.cost, at_ms, lifetime_ms }
    }

    /// Its answer is there.
    fn answered(&self, ticket: Ticket, usage: &Usage) {
        let prompt = usage.input + usage.cache_read + usage.cache_write;
        if prompt == 0 {
            return;
        }
        let mut state = self.lock();
        state.count(&ticket, usage);
        if let Some(miss) = state.miss(&ticket, usage) {
            state.remember(miss);
        }
        state.shortened = false;
        let Ticket { selector, prefix, lifetime_ms, .. } = ticket;
        state.last = Some(Sent { selector, prefix, at_ms: self.clock.now_ms(), prompt, lifetime_ms });
    }

    /// The conversation is another one from here on.
    pub fn shortened(&self) {
        self.lock().shortened = true;
    }

    /// What the cache saved and missed so far.
    pub fn report(&self) -> CacheReport {
        let state = self.lock();
        let totals = MissCause::ALL.into_iter().zip(state.totals);
        let total = |(cause, (misses, tokens, cost))| CauseTotal { cause, misses, tokens, cost };
        CacheReport {
            causes: totals.map(total).filter(|total| total.misses > 0).collect(),
            misses: state.misses.iter().cloned().collect(),
            ..state.report.clone()
        }
    }

    /// Tokens that were re-read so far.
    pub fn missed(&self) -> u64 {
        self.lock().report.missed
    }

    /// The prompt that the provider has now, as far as anybody knows.
    pub fn at_stake(&self) -> Option<CacheAtStake> {
        let state = self.lock();
        let last = state.last.as_ref()?;
        let fresh = self.clock.now_ms().saturating_sub(last.at_ms) <= last.lifetime_ms;
        (fresh && state.caching.contains(&last.selector))
            .then(|| CacheAtStake { model: last.selector.clone(), tokens: last.prompt })
    }
}

impl LedgerState {
    fn count(&mut self, ticket: &Ticket, usage: &Usage) {
        if usage.cache_read > 0 || usage.cache_write > 0 {
            self.caching.insert(ticket.selector.clone());
        }
        let report = &mut self.report;
        report.requests += 1;
        report.read += usage.cache_read;
        report.written += usage.cache_write;
        report.fresh += usage.input;
        let won = (ticket.price.input - ticket.price.cache_read).max(0.0);
        report.saved += usage.cache_read as f64 * won / 1_000_000.0;
    }

    fn remember(&mut self, miss: CacheMiss) {
        self.report.missed += miss.tokens;
        self.report.missed_cost += miss.cost;
        if let Some(at) = MissCause::ALL.iter().position(|cause| *cause == miss.cause)
            && let Some((misses, tokens, cost)) = self.totals.get_mut(at)
        {
            *misses += 1;
            *tokens += miss.tokens;
            *cost += miss.cost;
        }
        self.misses.push_back(miss);
        if self.misses.len() > REMEMBERED {
            self.misses.pop_front();
        }
    }
}

#[cfg(test)]
mod tests;
