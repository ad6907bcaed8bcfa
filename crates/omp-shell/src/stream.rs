//! The output of a running command, from its pipe into the sink and to those who watch.

use std::io;
use std::time::Duration;

use tokio::net::unix::pipe;
use tokio_util::sync::CancellationToken;

use crate::command::{Ending, Snapshot};
use crate::scope::{Child, GRACE};
use crate::sink::{Captured, Sink};

/// How long a process that the command left behind may keep us waiting for the end of the output.
const DRAIN_LIMIT: Duration = Duration::from_millis(100);
/// The grace period after a person's word: whoever pressed a key is answered within a tenth of a second.
const GRACE_OF_A_CANCEL: Duration = Duration::from_millis(60);
/// How long we wait for a killed tree before we return without it.
const KILL_LIMIT: Duration = Duration::from_secs(2);
/// The least time between two progress reports, and the most text in one.
const SNAPSHOT_INTERVAL: Duration = Duration::from_millis(100);
const SNAPSHOT_BYTES: usize = 8 * 1024;

/// What is read at once: a pipe holds that much, if nobody asked for more.
const READ_BYTES: usize = 64 * 1024;
/// The most that a pipe holds.
const MOST_HELD: usize = 1024 * 1024;

/// The output of a running command on its way into the sink.
pub(crate) struct Output<F> {
    pipe: pipe::Receiver,
    intake: Intake,
    reporter: Reporter<F>,
}

/// Looks at what arrives, and says what of it the sink gets.
pub(crate) type Filter = Box<dyn FnMut(&[u8]) -> Vec<u8> + Send>;

/// The way into the sink.
struct Intake {
    sink: Sink,
    filter: Option<Filter>,
}

impl Intake {
    fn push(&mut self, bytes: &[u8]) {
        match &mut self.filter {
            Some(filter) => self.sink.push(&filter(bytes)),
            None => self.sink.push(bytes),
        }
    }
}

/// Whether somebody may still write.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) enum Pipe {
    Open,
    Closed,
}

impl<F: FnMut(&Snapshot)> Output<F> {
    pub(crate) fn new(pipe: pipe::Receiver, sink: Sink, on_output: F) -> Self {
        Self { pipe, intake: Intake { sink, filter: None }, reporter: Reporter::new(on_output) }
    }

    /// With somebody who looks at every byte first.
    pub(crate) fn through(mut self, filter: Filter) -> Self {
        self.intake.filter = Some(filter);
        self
    }

    /// Collects output until the command ends, the time is over or the call is cancelled.
    pub(crate) async fn follow(
        &mut self,
        end: impl Future<Output = Ending>,
        timeout: Option<Duration>,
        cancel: &CancellationToken,
    ) -> Ending {
        let mut end = std::pin::pin!(end);
        let mut time_over = std::pin::pin!(sleep(timeout));
        let mut pipe = Pipe::Open;
        loop {
            tokio::select! {
                biased; // A flood of output must hold back neither the ways to stop it nor the reports.
                () = cancel.cancelled() => return Ending::Cancelled,
                () = &mut time_over => return Ending::TimedOut,
                ending = &mut end => return ending,
                () = self.reporter.due() => self.reporter.report(&self.intake.sink),
                got = read(&self.pipe, |bytes| self.intake.push(bytes)), if pipe == Pipe::Open => match got {
                    Got::Output => {
                        self.reporter.note();
                        // A pipe that is never empty would keep every other task of this thread waiting.
                        tokio::task::yield_now().await;
                    }
                    Got::Nothing => {}
                    Got::End => pipe = Pipe::Closed,
                },
            }
        }
    }

    /// Ends the tree and collects what it had printed. `why` is what ended the command.
    pub(crate) async fn stop(&mut self, child: &mut Child, why: Ending) -> Pipe {
        child.terminate(if why == Ending::Cancelled { GRACE_OF_A_CANCEL } else { GRACE });
        let mut gone = std::pin::pin!(tokio::time::timeout(KILL_LIMIT, child.gone()));
        tokio::select! {
            Pipe::Closed = self.read_for(KILL_LIMIT) => {
                let _ = gone.await;
                Pipe::Closed
            }
            // Somebody outside the tree may have been given the stream, as ssh gives it to its shared connection.
            _ = &mut gone => self.drain().await,
        }
    }

    /// Takes what the command had printed when it ended. Somebody it left behind may hold the stream open.
    pub(crate) async fn drain(&mut self) -> Pipe {
        self.read_for(DRAIN_LIMIT).await
    }

    /// The text; what is still to come from an open stream goes nowhere.
    pub(crate) fn finish(self, left: Pipe) -> Captured {
        if left == Pipe::Open {
            tokio::spawn(discard(self.pipe));
        }
        self.intake.sink.finish()
    }

