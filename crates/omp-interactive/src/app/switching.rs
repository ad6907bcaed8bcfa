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

use super::{App, Files, Task, TerminalRequest, shown_path};
use crate::app::composer::Composer;
use crate::app::drafting;
use crate::app::surface::Surface;
use crate::conversation::Conversation;
use crate::panels::menu::Menu;
use crate::panels::tree;
use crate::panels::waiting::Waiting;

/// What is said after a resumption.
const RESUMED: &str = "Resumed session";

/// The way to another session, and what was typed on it.
#[derive(Default)]
pub(super) struct Switching {
    going: usize,
    /// The one that is being opened is new.
    is_new: bool,
    /// A new session begins after this turn, or after the session that is being opened.
    wanted: bool,
    held: Vec<Content>,
}

impl Switching {
    /// Is another session being opened, or about to be?
    pub(super) fn is_going(&self) -> bool {
        self.going > 0 || self.wanted
    }

    /// Keeps words for the session that is being opened.
    pub(super) fn hold(&mut self, content: Content) {
        self.held.push(content);
    }
}

impl Composer {
    /// The keys of the user.
    pub(crate) fn keys(&self) -> &Bindings {
        &self.keys
    }
}

impl Surface {
    /// Ends the program.
    pub(crate) fn quit(&mut self) {
        self.requests.push(TerminalRequest::Quit);
    }
}

/// `/new`: after the turn that runs; typed again, it stops the turn. A compaction is not worth waiting for.
pub(crate) fn begin_session(app: &mut App) {
    if app.shown.switching.going > 0 {
        // If that is on its way, words that wait for it must not meet a second one.
        app.shown.switching.wanted |= !app.shown.switching.is_new;
        return;
    }
    let can_wait =
        app.turn.run.is_some() && app.turn.compacting.activity.is_none() && !app.turn.is_compacting();
    if can_wait && !std::mem::replace(&mut app.shown.switching.wanted, true) {
        app.hint(Token::Muted, "New session after this turn (/new again: stop the turn now)");
        return;
    }
    switch_session(app, |host| async move { host.begin().await }, "New session started");
    app.shown.switching.is_new = true;
}

/// A turn has ended. Says whether a new session was asked for meanwhile, which begins now.
pub(super) fn begins_after_turn(app: &mut App) -> bool {
    let wanted = std::mem::take(&mut app.shown.switching.wanted);
    if wanted {
        app.status.banner = None;
        begin_session(app);
    }
    wanted
}

