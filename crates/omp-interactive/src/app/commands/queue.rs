//! `/queue` and `/clear`.

use omp_editor::decide::Queue;
use omp_sdk::Prompt;
use omp_theme::Token;
use omp_types::UserContent;

use crate::app::switching;
use crate::app::{App, Task};

/// `/queue <message>`: said when the turn is over; at once if there is none.
pub(crate) fn queue(app: &mut App, message: &str) {
    if message.is_empty() {
        app.hint(Token::Warning, "Usage: /queue <message>");
    } else if app.turn.run.is_none() {
        app.prompt(Prompt::text(message));
    } else {
        app.queue_words(Queue::FollowUp, UserContent::Text(message.to_owned()));
    }
}

/// `/clear`: the same session, with an empty context. What was said stays in its tree.
pub(crate) fn clear_context(app: &mut App) {
    if app.turn.run.is_some() {
        app.busy();
        return;
    }
    let session = app.session();
    app.spawn(async move {
        let cleared = session.context().clear().await;
        Box::new(move |app: &mut App| match cleared {
            Ok(()) => switching::arrive(app, &[], "Context cleared. /tree returns to earlier messages."),
            Err(error) => app.complain(&error.to_string()),
        }) as Task
    });
}
