//! `omp du` and `omp gc`: the room that sessions take, and getting some of it back.

use std::time::Duration;

use omp_cli::CommandCall;
use omp_sdk::SavedSessions;
use omp_sdk::sessions::{Amount, Garbage, GcPlan, GcPolicy};
use serde_json::{Value, json};

use crate::output::{self, Stream};
use crate::session_command::saved;
use crate::world::World;

/// Longer lists of what would go are cut.
const MOST_LINES: usize = 40;
const DAY: u64 = 24 * 3600;
const MEGABYTE: u64 = 1024 * 1024;

pub(crate) fn du(call: &CommandCall, profile: Option<&str>) -> u8 {
    let saved = match open(call, profile) {
        Ok(saved) => saved,
        Err(error) => return output::fail(&error, &[]),
    };
    let usage = saved.usage();
    let parts = [
        ("sessions", usage.sessions),
        ("artifacts", usage.artifacts),
        ("blobs", usage.blobs),
        ("working", usage.working),
        ("logs", usage.logs),
        ("history", usage.history),
        ("total", usage.total()),
    ];
    if call.values.has("json") {
        let amount = |amount: Amount| json!({"files": amount.files, "bytes": amount.bytes});
        let document: serde_json::Map<String, Value> =
            parts.into_iter().map(|(name, part)| (name.to_owned(), amount(part))).collect();
        return output::print_json(&document);
    }
    let line = |(name, part): (&str, Amount)| {
        format!("{name:<10} {:>10} {:>8} files\n", size(part.bytes), part.files)
    };
    output::print(Stream::Out, &parts.into_iter().map(line).collect::<String>())
}

/// Shows what may go; removes it only with `--apply`.
pub(crate) fn gc(call: &CommandCall, profile: Option<&str>) -> u8 {
    let policy = match policy(call) {
        Ok(policy) => policy,
        Err(error) => return output::fail(&error, &[]),
    };
    let saved = match open(call, profile) {
        Ok(saved) => saved,
        Err(error) => return output::fail(&error, &[]),
    };
    let plan = saved.gc_plan(&policy);
    let report = call.values.has("apply").then(|| saved.gc(&plan));
    let failed: Vec<(String, String)> = report.iter().flat_map(|report| &report.failed).map(said).collect();
    for path in &plan.unreadable {
        output::warn(&format!("{} cannot be read, so all images stay: some may be its own.", path.display()));
    }
    for (path, reason) in &failed {
        output::warn(&format!("{path} was not removed: {reason}"));
    }
    let (removed, bytes) = match &report {
        Some(report) => (report.removed, report.bytes),
        None => (plan.items.len(), plan.bytes()),
    };
    let printed = if call.values.has("json") {
        let item = |item: &omp_sdk::sessions::GcItem| json!({"path": item.path, "reason": word(item.garbage), "bytes": item.bytes});
        output::print_json(&json!({
            "applied": report.is_some(), "removed": removed, "bytes": bytes,
            "items": plan.items.iter().map(item).collect::<Value>(),
            "failed": failed.iter().map(|(path, reason)| json!({"path": path, "error": reason})).collect::<Value>(),
            "unreadable": plan.unreadable,
        }))
    } else {
        let mut text = list(&plan);
        text += &match (&report, removed) {
            (_, 0) => "There is nothing to remove.\n".to_owned(),
            (Some(_), _) => format!("Removed {removed} items; {} freed.\n", size(bytes)),
            (None, _) => {
                format!(
                    "Would remove {removed} items and free {}. Nothing was removed; add --apply to do it.\n",
                    size(bytes)
                )
            }
        };
        output::print(Stream::Out, &text)
    };
    printed.max(u8::from(!failed.is_empty()))
}

fn open(call: &CommandCall, profile: Option<&str>) -> Result<SavedSessions, String> {
    saved(call, &World::here(profile)?)
}

fn policy(call: &CommandCall) -> Result<GcPolicy, String> {
    let number = |name: &str| match call.values.integer(name).map(u64::try_from) {
        Some(Err(_)) => Err(format!("--{name} must not be negative")),
        Some(Ok(number)) => Ok(Some(number)),
        None => Ok(None),
    };
    if call.values.has("apply") && call.values.has("dry-run") {
        return Err("--apply removes and --dry-run does not: give one of them".to_owned());
    }
    Ok(GcPolicy {
        session_age: number("older-than")?.map(|days| Duration::from_secs(days.saturating_mul(DAY))),
        session_bytes: number("max-size")?.map(|size| size.saturating_mul(MEGABYTE)),
        log_bytes: number("max-logs")?.map(|size| size.saturating_mul(MEGABYTE)),
        ..GcPolicy::default()
    })
}

fn said((path, error): &(std::path::PathBuf, std::io::Error)) -> (String, String) {
    (path.display().to_string(), error.to_string())
}

fn word(garbage: Garbage) -> &'static str {
    match garbage {
        Garbage::Blob => "image that no session has",
        Garbage::Artifacts => "artifacts without a session",
        Garbage::Working => "left over from work",
        Garbage::Session => "session beyond the limit",
        Garbage::Log => "log beyond the limit",
    }
}

fn list(plan: &GcPlan) -> String {
    let shown = plan.items.iter().take(MOST_LINES);
    let line = |item: &omp_sdk::sessions::GcItem| {
        format!("{:>10}  {} ({})\n", size(item.bytes), item.path.display(), word(item.garbage))
    };
    let mut text: String = shown.map(line).collect();
    if plan.items.len() > MOST_LINES {
        text += &format!("… and {} more; --json lists all.\n", plan.items.len() - MOST_LINES);
    }
    output::sanitize(&text)
}

/// Bytes for people.
fn size(bytes: u64) -> String {
    let units = [("GB", MEGABYTE * 1024), ("MB", MEGABYTE), ("KB", 1024)];
    for (unit, factor) in units {
        if bytes >= factor {
            return format!("{}.{} {unit}", bytes / factor, bytes % factor * 10 / factor);
        }
    }
    format!("{bytes} B")
}

#[cfg(test)]
mod tests {
    use super::size;

    #[test]
    fn sizes_are_readable() {
        let sizes = [0, 1023, 1024, 1536, 5 * 1024 * 1024 - 1, 3 << 30].map(size);
        assert_eq!(sizes, ["0 B", "1023 B", "1.0 KB", "1.5 KB", "4.9 MB", "3.0 GB"]);
    }
}
