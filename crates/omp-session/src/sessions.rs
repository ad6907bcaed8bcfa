//! The sessions of one user.

use std::io;
use std::path::{Path, PathBuf};

use crate::breadcrumb::{Breadcrumb, Trail};
use crate::file;
use crate::header::Header;
use crate::layout::{self, SessionsRoot};
use crate::load::{LoadError, Loaded, load};
use crate::writer::SessionWriter;

/// Finds the sessions of projects. Cheap to create; touches no file by itself.
#[derive(Clone, Debug)]
pub struct Sessions {
    pub(crate) root: SessionsRoot,
    /// Chosen by the user for creating, listing and resuming, whatever the project.
    pub(crate) explicit: Option<PathBuf>,
}

/// What a new session begins with.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct NewSession {
    /// The id or file of the session this one comes from.
    pub parent: Option<String>,
    /// Drawn at random when missing.
    pub id: Option<String>,
}

#[derive(Debug, thiserror::Error)]
pub enum OpenError {
    #[error(transparent)]
    Load(#[from] LoadError),
    #[error(
        "Cannot start a session in {}: {source}. Check that you may write there and that the disk has room.",
        path.display()
    )]
    Create { path: PathBuf, source: io::Error },
}

impl Sessions {
    /// `agent` is the directory of the agent's files, `home` the user's, `temporary` the system's.
    pub fn new(agent: &Path, home: &Path, temporary: &Path) -> Self {
        Self { root: SessionsRoot::new(agent, home, temporary), explicit: None }
    }

    /// Keeps the breadcrumbs of terminals in `directory` instead of with the agent's files.
    pub fn with_breadcrumbs_in(mut self, directory: &Path) -> Self {
        self.root.set_breadcrumbs(directory);
        self
    }

    /// Uses one directory for all projects.
    pub fn in_directory(mut self, directory: &Path) -> Self {
        self.explicit = Some(directory.to_owned());
        self
    }

    /// The directory of a project's sessions; it need not exist.
    pub fn dir_for(&self, cwd: &Path) -> PathBuf {
        self.explicit.clone().unwrap_or_else(|| self.root.directory(cwd))
    }

    /// Plans a session; its file is created with the first answer.
    pub fn create(&self, cwd: &Path, new: NewSession) -> SessionWriter {
        let mut header = Header::new(cwd);
        header.parent_session = new.parent;
        if let Some(id) = new.id {
            header.id = id;
        }
        let path = self.path_for(cwd, &header);
        SessionWriter::planned(header, path)
    }

    pub(crate) fn path_for(&self, cwd: &Path, header: &Header) -> PathBuf {
        self.dir_for(cwd).join(layout::file_name(&header.timestamp, &header.id))
    }

    /// Opens a session file to go on with it.
    ///
    /// If there is none, or the file is no session, a new session of `cwd` begins at exactly this path; the old
    /// content is set aside, see [`Loaded::set_aside`].
    pub fn open(&self, path: &Path, cwd: &Path) -> Result<(Loaded, SessionWriter), OpenError> {
        // Behind links: a rewrite would replace the link instead of the file.
        let path = layout::real(&std::path::absolute(path).unwrap_or_else(|_| path.to_owned()));
        let loaded = match load(&path)? {
            Some(loaded) => loaded,
            None => {
                begin_at(&path, cwd).map_err(|source| OpenError::Create { path: path.clone(), source })?
            }
        };
        let writer = SessionWriter::resumed(&loaded, path);
        Ok((loaded, writer))
    }

    /// Points the terminal's breadcrumb to this session, now or as soon as it is saved.
    pub fn leave_breadcrumb(&self, terminal: &str, writer: &mut SessionWriter) {
        writer.set_trail(Trail(self.root.breadcrumbs().join(terminal)));
    }

    pub fn breadcrumb(&self, terminal: &str) -> Option<Breadcrumb> {
        Breadcrumb::read(&self.root.breadcrumbs().join(terminal))
    }
}

fn begin_at(path: &Path, cwd: &Path) -> io::Result<Loaded> {
    let set_aside = match std::fs::metadata(path) {
        Ok(old) if old.len() > 0 => Some(file::set_aside(path)?),
        _ => None,
    };
    let header = Header::new(cwd);
    file::replace(path, |writer| io::Write::write_all(writer, &header.line()))?;
    let mut loaded = Loaded::new(header, Vec::new());
    loaded.set_aside = set_aside;
    Ok(loaded)
}
