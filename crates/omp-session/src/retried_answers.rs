//! Answers that broke off and were asked for again.
//!
//! They stay in the file, because they were seen and paid for. The model is told the answer that followed and nothing
//! of its beginnings, as in the conversation while it ran.

use omp_types::StopReason;

use crate::entry::Entry;

/// Does the entry hold an answer that broke off, with another answer right behind it? Whatever a person says in between
/// makes the broken one part of the conversation.
pub fn is_repeated(path: &[&Entry], at: usize) -> bool {
    let answer = path[at].message().and_then(|message| message.as_assistant());
    let broken =
        answer.is_some_and(|answer| matches!(answer.stop_reason, StopReason::Error | StopReason::Aborted));
    let next = || path[at + 1..].iter().find_map(|entry| entry.spoken());
    broken && next().is_some_and(|next| next.as_assistant().is_some())
}
