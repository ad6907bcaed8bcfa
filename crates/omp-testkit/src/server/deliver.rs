//! Putting a body on the socket: cuts, silences, early ends, and noticing that the client has gone.

use super::http::Framing;
use super::reply::{BodyPosition, Cutoff, Reply, Split};
use super::sse::Rendered;
use std::io::{self, Write};
use std::net::TcpStream;
use std::sync::atomic::{AtomicBool, Ordering};
use std::time::{Duration, Instant};

/// From here on copying costs more than another system call.
const LARGE: usize = 64 * 1024;

/// How a delivery ended.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) enum Delivery {
    Complete,
    /// The script closed the connection.
    Dropped,
    /// The script wants it reset.
    Reset,
    /// The client closed before the end; so many bytes of the body were written.
    ClientGone(usize),
}

/// What happens at which byte of a body.
#[derive(Debug, PartialEq, Eq)]
struct Plan {
    /// Offsets before which a new write begins, ascending, each with a silence.
    cuts: Vec<(usize, Duration)>,
    end: usize,
    cutoff: Option<Cutoff>,
}

impl Plan {
    fn new(reply: &Reply, body: &Rendered) -> Self {
        let length = body.bytes.len();
        let offset = |place: BodyPosition| match place {
            BodyPosition::Bytes(bytes) => bytes.min(length),
            BodyPosition::Event(0) => 0,
            BodyPosition::Event(count) => body.event_ends.get(count - 1).copied().unwrap_or(length),
        };
        let end = reply.cutoff.map_or(length, |(place, _)| offset(place));
        let mut cuts: Vec<(usize, Duration)> = match &reply.split {
            Split::Whole => Vec::new(),
            Split::EveryByte => (1..end).map(|at| (at, Duration::ZERO)).collect(),
            Split::Chunks(size) => {
                let size = (*size).max(1);
                (size..end).step_by(size).map(|at| (at, Duration::ZERO)).collect()
            }
            Split::At(offsets) => offsets.iter().map(|at| (*at, Duration::ZERO)).collect(),
        };
        cuts.extend(reply.stalls.iter().map(|(place, pause)| (offset(*place), *pause)));
        cuts.retain(|(at, _)| *at <= end);
        cuts.sort_unstable();
        Self { cuts, end, cutoff: reply.cutoff.map(|(_, cutoff)| cutoff) }
    }
}

/// The writing half of a connection.
pub(crate) struct Outlet<'a> {
    pub(crate) stream: &'a TcpStream,
    pub(crate) stopping: &'a AtomicBool,
}