/// Exchanges the session.
pub(crate) fn switch_session<F>(app: &mut App, switch: impl FnOnce(Arc<Host>) -> F, done: &'static str)
where
    F: Future<Output = Result<Arrival, SwitchError>> + Send + 'static,
{
    let host = Arc::clone(&app.shown.host);
    let switching = switch(Arc::clone(&host));
    if let Some(run) = &app.turn.run {
        run.cancel.cancel();
    }
    // What waits for a turn of this session would never be said.
    drafting::give_back(app);
    app.shown.switching.wanted = false;
    app.shown.switching.is_new = false;
    app.shown.switching.going += 1;
    app.spawn(async move {
        let arrival = switching.await;
        let messages = host.session().transcript().messages().await;
        Box::new(move |app: &mut App| {
            app.shown.switching.going -= 1;
            match arrival {
                Ok(arrival) => switched(app, arrival, &messages, done),
                Err(SwitchError::DirectoryGone { path, cwd }) => ask_to_move(app, path, &cwd),
                Err(error) => app.complain(&error.to_string()),
            }
            match app.shown.switching.wanted {
                true => begin_session(app),
                false => give_held_back(app),
            }
        }) as Task
    });
}

/// Words for a session that was not opened go back into the editor.
fn give_held_back(app: &mut App) {
    let held = std::mem::take(&mut app.shown.switching.held);
    if !held.is_empty() {
        let current = app.composer.editor.content();
        app.composer.editor.set_content(&Content::dequeued(held, Vec::new(), current));
        app.shown.channel.set_composing(true);
    }
}

fn switched(app: &mut App, arrival: Arrival, messages: &[Arc<omp_types::Message>], done: &str) {
    let done = match &arrival.elsewhere {
        Some(cwd) => format!("{done} in {}", shown_path(cwd, &app.session().directories().home)),
        None => done.to_owned(),
    };
    app.turn.leave_run();
    arrive(app, messages, &done);
    arrival.remarks.iter().for_each(|remark| app.say(Level::Warning, remark));
    // They wait for the session that follows at once, if there is one.
    if !app.shown.switching.wanted {
        for content in std::mem::take(&mut app.shown.switching.held) {
            app.turn.waiting.push_back(Prompt::words(app.composer.images.content(&content)));
        }
        app.send_waiting();
    }
    if let Some(prompt) = arrival.prompt {
        app.set_text(&prompt);
    }
}

/// Resumes a saved session.
pub(crate) fn resume(app: &mut App, path: PathBuf) {
    switch_session(app, |host| async move { host.resume(&path).await }, RESUMED);
}

/// The directory of a session is gone: it may continue here.
fn ask_to_move(app: &mut App, path: PathBuf, cwd: &std::path::Path) {
    let title = format!("The session belongs to {}, which no longer exists.", cwd.display());
    let menu = Menu::new(title, ["Move it to the current directory", "Cancel"]);
    app.ask(menu, move |app, chosen| {
        if chosen == Some(0) {
            switch_session(app, |host| async move { host.resume_here(&path).await }, RESUMED);
        }
    });
}

/// Shows another conversation than before.
pub(crate) fn arrive(app: &mut App, messages: &[Arc<omp_types::Message>], done: &str) {
    app.recording.leave_tape("another session");
    app.shown.number = app.shown.numbers.latest();
    app.shown.on_screen = app.shown.host.session();
    if let Some(transcript) = app.surface.ui.get_mut::<Transcript>(app.surface.lanes.transcript) {
        *transcript = Transcript::new();
    }
    app.shown.conversation = Conversation::new(app.surface.stage.clone());
    app.surface.stage.pictures().clear();
    app.panels.open.clear();
    app.turn.waiting.clear();
    app.turn.retrying = None;
    app.status.banner = None;
    app.composer.finder = Files::new(&app.shown.on_screen.cwd());
    app.show_conversation(messages);
    app.say(Level::Info, done);
    app.refresh();
    app.look_around();
    app.set_title();
    app.surface.requests.push(TerminalRequest::Gesture(Gesture::Replace));
    app.extensions_arrived();
}

/// An entry of the tree was chosen.
pub(crate) fn leave_for(app: &mut App, entry: String) {
    match app.session().settings().get(keys::BRANCH_SUMMARY_ENABLED) {
        true => ask_for_summary(app, entry),
        false => go_to(app, entry),
    }
}

fn ask_for_summary(app: &mut App, entry: String) {
    let menu = Menu::new(
        "Summarize the branch you are leaving?",
        ["No summary", "Summarize", "Summarize with custom prompt"],
    );
    app.ask(menu, move |app, chosen| match chosen {
        Some(0) => go_to(app, entry),
        Some(1) => summarize_and_go(app, entry, None),
        Some(_) => {
            let question = "What should the summary focus on?".to_owned();
            app.ask_text(question, "", move |app, words| match words {
                Some(words) => {
                    let words = Some(words).filter(|words| !words.trim().is_empty());
                    summarize_and_go(app, entry, words);
                }
                None => ask_for_summary(app, entry),
            });
        }
        None => tree::open_tree(app, Some(entry)),
    });
}

fn summarize_and_go(app: &mut App, entry: String, instructions: Option<String>) {
    let session = app.session();
    let cancel = CancellationToken::new();
    let again = Some(entry.clone());
    app.open(Waiting::new("Summarizing the branch", cancel.clone(), |app| tree::open_tree(app, again)));
    app.spawn(async move {
        let moved = session.tree().summarize_branch(&entry, instructions.as_deref(), cancel).await;
        let messages = session.transcript().messages().await;
        Box::new(move |app: &mut App| {
            app.close::<Waiting>();
            match moved {
                Ok(moved) => show_moved(app, moved, &messages),
                // Who stopped it is in the tree again.
                Err(BranchSummaryError::Aborted) => {}
                Err(error) => app.complain(&error.to_string()),
            }
        }) as Task
    });
}

fn go_to(app: &mut App, id: String) {
    let session = app.session();
    if let Some(run) = &app.turn.run {
        run.cancel.cancel();
    }
    app.spawn(async move {
        let moved = session.tree().navigate(&id, None).await;
        let messages = session.transcript().messages().await;
        Box::new(move |app: &mut App| match moved {
            Ok(moved) => show_moved(app, moved, &messages),
            Err(error) => app.complain(&error.to_string()),
        }) as Task
    });
}

fn show_moved(app: &mut App, moved: Option<Moved>, messages: &[Arc<omp_types::Message>]) {
    let Some(moved) = moved else {
        app.hint(Token::Muted, "Already at this point");
        return;
    };
    arrive(app, messages, "Moved to another point in the conversation");
    if let Some(text) = moved.prefill {
        app.set_text(&text);
    }
}
