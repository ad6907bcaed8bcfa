//! Going from one session to another, and from one place in a session to another.

use std::sync::Arc;

use omp_sdk::sessions::TreeFilter;
use omp_sdk::{Arrival, Host, SwitchError};
use omp_theme::Token;
use omp_tui::render::Gesture;
use omp_tui::transcript::Transcript;
use omp_view::message::Level;
use omp_view::select::{Choice, Selector};

use super::{App, Task, Wish};
use crate::conversation::Conversation;

impl App {
    /// Exchanges the session.
    pub(super) fn switch_session<F>(&mut self, switch: impl FnOnce(Arc<Host>) -> F, done: &'static str)
    where
        F: Future<Output = Result<Arrival, SwitchError>> + Send + 'static,
    {
        let host = Arc::clone(&self.host);
        let switching = switch(Arc::clone(&host));
        if let Some(run) = &self.run {
            run.cancel.cancel();
        }
        self.spawn(async move {
            let arrival = switching.await;
            let messages = host.session().conversation().await;
            Box::new(move |app: &mut Self| match arrival {
                Ok(arrival) => {
                    app.arrive(&messages, done);
                    arrival.remarks.iter().for_each(|remark| app.say(Level::Warning, remark));
                    if let Some(cwd) = arrival.elsewhere {
                        app.say(Level::Info, &format!("Working in {}", cwd.display()));
                    }
                    if let Some(prompt) = arrival.prompt {
                        app.set_text(&prompt);
                    }
                }
                Err(error) => app.complain(&error.to_string()),
            }) as Task
        });
    }

    /// Shows another conversation than before.
    pub(super) fn arrive(&mut self, messages: &[Arc<omp_types::Message>], done: &str) {
        self.session = self.sessions.latest();
        self.current = self.host.session();
        if let Some(transcript) = self.ui.get_mut::<Transcript>(self.lanes.transcript) {
            *transcript = Transcript::new();
        }
        self.conversation = Conversation::new(self.stage.clone());
        self.stage.pictures().clear();
        self.panels.clear();
        self.show_conversation(messages);
        self.say(Level::Info, done);
        self.refresh();
        self.look_around();
        self.set_title();
        self.wishes.push(Wish::Gesture(Gesture::Replace));
    }

    /// Opens the tree of the conversation.
    pub(super) fn pick_place(&mut self) {
        let session = self.session();
        self.spawn(async move {
            let (tree, leaf) = session.tree().await;
            Box::new(move |app: &mut Self| {
                let rows = tree.rows(TreeFilter::NoTools, "", leaf.as_deref());
                if rows.is_empty() {
                    app.hint(Token::Warning, "The conversation has not begun yet.");
                    return;
                }
                let ids: Vec<String> = rows.iter().map(|row| row.node.id.clone()).collect();
                let at = ids.iter().position(|id| Some(id) == leaf.as_ref()).unwrap_or(0);
                let options = rows.iter().map(|row| {
                    let who = row.node.role.unwrap_or(&row.node.name);
                    let sign = if row.active { "• " } else { "  " };
                    let text: String = row.node.text.split_whitespace().collect::<Vec<_>>().join(" ");
                    let label =
                        row.node.label.as_ref().map(|label| format!("[{label}] ")).unwrap_or_default();
                    Choice::new(format!("{}{sign}{label}{who}: {text}", "  ".repeat(row.depth.min(8))))
                });
                let list = Selector::new("Go to a place in the conversation", options.collect()).at(at);
                app.pick(list, move |app, chosen| {
                    if let Some(id) = chosen.and_then(|place| ids.get(place)) {
                        app.go_to(id.clone());
                    }
                });
            }) as Task
        });
    }

    fn go_to(&mut self, id: String) {
        let session = self.session();
        if let Some(run) = &self.run {
            run.cancel.cancel();
        }
        self.spawn(async move {
            let moved = session.navigate(&id, None).await;
            let messages = session.conversation().await;
            Box::new(move |app: &mut Self| match moved {
                Ok(Some(moved)) => {
                    app.arrive(&messages, "Went to another place in the conversation");
                    if let Some(text) = moved.prefill {
                        app.set_text(&text);
                    }
                }
                Ok(None) => app.hint(Token::Muted, "The conversation is there already."),
                Err(error) => app.complain(&error.to_string()),
            }) as Task
        });
    }
}
