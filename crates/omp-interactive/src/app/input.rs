//! Keys and pastes.

use omp_editor::decide::{
    ClearKey, ClearState, DoubleEscape, Escape, EscapeState, ExitKey, SendKey, clear_key, escape, exit_key,
};
use omp_editor::{Command, Outcome};
use omp_keys::table as actions;
use omp_keys::{Action, Chord, Context};
use omp_sdk::Direction;
use omp_sdk::settings::keys;
use omp_theme::Token;
use omp_tui::input::{Event, Key, KeyEventKind};
use omp_tui::render::Gesture;

use super::attaching::Wanted;
use super::{App, TerminalRequest};
use crate::app::commands::models;
use crate::app::composer::Composer;
use crate::app::{aside, attaching, compacting, drafting};
use crate::panels::history;

impl App {
    /// Takes something that the user did. A key goes to the panel in front, to vi, to the actions of the main view, and last
    /// to the editor.
    pub(crate) fn input(&mut self, event: Event) {
        if self.seen_first(&event) {
            return;
        }
        self.tape_input(&event);
        let key = match event {
            Event::Key(key) if key.kind == KeyEventKind::Release => return,
            Event::Key(key) => key,
            Event::Paste(text) => {
                attaching::insert_paste(self, text);
                return self.surface.echo();
            }
            Event::Focus(focused) => {
                self.surface.focused = focused;
                return;
            }
            Event::Mouse(_) | Event::Reply(_) => return,
        };
        self.surface.echo();
        self.status.banner = None;
        if self.panels.is_for_panel() {
            return self.key_in_panel(key);
        }
        if self.foreign_key(key) {
            return;
        }
        if self.vi_key(key) {
            return;
        }
        let chord = Chord::from(key);
        if self.extension_key(chord) {
            return;
        }
        // Nothing is typed with Escape, so it can close the list of completions first.
        if let Some(action) = self.composer.keys.action(Context::App, chord)
            && self.act(action)
        {
            return;
        }
        if let Some(command) = self.composer.editing(key, chord) {
            let outcome = self.composer.editor.apply(command);
            self.after(outcome);
        }
    }

    /// A key while the editor of an extension is in the place of ours: what the main view knows is done, the rest is typed there.
    fn foreign_key(&mut self, key: Key) -> bool {
        if self.foreign_editor_id().is_none() {
            return false;
        }
        let chord = Chord::from(key);
        let action = self.composer.keys.action(Context::App, chord);
        // Escape is for the editor as long as nothing runs.
        let action = action.filter(|action| *action != actions::INTERRUPT || self.turn.run.is_some());
        self.extension_key(chord) || action.is_some_and(|action| self.act(action)) || self.key_elsewhere(key)
    }

    /// Does what an action of the main view says; `false` leaves the key to the editor.
    fn act(&mut self, action: Action) -> bool {
        if !self.recording.may_act(action) {
            return true;
        }
        match action {
            actions::INTERRUPT => self.escape(),
            actions::EXIT => match exit_key(!self.composer.editor.is_empty()) {
                ExitKey::Exit => self.surface.requests.push(TerminalRequest::Quit),
                ExitKey::DeleteForward => return false,
            },
            actions::SUSPEND => self.surface.requests.push(TerminalRequest::Suspend),
            actions::DISPLAY_RESET => self.surface.requests.push(TerminalRequest::Gesture(Gesture::Reset)),
            actions::TOOLS_EXPAND => self.expand(),
            actions::THINKING_TOGGLE => {
                let shown = !self.surface.stage.thoughts();
                self.surface.stage.set_thoughts(shown);
                // What was thought before is shown or hidden, too.
                self.surface.draw_everything();
                self.hint(Token::Muted, if shown { "Thinking shown" } else { "Thinking hidden" });
            }
            actions::THINKING_CYCLE => models::cycle_thinking(self),
            actions::MODEL_CYCLE_FORWARD => models::cycle_model(self, Direction::Forward),
            actions::MODEL_CYCLE_BACKWARD => models::cycle_model(self, Direction::Backward),
            actions::RETRY => self.retry(),
            actions::SESSION_NEW => self.command("/new"),
            actions::SESSION_FORK => self.command("/fork"),
            actions::SESSION_RESUME => self.command("/resume"),
            actions::SESSION_TREE => self.command("/tree"),
            actions::MODEL_SELECT => self.command("/model"),
            actions::MODEL_SELECT_TEMPORARY => self.command("/switch"),
            actions::PLAN_TOGGLE => self.command("/plan"),
            actions::AGENTS_HUB | actions::SESSION_OBSERVE => {
                self.hint(Token::Warning, "Sub-agents aren't available yet");
            }
            actions::STT_TOGGLE => self.hint(Token::Warning, "Dictation isn't available yet"),
            _ => return self.act_on_prompt(action),
        }
        true
    }

    /// Does what an action says about the text in the editor; `false` if it says nothing.
    fn act_on_prompt(&mut self, action: Action) -> bool {
        match action {
            actions::CLEAR => self.clear_or_leave(),
            actions::HISTORY_SEARCH => history::search_history(self),
            actions::CLIPBOARD_PASTE_IMAGE => attaching::paste_clipboard(self, Wanted::Picture),
            actions::CLIPBOARD_PASTE_TEXT_RAW => attaching::paste_clipboard(self, Wanted::RawText),
            actions::MESSAGE_FOLLOW_UP => self.send(SendKey::FollowUp),
            actions::MESSAGE_DEQUEUE => {
                drafting::give_back(self);
                self.surface.changed();
            }
            actions::EDITOR_EXTERNAL => {
                let text = self.composer.typed_text();
                self.surface.edit_elsewhere(text);
            }
            actions::CLIPBOARD_COPY_LINE | actions::CLIPBOARD_COPY_PROMPT => {
                let Some(command) = Command::of_action(action.id()) else { return false };
                let outcome = self.composer.editor.apply(command);
                self.after(outcome);
            }
            _ => return false,
        }
        true
    }

