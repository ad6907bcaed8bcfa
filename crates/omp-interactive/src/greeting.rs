//! What is told when the program begins.

use std::path::PathBuf;
use std::time::{SystemTime, UNIX_EPOCH};

use omp_panels::age;
use omp_panels::welcome::Welcome;
use omp_sdk::sessions::SessionInfo;
use omp_sdk::settings::{Settings, keys};
use omp_sdk::{Directories, ProjectKind, SavedSessions};
use omp_theme::Token;

use crate::app::App;
use crate::whats_new::{Length, since_last_start};

/// So many sessions are named.
const MOST_RECENT: usize = 5;

const KEYS: &str = "/help: commands · /hotkeys: keys · Ctrl+C twice: exit";

/// A screen with fewer rows has no room for examples.
const LOW: usize = 20;

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
    /// What the folder holds, and what can be asked for there.
    #[serde(default)]
    project: Option<String>,
    #[serde(default)]
    examples: Vec<String>,
    #[serde(default)]
    tip: String,
}

impl Greeting {
    /// The same without the names of other sessions.
    pub(crate) fn alone(self) -> Self {
        Self { recent: Vec::new(), ..self }
    }

    /// The same for a screen of so many rows.
    pub(crate) fn for_rows(self, rows: usize) -> Self {
        match rows < LOW {
            true => Self { examples: Vec::new(), tip: String::new(), ..self },
            false => self,
        }
    }
}

impl Greeter {
    /// Looks for what there is to tell. Waits for the disk.
    pub fn greet(&self, settings: Option<&Settings>) -> Greeting {
        let set = |key| settings.is_some_and(|settings| settings.get(key));
        if set(keys::STARTUP_QUIET) {
            return Greeting { quiet: true, ..Greeting::default() };
        }
        let kind = ProjectKind::of(&self.cwd);
        if !self.anew {
            return Greeting { project: kind.summary(), ..Greeting::default() };
        }
        let length = if set(keys::COLLAPSE_CHANGELOG) { Length::Short } else { Length::Full };
        let changelog = omp_commands::changelog_of(self.package_dir.as_deref());
        let news = since_last_start(&self.directories, &changelog, length);
        let sessions = self.recent();
        Greeting {
            quiet: false,
            news,
            project: kind.summary(),
            examples: kind.examples().into(),
            tip: omp_commands::tip(turn(&sessions)).to_owned(),
            recent: named(sessions),
        }
    }

    fn recent(&self) -> Vec<SessionInfo> {
        let saved = SavedSessions::new(&self.directories, self.session_dir.as_deref(), &self.cwd);
        saved.recent(MOST_RECENT)
    }
}

/// A number that is another one after each session.
fn turn(sessions: &[SessionInfo]) -> usize {
    let newest = sessions.first().and_then(|session| session.modified.duration_since(UNIX_EPOCH).ok());
    newest.map_or(0, |since| usize::try_from(since.as_secs()).unwrap_or(0))
}

/// The names of sessions and how long ago they were used.
fn named(sessions: Vec<SessionInfo>) -> Vec<(String, String)> {
    let now = SystemTime::now();
    let row = |session: SessionInfo| {
        let seconds = now.duration_since(session.modified).unwrap_or_default().as_secs();
        (session.name(), age(seconds))
    };
    sessions.into_iter().map(row).collect()
}

/// Greets the user above the conversation.
pub(crate) fn greet(app: &mut App, greeting: Greeting) {
    let Greeting { quiet, recent, news, project, examples, tip } = greeting;
    if quiet {
        return;
    }
    let session = app.session();
    let welcome = Welcome {
        version: env!("CARGO_PKG_VERSION").to_owned(),
        model: session.model_selector(),
        directory: crate::app::shown_path(&session.cwd(), &app.home()),
        project: project.unwrap_or_default(),
        examples,
        keys: KEYS.to_owned(),
        tip,
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
