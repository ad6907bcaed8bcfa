//! Messages of a conversation, and what stands between them.

mod notice;
mod said;
mod text;
mod turn;

pub use notice::{Level, branch, compaction, facts, notice, queued, retries_ended, rule};
pub use said::{
    annotation, custom, image, image_row, thinking_hidden, thinking_labelled, thought_hidden, user, user_with,
};
pub use text::{TextKind, TextView};
pub use turn::{TurnEnding, turn_summary};

#[cfg(test)]
mod tests;
