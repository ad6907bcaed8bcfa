//! Keys and pastes.

use omp_editor::decide::{
    ClearKey, DoubleEscape, Escape, EscapeState, ExitKey, SendKey, clear_key, escape, exit_key,
};
use omp_editor::{Command, Outcome};
use omp_keys::table as actions;
use omp_keys::{Action, Chord, Context};
use omp_sdk::settings::keys;
use omp_theme::Token;
use omp_tui::input::{Event, Key, Kind};
use omp_tui::render::Gesture;
use omp_tui::schedule::Request;

use super::{App, Wish};

impl App {
    /// Takes something that the user did.
    pub(crate) fn input(&mut self, event: Event) {
        match event {
            Event::Key(key) if key.kind == Kind::Release => return,
            Event::Key(key) => self.key(key),
            Event::Paste(text) if self.has_panel() => self.paste_in_panel(&text),
            Event::Paste(text) => {
                let outcome = self.editor.apply(Command::Paste(text));
                self.after(outcome);
            }
            Event::Focus(focused) => {
                self.focused = focused;
                return;
            }
            Event::Mouse(_) | Event::Reply(_) => return,
        }
        let now = self.now();
        self.scheduler.request(Request::Key, now);
    }

    fn key(&mut self, key: Key) {
        self.banner = None;
        let chord = Chord::from(key);
        if self.has_panel() {
            self.key_in_panel(key);
            return;
        }
        // Nothing is typed with Escape, so it can close the list of completions first.
        if let Some(action) = self.keys.action(Context::App, chord)
            && self.act(action)
        {
            return;
        }
        // Enter is the editor's: a command that is typed in full is sent, not completed.
        if self.editor.is_completing()
            && let Some(action) = self.keys.action(Context::Select, chord)
            && action != actions::SELECT_CONFIRM
            && let Some(command) = Command::of_action(action.id())
        {
            let outcome = self.editor.apply(command);
            self.after(outcome);
            return;
        }
        if let Some(command) =
            self.keys.action(Context::Editor, chord).and_then(|action| Command::of_action(action.id()))
        {
            let outcome = self.editor.apply(command);
            self.after(outcome);
            return;
        }
        if let Some(command) = Command::of_key(key) {
            let outcome = self.editor.apply(command);
            self.after(outcome);
        }
    }

    /// Does what an action of the main view says; `false` leaves the key to the editor.
    fn act(&mut self, action: Action) -> bool {
        let now = self.now();
        match action {
            actions::INTERRUPT => self.escape(),
            actions::CLEAR => match clear_key(self.editor.selection().is_some(), &mut self.clears, now) {
                ClearKey::Copy => {
                    let outcome = self.editor.apply(Command::Copy);
                    self.after(outcome);
                }
                ClearKey::Clear => {
                    self.editor.apply(Command::Clear);
                    self.hint(Token::Muted, "Press Ctrl+C again to leave.");
                }
                ClearKey::Exit => self.wishes.push(Wish::Quit),
            },
            actions::EXIT => match exit_key(!self.editor.is_empty()) {
                ExitKey::Exit => self.wishes.push(Wish::Quit),
                ExitKey::DeleteForward => return false,
            },
            actions::SUSPEND => self.wishes.push(Wish::Suspend),
            actions::DISPLAY_RESET => self.wishes.push(Wish::Gesture(Gesture::Reset)),
            actions::TOOLS_EXPAND => {
                self.stage.toggle_expanded();
                self.changed();
            }
            actions::THINKING_TOGGLE => {
                let shown = !self.stage.thoughts();
                self.stage.set_thoughts(shown);
                self.hint(Token::Muted, if shown { "Thinking is shown." } else { "Thinking is hidden." });
            }
            actions::THINKING_CYCLE => self.cycle_thinking(),
            actions::MODEL_CYCLE_FORWARD => self.cycle_model(),
            actions::MESSAGE_FOLLOW_UP => self.send(SendKey::FollowUp),
            actions::MESSAGE_DEQUEUE => {
                self.give_back();
                self.changed();
            }
            actions::RETRY => self.retry(),
            actions::EDITOR_EXTERNAL => {
                let text = self.editor.content().text();
                self.wishes.push(Wish::ExternalEditor(text));
            }
            actions::CLIPBOARD_COPY_LINE | actions::CLIPBOARD_COPY_PROMPT => {
                let Some(command) = Command::of_action(action.id()) else { return false };
                let outcome = self.editor.apply(command);
                self.after(outcome);
            }
            actions::SESSION_NEW => self.command("/new"),
            actions::SESSION_FORK => self.command("/fork"),
            actions::SESSION_RESUME => self.command("/resume"),
            actions::SESSION_TREE => self.command("/tree"),
            actions::MODEL_SELECT => self.command("/model"),
            actions::MODEL_SELECT_TEMPORARY => self.command("/switch"),
            actions::PLAN_TOGGLE => self.command("/plan"),
            _ => return false,
        }
        true
    }

    fn escape(&mut self) {
        let now = self.now();
        let state = EscapeState {
            editor_open: self.editor.is_completing()
                || self.editor.is_waiting_for_jump()
                || self.editor.selection().is_some(),
            retrying: self.retrying.is_some(),
            looping: self.driver.is_looping() && self.run.is_some(),
            streaming: self.run.is_some(),
            shell_running: self.shell.is_some(),
            has_text: !self.editor.is_empty(),
            double: match self.session().settings().get(keys::DOUBLE_ESCAPE_ACTION) {
                "branch" => DoubleEscape::Branch,
                "none" => DoubleEscape::None,
                _ => DoubleEscape::Tree,
            },
            ..EscapeState::default()
        };
        match escape(state, &mut self.escapes, now) {
            Escape::Editor => {
                self.editor.apply(Command::Cancel);
            }
            Escape::CancelRetry => self.session().control().abort_retry(),
            Escape::AbortTurn => self.abort(),
            Escape::AbortShell => self.abort_shell(),
            Escape::ClearText => {
                self.editor.apply(Command::Clear);
            }
            Escape::OpenTree => self.command("/tree"),
            Escape::OpenBranch => self.command("/branch"),
            _ => {}
        }
    }

    /// What the editor answered.
    pub(super) fn after(&mut self, outcome: Outcome) {
        match outcome {
            Outcome::Submit(_) => self.send(SendKey::Enter),
            Outcome::Copy(text) => self.copy(&text),
            Outcome::Refused(reason) => self.hint(Token::Warning, reason),
            Outcome::AskPaste => self.ask_about_paste(),
            Outcome::Attach(paths) => self.attach(paths),
            // Nobody offers to save a paste.
            Outcome::Ignored | Outcome::Handled | Outcome::SavePaste(_) => {}
        }
        self.link.set_composing(!self.editor.is_empty());
        self.complete();
    }
}
