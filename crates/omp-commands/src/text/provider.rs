//! What goes to the provider: the model, the tier, the name of the conversation, a copy of a request.

use std::path::PathBuf;
use std::sync::Arc;

use omp_sdk::{ChoiceError, Session, SessionError};

use super::{BUSY, blocking, first_word, unquoted};
use crate::answer::Answer;

/// `/model [id]`, without a screen
pub(crate) async fn model(session: &Session, selector: &str) -> Answer {
    if selector.is_empty() {
        return Answer::Text(format!("Current model: {}", session.model_selector()));
    }
    let warning = session
        .prompt_cache()
        .switch_warning(selector)
        .await
        .map(|warning| warning + "\n")
        .unwrap_or_default();
    match session.models().assign_role("default", selector).await {
        Ok(()) => Answer::Changed(format!("{warning}Switched to {}", session.model_selector())),
        Err(SessionError::Model(ChoiceError::Unavailable { source, .. })) => {
            Answer::refused(format!("unknown model \"{selector}\": {source}"))
        }
        Err(error) => Answer::refused(error),
    }
}

/// `/fast [on|off|status]`
pub(crate) fn fast(session: &Session, arguments: &str) -> Answer {
    let fast = match arguments {
        "" => !session.models().is_fast(),
        "on" => true,
        "off" => false,
        "status" => {
            let state = if session.models().is_fast() { "on" } else { "off" };
            return Answer::Text(format!("Fast mode {state}"));
        }
        _ => return Answer::refused("Usage: /fast [on|off|status]"),
    };
    if fast != session.models().is_fast() {
        session.models().set_fast(fast);
    }
    Answer::Changed(match fast {
        true => "Fast mode on: requests use the priority tier, which costs more".to_owned(),
        false => "Fast mode off".to_owned(),
    })
}

/// `/fresh`
pub(crate) async fn fresh(session: &Session) -> Answer {
    if session.control().is_running() {
        return Answer::refused(BUSY);
    }
    let closed = session.prompt_cache().reset().await;
    let states = if closed == 1 { "state" } else { "states" };
    Answer::Text(format!(
        "Provider state reset ({closed} provider {states} pruned); the conversation is unchanged"
    ))
}

/// `/debug dump-next-request <path>`
pub(crate) async fn debug(session: &Arc<Session>, arguments: &str) -> Answer {
    let path = match first_word(arguments) {
        ("", _) => return Answer::Screen,
        ("dump-next-request", path) if !path.is_empty() => PathBuf::from(unquoted(path)),
        _ => return Answer::refused("Usage: /debug [dump-next-request <path>]"),
    };
    let session = Arc::clone(session);
    blocking(move || match session.copy_next_request(&path) {
        Ok(path) => Answer::Text(format!("The next model request will be written to {}", path.display())),
        Err(error) => {
            Answer::refused(format!("cannot write {}: {error}; choose another file", path.display()))
        }
    })
    .await
}
