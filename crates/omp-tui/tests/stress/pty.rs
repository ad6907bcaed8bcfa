//! A terminal of the system's own: modes are set and always set back.
//!
//! The program on it is this test program, started again to run [`child`] alone.
#![allow(clippy::disallowed_methods)] // Each process is waited for below, and ends with the test.

use std::fs::File;
use std::io::{Read as _, Write as _};
use std::os::fd::OwnedFd;
use std::process::{Child, Command, Stdio};
use std::sync::mpsc::{Receiver, RecvTimeoutError, channel};
use std::time::Duration;

use omp_tui::terminal::{Incoming, Terminal, guardian};
use rustix::process::{Pid, Signal, kill_process};
use rustix::pty::{OpenptFlags, grantpt, ioctl_tiocgptpeer, openpt, unlockpt};
use rustix::termios::{LocalModes, Termios, Winsize, tcgetattr, tcsetwinsize};

const ROLE: &str = "OMP_TUI_ROLE";

/// Not a test of its own: what runs on the terminal.
#[test]
fn child() {
    match std::env::var(ROLE).as_deref() {
        Ok("guardian") => {
            let saved = std::env::var("OMP_TUI_MODES").unwrap().parse().unwrap();
            guardian::watch(std::io::stdin(), rustix::stdio::stdout(), saved);
        }
        Ok("interface") => interface(),
        _ => {}
    }
}

/// Takes the terminal over, says so, and obeys single letters.
fn interface() {
    let (leash, _guardian) = match std::env::var("OMP_TUI_GUARDED") {
        Ok(_) => start_guardian(),
        Err(_) => (None, None),
    };
    let mut terminal = Terminal::enter(leash).unwrap();
    let (sender, receiver) = channel();
    let _source = terminal.source(move |incoming| {
        let _ = sender.send(incoming);
    });
    terminal.also_on(b"\x1b[>7u".to_vec(), b"\x1b[<u".to_vec());
    terminal.write(b"READY\r\n").unwrap();
    for incoming in receiver {
        match incoming {
            Incoming::Bytes(bytes) if bytes.contains(&b'q') => break,
            Incoming::Bytes(bytes) if bytes.contains(&b'p') => panic!("as asked for"),
            Incoming::Bytes(bytes) if bytes.contains(&0x1a) => {
                let stopped = terminal.suspend().unwrap();
                terminal.write(if stopped { b"" } else { b"NO SHELL\r\n" }).unwrap();
            }
            Incoming::Bytes(_) => {}
            Incoming::Resized => {
                let size = terminal.size();
                terminal.write(format!("SIZE {}x{}\r\n", size.width, size.height).as_bytes()).unwrap();
            }
            Incoming::Continued => {
                terminal.resume().unwrap();
                terminal.write(b"RESUMED\r\n").unwrap();
            }
            Incoming::Ended(signal) => std::process::exit(128 + signal),
            Incoming::Closed => break,
        }
    }
    terminal.leave();
}

fn start_guardian() -> (Option<OwnedFd>, Option<Child>) {
    let modes = Terminal::saved_modes().unwrap().to_string();
    let mut guardian = again("guardian").env("OMP_TUI_MODES", modes).stdin(Stdio::piped()).spawn().unwrap();
    let leash = guardian.stdin.take().map(OwnedFd::from);
    (leash, Some(guardian))
}

/// This program again, in a role.
fn again(role: &str) -> Command {
    let mut command = Command::new(std::env::current_exe().unwrap());
    command.args(["--exact", "pty::child", "--nocapture"]).env(ROLE, role).env("RUST_BACKTRACE", "0");
    command
}

/// A pseudo-terminal with what has been written to it.
struct Pty {
    master: File,
    slave: OwnedFd,
    output: Receiver<Vec<u8>>,
    seen: String,
}

impl Pty {
    fn new() -> Self {
        let master = openpt(OpenptFlags::RDWR | OpenptFlags::NOCTTY | OpenptFlags::CLOEXEC).unwrap();
        grantpt(&master).unwrap();
        unlockpt(&master).unwrap();
        let flags = OpenptFlags::RDWR | OpenptFlags::NOCTTY | OpenptFlags::CLOEXEC;
        let slave = ioctl_tiocgptpeer(&master, flags).unwrap();
        let size = Winsize { ws_row: 24, ws_col: 80, ws_xpixel: 0, ws_ypixel: 0 };
        tcsetwinsize(&master, size).unwrap();
        let master = File::from(master);
        let mut reader = master.try_clone().unwrap();
        let (sender, output) = channel();
        std::thread::spawn(move || {
            let mut buffer = [0; 4096];
            while let Ok(length @ 1..) = reader.read(&mut buffer) {
                if sender.send(buffer[..length].to_vec()).is_err() {
                    break;
                }
            }
        });
        Self { master, slave, output, seen: String::new() }
    }

