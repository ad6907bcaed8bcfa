//! What a server needs to know besides its scenario.

use std::path::PathBuf;

/// Options of [`crate::Server::start_with`].
#[derive(Clone, Debug, Default)]
pub struct ServerOptions {
    /// 0, the default, takes a free port.
    pub port: u16,
    /// Appends one JSON line per model request, flushed at once:
    /// `{"index", "wire", "path", "body_bytes", "monotonic_ns", "unix_ns"}`. Both times are those of the request's
    /// first byte; `monotonic_ns` counts from the start of the server, `unix_ns` is comparable between processes.
    pub record: Option<PathBuf>,
}
