//! Commands that need a person but no screen. Everything else that needs a screen is refused.

use std::sync::Arc;

use omp_commands::{Answer, Call, CommandContext, Handler, ScreenCommand};
use omp_sdk::{
    Arrival, Driver, LoopLimit, ModeError, PlanState, Prompt, SavedSessions, SessionScope, SwitchError,
    parse_budget,
};
use omp_view::select::Choice;
use tokio_util::sync::CancellationToken;

use crate::run::Finished;
use crate::session_channel::SessionChannel;

/// Sessions that are offered.
const MOST_SESSIONS: usize = 20;

/// What commands work with.
#[derive(Clone)]
pub(crate) struct CommandRunner {
    pub(crate) context: CommandContext,
    pub(crate) driver: Arc<Driver>,
    pub(crate) channel: SessionChannel,
}

impl CommandRunner {
    /// Does what a line asks for.
    pub(crate) async fn answer(self, line: String, cancel: CancellationToken) -> Finished {
        let Some(call) = omp_commands::call(&line) else { return Finished::Prompt(Prompt::text(line)) };
        if call.is(ScreenCommand::Drop) && !self.may_drop().await {
            return Finished::Say("Session kept".to_owned());
        }
        let Some(answer) = cancel.run_until_cancelled(omp_commands::answer(&self.context, &call)).await
        else {
            return Finished::Say("Stopped".to_owned());
        };
        match answer {
            Answer::Prompt(words) => Finished::Prompt(Prompt::text(words)),
            Answer::Arrived(arrival, text) => Finished::Arrived(arrival, text),
            Answer::Screen => match call.command.handler {
                Handler::Screen(command) | Handler::Both(_, command) => {
                    self.without_screen(command, call, cancel).await
                }
                Handler::Text(_) | Handler::Unavailable => Finished::Quiet,
            },
            answer => answer.text().map_or(Finished::Quiet, Finished::Say),
        }
    }

    /// Nothing brings a session back. One that is not saved cannot be lost.
    async fn may_drop(&self) -> bool {
        let question = "Delete this session and its artifacts, and start a new one?";
        self.context.host.session().file().is_none()
            || self.channel.pick(question, vec![Choice::new("No"), Choice::new("Yes, delete")]).await
                == Some(1)
    }

    /// Runs a command that needs a screen in the terminal: with a person and lines of text, or not at all.
    async fn without_screen(
        &self,
        command: ScreenCommand,
        call: Call<'_>,
        cancel: CancellationToken,
    ) -> Finished {
        let (host, arguments) = (&self.context.host, call.arguments);
        match command {
            ScreenCommand::Exit => Finished::Leave,
            ScreenCommand::New => arrived(host.begin().await, "New session started"),
            ScreenCommand::Fork => arrived(host.fork().await, "Session forked"),
            ScreenCommand::Resume => self.resume().await,
            ScreenCommand::Branch | ScreenCommand::Tree => self.branch().await,
            ScreenCommand::Plan => self.plan(arguments).await,
            ScreenCommand::Goal => self.goal(arguments, cancel).await,
            ScreenCommand::Loop => self.repeat(arguments),
            ScreenCommand::Retry => match host.session().retry(cancel).await {
                Ok(_) => Finished::Quiet,
                Err(error) => Finished::Say(error.to_string()),
            },
            ScreenCommand::Switch if !arguments.is_empty() => {
                match host.session().models().switch(arguments).await {
                    Ok(()) => Finished::Say(format!("Switched to {}", host.session().model_selector())),
                    Err(error) => Finished::Say(error.to_string()),
                }
            }
            ScreenCommand::Login | ScreenCommand::Logout | ScreenCommand::Setup => {
                Finished::Say("Exit with /exit, then run omp login or omp logout.".to_owned())
            }
            ScreenCommand::Settings
            | ScreenCommand::Provider
            | ScreenCommand::PlanReview
            | ScreenCommand::GuidedGoal
            | ScreenCommand::Model
            | ScreenCommand::Switch
            | ScreenCommand::Export
            | ScreenCommand::Share
            | ScreenCommand::Copy
            | ScreenCommand::Todo
            | ScreenCommand::Session
            | ScreenCommand::Hotkeys
            | ScreenCommand::Extensions
            | ScreenCommand::Rewind
            | ScreenCommand::Drop
            | ScreenCommand::Clear
            | ScreenCommand::Compact
            | ScreenCommand::Handoff
            | ScreenCommand::Btw
            | ScreenCommand::Queue
            | ScreenCommand::Debug
            | ScreenCommand::Marketplace
            | ScreenCommand::Mcp
            | ScreenCommand::Theme => Finished::Say(format!(
                "/{} needs the full-screen interface: start omp without --plain-ui",
                call.command.name
            )),
        }
    }

