//! Giving the terminal back, from wherever that becomes necessary.

use std::io;
use std::os::fd::{AsFd, BorrowedFd, OwnedFd};
use std::sync::atomic::{AtomicBool, Ordering};
use std::sync::{Arc, LazyLock, Mutex, MutexGuard, Once, PoisonError, Weak};

use rustix::process::{Signal, getpgrp, getsid, kill_current_process_group};
use rustix::termios::{OptionalActions, Termios, tcgetattr, tcsetattr};

use crate::sys::{Wish, wait};

/// The one terminal that is taken over, for the panic hook.
static TAKEN: Mutex<Weak<Restore>> = Mutex::new(Weak::new());
static HOOK: Once = Once::new();
/// Whether SIGTSTP has its usual effect: while the terminal is somebody else's, and a shell waits for us.
static STOPS: LazyLock<Arc<AtomicBool>> = LazyLock::new(Arc::default);

#[derive(Debug)]
pub(super) struct Restore {
    input: OwnedFd,
    output: OwnedFd,
    saved: Termios,
    state: Mutex<RestoreState>,
}

#[derive(Debug, Default)]
struct RestoreState {
    /// What has to be written; `None` if the terminal is not ours.
    undo: Option<Vec<u8>>,
}

impl Restore {
    /// Remembers how the terminal is, and sees to it that a panic brings that back.
    pub(super) fn install(input: OwnedFd, output: OwnedFd) -> io::Result<Arc<Self>> {
        let saved = tcgetattr(&input)?;
        let state = Mutex::new(RestoreState { undo: Some(Vec::new()) });
        let restore = Arc::new(Self { input, output, saved, state });
        *TAKEN.lock().unwrap_or_else(PoisonError::into_inner) = Arc::downgrade(&restore);
        STOPS.store(false, Ordering::Relaxed);
        HOOK.call_once(|| {
            // Where it is refused, a stop leaves the modes as they are.
            let _ = signal_hook::flag::register_conditional_default(
                signal_hook::consts::SIGTSTP,
                Arc::clone(&STOPS),
            );
            let before = std::panic::take_hook();
            std::panic::set_hook(Box::new(move |panic| {
                restore_all();
                before(panic);
            }));
        });
        Ok(restore)
    }

    pub(super) fn input(&self) -> BorrowedFd<'_> {
        self.input.as_fd()
    }

    pub(super) fn output(&self) -> BorrowedFd<'_> {
        self.output.as_fd()
    }

    pub(super) fn raw(&self) -> io::Result<()> {
        let mut raw = self.saved.clone();
        raw.make_raw();
        Ok(tcsetattr(&self.input, OptionalActions::Now, &raw)?)
    }

    pub(super) fn set_undo(&self, bytes: &[u8]) {
        if let Some(undo) = &mut self.lock().undo {
            bytes.clone_into(undo);
        }
    }

    /// Writes, unless the terminal was given back already.
    pub(super) fn write(&self, bytes: &[u8]) -> io::Result<()> {
        let state = self.lock();
        if state.undo.is_none() {
            return Ok(());
        }
        write_all(&self.output, bytes)
    }

    /// Gives the terminal back, once. Says whether it was not given back before.
    pub(super) fn undo(&self) -> bool {
        let Some(undo) = self.lock().undo.take() else { return false };
        STOPS.store(has_shell(), Ordering::Relaxed);
        // Nobody is left to tell if this fails; the modes are still set.
        let _ = write_all(&self.output, &undo);
        let _ = tcsetattr(&self.input, OptionalActions::Now, &self.saved);
        true
    }

    /// The terminal is ours again.
    pub(super) fn again(&self) {
        STOPS.store(false, Ordering::Relaxed);
        self.lock().undo.get_or_insert_default();
    }

    /// Gives the terminal back and stops the whole job, until somebody lets it continue. Does nothing and says `false` where
    /// no shell could do that, or where the terminal is not ours.
    pub(super) fn stop(&self) -> io::Result<bool> {
        if !has_shell() || !self.undo() {
            return Ok(false);
        }
        // The shell's prompt stands below what is on the screen.
        let _ = write_all(&self.output, super::guardian::BELOW);
        kill_current_process_group(Signal::STOP)?;
        Ok(true)
    }

    fn lock(&self) -> MutexGuard<'_, RestoreState> {
        self.state.lock().unwrap_or_else(PoisonError::into_inner)
    }
}

/// Whether we are a job of a shell, which makes each a group of its own. What is started without job control shares the
/// group of the session's first process; nobody would let it continue.
fn has_shell() -> bool {
    getsid(None).is_ok_and(|session| session != getpgrp())
}

/// Gives the terminal back if it is taken over: for ends that do not come by way of [`super::Terminal`], such as a crash
/// handler.
pub fn restore_all() {
    let taken = TAKEN.lock().unwrap_or_else(PoisonError::into_inner).upgrade();
    if let Some(restore) = taken
        && restore.undo()
    {
        // What is said about the end stands below what was on the screen.
        let _ = write_all(&restore.output, super::guardian::BELOW);
    }
}

/// Writes everything, also to a terminal that somebody switched to non-blocking.
pub(super) fn write_all(output: impl AsFd, bytes: &[u8]) -> io::Result<()> {
    let mut rest = bytes;
    while !rest.is_empty() {
        match rustix::io::write(output.as_fd(), rest) {
            Ok(0) => return Err(io::ErrorKind::WriteZero.into()),
            Ok(written) => rest = &rest[written..],
            Err(rustix::io::Errno::INTR) => {}
            Err(rustix::io::Errno::AGAIN) => {
                wait(&[output.as_fd()], Wish::Write)?;
            }
            Err(error) => return Err(error.into()),
        }
    }
    Ok(())
}
