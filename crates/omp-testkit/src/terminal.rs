//! A terminal to run a program in: a pseudo-terminal with somebody else's emulator behind it.

mod answers;

use std::fs::File;
use std::io::{Read, Write};
use std::num::NonZeroU16;
use std::os::fd::OwnedFd;
use std::os::unix::ffi::OsStrExt;
use std::os::unix::fs::OpenOptionsExt;
use std::process::{Child, Command, ExitStatus, Stdio};
use std::sync::{Arc, Condvar, Mutex, MutexGuard};
use std::time::{Duration, Instant};

use rustix::fs::OFlags;
use rustix::pty::{OpenptFlags, grantpt, openpt, ptsname, unlockpt};
use rustix::termios::{Winsize, tcsetwinsize};

use answers::Listener;
pub use answers::{Answers, Manner};

/// How long a screen may take to come.
const PATIENCE: Duration = Duration::from_secs(20);
const SCROLLBACK: usize = 100_000;
/// Keys that always have room.
const AT_ONCE: usize = 256;

/// A program in a terminal. Dropping it kills the program.
pub struct Terminal {
    child: Child,
    keyboard: File,
    screen: Arc<Shared>,
}

struct Shared {
    state: Mutex<TerminalState>,
    changed: Condvar,
    /// Held while somebody writes to the program: keys do not come in the middle of an answer.
    typing: Mutex<()>,
}

struct TerminalState {
    parser: vt100::Parser,
    /// What was written and is not shown yet: a frame whose end has not come (mode 2026).
    held: Vec<u8>,
    /// Everything that was written, as it came.
    bytes: Vec<u8>,
    ended: bool,
}

impl TerminalState {
    /// Shows what is complete: nobody sees half of a frame, as in every terminal that knows synchronized output.
    fn show(&mut self, bytes: &[u8]) {
        self.held.extend_from_slice(bytes);
        let begins = last(&self.held, b"\x1b[?2026h");
        let open = begins.filter(|begin| last(&self.held, b"\x1b[?2026l").is_none_or(|end| end < *begin));
        let rest = self.held.split_off(open.unwrap_or(self.held.len()));
        self.show_all();
        self.held = rest;
    }

    fn show_all(&mut self) {
        self.parser.process(&std::mem::take(&mut self.held));
    }
}

impl Terminal {
    /// Starts a command of [`Home::terminal_command`](crate::Home::terminal_command) in a terminal with this many rows
    /// and columns.
    ///
    /// # Panics
    /// When it cannot be started.
    pub fn start(mut command: Command, rows: u16, columns: u16, answers: Answers) -> Self {
        let (master, slave) = pair(rows, columns).expect("a pseudo-terminal");
        let copy = |slave: &OwnedFd| Stdio::from(slave.try_clone().expect("a descriptor"));
        command.stdin(copy(&slave)).stdout(copy(&slave)).stderr(copy(&slave));
        let child = command.spawn().unwrap_or_else(|error| panic!("cannot start {command:?}: {error}"));
        drop(slave);
        let parser = vt100::Parser::new(cells(rows), cells(columns), SCROLLBACK);
        let state = Mutex::new(TerminalState { parser, held: Vec::new(), bytes: Vec::new(), ended: false });
        let screen = Arc::new(Shared { state, changed: Condvar::new(), typing: Mutex::default() });
        let keyboard = File::from(master);
        watch(keyboard.try_clone().expect("a descriptor"), Arc::clone(&screen), answers);
        Self { child, keyboard, screen }
    }

    /// The program's process.
    pub fn pid(&self) -> u32 {
        self.child.id()
    }

    /// Types.
    ///
    /// # Panics
    /// When the terminal is gone.
    pub fn send(&mut self, keys: impl AsRef<[u8]>) -> &mut Self {
        let keys = keys.as_ref();
        // What is longer may have to wait for the program, which may wait for an answer.
        let typing = (keys.len() <= AT_ONCE).then(|| self.screen.typing.lock());
        self.keyboard.write_all(keys).expect("somebody reads the keyboard");
        drop(typing);
        self
    }

    /// Waits until the screen shows a text.
    ///
    /// # Panics
    /// When it does not come.
    pub fn wait_for(&mut self, text: &str) -> &mut Self {
        self.wait_until(text, |screen| screen.contains(text))
    }

    /// Waits until the screen does not show a text any more.
    ///
    /// # Panics
    /// When it stays.
    pub fn wait_without(&mut self, text: &str) -> &mut Self {
        self.wait_until(&format!("no {text}"), |screen| !screen.contains(text))
    }

    /// Waits until the screen is as wanted.
    ///
    /// # Panics
    /// When it is not in time; the message shows the screen.
    pub fn wait_until(&mut self, wanted: &str, is_so: impl Fn(&str) -> bool) -> &mut Self {
        let end = Instant::now() + PATIENCE;
        let mut state = self.lock();
        loop {
            let shown = state.parser.screen().contents();
            if is_so(&shown) {
                break;
            }
            let left = end.saturating_duration_since(Instant::now());
            assert!(!left.is_zero() && !state.ended, "waited for {wanted:?}, and the screen is:\n{shown}");
            state = self.screen.changed.wait_timeout(state, left).expect("no reader panicked").0;
        }
        drop(state);
        self
    }

    /// The visible rows.
    pub fn screen(&self) -> String {
        self.lock().parser.screen().contents()
    }

    /// Row and column of the cursor.
    pub fn cursor(&self) -> (u16, u16) {
        self.lock().parser.screen().cursor_position()
    }

