//! The loop: lines come in, sentences go out.

use std::collections::VecDeque;
use std::io::IsTerminal;
use std::sync::Arc;
use std::time::{Duration, Instant};

use omp_commands::{CommandContext, ScreenCommand, Submission, interpret};
use omp_sdk::settings::keys;
use omp_sdk::{
    AgentError, Arrival, Audience, Driver, Host, ModeError, PageTheme, ProjectKind, Prompt, Session,
};
use omp_tui::console::{self, Stream, TextKind};
use omp_types::UserContent;
use omp_view::message::{TurnEnding, turn_summary};
use tokio::signal::unix::{Signal, SignalKind, signal};
use tokio::sync::mpsc;
use tokio_util::sync::CancellationToken;

use crate::commands::CommandRunner;
use crate::lines;
use crate::questions::{Asked, Taken};
use crate::session_channel::{SessionChannel, SessionMessage, SessionMessages};
use crate::speech::{self, Speech};

/// A line that comes sooner after a question was typed before it could be read.
const PAUSE: Duration = Duration::from_millis(500);

/// What is shown where a line can be typed.
const PROMPT: &str = "> ";

/// What the plain interface begins with.
pub struct Start {
    /// The sessions, with the first one open.
    pub host: Arc<Host>,
    /// The person, for all sessions.
    pub channel: SessionChannel,
    /// What the sessions say.
    pub messages: SessionMessages,
    /// What to work towards, before everything else.
    pub goal: Option<String>,
    /// Prompts that were given on the command line.
    pub prompts: Vec<Prompt>,
    /// Things the user should know.
    pub remarks: Vec<String>,
    /// The columns of the terminal.
    pub width: usize,
    /// The colours of exported pages.
    pub theme: PageTheme,
}

/// How the program ended.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum End {
    /// The user left.
    Left,
    /// A signal asked for it.
    Signal(i32),
}

/// What came of something that ran beside the loop.
pub(crate) enum Finished {
    /// Nothing to say.
    Quiet,
    /// Something to read.
    Say(String),
    /// Words for the model.
    Prompt(Prompt),
    /// Another session is in the host's place.
    Arrived(Arrival, String),
    /// The user wants to leave.
    Leave,
    /// The same for a command that was answered while something else runs.
    Beside(Box<Finished>),
}

struct Plain {
    runner: CommandRunner,
    speech: Speech,
    /// Questions, the first in front.
    asked: VecDeque<Asked>,
    /// When the first was put.
    put: Option<Instant>,
    /// Lines are typed by a person, who may be ahead of what is asked.
    typed: bool,
    waiting: VecDeque<Prompt>,
    /// Stops what runs.
    running: Option<CancellationToken>,
    finished: mpsc::UnboundedSender<Finished>,
    /// Ctrl+C was pressed with nothing to stop: once more leaves.
    armed: bool,
    leaving: bool,
}

/// Runs until the user leaves.
pub async fn run(start: Start) -> End {
    let Start { host, channel, mut messages, goal, prompts, remarks, width, theme } = start;
    let (finished, mut results) = mpsc::unbounded_channel();
    let driver = Arc::new(Driver::new(Arc::clone(&host), Arc::new(channel.clone()), "interactive"));
    let mut plain = Plain {
        runner: CommandRunner { context: CommandContext { host, theme }, driver, channel },
        speech: Speech::new(width),
        asked: VecDeque::new(),
        put: None,
        typed: std::io::stdin().is_terminal(),
        waiting: prompts.into(),
        running: None,
        finished,
        armed: false,
        leaving: false,
    };
    plain.greet(&remarks).await;
    let mut typed = lines::read();
    let mut signals = [SignalKind::interrupt(), SignalKind::terminate(), SignalKind::hangup()]
        .map(|kind| signal(kind).ok());
    match goal {
        Some(objective) => plain.work_towards(objective),
        None => plain.go_on(),
    }
    while !plain.leaving {
        let [interrupt, terminate, hangup] = &mut signals;
        tokio::select! {
            biased;
            () = next(terminate) => return plain.end(15),
            () = next(hangup) => return plain.end(1),
            () = next(interrupt) => plain.interrupt(),
            Some(message) = messages.next() => plain.session_message(message),
            Some(result) = results.recv() => {
                while let Some(message) = messages.ready() {
                    plain.session_message(message);
                }
                plain.finish(result).await;
            }
            line = typed.recv() => match line {
                Some(line) => plain.line(&line),
                None => plain.leaving = true,
            },
            () = extension_prompt(&plain) => plain.send_of_extension(),
            () = job_result(&plain) => plain.deliver(),
        }
    }
    plain.stop();
    End::Left
}

