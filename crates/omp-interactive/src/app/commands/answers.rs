//! Commands that are answered without a screen, and what the screen makes of the answer.

use std::sync::Arc;

use omp_commands::{Answer, Builtin, Call, CommandContext};
use omp_sdk::{Arrival, PageTheme, Prompt};
use omp_theme::Token;
use omp_view::message::Level;

use crate::app::{App, Task};

impl App {
    /// Has a command answered beside the interface.
    pub(in crate::app) fn answer(&mut self, call: Call<'_>) {
        let (context, command, arguments) = (self.command_context(), call.command, call.arguments.to_owned());
        self.spawn(async move {
            let answer = omp_commands::answer(&context, &Call { command, arguments: &arguments }).await;
            Box::new(move |app: &mut Self| app.show_answer(command, answer)) as Task
        });
    }

    /// `/export`: the page has the colours of the screen.
    pub(in crate::app) fn export(&mut self, call: Call<'_>) {
        let (mut context, session) = (self.command_context(), self.session());
        let (command, arguments) = (call.command, call.arguments.to_owned());
        self.spawn(async move {
            let theme = move || crate::page_theme(session.directories(), &session.settings());
            context.theme = tokio::task::spawn_blocking(theme).await.unwrap_or_default();
            let answer = omp_commands::answer(&context, &Call { command, arguments: &arguments }).await;
            Box::new(move |app: &mut Self| app.show_answer(command, answer)) as Task
        });
    }

    /// What commands are answered with. Pages have their usual colours.
    pub(super) fn command_context(&self) -> CommandContext {
        CommandContext { host: Arc::clone(&self.shown.host), theme: PageTheme::default() }
    }

    /// Shows what came of a command.
    pub(super) fn show_answer(&mut self, command: &'static Builtin, answer: Answer) {
        match answer {
            Answer::Markdown(text) => {
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
                self.hint(Token::Warning, command.not_available());
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