    /// Starts a program with this as its controlling terminal, below a shell that outlives it until
    /// [`Pty::end`], as users do: with the first process of a session its terminal would go, too.
    fn start(&self, command: &Command) -> Child {
        let mut session = Command::new("setsid");
        session.args(["--ctty", "--wait", "sh", "-c", "\"$@\"; echo ENDED; read _", "sh"]);
        session.arg(command.get_program()).args(command.get_args());
        for (name, value) in command.get_envs() {
            session.env(name, value.unwrap_or_default());
        }
        let end = || Stdio::from(self.slave.try_clone().unwrap());
        session.stdin(end()).stdout(end()).stderr(end()).spawn().unwrap()
    }

    /// Lets the shell go, and waits for it.
    fn end(&mut self, session: &mut Child) {
        self.send(b"\n");
        session.wait().unwrap();
    }

    fn send(&mut self, bytes: &[u8]) {
        self.master.write_all(bytes).unwrap();
    }

    /// Waits until the output since the last wait contains `text`, and returns it up to there.
    fn wait(&mut self, text: &str) -> String {
        loop {
            if let Some(at) = self.seen.find(text) {
                let rest = self.seen.split_off(at + text.len());
                return std::mem::replace(&mut self.seen, rest);
            }
            match self.output.recv_timeout(Duration::from_secs(30)) {
                Ok(bytes) => self.seen.push_str(&String::from_utf8_lossy(&bytes)),
                Err(RecvTimeoutError::Timeout) => panic!("{text:?} never came; {:?}", self.seen),
                Err(RecvTimeoutError::Disconnected) => {
                    panic!("{text:?} never came before the end; {:?}", self.seen)
                }
            }
        }
    }

    fn modes(&self) -> Termios {
        tcgetattr(&self.slave).unwrap()
    }

    fn is_raw(&self) -> bool {
        !self.modes().local_modes.intersects(LocalModes::ICANON | LocalModes::ECHO | LocalModes::ISIG)
    }
}

fn same(left: &Termios, right: &Termios) -> bool {
    (left.input_modes, left.output_modes, left.control_modes, left.local_modes)
        == (right.input_modes, right.output_modes, right.control_modes, right.local_modes)
}

/// The program on the terminal, below those that made the session.
fn inner(session: &Child) -> Pid {
    let mut id = session.id();
    loop {
        let name = std::fs::read_to_string(format!("/proc/{id}/comm")).unwrap();
        if !matches!(name.trim(), "setsid" | "sh" | "dash" | "bash") {
            return Pid::from_raw(id as i32).unwrap();
        }
        let children = std::fs::read_to_string(format!("/proc/{id}/task/{id}/children")).unwrap();
        id = children.split_whitespace().next().expect("a child").parse().unwrap();
    }
}

/// Every way to end but the worst: the terminal is as it was. The part of TUI-055 that Linux has.
#[test]
fn the_terminal_is_always_given_back() {
    type End = fn(&mut Pty, Pid);
    let ends: [(&str, End); 5] = [
        ("leaves", |pty, _| pty.send(b"q")),
        ("panics", |pty, _| pty.send(b"p")),
        ("SIGTERM", |_, pid| kill_process(pid, Signal::TERM).unwrap()),
        ("SIGHUP", |_, pid| kill_process(pid, Signal::HUP).unwrap()),
        ("SIGINT", |_, pid| kill_process(pid, Signal::INT).unwrap()),
    ];
    for (name, end) in ends {
        let mut pty = Pty::new();
        let before = pty.modes();
        let mut session = pty.start(&again("interface"));
        let begun = pty.wait("READY");
        assert!(begun.contains("\x1b[?2004h") && begun.contains("\x1b[22;0t"), "{name}: {begun:?}");
        assert!(pty.is_raw(), "{name}");
        let size = Winsize { ws_row: 30, ws_col: 100, ws_xpixel: 0, ws_ypixel: 0 };
        tcsetwinsize(&pty.master, size).unwrap();
        pty.wait("SIZE 100x30");
        end(&mut pty, inner(&session));
        let ended = pty.wait("\x1b[?1004l");
        pty.wait("ENDED");
        assert!(same(&pty.modes(), &before), "{name}");
        pty.end(&mut session);
        for undone in ["\x1b[?2026l", "\x1b[?7h", "\x1b[?25h", "\x1b[<u", "\x1b[23;0t", "\x1b[?2004l"] {
            assert!(ended.contains(undone), "{name}: {undone:?} in {ended:?}");
        }
    }
}

