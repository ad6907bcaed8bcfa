//! What is sent, and what stops it.

use std::time::Duration;

use omp_commands::{Submission, interpret};
use omp_editor::decide::{Enter, EnterState, Queue, SendKey, enter};
use omp_editor::{Command, Content, ContentPart, Meaning};
use omp_sdk::{AgentError, ModeError, Outcome, Prompt};
use omp_theme::Token;
use omp_types::{StopReason, UserBlock, UserContent};
use omp_view::message::{self, TurnEnding};
use tokio_util::sync::CancellationToken;

use super::{App, Run, Task};
use crate::app::commands::model_change;
use crate::app::composer::Composer;
use crate::app::turn::Turn;
use crate::app::{compacting, drafting, naming, shell, switching};

impl App {
    /// Sends what is in the editor, in the way that fits the moment.
    pub(super) fn send(&mut self, key: SendKey) {
        if self.composer.loading > 0 {
            self.hint(Token::Warning, "Still reading the paste; press Enter again");
            return;
        }
        if self.hear_first(key) {
            return;
        }
        let content = self.composer.editor.content();
        let text = content.text();
        // A paste that begins with a slash is no command.
        let is_typed =
            !matches!(interpret(self.composer.editor.shown_line(0).trim_start()), Submission::Prompt);
        if let Submission::Builtin(call) = interpret(text.trim())
            && is_typed
        {
            self.take_text();
            self.note(&text);
            self.run_command(call);
            return;
        }
        if is_typed && self.run_extension_command(text.trim()) {
            self.take_text();
            self.note(&text);
            return;
        }
        if is_typed && let Some(complaint) = omp_commands::unknown(&self.session(), text.trim()) {
            self.hint(Token::Warning, complaint);
            return;
        }
        let state = EnterState {
            streaming: self.turn.run.is_some(),
            compacting: self.turn.compacting.activity.is_some(),
            queued: self.session().control().queued() != (0, 0),
            shell_running: self.turn.shell.is_some(),
            ..EnterState::default()
        };
        let meaning = self.composer.editor.meaning();
        match enter(key, &meaning, state) {
            Enter::Nothing => {}
            Enter::Prompt | Enter::Queue(_) | Enter::AfterCompaction(_)
                if self.shown.switching.is_going() && meaning != Meaning::Continue =>
            {
                self.take_text();
                self.note(&text);
                self.shown.switching.hold(content);
            }
            Enter::Prompt => {
                self.take_text();
                self.note(&text);
                self.prompt(Prompt::words(unescaped(self.composer.said(&content))));
            }
            Enter::Continue => {
                self.take_text();
                self.prompt(continuation());
            }
            Enter::Queue(_) | Enter::AfterCompaction(_) if meaning == Meaning::Continue => {
                self.take_text();
                self.turn.waiting.push_back(continuation());
                self.hint(Token::Muted, "Continuing after this turn");
            }
            Enter::Queue(queue) | Enter::AfterCompaction(queue) => {
                self.take_text();
                self.note(&text);
                self.queue_words(queue, unescaped(self.composer.said(&content)));
            }
            Enter::DeliverQueue => drafting::deliver_queue(self),
            Enter::Shell { command, visibility } => {
                self.take_text();
                self.note(&text);
                shell::run_shell(self, command, visibility);
            }
            Enter::Python { .. } => {
                self.hint(Token::Warning, "Python ($) isn't available yet; use ! to run a command");
            }
            Enter::Keep(kept) => self.hint(Token::Warning, kept.message()),
        }
    }

    /// Lets words wait for their moment in the turn that runs. Commands and templates become their texts first.
    pub(super) fn queue_words(&mut self, queue: Queue, content: UserContent) {
        let session = self.session();
        let is_plain = matches!(interpret(&content.text()), Submission::Prompt);
        if is_plain && !session.input().has_prompt_hooks() {
            self.enqueue(queue, content);
            return;
        }
        self.spawn(async move {
            if let Err(reason) = session.input().ask_hooks(&content).await {
                return Box::new(move |app: &mut Self| app.complain(&reason)) as Task;
            }
            let (content, warnings) = session.input().expand(content).await;
            Box::new(move |app: &mut Self| {
                warnings.iter().for_each(|warning| app.remark(warning));
                match app.turn.run.is_some() {
                    true => app.enqueue(queue, content),
                    false => app.prompt(Prompt::words(content)),
                }
            }) as Task
        });
    }

    fn enqueue(&mut self, queue: Queue, content: UserContent) {
        let control = self.session().control();
        match queue {
            Queue::Steer => control.steer(content),
            Queue::FollowUp => control.follow_up(content),
        };
        self.surface.changed();
    }

    /// Empties the editor: its text is dealt with.
    fn take_text(&mut self) {
        self.composer.editor.take();
        self.shown.channel.set_composing(false);
        self.composer.begin_anew();
    }

    /// Keeps what was typed in the history of prompts.
    pub(super) fn note(&mut self, text: &str) {
        self.session().input().note_typed(text.trim());
        self.composer.recent.add(text.trim());
    }

    /// Sends a prompt and waits for everything that follows from it.
    pub(super) fn prompt(&mut self, prompt: Prompt) {
        naming::name_session(self, &prompt);
        let driver = self.shown.driver.clone();
        self.go("Working", move |cancel| async move { driver.submit(prompt, cancel).await.map(Some) });
    }

