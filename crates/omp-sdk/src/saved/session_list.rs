//! A list of saved sessions to choose from: what is in it, and what fits a few letters.

use std::collections::HashMap;
use std::path::{Path, PathBuf};
use std::sync::{Mutex, PoisonError};

use omp_session::{CopyError, Holder, PromptHistory, SessionInfo, rank_sessions};

use crate::saved::{SavedError, SavedSessions, SessionScope};

/// So many prompts that match a search are looked at for their sessions.
const MOST_PROMPTS: usize = 1000;

/// The sessions of a moment. What is found is named by its place in the list.
pub struct SessionList {
    sessions: Vec<SessionInfo>,
    /// Opened with the first search, if there is one.
    history: Mutex<Option<PromptHistory>>,
}

impl SessionList {
    /// The sessions, the most recently used first.
    pub fn sessions(&self) -> &[SessionInfo] {
        &self.sessions
    }

    /// The places of the sessions that fit, the best first: by id, title, directory, messages, file, or by a prompt
    /// that was typed in them.
    pub fn find(&self, query: &str) -> Vec<usize> {
        let typed = {
            let history = self.history.lock().unwrap_or_else(PoisonError::into_inner);
            // Without the history the sessions themselves are searched.
            history.as_ref().and_then(|history| history.matching_sessions(query, MOST_PROMPTS).ok())
        };
        let places: HashMap<&Path, usize> = self
            .sessions
            .iter()
            .enumerate()
            .map(|(place, session)| (session.path.as_path(), place))
            .collect();
        let found = rank_sessions(&self.sessions, query, &typed.unwrap_or_default());
        found.into_iter().filter_map(|session| places.get(session.path.as_path()).copied()).collect()
    }
}

impl SavedSessions {
    /// The sessions to choose from, but for one that is open already.
    pub fn session_list(&self, scope: SessionScope, open: Option<&Path>) -> SessionList {
        let mut sessions = self.infos(scope);
        sessions.retain(|session| Some(session.path.as_path()) != open);
        SessionList { sessions, history: Mutex::new(self.history()) }
    }

    /// The most recently used sessions of the directory. Only the beginnings of their files are read.
    pub fn recent(&self, limit: usize) -> Vec<SessionInfo> {
        self.store.recent(&self.cwd, limit)
    }

    /// Who has a session open, if anybody has.
    pub fn holder(&self, path: &Path) -> Option<Holder> {
        self.store.holder(path)
    }

    /// Gives a session that is not open another name.
    pub fn rename(&self, path: &Path, title: &str) -> Result<(), CopyError> {
        self.store.rename(path, title)
    }

    /// Deletes a session and what belongs to it.
    pub fn remove(&self, path: &Path) -> Result<(), SavedError> {
        let failed = |source| SavedError::Delete { path: PathBuf::from(path), source };
        self.store.delete(path).map_err(failed)
    }

    /// Looking makes no database.
    fn history(&self) -> Option<PromptHistory> {
        self.store.has_prompt_history().then(|| self.store.prompt_history().ok()).flatten()
    }
}
