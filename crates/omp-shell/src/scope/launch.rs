//! Our side of the keeper: starts it, and asks it to start commands.

use std::ffi::{CStr, OsString};
use std::fs::File;
use std::io::{self, IoSlice, IoSliceMut, Read, Write};
use std::os::fd::{AsRawFd, BorrowedFd, FromRawFd, OwnedFd};
use std::os::unix::ffi::OsStrExt;
use std::os::unix::net::UnixStream;
use std::path::{Path, PathBuf};
use std::sync::{Arc, Mutex, PoisonError};
use std::time::Duration;

use nix::sys::socket::{ControlMessage, ControlMessageOwned, MsgFlags, UnixAddr, recvmsg, sendmsg};
use nix::unistd::Pid;
use omp_sandbox::forked::explain;

use super::exchange::Exchange;
use super::forked::guardian::{CWD_FAILED, EXECUTED};
use super::forked::keeper::{self, REQUEST_FDS};
use crate::environment::Environment;
use crate::sys;

/// Executing a program takes milliseconds; a network file system may take a while.
const START_LIMIT: Duration = Duration::from_secs(30);

/// What to execute.
pub(super) struct Image<'a> {
    pub(super) program: &'a Path,
    pub(super) arguments: &'a [OsString],
    pub(super) cwd: &'a Path,
    pub(super) environment: &'a Environment,
    /// What the process does before it becomes the program; empty without a sandbox.
    pub(super) plan: &'a [u8],
}

/// Why a command does not run.
pub(super) enum Failure {
    Program(io::Error),
    Cwd(io::Error),
    /// The sandbox cannot be had: which part of it, and why.
    Confine(&'static str, io::Error),
    /// The machinery failed, not the command.
    Prepare(io::Error),
}

/// A running command.
pub(super) struct Started {
    pub(super) lifeline: UnixStream,
    pub(super) pid: i32,
    /// Listens in the network of the command.
    pub(super) listener: Option<OwnedFd>,
}

/// Starts commands through a keeper of its own, which is started with the first of them.
#[derive(Default)]
pub(super) struct Launcher {
    keeper: Mutex<Option<Keeper>>,
    exchange: Mutex<Option<Arc<Exchange>>>,
}

impl Launcher {
    pub(super) fn start(&self, image: &Image, streams: [BorrowedFd; 3]) -> Result<Started, Failure> {
        let program = find_program(image.program, image.environment);
        let image = image.write(&program).map_err(Failure::Prepare)?;
        match self.try_start(&image, streams) {
            // Somebody may have killed the keeper since the last time.
            Err(Failure::Prepare(_)) => {
                self.stop();
                self.try_start(&image, streams)
            }
            result => result,
        }
    }

    /// Lets go of the keeper, which ends everything below it.
    pub(super) fn stop(&self) {
        *self.keeper.lock().unwrap_or_else(PoisonError::into_inner) = None;
        *self.exchange.lock().unwrap_or_else(PoisonError::into_inner) = None;
    }

    /// The directory for named pipes, made when it is first needed.
    pub(super) fn exchange(&self) -> io::Result<Arc<Exchange>> {
        let mut exchange = self.exchange.lock().unwrap_or_else(PoisonError::into_inner);
        if let Some(exchange) = exchange.as_ref() {
            return Ok(Arc::clone(exchange));
        }
        Ok(Arc::clone(exchange.insert(Arc::new(Exchange::create()?))))
    }

    fn try_start(&self, image: &File, streams: [BorrowedFd; 3]) -> Result<Started, Failure> {
        let (ours, theirs) = UnixStream::pair().map_err(Failure::Prepare)?;
        self.send(&theirs, streams, image).map_err(Failure::Prepare)?;
        drop(theirs); // Or we would not notice that the other side is gone.
        ours.set_read_timeout(Some(START_LIMIT)).map_err(Failure::Prepare)?;
        // First the process id of the command, which is about to be executed, then how that went.
        let (pid, listener) = read_first(&ours).map_err(Failure::Prepare)?;
        let result = if pid > 0 { read_number(&ours) } else { Ok(pid) };
        if let Some((part, error)) = result.as_ref().ok().and_then(|error| explain(-error)) {
            return Err(Failure::Confine(part, io::Error::from_raw_os_error(error)));
        }
        match result {
            Ok(error) if -error > CWD_FAILED => {
                Err(Failure::Cwd(io::Error::from_raw_os_error(-error - CWD_FAILED)))
            }
            Ok(error) if error < EXECUTED => Err(Failure::Program(io::Error::from_raw_os_error(-error))),
            // Without an answer the guardian is gone. The command may have run, so it is not started again.
            Ok(_) | Err(_) => {
                ours.set_nonblocking(true).map_err(Failure::Prepare)?;
                Ok(Started { lifeline: ours, pid, listener })
            }
        }
    }

