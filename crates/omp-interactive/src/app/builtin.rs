//! What the built-in commands do.

use std::path::PathBuf;

use omp_sdk::{DumpForm, SavedSessions, SessionScope};
use omp_theme::{Appearance, Token};
use omp_tui::render::Gesture;
use omp_tui::transcript::Transcript;
use omp_types::{Message, ThinkingLevel};
use omp_view::message::Level;
use omp_view::select::{Choice, Selector};

use super::{App, Task, Wish};
use crate::commands::named;

impl App {
    /// Answers a built-in command.
    pub(super) fn run_command(&mut self, name: &'static str, arguments: &str) {
        if let Some(part) = named(name).and_then(|command| command.waits_for) {
            self.hint(Token::Warning, format!("/{name} needs {part}, which is not available yet."));
            return;
        }
        match name {
            "help" => self.help(),
            "hotkeys" => self.hotkeys(),
            "exit" => self.wishes.push(Wish::Quit),
            "new" => self.switch_session(|host| async move { host.begin().await }, "New session started"),
            "fork" if self.run.is_some() => self.busy(),
            "fork" => self.switch_session(|host| async move { host.fork().await }, "Session forked"),
            "resume" => self.pick_session(),
            "branch" => self.pick_branch(),
            "model" | "switch" => self.choose_model(name, arguments),
            "rename" => self.rename(arguments),
            "export" => self.export(arguments),
            "dump" => self.dump(arguments),
            "copy" => self.copy_answer(),
            "session" => self.session_info(arguments),
            "tools" => self.tools(),
            "context" => self.context_use(),
            "tree" => self.pick_place(),
            "retry" => self.retry(),
            "force" => self.force(arguments),
            "plan" => self.toggle_plan(arguments),
            "goal" => self.goal(arguments),
            "loop" => self.toggle_loop(arguments),
            "theme" => self.pick_theme(),
            "jobs" => self.show_jobs(),
            _ => self.hint(Token::Warning, format!("/{name} is not available in the terminal yet.")),
        }
    }

    fn busy(&mut self) {
        self.hint(Token::Warning, "The model is still answering. Esc stops it.");
    }

    fn pick_session(&mut self) {
        let session = self.session();
        let saved = SavedSessions::new(session.directories(), session.session_dir(), &session.cwd());
        let current = session.file();
        self.spawn(async move {
            let listed = tokio::task::spawn_blocking(move || saved.list(SessionScope::Folder)).await;
            let rows = listed.unwrap_or_default();
            Box::new(move |app: &mut Self| {
                let rows: Vec<_> =
                    rows.into_iter().filter(|row| Some(&row.path) != current.as_ref()).collect();
                if rows.is_empty() {
                    app.hint(Token::Warning, "There is no other session in this directory.");
                    return;
                }
                let option = |row: &omp_sdk::SessionRow| {
                    Choice::new(row.name.clone()).detail(format!("{} ({})", row.modified, row.status))
                };
                let menu = Selector::new("Resume a session", rows.iter().map(option).collect());
                app.pick(menu, move |app, chosen| {
                    if let Some(row) = chosen.and_then(|place| rows.get(place)) {
                        let path = row.path.clone();
                        app.switch_session(|host| async move { host.resume(&path).await }, "Resumed session");
                    }
                });
            }) as Task
        });
    }

    fn pick_branch(&mut self) {
        let session = self.session();
        self.spawn(async move {
            let prompts = session.prompts().await;
            Box::new(move |app: &mut Self| {
                if prompts.is_empty() {
                    app.hint(Token::Warning, "There is no message to branch from yet.");
                    return;
                }
                let option = |(_, text): &(String, String)| Choice::new(text.replace('\n', " "));
                let menu = Selector::new("Go on before a message", prompts.iter().map(option).collect());
                let menu = menu.at(prompts.len() - 1);
                app.pick(menu, move |app, chosen| {
                    if let Some((id, _)) = chosen.and_then(|place| prompts.get(place)) {
                        let id = id.clone();
                        app.switch_session(|host| async move { host.branch(&id).await }, "Branched");
                    }
                });
            }) as Task
        });
    }