/// A signal that cannot be watched never comes.
async fn next(stream: &mut Option<Signal>) {
    if let Some(stream) = stream
        && stream.recv().await.is_some()
    {
        return;
    }
    std::future::pending::<()>().await;
}

/// Waits for the result of a background job that nobody reads yet.
async fn job_result(plain: &Plain) {
    match plain.running {
        None => plain.runner.context.host.session().jobs().results().await,
        Some(_) => std::future::pending().await,
    }
}

/// Waits until an extension has something to send, and nothing else runs.
async fn extension_prompt(plain: &Plain) {
    match plain.running {
        None => plain.runner.context.host.session().extensions().prompt_waiting().await,
        Some(_) => std::future::pending().await,
    }
}

/// Writes at once. A reader that is gone is noticed by the end of the input.
fn out(text: &str) {
    let _ = console::print(Stream::Out, TextKind::Exact, text);
}

/// Writes what [`Speech`] said, which knows itself what in it is exact.
fn say(text: &str) {
    let _ = console::print(Stream::Out, TextKind::Prose, text);
}

impl Plain {
    async fn greet(&mut self, remarks: &[String]) {
        let session = self.runner.context.host.session();
        out(&format!("omp {}, model {}.\n", env!("CARGO_PKG_VERSION"), session.model_selector()));
        out(
            "Type a prompt and press Enter. /help lists commands. Ctrl+C stops the model; press it twice to exit.\n",
        );
        remarks.iter().for_each(|remark| out(&format!("{remark}\n")));
        let conversation = session.conversation().await;
        if conversation.is_empty() && !session.settings().get(keys::STARTUP_QUIET) {
            let kind = ProjectKind::of(&session.cwd());
            kind.summary().iter().for_each(|summary| out(&format!("{}\n", summary.replace(" · ", ", "))));
            out(&format!("You could ask: {}.\n", kind.examples().join("; ")));
        }
        say(&self.speech.replay(&conversation));
    }

    /// Sends the next prompt, or waits for one.
    fn go_on(&mut self) {
        if self.running.is_some() || self.leaving {
            return;
        }
        match self.waiting.pop_front() {
            Some(prompt) => self.submit(prompt),
            None if self.asked.is_empty() => out(PROMPT),
            None => {}
        }
    }

    /// Lets something run beside the loop.
    fn spawn<F>(&mut self, work: impl FnOnce(CancellationToken) -> F)
    where
        F: Future<Output = Finished> + Send + 'static,
    {
        let cancel = CancellationToken::new();
        self.running = Some(cancel.clone());
        let (work, finished) = (work(cancel), self.finished.clone());
        tokio::spawn(async move {
            // The program has ended if nobody takes it.
            let _ = finished.send(work.await);
        });
    }

    fn submit(&mut self, prompt: Prompt) {
        let driver = Arc::clone(&self.runner.driver);
        let begun = Instant::now();
        self.spawn(|cancel| async move {
            match driver.submit(prompt, cancel).await {
                Ok(outcome) => {
                    let summary =
                        turn_summary(begun.elapsed(), &outcome.messages, TurnEnding::of(outcome.interrupted));
                    summary.map_or(Finished::Quiet, Finished::Say)
                }
                Err(error) => Finished::Say(error.to_string()),
            }
        });
    }

    /// A goal that was given on the command line.
    fn work_towards(&mut self, objective: String) {
        let driver = Arc::clone(&self.runner.driver);
        self.spawn(|cancel| async move {
            match driver.start_goal(&objective, None, cancel).await {
                Ok(_) => Finished::Quiet,
                Err(error) => Finished::Say(error.to_string()),
            }
        });
    }

    /// The result of a background job waits: the model reads it.
    fn deliver(&mut self) {
        let session = self.runner.context.host.session();
        self.spawn(|cancel| async move {
            match session.jobs().deliver(cancel).await {
                Ok(_) | Err(AgentError::NothingToRetry) => Finished::Quiet,
                Err(error) => Finished::Say(ModeError::from(error).to_string()),
            }
        });
    }