    /// Ctrl+C: copies what is selected, else stops what is running, else empties the editor; twice it exits.
    fn clear_or_leave(&mut self) {
        let now = self.surface.now();
        let state = ClearState {
            has_selection: self.composer.editor.selection().is_some(),
            is_running: self.turn.run.is_some()
                || self.turn.shell.is_some()
                || self.turn.compacting.activity.is_some(),
        };
        match clear_key(state, &mut self.composer.clears, now) {
            ClearKey::Copy => {
                let outcome = self.composer.editor.apply(Command::Copy);
                self.after(outcome);
            }
            ClearKey::Interrupt => {
                self.interrupt();
                self.hint(Token::Muted, "Stopped (press Ctrl+C again to exit)");
            }
            ClearKey::Clear => {
                self.composer.editor.apply(Command::Clear);
                self.shown.channel.set_composing(false);
                self.composer.begin_anew();
                self.hint(Token::Muted, "Press Ctrl+C again to exit");
            }
            ClearKey::Exit => self.surface.requests.push(TerminalRequest::Quit),
        }
    }

    /// Stops everything that is running.
    fn interrupt(&mut self) {
        if self.turn.compacting.activity.is_some() {
            compacting::cancel_compaction(self);
        }
        if self.turn.shell.is_some() {
            self.turn.abort_shell();
        }
        if self.turn.run.is_some() {
            self.shown.driver.pause_loop();
            self.abort();
        }
    }

    fn escape(&mut self) {
        let now = self.surface.now();
        let state = self.to_leave();
        match escape(state, &mut self.composer.escapes, now) {
            Escape::Editor => {
                self.composer.editor.apply(Command::Cancel);
            }
            Escape::CancelCompaction | Escape::CancelHandoff => compacting::cancel_compaction(self),
            Escape::CancelRetry => self.session().control().abort_retry(),
            Escape::PauseLoop => {
                self.shown.driver.pause_loop();
                self.hint(
                    Token::Muted,
                    "Loop paused: this turn continues, and no other starts automatically",
                );
            }
            Escape::ClosePanel => aside::close_aside(self),
            Escape::AbortTurn => self.abort(),
            Escape::AbortShell => self.turn.abort_shell(),
            Escape::ClearText => {
                self.composer.editor.apply(Command::Clear);
            }
            Escape::OpenTree => self.command("/tree"),
            Escape::OpenBranch => self.command("/branch"),
            _ => {}
        }
        self.shown.channel.set_composing(!self.composer.editor.is_empty());
    }

    /// What Escape could leave now.
    fn to_leave(&self) -> EscapeState {
        // To those who edit with vi, Escape is no word for throwing the text away.
        let kept = self.composer.vi.is_some() && !self.composer.editor.is_empty();
        EscapeState {
            editor_open: self.composer.editor.is_completing()
                || self.composer.editor.is_waiting_for_jump()
                || self.composer.editor.selection().is_some(),
            compacting: self.turn.compacting.activity.is_some(),
            retrying: self.turn.retrying.is_some(),
            panel_open: self.panels.asides.is_open(),
            looping: self.turn.run.is_some() && self.shown.driver.is_repeating(),
            streaming: self.turn.run.is_some(),
            shell_running: self.turn.shell.is_some(),
            has_text: !self.composer.editor.is_empty() && !kept,
            double: match self.session().settings().get(keys::DOUBLE_ESCAPE_ACTION) {
                _ if kept => DoubleEscape::None,
                "branch" => DoubleEscape::Branch,
                "none" => DoubleEscape::None,
                _ => DoubleEscape::Tree,
            },
            ..EscapeState::default()
        }
    }

    /// What the editor answered.
    pub(super) fn after(&mut self, outcome: Outcome) {
        match outcome {
            Outcome::Submit(_) => self.send(SendKey::Enter),
            Outcome::Copy(text) => attaching::copy(self, &text),
            Outcome::Refused(reason) => self.hint(Token::Warning, reason),
            Outcome::AskPaste => attaching::ask_about_paste(self),
            Outcome::Attach(paths) if self.recording.may_do("a file that was attached") => {
                attaching::attach(self, paths);
            }
            Outcome::SavePaste(text) if self.recording.may_do("a paste that became a file") => {
                attaching::save_paste(self, text);
            }
            Outcome::Attach(_) | Outcome::SavePaste(_) => {}
            Outcome::Ignored | Outcome::Handled => {}
        }
        self.shown.channel.set_composing(!self.composer.editor.is_empty());
        self.complete();
    }
}

impl Composer {
    /// What a key means in the editor.
    fn editing(&self, key: Key, chord: Chord) -> Option<Command> {
        // Enter is the editor's: a command that is typed in full is sent, not completed.
        let listed = self.keys.action(Context::Select, chord).filter(|_| self.editor.is_completing());
        let listed = listed.filter(|action| *action != actions::SELECT_CONFIRM);
        let action = listed.or_else(|| self.keys.action(Context::Editor, chord));
        action.and_then(|action| Command::of_action(action.id())).or_else(|| Command::of_key(key))
    }
}
