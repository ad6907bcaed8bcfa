//! Quotas for people to read.

use std::collections::BTreeSet;
use std::time::{SystemTime, UNIX_EPOCH};

use jiff::Timestamp;
use jiff::tz::TimeZone;

use super::{PastQuota, QuotaReport, QuotaWindow};

/// The shortest beginning of a name that is shown in its place.
const SHORTEST: usize = 2;

/// What every account has left, account by account.
pub fn quotas_text(reports: &[QuotaReport]) -> String {
    if reports.is_empty() {
        return "No account that reports its quota is logged in (use omp login, or /login in a session)"
            .to_owned();
    }
    let now = SystemTime::now().duration_since(UNIX_EPOCH).unwrap_or_default();
    let now = i64::try_from(now.as_millis()).unwrap_or(i64::MAX);
    let mut lines = Vec::new();
    for report in reports {
        lines.push(format!("{}  {}", report.provider, report.account));
        lines.extend(report.windows.iter().map(|window| line(window, now)));
        lines.extend(report.error.iter().map(|error| format!("  {error}")));
    }
    lines.join("\n")
}

fn line(window: &QuotaWindow, now_ms: i64) -> String {
    let used = format!("  {:<15} {:>5.1} % used", window.name, window.used_percent);
    match window.resets_at.map(|at| at.saturating_sub(now_ms)) {
        Some(left) if left > 0 => format!("{used}, resets in {}", span(left / 1000)),
        _ => used,
    }
}

fn span(seconds: i64) -> String {
    match (seconds / 86_400, seconds / 3600 % 24, seconds / 60 % 60) {
        (0, 0, minutes) => format!("{}m", minutes.max(1)),
        (0, hours, minutes) => format!("{hours}h {minutes}m"),
        (days, hours, _) => format!("{days}d {hours}h"),
    }
}

/// What was known before, line by line.
pub fn past_quotas_text(past: &[PastQuota]) -> String {
    if past.is_empty() {
        return "Nothing is remembered of that time. Every `omp usage` adds to it.".to_owned();
    }
    let line = |row: &PastQuota| {
        let at = Timestamp::from_millisecond(row.at).unwrap_or_default().to_zoned(TimeZone::system());
        let PastQuota { provider, account, window, used_percent, .. } = row;
        format!(
            "{}  {provider}  {account}  {window:<15} {used_percent:>5.1} %",
            at.strftime("%Y-%m-%d %H:%M")
        )
    };
    past.iter().map(line).collect::<Vec<_>>().join("\n")
}

/// Replaces every name by the shortest beginning that tells it from the others.
pub fn redact_accounts<'a>(names: impl Iterator<Item = &'a mut String>) {
    let names: Vec<&mut String> = names.collect();
    let all: BTreeSet<String> = names.iter().map(|name| (**name).clone()).collect();
    for name in names {
        let alone = |length: usize| {
            let beginning: String = name.chars().take(length).collect();
            all.iter().filter(|other| other.starts_with(&beginning)).count() == 1
        };
        let whole = name.chars().count();
        if let Some(length) = (SHORTEST..whole).find(|length| alone(*length)) {
            *name = name.chars().take(length).chain(['…']).collect();
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn names_are_cut_where_they_differ() {
        let mut names: Vec<String> =
            ["me@example.org", "me@example.com", "you@x", "you@x", "a"].map(str::to_owned).to_vec();
        redact_accounts(names.iter_mut());
        assert_eq!(names, ["me@example.o…", "me@example.c…", "yo…", "yo…", "a"]);
    }

    #[test]
    fn time_is_short() {
        assert_eq!([span(5), span(3700), span(200_000)], ["1m", "1h 1m", "2d 7h"]);
    }
}
