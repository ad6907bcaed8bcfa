//! An imported conversation as a new session of its project.

use std::fs::{DirBuilder, File, OpenOptions};
use std::io::{self, BufWriter};
use std::os::unix::fs::{DirBuilderExt, OpenOptionsExt};
use std::path::{Path, PathBuf};

use omp_session::{Entry, Sessions};

use crate::error::ImportError;
use crate::facts::Facts;
use crate::import::{Imported, import};
use crate::sink::{JsonlSink, Sink};
use crate::time;

/// A session that was made from a conversation of another program.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Saved {
    /// The session's file.
    pub path: PathBuf,
    /// The session's id.
    pub id: String,
    pub imported: Imported,
}

/// Imports a file as a new session of the project it was about; of `cwd`, if it does not say.
///
/// The session appears whole or not at all. Importing a file again makes another session.
pub fn save(path: &Path, sessions: &Sessions, cwd: &Path) -> Result<Saved, ImportError> {
    let id = format!("{:016x}", fastrand::u64(..));
    let mut target = Target { sessions, cwd, id: &id, open: None };
    let imported = import(path, &mut target)?;
    let path = target.finish().map_err(ImportError::Write)?;
    Ok(Saved { path, id, imported })
}

/// A file under a temporary name until all of it is there.
struct Target<'a> {
    sessions: &'a Sessions,
    cwd: &'a Path,
    id: &'a str,
    open: Option<Open>,
}

struct Open {
    sink: JsonlSink<BufWriter<File>>,
    unfinished: Unfinished,
    path: PathBuf,
}

/// Removed unless it was given its name.
struct Unfinished(Option<PathBuf>);

impl Drop for Unfinished {
    fn drop(&mut self) {
        if let Some(path) = &self.0 {
            let _ = std::fs::remove_file(path);
        }
    }
}

impl Sink for Target<'_> {
    fn begin(&mut self, facts: &Facts) -> io::Result<()> {
        let project = facts.cwd.as_ref().map_or(self.cwd, Path::new);
        let directory = self.sessions.dir_for(project);
        DirBuilder::new().recursive(true).mode(0o700).create(&directory)?;
        let temporary = directory.join(format!(".omp-import-{}.tmp", self.id));
        let file = OpenOptions::new().write(true).create_new(true).mode(0o600).open(&temporary)?;
        let unfinished = Unfinished(Some(temporary));
        let stamp = time::write(facts.started).replace([':', '.'], "-");
        let path = directory.join(format!("{stamp}_{}.jsonl", self.id));
        let mut sink = JsonlSink::new(BufWriter::new(file), self.id, &self.cwd.to_string_lossy());
        sink.begin(facts)?;
        self.open = Some(Open { sink, unfinished, path });
        Ok(())
    }

    fn entry(&mut self, entry: &Entry) -> io::Result<()> {
        match &mut self.open {
            Some(open) => open.sink.entry(entry),
            None => Err(io::Error::other("the session was not created")),
        }
    }
}

impl Target<'_> {
    fn finish(self) -> io::Result<PathBuf> {
        let Some(Open { sink, mut unfinished, path }) = self.open else {
            return Err(io::Error::other("the session was not created"));
        };
        sink.finish()?.into_inner().map_err(io::IntoInnerError::into_error)?.sync_all()?;
        if let Some(temporary) = unfinished.0.take() {
            let named = std::fs::rename(&temporary, &path);
            if let Err(error) = named {
                unfinished.0 = Some(temporary);
                return Err(error);
            }
        }
        // The name itself. Not every file system can, and the content is safe without it.
        if let Some(directory) = path.parent() {
            let _ = File::open(directory).and_then(|directory| directory.sync_all());
        }
        Ok(path)
    }
}
