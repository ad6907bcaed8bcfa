//! `omp du` and `omp gc`: the disk space that sessions use, and reclaiming it.

use std::io;
use std::path::PathBuf;
use std::time::Duration;

use omp_cli::CommandCall;
use omp_sdk::SavedSessions;
use omp_sdk::sessions::{Amount, Garbage, GcItem, GcPlan, GcPolicy, GcReport};
use serde_json::{Value, json};

use crate::command_context::CommandContext;
use crate::output::{self, Stream};
use crate::session_command::saved;

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
    let outcome = Outcome { plan, report };
    outcome.warn();
    let printed = match call.values.has("json") {
        true => output::print_json(&outcome.document()),
        false => output::print(Stream::Out, &outcome.text()),
    };
    printed.max(u8::from(!outcome.failed().is_empty()))
}

/// What may go, and what went if it was to.
struct Outcome {
    plan: GcPlan,
    report: Option<GcReport>,
}

impl Outcome {
    fn failed(&self) -> &[(PathBuf, io::Error)] {
        self.report.as_ref().map_or(&[], |report| &report.failed)
    }

    fn warn(&self) {
        for path in &self.plan.unreadable {
            let path = path.display();
            output::warn(&format!("cannot read {path}; keeping all images, since it may use some"));
        }
        for (path, error) in self.failed() {
            output::warn(&format!("cannot remove {}: {error}", path.display()));
        }
    }

    /// How many items, and their bytes: those that went, else those that would.
    fn sum(&self) -> (usize, u64) {
        match &self.report {
            Some(report) => (report.removed, report.bytes),
            None => (self.plan.items.len(), self.plan.bytes()),
        }
    }

    fn document(&self) -> Value {
        let (removed, bytes) = self.sum();
        let item = |item: &GcItem| {
            let reason = word(item.garbage);
            json!({"path": item.path, "reason": reason, "bytes": item.bytes})
        };
        let failed = |(path, error): &(PathBuf, io::Error)| json!({"path": path, "error": error.to_string()});
        json!({
            "applied": self.report.is_some(), "removed": removed, "bytes": bytes,
            "items": self.plan.items.iter().map(item).collect::<Value>(),
            "failed": self.failed().iter().map(failed).collect::<Value>(),
            "unreadable": self.plan.unreadable,
        })
    }

    fn text(&self) -> String {
        let (removed, bytes) = self.sum();
        let items = if removed == 1 { "1 item".to_owned() } else { format!("{removed} items") };
        let size = size(bytes);
        let end = match (&self.report, removed) {
            (_, 0) => "Nothing to remove".to_owned(),
            (Some(_), _) => format!("Removed {items}, freed {size}"),
            (None, _) => {
                format!("Would remove {items} and free {size} (add --apply to remove them)")
            }
        };
        format!("{}{end}\n", list(&self.plan))
    }
}

fn open(call: &CommandCall, profile: Option<&str>) -> Result<SavedSessions, String> {
    saved(call, &CommandContext::here(profile)?)
}

fn policy(call: &CommandCall) -> Result<GcPolicy, String> {
    let number = |name: &str| match call.values.integer(name).map(u64::try_from) {
        Some(Err(_)) => Err(format!("--{name} must not be negative")),
        Some(Ok(number)) => Ok(Some(number)),
        None => Ok(None),
    };
    if call.values.has("apply") && call.values.has("dry-run") {
        return Err("--apply and --dry-run cannot be combined".to_owned());
    }
    Ok(GcPolicy {
        session_age: number("older-than")?.map(|days| Duration::from_secs(days.saturating_mul(DAY))),
        session_bytes: number("max-size")?.map(|size| size.saturating_mul(MEGABYTE)),
        log_bytes: number("max-logs")?.map(|size| size.saturating_mul(MEGABYTE)),
        ..GcPolicy::default()
    })
}

fn word(garbage: Garbage) -> &'static str {
    match garbage {
        Garbage::Blob => "unreferenced image",
        Garbage::Artifacts => "artifacts without a session",
        Garbage::Working => "temporary file",
        Garbage::Session => "session over the limit",
        Garbage::Log => "log over the limit",
    }
}

fn list(plan: &GcPlan) -> String {
    let shown = plan.items.iter().take(MOST_LINES);
    let line = |item: &GcItem| {
        format!("{:>10}  {} ({})\n", size(item.bytes), item.path.display(), word(item.garbage))
    };
    let mut text: String = shown.map(line).collect();
    if plan.items.len() > MOST_LINES {
        text += &format!("… and {} more (--json lists all)\n", plan.items.len() - MOST_LINES);
    }
    output::name(&text)
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
