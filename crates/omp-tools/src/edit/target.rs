//! The file that a section means.

use std::fs::Metadata;
use std::io::Read;
use std::os::unix::fs::MetadataExt;
use std::path::{Path, PathBuf};

use omp_agent::ToolError;
use omp_documents::notebook::{MAX_BYTES, Notebook};
use omp_edits::hashline::{Planned, Section};
use omp_edits::patch::FinalEnd;
use omp_workspace::document::{Document, Splice};
use omp_workspace::open::OpenedPath;
use omp_workspace::sniff::{self, FileKind};
use omp_workspace::text::Charset;
use omp_workspace::turn::Turn;
use omp_workspace::write::{Mode, WriteError};

use super::encode::{Written, encode};
use crate::Context;
use crate::lsp::Before;
use crate::notebook::{self, is_notebook};
use crate::resources::InternalUrl;
use crate::seen_files::SeenFiles;

/// Of more files than this, the others are only looked at again before they are replaced.
const MOST_TURNS: usize = 64;

/// A file as it was when the edit began.
pub(super) struct Target {
    path: PathBuf,
    /// The path behind all links.
    pub(super) key: String,
    /// The path as the model should see and repeat it.
    pub(super) shown: String,
    pub(super) document: Document,
    /// The notebook whose cells the document shows.
    notebook: Option<Notebook>,
    stamp: Stamp,
    /// Keeps other agents from changing it meanwhile.
    turn: Option<Turn>,
    /// Set when another file than the named one was taken.
    pub(super) remark: Option<String>,
}

/// Which file it is, whatever its names are.
pub(super) type FileId = (u64, u64);

/// Tells whether somebody else wrote meanwhile: another file under the name, another length, another time.
#[derive(Clone, Copy, PartialEq, Eq)]
struct Stamp {
    file: FileId,
    length: u64,
    changed: (i64, i64),
}

impl Stamp {
    fn of(metadata: &Metadata) -> Self {
        Self {
            file: (metadata.dev(), metadata.ino()),
            length: metadata.len(),
            changed: (metadata.ctime(), metadata.ctime_nsec()),
        }
    }
}

impl Target {
    pub(super) fn find(context: &Context, section: &Section) -> Result<Self, ToolError> {
        let typed = &section.path;
        if let Some(target) = Self::at(context, typed)? {
            return Ok(target);
        }
        // What belongs to the session alone is changed without a question, so no other file is taken for it.
        if InternalUrl::parse(typed).is_some() {
            return Err(not_found(typed));
        }
        let name = Path::new(typed).file_name().and_then(|name| name.to_str()).unwrap_or_default();
        let found = context.seen.snapshots().named(name, section.tag).map(PathBuf::from);
        match found {
            Some(found) if found.is_file() => {
                let shown = context.base().display(&found);
                let remark = format!(
                    "'{typed}' does not exist; the tag belongs to {shown}, which was edited instead."
                );
                Self::load(context, found, Some(remark))
            }
            Some(_) => Err(ToolError::new(format!(
                "File not found: {typed}. It was deleted or renamed after it was read. Find its new name, or \
                 use the write tool to create it again."
            ))),
            None => Err(ranged(context, section).unwrap_or_else(|| not_found(typed))),
        }
    }

    /// The file that a typed path names, if there is any.
    pub(super) fn at(context: &Context, typed: &str) -> Result<Option<Self>, ToolError> {
        let path = context.file_to_change(typed)?;
        if path.symlink_metadata().is_err() {
            return Ok(None);
        }
        let mut target = Self::load(context, path, None)?;
        if InternalUrl::parse(typed).is_some() {
            target.shown = typed.to_owned();
        }
        Ok(Some(target))
    }

