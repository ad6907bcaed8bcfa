//! A summary that needs no model: for a conversation that has to become shorter at once and whose summary failed.

use crate::plan::Plan;
use crate::serialize::{fitting, within};

const HEAD: &str = include_str!("../prompts/digest.md");

/// Sums the plan's messages up without a model, in about so many tokens: what an earlier summary said, then what was
/// said since with most of the tools' output left out. The same messages always give the same text.
pub fn digest(plan: &Plan, tokens: u64) -> String {
    let pieces: Vec<_> = plan.dropped().cloned().collect();
    let earlier = plan.previous.as_ref().map(|previous| crate::prompts::bare(&previous.summary));
    let share = tokens / 3;
    let earlier = earlier.map(|text| within(&text, share)).filter(|text| !text.is_empty());
    let recent = fitting(&pieces, tokens.saturating_sub(share));
    let mut parts = vec![HEAD.trim().to_owned()];
    parts.extend(earlier.map(|text| format!("## Before\n\n{text}")));
    parts.push(format!("## Since then\n\n{recent}"));
    parts.join("\n\n")
}
