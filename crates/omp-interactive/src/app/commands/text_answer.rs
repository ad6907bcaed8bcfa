//! Commands that are answered without a screen, and what the screen makes of the answer.

use std::sync::Arc;

use omp_commands::{Answer, Builtin, Call, CommandContext};
use omp_sdk::{Arrival, PageTheme, Prompt};
use omp_theme::Token;
use omp_view::message::Level;

use crate::app::shown::Shown;
use crate::app::{App, Task};
use crate::app::{attaching, switching};

impl Shown {
    /// What commands are answered with. Pages have their usual colours.
    pub(super) fn command_context(&self) -> CommandContext {
        CommandContext { host: Arc::clone(&self.host), theme: PageTheme::default() }
    }
}

/// Has a command answered beside the interface.
pub(crate) fn answer(app: &mut App, call: Call<'_>) {
    let (context, command, arguments) =
        (app.shown.command_context(), call.command, call.arguments.to_owned());
    app.spawn(async move {
        let answer = omp_commands::answer(&context, &Call { command, arguments: &arguments }).await;
        Box::new(move |app: &mut App| show_answer(app, command, answer)) as Task
    });
}

/// `/export`: the page has the colours of the screen.
pub(crate) fn export(app: &mut App, call: Call<'_>) {
    let (mut context, session) = (app.shown.command_context(), app.session());
    let (command, arguments) = (call.command, call.arguments.to_owned());
    app.spawn(async move {
        let theme = move || crate::page_theme(session.directories(), &session.settings());
        context.theme = tokio::task::spawn_blocking(theme).await.unwrap_or_default();
        let answer = omp_commands::answer(&context, &Call { command, arguments: &arguments }).await;
        Box::new(move |app: &mut App| show_answer(app, command, answer)) as Task
    });
}

/// Shows what came of a command.
pub(crate) fn show_answer(app: &mut App, command: &'static Builtin, answer: Answer) {
    match answer {
        Answer::Markdown(text) => {
            app.show_rows(move |look| omp_view::markdown::render(look, &text));
        }
        Answer::Text(text) => app.say(Level::Info, &text),
        Answer::Table(columns) => app.table(&columns.title, columns.rows),
        Answer::Copy(text) => attaching::copy(app, &text),
        Answer::Page(path) => {
            let opened = if app.session().show_file(&path) { " and opened" } else { "" };
            app.say(Level::Info, &format!("Exported to {}{opened}", path.display()));
        }
        Answer::Prompt(prompt) => app.prompt(Prompt::text(prompt)),
        Answer::Changed(text) => {
            app.say(Level::Info, &text);
            app.look_around();
            app.set_title();
            app.refresh();
        }
        Answer::Arrived(arrival, text) => arrived(app, arrival, text),
        Answer::Refused(text) if text.contains('\n') => app.say(Level::Warning, &text),
        Answer::Refused(text) => app.hint(Token::Warning, text),
        Answer::Screen => {
            app.hint(Token::Warning, command.not_available());
        }
    }
}

/// Shows the session that took the place of the one before.
pub(crate) fn arrived(app: &mut App, arrival: Arrival, done: String) {
    let session = app.session();
    app.spawn(async move {
        let messages = session.transcript().messages().await;
        Box::new(move |app: &mut App| {
            app.turn.leave_run();
            switching::arrive(app, &messages, &done);
            arrival.remarks.iter().for_each(|remark| app.say(Level::Warning, remark));
            if let Some(prompt) = arrival.prompt {
                app.set_text(&prompt);
            }
        }) as Task
    });
}
