//! Lines that are typed.

use std::io::{BufRead, Read};

use tokio::sync::mpsc;

/// Nothing that is typed or pasted on a line is longer.
const MAX_LINE: u64 = 4 * 1024 * 1024;

/// Reads lines from standard input, in a thread that nobody waits for: a read cannot be cancelled. The end of the input is
/// the end of the channel.
pub(crate) fn read() -> mpsc::Receiver<String> {
    let (sender, receiver) = mpsc::channel(16);
    std::thread::spawn(move || {
        loop {
            let mut line = Vec::new();
            let read = std::io::stdin().lock().take(MAX_LINE).read_until(b'\n', &mut line);
            if !matches!(read, Ok(1..)) {
                return;
            }
            let line = String::from_utf8_lossy(&line).trim_end_matches(['\n', '\r']).to_owned();
            if sender.blocking_send(line).is_err() {
                return;
            }
        }
    });
    receiver
}
