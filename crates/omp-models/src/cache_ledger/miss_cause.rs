//! Whether a provider missed its cache, and why.

use omp_types::Usage;

use super::{CacheMiss, LedgerState, MissCause, Ticket};

/// Providers cache in steps, and nothing below so many tokens.
const LEAST: u64 = 1024;
/// Percent of a prompt that may be re-read without being a miss.
const TOLERATED: u64 = 10;

impl LedgerState {
    /// The miss of an answer, if it was one. Only what a provider was seen to cache can be missed.
    pub(super) fn miss(&self, ticket: &Ticket, usage: &Usage) -> Option<CacheMiss> {
        let last = self.last.as_ref()?;
        if !self.caching.contains(&last.selector) {
            return None;
        }
        let prompt = usage.input + usage.cache_read + usage.cache_write;
        let expected = last.prompt.min(prompt);
        let lost = expected.saturating_sub(usage.cache_read);
        if lost < LEAST.max(expected * TOLERATED / 100) {
            return None;
        }
        let paid = if usage.cache_write > 0 { ticket.price.cache_write } else { ticket.price.input };
        let more = (paid - ticket.price.cache_read).max(0.0);
        Some(CacheMiss {
            request: self.report.requests,
            at_ms: ticket.at_ms,
            model: ticket.selector.clone(),
            cause: self.cause(ticket)?,
            tokens: lost,
            cost: lost as f64 * more / 1_000_000.0,
        })
    }

    /// The first thing that changed, in the order in which a request is sent.
    fn cause(&self, ticket: &Ticket) -> Option<MissCause> {
        let last = self.last.as_ref()?;
        let change = ticket.prefix.since(&last.prefix);
        Some(if last.selector != ticket.selector {
            MissCause::Model
        } else if change.system {
            MissCause::SystemPrompt
        } else if change.tools {
            MissCause::Tools
        } else if change.history && self.shortened {
            MissCause::Compaction
        } else if change.history {
            MissCause::History
        } else if change.thinking {
            MissCause::Thinking
        } else if ticket.at_ms.saturating_sub(last.at_ms) > last.lifetime_ms {
            MissCause::Expired
        } else {
            MissCause::Provider
        })
    }
}
