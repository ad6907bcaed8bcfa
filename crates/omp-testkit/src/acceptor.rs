//! A listener on a thread of its own, for the small servers.

use std::net::{Shutdown, SocketAddr, TcpListener, TcpStream};
use std::sync::Arc;
use std::sync::atomic::{AtomicBool, Ordering};
use std::thread::JoinHandle;

/// Says to everything that belongs to a server that it is over.
pub(crate) type Stopping = Arc<AtomicBool>;

/// Takes connections until it is dropped, each on a thread of its own.
pub(crate) struct Acceptor {
    address: SocketAddr,
    stopping: Stopping,
    thread: Option<JoinHandle<()>>,
}

impl Acceptor {
    pub(crate) fn start<S: Send + Sync + 'static>(
        listener: TcpListener,
        stopping: &Stopping,
        shared: &Arc<S>,
        serve: fn(&TcpStream, &S),
    ) -> Self {
        let address = listener.local_addr().expect("a bound listener has an address");
        let (stopping, shared) = (Arc::clone(stopping), Arc::clone(shared));
        let has_stopped = Arc::clone(&stopping);
        let thread = std::thread::spawn(move || {
            for stream in listener.incoming() {
                if has_stopped.load(Ordering::SeqCst) {
                    return;
                }
                let Ok(stream) = stream else { continue };
                let shared = Arc::clone(&shared);
                std::thread::spawn(move || {
                    serve(&stream, &shared);
                    // A client that is gone already needs no farewell.
                    let _ = stream.shutdown(Shutdown::Both);
                });
            }
        });
        Self { address, stopping, thread: Some(thread) }
    }

    pub(crate) fn address(&self) -> SocketAddr {
        self.address
    }
}

impl Drop for Acceptor {
    fn drop(&mut self) {
        self.stopping.store(true, Ordering::SeqCst);
        // `accept` has no timeout; one connection of our own makes it look at the flag.
        drop(TcpStream::connect(self.address));
        if let Some(thread) = self.thread.take() {
            drop(thread.join());
        }
    }
}

/// A free port of the loopback.
pub(crate) fn listen() -> TcpListener {
    TcpListener::bind(("127.0.0.1", 0)).expect("a free port")
}
