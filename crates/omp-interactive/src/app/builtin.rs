//! What the built-in commands do.

use omp_commands::{Call, Handler, ScreenCommand};
use omp_theme::Token;
use omp_tui::transcript::Transcript;
use omp_types::Message;

use super::{App, Task, Wish};

impl App {
    /// Runs a built-in command.
    pub(super) fn run_command(&mut self, call: Call<'_>) {
        if !self.may_run(call.command.name) {
            return;
        }
        match call.command.handler {
            Handler::Text(_) => self.answer(call),
            Handler::Screen(command) | Handler::Both(_, command) => self.run_screen_command(command, call),
            Handler::Unavailable => self.hint(Token::Warning, call.command.not_available()),
        }
    }

    /// Runs a command that has a view of its own.
    fn run_screen_command(&mut self, command: ScreenCommand, call: Call<'_>) {
        let arguments = call.arguments;
        match command {
            ScreenCommand::Hotkeys => self.hotkeys(),
            ScreenCommand::Exit => self.surface.wishes.push(Wish::Quit),
            ScreenCommand::New => {
                self.switch_session(|host| async move { host.begin().await }, "New session started");
            }
            ScreenCommand::Fork if self.turn.run.is_some() => self.busy(),
            ScreenCommand::Fork => {
                self.switch_session(|host| async move { host.fork().await }, "Session forked");
            }
            ScreenCommand::Resume => self.pick_session(),
            ScreenCommand::Branch => self.pick_branch(),
            ScreenCommand::Model => self.choose_model(arguments),
            ScreenCommand::Switch => self.switch_model(arguments),
            ScreenCommand::Copy => self.pick_copy(),
            ScreenCommand::Session => self.about_session(call),
            ScreenCommand::Share => self.share(call),
            ScreenCommand::Export => self.export(call),
            ScreenCommand::Extensions => self.show_extensions(0),
            ScreenCommand::Todo if arguments == "edit" => self.edit_tasks(),
            ScreenCommand::Debug if arguments.is_empty() => self.debug_menu(call.command),
            ScreenCommand::Rewind if arguments.is_empty() => self.pick_rewind(),
            ScreenCommand::Todo | ScreenCommand::Debug | ScreenCommand::Rewind => self.answer(call),
            ScreenCommand::Queue => self.queue(arguments),
            ScreenCommand::Clear => self.clear_context(),
            ScreenCommand::Tree => self.pick_place(),
            ScreenCommand::Btw => self.ask_aside(arguments),
            ScreenCommand::Compact => self.compact(arguments),
            ScreenCommand::Handoff => self.hand_off(arguments),
            ScreenCommand::Retry => self.retry(),
            ScreenCommand::Plan => self.toggle_plan(arguments),
            ScreenCommand::PlanReview => self.reopen_review(),
            ScreenCommand::Goal => self.goal(arguments),
            ScreenCommand::GuidedGoal => self.guided_goal(arguments),
            ScreenCommand::Loop => self.toggle_loop(arguments),
            ScreenCommand::Theme => self.pick_theme(),
            ScreenCommand::Settings => self.open_settings(),
            ScreenCommand::Setup => self.set_up(arguments),
            ScreenCommand::Login => self.login(arguments),
            ScreenCommand::Logout => self.logout(arguments),
            ScreenCommand::Provider => self.add_provider(arguments),
        }
    }

    pub(super) fn busy(&mut self) {
        self.hint(Token::Warning, "the model is still responding (Esc to stop)");
    }

    /// Takes up the facts of the session of the moment.
    pub(super) fn refresh(&mut self) {
        let session = self.session();
        self.spawn(async move {
            let thinking = session.thinking().await;
            Box::new(move |app: &mut Self| app.know_thinking(thinking)) as Task
        });
    }

    /// Shows the conversation of the session of the moment.
    pub(crate) fn show_conversation(&mut self, messages: &[std::sync::Arc<Message>]) {
        self.status.spent = 0.0;
        self.status.context = 0;
        for message in messages {
            if let Message::Assistant(answer) = &**message {
                self.status.spent += answer.usage.cost.total;
            }
        }
        self.estimate_context();
        if let Some(transcript) = self.surface.ui.get_mut::<Transcript>(self.surface.lanes.transcript) {
            self.shown.conversation.replay(transcript, messages);
        }
        self.changed();
    }
}
