//! The interactive program in a real pseudo-terminal, seen through somebody else's emulator.

mod answering;
mod appearing;
mod approving;
mod bash;
mod beside;
mod branches;
mod builtins;
mod builtins_goals;
mod builtins_modes;
mod commands;
mod compaction;
mod completing;
mod conversation;
mod deciding;
mod defaults;
mod discovering;
mod editing;
mod engine;
mod expanding;
mod extension_context;
mod extension_events;
mod extensions;
mod finding;
mod gallery;
mod goal_flag;
mod history;
mod hooks;
mod inspecting;
mod interaction;
mod keys;
mod lifecycle;
mod loaders;
mod logins;
mod models;
mod overlay;
mod pasting;
mod picker;
mod pictures;
mod plain;
mod platform;
mod plugins;
mod questions;
mod racing;
mod remapping;
mod replay;
mod rewinding;
mod rewinding_copies;
mod rewinding_deletions;
mod servers;
mod sessions;
mod settings;
mod skills;
mod strain;
mod tasks;
mod themes;
mod tree;
mod upkeep;
mod welcome;
mod wizard;

use std::process::Command;

use omp_testkit::terminal::{Answers, Terminal};
use omp_testkit::{Home, Scenario, Server, Wire};

use crate::support;

/// A little more than the keyboard must rest before keys answer a question that came up by itself.
pub(crate) const PAUSE: std::time::Duration = std::time::Duration::from_millis(600);

/// A program in a terminal, with the model behind it.
pub(crate) struct Screen {
    pub(crate) terminal: Terminal,
    pub(crate) server: Server,
    pub(crate) home: Home,
}

impl Screen {
    /// Starts with these replies of the model and these arguments, and waits for the editor.
    pub(crate) fn new(replies: impl Into<Scenario>, arguments: &[&str]) -> Self {
        Self::sized(replies, arguments, 30, 100)
    }

    pub(crate) fn sized(replies: impl Into<Scenario>, arguments: &[&str], rows: u16, columns: u16) -> Self {
        let server = Server::start(replies);
        let home = support::home(&server, Wire::OpenAiCompletions);
        Self::in_home(home, server, arguments, rows, columns)
    }

    pub(crate) fn in_home(home: Home, server: Server, arguments: &[&str], rows: u16, columns: u16) -> Self {
        let mut command = home.terminal_command(env!("CARGO_BIN_EXE_omp"));
        command.args(arguments);
        Self::with(command, home, server, rows, columns)
    }

    pub(crate) fn with(command: Command, home: Home, server: Server, rows: u16, columns: u16) -> Self {
        let terminal = Terminal::start(command, rows, columns, Answers::Kind);
        let mut screen = Self { terminal, server, home };
        screen.wait_for("Ask anything");
        screen
    }

    pub(crate) fn wait_for(&mut self, text: &str) -> &mut Self {
        self.terminal.wait_for(text);
        self
    }

    pub(crate) fn send(&mut self, keys: &str) -> &mut Self {
        self.terminal.send(keys);
        self
    }

    /// Answers a question that is on the screen. Keys that come sooner than a person could read it are no answer.
    pub(crate) fn answer(&mut self, keys: &str) -> &mut Self {
        std::thread::sleep(PAUSE);
        self.send(keys)
    }

    /// Refuses the call that is asked about, without a word.
    pub(crate) fn refuse(&mut self) -> &mut Self {
        self.terminal.wait_until("the answers", |shown| shown.contains(". No, and tell the model why"));
        let shown = self.terminal.screen();
        let row = shown.lines().find(|row| row.trim_end().ends_with(". No")).expect("a row that refuses");
        let number = row.chars().find(char::is_ascii_digit).expect("its number").to_string();
        self.answer(&number)
    }

    /// Types a line and presses Enter.
    pub(crate) fn say(&mut self, line: &str) -> &mut Self {
        self.send(line).wait_for(line).send("\r")
    }

    /// Leaves, and gives back the terminal as it was left.
    pub(crate) fn leave(mut self) -> (Terminal, Server, Home) {
        self.send("\x03").wait_for("again to exit").send("\x03");
        assert!(self.terminal.wait_exit().success(), "{}", self.terminal.screen());
        (self.terminal, self.server, self.home)
    }
}

/// The user's words in the last request.
pub(crate) fn last_prompt(server: &Server) -> String {
    let requests = server.requests();
    let content = support::last_user(&requests.last().expect("a request").body);
    match content {
        serde_json::Value::String(text) => text.clone(),
        other => other.to_string(),
    }
}
