//! The language servers of the project: looked for, and started if that is wanted, after the first frame.

use omp_sdk::LanguageServer;
use serde_json::{Value, json};

use super::{App, Task};

/// Looks for the servers of the first session beside everything else.
pub(crate) fn look_for_servers(app: &mut App) {
    let session = app.session();
    app.spawn(async move {
        let known = session.language_servers().list().await;
        let warms = !known.is_empty() && !session.language_servers().are_lazy();
        Box::new(move |app: &mut App| {
            know_servers(app, known, !warms);
            if warms {
                warm_up_servers(app);
            }
        }) as Task
    });
}

fn warm_up_servers(app: &mut App) {
    let session = app.session();
    app.spawn(async move {
        let known = session.language_servers().warm_up().await;
        Box::new(move |app: &mut App| know_servers(app, known, true)) as Task
    });
}

/// Takes up what is known about them; `settled` if nothing will change about it.
pub(crate) fn know_servers(app: &mut App, known: Vec<LanguageServer>, settled: bool) {
    let said = |known: &Vec<LanguageServer>| json!({"known": known, "settled": settled});
    let Some(known) = app.recording.tape_fact("servers", known, said) else { return };
    if let Some(servers) = &app.status.servers {
        servers.with(|servers| {
            servers.set(known);
            if settled {
                servers.settle();
            }
        });
        app.surface.changed();
    }
}

/// The same from a tape.
pub(crate) fn play_servers(app: &mut App, value: &Value) {
    let known = serde_json::from_value(value["known"].clone()).unwrap_or_default();
    know_servers(app, known, value["settled"] == true);
}
