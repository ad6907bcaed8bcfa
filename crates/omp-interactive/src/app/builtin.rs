//! What the built-in commands do.

use omp_theme::Token;
use omp_tui::transcript::Transcript;
use omp_types::Message;

use super::{App, Task, Wish};
use crate::commands::named;

impl App {
    /// Answers a built-in command.
    pub(super) fn run_command(&mut self, name: &'static str, arguments: &str) {
        if !self.may_run(name) {
            return;
        }
        if let Some(part) = named(name).and_then(|command| command.waits_for) {
            self.hint(Token::Warning, format!("/{name} needs {part}, which is not available yet."));
            return;
        }
        match name {
            "hotkeys" => self.hotkeys(),
            "exit" => self.surface.wishes.push(Wish::Quit),
            "new" => self.switch_session(|host| async move { host.begin().await }, "New session started"),
            "fork" if self.turn.run.is_some() => self.busy(),
            "fork" => self.switch_session(|host| async move { host.fork().await }, "Session forked"),
            "resume" => self.pick_session(),
            "branch" => self.pick_branch(),
            "model" => self.choose_model(arguments),
            "switch" => self.switch_model(arguments),
            "copy" => self.pick_copy(),
            "session" => self.about_session(arguments),
            "share" => self.share(),
            "extensions" => self.show_extensions(0),
            "todo" if arguments == "edit" => self.edit_tasks(),
            "debug" if arguments.is_empty() => self.debug_menu(),
            "queue" => self.queue(arguments),
            "clear" => self.clear_context(),
            "tree" => self.pick_place(),
            "rewind" if arguments.is_empty() => self.pick_rewind(),
            "btw" => self.ask_aside(arguments),
            "compact" => self.compact(arguments),
            "handoff" => self.hand_off(arguments),
            "retry" => self.retry(),
            "plan" => self.toggle_plan(arguments),
            "plan-review" => self.reopen_review(),
            "goal" => self.goal(arguments),
            "guided-goal" => self.guided_goal(arguments),
            "loop" => self.toggle_loop(arguments),
            "theme" => self.pick_theme(),
            "settings" => self.open_settings(),
            "setup" => self.set_up(arguments),
            "login" => self.login(arguments),
            "logout" => self.logout(arguments),
            "provider" => self.add_provider(arguments),
            _ => self.answer(name, arguments),
        }
    }

    pub(super) fn busy(&mut self) {
        self.hint(Token::Warning, "The model is still answering. Esc stops it.");
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