impl Outlet<'_> {
    /// Writes head and body as the reply asks.
    pub(crate) fn deliver(
        &mut self,
        head: Vec<u8>,
        body: &Rendered,
        framing: Framing,
        reply: &Reply,
    ) -> Delivery {
        if !self.silence(reply.delay_before) {
            return Delivery::ClientGone(0);
        }
        let plan = Plan::new(reply, body);
        match self.body(head, &body.bytes, framing, &plan) {
            Err(written) => Delivery::ClientGone(written),
            Ok(()) if plan.cutoff == Some(Cutoff::Drop) => Delivery::Dropped,
            Ok(()) if plan.cutoff == Some(Cutoff::Reset) => Delivery::Reset,
            Ok(()) => Delivery::Complete,
        }
    }

    /// `Err` holds the body bytes written before the client went away.
    fn body(&mut self, head: Vec<u8>, bytes: &[u8], framing: Framing, plan: &Plan) -> Result<(), usize> {
        let mut pending = head;
        let mut at = 0;
        for (cut, pause) in &plan.cuts {
            self.piece(&mut pending, &bytes[at..*cut], framing, b"").map_err(|written| at + written)?;
            at = *cut;
            let here = if pause.is_zero() { self.client_is_there() } else { self.silence(*pause) };
            if !here {
                return Err(at);
            }
        }
        let breaks = matches!(plan.cutoff, Some(Cutoff::Drop | Cutoff::Reset));
        let ends = framing == Framing::Chunked && !breaks;
        let end: &[u8] = if ends { b"0\r\n\r\n" } else { b"" };
        self.piece(&mut pending, &bytes[at..plan.end], framing, end).map_err(|written| at + written)
    }

    /// Writes what is pending, a piece of the body and `end`. `Err` holds how much of the piece was written.
    fn piece(
        &mut self,
        pending: &mut Vec<u8>,
        piece: &[u8],
        framing: Framing,
        end: &[u8],
    ) -> Result<(), usize> {
        if piece.len() > LARGE {
            return self.large_piece(pending, piece, framing, end);
        }
        let start = open_frame(pending, piece, framing);
        pending.extend_from_slice(piece);
        close_frame(pending, piece, framing);
        pending.extend_from_slice(end);
        self.write(pending).map_err(|written| written.saturating_sub(start).min(piece.len()))?;
        pending.clear();
        Ok(())
    }

    /// The same without copying the piece, at the price of three writes.
    fn large_piece(
        &mut self,
        pending: &mut Vec<u8>,
        piece: &[u8],
        framing: Framing,
        end: &[u8],
    ) -> Result<(), usize> {
        open_frame(pending, piece, framing);
        self.write(pending).map_err(|_| 0_usize)?;
        self.write(piece)?;
        pending.clear();
        close_frame(pending, piece, framing);
        pending.extend_from_slice(end);
        self.write(pending).map_err(|_| piece.len())?;
        pending.clear();
        Ok(())
    }

    /// `Err` holds how many bytes were written.
    fn write(&mut self, bytes: &[u8]) -> Result<(), usize> {
        let mut stream = self.stream;
        let mut written = 0;
        while written < bytes.len() {
            match stream.write(&bytes[written..]) {
                Err(error) if error.kind() == io::ErrorKind::Interrupted => {}
                Ok(0) | Err(_) => return Err(written),
                Ok(count) => written += count,
            }
        }
        Ok(())
    }

    /// Says nothing for a while; `false` as soon as the client has gone or the server stops.
    fn silence(&mut self, pause: Duration) -> bool {
        let start = Instant::now();
        while let Some(left) = pause.checked_sub(start.elapsed()).filter(|left| !left.is_zero()) {
            if self.stopping.load(Ordering::SeqCst) {
                return false;
            }
            match self.peek(left.min(Duration::from_millis(20))) {
                Peek::Gone => return false,
                Peek::Silent => {}
                // A pipelined request makes `peek` return at once; waiting is then up to us.
                Peek::Bytes => std::thread::sleep(left.min(Duration::from_millis(1))),
            }
        }
        true
    }

    fn peek(&self, patience: Duration) -> Peek {
        let mut byte = [0];
        let _ = self.stream.set_read_timeout(Some(patience));
        let seen = Peek::from(self.stream.peek(&mut byte));
        let _ = self.stream.set_read_timeout(None);
        seen
    }

    /// A look at the socket that does not wait.
    fn client_is_there(&self) -> bool {
        let mut byte = [0];
        let _ = self.stream.set_nonblocking(true);
        let seen = Peek::from(self.stream.peek(&mut byte));
        let _ = self.stream.set_nonblocking(false);
        seen != Peek::Gone
    }
}

#[derive(Clone, Copy, PartialEq, Eq)]
enum Peek {
    Gone,
    Silent,
    Bytes,
}

impl From<io::Result<usize>> for Peek {
    fn from(seen: io::Result<usize>) -> Self {
        match seen {
            Ok(0) => Self::Gone,
            Ok(_) => Self::Bytes,
            Err(error) => match error.kind() {
                io::ErrorKind::WouldBlock | io::ErrorKind::TimedOut | io::ErrorKind::Interrupted => {
                    Self::Silent
                }
                _ => Self::Gone,
            },
        }
    }
}

/// What precedes a piece in its framing; returns where the piece begins. An empty chunk would end the body, so it is
/// left out.
fn open_frame(out: &mut Vec<u8>, piece: &[u8], framing: Framing) -> usize {
    if framing == Framing::Chunked && !piece.is_empty() {
        out.extend_from_slice(format!("{:x}\r\n", piece.len()).as_bytes());
    }
    out.len()
}

fn close_frame(out: &mut Vec<u8>, piece: &[u8], framing: Framing) {
    if framing == Framing::Chunked && !piece.is_empty() {
        out.extend_from_slice(b"\r\n");
    }
}