/// After a SIGKILL the guardian does it.
#[test]
fn a_killed_program_leaves_a_usable_terminal() {
    let mut pty = Pty::new();
    let before = pty.modes();
    let mut session = pty.start(again("interface").env("OMP_TUI_GUARDED", "1"));
    pty.wait("READY");
    assert!(pty.is_raw());
    kill_process(inner(&session), Signal::KILL).unwrap();
    let ended = pty.wait("\x1b[?1004l");
    assert!(ended.contains("\x1b[?2004l") && ended.contains("\x1b[?25h"), "{ended:?}");
    // The guardian ends after that.
    pty.wait("test result");
    assert!(same(&pty.modes(), &before));
    pty.end(&mut session);
}

/// An end in good order leaves nothing for the guardian to do.
#[test]
fn the_guardian_keeps_out_of_a_good_end() {
    let mut pty = Pty::new();
    let mut session = pty.start(again("interface").env("OMP_TUI_GUARDED", "1"));
    pty.wait("READY");
    pty.send(b"q");
    pty.wait("\x1b[?1004l");
    pty.wait("test result");
    pty.wait("test result");
    pty.end(&mut session);
    assert!(!pty.seen.contains("\x1b[?1004l"), "{:?}", pty.seen);
}

/// Stopped under a real shell, by Ctrl+Z, by somebody else, and so that nobody can do anything about it: in the end the
/// terminal is ours again, and in between it is the shell's.
#[test]
fn suspended_and_continued() {
    type Stop = fn(&mut Pty, Pid);
    let stops: [(&str, Stop); 3] = [
        ("Ctrl+Z", |pty, _| pty.send(b"\x1a")),
        ("SIGTSTP", |_, pid| kill_process(pid, Signal::TSTP).unwrap()),
        ("SIGSTOP", |_, pid| kill_process(pid, Signal::STOP).unwrap()),
    ];
    for (name, stop) in stops {
        suspend_and_continue(name, stop);
    }
}

fn suspend_and_continue(name: &str, stop: fn(&mut Pty, Pid)) {
    let mut pty = Pty::new();
    let mut bash = Command::new("bash");
    bash.args(["--norc", "--noprofile", "-i"])
        .env("PS1", "PROMPT ")
        .env("HISTFILE", "/dev/null")
        .env(ROLE, "interface");
    let mut session = pty.start(&bash);
    pty.wait("PROMPT ");
    let program = std::env::current_exe().unwrap();
    pty.send(format!("'{}' --exact pty::child --nocapture\r", program.display()).as_bytes());
    pty.wait("READY");
    assert!(pty.is_raw());
    stop(&mut pty, inner(&session));
    let stopped = pty.wait("Stopped");
    let given_back = ["\x1b[?2004l", "\x1b[?25h", "\x1b[<u"].iter().all(|undone| stopped.contains(undone));
    assert_eq!(given_back, name != "SIGSTOP", "{name}: {stopped:?}");
    pty.send(b"stty -a; echo DO''NE\r");
    let modes = pty.wait("DONE");
    assert!(!modes.contains("\x1b[>7u"), "{name}: {modes:?}");
    assert!(modes.contains("\nisig icanon iexten echo "), "{name}: {modes:?}");
    pty.send(b"fg\r");
    let resumed = pty.wait("RESUMED");
    assert!(resumed.contains("\x1b[?2004h") && resumed.contains("\x1b[>7u"), "{name}: {resumed:?}");
    assert_eq!(resumed.matches("\x1b[>7u").count(), 1, "{name}: {resumed:?}");
    assert!(pty.is_raw());
    pty.send(b"q");
    pty.wait("PROMPT ");
    pty.send(b"exit\r");
    pty.end(&mut session);
}

/// Without a shell that could let it go on, nothing is stopped.
#[test]
fn nobody_is_stopped_for_ever() {
    let mut pty = Pty::new();
    let mut session = pty.start(&again("interface"));
    pty.wait("READY");
    pty.send(b"\x1a");
    pty.wait("NO SHELL");
    kill_process(inner(&session), Signal::TSTP).unwrap();
    let size = Winsize { ws_row: 30, ws_col: 100, ws_xpixel: 0, ws_ypixel: 0 };
    tcsetwinsize(&pty.master, size).unwrap();
    pty.wait("SIZE 100x30");
    assert!(pty.is_raw());
    pty.send(b"q");
    pty.wait("ENDED");
    pty.end(&mut session);
}