    pub(super) fn load(context: &Context, path: PathBuf, remark: Option<String>) -> Result<Self, ToolError> {
        let shown = context.base().display(&path);
        let refuse = |reason: String| ToolError::new(format!("{shown} {reason}"));
        let (file, metadata) = match context.open(&path) {
            Ok(OpenedPath::File(file, metadata)) => (file, metadata),
            Ok(OpenedPath::Directory) => return Err(refuse("is a directory; name a file in it.".to_owned())),
            Ok(OpenedPath::Special(kind)) => return Err(refuse(format!("is {}, not a file.", kind.name()))),
            Err(error) if error.kind() == std::io::ErrorKind::NotFound && path.is_symlink() => {
                let leads = "is a symbolic link to a file that does not exist. Use the write tool to create that \
                     file.";
                return Err(refuse(leads.to_owned()));
            }
            Err(error) => return Err(refuse(format!("cannot be read: {error}."))),
        };
        let limit = if is_notebook(&path) { MAX_BYTES } else { SeenFiles::MAX_BYTES };
        let too_large = |length: u64| {
            let reason = format!("is larger than {} MB; use bash, e.g. sed, to change it.", limit >> 20);
            if length > limit { Err(refuse(reason)) } else { Ok(()) }
        };
        too_large(metadata.len())?;
        let mut bytes = Vec::new();
        // It may grow while it is read, and some files of the system do not tell their length.
        let read = file.take(limit + 1).read_to_end(&mut bytes);
        read.map_err(|error| refuse(format!("cannot be read: {error}.")))?;
        too_large(bytes.len() as u64)?;
        let stamp = Stamp::of(&metadata);
        let key = SeenFiles::key(&path);
        if is_notebook(&path) {
            let notebook = notebook::parse(&shown, &bytes)?;
            let document = Document::new(notebook.text().into_bytes(), Charset::Utf8);
            return Ok(Self {
                path,
                key,
                shown,
                document,
                notebook: Some(notebook),
                stamp,
                turn: None,
                remark,
            });
        }
        let FileKind::Text(charset) = sniff::kind(&bytes[..bytes.len().min(sniff::HEAD)]) else {
            return Err(refuse("is not a text file.".to_owned()));
        };
        let document = Document::new(bytes, charset);
        Ok(Self { path, key, shown, document, notebook: None, stamp, turn: None, remark })
    }

    /// The same file, which no other agent changes from now on. If one just did, it is read again. `taken` is how many
    /// files of the call are kept so: a file that is open counts, and there may be only so many.
    pub(super) fn in_turn(mut self, context: &Context, taken: usize) -> Result<Self, ToolError> {
        let turn = if taken < MOST_TURNS { Turn::wait(&self.path) } else { None };
        if !self.is_unchanged() {
            let shown = std::mem::take(&mut self.shown);
            self = Self { shown, ..Self::load(context, self.path, self.remark)? };
        }
        self.turn = turn;
        Ok(self)
    }

    /// Is the file its text and nothing else?
    pub(super) fn is_verbatim(&self) -> bool {
        self.notebook.is_none() && self.document.is_verbatim()
    }

    /// The file's bytes after the changes.
    pub(super) fn encode(&self, planned: &Planned, written: Written) -> Result<Vec<u8>, ToolError> {
        if self.notebook.is_some() {
            return self.stored(planned.text.as_bytes().to_vec());
        }
        let splices: Vec<Splice<'_>> = planned
            .changes
            .iter()
            .map(|change| Splice { start: change.start, removed: change.removed, inserted: &change.inserted })
            .collect();
        encode(&self.shown, &self.document, &splices, FinalEnd::Keep, written)
    }

    /// The bytes of the file for a text: a notebook is not stored as it is shown.
    pub(super) fn stored(&self, text: Vec<u8>) -> Result<Vec<u8>, ToolError> {
        let Some(notebook) = &self.notebook else { return Ok(text) };
        let text = String::from_utf8_lossy(&text);
        let stored = notebook.with_text(&text).map_err(|error| notebook::refused(&self.shown, &error))?;
        Ok(stored.into_bytes())
    }

    /// The bytes of the file before the edit.
    pub(super) fn original(&self) -> &[u8] {
        self.notebook.as_ref().map_or(self.document.bytes(), |notebook| notebook.json().as_bytes())
    }