    fn session_message(&mut self, message: SessionMessage) {
        match message {
            SessionMessage::Event(event) => say(&self.speech.event(&event)),
            SessionMessage::Remark(text) => out(&format!("{}\n", text.trim_end())),
            SessionMessage::Question(asked) => {
                self.asked.retain(|asked| !asked.is_stale());
                self.asked.push_back(asked);
                if self.asked.len() == 1 {
                    self.ask();
                }
            }
        }
    }

    /// Puts the first question that somebody still waits for.
    fn ask(&mut self) {
        self.asked.retain(|asked| !asked.is_stale());
        if let Some(asked) = self.asked.front() {
            out(&asked.text());
            self.put = Some(Instant::now());
        }
    }

    async fn finish(&mut self, result: Finished) {
        let result = match result {
            Finished::Beside(answer) => match *answer {
                Finished::Prompt(prompt) => return self.waiting.push_back(prompt),
                answer => answer,
            },
            result => {
                self.running = None;
                self.asked.clear();
                result
            }
        };
        match result {
            Finished::Quiet | Finished::Beside(_) => {}
            Finished::Say(text) => out(&format!("{}\n", text.trim_end())),
            Finished::Prompt(prompt) => self.waiting.push_front(prompt),
            Finished::Leave => self.leaving = true,
            Finished::Arrived(arrival, text) => self.arrive(arrival, &text).await,
        }
        self.go_on();
    }

    async fn arrive(&mut self, arrival: Arrival, text: &str) {
        say(&self.speech.replay(&self.runner.context.host.session().conversation().await));
        out(&format!("{text}\n"));
        arrival.remarks.iter().for_each(|remark| out(&format!("{remark}\n")));
        if let Some(cwd) = arrival.elsewhere {
            out(&format!("Working in {}\n", cwd.display()));
        }
        if let Some(prompt) = arrival.prompt {
            out(&format!("The message was: {prompt}\n"));
        }
    }

    /// Takes a line that was typed.
    fn line(&mut self, line: &str) {
        self.armed = false;
        self.asked.retain(|asked| !asked.is_stale());
        if self.was_typed_ahead() {
            out("That line was typed before the question appeared, so it was not taken as the answer.\n");
            if !line.trim().is_empty() {
                self.beside(line.trim());
            }
            return self.ask();
        }
        if let Some(asked) = self.asked.front_mut() {
            match asked.take(line) {
                Taken::Answered => _ = self.asked.pop_front(),
                Taken::Again(problem) => out(&format!("{problem}\n")),
            }
            return self.ask();
        }
        let text = line.trim();
        if text.is_empty() {
            return self.go_on();
        }
        if self.running.is_some() {
            return self.beside(text);
        }
        self.runner.context.host.session().input().note_typed(text);
        if let Some(command) = text.strip_prefix("!!") {
            self.run_command(command.trim(), Audience::User);
        } else if let Some(command) = text.strip_prefix('!') {
            self.run_command(command.trim(), Audience::Model);
        } else if matches!(interpret(text), Submission::Builtin(_)) {
            let (runner, line) = (self.runner.clone(), text.to_owned());
            self.spawn(|cancel| runner.answer(line, cancel));
        } else if let Some(complaint) = omp_commands::unknown(&self.runner.context.host.session(), text) {
            out(&format!("{complaint}\n"));
        } else {
            self.submit(Prompt::text(omp_commands::as_prompt(text).unwrap_or(text)));
        }
    }

    /// Did a line come too soon to be an answer to the question in front?
    fn was_typed_ahead(&self) -> bool {
        let sooner = self.put.is_some_and(|put| put.elapsed() < PAUSE);
        self.typed && sooner && self.asked.front().is_some_and(|asked| asked.is_unasked)
    }

    /// A line while something runs: a command that is answered at once, or words for the model.
    fn beside(&mut self, text: &str) {
        match interpret(text) {
            Submission::Builtin(call) if call.is(ScreenCommand::Exit) => self.leaving = true,
            Submission::Builtin(call) if !call.command.needs_person() => {
                let (runner, line, finished) = (self.runner.clone(), text.to_owned(), self.finished.clone());
                tokio::spawn(async move {
                    let answer = runner.answer(line, CancellationToken::new()).await;
                    // The program has ended if nobody takes it.
                    let _ = finished.send(Finished::Beside(Box::new(answer)));
                });
            }
            Submission::Builtin(_) => out("Something is still running (Ctrl+C to stop)\n"),
            _ if self.is_extension_command(text) => self.run_extension_command(text),
            _ if text.starts_with('!') => {
                out("Shell commands run when the model is done (Ctrl+C to stop it)\n");
            }
            _ => self.steer(text),
        }
    }

