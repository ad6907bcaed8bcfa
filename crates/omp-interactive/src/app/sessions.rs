//! Going from one session to another, and from one place in a session to another.

use std::path::PathBuf;
use std::sync::Arc;

use omp_editor::Content;
use omp_keys::Bindings;
use omp_sdk::settings::keys;
use omp_sdk::{Arrival, BranchSummaryError, Host, Moved, Prompt, SwitchError};
use omp_theme::Token;
use omp_tui::render::Gesture;
use omp_tui::transcript::Transcript;
use omp_view::message::Level;
use tokio_util::sync::CancellationToken;

use super::{App, Files, Task, Wish, shown_path};
use crate::conversation::Conversation;
use crate::panels::menu::Menu;
use crate::panels::waiting::Waiting;

/// What is said after a resumption.
const RESUMED: &str = "Resumed session";

/// The way to another session, and what was typed on it.
#[derive(Default)]
pub(super) struct Switching {
    going: usize,
    held: Vec<Content>,
}

impl Switching {
    /// Is another session being opened?
    pub(super) fn is_going(&self) -> bool {
        self.going > 0
    }

    /// Keeps words for the session that is being opened.
    pub(super) fn hold(&mut self, content: Content) {
        self.held.push(content);
    }
}

impl App {
    /// The keys of the user.
    pub(crate) fn keys(&self) -> &Bindings {
        &self.composer.keys
    }

    /// Ends the program.
    pub(crate) fn quit(&mut self) {
        self.surface.wishes.push(Wish::Quit);
    }

