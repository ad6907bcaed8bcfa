//! The sessions of one user.

use std::path::{Path, PathBuf};

use crate::blobs::BlobStore;
use crate::breadcrumb::{Breadcrumb, Trail};
use crate::header::Header;
use crate::layout::{self, SessionsRoot};
use crate::load::{LoadError, Loaded};
use crate::writer::SessionWriter;
use crate::{index, legacy};

/// Finds the sessions of projects. Cheap to create; touches no file by itself.
#[derive(Clone, Debug)]
pub struct Sessions {
    pub(crate) root: SessionsRoot,
    /// Chosen by the user for creating, listing and resuming, whatever the project.
    pub(crate) explicit: Option<PathBuf>,
    /// Files of this length get an index.
    pub(crate) index_from: u64,
}

/// What a new session begins with.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct NewSession {
    /// The id or file of the session this one comes from.
    pub parent: Option<String>,
    /// Drawn at random when missing.
    pub id: Option<String>,
}

impl Sessions {
    /// `agent` is the directory of the agent's files, `home` the user's, `temporary` the system's.
    pub fn new(agent: &Path, home: &Path, temporary: &Path) -> Self {
        Self {
            root: SessionsRoot::new(agent, home, temporary),
            explicit: None,
            index_from: index::WORTH_AN_INDEX,
        }
    }

    /// Keeps the breadcrumbs of terminals in `directory` instead of with the agent's files.
    pub fn with_breadcrumbs_in(mut self, directory: &Path) -> Self {
        self.root.set_breadcrumbs(directory);
        self
    }

    /// Gives an index to session files of this many bytes and more, instead of a megabyte.
    pub fn with_index_from(mut self, bytes: u64) -> Self {
        self.index_from = bytes;
        self
    }

    /// Uses one directory for all projects.
    pub fn in_directory(mut self, directory: &Path) -> Self {
        self.explicit = Some(directory.to_owned());
        self
    }

    /// The directory of a project's sessions; it need not exist.
    pub fn dir_for(&self, cwd: &Path) -> PathBuf {
        if let Some(explicit) = &self.explicit {
            return explicit.clone();
        }
        legacy::adopt(&self.root);
        self.root.directory(cwd)
    }

    /// Plans a session; its file is created with the first answer.
    pub fn create(&self, cwd: &Path, new: NewSession) -> SessionWriter {
        let mut header = Header::new(cwd);
        header.parent_session = new.parent;
        if let Some(id) = new.id {
            header.id = id;
        }
        let path = self.path_for(cwd, &header);
        self.planned(header, path)
    }

    fn planned(&self, header: Header, path: PathBuf) -> SessionWriter {
        let mut writer = SessionWriter::planned(header, path, self.blobs());
        writer.store.index_from = self.index_from;
        writer
    }

    /// Plans a session in a file of choice: the conversation of a sub-agent is kept with the artifacts of its parent.
    pub fn create_at(&self, path: &Path, cwd: &Path, new: NewSession) -> SessionWriter {
        let header = self.create(cwd, new).header().clone();
        self.planned(header, path.to_owned())
    }

    /// A whole session with its images; `None` if the file is no session.
    pub fn load(&self, path: &Path) -> Result<Option<Loaded>, LoadError> {
        Ok(crate::load::load(path)?.map(|loaded| loaded.with_blobs(&self.blobs())))
    }

    /// The images of all sessions.
    pub fn blobs(&self) -> BlobStore {
        BlobStore::new(&self.root.blobs())
    }

    pub(crate) fn path_for(&self, cwd: &Path, header: &Header) -> PathBuf {
        self.dir_for(cwd).join(layout::file_name(&header.timestamp, &header.id))
    }

    /// Points the terminal's breadcrumb to this session, now or as soon as it is saved.
    pub fn leave_breadcrumb(&self, terminal: &str, writer: &mut SessionWriter) {
        writer.set_trail(Trail(self.root.breadcrumbs().join(terminal)));
    }

    /// Where a terminal was and what it worked on.
    pub fn breadcrumb(&self, terminal: &str) -> Option<Breadcrumb> {
        Breadcrumb::read(&self.root.breadcrumbs().join(terminal))
    }
}