    fn choose_model(&mut self, name: &'static str, wanted: &str) {
        if !wanted.is_empty() {
            self.use_model(name, wanted.to_owned());
            return;
        }
        let choices = self.session().model_choices();
        if choices.is_empty() {
            self.hint(
                Token::Warning,
                "No model can be used. Sign in with omp login, or set a provider's key.",
            );
            return;
        }
        let current = self.session().model_selector();
        let at = choices.iter().position(|choice| choice.selector == current).unwrap_or(0);
        let option = |choice: &omp_sdk::ModelChoice| {
            let thinks = if choice.reasoning { ", thinks" } else { "" };
            let detail = format!("{} ({}k{thinks})", choice.name, choice.context_window / 1000);
            Choice::new(choice.selector.clone()).detail(detail)
        };
        let menu = Selector::new("Choose a model", choices.iter().map(option).collect()).at(at);
        self.pick(menu, move |app, chosen| {
            if let Some(choice) = chosen.and_then(|place| choices.get(place)) {
                app.use_model(name, choice.selector.clone());
            }
        });
    }

    fn use_model(&mut self, name: &'static str, selector: String) {
        let session = self.session();
        self.spawn(async move {
            let outcome = match name {
                "model" => session.assign_role("default", &selector).await,
                _ => session.use_model(&selector).await,
            };
            Box::new(move |app: &mut Self| {
                match outcome {
                    Ok(()) => app.hint(Token::Muted, format!("Model: {}", app.session().model_selector())),
                    Err(error) => app.complain(&error.to_string()),
                }
                app.refresh();
            }) as Task
        });
    }

    pub(super) fn cycle_model(&mut self) {
        let session = self.session();
        self.spawn(async move {
            let outcome = session.cycle_role().await;
            Box::new(move |app: &mut Self| {
                match outcome {
                    Ok(Some(role)) => {
                        let model = app.session().model_selector();
                        app.hint(Token::Muted, format!("{role}: {model}"));
                    }
                    Ok(None) => app.hint(Token::Muted, "There is no other model to go to."),
                    Err(error) => app.complain(&error.to_string()),
                }
                app.refresh();
            }) as Task
        });
    }

    pub(super) fn cycle_thinking(&mut self) {
        let session = self.session();
        let levels = session.thinking_levels();
        let at = levels.iter().position(|level| *level == self.thinking).map_or(0, |at| at + 1);
        let next = levels.get(at % levels.len().max(1)).copied().unwrap_or(ThinkingLevel::Off);
        if levels.len() < 2 {
            self.hint(Token::Muted, "This model does not think.");
            return;
        }
        self.thinking = next;
        self.hint(Token::Muted, format!("Thinking: {}", next.name()));
        self.spawn(async move {
            let outcome = session.set_thinking(next).await;
            Box::new(move |app: &mut Self| {
                if let Err(error) = outcome {
                    app.complain(&error.to_string());
                }
            }) as Task
        });
    }

    fn rename(&mut self, title: &str) {
        if title.is_empty() {
            self.hint(Token::Warning, "Usage: /rename <title>");
            return;
        }
        let renamed = self.session().rename(title);
        match renamed {
            Ok(()) => {
                self.set_title();
                self.hint(Token::Muted, format!("The session is called {title}."));
            }
            Err(error) => self.complain(&error.to_string()),
        }
    }

    fn export(&mut self, path: &str) {
        if ["copy", "--copy", "clipboard"].contains(&path) {
            self.hint(Token::Warning, "/export writes a file; /dump copies the conversation.");
            return;
        }
        let session = self.session();
        let (directories, settings) = (session.directories().clone(), session.settings());
        self.with_saved(path.to_owned(), move |saved, id, path| {
            let target = (!path.is_empty()).then(|| PathBuf::from(path));
            let saved = saved.themed(crate::page_theme(&directories, &settings));
            saved.export(&id, target.as_deref()).map(|path| format!("Exported to {}", path.display()))
        });
    }

    /// Does something with the file of the session, and says what came of it.
    fn with_saved(
        &mut self,
        argument: String,
        work: impl FnOnce(SavedSessions, String, String) -> Result<String, omp_sdk::SavedError> + Send + 'static,
    ) {
        let session = self.session();
        let Some(file) = session.file() else {
            self.hint(Token::Warning, "The session has no messages yet.");
            return;
        };
        let saved = SavedSessions::new(session.directories(), session.session_dir(), &session.cwd());
        let id = file.to_string_lossy().into_owned();
        self.spawn(async move {
            let done = tokio::task::spawn_blocking(move || work(saved, id, argument)).await;
            Box::new(move |app: &mut Self| match done {
                Ok(Ok(text)) => app.say(Level::Info, &text),
                Ok(Err(error)) => app.complain(&error.to_string()),
                Err(_) => app.complain("The work was interrupted."),
            }) as Task
        });
    }

