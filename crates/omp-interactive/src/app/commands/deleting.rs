//! Deleting the session that is shown.

use omp_commands::{Builtin, Call};

use crate::app::{App, Task};
use crate::panels::menu::Menu;

impl App {
    /// `/session`: about this session. Deleting is asked for first; afterwards another session can be chosen.
    pub(in crate::app) fn about_session(&mut self, call: Call<'_>) {
        let deletes =
            call.arguments == "delete" && self.turn.run.is_none() && self.session().file().is_some();
        if !deletes {
            self.answer(call);
            return;
        }
        let menu = Menu::new("Delete this session and its artifacts?", ["No", "Yes, delete"]);
        let command = call.command;
        self.ask(menu, move |app, chosen| {
            if chosen == Some(1) {
                app.delete_session(command);
            }
        });
    }

    fn delete_session(&mut self, command: &'static Builtin) {
        let context = self.command_context();
        self.spawn(async move {
            let answer = omp_commands::answer(&context, &Call { command, arguments: "delete" }).await;
            let messages = context.host.session().transcript().await;
            Box::new(move |app: &mut Self| match answer {
                omp_commands::Answer::Arrived(arrival, text) => {
                    app.arrive(&messages, &text);
                    arrival.remarks.iter().for_each(|remark| app.remark(remark));
                    app.pick_session();
                }
                other => app.show_answer(command, other),
            }) as Task
        });
    }
}