    /// Reads to the end of the stream, but does not wait longer than `limit`. What is there by then is taken, however
    /// busy the machine is: the command printed it.
    async fn read_for(&mut self, limit: Duration) -> Pipe {
        let to_the_end = async {
            while read(&self.pipe, |bytes| self.intake.push(bytes)).await != Got::End {
                tokio::task::yield_now().await;
            }
        };
        match tokio::time::timeout(limit, to_the_end).await {
            Ok(()) => Pipe::Closed,
            Err(_) => self.take_rest(),
        }
    }

    /// Takes what the stream holds, without waiting. Whoever still writes may fill it while it is emptied.
    fn take_rest(&mut self) -> Pipe {
        let mut buffer = vec![0; READ_BYTES];
        let mut left = MOST_HELD;
        while left > 0 {
            match rustix::io::read(&self.pipe, &mut *buffer) {
                Ok(0) => return Pipe::Closed,
                Ok(length) => {
                    self.intake.push(&buffer[..length]);
                    left = left.saturating_sub(length);
                }
                Err(rustix::io::Errno::INTR) => {}
                Err(rustix::io::Errno::AGAIN) => return Pipe::Open,
                Err(_) => return Pipe::Closed,
            }
        }
        Pipe::Open
    }
}

/// What one look at the pipe gave.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
enum Got {
    Output,
    Nothing,
    End,
}

/// Waits for output and takes what is there.
async fn read(pipe: &pipe::Receiver, take: impl FnOnce(&[u8])) -> Got {
    if pipe.readable().await.is_err() {
        return Got::End;
    }
    let mut buffer = [0; READ_BYTES]; // Not kept across the wait, so not in the future.
    match pipe.try_read(&mut buffer) {
        Ok(0) => Got::End,
        Ok(length) => {
            take(&buffer[..length]);
            Got::Output
        }
        Err(error) if matches!(error.kind(), io::ErrorKind::WouldBlock | io::ErrorKind::Interrupted) => {
            Got::Nothing
        }
        Err(_) => Got::End,
    }
}

/// Keeps a process that was left behind from dying of a closed pipe, until it or its scope ends.
async fn discard(pipe: pipe::Receiver) {
    while read(&pipe, |_| {}).await != Got::End {
        tokio::task::yield_now().await;
    }
}

async fn sleep(duration: Option<Duration>) {
    match duration {
        Some(duration) => tokio::time::sleep(duration).await,
        None => std::future::pending().await,
    }
}

/// Calls the watcher now and then, and only when there is news.
struct Reporter<F> {
    deliver: F,
    next: tokio::time::Instant,
    news: bool,
}

impl<F: FnMut(&Snapshot)> Reporter<F> {
    fn new(deliver: F) -> Self {
        Self { deliver, next: tokio::time::Instant::now(), news: false }
    }

    fn note(&mut self) {
        self.news = true;
    }

    /// Completes when a report is due; never without news.
    fn due(&self) -> impl Future<Output = ()> + use<F> {
        let (news, next) = (self.news, self.next);
        async move { if news { tokio::time::sleep_until(next).await } else { std::future::pending().await } }
    }

    fn report(&mut self, sink: &Sink) {
        self.news = false;
        self.next = tokio::time::Instant::now() + SNAPSHOT_INTERVAL;
        (self.deliver)(&Snapshot { tail: sink.tail(SNAPSHOT_BYTES), total_bytes: sink.total_bytes() });
    }
}

#[cfg(test)]
mod tests {
    use std::io::Write;

    use super::*;
    use crate::sink::Limits;

    /// What a command printed is there, however slowly it is taken.
    #[tokio::test]
    async fn a_busy_machine_loses_no_output() {
        let (reader, mut writer) = std::io::pipe().unwrap();
        nix::fcntl::fcntl(&writer, nix::fcntl::FcntlArg::F_SETPIPE_SZ(4 * READ_BYTES as i32)).unwrap();
        writer.write_all(&b"line\n".repeat(3 * READ_BYTES / 5)).unwrap();
        writer.write_all(b"over\n").unwrap();
        let sink = Sink::new(Limits::default(), None);
        let slow = |bytes: &[u8]| {
            std::thread::sleep(DRAIN_LIMIT);
            bytes.to_vec()
        };
        let pipe = pipe::Receiver::from_owned_fd(reader.into()).unwrap();
        let mut output = Output::new(pipe, sink, |_: &_| {}).through(Box::new(slow));
        // Somebody who was left behind still has the other end.
        let left = output.drain().await;
        assert_eq!(left, Pipe::Open);
        assert!(output.finish(left).text.ends_with("over\n"));
        drop(writer);
    }
}
