//! Where the list of sessions gets its sessions from.

use std::path::{Path, PathBuf};
use std::sync::{Arc, Mutex, PoisonError};
use std::time::SystemTime;

use omp_panels::age;
use omp_panels::sessions::{News, Scope, SessionItem, SessionsRequest};
use omp_sdk::sessions::{NO_MESSAGES, SessionInfo, Status};
use omp_sdk::{Directories, SavedSessions, SessionList, SessionScope};

/// The saved sessions, for one list.
pub(super) struct Sources {
    saved: SavedSessions,
    home: PathBuf,
    /// The session that is open already.
    open: Option<PathBuf>,
    folder: Mutex<Option<Arc<SessionList>>>,
    all: Mutex<Option<Arc<SessionList>>>,
}

impl Sources {
    pub(super) fn new(
        directories: &Directories,
        session_dir: Option<&Path>,
        cwd: &Path,
        open: Option<PathBuf>,
    ) -> Self {
        Self {
            saved: SavedSessions::new(directories, session_dir, cwd),
            home: directories.home.clone(),
            open,
            folder: Mutex::default(),
            all: Mutex::default(),
        }
    }

    /// Does what a list wants of the disk, and waits for it.
    pub(super) fn perform(&self, wish: SessionsRequest) -> Option<News> {
        Some(match wish {
            SessionsRequest::Load(scope) => News::Listed(scope, self.load(scope)),
            SessionsRequest::Search(scope, query) => {
                let places = self.shelf(scope).map(|shelf| shelf.find(&query)).unwrap_or_default();
                News::Found(scope, query, places)
            }
            SessionsRequest::Rename(path, name) => match self.saved.rename(&path, &name) {
                Ok(()) => News::Renamed(path, name),
                Err(error) => News::Failed(error.to_string()),
            },
            SessionsRequest::Delete(path) => match self.saved.remove(&path) {
                Ok(()) => News::Deleted(path),
                Err(error) => News::Failed(error.to_string()),
            },
            SessionsRequest::Choose(_) | SessionsRequest::Cancel | SessionsRequest::Exit => return None,
        })
    }

    /// A session of a list that was loaded.
    pub(super) fn session(&self, path: &Path) -> Option<SessionInfo> {
        let shelves = [Scope::Folder, Scope::All].into_iter().filter_map(|scope| self.shelf(scope));
        let mut found =
            shelves.filter_map(|shelf| shelf.sessions().iter().find(|session| session.path == path).cloned());
        found.next()
    }

    fn load(&self, scope: Scope) -> Vec<SessionItem> {
        let wanted = match scope {
            Scope::Folder => SessionScope::Folder,
            Scope::All => SessionScope::AllFolders,
        };
        let shelf = self.saved.session_list(wanted, self.open.as_deref());
        let now = SystemTime::now();
        let items = shelf.sessions().iter().map(|session| self.item(session, now)).collect();
        *self.slot(scope).lock().unwrap_or_else(PoisonError::into_inner) = Some(Arc::new(shelf));
        items
    }

    fn shelf(&self, scope: Scope) -> Option<Arc<SessionList>> {
        self.slot(scope).lock().unwrap_or_else(PoisonError::into_inner).clone()
    }

    fn slot(&self, scope: Scope) -> &Mutex<Option<Arc<SessionList>>> {
        match scope {
            Scope::Folder => &self.folder,
            Scope::All => &self.all,
        }
    }

    fn item(&self, session: &SessionInfo, now: SystemTime) -> SessionItem {
        let name = session.title.as_deref().unwrap_or(&session.first_message);
        SessionItem {
            name: if name == NO_MESSAGES { session.name() } else { name.to_owned() },
            directory: crate::app::shown_path(&session.cwd, &self.home),
            path: session.path.clone(),
            age: age(now.duration_since(session.modified).unwrap_or_default().as_secs()),
            created: session.created.clone(),
            messages: session.message_count,
            remark: match session.status {
                Status::Complete | Status::Unknown => "",
                Status::Interrupted => "interrupted",
                Status::Aborted => "stopped",
                Status::Error => "failed",
                Status::Pending => "unanswered",
            },
        }
    }
}
