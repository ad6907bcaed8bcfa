//! Talking with a person during a login: lines in, sentences out, keys without an echo.

use std::io::{BufRead, IsTerminal, Read};
use std::os::fd::AsFd;

use futures_util::future::BoxFuture;
use nix::sys::termios::{LocalFlags, SetArg, Termios, tcgetattr, tcsetattr};
use omp_sdk::auth::{Notice, Person};
use tokio::sync::{Mutex, mpsc};

use crate::output;

/// Nothing that is pasted here is longer.
const MAX_LINE: u64 = 64 * 1024;

/// The person at standard input and standard error.
pub(crate) struct Terminal {
    lines: Mutex<Option<mpsc::Receiver<String>>>,
}

impl Terminal {
    pub(crate) fn new() -> Self {
        Self { lines: Mutex::new(None) }
    }

    /// Reading begins with the first question, in a thread that nobody waits for: a read cannot be cancelled.
    async fn next_line(&self) -> Option<String> {
        let mut lines = self.lines.lock().await;
        let receiver = lines.get_or_insert_with(|| {
            let (sender, receiver) = mpsc::channel(16);
            std::thread::spawn(move || forward(&sender));
            receiver
        });
        receiver.recv().await
    }

    /// A line that is not shown while it is typed.
    pub(crate) async fn hidden_line(&self, question: &str) -> Option<String> {
        let stdin = std::io::stdin();
        if !stdin.is_terminal() {
            return self.next_line().await;
        }
        output::note(question);
        let _silence = Silence::begin();
        self.next_line().await
    }
}

fn forward(sender: &mpsc::Sender<String>) {
    loop {
        let mut line = Vec::new();
        let read = std::io::stdin().lock().take(MAX_LINE).read_until(b'\n', &mut line);
        if !matches!(read, Ok(1..)) {
            return;
        }
        if sender.blocking_send(String::from_utf8_lossy(&line).into_owned()).is_err() {
            return;
        }
    }
}

/// No echo while it lives.
struct Silence(Option<Termios>);

impl Silence {
    fn begin() -> Self {
        let stdin = std::io::stdin();
        let Ok(before) = tcgetattr(stdin.as_fd()) else { return Self(None) };
        let mut silent = before.clone();
        silent.local_flags.remove(LocalFlags::ECHO);
        // The end of the line is still seen, so that the next words stand on a line of their own.
        silent.local_flags.insert(LocalFlags::ECHONL);
        let set = tcsetattr(stdin.as_fd(), SetArg::TCSANOW, &silent);
        Self(set.is_ok().then_some(before))
    }
}

impl Drop for Silence {
    fn drop(&mut self) {
        if let Some(before) = &self.0 {
            // There is nobody to tell when the terminal is gone.
            let _ = tcsetattr(std::io::stdin().as_fd(), SetArg::TCSANOW, before);
        }
    }
}

impl Person for Terminal {
    fn tell(&self, notice: Notice) {
        let text = match notice {
            Notice::Open { url } => format!("Open this URL in your browser and log in:\n\n  {url}\n"),
            Notice::PasteOffered => {
                "Browser on another machine? Paste the final URL, or the code it shows, here.".to_owned()
            }
            Notice::PortBusy { port, reason } => format!(
                "Port {port} is in use ({reason}), so the browser cannot return to omp. Paste the final \
                 URL here instead."
            ),
            Notice::EnterCode { url, code } => {
                format!("Open this URL on any device:\n\n  {url}\n\nand enter the code:\n\n  {code}\n")
            }
            Notice::NotUsable { reason } => format!("{reason}. Try again."),
        };
        output::note(&text);
    }

    fn line(&self) -> BoxFuture<'_, Option<String>> {
        Box::pin(self.next_line())
    }
}
