//! Directories that a session works in besides its own.

use std::path::{Path, PathBuf};

use crate::session::Session;
use crate::session::tell_model::tell_model;

/// The kind of the message that tells the model of a change.
const CHANGE: &str = "workspace-roots";

/// Why a directory was not added or taken away.
#[derive(Clone, Debug, PartialEq, Eq, thiserror::Error)]
pub enum RootError {
    /// It cannot be worked in.
    #[error("cannot use {}: {reason}", path.display())]
    Unusable {
        /// What was named.
        path: PathBuf,
        /// What the system said.
        reason: String,
    },
    /// It is among them.
    #[error("{} is already part of the workspace", .0.display())]
    Known(PathBuf),
    /// It is not among them.
    #[error("{} is not an additional directory of this session (see: /dirs)", .0.display())]
    Unknown(PathBuf),
}

/// A directory as it is called everywhere.
pub fn workspace_root(path: &Path, cwd: &Path) -> Result<PathBuf, RootError> {
    let path = cwd.join(path);
    let unusable = |reason: String| RootError::Unusable { path: path.clone(), reason };
    let root = path.canonicalize().map_err(|error| unusable(error.to_string()))?;
    if root.is_dir() { Ok(root) } else { Err(unusable("it is not a directory".to_owned())) }
}

/// The directories that a session works in besides its own.
#[derive(Clone, Copy)]
pub struct Workspace<'s> {
    pub(crate) session: &'s Session,
}

impl Workspace<'_> {
    /// The directories that the session works in besides its own.
    pub fn roots(self) -> Vec<PathBuf> {
        self.session.places.roots().clone()
    }

    /// Works in another directory, too. The model is told with its next turn.
    pub fn add_root(self, path: &Path) -> Result<PathBuf, RootError> {
        let root = workspace_root(path, &self.session.places.cwd)?;
        let mut roots = self.session.places.roots();
        if root == self.session.places.cwd || roots.contains(&root) {
            return Err(RootError::Known(root));
        }
        roots.push(root.clone());
        drop(roots);
        self.session.tools.borders.add(&root);
        self.tell(&format!("The workspace now also includes {}.", root.display()));
        Ok(root)
    }

    /// Does not work in a further directory any more. The model is told with its next turn.
    pub fn remove_root(self, path: &Path) -> Result<PathBuf, RootError> {
        let path = self.session.places.cwd.join(path);
        let path = path.canonicalize().unwrap_or(path);
        let mut roots = self.session.places.roots();
        let at = roots.iter().position(|root| *root == path).ok_or(RootError::Unknown(path))?;
        let root = roots.remove(at);
        drop(roots);
        self.session.tools.borders.remove(&root);
        self.tell(&format!("{} is no longer part of the workspace.", root.display()));
        Ok(root)
    }

    fn tell(self, text: &str) {
        let text = format!("<system-reminder>\n{text}\n</system-reminder>");
        tell_model(&self.session.control(), CHANGE, text);
    }
}
