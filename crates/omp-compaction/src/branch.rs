//! The summary of a branch that is left behind.

use omp_session::{Entry, EntryKind};
use serde_json::Value;

use crate::files::FileActivity;
use crate::plan::Piece;
use crate::prompts::bare;

const PREAMBLE: &str = include_str!("../prompts/branch-preamble.md");
/// A summary may still be taken when the budget is nearly used up: up to this share of it.
const EDGE: f64 = 0.9;

/// What of a branch is summarized.
#[derive(Clone, Debug, Default)]
pub struct BranchPlan {
    /// The newest messages that fit, the oldest of them first.
    pub pieces: Vec<Piece>,
    /// Files of the whole branch.
    pub files: FileActivity,
}

impl BranchPlan {
    /// Plans the summary of the entries that are left, the oldest first, within so many tokens.
    pub fn new(abandoned: &[&Entry], tokens: u64) -> Self {
        let mut plan = Self::default();
        for entry in abandoned {
            match &entry.kind {
                EntryKind::Message(entry) => plan.files.add(std::iter::once(&*entry.message)),
                EntryKind::BranchSummary(branch) => plan.files.add_branch(branch),
                _ => {}
            }
        }
        let mut used = 0;
        for entry in abandoned.iter().rev() {
            let Some(message) = entry.spoken_anywhere() else { continue };
            let size = omp_tokens::message(&message);
            if used + size > tokens {
                let summary = matches!(entry.kind, EntryKind::BranchSummary(_) | EntryKind::Compaction(_));
                if summary && (used as f64) < tokens as f64 * EDGE {
                    plan.pieces.push(Piece { id: entry.id.clone(), message });
                }
                break;
            }
            used += size;
            plan.pieces.push(Piece { id: entry.id.clone(), message });
        }
        plan.pieces.reverse();
        plan
    }
}

/// The text of the entry, and its details.
pub fn branch_summary(plan: &BranchPlan, words: &str) -> (String, Value) {
    let parts = [PREAMBLE.trim().to_owned(), bare(words), plan.files.block()];
    let text = parts.iter().filter(|part| !part.is_empty()).cloned().collect::<Vec<_>>().join("\n\n");
    (text, Value::Object(plan.files.details()))
}
