//! Deleting the session that is shown: `/session delete` and `/drop`.

use omp_commands::{Builtin, Call};

use crate::app::commands::text_answer;
use crate::app::switching;
use crate::app::{App, Task};
use crate::panels::menu::Menu;
use crate::panels::sessions;

/// `/session`: about this session. Deleting is asked for first; afterwards another session can be chosen.
pub(crate) fn about_session(app: &mut App, call: Call<'_>) {
    let deletes = call.arguments == "delete" && app.turn.run.is_none() && app.session().file().is_some();
    if !deletes {
        text_answer::answer(app, call);
        return;
    }
    let menu = Menu::new("Delete this session and its artifacts?", ["No", "Yes, delete"]);
    let command = call.command;
    app.ask(menu, move |app, chosen| {
        if chosen == Some(1) {
            delete_session(app, command);
        }
    });
}

/// `/drop`: asked for first, since nothing brings the session back.
pub(crate) fn drop_session(app: &mut App, call: Call<'_>) {
    if app.session().file().is_none() {
        return text_answer::answer(app, call);
    }
    let question = match app.session().header().title {
        Some(title) => format!("Delete the session \"{title}\" and its artifacts, and start a new one?"),
        None => "Delete this session and its artifacts, and start a new one?".to_owned(),
    };
    let command = call.command;
    app.ask(Menu::new(question, ["No", "Yes, delete"]), move |app, chosen| {
        if chosen == Some(1) {
            text_answer::answer(app, Call { command, arguments: "" });
        }
    });
}

fn delete_session(app: &mut App, command: &'static Builtin) {
    let context = app.shown.command_context();
    app.spawn(async move {
        let answer = omp_commands::answer(&context, &Call { command, arguments: "delete" }).await;
        let messages = context.host.session().transcript().messages().await;
        Box::new(move |app: &mut App| match answer {
            omp_commands::Answer::Arrived(arrival, text) => {
                switching::arrive(app, &messages, &text);
                arrival.remarks.iter().for_each(|remark| app.remark(remark));
                sessions::open_session_list(app);
            }
            other => text_answer::show_answer(app, command, other),
        }) as Task
    });
}