    fn dump(&mut self, form: &str) {
        let session = self.session();
        let Some(file) = session.file() else {
            self.hint(Token::Warning, "No messages to dump yet.");
            return;
        };
        let form = if form == "raw" { DumpForm::Raw } else { DumpForm::Compact };
        let saved = SavedSessions::new(session.directories(), session.session_dir(), &session.cwd());
        self.spawn(async move {
            let done = tokio::task::spawn_blocking(move || {
                let mut text = Vec::new();
                saved.dump(&file.to_string_lossy(), form, &mut text).map(|()| text)
            });
            let done = done.await;
            Box::new(move |app: &mut Self| match done {
                Ok(Ok(text)) => app.copy(&String::from_utf8_lossy(&text)),
                Ok(Err(error)) => app.complain(&error.to_string()),
                Err(_) => app.complain("The work was interrupted."),
            }) as Task
        });
    }

    fn copy_answer(&mut self) {
        let text = self.conversation.last_answer().to_owned();
        match text.is_empty() {
            true => self.hint(Token::Warning, "There is no answer to copy yet."),
            false => self.copy(&text),
        }
    }

    fn force(&mut self, arguments: &str) {
        let (tool, prompt) = arguments.split_once(char::is_whitespace).unwrap_or((arguments, ""));
        if tool.is_empty() {
            self.hint(Token::Warning, "Usage: /force <tool> [prompt]");
            return;
        }
        let (session, tool, prompt) = (self.session(), tool.to_owned(), prompt.trim().to_owned());
        self.spawn(async move {
            let forced = session.force_tool(&tool).await;
            Box::new(move |app: &mut Self| match forced {
                Ok(()) if prompt.is_empty() => {
                    app.hint(Token::Muted, format!("The next turn must call {tool}."));
                }
                Ok(()) => app.prompt(omp_sdk::Prompt::text(prompt)),
                Err(error) => app.complain(&error.to_string()),
            }) as Task
        });
    }

    fn pick_theme(&mut self) {
        let names = self.theme.names();
        let current = self.theme.theme().name().to_owned();
        let at = names.iter().position(|name| *name == current).unwrap_or(0);
        let menu = Selector::new("Choose a theme", names.iter().map(Choice::new).collect()).at(at);
        self.pick(menu, move |app, chosen| {
            if let Some(name) = chosen.and_then(|place| names.get(place)) {
                app.set_theme(name);
            }
        });
    }

    fn set_theme(&mut self, name: &str) {
        let mut slots = self.theme.slots().clone();
        match self.theme.appearance() {
            Appearance::Dark => slots.dark = name.to_owned(),
            Appearance::Light => slots.light = name.to_owned(),
        }
        match self.theme.set_slots(slots) {
            Ok(()) => self.hint(Token::Muted, format!("Theme: {name}")),
            Err(error) => self.complain(&error.to_string()),
        }
        self.stage.set_theme(std::sync::Arc::clone(self.theme.theme()));
        self.keep_theme(name);
        self.wishes.push(Wish::Gesture(Gesture::Reset));
    }

    /// Takes up the facts of the session of the moment.
    pub(super) fn refresh(&mut self) {
        let session = self.session();
        self.spawn(async move {
            let thinking = session.thinking().await;
            Box::new(move |app: &mut Self| {
                app.thinking = thinking;
                app.changed();
            }) as Task
        });
    }

    /// Shows the conversation of the session of the moment.
    pub(crate) fn show_conversation(&mut self, messages: &[std::sync::Arc<Message>]) {
        self.spent = 0.0;
        self.context = 0;
        for message in messages {
            if let Message::Assistant(answer) = &**message {
                self.spent += answer.usage.cost.total;
                self.context = answer.usage.total_tokens;
            }
        }
        if let Some(transcript) = self.ui.get_mut::<Transcript>(self.lanes.transcript) {
            self.conversation.replay(transcript, messages);
        }
        self.changed();
    }
}
