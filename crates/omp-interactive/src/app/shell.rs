//! Commands that the user runs with `!`, the user's own editor, and background jobs.

use std::sync::Arc;

use omp_editor::{Content, Visibility};
use omp_sdk::{ModeError, UserCommand};
use omp_theme::Token;
use omp_tui::text::Line;
use omp_tui::transcript::{Block, Transcript};
use omp_types::{CustomMessage, UserContent};
use omp_view::bang::{BangState, BangView};
use omp_view::tool::Expansion;
use tokio_util::sync::CancellationToken;

use super::{App, Task, Wish};
use crate::blocks::{Shared, apart};
use crate::stage::Stage;

/// A command of the user on the screen.
pub(super) struct Bang {
    stage: Stage,
    view: BangView,
    over: bool,
}

impl Block for Bang {
    fn rows(&mut self, width: usize) -> Arc<[Line]> {
        let look = self.stage.look(width);
        let expansion = if self.stage.expanded() { Expansion::Expanded } else { Expansion::Collapsed };
        apart(self.view.rows(&look, expansion)).into()
    }

    fn is_final(&self) -> bool {
        self.over
    }
}

impl App {
    /// Runs a command of the user; the model reads of it with the next prompt, unless it is private.
    pub(super) fn run_shell(&mut self, command: String, visibility: Visibility) {
        let mut view = BangView::new(&command);
        if visibility == Visibility::Private {
            view = view.hidden_from_model();
        }
        let bang = Shared::new(Bang { stage: self.stage.clone(), view, over: false });
        if let Some(transcript) = self.ui.get_mut::<Transcript>(self.lanes.transcript) {
            transcript.push(Box::new(bang.clone()));
        }
        let cancel = CancellationToken::new();
        self.shell = Some((cancel.clone(), bang));
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
        if let Some((_, bang)) = &self.shell {
            bang.with(|bang| bang.view.replace(tail));
        }
        self.changed();
    }

    fn command_ended(&mut self, command: &str, done: &UserCommand, visibility: Visibility) {
        if let Some((_, bang)) = &self.shell {
            bang.with(|bang| bang.view.replace(&done.output));
        }
        let state = match done.exit_code {
            Some(code) => BangState::Exited(code),
            None if done.cancelled => BangState::Cancelled,
            None => BangState::Failed("its end is not known".to_owned()),
        };
        let everything = done.artifact_id.as_ref().map(|id| format!("artifact://{id}"));
        self.finish_shell(state, everything);
        if visibility == Visibility::Shared {
            let code =
                done.exit_code.map_or_else(|| "stopped".to_owned(), |code| format!("exit code {code}"));
            let text = format!("The user ran a command ({code}):\n$ {command}\n{}", done.output.trim_end());
            self.session().control().next_prompt(CustomMessage {
                custom_type: "bash-execution".to_owned(),
                content: UserContent::Text(text),
                display: false,
                details: serde_json::to_value(done).ok(),
                timestamp: u64::try_from(jiff::Timestamp::now().as_millisecond()).unwrap_or_default(),
            });
        }
    }

    fn finish_shell(&mut self, state: BangState, everything: Option<String>) {
        if let Some((_, bang)) = self.shell.take() {
            bang.with(|bang| {
                bang.view.finish(state, everything);
                bang.over = true;
            });
        }
        self.changed();
    }

    pub(super) fn abort_shell(&mut self) {
        if let Some((cancel, _)) = &self.shell {
            cancel.cancel();
        }
    }

    /// What the user's editor left; `None` if it failed.
    pub(crate) fn edited_elsewhere(&mut self, text: Result<String, String>) {
        match text {
            Ok(text) => {
                let images = self.editor.content().images();
                self.editor.set_content(&Content::from_marked(text.trim_end_matches('\n'), &images));
            }
            Err(error) => self.hint(Token::Warning, error),
        }
        self.wishes.push(Wish::Gesture(omp_tui::render::Gesture::Resume));
        self.changed();
    }

    /// The result of a background job waits: if nothing else goes on, the model reads it.
    pub(crate) fn job_result(&mut self) {
        if self.run.is_some() {
            return;
        }
        let session = self.session();
        self.go("Working", move |cancel| async move {
            session.deliver_results(cancel).await.map(drop).map_err(ModeError::from)
        });
    }

    pub(crate) fn is_idle(&self) -> bool {
        self.run.is_none()
    }
}