    fn is_extension_command(&self, text: &str) -> bool {
        let Some(called) = text.strip_prefix('/') else { return false };
        let name = called.split_whitespace().next().unwrap_or_default();
        let session = self.runner.context.host.session();
        session.extensions().commands().iter().any(|command| command.name == name && called.starts_with(name))
    }

    /// A command of an extension runs at once, also while the model works.
    fn run_extension_command(&self, text: &str) {
        let session = self.runner.context.host.session();
        let (text, finished) = (text.to_owned(), self.finished.clone());
        tokio::spawn(async move {
            let said = match session.extensions().run_command(&text).await {
                Some(Err(reason)) => Finished::Say(reason),
                _ => Finished::Quiet,
            };
            // The program has ended if nobody takes it.
            let _ = finished.send(Finished::Beside(Box::new(said)));
        });
    }

    /// What an extension wants to be sent, now that nothing else runs.
    fn send_of_extension(&mut self) {
        if let Some(prompt) = self.runner.context.host.session().extensions().take_prompt() {
            self.submit(prompt);
        }
    }

    /// Something is said while the model works.
    fn steer(&self, text: &str) {
        let session = self.runner.context.host.session();
        if session.input().has_prompt_hooks() {
            self.steer_past_hooks(&session, text);
        } else if session.control().is_running() {
            session.input().note_typed(text);
            session.control().steer(UserContent::Text(text.to_owned()));
            let (steering, later) = session.control().queued();
            let waiting = steering + later;
            let more = if waiting > 1 { format!(" ({waiting} messages queued)") } else { String::new() };
            let text = text.split_whitespace().collect::<Vec<_>>().join(" ");
            out(&format!("Queued: the model reads this at its next step{more}: {text}\n"));
        } else {
            out("Something is still running (Ctrl+C to stop)\n");
        }
    }

    /// The same where hooks want to see what is typed.
    fn steer_past_hooks(&self, session: &Arc<Session>, text: &str) {
        let (session, text, finished) = (Arc::clone(session), text.to_owned(), self.finished.clone());
        tokio::spawn(async move {
            let content = UserContent::Text(text.clone());
            let said = match session.input().ask_hooks(&content).await {
                Ok(()) => {
                    session.input().note_typed(&text);
                    session.control().steer(content);
                    "Queued: the model reads this at its next step".to_owned()
                }
                Err(reason) => reason,
            };
            // The program has ended if nobody takes it.
            let _ = finished.send(Finished::Beside(Box::new(Finished::Say(said))));
        });
    }

    fn run_command(&mut self, command: &str, audience: Audience) {
        let (session, command) = (self.runner.context.host.session(), command.to_owned());
        self.spawn(|cancel| async move {
            let done = match session.shell().run(&command, audience, None, &cancel, |_| {}).await {
                Ok(done) => done,
                Err(error) => return Finished::Say(error.to_string()),
            };
            let end = speech::ending(&done.output, done.exit_code, done.cancelled);
            match session.shell().record(&command, &done, audience).await {
                Ok(()) => Finished::Say(end),
                Err(error) => {
                    Finished::Say(format!("{end}could not add the command to the conversation: {error}"))
                }
            }
        });
    }

    /// Ctrl+C: stops what runs; with nothing to stop, twice leaves.
    fn interrupt(&mut self) {
        out("\n");
        match &self.running {
            Some(cancel) if !cancel.is_cancelled() => {
                cancel.cancel();
                self.asked.clear();
            }
            Some(_) => self.leaving = true,
            None if self.armed => self.leaving = true,
            None => {
                self.armed = true;
                out("Press Ctrl+C again to exit\n");
                out(PROMPT);
            }
        }
    }

    fn stop(&mut self) {
        self.asked.clear();
        if let Some(cancel) = self.running.take() {
            cancel.cancel();
        }
    }

    fn end(&mut self, signal: i32) -> End {
        self.stop();
        End::Signal(signal)
    }
}
