//! The file that a section means.

use std::io::Read;
use std::path::{Path, PathBuf};
use std::time::SystemTime;

use omp_agent::ToolError;
use omp_hashline::{Planned, Section};
use omp_workspace::document::{Document, Splice};
use omp_workspace::open::{Found, open};
use omp_workspace::sniff::{self, Kind};
use omp_workspace::write::{Mode, write};

use crate::Context;
use crate::shown::Shown;

/// A file as it was when the edit began.
pub(super) struct Target {
    path: PathBuf,
    /// The path behind all links.
    pub(super) key: String,
    /// The path as the model should see and repeat it.
    pub(super) shown: String,
    pub(super) document: Document,
    stamp: Stamp,
    /// Set when another file than the named one was taken.
    pub(super) remark: Option<String>,
}

/// Tells whether somebody else wrote meanwhile.
#[derive(Clone, Copy, PartialEq, Eq)]
struct Stamp {
    length: u64,
    modified: Option<SystemTime>,
}

impl Target {
    pub(super) fn find(context: &Context, section: &Section) -> Result<Self, ToolError> {
        let typed = &section.path;
        let path = context.base().resolve(typed).map_err(|error| ToolError::new(error.to_string()))?;
        if path.symlink_metadata().is_ok() {
            return Self::load(context, path, None);
        }
        let name = Path::new(typed).file_name().and_then(|name| name.to_str()).unwrap_or_default();
        let found = context.shown.snapshots().named(name, section.tag).map(PathBuf::from);
        match found.filter(|found| found.is_file()) {
            Some(found) => {
                let shown = context.base().display(&found);
                let remark = format!(
                    "'{typed}' does not exist; the tag belongs to {shown}, which was edited instead."
                );
                Self::load(context, found, Some(remark))
            }
            None => Err(ToolError::new(format!(
                "File not found: {typed}. Use the write tool to create new files."
            ))),
        }
    }

    fn load(context: &Context, path: PathBuf, remark: Option<String>) -> Result<Self, ToolError> {
        let shown = context.base().display(&path);
        let refuse = |reason: String| ToolError::new(format!("{shown} {reason}"));
        let (mut file, metadata) = match open(&path) {
            Ok(Found::File(file, metadata)) => (file, metadata),
            Ok(Found::Directory) => return Err(refuse("is a directory; name a file in it.".to_owned())),
            Ok(Found::Special(kind)) => return Err(refuse(format!("is {}, not a file.", kind.name()))),
            Err(error) => return Err(refuse(format!("cannot be read: {error}."))),
        };
        if metadata.len() > Shown::MAX_BYTES {
            return Err(refuse("is larger than 16 MB; use bash, e.g. sed, to change it.".to_owned()));
        }
        let mut bytes = Vec::new();
        file.read_to_end(&mut bytes).map_err(|error| refuse(format!("cannot be read: {error}.")))?;
        let Kind::Text(charset) = sniff::kind(&bytes[..bytes.len().min(sniff::HEAD)]) else {
            return Err(refuse("is not a text file.".to_owned()));
        };
        let stamp = Stamp { length: metadata.len(), modified: metadata.modified().ok() };
        let key = Shown::key(&path);
        Ok(Self { path, key, shown, document: Document::new(bytes, charset), stamp, remark })
    }

    /// The file's bytes after the changes.
    pub(super) fn encode(&self, planned: &Planned) -> Result<Vec<u8>, ToolError> {
        let splices: Vec<Splice<'_>> = planned
            .changes
            .iter()
            .map(|change| Splice { start: change.start, removed: change.removed, inserted: &change.inserted })
            .collect();
        self.document.splice(&splices).map_err(|error| {
            ToolError::new(format!(
                "{} was left as it is: {error} Leave the character out, or convert the file to UTF-8 first, e.g. \
                 with iconv.",
                self.shown
            ))
        })
    }

    /// Replaces the file, unless somebody else did meanwhile.
    pub(super) fn write(&self, context: &Context, bytes: &[u8]) -> Result<(), ToolError> {
        let now = std::fs::metadata(&self.path);
        let stamp = now.map(|now| Stamp { length: now.len(), modified: now.modified().ok() });
        if stamp.ok() != Some(self.stamp) {
            return Err(ToolError::new(format!(
                "{} was changed by something else at this very moment and was left as it is. Send the edit again.",
                self.shown
            )));
        }
        match write(&self.path, bytes, Mode::Keep) {
            Ok(_) => Ok(()),
            Err(error) => Err(crate::write::explain(context, &error)),
        }
    }

    pub(super) fn path(&self) -> &Path {
        &self.path
    }
}
