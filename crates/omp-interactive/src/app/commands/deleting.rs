//! Deleting the session that is shown.

use omp_commands::{Call, named};

use crate::app::{App, Task};
use crate::panels::menu::Menu;

impl App {
    /// `/session`: about this session. Deleting is asked for first; afterwards another session can be chosen.
    pub(in crate::app) fn about_session(&mut self, arguments: &str) {
        let deletes = arguments == "delete" && self.turn.run.is_none() && self.session().file().is_some();
        if !deletes {
            self.answer("session", arguments);
            return;
        }
        let menu =
            Menu::new("Delete this session with everything that belongs to it?", ["No", "Yes, delete it"]);
        self.ask(menu, |app, chosen| {
            if chosen == Some(1) {
                app.delete_session();
            }
        });
    }

    fn delete_session(&mut self) {
        let Some(command) = named("session") else { return };
        let desk = self.desk();
        self.spawn(async move {
            let answer = omp_commands::answer(&desk, &Call { command, arguments: "delete" }).await;
            let messages = desk.host.session().transcript().await;
            Box::new(move |app: &mut Self| match answer {
                omp_commands::Answer::Arrived(arrival, text) => {
                    app.arrive(&messages, &text);
                    arrival.remarks.iter().for_each(|remark| app.remark(remark));
                    app.pick_session();
                }
                other => app.show_answer("session", other),
            }) as Task
        });
    }
}
