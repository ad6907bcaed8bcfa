//! Ctrl+C and its relatives: the first one ends the run in good order, the second one ends the program.

use std::sync::Arc;
use std::sync::atomic::{AtomicU8, Ordering};

use omp_cli::ExitStatus;
use tokio::signal::unix::{Signal, SignalKind, signal};
use tokio_util::sync::CancellationToken;

/// Watches for signals until dropped.
pub(crate) struct Signals {
    code: Arc<AtomicU8>,
    task: tokio::task::JoinHandle<()>,
}

impl Signals {
    /// `cancel` fires on the first signal.
    pub(crate) fn watch(cancel: CancellationToken) -> Self {
        let code = Arc::new(AtomicU8::new(0));
        let seen = Arc::clone(&code);
        let streams = [SignalKind::interrupt(), SignalKind::terminate(), SignalKind::hangup()]
            .map(|kind| signal(kind).ok());
        let task = tokio::spawn(async move {
            let [mut interrupt, mut terminate, mut hangup] = streams;
            loop {
                let exit_code = tokio::select! {
                    () = next(&mut interrupt) => ExitStatus::Interrupted.code(),
                    () = next(&mut terminate) => ExitStatus::Terminated.code(),
                    () = next(&mut hangup) => ExitStatus::HungUp.code(),
                };
                if seen.swap(exit_code, Ordering::AcqRel) != 0 {
                    // The scope's guardian ends our children when we are gone.
                    std::process::exit(exit_code.into());
                }
                cancel.cancel();
            }
        });
        Self { code, task }
    }

    /// The exit code that the signal asks for, if one came.
    pub(crate) fn exit_code(&self) -> Option<u8> {
        Some(self.code.load(Ordering::Acquire)).filter(|code| *code != 0)
    }
}

impl Drop for Signals {
    fn drop(&mut self) {
        self.task.abort();
    }
}

/// A signal that cannot be watched never comes.
async fn next(stream: &mut Option<Signal>) {
    if let Some(stream) = stream
        && stream.recv().await.is_some()
    {
        return;
    }
    std::future::pending::<()>().await;
}