    /// Lets something run as the turn of the moment.
    pub(super) fn go<F>(&mut self, what: &'static str, work: impl FnOnce(CancellationToken) -> F)
    where
        F: Future<Output = Result<Option<Outcome>, ModeError>> + Send + 'static,
    {
        let cancel = CancellationToken::new();
        compacting::not_idle(self);
        self.turn.runs += 1;
        let number = self.turn.runs;
        self.turn.run = Some(Run { cancel: cancel.clone(), begun: self.turn_now(), what });
        let work = work(cancel);
        self.spawn(async move {
            let ended = work.await;
            Box::new(move |app: &mut Self| app.tape_end(number, ended)) as Task
        });
        self.surface.changed();
    }

    /// A turn is over. What was typed too late for it begins the next one, unless that would only fail again.
    pub(super) fn ended(&mut self, number: u64, ended: Result<Option<Outcome>, ModeError>) {
        if number != self.turn.runs {
            return;
        }
        if !self.turn.changes.is_empty() {
            model_change::make_changes(self, move |app| app.ended(number, ended));
            return;
        }
        let begun = self.turn.run.take().map(|run| run.begun);
        if let (Some(begun), Ok(Some(outcome))) = (begun, &ended) {
            self.sum_up_turn(begun, outcome);
        }
        let failed = match &ended {
            Ok(outcome) => outcome.as_ref().is_some_and(has_failed),
            Err(_) => true,
        };
        match ended {
            Ok(_) => {}
            Err(ModeError::Agent(AgentError::NothingToRetry)) => {
                self.hint(Token::Warning, "Nothing to retry");
            }
            Err(error) => self.complain(&error.to_string()),
        }
        self.surface.notify("Turn finished");
        self.refresh();
        if switching::begins_after_turn(self) {
            return;
        }
        if failed {
            drafting::give_back(self);
        }
        self.send_waiting();
        if self.turn.run.is_none() && !compacting::compacts_next(self) {
            drafting::deliver_held(self);
        }
        if self.turn.run.is_none() {
            compacting::after_turn(self);
        }
    }

    /// A row below a turn: how long it took, and what it cost.
    fn sum_up_turn(&mut self, begun: Duration, outcome: &Outcome) {
        let took = self.turn_now().saturating_sub(begun);
        if let Some(text) =
            message::turn_summary(took, &outcome.messages, TurnEnding::of(outcome.interrupted))
        {
            self.show_rows(move |look| look.wrapped(Token::Dim, &look.hint(&text), 2));
        }
    }

    /// Stops the turn; what waits to be said goes back into the editor.
    pub(crate) fn abort(&mut self) {
        if let Some(run) = &self.turn.run {
            run.cancel.cancel();
        }
        drafting::give_back(self);
        self.surface.changed();
    }

    /// Sends what an extension wants to be sent, if nothing else runs.
    pub(crate) fn send_of_extension(&mut self) {
        if self.turn.run.is_none()
            && let Some(prompt) = self.session().extensions().take_prompt()
        {
            self.recording.leave_tape("a prompt of an extension");
            self.prompt(prompt);
        }
    }

    pub(super) fn retry(&mut self) {
        if self.turn.run.is_some() {
            self.hint(Token::Warning, "the model is still responding (Esc to stop)");
            return;
        }
        let session = self.session();
        self.go("Retrying", move |cancel| async move {
            session.retry(cancel).await.map(Some).map_err(ModeError::from)
        });
    }

    /// Runs a command as if it had been typed.
    pub(super) fn command(&mut self, line: &str) {
        if let Submission::Builtin(call) = interpret(line) {
            self.run_command(call);
        }
    }

    pub(crate) fn set_text(&mut self, text: &str) {
        self.composer.editor.apply(Command::Clear);
        let mut content = Content::default();
        content.push(ContentPart::Text(text.to_owned()));
        self.composer.editor.set_content(&content);
        self.surface.changed();
    }
}

impl Composer {
    /// What the content is to the model.
    pub(super) fn said(&self, content: &Content) -> UserContent {
        self.images.content(content)
    }

    /// What is in the editor, as text.
    pub(crate) fn typed_text(&self) -> String {
        self.editor.content().text()
    }
}

impl Turn {
    /// The turn of the session that was left has no say any more.
    pub(super) fn leave_run(&mut self) {
        self.runs += 1;
        self.run = None;
        self.compacting.activity = None;
        self.changes.clear();
    }
}

/// The model could not be asked, or not to the end.
fn has_failed(outcome: &Outcome) -> bool {
    outcome.last_answer().is_some_and(|answer| answer.stop_reason == StopReason::Error)
}

/// Continue, without a visible message.
fn continuation() -> Prompt {
    Prompt::hidden("continue", "Continue with the previous work.")
}

/// `//name` sends `/name` as it is written.
fn unescaped(content: UserContent) -> UserContent {
    let unescape =
        |text: String| omp_commands::as_prompt(text.trim_start()).map(str::to_owned).unwrap_or(text);
    match content {
        UserContent::Text(text) => UserContent::Text(unescape(text)),
        UserContent::Blocks(mut blocks) => {
            if let Some(UserBlock::Text(first)) = blocks.first_mut() {
                first.text = unescape(std::mem::take(&mut first.text));
            }
            UserContent::Blocks(blocks)
        }
    }
}