    fn send(
        &self,
        lifeline: &UnixStream,
        [stdin, stdout, stderr]: [BorrowedFd; 3],
        image: &File,
    ) -> io::Result<()> {
        let mut keeper = self.keeper.lock().unwrap_or_else(PoisonError::into_inner);
        if keeper.is_none() {
            // Without a directory there are no shells that live on, but programs can still be started.
            let exchange = self.exchange().ok().and_then(|exchange| exchange.c_path());
            *keeper = Some(Keeper::start(exchange.as_deref())?);
        }
        let fds: [_; REQUEST_FDS] = [
            lifeline.as_raw_fd(),
            stdin.as_raw_fd(),
            stdout.as_raw_fd(),
            stderr.as_raw_fd(),
            image.as_raw_fd(),
        ];
        match keeper.as_ref() {
            Some(keeper) => keeper.send(&fds),
            None => Err(io::ErrorKind::NotConnected.into()),
        }
    }
}

/// The keeper process and the socket it listens to.
struct Keeper {
    socket: Option<OwnedFd>,
    pid: Pid,
}

impl Keeper {
    fn start(exchange: Option<&CStr>) -> io::Result<Self> {
        let (ours, theirs) = sys::request_line()?;
        let pid = keeper::start(theirs.as_raw_fd(), exchange)?;
        Ok(Self { socket: Some(ours), pid: Pid::from_raw(pid) })
    }

    fn send(&self, fds: &[i32]) -> io::Result<()> {
        let socket = self.socket.as_ref().ok_or(io::ErrorKind::NotConnected)?;
        let (text, rights) = ([IoSlice::new(b"x")], [ControlMessage::ScmRights(fds)]);
        sendmsg::<UnixAddr>(socket.as_raw_fd(), &text, &rights, sys::send_flags(), None)?;
        Ok(())
    }
}

impl Drop for Keeper {
    /// The keeper reads the end of its socket, ends what is below it, and exits. A thread of its own collects it,
    /// because that may take a moment. Without a thread it stays a zombie until this process ends.
    fn drop(&mut self) {
        self.socket = None;
        let pid = self.pid;
        let _ = std::thread::Builder::new()
            .name("reap-keeper".into())
            .spawn(move || nix::sys::wait::waitpid(pid, None));
    }
}

/// The first number, which may come with a descriptor.
fn read_first(lifeline: &UnixStream) -> io::Result<(i32, Option<OwnedFd>)> {
    let mut number = [0; 4];
    let mut space = nix::cmsg_space!([i32; 1]);
    let (length, listener) = {
        let mut parts = [IoSliceMut::new(&mut number)];
        let flags = MsgFlags::from_bits_truncate(sys::RECEIVE);
        let message = recvmsg::<UnixAddr>(lifeline.as_raw_fd(), &mut parts, Some(&mut space), flags)?;
        let mut fds = message.cmsgs()?.flat_map(|message| match message {
            ControlMessageOwned::ScmRights(fds) => fds,
            _ => Vec::new(),
        });
        (message.bytes, fds.next())
    };
    #[allow(unsafe_code, reason = "the library hands out descriptors as numbers")]
    // SAFETY: the kernel has just made the descriptor for us; nobody else knows it.
    let listener = listener.map(|fd| unsafe { OwnedFd::from_raw_fd(fd) });
    match length {
        4 => Ok((i32::from_ne_bytes(number), listener)),
        _ => Err(io::ErrorKind::UnexpectedEof.into()),
    }
}

fn read_number(mut lifeline: &UnixStream) -> io::Result<i32> {
    let mut number = [0; 4];
    lifeline.read_exact(&mut number)?;
    Ok(i32::from_ne_bytes(number))
}

/// A name without a slash is looked up as a shell would.
fn find_program(program: &Path, environment: &Environment) -> PathBuf {
    if program.as_os_str().is_empty() || program.as_os_str().as_bytes().contains(&b'/') {
        return program.to_owned();
    }
    let path = environment.get("PATH").unwrap_or_default();
    let mut candidates = std::env::split_paths(path).map(|directory| directory.join(program));
    candidates.find(|candidate| candidate.is_file()).unwrap_or_else(|| program.to_owned())
}

impl Image<'_> {
    /// In the form that the guardian reads: see `guardian::Image`.
    fn write(&self, program: &Path) -> io::Result<File> {
        let arguments =
            std::iter::once(self.program.as_os_str()).chain(self.arguments.iter().map(OsString::as_os_str));
        let mut text = Vec::new();
        for count in [1 + self.arguments.len(), self.environment.iter().count(), self.plan.len()] {
            let count = u32::try_from(count).map_err(|_| io::Error::from_raw_os_error(libc::E2BIG))?;
            text.extend_from_slice(&count.to_ne_bytes());
        }
        text.extend_from_slice(self.plan);
        for string in [program.as_os_str(), self.cwd.as_os_str()].into_iter().chain(arguments) {
            push_string(&mut text, &[string.as_bytes()])?;
        }
        for (name, value) in self.environment.iter() {
            push_string(&mut text, &[name.as_bytes(), b"=", value.as_bytes()])?;
        }
        let mut file = sys::nameless_file()?;
        file.write_all(&text)?;
        Ok(file)
    }
}

fn push_string(text: &mut Vec<u8>, parts: &[&[u8]]) -> io::Result<()> {
    if parts.iter().any(|part| part.contains(&0)) {
        return Err(io::Error::new(
            io::ErrorKind::InvalidInput,
            "a NUL character in the command or its environment",
        ));
    }
    parts.iter().for_each(|part| text.extend_from_slice(part));
    text.push(0);
    Ok(())
}
