//! A plan in front of a person, and what makes the model carry it out.

use omp_agent::Prompt;
use omp_session::{CopyError, Custom, EntryKind, SharedWriter, TitleSource, humanize_title};
use serde_json::json;

use crate::plan::SubmittedPlan;

const EXECUTE: &str = include_str!("../prompts/plan-execute.md");
/// Percent of a window above which a conversation cannot be kept.
const FULL: u64 = 95;

/// A plan as a person reviews it.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct PlanReview {
    /// Its title.
    pub title: String,
    /// The file that the plan is in.
    pub url: String,
    /// What it says.
    pub text: String,
    /// What can be decided, in the order to show it.
    pub choices: Vec<PlanChoice>,
}

/// One of the decisions that are offered.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct PlanChoice {
    /// What the choice is called.
    pub label: String,
    /// A choice that is shown but cannot be taken now.
    pub enabled: bool,
    /// What follows from it.
    pub verdict: PlanVerdict,
}

/// What becomes of a plan.
#[derive(Clone, Debug, PartialEq, Eq)]
pub enum PlanVerdict {
    /// Approved, and carried out in a new session that has a copy of it.
    Execute,
    /// Approved, and carried out in this conversation once it is shorter.
    CompactContext,
    /// Approved, and carried out in this conversation.
    KeepContext,
    /// Not yet: the model keeps planning, with these words if there are any.
    Refine(Option<String>),
}

impl PlanReview {
    /// A plan with its choices, in a conversation that has used so much of a window.
    pub fn new(plan: SubmittedPlan, used: u64, window: u64) -> Self {
        let SubmittedPlan { title, url, text } = plan;
        let choice = |label: String, enabled, verdict| PlanChoice { label, enabled, verdict };
        let keep = format!("Approve and keep context (~{} / {})", thousands(used), thousands(window));
        let choices = vec![
            choice("Approve and execute".to_owned(), true, PlanVerdict::Execute),
            choice("Approve and compact context".to_owned(), true, PlanVerdict::CompactContext),
            choice(keep, fits(used, window), PlanVerdict::KeepContext),
            choice("Refine plan".to_owned(), true, PlanVerdict::Refine(None)),
        ];
        Self { title, url, text, choices }
    }
}

/// The session goes by the name of its plan, unless it has one. The plan is pinned as what it works by.
pub fn name_after_plan(record: &SharedWriter, plan: &SubmittedPlan) -> Result<(), CopyError> {
    let mut writer = record.lock();
    let data = Some(json!({ "title": plan.title, "planFile": plan.url }));
    writer.append(EntryKind::Custom(Custom { custom_type: omp_session::PLAN_APPROVED.to_owned(), data }));
    match humanize_title(&plan.title).filter(|_| writer.header().title.is_none()) {
        Some(name) => writer.set_title(&name, TitleSource::Auto).map(|_| ()),
        None => Ok(()),
    }
}

/// What makes the model carry out the plan.
pub fn execute_plan(plan: &SubmittedPlan) -> Prompt {
    Prompt::hidden("plan-execute", execute_plan_note(plan))
}

/// The same as text, for words of the user that set it going later.
pub fn execute_plan_note(plan: &SubmittedPlan) -> String {
    // The plan must not end the tag around it.
    let text = plan.text.trim().replace("</plan>", "<\\/plan>");
    EXECUTE.trim_end().replace("{{file}}", &plan.url).replace("{{plan}}", &text)
}

/// Does a conversation leave room for a plan to be carried out in it?
pub fn fits(used: u64, window: u64) -> bool {
    used.saturating_mul(100) <= window.saturating_mul(FULL)
}

fn thousands(tokens: u64) -> String {
    match tokens {
        0..1_000 => tokens.to_string(),
        1_000..1_000_000 => format!("{}K", tokens / 1_000),
        _ => format!("{:.1}M", tokens as f64 / 1_000_000.0),
    }
}
