//! Commands that are answered without a screen, and what the screen makes of the answer.

use std::sync::Arc;

use omp_commands::{Answer, Call, Desk, named};
use omp_sdk::{Arrival, PageTheme, Prompt};
use omp_theme::Token;
use omp_view::message::Level;

use crate::app::{App, Task};

impl App {
    /// Has a command answered beside the interface.
    pub(in crate::app) fn answer(&mut self, name: &'static str, arguments: &str) {
        let Some(command) = named(name) else { return };
        let (mut desk, arguments) = (self.desk(), arguments.to_owned());
        let session = self.session();
        self.spawn(async move {
            if name == "export" {
                let theme = move || crate::page_theme(session.directories(), &session.settings());
                desk.theme = tokio::task::spawn_blocking(theme).await.unwrap_or_default();
            }
            let answer = omp_commands::answer(&desk, &Call { command, arguments: &arguments }).await;
            Box::new(move |app: &mut Self| app.show_answer(name, answer)) as Task
        });
    }

    /// What commands are answered with. Pages have their usual colours.
    pub(super) fn desk(&self) -> Desk {
        Desk { host: Arc::clone(&self.shown.host), theme: PageTheme::default() }
    }

    /// Shows what came of a command.
    pub(super) fn show_answer(&mut self, name: &'static str, answer: Answer) {
        match answer {
            Answer::Text(text) if name == "changelog" => {
                self.show_rows(move |look| omp_view::markdown::render(look, &text));
            }
            Answer::Text(text) => self.say(Level::Info, &text),
            Answer::Table(columns) => self.table(&columns.title, columns.rows),
            Answer::Copy(text) => self.copy(&text),
            Answer::Page(path) => {
                let opened = if self.session().show_file(&path) { " and opened" } else { "" };
                self.say(Level::Info, &format!("Exported to {}{opened}", path.display()));
            }
            Answer::Prompt(prompt) => self.prompt(Prompt::text(prompt)),
            Answer::Changed(text) => {
                self.say(Level::Info, &text);
                self.look_around();
                self.set_title();
                self.refresh();
            }
            Answer::Arrived(arrival, text) => self.arrived(arrival, text),
            Answer::Refused(text) if text.contains('\n') => self.say(Level::Warning, &text),
            Answer::Refused(text) => self.hint(Token::Warning, text),
            Answer::Screen => {
                self.hint(Token::Warning, format!("/{name} is not available in the terminal yet."));
            }
        }
    }

    /// Shows the session that took the place of the one before.
    pub(super) fn arrived(&mut self, arrival: Arrival, done: String) {
        let session = self.session();
        self.spawn(async move {
            let messages = session.transcript().await;
            Box::new(move |app: &mut Self| {
                app.leave_run();
                app.arrive(&messages, &done);
                arrival.remarks.iter().for_each(|remark| app.say(Level::Warning, remark));
                if let Some(prompt) = arrival.prompt {
                    app.set_text(&prompt);
                }
            }) as Task
        });
    }
}