    /// Exchanges the session.
    pub(super) fn switch_session<F>(&mut self, switch: impl FnOnce(Arc<Host>) -> F, done: &'static str)
    where
        F: Future<Output = Result<Arrival, SwitchError>> + Send + 'static,
    {
        let host = Arc::clone(&self.shown.host);
        let switching = switch(Arc::clone(&host));
        if let Some(run) = &self.turn.run {
            run.cancel.cancel();
        }
        // What waits for a turn of this session would never be said.
        self.give_back();
        self.shown.switching.going += 1;
        self.spawn(async move {
            let arrival = switching.await;
            let messages = host.session().transcript().await;
            Box::new(move |app: &mut Self| {
                app.shown.switching.going -= 1;
                match arrival {
                    Ok(arrival) => app.switched(arrival, &messages, done),
                    Err(SwitchError::DirectoryGone { path, cwd }) => app.ask_to_move(path, &cwd),
                    Err(error) => app.complain(&error.to_string()),
                }
                app.give_held_back();
            }) as Task
        });
    }

    /// Words for a session that was not opened go back into the editor.
    fn give_held_back(&mut self) {
        let held = std::mem::take(&mut self.shown.switching.held);
        if !held.is_empty() {
            let current = self.composer.editor.content();
            self.composer.editor.set_content(&Content::dequeued(held, Vec::new(), current));
            self.shown.link.set_composing(true);
        }
    }

    fn switched(&mut self, arrival: Arrival, messages: &[Arc<omp_types::Message>], done: &str) {
        let done = match &arrival.elsewhere {
            Some(cwd) => format!("{done} in {}", shown_path(cwd, &self.session().directories().home)),
            None => done.to_owned(),
        };
        self.leave_run();
        self.arrive(messages, &done);
        arrival.remarks.iter().for_each(|remark| self.say(Level::Warning, remark));
        for content in std::mem::take(&mut self.shown.switching.held) {
            self.turn.waiting.push_back(Prompt::words(self.composer.images.content(&content)));
        }
        self.send_waiting();
        if let Some(prompt) = arrival.prompt {
            self.set_text(&prompt);
        }
    }

    /// Goes on with a saved session.
    pub(crate) fn resume(&mut self, path: PathBuf) {
        self.switch_session(|host| async move { host.resume(&path).await }, RESUMED);
    }

    /// The directory of a session is gone: it may go on here.
    fn ask_to_move(&mut self, path: PathBuf, cwd: &std::path::Path) {
        let title = format!("The session belongs to {}, which no longer exists.", cwd.display());
        let menu = Menu::new(title, ["Move it to the current directory", "Cancel"]);
        self.ask(menu, move |app, chosen| {
            if chosen == Some(0) {
                app.switch_session(|host| async move { host.resume_here(&path).await }, RESUMED);
            }
        });
    }

    /// Shows another conversation than before.
    pub(super) fn arrive(&mut self, messages: &[Arc<omp_types::Message>], done: &str) {
        self.leave_tape("another session");
        self.shown.number = self.shown.numbers.latest();
        self.shown.current = self.shown.host.session();
        if let Some(transcript) = self.surface.ui.get_mut::<Transcript>(self.surface.lanes.transcript) {
            *transcript = Transcript::new();
        }
        self.shown.conversation = Conversation::new(self.surface.stage.clone());
        self.surface.stage.pictures().clear();
        self.panels.open.clear();
        self.turn.waiting.clear();
        self.turn.retrying = None;
        self.status.banner = None;
        self.composer.finder = Files::new(&self.shown.current.cwd());
        self.show_conversation(messages);
        self.say(Level::Info, done);
        self.refresh();
        self.look_around();
        self.set_title();
        self.surface.wishes.push(Wish::Gesture(Gesture::Replace));
    }

    /// An entry of the tree was chosen.
    pub(crate) fn leave_for(&mut self, entry: String) {
        match self.session().settings().get(keys::BRANCH_SUMMARY_ENABLED) {
            true => self.ask_for_summary(entry),
            false => self.go_to(entry),
        }
    }

    fn ask_for_summary(&mut self, entry: String) {
        let menu = Menu::new(
            "Summarize the branch you are leaving?",
            ["No summary", "Summarize", "Summarize with custom prompt"],
        );
        self.ask(menu, move |app, chosen| match chosen {
            Some(0) => app.go_to(entry),
            Some(1) => app.summarize_and_go(entry, None),
            Some(_) => {
                let question = "What should the summary focus on?".to_owned();
                app.ask_text(question, "", move |app, words| match words {
                    Some(words) => {
                        let words = Some(words).filter(|words| !words.trim().is_empty());
                        app.summarize_and_go(entry, words);
                    }
                    None => app.ask_for_summary(entry),
                });
            }
            None => app.open_tree(Some(entry)),
        });
    }

    fn summarize_and_go(&mut self, entry: String, instructions: Option<String>) {
        let session = self.session();
        let cancel = CancellationToken::new();
        let again = Some(entry.clone());
        self.open(Waiting::new("Summarizing the branch", cancel.clone(), |app| app.open_tree(again)));
        self.spawn(async move {
            let moved = session.summarize_branch(&entry, instructions.as_deref(), cancel).await;
            let messages = session.transcript().await;
            Box::new(move |app: &mut Self| {
                app.close::<Waiting>();
                match moved {
                    Ok(moved) => app.moved(moved, &messages),
                    // Who stopped it is in the tree again.
                    Err(BranchSummaryError::Aborted) => {}
                    Err(error) => app.complain(&error.to_string()),
                }
            }) as Task
        });
    }

    fn go_to(&mut self, id: String) {
        let session = self.session();
        if let Some(run) = &self.turn.run {
            run.cancel.cancel();
        }
        self.spawn(async move {
            let moved = session.navigate(&id, None).await;
            let messages = session.transcript().await;
            Box::new(move |app: &mut Self| match moved {
                Ok(moved) => app.moved(moved, &messages),
                Err(error) => app.complain(&error.to_string()),
            }) as Task
        });
    }

    fn moved(&mut self, moved: Option<Moved>, messages: &[Arc<omp_types::Message>]) {
        let Some(moved) = moved else {
            self.hint(Token::Muted, "Already at this point");
            return;
        };
        self.arrive(messages, "Moved to another point in the conversation");
        if let Some(text) = moved.prefill {
            self.set_text(&text);
        }
    }
}
