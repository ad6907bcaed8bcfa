//! `/queue` and `/clear`.

use omp_sdk::Prompt;
use omp_theme::Token;
use omp_types::UserContent;

use crate::app::{App, Task};

impl App {
    /// `/queue <message>`: said when the turn is over; at once if there is none.
    pub(in crate::app) fn queue(&mut self, message: &str) {
        if message.is_empty() {
            self.hint(Token::Warning, "Usage: /queue <message>");
        } else if self.turn.run.is_none() {
            self.prompt(Prompt::text(message));
        } else {
            self.session().control().follow_up(UserContent::Text(message.to_owned()));
            self.changed();
        }
    }

    /// `/clear`: the same session, with an empty context. What was said stays in its tree.
    pub(in crate::app) fn clear_context(&mut self) {
        if self.turn.run.is_some() {
            self.busy();
            return;
        }
        let session = self.session();
        self.spawn(async move {
            let cleared = session.clear_context().await;
            Box::new(move |app: &mut Self| match cleared {
                Ok(()) => app.arrive(&[], "Context cleared. /tree returns to earlier messages."),
                Err(error) => app.complain(&error.to_string()),
            }) as Task
        });
    }
}
