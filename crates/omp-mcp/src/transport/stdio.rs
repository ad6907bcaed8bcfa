//! A server that is a process of ours: one JSON message per line.

use std::sync::Arc;
use std::time::Duration;

use omp_shell::scope::GRACE;
use omp_shell::{Child, Confined, Exit, Program, Scope, SpawnError, Stdio};
use rmcp::RoleClient;
use rmcp::model::{ClientJsonRpcMessage, ServerJsonRpcMessage};
use rmcp::transport::Transport;
use tokio::io::{AsyncReadExt as _, AsyncWriteExt as _};
use tokio::net::unix::pipe;
use tokio::sync::{Mutex, mpsc};
use tokio_util::sync::CancellationToken;

use super::frame::{Frame, Frames};
use super::inbound::of_frame;
use crate::limits;
use crate::log::Log;

/// Messages that wait until they are looked at; then the server waits.
const QUEUE: usize = 64;
/// How long a server may take to end after its input was closed, before it is told to.
const FAREWELL: Duration = Duration::from_millis(500);
/// How long what the server said last is still read after its process has ended.
const LAST_WORDS: Duration = Duration::from_millis(200);

#[derive(Debug, thiserror::Error)]
pub(crate) enum StdioError {
    #[error("the server does not read what it is sent: {0}")]
    Write(#[from] std::io::Error),
    #[error("the connection is closed")]
    Closed,
}

/// Our end of the streams. Dropping it ends the process.
pub(crate) struct StdioTransport {
    stdin: Arc<Mutex<Option<pipe::Sender>>>,
    incoming: mpsc::Receiver<ServerJsonRpcMessage>,
    end: CancellationToken,
    log: Log,
}

impl StdioTransport {
    pub(crate) fn start(
        scope: &Scope,
        program: Program,
        confined: Option<&Confined>,
        log: &Log,
    ) -> Result<Self, SpawnError> {
        let program = Program { stdin: Stdio::Piped, stdout: Stdio::Piped, stderr: Stdio::Piped, ..program };
        let mut child = match confined {
            Some(confined) => scope.spawn_confined(program, confined)?,
            None => scope.spawn(program)?,
        };
        let stdin = Arc::new(Mutex::new(child.stdin.take()));
        let (sender, incoming) = mpsc::channel(QUEUE);
        let end = CancellationToken::new();
        if let Some(stderr) = child.stderr.take() {
            tokio::spawn(complaints(stderr, log.clone(), end.clone()));
        }
        let stdout = child.stdout.take();
        let attendant = Attendant { child, stdin: Arc::clone(&stdin), log: log.clone(), end: end.clone() };
        tokio::spawn(attendant.attend(stdout, sender));
        Ok(Self { stdin, incoming, end, log: log.clone() })
    }
}

impl Drop for StdioTransport {
    fn drop(&mut self) {
        self.end.cancel();
    }
}

impl Transport<RoleClient> for StdioTransport {
    type Error = StdioError;

    fn send(
        &mut self,
        message: ClientJsonRpcMessage,
    ) -> impl Future<Output = Result<(), Self::Error>> + Send + 'static {
        let (stdin, log) = (Arc::clone(&self.stdin), self.log.clone());
        let line = serde_json::to_vec(&message).map_err(std::io::Error::from);
        async move {
            let mut line = line?;
            line.push(b'\n');
            let mut stdin = stdin.lock().await;
            let pipe = stdin.as_mut().ok_or(StdioError::Closed)?;
            pipe.write_all(&line).await.map_err(|error| {
                // Half a line would spoil the next one.
                *stdin = None;
                let error = StdioError::Write(error);
                log.add(error.to_string());
                error
            })
        }
    }

    fn receive(&mut self) -> impl Future<Output = Option<ServerJsonRpcMessage>> + Send {
        self.incoming.recv()
    }

    async fn close(&mut self) -> Result<(), Self::Error> {
        self.end.cancel();
        Ok(())
    }
}

/// Owns the process.
struct Attendant {
    child: Child,
    stdin: Arc<Mutex<Option<pipe::Sender>>>,
    log: Log,
    end: CancellationToken,
}

impl Attendant {
    /// Reads until the server or somebody here has enough; then nothing of the server is left.
    async fn attend(mut self, stdout: Option<pipe::Receiver>, sender: mpsc::Sender<ServerJsonRpcMessage>) {
        if let Some(stdout) = stdout {
            let reading = read(stdout, &sender, &self.log);
            tokio::pin!(reading);
            tokio::select! {
                () = &mut reading => {}
                () = self.end.cancelled() => {}
                exit = self.child.wait() => {
                    self.log.add(ended(exit));
                    // Whoever forks and leaves is gone: what stays behind is not the server that was started.
                    let _ = tokio::time::timeout(LAST_WORDS, &mut reading).await;
                }
            }
        }
        drop(sender);
        // Somebody may be writing to a server that does not read; the pipe then closes with the process.
        if let Ok(mut stdin) = self.stdin.try_lock() {
            *stdin = None;
        }
        let _ = tokio::time::timeout(FAREWELL, self.child.wait()).await;
        self.child.terminate(GRACE);
        self.end.cancel();
    }
}

/// Ends the process also when the runtime does.
impl Drop for Attendant {
    fn drop(&mut self) {
        self.child.terminate(GRACE);
    }
}

fn ended(exit: Exit) -> String {
    match exit {
        Exit::Exited(code) => format!("the process ended with exit code {code}"),
        Exit::Signaled(signal) => format!("the process was ended by signal {signal}"),
        Exit::Lost => "the process ended".to_owned(),
    }
}

async fn read(mut stdout: pipe::Receiver, sender: &mpsc::Sender<ServerJsonRpcMessage>, log: &Log) {
    let (mut frames, mut chunk) = (Frames::default(), vec![0; 64 * 1024]);
    while let Ok(length @ 1..) = stdout.read(&mut chunk).await {
        for frame in frames.take(&chunk[..length]) {
            let inbound = of_frame(frame);
            if let Some(problem) = inbound.problem {
                log.add(format!("stdout: {problem}"));
            }
            for message in inbound.messages {
                if sender.send(message).await.is_err() {
                    return;
                }
            }
        }
    }
}

async fn complaints(mut stderr: pipe::Receiver, log: Log, end: CancellationToken) {
    let (mut frames, mut chunk) = (Frames::new(limits::LOG_LINE), vec![0; 8 * 1024]);
    let reading = async {
        while let Ok(length @ 1..) = stderr.read(&mut chunk).await {
            for frame in frames.take(&chunk[..length]) {
                let (Frame::Whole(line) | Frame::TooLong { head: line, .. }) = frame;
                log.add(String::from_utf8_lossy(&line));
            }
        }
    };
    let over = async {
        end.cancelled().await;
        tokio::time::sleep(LAST_WORDS).await;
    };
    tokio::select! {
        () = reading => {}
        () = over => {}
    }
}
