//! The full outputs of tools, beside the session file: written as they come, read through `artifact://<id>`.

use std::io::{self, Write};
use std::sync::Arc;

use omp_session::{Artifacts, NewArtifact};
use omp_shell::Spill;
use omp_tools::Spills;

/// A command that never stops printing must not fill the disk.
const MOST_BYTES: u64 = 256 * 1024 * 1024;
const CUT: &str = "\n[the rest was not kept: the artifact has reached 256 MB]\n";

/// What tools may write to.
pub struct ArtifactSpills(pub Arc<Artifacts>);

impl Spills for ArtifactSpills {
    fn open(&self, tool: &str) -> Option<Box<dyn Spill>> {
        // A session that is never saved has nowhere to keep them.
        self.0.directory()?;
        let artifacts = Arc::clone(&self.0);
        Some(Box::new(Output { artifacts, tool: tool.to_owned(), open: None, bytes: 0 }))
    }
}

/// The output of one call. Its file is created with the first part.
struct Output {
    artifacts: Arc<Artifacts>,
    tool: String,
    open: Option<NewArtifact>,
    bytes: u64,
}

impl Output {
    fn append(&mut self, text: &str) -> io::Result<()> {
        if self.open.is_none() {
            self.open = self.artifacts.create(&self.tool)?;
        }
        let artifact = self.open.as_mut().ok_or_else(|| io::Error::other("nothing is kept"))?;
        let before = self.bytes;
        self.bytes += text.len() as u64;
        match (before < MOST_BYTES, self.bytes < MOST_BYTES) {
            (_, true) => artifact.file.write_all(text.as_bytes()),
            (true, false) => artifact
                .file
                .write_all(text.as_bytes())
                .and_then(|()| artifact.file.write_all(CUT.as_bytes())),
            (false, false) => Ok(()),
        }
    }
}

impl Spill for Output {
    fn write(&mut self, text: &str) -> io::Result<()> {
        let written = self.append(text);
        if written.is_err()
            && let Some(artifact) = self.open.take()
        {
            // Half an output under the name of a whole one would mislead.
            let _ = std::fs::remove_file(artifact.path);
        }
        written
    }

    fn finish(&mut self) -> io::Result<String> {
        let artifact = self.open.take().ok_or_else(|| io::Error::other("nothing was written"))?;
        Ok(artifact.id.to_string())
    }
}
