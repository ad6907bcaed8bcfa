//! The line to a shell: requests out, reports back, and the notice that a shell has gone deaf.
//!
//! A shell may be told not to execute anything any more (`set -n`). It then reads requests for ever and reports nothing.
//! So behind every request goes an empty one, with a descriptor attached that nobody wants: when the shell reads it, the
//! kernel closes the descriptor, and we see that. A shell reads it after it has reported, or instead of it.

use std::io;
use std::os::fd::{AsFd, AsRawFd, BorrowedFd};

use nix::sys::socket::{ControlMessage, MsgFlags, UnixAddr, sendmsg};
use tokio::net::UnixStream;
use tokio::net::unix::pipe;

use super::request::Report;
use super::start::Dialect;

/// No shell reports more: a number and a path.
const LARGEST_REPORT: usize = 64 * 1024;

/// What came of a request.
pub(super) enum Told {
    Report(Report),
    /// The shell has read on without a word.
    Deaf,
    /// The line is broken.
    Nothing,
}

/// Sends a request and waits for the report.
pub(super) async fn exchange(line: &UnixStream, dialect: &Dialect, request: &[u8]) -> Told {
    match try_exchange(line, dialect, request).await {
        Ok(told) => told,
        Err(_) => Told::Nothing,
    }
}

async fn try_exchange(line: &UnixStream, dialect: &Dialect, request: &[u8]) -> io::Result<Told> {
    let witness = send(line, dialect, request).await?;
    let mut report = Vec::new();
    loop {
        let deaf = tokio::select! {
            biased;
            readable = line.readable() => readable.map(|()| false)?,
            () = closed(witness.as_ref()) => true,
        };
        // Also after the witness: the report was sent before it.
        while report.len() < LARGEST_REPORT && read(line, &mut report)? {}
        if let Some(report) = Report::decode(&report) {
            return Ok(Told::Report(report));
        }
        if deaf {
            return Ok(Told::Deaf);
        }
        if report.len() >= LARGEST_REPORT {
            return Ok(Told::Nothing);
        }
    }
}

/// Takes what is there; `false` when nothing is.
fn read(line: &UnixStream, report: &mut Vec<u8>) -> io::Result<bool> {
    let mut buffer = [0; 1024];
    match line.try_read(&mut buffer) {
        Ok(0) => Err(io::ErrorKind::UnexpectedEof.into()),
        Ok(length) => {
            report.extend_from_slice(&buffer[..length]);
            Ok(true)
        }
        Err(error) if error.kind() == io::ErrorKind::WouldBlock => Ok(false),
        Err(error) => Err(error),
    }
}

/// Sends a request, and the empty one behind it. The answer closes when the shell has read that.
async fn send(line: &UnixStream, dialect: &Dialect, request: &[u8]) -> io::Result<Option<pipe::Receiver>> {
    let Some(empty) = dialect.empty_request() else {
        write(line, request).await?;
        return Ok(None);
    };
    let (ours, theirs) = io::pipe()?;
    // A read ends at a byte that has a descriptor, so no shell reads beyond its request.
    let Some((last, rest)) = request.split_last() else { return Ok(None) };
    write(line, rest).await?;
    attach(line, &[*last], ours.as_fd()).await?;
    attach(line, empty, theirs.as_fd()).await?;
    Ok(Some(pipe::Receiver::from_owned_fd(ours.into())?))
}

async fn write(line: &UnixStream, mut left: &[u8]) -> io::Result<()> {
    while !left.is_empty() {
        line.writable().await?;
        match line.try_write(left) {
            Ok(written) => left = &left[written..],
            Err(error) if error.kind() == io::ErrorKind::WouldBlock => {}
            Err(error) => return Err(error),
        }
    }
    Ok(())
}

/// Sends a few bytes with a descriptor.
async fn attach(line: &UnixStream, bytes: &[u8], fd: BorrowedFd<'_>) -> io::Result<()> {
    let send = || {
        let (text, fds) = ([io::IoSlice::new(bytes)], [fd.as_raw_fd()]);
        let flags = crate::sys::send_flags() | MsgFlags::MSG_DONTWAIT;
        sendmsg::<UnixAddr>(line.as_raw_fd(), &text, &[ControlMessage::ScmRights(&fds)], flags, None)?;
        Ok(())
    };
    loop {
        line.writable().await?;
        match line.try_io(tokio::io::Interest::WRITABLE, send) {
            Err(error) if error.kind() == io::ErrorKind::WouldBlock => {}
            result => return result,
        }
    }
}

/// Completes when nobody has the other end; never without a witness.
async fn closed(witness: Option<&pipe::Receiver>) {
    let Some(witness) = witness else { return std::future::pending().await };
    loop {
        let gone = witness.readable().await.is_err();
        match witness.try_read(&mut [0]) {
            Err(error) if error.kind() == io::ErrorKind::WouldBlock && !gone => {}
            _ => return,
        }
    }
}
