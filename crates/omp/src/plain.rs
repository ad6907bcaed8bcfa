//! A conversation in plain lines.

use std::path::Path;
use std::sync::Arc;

use omp_cli::Launch;
use omp_plain::{End, Person, Start};
use omp_sdk::{
    Directories, Environment, Host, Listener, Outfit, ProcessEnvironment, SessionError, SessionOptions,
};

use crate::interactive::{Opening, demo_remark, farewell, further_options};
use crate::output;

/// Whether the user wants plain lines: by a flag, by the variable that says so, or because the terminal can do no more.
pub(crate) fn is_wanted(launch: &Launch) -> bool {
    let accessible = ProcessEnvironment.var("ACCESSIBLE").unwrap_or_default();
    let on = !matches!(accessible.to_ascii_lowercase().as_str(), "" | "0" | "false");
    launch.plain_ui || on || ProcessEnvironment.var("TERM").as_deref() == Some("dumb")
}

/// What every session of the program is given.
struct Furniture {
    launch: Launch,
    directories: Directories,
    person: Person,
}

impl Outfit for Furniture {
    fn options(&self, cwd: &Path) -> Result<SessionOptions, SessionError> {
        let options = further_options(&self.launch, &self.directories, cwd)?;
        Ok(attended(options, self.person.of_next_session()))
    }

    fn listener(&self) -> Box<dyn Listener> {
        Box::new(self.person.of_new_session())
    }
}

/// A session whose questions somebody answers. Nothing shows the terminal of a command here.
fn attended(options: SessionOptions, person: Person) -> SessionOptions {
    let person = Arc::new(person);
    SessionOptions {
        asker: Some(person.clone()),
        questioner: Some(person.clone()),
        ui: Some(person),
        ..options
    }
}

/// Talks until the user leaves; the exit code.
pub(crate) async fn converse(opening: Opening) -> u8 {
    let Opening { launch, options, turns, mut startup, .. } = opening;
    let (person, words) = Person::new();
    let directories = options.directories.clone();
    let theme = match &options.settings {
        Some(settings) => omp_interactive::page_theme(&directories, settings),
        None => Default::default(),
    };
    let furniture = Arc::new(Furniture { launch, directories, person: person.clone() });
    let first = attended(options, person.of_next_session());
    let host = match startup.phase_async("session", Host::start(furniture, first)).await {
        Ok(host) => Arc::new(host),
        Err(error) => return output::fail(&error.to_string(), &error.hints()),
    };
    if startup.is_all_that_is_wanted() {
        host.session().close().await;
        return 0;
    }
    let session = host.session();
    let mut remarks = session.warnings().to_vec();
    remarks.extend(demo_remark(&session));
    for turn in &turns {
        turn.typed.iter().for_each(|typed| session.note_typed(typed));
    }
    drop(session);
    let width = omp_tui::terminal::width().unwrap_or_else(output::width);
    let prompts = turns.into_iter().map(|turn| turn.prompt).collect();
    let start = Start { host: Arc::clone(&host), person, words, prompts, remarks, width, theme };
    let ended = omp_plain::run(start).await;
    let session = host.session();
    let file = session.file();
    for problem in session.close().await {
        output::warn(&problem);
    }
    match ended {
        End::Left => {
            farewell(file.as_deref());
            0
        }
        End::Signal(signal) => 128 + u8::try_from(signal).unwrap_or(0),
    }
}
