//! The language servers of the project: looked for, and started if that is wanted, after the first frame.

use omp_sdk::LanguageServer;
use serde_json::{Value, json};

use super::{App, Task};

impl App {
    /// Looks for the servers of the first session beside everything else.
    pub(crate) fn look_for_servers(&mut self) {
        let session = self.session();
        self.spawn(async move {
            let known = session.language_servers().await;
            let warms = !known.is_empty() && !session.has_lazy_language_servers();
            Box::new(move |app: &mut Self| {
                app.know_servers(known, !warms);
                if warms {
                    app.warm_up_servers();
                }
            }) as Task
        });
    }

    fn warm_up_servers(&mut self) {
        let session = self.session();
        self.spawn(async move {
            let known = session.warm_up_language_servers().await;
            Box::new(move |app: &mut Self| app.know_servers(known, true)) as Task
        });
    }

    /// Takes up what is known about them; `settled` if nothing will change about it.
    pub(super) fn know_servers(&mut self, known: Vec<LanguageServer>, settled: bool) {
        let said = |known: &Vec<LanguageServer>| json!({"known": known, "settled": settled});
        let Some(known) = self.tape_fact("servers", known, said) else { return };
        if let Some(servers) = &self.status.servers {
            servers.with(|servers| {
                servers.set(known);
                if settled {
                    servers.settle();
                }
            });
            self.changed();
        }
    }

    /// The same from a tape.
    pub(super) fn play_servers(&mut self, value: &Value) {
        let known = serde_json::from_value(value["known"].clone()).unwrap_or_default();
        self.know_servers(known, value["settled"] == true);
    }
}
