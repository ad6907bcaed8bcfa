//! What the settings say about compaction.

use omp_compaction::{Limits, Stale};
use omp_config::settings::{Settings, keys};
use omp_types::CompactionStrategy;

use crate::configure::whole;

/// The settings of compaction, read when they are needed: a change holds from the next turn on.
#[derive(Clone, Debug)]
pub(crate) struct Policy {
    /// Compaction by itself.
    pub(crate) enabled: bool,
    pub(crate) strategy: CompactionStrategy,
    pub(crate) limits: Limits,
    pub(crate) auto_continue: bool,
    pub(crate) remote: bool,
    /// The service that makes summaries.
    pub(crate) endpoint: Option<String>,
    pub(crate) supersede_reads: bool,
    pub(crate) drop_useless: bool,
    pub(crate) idle: bool,
    pub(crate) idle_tokens: u64,
    pub(crate) idle_seconds: u64,
    pub(crate) branch_reserve: u64,
}

impl Policy {
    pub(crate) fn of(settings: &Settings) -> Self {
        let endpoint = settings.get(keys::COMPACTION_REMOTE_ENDPOINT);
        Self {
            enabled: settings.get(keys::COMPACTION_ENABLED),
            strategy: CompactionStrategy::from_word(settings.get(keys::COMPACTION_STRATEGY))
                .unwrap_or_default(),
            limits: Limits {
                reserve_tokens: whole(settings, keys::COMPACTION_RESERVE_TOKENS),
                keep_recent_tokens: whole(settings, keys::COMPACTION_KEEP_RECENT_TOKENS),
                threshold_percent: settings.get(keys::COMPACTION_THRESHOLD_PERCENT),
                threshold_tokens: settings.get(keys::COMPACTION_THRESHOLD_TOKENS),
            },
            auto_continue: settings.get(keys::COMPACTION_AUTO_CONTINUE),
            remote: settings.get(keys::COMPACTION_REMOTE_ENABLED),
            endpoint: endpoint.map(str::to_owned).filter(|url| !url.trim().is_empty()),
            supersede_reads: settings.get(keys::COMPACTION_SUPERSEDE_READS),
            drop_useless: settings.get(keys::COMPACTION_DROP_USELESS),
            idle: settings.get(keys::COMPACTION_IDLE_ENABLED),
            idle_tokens: whole(settings, keys::COMPACTION_IDLE_THRESHOLD_TOKENS),
            idle_seconds: whole(settings, keys::COMPACTION_IDLE_TIMEOUT_SECONDS),
            branch_reserve: whole(settings, keys::BRANCH_SUMMARY_RESERVE_TOKENS),
        }
    }

    /// Does anything happen by itself?
    pub(crate) fn is_automatic(&self) -> bool {
        self.enabled && self.strategy != CompactionStrategy::Off
    }

    pub(crate) fn stale(&self, cache_is_cold: bool) -> Stale {
        Stale { superseded: self.supersede_reads, useless: self.drop_useless, cache_is_cold }
    }
}
