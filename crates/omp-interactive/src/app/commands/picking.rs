//! Choosing a session, or a place to branch from.

use omp_sdk::{SavedSessions, SessionScope};
use omp_theme::Token;
use omp_view::select::{Choice, Selector};

use crate::app::{App, Task};

impl App {
    pub(in crate::app) fn pick_session(&mut self) {
        let session = self.session();
        let saved = SavedSessions::new(session.directories(), session.session_dir(), &session.cwd());
        let current = session.file();
        self.spawn(async move {
            let listed = tokio::task::spawn_blocking(move || saved.list(SessionScope::Folder)).await;
            let rows = listed.unwrap_or_default();
            Box::new(move |app: &mut Self| {
                let rows: Vec<_> =
                    rows.into_iter().filter(|row| Some(&row.path) != current.as_ref()).collect();
                if rows.is_empty() {
                    app.hint(Token::Warning, "There is no other session in this directory.");
                    return;
                }
                let option = |row: &omp_sdk::SessionRow| {
                    Choice::new(row.name.clone()).detail(format!("{} ({})", row.modified, row.status))
                };
                let menu = Selector::new("Resume a session", rows.iter().map(option).collect());
                app.pick(menu, move |app, chosen| {
                    if let Some(row) = chosen.and_then(|place| rows.get(place)) {
                        let path = row.path.clone();
                        app.switch_session(|host| async move { host.resume(&path).await }, "Resumed session");
                    }
                });
            }) as Task
        });
    }

    pub(in crate::app) fn pick_branch(&mut self) {
        let session = self.session();
        self.spawn(async move {
            let prompts = session.prompts().await;
            Box::new(move |app: &mut Self| {
                if prompts.is_empty() {
                    app.hint(Token::Warning, "There is no message to branch from yet.");
                    return;
                }
                let option = |(_, text): &(String, String)| Choice::new(text.replace('\n', " "));
                let menu = Selector::new("Go on before a message", prompts.iter().map(option).collect());
                let menu = menu.at(prompts.len() - 1);
                app.pick(menu, move |app, chosen| {
                    if let Some((id, _)) = chosen.and_then(|place| prompts.get(place)) {
                        let id = id.clone();
                        app.switch_session(|host| async move { host.branch(&id).await }, "Branched");
                    }
                });
            }) as Task
        });
    }
}