    async fn resume(&self) -> Finished {
        let session = self.context.host.session();
        let (directories, cwd) = (session.directories().clone(), session.cwd());
        let place = session.session_dir().map(std::path::Path::to_owned);
        let listed = tokio::task::spawn_blocking(move || {
            let saved = SavedSessions::new(&directories, place.as_deref(), &cwd);
            let rows = saved.list(SessionScope::Folder);
            rows.into_iter().take(MOST_SESSIONS).collect::<Vec<_>>()
        });
        let rows = listed.await.unwrap_or_default();
        if rows.is_empty() {
            return Finished::Say("No sessions in this directory yet".to_owned());
        }
        let choices = rows.iter().map(|row| Choice::new(row.name.clone()).detail(row.id.clone())).collect();
        match self.channel.pick("Which session?", choices).await.and_then(|place| rows.get(place)) {
            Some(row) => arrived(self.context.host.resume(&row.path).await, "Session resumed"),
            None => Finished::Quiet,
        }
    }

    async fn branch(&self) -> Finished {
        let prompts = self.context.host.session().tree().prompts().await;
        if prompts.is_empty() {
            return Finished::Say("No message to branch from yet".to_owned());
        }
        let line = |text: &str| text.split_whitespace().collect::<Vec<_>>().join(" ");
        let choices = prompts.iter().map(|(_, text)| Choice::new(line(text))).collect();
        let chosen = self.channel.pick("Branch from which message?", choices).await;
        match chosen.and_then(|place| prompts.get(place)) {
            Some((id, _)) => arrived(self.context.host.branch(id).await, "Branched"),
            None => Finished::Quiet,
        }
    }

    /// `/plan`: on, paused, off; with words it is on and they are the first prompt.
    async fn plan(&self, prompt: &str) -> Finished {
        let session = self.context.host.session();
        let entered = match (prompt.is_empty(), session.plan().state()) {
            (true, _) => session.plan().toggle(&self.channel).await,
            (false, PlanState::Planning) => Ok(PlanState::Planning),
            (false, _) => session.plan().enter().await.map(|()| PlanState::Planning),
        };
        match entered {
            Ok(PlanState::Planning) if !prompt.is_empty() => Finished::Prompt(Prompt::text(prompt)),
            Ok(PlanState::Planning) => {
                Finished::Say("Plan mode on: the model reads and plans without changing anything".to_owned())
            }
            Ok(PlanState::Paused) => Finished::Say("Plan mode paused (/plan again to exit)".to_owned()),
            Ok(PlanState::Off) => Finished::Say("Plan mode off".to_owned()),
            Err(error) => Finished::Say(error.to_string()),
        }
    }

    /// `/goal`: works towards one, shows it, or changes how it stands.
    async fn goal(&self, arguments: &str, cancel: CancellationToken) -> Finished {
        let session = self.context.host.session();
        let (word, rest) = arguments.split_once(char::is_whitespace).unwrap_or((arguments, ""));
        let done = match (word, rest.trim()) {
            ("" | "show", "") => match session.goal().current() {
                Some(goal) => Ok(format!("Goal ({}): {}", goal.status.word(), goal.objective)),
                None => Ok("No goal set. Set one with /goal <objective>.".to_owned()),
            },
            ("pause", "") => session.goal().pause().await.map(|_| "Goal paused".to_owned()),
            ("resume", "") => self.driver.resume_goal(cancel).await.map(|_| String::new()),
            ("drop", "") => session
                .goal()
                .abandon(&self.channel)
                .await
                .map(|dropped| if dropped { "Goal dropped" } else { "Goal kept" }.to_owned()),
            ("budget", budget) => match parse_budget(budget) {
                Ok(budget) => session.goal().set_budget(budget).await.map(|_| "Budget set".to_owned()),
                Err(usage) => return Finished::Say(usage),
            },
            ("set", "") => Ok("What is the goal? Set one with /goal set <objective>.".to_owned()),
            ("set", objective) => self.start_goal(objective, cancel).await,
            _ => self.start_goal(arguments, cancel).await,
        };
        told(done)
    }

    async fn start_goal(&self, objective: &str, cancel: CancellationToken) -> Result<String, ModeError> {
        self.driver.start_goal(objective, None, cancel).await.map(|_| String::new())
    }

    /// `/loop`: repeats the next prompt, or ends that.
    fn repeat(&self, arguments: &str) -> Finished {
        if self.driver.is_looping() && arguments.is_empty() {
            self.driver.end_loop();
            return Finished::Say("Loop mode off".to_owned());
        }
        match LoopLimit::parse(arguments) {
            Ok(limit) => told(
                self.driver
                    .begin_loop(limit)
                    .map(|()| "Loop mode on: the next prompt repeats after every turn".to_owned()),
            ),
            Err(usage) => Finished::Say(usage.to_string()),
        }
    }
}

fn told(done: Result<String, ModeError>) -> Finished {
    match done {
        Ok(text) if text.is_empty() => Finished::Quiet,
        Ok(text) => Finished::Say(text),
        Err(error) => Finished::Say(error.to_string()),
    }
}

fn arrived(arrival: Result<Arrival, SwitchError>, text: &str) -> Finished {
    match arrival {
        Ok(arrival) => Finished::Arrived(arrival, text.to_owned()),
        Err(error) => Finished::Say(error.to_string()),
    }
}
