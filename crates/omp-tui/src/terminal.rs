//! The terminal itself: raw mode, the modes we turn on, and the promise that all of it is undone.
//!
//! Whoever comes first undoes it: [`Terminal::leave`], the drop, the panic hook, the thread that hears of signals. From
//! then on nothing is written any more. What none of them can do after a SIGKILL the guardian does, a small process that
//! waits for our end ([`guardian`]).

pub mod guardian;
mod restore;
mod source;

use std::io;
use std::os::fd::OwnedFd;

use rustix::termios;

use crate::render::Size;
use restore::Restore;

pub use guardian::SavedModes;
pub use restore::restore_all;
pub use source::{Incoming, Source};

/// What is turned on for as long as the interface runs, and how it is turned off.
const MODES: [(&[u8], &[u8]); 3] =
    [(b"\x1b[22;0t", b"\x1b[23;0t"), (b"\x1b[?2004h", b"\x1b[?2004l"), (b"\x1b[?1004h", b"\x1b[?1004l")];
/// Undone in any case, since a frame may have been cut short.
const FRAME_ENDS: &[u8] = b"\x1b[?2026l\x1b[?7h\x1b[m\x1b]8;;\x1b\\\x1b[?25h";

/// Why there is no terminal to use.
#[derive(Debug, thiserror::Error)]
pub enum TerminalError {
    /// Input or output is a file or a pipe.
    #[error("standard {0} is not a terminal; use print mode (-p) in scripts and pipes")]
    NotATerminal(&'static str),
    /// The system refused.
    #[error("cannot set up the terminal: {0}")]
    System(#[from] io::Error),
}

/// The columns of the terminal that standard output is, if it is one.
pub fn width() -> Option<usize> {
    let size = termios::tcgetwinsize(rustix::stdio::stdout()).ok()?;
    (size.ws_col > 0).then_some(size.ws_col.into())
}

/// Columns and rows of the terminal that standard output is, if it is one.
pub fn size() -> Option<(u16, u16)> {
    let size = termios::tcgetwinsize(rustix::stdio::stdout()).ok()?;
    (size.ws_col > 0 && size.ws_row > 0).then_some((size.ws_col, size.ws_row))
}

/// The terminal in raw mode.
#[derive(Debug)]
pub struct Terminal {
    restore: std::sync::Arc<Restore>,
    leash: Option<guardian::Leash>,
    /// What else is turned on, and off.
    also: (Vec<u8>, Vec<u8>),
}

impl Terminal {
    /// Whether both ends of the conversation are a terminal.
    pub fn check() -> Result<(), TerminalError> {
        for (fd, name) in [(rustix::stdio::stdin(), "input"), (rustix::stdio::stdout(), "output")] {
            if !termios::isatty(fd) {
                return Err(TerminalError::NotATerminal(name));
            }
        }
        Ok(())
    }

    /// The modes of the terminal as they are now, for [`guardian`]: to be taken before [`Terminal::enter`].
    pub fn saved_modes() -> io::Result<SavedModes> {
        Ok(SavedModes::of(&termios::tcgetattr(rustix::stdio::stdin())?))
    }

    /// Takes the terminal over. `leash` is the pipe that holds a guardian, if there is one.
    pub fn enter(leash: Option<OwnedFd>) -> Result<Self, TerminalError> {
        Self::check()?;
        let input = rustix::io::fcntl_dupfd_cloexec(rustix::stdio::stdin(), 3).map_err(io::Error::from)?;
        let output = rustix::io::fcntl_dupfd_cloexec(rustix::stdio::stdout(), 3).map_err(io::Error::from)?;
        let restore = Restore::install(input, output)?;
        let mut terminal = Self { restore, leash: leash.map(guardian::Leash::new), also: Default::default() };
        terminal.begin()?;
        Ok(terminal)
    }

    fn begin(&mut self) -> io::Result<()> {
        self.restore.raw()?;
        let undo = self.undo_bytes();
        self.set_undo(&undo);
        let begins = MODES.iter().map(|(begin, _)| *begin);
        let on = begins.chain([self.also.0.as_slice()]).collect::<Vec<&[u8]>>().concat();
        self.restore.write(&on)
    }

    /// Names what was turned on besides the modes that always are, and how it is turned off: [`crate::probe::Probes::redo`]
    /// and [`crate::probe::Probes::undo`]. It is turned on again whenever the terminal comes back.
    pub fn also_on(&mut self, on: Vec<u8>, off: Vec<u8>) {
        self.also = (on, off);
        let undo = self.undo_bytes();
        self.set_undo(&undo);
    }

    fn undo_bytes(&self) -> Vec<u8> {
        let ends = MODES.iter().map(|(_, end)| *end);
        [FRAME_ENDS, &self.also.1].into_iter().chain(ends).collect::<Vec<&[u8]>>().concat()
    }

    fn set_undo(&mut self, bytes: &[u8]) {
        self.restore.set_undo(bytes);
        if let Some(leash) = &mut self.leash {
            leash.tell(bytes);
        }
    }

    /// Writes a frame in one piece. After the terminal was given back this does nothing.
    pub fn write(&self, bytes: &[u8]) -> io::Result<()> {
        self.restore.write(bytes)
    }

    /// The size of the terminal; a terminal that does not know it counts as 80 by 24.
    pub fn size(&self) -> Size {
        match termios::tcgetwinsize(self.restore.output()) {
            Ok(size) if size.ws_col > 0 && size.ws_row > 0 => {
                Size { width: size.ws_col.into(), height: size.ws_row.into() }
            }
            _ => Size { width: 80, height: 24 },
        }
    }

    /// Height and width of a cell in pixels, if the terminal says.
    pub fn cell(&self) -> Option<(usize, usize)> {
        let size = termios::tcgetwinsize(self.restore.output()).ok()?;
        let cell = (size.ws_ypixel.checked_div(size.ws_row)?, size.ws_xpixel.checked_div(size.ws_col)?);
        (cell.0 > 0 && cell.1 > 0).then_some((cell.0.into(), cell.1.into()))
    }

    /// Reads what the terminal sends, on a thread of its own.
    pub fn source(&self, sink: impl FnMut(Incoming) + Send + 'static) -> io::Result<Source> {
        Source::start(self.restore.input().try_clone_to_owned()?, self.restore.clone(), sink)
    }

    /// Lends the terminal to another program, and takes it again afterwards. Nobody else may read from it meanwhile. What
    /// is on the screen then is that program's: the next frame is [`crate::render::Gesture::Resume`].
    pub fn lend<T>(&mut self, other: impl FnOnce() -> T) -> io::Result<T> {
        self.restore.undo();
        let result = other();
        self.restore.again();
        self.begin()?;
        Ok(result)
    }

    /// Gives the terminal back to the shell and stops the whole job, as SIGTSTP does. When it continues there is
    /// [`Incoming::Continued`]. `false` if there is no shell to go back to; then nothing has happened.
    pub fn suspend(&self) -> io::Result<bool> {
        self.restore.stop()
    }

    /// Takes the terminal again after [`Incoming::Continued`].
    pub fn resume(&mut self) -> io::Result<()> {
        // Whoever was stopped in the hard way did not give it back.
        self.restore.undo();
        self.restore.again();
        self.begin()
    }

    /// Gives the terminal back.
    pub fn leave(mut self) {
        self.end();
    }

    fn end(&mut self) {
        self.restore.undo();
        if let Some(leash) = self.leash.take() {
            leash.release();
        }
    }
}

impl Drop for Terminal {
    fn drop(&mut self) {
        self.end();
    }
}
