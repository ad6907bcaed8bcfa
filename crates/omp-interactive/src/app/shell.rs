//! Commands that the user runs with `!`, the user's own editor, and background jobs.

use omp_editor::{Content, Visibility};
use omp_sdk::{Audience, ModeError, UserCommand};
use omp_theme::Token;
use omp_tui::transcript::Transcript;
use omp_view::bang::{BangState, BangView};
use tokio_util::sync::CancellationToken;

use super::{App, Task, TerminalRequest};
use crate::app::surface::Surface;
use crate::app::turn::Turn;
use crate::blocks::Bang;
use crate::panels::review::Plan;

impl Turn {
    pub(super) fn abort_shell(&mut self) {
        if let Some((cancel, _)) = &self.shell {
            cancel.cancel();
        }
    }

    pub(crate) fn is_idle(&self) -> bool {
        self.run.is_none()
    }
}

impl Surface {
    /// Lets the user change a text in another program.
    pub(crate) fn edit_elsewhere(&mut self, text: String) {
        self.requests.push(TerminalRequest::ExternalEditor(text));
    }
}

/// Runs a command of the user; the model reads of it with the next prompt, unless it is private.
pub(crate) fn run_shell(app: &mut App, command: String, visibility: Visibility) {
    let mut view = BangView::new(&command);
    if visibility == Visibility::Private {
        view = view.hidden_from_model();
    }
    let bang = Bang::new(app.surface.stage.clone(), view);
    let cancel = CancellationToken::new();
    if let Some(transcript) = app.surface.ui.get_mut::<Transcript>(app.surface.lanes.transcript) {
        let bang = app.shown.conversation.show_command(transcript, bang);
        app.turn.shell = Some((cancel.clone(), bang));
    }
    let (session, tasks) = (app.session(), app.tasks.clone());
    app.spawn(async move {
        let seen = command.clone();
        let outcome = session
            .shell()
            .run(&command, audience(visibility), None, &cancel, |snapshot| {
                let tail = snapshot.tail.clone();
                let show: Task = Box::new(move |app: &mut App| show_output(app, &tail));
                // The program has ended if nobody takes it.
                let _ = tasks.send(show);
            })
            .await;
        Box::new(move |app: &mut App| match outcome {
            Ok(done) => command_ended(app, &seen, &done, visibility),
            Err(error) => finish_shell(app, BangState::Failed(error.to_string()), None),
        }) as Task
    });
    app.surface.changed();
}

fn show_output(app: &mut App, tail: &str) {
    if let Some((_, bang)) = &app.turn.shell {
        bang.with(|bang| bang.view.replace(tail));
    }
    app.surface.changed();
}

fn command_ended(app: &mut App, command: &str, done: &UserCommand, visibility: Visibility) {
    if let Some((_, bang)) = &app.turn.shell {
        bang.with(|bang| bang.view.replace(&done.output));
    }
    let state = match done.exit_code {
        Some(code) => BangState::Exited(code),
        None if done.cancelled => BangState::Cancelled,
        None => BangState::Failed("exit status unknown".to_owned()),
    };
    let everything = done.artifact_id.as_ref().map(|id| format!("artifact://{id}"));
    finish_shell(app, state, everything);
    let audience = audience(visibility);
    let (session, command, done) = (app.session(), command.to_owned(), done.clone());
    app.spawn(async move {
        let kept = session.shell().record(&command, &done, audience).await;
        Box::new(move |app: &mut App| {
            if let Err(error) = kept {
                app.complain(&format!("could not add the command to the conversation: {error}"));
            }
        }) as Task
    });
}

fn audience(visibility: Visibility) -> Audience {
    match visibility {
        Visibility::Shared => Audience::Model,
        Visibility::Private => Audience::User,
    }
}

fn finish_shell(app: &mut App, state: BangState, everything: Option<String>) {
    app.composer.finder.forget();
    if let Some((_, bang)) = app.turn.shell.take() {
        bang.with(|bang| bang.finish(state, everything));
    }
    app.surface.changed();
}

/// What the user's editor left; `None` if it failed.
pub(crate) fn edited_elsewhere(app: &mut App, text: Result<String, String>) {
    // What came up meanwhile was not on the screen.
    app.panels.typed = Some(app.surface.now());
    let plan = app.panels.panel::<Plan>().filter(|plan| plan.is_edited);
    match (text, plan) {
        (Ok(text), Some(plan)) => plan.edited(&text),
        (Ok(text), None) => {
            let images = app.composer.editor.content().images();
            app.composer.editor.set_content(&Content::from_marked(text.trim_end_matches('\n'), &images));
        }
        (Err(error), plan) => {
            if let Some(plan) = plan {
                plan.is_edited = false;
            }
            app.hint(Token::Warning, error);
        }
    }
    app.surface.requests.push(TerminalRequest::Gesture(omp_tui::render::Gesture::Resume));
    app.surface.changed();
}

/// The result of a background job waits: if nothing else runs, the model reads it.
pub(crate) fn job_result(app: &mut App) {
    if app.turn.run.is_some() || app.recording.tape_fact("jobs", (), |()| serde_json::Value::Null).is_none() {
        return;
    }
    let session = app.session();
    app.go(
        "Working",
        move |cancel| async move { session.jobs().deliver(cancel).await.map_err(ModeError::from) },
    );
}
