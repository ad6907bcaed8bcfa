//! Input and signals, from one thread that sleeps until there is something.

use std::io;
use std::os::fd::{AsFd, OwnedFd};
use std::os::unix::net::UnixStream;
use std::sync::Arc;
use std::sync::atomic::AtomicBool;

use signal_hook::SigId;
use signal_hook::consts::{SIGCONT, SIGHUP, SIGINT, SIGQUIT, SIGTERM, SIGTSTP, SIGWINCH};

use super::restore::Restore;
use crate::sys::{Wish, wait};

/// Signals that do not end the program, in the order of [`Reader::others`].
const OTHERS: [i32; 3] = [SIGTSTP, SIGCONT, SIGWINCH];
/// Signals that end the program.
const FATAL: [i32; 4] = [SIGTERM, SIGHUP, SIGINT, SIGQUIT];

/// What came in.
#[derive(Clone, Debug, PartialEq, Eq)]
pub enum Incoming {
    /// Bytes of the terminal.
    Bytes(Vec<u8>),
    /// The terminal has another size.
    Resized,
    /// The program was stopped and continues. The terminal is the shell's until [`super::Terminal::resume`]; what is on the
    /// screen then is the shell's, too: the next frame is [`crate::render::Gesture::Resume`].
    Continued,
    /// The program was asked to end by this signal. The terminal was given back already; a second one ends the program
    /// at once.
    Ended(i32),
    /// The terminal is gone.
    Closed,
}

/// The thread that reads.
#[derive(Debug)]
pub struct Source {
    wake: UnixStream,
    handlers: Vec<SigId>,
    thread: Option<std::thread::JoinHandle<()>>,
}

struct Reader {
    input: OwnedFd,
    wake: UnixStream,
    /// A pipe per signal of [`OTHERS`].
    others: Vec<UnixStream>,
    /// A pipe per fatal signal, in the order of [`FATAL`].
    fatal: Vec<UnixStream>,
    restore: Arc<Restore>,
}

impl Source {
    pub(super) fn start(
        input: OwnedFd,
        restore: Arc<Restore>,
        mut sink: impl FnMut(Incoming) + Send + 'static,
    ) -> io::Result<Self> {
        let (wake, woken) = UnixStream::pair()?;
        let mut handlers = Vec::new();
        let others = OTHERS.iter().map(|signal| listen(*signal, &mut handlers)).collect::<io::Result<_>>()?;
        let mut fatal = Vec::new();
        for signal in FATAL {
            // The second of them has its usual effect, in case the program is stuck.
            let seen = Arc::new(AtomicBool::new(false));
            handlers.push(signal_hook::flag::register_conditional_default(signal, seen.clone())?);
            handlers.push(signal_hook::flag::register(signal, seen)?);
            fatal.push(listen(signal, &mut handlers)?);
        }
        let reader = Reader { input, wake: woken, others, fatal, restore };
        let thread = std::thread::Builder::new().name("terminal input".to_owned());
        let thread = thread.spawn(move || while reader.step(&mut sink) {})?;
        Ok(Self { wake, handlers, thread: Some(thread) })
    }
}

/// A pipe that gets a byte for each signal.
fn listen(signal: i32, handlers: &mut Vec<SigId>) -> io::Result<UnixStream> {
    let (sender, receiver) = UnixStream::pair()?;
    sender.set_nonblocking(true)?;
    receiver.set_nonblocking(true)?;
    handlers.push(signal_hook::low_level::pipe::register(signal, sender)?);
    Ok(receiver)
}

impl Drop for Source {
    fn drop(&mut self) {
        // First the thread: to it, a pipe whose handler goes away looks like a signal.
        let _ = self.wake.shutdown(std::net::Shutdown::Both);
        if let Some(thread) = self.thread.take() {
            let _ = thread.join();
        }
        for handler in self.handlers.drain(..) {
            signal_hook::low_level::unregister(handler);
        }
    }
}

impl Reader {
    /// Waits for one thing and passes it on; `false` when there is nothing to wait for any more.
    fn step(&self, sink: &mut impl FnMut(Incoming)) -> bool {
        let mut fds = vec![self.input.as_fd(), self.wake.as_fd()];
        fds.extend(self.others.iter().chain(&self.fatal).map(AsFd::as_fd));
        let ready = match wait(&fds, Wish::Read) {
            Ok(ready) => ready,
            Err(error) => return error.kind() == io::ErrorKind::Interrupted,
        };
        if ready[1] {
            return false;
        }
        let first_fatal = 2 + OTHERS.len();
        for (index, pipe) in self.fatal.iter().enumerate().filter(|(index, _)| ready[index + first_fatal]) {
            drain(pipe);
            self.restore.undo();
            sink(Incoming::Ended(FATAL[index]));
        }
        for (index, pipe) in self.others.iter().enumerate().filter(|(index, _)| ready[index + 2]) {
            drain(pipe);
            match OTHERS[index] {
                // It cannot fail for our own group; if it did, there would be nobody to tell.
                SIGTSTP => _ = self.restore.stop(),
                SIGCONT => sink(Incoming::Continued),
                _ => sink(Incoming::Resized),
            }
        }
        !ready[0] || self.read(sink)
    }

    fn read(&self, sink: &mut impl FnMut(Incoming)) -> bool {
        let mut buffer = vec![0; 16 * 1024];
        match rustix::io::read(&self.input, &mut buffer) {
            Ok(0) => {
                sink(Incoming::Closed);
                false
            }
            Ok(length) => {
                buffer.truncate(length);
                sink(Incoming::Bytes(buffer));
                true
            }
            Err(rustix::io::Errno::INTR | rustix::io::Errno::AGAIN) => true,
            Err(_) => {
                sink(Incoming::Closed);
                false
            }
        }
    }
}

/// Empties a pipe that signals wrote to: many of them are one event.
fn drain(pipe: &UnixStream) {
    let mut buffer = [0; 64];
    while matches!(rustix::io::read(pipe, &mut buffer), Ok(length) if length > 0) {}
}
