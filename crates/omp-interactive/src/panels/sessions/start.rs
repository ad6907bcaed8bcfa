//! The list of sessions before there is a session: `omp --resume`.

use std::os::fd::OwnedFd;
use std::path::PathBuf;
use std::sync::Arc;

use omp_keys::{Bindings, Platform};
use omp_panels::sessions::{News, Picker, Scope, SessionsRequest};
use omp_sdk::Directories;
use omp_sdk::settings::Settings;
use omp_tui::terminal::TerminalError;
use tokio::sync::mpsc::{self, UnboundedReceiver, UnboundedSender};

use super::sources::Sources;
use super::standalone::{Done, Stand};
use crate::appearance::{self, ThemeSettings};
use crate::run::End;

/// What the list begins with.
pub struct PickStart<'a> {
    /// The user's directories.
    pub directories: &'a Directories,
    /// The one directory of all sessions, if the user keeps them in one.
    pub session_dir: Option<PathBuf>,
    /// The directory whose sessions come first.
    pub cwd: PathBuf,
    /// Colours and symbols.
    pub settings: &'a Settings,
    /// The variables of the environment.
    pub variable: fn(&str) -> Option<String>,
    /// The process that keeps the terminal safe, started when the list opens.
    pub leash: fn() -> Option<OwnedFd>,
}

/// What came of it.
#[derive(Clone, Debug, PartialEq, Eq)]
pub enum Picked {
    /// This session.
    Session {
        /// Its file.
        path: PathBuf,
        /// Its id.
        id: String,
        /// Where it worked.
        cwd: PathBuf,
    },
    /// There is none anywhere.
    NoSessions,
    /// The user wants none of them.
    Cancelled,
    /// The user left the program, or it was ended.
    Ended(End),
}

/// Lets somebody at the terminal choose a session.
pub async fn pick_session(start: PickStart<'_>) -> Result<Picked, TerminalError> {
    let PickStart { directories, session_dir, cwd, settings, variable, leash } = start;
    let keys = Bindings::new(Platform::current(), &appearance::user_keys(directories).keys);
    let mut list = List {
        picker: Picker::new(Scope::Folder, &keys),
        sources: Arc::new(Sources::new(directories, session_dir.as_deref(), &cwd, None)),
        work: mpsc::unbounded_channel(),
    };
    let mut next = Some(SessionsRequest::Load(Scope::Folder));
    while let Some(wish) = next {
        let Some(news) = perform(&list.sources, wish).await else { break };
        if news == News::Listed(Scope::All, Vec::new()) {
            return Ok(Picked::NoSessions);
        }
        next = list.picker.news(news);
    }
    let wishes = ThemeSettings::read(directories, settings);
    let mut stand = Stand::enter(leash(), variable, |appearance| wishes.open(appearance).0)?;
    let picked = list.run(&mut stand, &keys).await;
    let left = stand.leave();
    let picked = picked?;
    left?;
    Ok(picked)
}

async fn perform(sources: &Arc<Sources>, wish: SessionsRequest) -> Option<News> {
    let sources = Arc::clone(sources);
    tokio::task::spawn_blocking(move || sources.perform(wish)).await.ok().flatten()
}

struct List {
    picker: Picker,
    sources: Arc<Sources>,
    work: (UnboundedSender<News>, UnboundedReceiver<News>),
}

impl List {
    async fn run(&mut self, stand: &mut Stand, keys: &Bindings) -> Result<Picked, TerminalError> {
        loop {
            stand.paint(|look, size| self.picker.draw(look, size))?;
            let wishes: Vec<SessionsRequest> = tokio::select! {
                done = stand.next() => {
                    let mut wishes = Vec::new();
                    for done in done? {
                        match done {
                            Done::Key(key) => wishes.extend(self.picker.key(key, keys)),
                            Done::Paste(text) => wishes.extend(self.picker.paste(&text)),
                            Done::End(end) => return Ok(Picked::Ended(end)),
                        }
                    }
                    wishes
                }
                Some(news) = self.work.1.recv() => self.picker.news(news).into_iter().collect(),
            };
            for wish in wishes {
                if let Some(picked) = self.fulfil(wish) {
                    return Ok(picked);
                }
            }
        }
    }

    /// Does what the list wants; an end, if it is one.
    fn fulfil(&self, wish: SessionsRequest) -> Option<Picked> {
        match wish {
            SessionsRequest::Cancel => Some(Picked::Cancelled),
            SessionsRequest::Exit => Some(Picked::Ended(End::Left)),
            SessionsRequest::Choose(path) => {
                let session = self.sources.session(&path)?;
                Some(Picked::Session { path, id: session.id, cwd: session.cwd })
            }
            work => {
                let (sources, answer) = (Arc::clone(&self.sources), self.work.0.clone());
                tokio::spawn(async move {
                    if let Some(news) = perform(&sources, work).await {
                        // The list is closed if nobody takes it.
                        let _ = answer.send(news);
                    }
                });
                None
            }
        }
    }
}
