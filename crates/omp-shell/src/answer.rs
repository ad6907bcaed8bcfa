//! What a short program prints, whole: for programs that are asked something.

use tokio::io::{AsyncRead, AsyncReadExt as _};

use crate::scope::{Child, Exit, GRACE};

/// What a program said and how it ended.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Answer {
    pub exit: Exit,
    /// What it printed, as far as wanted.
    pub output: String,
    /// What it printed on the side, as far as wanted.
    pub complaint: String,
}

/// Reads a program to its end. At most so many bytes of both streams are kept; the rest is read and forgotten, so that the
/// program can end. Dropping the future ends the program.
pub async fn answer(child: Child, most_output: usize, most_complaint: usize) -> Answer {
    let mut running = Running(child);
    let (stdout, stderr) = (running.0.stdout.take(), running.0.stderr.take());
    let (output, complaint) = tokio::join!(read(stdout, most_output), read(stderr, most_complaint));
    Answer { exit: running.0.wait().await, output, complaint }
}

/// A process that ends when nobody waits for it any more.
struct Running(Child);

impl Drop for Running {
    fn drop(&mut self) {
        self.0.terminate(GRACE);
    }
}

async fn read(source: Option<impl AsyncRead + Unpin>, most: usize) -> String {
    let Some(mut source) = source else { return String::new() };
    let (mut kept, mut chunk) = (Vec::new(), vec![0; 64 * 1024]);
    while let Ok(length @ 1..) = source.read(&mut chunk).await {
        let room = most - kept.len();
        kept.extend_from_slice(&chunk[..length.min(room)]);
    }
    String::from_utf8_lossy(&kept).into_owned()
}
