//! Commands about the conversation as a text.

use std::path::PathBuf;

use omp_sdk::{DumpForm, SavedSessions};
use omp_theme::Token;
use omp_view::message::Level;

use crate::app::{App, Task};

impl App {
    pub(in crate::app) fn rename(&mut self, title: &str) {
        if title.is_empty() {
            self.hint(Token::Warning, "Usage: /rename <title>");
            return;
        }
        let renamed = self.session().rename(title);
        match renamed {
            Ok(()) => {
                self.set_title();
                self.hint(Token::Muted, format!("The session is called {title}."));
            }
            Err(error) => self.complain(&error.to_string()),
        }
    }

    pub(in crate::app) fn export(&mut self, path: &str) {
        if ["copy", "--copy", "clipboard"].contains(&path) {
            self.hint(Token::Warning, "/export writes a file; /dump copies the conversation.");
            return;
        }
        let session = self.session();
        let (directories, settings) = (session.directories().clone(), session.settings());
        self.with_saved(path.to_owned(), move |saved, id, path| {
            let target = (!path.is_empty()).then(|| PathBuf::from(path));
            let saved = saved.themed(crate::page_theme(&directories, &settings));
            saved.export(&id, target.as_deref()).map(|path| format!("Exported to {}", path.display()))
        });
    }

    /// Does something with the file of the session, and says what came of it.
    fn with_saved(
        &mut self,
        argument: String,
        work: impl FnOnce(SavedSessions, String, String) -> Result<String, omp_sdk::SavedError> + Send + 'static,
    ) {
        let session = self.session();
        let Some(file) = session.file() else {
            self.hint(Token::Warning, "The session has no messages yet.");
            return;
        };
        let saved = SavedSessions::new(session.directories(), session.session_dir(), &session.cwd());
        let id = file.to_string_lossy().into_owned();
        self.spawn(async move {
            let done = tokio::task::spawn_blocking(move || work(saved, id, argument)).await;
            Box::new(move |app: &mut Self| match done {
                Ok(Ok(text)) => app.say(Level::Info, &text),
                Ok(Err(error)) => app.complain(&error.to_string()),
                Err(_) => app.complain("The work was interrupted."),
            }) as Task
        });
    }

    pub(in crate::app) fn dump(&mut self, form: &str) {
        let session = self.session();
        let Some(file) = session.file() else {
            self.hint(Token::Warning, "No messages to dump yet.");
            return;
        };
        let form = if form == "raw" { DumpForm::Raw } else { DumpForm::Compact };
        let saved = SavedSessions::new(session.directories(), session.session_dir(), &session.cwd());
        self.spawn(async move {
            let done = tokio::task::spawn_blocking(move || {
                let mut text = Vec::new();
                saved.dump(&file.to_string_lossy(), form, &mut text).map(|()| text)
            });
            let done = done.await;
            Box::new(move |app: &mut Self| match done {
                Ok(Ok(text)) => app.copy(&String::from_utf8_lossy(&text)),
                Ok(Err(error)) => app.complain(&error.to_string()),
                Err(_) => app.complain("The work was interrupted."),
            }) as Task
        });
    }

    pub(in crate::app) fn copy_answer(&mut self) {
        let text = self.conversation.last_answer().to_owned();
        match text.is_empty() {
            true => self.hint(Token::Warning, "There is no answer to copy yet."),
            false => self.copy(&text),
        }
    }

    pub(in crate::app) fn force(&mut self, arguments: &str) {
        let (tool, prompt) = arguments.split_once(char::is_whitespace).unwrap_or((arguments, ""));
        if tool.is_empty() {
            self.hint(Token::Warning, "Usage: /force <tool> [prompt]");
            return;
        }
        let (session, tool, prompt) = (self.session(), tool.to_owned(), prompt.trim().to_owned());
        self.spawn(async move {
            let forced = session.force_tool(&tool).await;
            Box::new(move |app: &mut Self| match forced {
                Ok(()) if prompt.is_empty() => {
                    app.hint(Token::Muted, format!("The next turn must call {tool}."));
                }
                Ok(()) => app.prompt(omp_sdk::Prompt::text(prompt)),
                Err(error) => app.complain(&error.to_string()),
            }) as Task
        });
    }
}
