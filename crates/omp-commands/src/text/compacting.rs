//! `/compact` where there is no screen.

use omp_sdk::Session;
use tokio_util::sync::CancellationToken;

use crate::answer::Answer;

/// Sums the conversation up and says what that saved.
pub(crate) async fn compact(session: &Session, focus: &str) -> Answer {
    match session.context().compact(Some(focus), CancellationToken::new()).await {
        Ok(compacted) => match compacted.result {
            Some(result) => {
                let (before, after) = (result.tokens_before, result.tokens_after);
                let saved = before.saturating_sub(after);
                Answer::Text(format!("Compacted from {before} to {after} tokens ({saved} saved)"))
            }
            None => Answer::Text("Conversation compacted".to_owned()),
        },
        Err(error) => Answer::refused(error),
    }
}
