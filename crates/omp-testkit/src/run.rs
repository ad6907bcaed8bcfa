//! Running a program to its end, or to the end of our patience.

use nix::sys::signal::{Signal, kill, killpg};
use nix::unistd::Pid;
use std::borrow::BorrowMut;
use std::io::{Read, Write};
use std::os::unix::process::{CommandExt, ExitStatusExt};
use std::process::{Child, ChildStdin, Command, ExitStatus, Stdio};
use std::sync::{Arc, Mutex};
use std::thread::JoinHandle;
use std::time::{Duration, Instant};

/// What a program left.
#[derive(Clone, Debug)]
pub struct Output {
    pub status: ExitStatus,
    /// `None` when a signal ended it.
    pub code: Option<i32>,
    pub signal: Option<i32>,
    /// Lossy text; the bytes are in `stdout_bytes`.
    pub stdout: String,
    pub stderr: String,
    pub stdout_bytes: Vec<u8>,
    pub stderr_bytes: Vec<u8>,
    pub duration: Duration,
}

impl Output {
    /// Panics with everything that was printed unless the exit code is 0.
    pub fn assert_success(&self) -> &Self {
        assert!(
            self.status.success(),
            "{:?}\n--- stdout\n{}\n--- stderr\n{}",
            self.status,
            self.stdout,
            self.stderr
        );
        self
    }
}

/// Runs `command` in a process group of its own, with `stdin` or an empty input.
///
/// # Panics
/// When it cannot be started, or does not end within `timeout`: then the whole process group is killed and the
/// message holds what was printed so far.
pub fn run(command: impl BorrowMut<Command>, stdin: Option<&[u8]>, timeout: Duration) -> Output {
    let mut running = start(command);
    running.write_all_and_close(stdin.unwrap_or_default());
    running.wait(timeout)
}

/// Starts `command` in a process group of its own with all three streams piped.
///
/// # Panics
/// When it cannot be started.
pub fn start(mut command: impl BorrowMut<Command>) -> Running {
    let command = command.borrow_mut();
    command.stdin(Stdio::piped()).stdout(Stdio::piped()).stderr(Stdio::piped()).process_group(0);
    let started = Instant::now();
    let mut child = command.spawn().unwrap_or_else(|error| panic!("cannot start {command:?}: {error}"));
    let stdout = Capture::of(child.stdout.take().expect("stdout is piped"));
    let stderr = Capture::of(child.stderr.take().expect("stderr is piped"));
    let stdin = child.stdin.take();
    Running { description: format!("{command:?}"), child, stdin, stdout, stderr, started, ended: false }
}

/// A started program; dropping it kills its process group.
pub struct Running {
    description: String,
    child: Child,
    stdin: Option<ChildStdin>,
    stdout: Capture,
    stderr: Capture,
    started: Instant,
    ended: bool,
}

impl Running {
    pub fn pid(&self) -> u32 {
        self.child.id()
    }

    fn target(&self) -> Pid {
        Pid::from_raw(i32::try_from(self.pid()).expect("process ids fit in i32"))
    }

    /// Writes to its standard input and leaves that open. A program that no longer reads is not an error.
    pub fn write(&mut self, bytes: &[u8]) {
        if let Some(stdin) = &mut self.stdin {
            let _ = stdin.write_all(bytes).and_then(|()| stdin.flush());
        }
    }

    pub fn close_stdin(&mut self) {
        self.stdin = None;
    }

    /// Writes from a thread, since a program may print before it has read everything.
    fn write_all_and_close(&mut self, bytes: &[u8]) {
        let Some(mut stdin) = self.stdin.take() else { return };
        let bytes = bytes.to_vec();
        std::thread::spawn(move || {
            let _ = stdin.write_all(&bytes);
        });
    }

    /// Sends a signal, by number, to the program alone.
    pub fn signal(&self, signal: i32) {
        let signal = Signal::try_from(signal).expect("a valid signal number");
        let _ = kill(self.target(), signal);
    }

    pub fn stdout_so_far(&self) -> String {
        self.stdout.text()
    }

    pub fn stderr_so_far(&self) -> String {
        self.stderr.text()
    }

    /// Waits until its standard output contains `text`.
    ///
    /// # Panics
    /// When that does not happen within `timeout`.
    pub fn wait_for_stdout(&self, text: &str, timeout: Duration) {
        let deadline = Instant::now() + timeout;
        while !self.stdout.text().contains(text) {
            if Instant::now() >= deadline {
                panic!("{} did not print {text:?} within {timeout:?}{}", self.description, self.printed());
            }
            std::thread::sleep(Duration::from_millis(2));
        }
    }

    /// Waits for the end and for both outputs to close.
    ///
    /// # Panics
    /// When that does not happen within `timeout` from now.
    pub fn wait(mut self, timeout: Duration) -> Output {
        let deadline = Instant::now() + timeout;
        let status = loop {
            if let Some(status) = self.child.try_wait().expect("a child can be waited for") {
                break status;
            }
            if Instant::now() >= deadline {
                self.kill_group();
                panic!("{} did not end within {timeout:?}{}", self.description, self.printed());
            }
            std::thread::sleep(Duration::from_millis(1));
        };
        let duration = self.started.elapsed();
        self.ended = true;
        if !(self.stdout.closes_by(deadline) && self.stderr.closes_by(deadline)) {
            self.kill_group();
            panic!(
                "{} ended, but something it started keeps its output open{}",
                self.description,
                self.printed()
            );
        }
        self.output(status, duration)
    }

    fn output(&self, status: ExitStatus, duration: Duration) -> Output {
        Output {
            status,
            code: status.code(),
            signal: status.signal(),
            stdout: self.stdout.text(),
            stderr: self.stderr.text(),
            stdout_bytes: self.stdout.bytes(),
            stderr_bytes: self.stderr.bytes(),
            duration,
        }
    }

    fn printed(&self) -> String {
        format!("\n--- stdout so far\n{}\n--- stderr so far\n{}", self.stdout.text(), self.stderr.text())
    }

    fn kill_group(&self) {
        let _ = killpg(self.target(), Signal::SIGKILL);
    }
}

impl Drop for Running {
    fn drop(&mut self) {
        if !self.ended {
            self.kill_group();
            let _ = self.child.wait();
        }
    }
}

/// A stream read to its end by a thread.
struct Capture {
    bytes: Arc<Mutex<Vec<u8>>>,
    reader: JoinHandle<()>,
}

impl Capture {
    fn of(mut stream: impl Read + Send + 'static) -> Self {
        let bytes = Arc::new(Mutex::new(Vec::new()));
        let shared = Arc::clone(&bytes);
        let reader = std::thread::spawn(move || {
            let mut chunk = [0; 16 * 1024];
            while let Ok(count @ 1..) = stream.read(&mut chunk) {
                shared.lock().expect("readers do not panic").extend_from_slice(&chunk[..count]);
            }
        });
        Self { bytes, reader }
    }

    fn bytes(&self) -> Vec<u8> {
        self.bytes.lock().expect("readers do not panic").clone()
    }

    fn text(&self) -> String {
        String::from_utf8_lossy(&self.bytes()).into_owned()
    }

    fn closes_by(&self, deadline: Instant) -> bool {
        while !self.reader.is_finished() {
            if Instant::now() >= deadline {
                return false;
            }
            std::thread::sleep(Duration::from_millis(1));
        }
        true
    }
}
