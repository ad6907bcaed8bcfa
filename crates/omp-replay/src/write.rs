//! The file of a recording, written by a thread of its own.

use std::fs::File;
use std::io::{self, BufWriter, Write};
use std::os::unix::fs::OpenOptionsExt;
use std::path::Path;
use std::sync::mpsc::{Receiver, SyncSender, sync_channel};
use std::thread::JoinHandle;

use crate::line::Line;

/// Lines that wait for the disk; then the session waits.
const MOST_WAITING: usize = 1024;
/// The largest recording.
pub(crate) const LARGEST: u64 = 512 * 1024 * 1024;

/// Writes lines in the order in which they come.
#[derive(Debug)]
pub(crate) struct Writer {
    queue: Option<SyncSender<String>>,
    worker: Option<JoinHandle<io::Result<()>>>,
}

impl Writer {
    /// Makes the file for its user alone. One that is there already is not overwritten.
    pub(crate) fn create(path: &Path) -> io::Result<Self> {
        let file = File::options().write(true).create_new(true).mode(0o600).open(path)?;
        let (queue, lines) = sync_channel(MOST_WAITING);
        let worker = std::thread::Builder::new().name("recording".to_owned());
        let worker = worker.spawn(move || work(file, &lines))?;
        Ok(Self { queue: Some(queue), worker: Some(worker) })
    }

    pub(crate) fn line(&self, text: String) {
        if let Some(queue) = &self.queue {
            // A disk that is full ends the recording, not the session; the end tells of it.
            let _ = queue.send(text);
        }
    }

    /// Waits until everything is on the disk.
    pub(crate) fn finish(&mut self) -> io::Result<()> {
        self.queue = None;
        let Some(worker) = self.worker.take() else { return Ok(()) };
        worker.join().unwrap_or_else(|_| Err(io::Error::other("the writer broke off")))
    }
}

impl Drop for Writer {
    fn drop(&mut self) {
        // Whoever wanted to know how it ended has asked.
        let _ = self.finish();
    }
}

fn work(file: File, lines: &Receiver<String>) -> io::Result<()> {
    let mut file = BufWriter::new(file);
    let mut written = 0;
    while let Ok(line) = lines.recv() {
        written += line.len() as u64 + 1;
        if written > LARGEST {
            let full = serde_json::to_string(&Line::Full).map_err(io::Error::other)?;
            writeln!(file, "{full}")?;
            break;
        }
        writeln!(file, "{line}")?;
        // A session that is killed leaves what happened until then.
        file.flush()?;
    }
    file.flush()
}
