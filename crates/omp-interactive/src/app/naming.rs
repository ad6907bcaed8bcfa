//! A name for the session, found beside the first turn.

use omp_sdk::{Prompt, PromptForm};
use tokio_util::sync::CancellationToken;

use super::{App, Task};

/// Whether a model is asked for a name.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Titles {
    /// Once, for a session that has none.
    Ask,
    /// The session is called what the user calls it.
    Never,
}

impl App {
    /// Whether a model is asked for names of sessions.
    pub(crate) fn set_titles(&mut self, titles: Titles) {
        self.shown.titles = titles;
    }

    /// Lets a small model name the session after what the user says. The turn does not wait for it.
    pub(super) fn name_session(&self, prompt: &Prompt) {
        if self.shown.titles == Titles::Never || prompt.form != PromptForm::Words {
            return;
        }
        let (session, words) = (self.session(), prompt.content.text());
        self.spawn(async move {
            let named = session.name_after(&words, CancellationToken::new()).await;
            Box::new(move |app: &mut Self| {
                if named.is_some() {
                    app.set_title();
                    app.changed();
                }
            }) as Task
        });
    }
}
