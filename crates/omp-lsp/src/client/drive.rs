//! The task that owns a server's process.

use std::sync::Arc;
use std::time::Duration;

use omp_shell::scope::GRACE;
use omp_shell::{Child, Exit};
use tokio::io::{AsyncRead, AsyncReadExt as _, AsyncWriteExt as _, BufReader};
use tokio::net::unix::pipe;
use tokio::sync::mpsc;
use tokio_util::sync::CancellationToken;

use super::answers::Answers;
use super::state::Failure;
use super::{Editor, Shared};
use crate::frame::{self, FrameError};
use crate::message::{self, Incoming};

/// How much of what a server complains about is kept: the end of it.
const COMPLAINT: usize = 4 * 1024;
/// After its process ended, what it still said may take so long to arrive.
const LEFTOVERS: Duration = Duration::from_millis(200);

/// What a task needs.
pub(super) struct Drive {
    pub(super) child: Child,
    pub(super) shared: Arc<Shared>,
    pub(super) outgoing: mpsc::Receiver<Vec<u8>>,
    pub(super) answers: Answers,
    pub(super) editor: Option<Arc<dyn Editor>>,
    pub(super) end: CancellationToken,
}

/// Lives as long as the process.
pub(super) async fn drive(mut drive: Drive) {
    let (stdin, stdout, stderr) =
        (drive.child.stdin.take(), drive.child.stdout.take(), drive.child.stderr.take());
    let shared = Arc::clone(&drive.shared);
    let mut complaint = Vec::new();
    let ended = {
        let (Some(stdin), Some(stdout), Some(stderr)) = (stdin, stdout, stderr) else { return };
        let reads = listen(stdout, &shared, &drive.answers, drive.editor.as_ref());
        let writes = write(stdin, &mut drive.outgoing);
        let complains = collect(stderr, &mut complaint);
        tokio::pin!(reads, writes, complains);
        let (mut wrote, mut complained) = (false, false);
        let ended = loop {
            tokio::select! {
                () = drive.end.cancelled() => break Ended::ByUs,
                problem = &mut reads => break Ended::Silent(problem),
                exit = drive.child.wait() => break Ended::Exited(exit),
                () = &mut writes, if !wrote => wrote = true,
                () = &mut complains, if !complained => complained = true,
            }
        };
        if !complained {
            // The end of the stream, or what is there by then.
            let _ = tokio::time::timeout(LEFTOVERS, &mut complains).await;
        }
        ended
    };
    let exit = match &ended {
        Ended::Exited(exit) => Some(*exit),
        _ => tokio::time::timeout(LEFTOVERS, drive.child.wait()).await.ok(),
    };
    drive.child.terminate(GRACE);
    let complaint = String::from_utf8_lossy(&complaint).trim().to_owned();
    shared.state().end(ended.tell(exit, &complaint));
    shared.tell();
}

enum Ended {
    ByUs,
    /// Nothing more can be read.
    Silent(FrameError),
    Exited(Exit),
}

impl Ended {
    fn tell(&self, exit: Option<Exit>, complaint: &str) -> String {
        let how = match (self, exit) {
            (Self::ByUs, _) => return "was stopped".to_owned(),
            (Self::Exited(_) | Self::Silent(FrameError::Closed), Some(Exit::Exited(code))) => {
                format!("exited with code {code}")
            }
            (Self::Exited(_) | Self::Silent(FrameError::Closed), Some(Exit::Signaled(signal))) => {
                format!("was killed by signal {signal}")
            }
            (Self::Silent(problem), _) => problem.to_string(),
            (Self::Exited(_), _) => "is no longer running".to_owned(),
        };
        match complaint.is_empty() {
            true => how,
            false => format!("{how}: {complaint}"),
        }
    }
}

/// Writes what is queued, until nobody queues or reads any more.
async fn write(mut stdin: pipe::Sender, outgoing: &mut mpsc::Receiver<Vec<u8>>) {
    while let Some(message) = outgoing.recv().await {
        if stdin.write_all(&message).await.is_err() {
            // The process is going; its end will tell.
            outgoing.close();
            return;
        }
    }
}

/// Keeps the end of what is said.
async fn collect(mut source: impl AsyncRead + Unpin, kept: &mut Vec<u8>) {
    let mut chunk = vec![0; 4 * 1024];
    while let Ok(length @ 1..) = source.read(&mut chunk).await {
        kept.extend_from_slice(&chunk[..length]);
        let excess = kept.len().saturating_sub(COMPLAINT);
        kept.drain(..excess);
    }
}

/// Reads until something is wrong, which the end of the stream is, too.
async fn listen(
    stdout: pipe::Receiver,
    shared: &Shared,
    answers: &Answers,
    editor: Option<&Arc<dyn Editor>>,
) -> FrameError {
    let mut source = BufReader::new(stdout);
    loop {
        let body = match frame::read(&mut source).await {
            Ok(body) => body,
            Err(error) => return error,
        };
        match Incoming::parse(&body) {
            Some(Incoming::Answer { id, result }) => {
                let waiting = shared.state().pending.remove(&id);
                if let Some(waiting) = waiting {
                    // The waiting side may be gone.
                    let _ = waiting.send(result.map_err(|(code, message)| Failure::Answer(code, message)));
                }
            }
            Some(Incoming::Notice { method, params }) => {
                answers.notice(shared, &method, &params);
                shared.tell();
            }
            Some(Incoming::Question { id, method, params }) => {
                let answer = answers.answer(shared, editor, &method, &params).await;
                shared.tell();
                if shared.outgoing.send(message::answer(&id, answer)).await.is_err() {
                    return FrameError::Closed;
                }
            }
            None => {
                let mut start = body;
                start.truncate(200);
                return FrameError::Header(String::from_utf8_lossy(&start).into_owned());
            }
        }
    }
}
