//! A copy of a session that goes its own way.

use std::path::Path;

use crate::header::Header;
use crate::load::Loaded;
use crate::rewrite::{Content, CopyError};
use crate::sessions::{OpenError, Sessions};
use crate::writer::SessionWriter;

#[derive(Debug, thiserror::Error)]
pub enum ForkError {
    #[error(transparent)]
    Copy(#[from] CopyError),
    #[error(transparent)]
    Open(#[from] OpenError),
}

impl Sessions {
    /// Copies a session into the project at `cwd`, under a new id and with the old one as `parentSession`. Every
    /// line is kept, also those this version cannot read; the old file is only read. Flush its writer before.
    pub fn fork(&self, source: &Path, cwd: &Path) -> Result<(Loaded, SessionWriter), ForkError> {
        let mut content = Content::read(source)?;
        content.header = child(content.header, cwd);
        let path = self.path_for(cwd, &content.header);
        content.write(&path)?;
        Ok(self.open(&path, cwd)?)
    }
}

fn child(old: Header, cwd: &Path) -> Header {
    let Header { id, timestamp, cwd, .. } = Header::new(cwd);
    Header { id, timestamp, cwd, parent_session: Some(old.id), ..old }
}
