//! The wish of a caller that work ends.

use std::io::{self, Read};
use std::sync::Arc;

/// Asked again and again during long work; cheap to ask and to clone.
#[derive(Clone)]
pub struct Stop(Arc<dyn Fn() -> bool + Send + Sync>);

impl Stop {
    /// Work ends when `asked` says so.
    pub fn when(asked: impl Fn() -> bool + Send + Sync + 'static) -> Self {
        Self(Arc::new(asked))
    }

    /// Nothing ends the work early.
    pub fn never() -> Self {
        Self::when(|| false)
    }

    /// Should the work end?
    pub fn is_asked(&self) -> bool {
        (self.0)()
    }

    /// `source`, whose reads fail once the work should end.
    pub(crate) fn watch<R: Read>(&self, source: R) -> Watched<R> {
        Watched { source, stop: self.clone() }
    }
}

impl std::fmt::Debug for Stop {
    fn fmt(&self, formatter: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
        formatter.debug_tuple("Stop").field(&self.is_asked()).finish()
    }
}

/// A reader that a [`Stop`] ends.
pub(crate) struct Watched<R> {
    source: R,
    stop: Stop,
}

impl<R: Read> Read for Watched<R> {
    fn read(&mut self, buffer: &mut [u8]) -> io::Result<usize> {
        if self.stop.is_asked() {
            return Err(stopped());
        }
        self.source.read(buffer)
    }
}

impl<R: io::Seek> io::Seek for Watched<R> {
    fn seek(&mut self, position: io::SeekFrom) -> io::Result<u64> {
        self.source.seek(position)
    }
}

/// What a watched reader fails with.
#[derive(Debug, thiserror::Error)]
#[error("stopped on request")]
struct Stopped;

fn stopped() -> io::Error {
    io::Error::other(Stopped)
}

/// Did a watched reader fail because of its [`Stop`]?
pub(crate) fn was_stopped(error: &io::Error) -> bool {
    error.get_ref().is_some_and(|inner| inner.is::<Stopped>())
}