    /// What the next read shows of these bytes, where that may be another text than the one that was planned: cells get
    /// their numbers again when they are stored, and the encoding of other bytes may be guessed differently.
    pub(super) fn shown_next(&self, stored: &[u8]) -> Option<Document> {
        if self.notebook.is_some() {
            let text = Notebook::parse(stored).ok()?.text();
            return Some(Document::new(text.into_bytes(), Charset::Utf8));
        }
        match sniff::kind(&stored[..stored.len().min(sniff::HEAD)]) {
            FileKind::Text(charset) if charset != self.document.charset() => {
                Some(Document::new(stored.to_vec(), charset))
            }
            _ => None,
        }
    }

    /// Looks whether the file can be replaced, before any file of the call is.
    pub(super) fn check_writable(&self, context: &Context) -> Result<(), ToolError> {
        self.check_unchanged()?;
        omp_workspace::write::check(&self.path).map_err(|error| crate::write::explain(context, &error))
    }

    /// Refuses to continue if somebody else wrote meanwhile.
    pub(super) fn check_unchanged(&self) -> Result<(), ToolError> {
        if self.is_unchanged() { Ok(()) } else { Err(self.changed()) }
    }

    fn is_unchanged(&self) -> bool {
        std::fs::metadata(&self.path).is_ok_and(|now| Stamp::of(&now) == self.stamp)
    }

    fn changed(&self) -> ToolError {
        ToolError::new(format!(
            "{} was changed by something else during the edit and was left alone. Send the edit again.",
            self.shown
        ))
    }

    /// Replaces the file, unless somebody else did meanwhile.
    pub(super) fn write(&self, context: &Context, bytes: &[u8]) -> Result<(), ToolError> {
        match context.put_if(&self.path, bytes, Mode::Keep, || self.is_unchanged()) {
            Ok(_) => {
                context.changed(&self.path, Before::Present);
                Ok(())
            }
            Err(WriteError::Changed(_)) => Err(self.changed()),
            Err(error) => Err(crate::write::explain(context, &error)),
        }
    }

    pub(super) fn path(&self) -> &Path {
        &self.path
    }

    /// Two names of one file, such as hard links, have this in common.
    pub(super) fn file(&self) -> FileId {
        self.stamp.file
    }
}

/// The answer to a header with a range such as a read takes: `[a.rs:10-20#0A3B]`.
fn ranged(context: &Context, section: &Section) -> Option<ToolError> {
    let (path, range) = section.path.rsplit_once(':')?;
    let numbers = range.starts_with(|c: char| c.is_ascii_digit())
        && range.chars().all(|c| c.is_ascii_digit() || matches!(c, '-' | '+' | ','));
    let exists = || context.base().resolve(path).is_ok_and(|path| path.is_file());
    ((numbers || range == "raw") && exists()).then(|| {
        ToolError::new(format!(
            "File not found: {}. A header names the file without a range: write [{path}#{}].",
            section.path, section.tag
        ))
    })
}

/// No file has the name, and none that was read had it.
pub(super) fn not_found(typed: &str) -> ToolError {
    ToolError::new(format!("File not found: {typed}. Use the write tool to create new files."))
}

#[cfg(test)]
mod tests {
    use super::*;

    /// Between the look at a file and its replacement somebody else may have written.
    #[test]
    fn a_file_that_somebody_else_wrote_is_left_alone() {
        let (_directory, context) = Context::in_temporary_directory();
        let cwd = context.cwd.clone();
        let path = cwd.join("a.txt");
        let in_place = |text: &str| std::fs::write(&path, text).unwrap();
        let under_its_name = |text: &str| {
            std::fs::write(cwd.join("b.txt"), text).unwrap();
            std::fs::rename(cwd.join("b.txt"), &path).unwrap();
        };
        for change in [&in_place as &dyn Fn(&str), &under_its_name] {
            in_place("before\n");
            let target = Target::at(&context, "a.txt").unwrap().unwrap();
            change("theirs, longer\n");
            let refused = target.write(&context, b"ours\n").unwrap_err().message;
            assert!(refused.starts_with("a.txt was changed by something else during the edit"), "{refused}");
            assert_eq!(std::fs::read(&path).unwrap(), b"theirs, longer\n");
            let target = Target::at(&context, "a.txt").unwrap().unwrap();
            target.write(&context, b"ours\n").unwrap();
            assert_eq!(std::fs::read(&path).unwrap(), b"ours\n");
        }
    }
}
