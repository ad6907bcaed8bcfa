//! Commands that the user runs with `!`, the user's own editor, and background jobs.

use omp_editor::{Content, Visibility};
use omp_sdk::{Audience, ModeError, UserCommand};
use omp_theme::Token;
use omp_tui::transcript::Transcript;
use omp_view::bang::{BangState, BangView};
use tokio_util::sync::CancellationToken;

use super::{App, Task, Wish};
use crate::blocks::Bang;
use crate::panels::review::Plan;

impl App {
    /// Runs a command of the user; the model reads of it with the next prompt, unless it is private.
    pub(super) fn run_shell(&mut self, command: String, visibility: Visibility) {
        let mut view = BangView::new(&command);
        if visibility == Visibility::Private {
            view = view.hidden_from_model();
        }
        let bang = Bang::new(self.surface.stage.clone(), view);
        let cancel = CancellationToken::new();
        if let Some(transcript) = self.surface.ui.get_mut::<Transcript>(self.surface.lanes.transcript) {
            let bang = self.shown.conversation.show_command(transcript, bang);
            self.turn.shell = Some((cancel.clone(), bang));
        }
        let (session, tasks) = (self.session(), self.tasks.clone());
        self.spawn(async move {
            let seen = command.clone();
            let outcome = session
                .run_command(&command, None, &cancel, |snapshot| {
                    let tail = snapshot.tail.clone();
                    let show: Task = Box::new(move |app: &mut Self| app.show_output(&tail));
                    // The program has ended if nobody takes it.
                    let _ = tasks.send(show);
                })
                .await;
            Box::new(move |app: &mut Self| match outcome {
                Ok(done) => app.command_ended(&seen, &done, visibility),
                Err(error) => app.finish_shell(BangState::Failed(error.to_string()), None),
            }) as Task
        });
        self.changed();
    }

    fn show_output(&mut self, tail: &str) {
        if let Some((_, bang)) = &self.turn.shell {
            bang.with(|bang| bang.view.replace(tail));
        }
        self.changed();
    }

    fn command_ended(&mut self, command: &str, done: &UserCommand, visibility: Visibility) {
        if let Some((_, bang)) = &self.turn.shell {
            bang.with(|bang| bang.view.replace(&done.output));
        }
        let state = match done.exit_code {
            Some(code) => BangState::Exited(code),
            None if done.cancelled => BangState::Cancelled,
            None => BangState::Failed("exit status unknown".to_owned()),
        };
        let everything = done.artifact_id.as_ref().map(|id| format!("artifact://{id}"));
        self.finish_shell(state, everything);
        let audience = match visibility {
            Visibility::Shared => Audience::Model,
            Visibility::Private => Audience::User,
        };
        let (session, command, done) = (self.session(), command.to_owned(), done.clone());
        self.spawn(async move {
            let kept = session.record_command(&command, &done, audience).await;
            Box::new(move |app: &mut Self| {
                if let Err(error) = kept {
                    app.complain(&format!("could not add the command to the conversation: {error}"));
                }
            }) as Task
        });
    }

    fn finish_shell(&mut self, state: BangState, everything: Option<String>) {
        self.composer.finder.forget();
        if let Some((_, bang)) = self.turn.shell.take() {
            bang.with(|bang| bang.finish(state, everything));
        }
        self.changed();
    }

    pub(super) fn abort_shell(&mut self) {
        if let Some((cancel, _)) = &self.turn.shell {
            cancel.cancel();
        }
    }

    /// Lets the user change a text in another program.
    pub(crate) fn edit_elsewhere(&mut self, text: String) {
        self.surface.wishes.push(Wish::ExternalEditor(text));
    }

    /// What the user's editor left; `None` if it failed.
    pub(crate) fn edited_elsewhere(&mut self, text: Result<String, String>) {
        // What came up meanwhile was not on the screen.
        self.panels.typed = Some(self.now());
        let plan = self.panel::<Plan>().filter(|plan| plan.is_edited);
        match (text, plan) {
            (Ok(text), Some(plan)) => plan.edited(&text),
            (Ok(text), None) => {
                let images = self.composer.editor.content().images();
                self.composer.editor.set_content(&Content::from_marked(text.trim_end_matches('\n'), &images));
            }
            (Err(error), plan) => {
                if let Some(plan) = plan {
                    plan.is_edited = false;
                }
                self.hint(Token::Warning, error);
            }
        }
        self.surface.wishes.push(Wish::Gesture(omp_tui::render::Gesture::Resume));
        self.changed();
    }

    /// The result of a background job waits: if nothing else goes on, the model reads it.
    pub(crate) fn job_result(&mut self) {
        if self.turn.run.is_some() || self.tape_fact("jobs", (), |()| serde_json::Value::Null).is_none() {
            return;
        }
        let session = self.session();
        self.go("Working", move |cancel| async move {
            session.deliver_results(cancel).await.map_err(ModeError::from)
        });
    }

    pub(crate) fn is_idle(&self) -> bool {
        self.turn.run.is_none()
    }
}