    /// How a text on the screen is drawn where it stands last: the colour of its first letter, and whether it is bold.
    ///
    /// # Panics
    /// When the screen does not show it.
    pub fn drawn(&self, text: &str) -> String {
        let state = self.lock();
        let screen = state.parser.screen();
        let (height, width) = screen.size();
        let cell_text = |row, column| screen.cell(row, column).map_or("", |cell| cell.contents());
        for row in (0..height.get()).rev() {
            for column in (0..width.get()).rev() {
                let mut rest = text;
                let mut at = column;
                while let Some(after) =
                    rest.strip_prefix(cell_text(row, at)).filter(|_| !cell_text(row, at).is_empty())
                {
                    rest = after;
                    at += 1;
                }
                if let (true, Some(cell)) = (rest.is_empty(), screen.cell(row, column)) {
                    return format!("{:?}{}", cell.fgcolor(), if cell.bold() { " bold" } else { "" });
                }
            }
        }
        panic!("{text:?} is not on the screen:\n{}", screen.contents());
    }

    /// All rows from the beginning of the scrollback to the bottom of the screen.
    pub fn history(&self) -> Vec<String> {
        let mut state = self.lock();
        let screen = state.parser.screen_mut();
        let (height, width) = screen.size();
        let mut rows = Vec::new();
        let mut left = screen.scrollback_len();
        while left > 0 {
            screen.set_scrollback(left);
            let step = left.min(usize::from(height.get()));
            rows.extend(screen.rows(0, width.get()).take(step));
            left -= step;
        }
        screen.set_scrollback(0);
        rows.extend(screen.rows(0, width.get()));
        rows
    }

    /// Everything the program wrote.
    pub fn bytes(&self) -> Vec<u8> {
        self.lock().bytes.clone()
    }

    /// Waits until the program, or one that it left behind, has written these bytes.
    ///
    /// # Panics
    /// When it does not.
    pub fn wait_for_bytes(&self, wanted: &[u8]) {
        let end = Instant::now() + PATIENCE;
        while !self.bytes().windows(wanted.len()).any(|bytes| bytes == wanted) {
            assert!(Instant::now() < end, "{wanted:?} was never written");
            std::thread::sleep(Duration::from_millis(5));
        }
    }

    /// Gives the window another size.
    pub fn resize(&mut self, rows: u16, columns: u16) -> &mut Self {
        // As terminals do: first their own screen, then the program is told. The other way round, a frame for the new size
        // could arrive at the old one.
        let mut state = self.lock();
        state.parser.screen_mut().set_size(cells(rows), cells(columns));
        tcsetwinsize(&self.keyboard, window(rows, columns)).expect("a terminal has a size");
        drop(state);
        self
    }

    /// Waits for the end of the program, and of everything that could still write to its terminal.
    ///
    /// # Panics
    /// When it does not end.
    pub fn wait_exit(&mut self) -> ExitStatus {
        let end = Instant::now() + PATIENCE;
        loop {
            if let Some(status) = self.child.try_wait().expect("our own child")
                && self.lock().ended
            {
                return status;
            }
            assert!(Instant::now() < end, "the program does not end; the screen is:\n{}", self.screen());
            std::thread::sleep(Duration::from_millis(5));
        }
    }

    fn lock(&self) -> MutexGuard<'_, TerminalState> {
        self.screen.state.lock().expect("no reader panicked")
    }
}

impl Drop for Terminal {
    fn drop(&mut self) {
        let _ = self.child.kill();
        let _ = self.child.wait();
    }
}

fn pair(rows: u16, columns: u16) -> std::io::Result<(OwnedFd, OwnedFd)> {
    let master = openpt(OpenptFlags::RDWR | OpenptFlags::NOCTTY | OpenptFlags::CLOEXEC)?;
    grantpt(&master)?;
    unlockpt(&master)?;
    tcsetwinsize(&master, window(rows, columns))?;
    let name = ptsname(&master, Vec::new())?;
    let path = std::path::Path::new(std::ffi::OsStr::from_bytes(name.as_bytes()));
    let slave = File::options()
        .read(true)
        .write(true)
        .custom_flags(OFlags::NOCTTY.bits().cast_signed())
        .open(path)?;
    Ok((master, slave.into()))
}

fn window(rows: u16, columns: u16) -> Winsize {
    Winsize { ws_row: rows, ws_col: columns, ws_xpixel: 0, ws_ypixel: 0 }
}

/// Where a sequence stands last.
fn last(bytes: &[u8], sequence: &[u8]) -> Option<usize> {
    bytes.windows(sequence.len()).rposition(|window| window == sequence)
}

fn cells(number: u16) -> NonZeroU16 {
    NonZeroU16::new(number).expect("a terminal has rows and columns")
}

/// Shows what the program writes, and answers its questions.
fn watch(mut master: File, shared: Arc<Shared>, answers: Answers) {
    std::thread::spawn(move || {
        let mut chunk = vec![0; 64 * 1024];
        let mut listener = Listener::new(answers);
        loop {
            let read = match master.read(&mut chunk) {
                Ok(read) if read > 0 => read,
                _ => break,
            };
            {
                let mut state = shared.state.lock().expect("no other thread panicked");
                state.show(&chunk[..read]);
                state.bytes.extend_from_slice(&chunk[..read]);
            }
            shared.changed.notify_all();
            listener.hear(&chunk[..read], &master, &shared.typing);
        }
        let mut state = shared.state.lock().expect("no other thread panicked");
        state.show_all();
        state.ended = true;
        drop(state);
        shared.changed.notify_all();
    });
}
