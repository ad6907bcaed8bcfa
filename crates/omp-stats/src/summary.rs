//! What the requests add up to.

use rusqlite::Row;
use serde::Serialize;

use crate::store::{StatsError, Store};

/// Sums over requests.
#[derive(Clone, Debug, Default, PartialEq, Serialize)]
#[serde(rename_all = "camelCase")]
pub struct Totals {
    /// Answers that were asked for.
    pub requests: u64,
    /// Those that failed.
    pub errors: u64,
    /// Those that somebody stopped.
    pub aborted: u64,
    /// Conversations they belong to.
    pub sessions: u64,
    /// Tokens that the models read, without those from a cache.
    pub input_tokens: u64,
    /// Tokens that the models wrote.
    pub output_tokens: u64,
    /// Tokens that came from a provider's cache.
    pub cache_read_tokens: u64,
    /// Tokens that were put into a provider's cache.
    pub cache_write_tokens: u64,
    /// The share of what was read that came from a cache, from 0 to 1.
    pub cache_rate: f64,
    /// Money, as the price lists of the models have it.
    pub cost: f64,
    /// How long the models took, in milliseconds.
    pub duration_ms: u64,
    /// The same for one answer.
    pub average_duration_ms: u64,
}

impl Totals {
    fn read(row: &Row<'_>) -> rusqlite::Result<Self> {
        let count = |index: usize| row.get::<_, i64>(index).map(|count| u64::try_from(count).unwrap_or(0));
        let [input, read, write] = [count(4)?, count(6)?, count(7)?];
        let (duration, timed) = (count(9)?, count(10)?);
        let offered = input + read + write;
        Ok(Self {
            requests: count(0)?,
            errors: count(1)?,
            aborted: count(2)?,
            sessions: count(3)?,
            input_tokens: input,
            output_tokens: count(5)?,
            cache_read_tokens: read,
            cache_write_tokens: write,
            cache_rate: if offered == 0 { 0.0 } else { read as f64 / offered as f64 },
            cost: row.get(8)?,
            duration_ms: duration,
            average_duration_ms: duration.checked_div(timed).unwrap_or(0),
        })
    }
}

/// Sums over requests that have something in common.
#[derive(Clone, Debug, PartialEq, Serialize)]
pub struct Group {
    /// What they have in common: `provider/model`, a directory, or a day as `2026-01-31`.
    pub name: String,
    /// Their sums.
    #[serde(flatten)]
    pub totals: Totals,
}

/// Everything that the statistics say.
#[derive(Clone, Debug, Default, PartialEq, Serialize)]
pub struct Summary {
    /// All requests.
    pub total: Totals,
    /// Those of them that were made beside conversations: summaries, names, questions on the side.
    pub side: Totals,
    /// By model, the most expensive first.
    pub models: Vec<Group>,
    /// By the directory of the session, the most expensive first.
    pub projects: Vec<Group>,
    /// By day in the time zone of this machine, the oldest first.
    pub days: Vec<Group>,
}

const SUMS: &str = "COUNT(*), COALESCE(SUM(stop = 'error'), 0), COALESCE(SUM(stop = 'aborted'), 0), \
                    COUNT(DISTINCT session), COALESCE(SUM(input), 0), COALESCE(SUM(output), 0), \
                    COALESCE(SUM(cache_read), 0), COALESCE(SUM(cache_write), 0), COALESCE(SUM(cost), 0.0), \
                    COALESCE(SUM(duration), 0), COUNT(duration)";

const BY_COST: &str = "9 DESC, 1 DESC, name";

impl Store {
    /// Adds everything up.
    pub fn summary(&self) -> Result<Summary, StatsError> {
        let summary = || {
            let sql = format!("SELECT {SUMS} FROM requests");
            let total = self.connection.query_row(&sql, [], Totals::read)?;
            let sql = format!("SELECT {SUMS} FROM requests WHERE side");
            let side = self.connection.query_row(&sql, [], Totals::read)?;
            Ok(Summary {
                total,
                side,
                models: self.groups("provider || '/' || model", BY_COST)?,
                projects: self.groups("project", BY_COST)?,
                days: self.groups("date(at / 1000, 'unixepoch', 'localtime')", "name")?,
            })
        };
        summary().map_err(|error| self.failed(&error))
    }

    /// Sums of groups, by an expression of ours.
    fn groups(&self, by: &'static str, order: &'static str) -> rusqlite::Result<Vec<Group>> {
        let sql = format!("SELECT {SUMS}, {by} AS name FROM requests GROUP BY name ORDER BY {order}");
        let group = |row: &Row<'_>| {
            let name = row.get::<_, Option<String>>(11)?.unwrap_or_default();
            Ok(Group { name, totals: Totals::read(row)? })
        };
        self.connection.prepare(&sql)?.query_map([], group)?.collect()
    }
}
