//! A conversation in plain lines.

use std::sync::Arc;

use omp_cli::Launch;
use omp_plain::{End, ExtensionPort, SessionChannel, Start};
use omp_sdk::extensions::{ExtensionChoice, Port};
use omp_sdk::{Environment, Listener, People, ProcessEnvironment, SessionOptions};

use crate::attended::{self, Begun, Leaving, Opening, Seat};
use crate::output;

/// Whether the user wants plain lines: by a flag, by the variable that says so, or because the terminal can do no more.
pub(crate) fn is_wanted(launch: &Launch) -> bool {
    let accessible = ProcessEnvironment.var("ACCESSIBLE").unwrap_or_default();
    let on = !matches!(accessible.to_ascii_lowercase().as_str(), "" | "0" | "false");
    launch.plain_ui || on || ProcessEnvironment.var("TERM").as_deref() == Some("dumb")
}

struct Lines(SessionChannel, Arc<ExtensionPort>);

impl Seat for Lines {
    /// Nothing shows the terminal of a command here.
    fn attend(&self, options: SessionOptions) -> SessionOptions {
        let person = Arc::new(self.0.of_next_session());
        let people =
            People { asker: Some(person.clone()), questioner: Some(person.clone()), ui: Some(person) };
        let program: Arc<dyn Port> = self.1.clone();
        let extensions = ExtensionChoice { mode: Some("tui"), program: Some(program), ..options.extensions };
        SessionOptions { people, extensions, ..options }
    }

    fn listener(&self) -> Box<dyn Listener> {
        Box::new(self.0.of_new_session())
    }
}

/// Talks until the user leaves; the exit code.
pub(crate) async fn converse(opening: Opening) -> u8 {
    let Opening { launch, options, turns, mut startup, .. } = opening;
    let (channel, messages) = SessionChannel::new();
    let theme = match &options.settings {
        Some(settings) => omp_interactive::page_theme(&options.directories, settings),
        None => Default::default(),
    };
    let goal = launch.work.goal.clone();
    let width = omp_tui::terminal::width().unwrap_or_else(output::width);
    let port = Arc::new(ExtensionPort::new(channel.clone(), width));
    let begun = attended::begin(Lines(channel.clone(), port), launch, options, turns, &mut startup).await;
    let Begun { host, remarks, prompts } = match begun {
        Ok(begun) => begun,
        Err(code) => return code,
    };
    let start = Start { host: Arc::clone(&host), channel, messages, goal, prompts, remarks, width, theme };
    let leaving = match omp_plain::run(start).await {
        End::Left => Leaving::Wish,
        End::Signal(signal) => Leaving::Signal(signal),
    };
    attended::end(&host, leaving).await
}
