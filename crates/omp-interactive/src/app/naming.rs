//! A name for the session, found beside the first turn.

use omp_sdk::{Prompt, PromptForm};
use tokio_util::sync::CancellationToken;

use super::{App, Task};
use crate::app::shown::Shown;

/// Whether a model is asked for a name.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Titles {
    /// Once, for a session that has none.
    Ask,
    /// The session is called what the user calls it.
    Never,
}

impl Shown {
    /// Whether a model is asked for names of sessions.
    pub(crate) fn set_titles(&mut self, titles: Titles) {
        self.titles = titles;
    }
}

/// Lets a small model name the session after what the user says. The turn does not wait for it.
pub(crate) fn name_session(app: &App, prompt: &Prompt) {
    if app.shown.titles == Titles::Never || prompt.form != PromptForm::Words {
        return;
    }
    let (session, words) = (app.session(), prompt.content.text());
    app.spawn(async move {
        let named = session.side_tasks().title(&words, CancellationToken::new()).await;
        Box::new(move |app: &mut App| {
            if named.is_some() {
                app.set_title();
                app.surface.changed();
            }
        }) as Task
    });
}
