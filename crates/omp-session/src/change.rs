//! The changes of a saved session that need the whole file written again: its name, and outputs that are dropped.

use std::collections::HashMap;

use crate::entry::{Entry, EntryKind};
use crate::envelope::Envelope;
use crate::header::TitleSource;
use crate::persist;
use crate::rewrite::{CopyError, Source};
use crate::save::{Access, SavePlace};
use crate::writer::SessionWriter;

/// What came of naming a session.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Naming {
    /// The session has the name.
    Named,
    /// The user named the session before, and an automatic name does not replace that.
    UsersNameKept,
}

impl SessionWriter {
    /// Names the session. The file is rewritten, in one step; a session that is not saved yet gets the name with
    /// its file.
    pub fn set_title(&mut self, title: &str, source: TitleSource) -> Result<Naming, CopyError> {
        let by_user = self.header.title.is_some() && self.header.title_source == Some(TitleSource::User);
        if by_user && source != TitleSource::User {
            return Ok(Naming::UsersNameKept);
        }
        self.rewrite(|file| file.set_title(title, &source), &HashMap::new())?;
        self.header.title = Some(title.to_owned());
        self.header.title_source = Some(source);
        Ok(Naming::Named)
    }

    /// Replaces what some entries say, by their ids, and keeps everything else byte for byte: for outputs of tools
    /// that are no longer worth their room. Entries that are not in the file are left out.
    pub fn replace(&mut self, kinds: &HashMap<String, EntryKind>) -> Result<(), CopyError> {
        self.rewrite(|_| Ok(()), kinds)?;
        for entry in &mut self.entries {
            if let Some(kind) = kinds.get(&entry.id) {
                entry.kind = kind.clone();
            }
        }
        Ok(())
    }

    fn rewrite(
        &mut self,
        change: impl FnOnce(&mut Source) -> Result<(), CopyError>,
        kinds: &HashMap<String, EntryKind>,
    ) -> Result<(), CopyError> {
        let SavePlace::File(path) = &self.store.place else { return Ok(()) };
        let path = path.clone();
        let not_ours = |reason: String| CopyError::NotOurs { path: path.clone(), reason };
        if let Access::Beside(holder) = &self.store.access {
            return Err(not_ours(holder.to_string()));
        }
        self.store.check().map_err(|error| not_ours(error.to_string()))?;
        let mut source = Source::open(&path)?;
        change(&mut source)?;
        let blobs = self.store.blobs.clone();
        source.write_with(&path, |line| {
            if kinds.is_empty() {
                return None;
            }
            let Envelope { id, parent_id, timestamp, .. } = Envelope::read(line)?;
            let kind = kinds.get(&id)?.clone();
            let entry = Entry { id, parent_id, timestamp: timestamp.unwrap_or_default(), kind };
            Some(persist::store(&entry, blobs.as_ref()).line)
        })
    }
}
