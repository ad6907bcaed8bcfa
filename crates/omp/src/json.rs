//! `--mode json`: the session header, then every event as one JSON object per line.
//!
//! A thread of its own writes, so that a slow reader never blocks the loop; a full buffer makes the loop wait
//! instead of growing, and no event is lost.

use std::io::ErrorKind;
use std::sync::{Arc, Condvar, Mutex, MutexGuard, PoisonError};
use std::thread::JoinHandle;

use futures_util::future::BoxFuture;
use omp_sdk::{Listener, SessionHeader};
use omp_tui::console::{self, Stream, TextKind};
use omp_types::AgentEvent;
use tokio::sync::Notify;
use tokio_util::sync::CancellationToken;

use crate::output;

/// Bytes that may wait for the reader before the loop waits too.
const HIGH_WATER: usize = 1024 * 1024;

/// Collects lines for the writing thread.
pub(crate) struct JsonLines {
    shared: Arc<Shared>,
}

/// Ends the writing thread and tells whether everything reached the reader.
pub(crate) struct Writer {
    shared: Arc<Shared>,
    thread: JoinHandle<()>,
}

struct Shared {
    state: Mutex<JsonPrinterState>,
    filled: Condvar,
    drained: Notify,
}

#[derive(Default)]
struct JsonPrinterState {
    buffer: Vec<u8>,
    closed: bool,
    /// Why nothing can be written any more.
    broken: Option<ErrorKind>,
}

impl Shared {
    fn lock(&self) -> MutexGuard<'_, JsonPrinterState> {
        self.state.lock().unwrap_or_else(PoisonError::into_inner)
    }
}

/// Starts the writer. `abandoned` fires when the reader has gone away: nobody listens any more.
pub(crate) fn start(abandoned: CancellationToken) -> (JsonLines, Writer) {
    let shared = Arc::new(Shared { state: Mutex::default(), filled: Condvar::new(), drained: Notify::new() });
    let for_thread = Arc::clone(&shared);
    let thread = std::thread::spawn(move || write_lines(&for_thread, &abandoned));
    (JsonLines { shared: Arc::clone(&shared) }, Writer { shared, thread })
}

fn write_lines(shared: &Shared, abandoned: &CancellationToken) {
    let mut lines = Vec::new();
    loop {
        {
            let mut state = shared.lock();
            while state.buffer.is_empty() && !state.closed {
                state = shared.filled.wait(state).unwrap_or_else(PoisonError::into_inner);
            }
            if state.buffer.is_empty() {
                return;
            }
            std::mem::swap(&mut state.buffer, &mut lines);
        }
        // Whole lines, which `serde_json` wrote: all of it is UTF-8.
        let written = console::print(Stream::Out, TextKind::Json, &String::from_utf8_lossy(&lines));
        lines.clear();
        if let Err(error) = written {
            shared.lock().broken = Some(error.kind());
            abandoned.cancel();
        }
        shared.drained.notify_waiters();
    }
}

impl JsonLines {
    pub(crate) fn header(&self, header: &SessionHeader) {
        self.line(header);
    }

    fn line(&self, value: &impl serde::Serialize) {
        let mut state = self.shared.lock();
        if state.broken.is_some() {
            return;
        }
        // Writing into memory cannot fail, and every event can be serialised.
        if serde_json::to_writer(&mut state.buffer, value).is_ok() {
            state.buffer.push(b'\n');
        }
        drop(state);
        self.shared.filled.notify_one();
    }

    /// A second handle on the same stream.
    pub(crate) fn share(&self) -> Self {
        Self { shared: Arc::clone(&self.shared) }
    }
}

impl Listener for JsonLines {
    fn event(&mut self, event: AgentEvent) {
        self.line(&event);
    }

    fn backlog(&mut self) -> Option<BoxFuture<'static, ()>> {
        let full = |state: &JsonPrinterState| state.buffer.len() > HIGH_WATER && state.broken.is_none();
        if !full(&self.shared.lock()) {
            return None;
        }
        let shared = Arc::clone(&self.shared);
        Some(Box::pin(async move {
            loop {
                let drained = shared.drained.notified();
                if !full(&shared.lock()) {
                    return;
                }
                drained.await;
            }
        }))
    }
}

impl Writer {
    /// Waits until everything is written.
    pub(crate) fn finish(self) -> Result<(), Broken> {
        self.shared.lock().closed = true;
        self.shared.filled.notify_one();
        let _ = self.thread.join();
        self.shared.lock().broken.map_or(Ok(()), |reason| Err(Broken(reason)))
    }
}

/// Standard output took no more.
#[derive(Debug)]
pub(crate) struct Broken(ErrorKind);

impl Broken {
    /// Says why, unless the reader went away: whoever does that knows.
    pub(crate) fn tell(&self) {
        if self.0 != ErrorKind::BrokenPipe {
            output::fail(&format!("cannot write to standard output: {}", self.0), &[]);
        }
    }
}
