//! What the built-in commands do.

use omp_commands::{Call, Handler, ScreenCommand};
use omp_theme::Token;
use omp_tui::transcript::Transcript;
use omp_types::Message;

use super::{App, Task, TerminalRequest};
use crate::app::commands::{
    branch, copy, debug, extensions, login, mcp, models, plan_review, plugins, queue, rewind, session,
    settings, setup, share, text_answer, theme,
};
use crate::app::{aside, compacting, modes, switching};
use crate::panels::{sessions, tree};

impl App {
    /// Runs a built-in command.
    pub(super) fn run_command(&mut self, call: Call<'_>) {
        if !self.recording.may_run(call.command.name) {
            return;
        }
        match call.command.handler {
            Handler::Text(_) => text_answer::answer(self, call),
            Handler::Screen(command) | Handler::Both(_, command) => self.run_screen_command(command, call),
            Handler::Unavailable => self.hint(Token::Warning, call.command.not_available()),
        }
    }

    /// Runs a command that has a view of its own.
    fn run_screen_command(&mut self, command: ScreenCommand, call: Call<'_>) {
        let arguments = call.arguments;
        match command {
            ScreenCommand::Hotkeys => self.hotkeys(),
            ScreenCommand::Exit => self.surface.requests.push(TerminalRequest::Quit),
            ScreenCommand::New => switching::begin_session(self),
            ScreenCommand::Drop => session::drop_session(self, call),
            ScreenCommand::Fork if self.turn.run.is_some() => self.busy(),
            ScreenCommand::Fork => {
                switching::switch_session(self, |host| async move { host.fork().await }, "Session forked");
            }
            ScreenCommand::Resume => sessions::open_session_list(self),
            ScreenCommand::Branch => branch::pick_branch(self),
            ScreenCommand::Model => models::choose_model(self, arguments),
            ScreenCommand::Switch => models::switch_model(self, arguments),
            ScreenCommand::Copy => copy::pick_copy(self),
            ScreenCommand::Session => session::about_session(self, call),
            ScreenCommand::Share => share::share(self, call),
            ScreenCommand::Export => text_answer::export(self, call),
            ScreenCommand::Extensions if arguments.is_empty() => extensions::show_extensions(self, 0),
            ScreenCommand::Todo if arguments == "edit" => debug::edit_tasks(self),
            ScreenCommand::Debug if arguments.is_empty() => debug::debug_menu(self, call.command),
            ScreenCommand::Rewind if arguments.is_empty() => rewind::pick_rewind(self),
            ScreenCommand::Mcp if arguments.is_empty() => mcp::open_servers(self),
            ScreenCommand::Marketplace if arguments.is_empty() => plugins::open_browser(self),
            ScreenCommand::Extensions
            | ScreenCommand::Todo
            | ScreenCommand::Debug
            | ScreenCommand::Rewind
            | ScreenCommand::Marketplace
            | ScreenCommand::Mcp => {
                text_answer::answer(self, call);
            }
            ScreenCommand::Queue => queue::queue(self, arguments),
            ScreenCommand::Clear => queue::clear_context(self),
            ScreenCommand::Tree => tree::pick_place(self),
            ScreenCommand::Btw => aside::ask_aside(self, arguments),
            ScreenCommand::Compact => compacting::compact(self, arguments),
            ScreenCommand::Handoff => compacting::hand_off(self, arguments),
            ScreenCommand::Retry => self.retry(),
            ScreenCommand::Plan => modes::toggle_plan(self, arguments),
            ScreenCommand::PlanReview => plan_review::reopen_review(self),
            ScreenCommand::Goal => modes::goal_command(self, arguments),
            ScreenCommand::GuidedGoal => plan_review::guided_goal(self, arguments),
            ScreenCommand::Loop => modes::toggle_loop(self, arguments),
            ScreenCommand::Theme => theme::pick_theme(self),
            ScreenCommand::Settings => settings::open_settings(self),
            ScreenCommand::Setup => setup::set_up(self, arguments),
            ScreenCommand::Login => login::login(self, arguments),
            ScreenCommand::Logout => login::logout(self, arguments),
            ScreenCommand::Provider => setup::add_provider(self, arguments),
        }
    }

    pub(super) fn busy(&mut self) {
        self.hint(Token::Warning, "the model is still responding (Esc to stop)");
    }

    /// Takes up the facts of the current session.
    pub(super) fn refresh(&mut self) {
        let session = self.session();
        self.spawn(async move {
            let thinking = session.models().thinking().await;
            Box::new(move |app: &mut Self| app.know_thinking(thinking)) as Task
        });
    }

    /// Shows the conversation of the current session.
    pub(crate) fn show_conversation(&mut self, messages: &[std::sync::Arc<Message>]) {
        self.know_drawers();
        self.status.spent = 0.0;
        self.status.context = 0;
        for message in messages {
            if let Message::Assistant(answer) = &**message {
                self.status.spent += answer.usage.cost.total;
            }
        }
        compacting::estimate_context(self);
        if let Some(transcript) = self.surface.ui.get_mut::<Transcript>(self.surface.lanes.transcript) {
            self.shown.conversation.replay(transcript, messages);
        }
        self.surface.changed();
    }
}
