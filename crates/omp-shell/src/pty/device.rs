//! The two ends of a pseudo-terminal.

use std::io;
use std::os::fd::{AsFd, OwnedFd};

use rustix::fs::{Mode, OFlags, open};
use rustix::pty::{grantpt, ptsname, unlockpt};
use rustix::termios::{Winsize, tcsetwinsize};

/// How much a terminal shows.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Size {
    pub columns: u16,
    pub rows: u16,
}

impl Default for Size {
    fn default() -> Self {
        Self { columns: 80, rows: 24 }
    }
}

impl Size {
    /// What emulators can bear: nothing empty, nothing absurd.
    pub(super) fn sane(self) -> Self {
        Self { columns: self.columns.clamp(2, 1_000), rows: self.rows.clamp(1, 1_000) }
    }
}

/// A pseudo-terminal: our end, which does not block, and the end of the command.
pub(super) struct Device {
    pub(super) ours: OwnedFd,
    pub(super) theirs: OwnedFd,
}

impl Device {
    pub(super) fn open(size: Size) -> io::Result<Self> {
        let ours = crate::sys::open_terminal()?;
        grantpt(&ours)?;
        unlockpt(&ours)?;
        let name = ptsname(&ours, Vec::new())?;
        let theirs = open(name.as_c_str(), OFlags::RDWR | OFlags::NOCTTY | OFlags::CLOEXEC, Mode::empty())?;
        resize(&ours, size)?;
        rustix::io::ioctl_fionbio(&ours, true)?;
        Ok(Self { ours, theirs })
    }
}

/// Tells the terminal, and through it the command, how large the screen is.
pub(super) fn resize(terminal: impl AsFd, size: Size) -> io::Result<()> {
    let size = Winsize { ws_row: size.rows, ws_col: size.columns, ws_xpixel: 0, ws_ypixel: 0 };
    Ok(tcsetwinsize(terminal, size)?)
}
