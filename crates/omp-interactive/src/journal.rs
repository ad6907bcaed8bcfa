//! What the screen was told, written down for people who look for mistakes in it.
//!
//! `PI_DEBUG_REDRAW=1` notes every frame in `redraw.log` among the logs; `PI_TUI_WRITE_LOG=<file>` keeps every byte that the
//! terminal gets. A thread writes, so that the interface does not wait for a disk.

use std::fs::{File, OpenOptions};
use std::io::Write;
use std::os::unix::fs::OpenOptionsExt;
use std::path::Path;
use std::sync::mpsc::{SyncSender, sync_channel};
use std::thread::JoinHandle;
use std::time::Duration;

use omp_tui::render::Painted;
use omp_workspace::write::private_directory;

/// Lines and pieces that wait for the disk.
const MOST_WAITING: usize = 1024;
/// A log does not grow beyond this while the program runs.
const MOST_BYTES: usize = 64 * 1024 * 1024;

/// The logs that the user asked for.
#[derive(Default)]
pub(crate) struct Journal {
    frames: Option<Log>,
    writes: Option<Log>,
}

impl Journal {
    /// What the variables ask for. A file that cannot be written is named in the answer.
    pub(crate) fn open(variable: fn(&str) -> Option<String>, logs: &Path) -> (Self, Vec<String>) {
        let set = |name: &str| variable(name).filter(|value| !value.is_empty());
        let on = |name: &str| set(name).is_some_and(|value| value != "0" && value != "false");
        let mut problems = Vec::new();
        let mut begin = |path: &Path| match Log::open(path) {
            Ok(log) => Some(log),
            Err(error) => {
                problems.push(format!("cannot write {}: {error}", path.display()));
                None
            }
        };
        let frames = on("PI_DEBUG_REDRAW").then(|| begin(&logs.join("redraw.log"))).flatten();
        let writes = set("PI_TUI_WRITE_LOG").and_then(|path| begin(Path::new(&path)));
        (Self { frames, writes }, problems)
    }

    /// A frame was painted at `now`; so many blocks of the conversation were asked for their rows.
    pub(crate) fn frame(&mut self, painted: &Painted, blocks: usize, now: Duration) {
        if let Some(log) = &mut self.frames {
            log.write(format!("{}ms {} blocks={blocks}\n", now.as_millis(), painted.describe()).into_bytes());
        }
    }

    /// These bytes go to the terminal.
    pub(crate) fn wrote(&mut self, bytes: &[u8]) {
        if let Some(log) = &mut self.writes
            && !bytes.is_empty()
        {
            log.write(bytes.to_vec());
        }
    }
}

/// A file that a thread writes.
struct Log {
    pieces: Option<SyncSender<Vec<u8>>>,
    thread: Option<JoinHandle<()>>,
    written: usize,
}

impl Log {
    fn open(path: &Path) -> std::io::Result<Self> {
        if let Some(directory) = path.parent() {
            private_directory(directory)?;
        }
        let mut file: File = OpenOptions::new().create(true).append(true).mode(0o600).open(path)?;
        let (pieces, waiting) = sync_channel::<Vec<u8>>(MOST_WAITING);
        let thread = std::thread::Builder::new().name("screen log".to_owned()).spawn(move || {
            // A disk that is full ends the log, not the program.
            while let Ok(piece) = waiting.recv()
                && file.write_all(&piece).is_ok()
            {}
        })?;
        Ok(Self { pieces: Some(pieces), thread: Some(thread), written: 0 })
    }

    fn write(&mut self, piece: Vec<u8>) {
        self.written += piece.len();
        if self.written > MOST_BYTES {
            self.pieces = None;
        }
        if self.pieces.as_ref().is_some_and(|pieces| pieces.send(piece).is_err()) {
            self.pieces = None;
        }
    }
}

impl Drop for Log {
    fn drop(&mut self) {
        drop(self.pieces.take());
        if let Some(thread) = self.thread.take() {
            let _ = thread.join();
        }
    }
}
