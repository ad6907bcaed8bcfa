//! `/todo edit` and the menu of `/debug`.

use omp_commands::{Builtin, Call};
use omp_sdk::{from_markdown, to_markdown};
use omp_theme::Token;
use omp_view::message::Level;

use crate::app::commands::text_answer;
use crate::app::{App, Task};
use crate::panels::menu::Menu;

/// The list of tasks as a text to change.
pub(crate) fn edit_tasks(app: &mut App) {
    let session = app.session();
    app.spawn(async move {
        let text = to_markdown(&session.tasks().history().await);
        Box::new(move |app: &mut App| {
            let question = "Edit the todo list: # phase, - [ ] task, [x] done, [-] dropped";
            let before = text.trim().to_owned();
            app.ask_text(question.to_owned(), text.trim_end(), move |app, changed| match changed {
                Some(changed) if changed.trim() != before => {
                    app.session().tasks().set(from_markdown(&changed), "the whole list was edited");
                    app.hint(Token::Muted, "Todo list updated");
                }
                _ => app.hint(Token::Muted, "Todo list unchanged"),
            });
        }) as Task
    });
}

/// What can be looked at inside.
pub(crate) fn debug_menu(app: &mut App, command: &'static Builtin) {
    let menu = Menu::new(
        "Debug tools",
        ["Write the next request to a file", "Show the system prompt", "Show paths"],
    );
    app.ask(menu, move |app, chosen| match chosen {
        Some(0) => app.ask_text("File to write to".to_owned(), "next-request.json", move |app, path| {
            if let Some(path) = path.filter(|path| !path.trim().is_empty()) {
                text_answer::answer(app, Call { command, arguments: &format!("dump-next-request {path}") });
            }
        }),
        Some(1) => {
            let prompt = app.session().prompt_report().blocks.join("\n\n");
            app.say(Level::Info, &prompt);
        }
        Some(2) => show_places(app),
        _ => {}
    });
}

fn show_places(app: &mut App) {
    let session = app.session();
    let directories = session.directories();
    let row = |name: &str, path: &std::path::Path| (name.to_owned(), path.display().to_string());
    let rows = vec![
        row("settings and credentials", &directories.agent),
        row("models", session.models().file()),
        row("cache", &directories.cache()),
        row("data", &directories.data()),
        row("working directory", &session.cwd()),
    ];
    app.table("Paths", rows);
}
