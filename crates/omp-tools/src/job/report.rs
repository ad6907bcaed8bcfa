//! From jobs to what the model reads.

use omp_jobs::{Cancelled, Snapshot, Status};
use omp_types::ToolOutput;
use serde_json::{Value, json};

use crate::output::MAX_BYTES;

/// The last lines of a running job that are shown, and their bytes.
const TAIL_LINES: usize = 5;
const TAIL_BYTES: usize = 1_000;

/// Jobs at the moment of the answer.
pub(super) struct Report {
    /// Each with whether its text is in the answer.
    jobs: Vec<(Snapshot, Texts)>,
    cancelled: Vec<(String, Cancelled)>,
}

/// Whether the text of a job is shown.
#[derive(Clone, Copy, PartialEq, Eq)]
pub(super) enum Texts {
    Shown,
    /// There was no room.
    LeftOut,
}

impl Report {
    /// Texts are shown as long as they fit into one answer, the first one always.
    pub(super) fn new(jobs: Vec<Snapshot>, cancelled: Vec<(String, Cancelled)>) -> Self {
        let mut bytes = 0;
        let with_texts = |job: Snapshot| {
            let length = [&job.result, &job.error].into_iter().flatten().map(String::len).sum::<usize>();
            let fits = bytes == 0 || bytes + length <= MAX_BYTES;
            bytes += if fits { length } else { 0 };
            (job, if fits { Texts::Shown } else { Texts::LeftOut })
        };
        Self { jobs: jobs.into_iter().map(with_texts).collect(), cancelled }
    }

    /// The ids of ended jobs whose text is in the answer.
    pub(super) fn shown(&self) -> Vec<String> {
        let ended =
            |(job, texts): &&(Snapshot, Texts)| job.status != Status::Running && *texts == Texts::Shown;
        self.jobs.iter().filter(ended).map(|(job, _)| job.id.clone()).collect()
    }

    pub(super) fn into_output(self) -> ToolOutput {
        let mut details = json!({
            "jobs": self.jobs.iter().map(|(job, texts)| item(job, *texts)).collect::<Vec<_>>(),
        });
        if !self.cancelled.is_empty() {
            let item = |(id, outcome): &(String, Cancelled)| json!({ "id": id, "status": outcome.word() });
            details["cancelled"] = self.cancelled.iter().map(item).collect();
        }
        ToolOutput::text(self.text()).with_details(details)
    }

    fn text(&self) -> String {
        let (running, ended): (Vec<_>, Vec<_>) =
            self.jobs.iter().partition(|(job, _)| job.status == Status::Running);
        let cancelled = self.cancelled.iter().map(|(id, outcome)| format!("- {id}: {}", outcome.word()));
        let cancelled: Vec<String> = cancelled.collect();
        let ended: Vec<String> = ended.into_iter().map(|(job, texts)| of_ended(job, *texts)).collect();
        let running: Vec<String> = running.into_iter().map(|(job, _)| of_running(job)).collect();
        let sections = [
            section("Cancelled", "\n", &cancelled),
            section("Completed", "\n\n", &ended),
            section("Still Running", "\n", &running),
        ];
        sections.into_iter().flatten().collect::<Vec<_>>().join("\n\n")
    }
}

fn section(title: &str, between: &str, items: &[String]) -> Option<String> {
    let head = format!("## {title} ({})", items.len());
    (!items.is_empty()).then(|| format!("{head}\n\n{}", items.join(between)))
}

fn of_ended(job: &Snapshot, texts: Texts) -> String {
    let head =
        format!("### {} ({}, {}, {}): {}", job.id, job.kind, job.status.word(), seconds(job), job.label);
    let said: Vec<&str> =
        [&job.result, &job.error].into_iter().flatten().map(|text| text.trim_end()).collect();
    match (texts, said.is_empty()) {
        (_, true) => head,
        (Texts::Shown, false) => format!("{head}\n\n{}", said.join("\n\n")),
        (Texts::LeftOut, false) => {
            format!("{head}\n\n[Output omitted for space: call with `poll: [\"{}\"]`]", job.id)
        }
    }
}

/// With its last lines, indented.
fn of_running(job: &Snapshot) -> String {
    let mut text = format!("- {} ({}, {}): {}", job.id, job.kind, seconds(job), job.label);
    let start = job.progress.ceil_char_boundary(job.progress.len().saturating_sub(TAIL_BYTES));
    let lines: Vec<&str> = job.progress[start..].lines().collect();
    for line in &lines[lines.len().saturating_sub(TAIL_LINES)..] {
        text.push_str("\n  | ");
        text.push_str(line);
    }
    text
}

fn seconds(job: &Snapshot) -> String {
    format!("{:.1} s", job.duration.as_secs_f64())
}

/// A job in `details.jobs`.
pub(super) fn item(job: &Snapshot, texts: Texts) -> Value {
    let mut item = json!({
        "id": job.id,
        "type": job.kind,
        "status": job.status.word(),
        "label": job.label,
        "durationMs": u64::try_from(job.duration.as_millis()).unwrap_or(u64::MAX),
    });
    for (name, text) in [("resultText", &job.result), ("errorText", &job.error)] {
        if let (Some(text), Texts::Shown) = (text, texts) {
            item[name] = Value::String(text.clone());
        }
    }
    item
}
