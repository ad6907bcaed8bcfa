//! What is told when the program begins.

use std::path::PathBuf;
use std::time::SystemTime;

use omp_panels::age;
use omp_panels::welcome::Welcome;
use omp_sdk::settings::{Settings, keys};
use omp_sdk::{Directories, SavedSessions};
use omp_theme::Token;

use crate::app::App;
use crate::whats_new::{Length, since_last_start};

/// So many sessions are named.
const MOST_RECENT: usize = 5;

const TIPS: [&str; 2] = [
    "/help: commands · /hotkeys: keys · Ctrl+C twice: exit",
    "@: mention a file · !: run a command · Esc twice: session tree",
];

/// Where a greeting gets its facts from.
#[derive(Clone, Debug)]
pub struct Greeter {
    /// The user's directories.
    pub directories: Directories,
    /// The one directory of all sessions, if the user keeps them in one.
    pub session_dir: Option<PathBuf>,
    /// Where the session works.
    pub cwd: PathBuf,
    /// Where another changelog may be.
    pub package_dir: Option<String>,
    /// The session starts over: only then there is news.
    pub anew: bool,
}

/// What is told beside the version, the model and a few tips.
#[derive(Clone, Debug, Default, serde::Serialize, serde::Deserialize)]
pub struct Greeting {
    /// Nothing is told but notices.
    quiet: bool,
    recent: Vec<(String, String)>,
    news: Option<String>,
}

impl Greeting {
    /// The same without the names of other sessions.
    pub(crate) fn alone(self) -> Self {
        Self { recent: Vec::new(), ..self }
    }
}

impl Greeter {
    /// Looks for what there is to tell. Waits for the disk.
    pub fn greet(&self, settings: Option<&Settings>) -> Greeting {
        let set = |key| settings.is_some_and(|settings| settings.get(key));
        if set(keys::STARTUP_QUIET) {
            return Greeting { quiet: true, ..Greeting::default() };
        }
        if !self.anew {
            return Greeting::default();
        }
        let length = if set(keys::COLLAPSE_CHANGELOG) { Length::Short } else { Length::Full };
        let changelog = omp_commands::changelog_of(self.package_dir.as_deref());
        let news = since_last_start(&self.directories, &changelog, length);
        Greeting { quiet: false, recent: self.recent(), news }
    }

    fn recent(&self) -> Vec<(String, String)> {
        let saved = SavedSessions::new(&self.directories, self.session_dir.as_deref(), &self.cwd);
        let now = SystemTime::now();
        let row = |session: omp_sdk::sessions::SessionInfo| {
            let seconds = now.duration_since(session.modified).unwrap_or_default().as_secs();
            (session.name(), age(seconds))
        };
        saved.recent(MOST_RECENT).into_iter().map(row).collect()
    }
}

/// Greets the user above the conversation.
pub(crate) fn greet(app: &mut App, greeting: Greeting) {
    let Greeting { quiet, recent, news } = greeting;
    if quiet {
        return;
    }
    let session = app.session();
    let welcome = Welcome {
        version: env!("CARGO_PKG_VERSION").to_owned(),
        model: session.model_selector(),
        directory: crate::app::shown_path(&session.cwd(), &app.home()),
        tips: TIPS.map(str::to_owned).into(),
        recent,
    };
    app.show_rows(move |look| welcome.rows(look));
    app.show_servers();
    if let Some(news) = news {
        app.show_rows(move |look| {
            let mut rows = vec![look.row(Token::Accent, "What's new")];
            rows.extend(omp_view::markdown::render(look, &news));
            rows
        });
    }
}
