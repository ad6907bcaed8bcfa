//! Programs that a script starts. They live in the scope of the unit's owner, and end with the unit at the latest.

use std::cell::RefCell;
use std::path::{Path, PathBuf};
use std::rc::Rc;
use std::sync::Arc;
use std::sync::atomic::Ordering;
use std::time::{Duration, Instant};

use futures_util::future::LocalBoxFuture;
use omp_shell::{Ender, Environment, Exit, Program, Scope, SpawnError, Stdio};
use serde_json::{Value, json};
use tokio::io::{AsyncReadExt as _, AsyncWriteExt as _};
use tokio::net::unix::pipe::{Receiver, Sender};
use tokio::sync::{Mutex, watch};

use super::{Arguments, NOTHING, Op, OpError, Outcome, Reply};
use crate::state::State;
use crate::unit::{Shared, Touch};

/// How long a tree may take to end after it was asked to.
const GRACE: Duration = Duration::from_millis(500);
/// At most that much is read at once.
const CHUNK: usize = 64 << 10;
/// What a synchronous call keeps of each stream, if the script does not say.
const KEPT: u64 = 1 << 20;

pub(super) const OPS: &[(&str, Op)] = &[
    ("child.spawn", Op::Now(spawn)),
    ("child.read", Op::Later(read)),
    ("child.write", Op::Later(write)),
    ("child.finish", Op::Now(finish)),
    ("child.wait", Op::Later(wait)),
    ("child.kill", Op::Now(kill)),
    ("child.end", Op::Now(end_tree)),
    ("child.run", Op::Now(run)),
];

/// A child of the script, as a resource of its unit.
struct Running {
    pid: i32,
    ender: Ender,
    stdin: Mutex<Option<Sender>>,
    outputs: [Mutex<Option<Receiver>>; 2],
    exit: watch::Receiver<Option<Exit>>,
}

/// Environment and directory come from the script, complete.
fn program(arguments: &Arguments, piped: [bool; 3]) -> Program {
    let list = arguments.json.get("args").and_then(Value::as_array).cloned().unwrap_or_default();
    let mut environment = Environment::default();
    for (name, value) in arguments.json.get("env").and_then(Value::as_object).into_iter().flatten() {
        environment.set(name, value.as_str().unwrap_or_default());
    }
    let [stdin, stdout, stderr] = piped.map(|piped| if piped { Stdio::Piped } else { Stdio::Null });
    Program {
        path: PathBuf::from(arguments.text("file")),
        arguments: list.iter().map(|one| one.as_str().unwrap_or_default().into()).collect(),
        cwd: PathBuf::from(arguments.text("cwd")),
        environment,
        stdin,
        stdout,
        stderr,
    }
}

fn refused(error: &SpawnError, file: &str, syscall: &str) -> OpError {
    let source = match error {
        SpawnError::Start { source, .. } | SpawnError::Cwd { source, .. } => source,
        other => return OpError::new(other.to_string()).with("code", "EAGAIN"),
    };
    let code = match source.raw_os_error() {
        Some(libc::EACCES) => "EACCES",
        Some(libc::ENOTDIR) => "ENOTDIR",
        Some(libc::E2BIG) => "E2BIG",
        _ => "ENOENT",
    };
    OpError::new(format!("{syscall} {file} {code}"))
        .with("errno", -source.raw_os_error().unwrap_or(libc::ENOENT))
        .with("code", code)
        .with("syscall", format!("{syscall} {file}"))
        .with("path", file)
}

fn name(file: &str) -> &str {
    Path::new(file).file_name().and_then(|name| name.to_str()).unwrap_or(file)
}

fn spawn(state: &Rc<State>, arguments: &Arguments) -> Outcome {
    let file = arguments.text("file").to_owned();
    let piped = ["stdin", "stdout", "stderr"].map(|key| arguments.flag(key));
    let started = state.scope.spawn(program(arguments, piped));
    let mut child = started.map_err(|error| refused(&error, &file, "spawn"))?;
    state.shared.touch(Touch::Program, name(&file));
    let (told, exit) = watch::channel(None);
    let running = Running {
        pid: child.id(),
        ender: child.ender(),
        stdin: Mutex::new(child.stdin.take()),
        outputs: [Mutex::new(child.stdout.take()), Mutex::new(child.stderr.take())],
        exit,
    };
    state.adopt(running.ender.clone());
    tokio::task::spawn_local(async move {
        let exit = child.wait().await;
        let _ = told.send(Some(exit));
    });
    let pid = running.pid;
    let id = state.keep(Rc::new(running));
    Ok(Reply::Json(json!({ "id": id, "pid": pid })))
}

fn running(state: &State, arguments: &Arguments) -> Result<Rc<Running>, OpError> {
    state.resource(arguments.id()).ok_or_else(|| OpError::new("no such child process"))
}

/// The next bytes of an output; nothing at its end.
fn read(state: Rc<State>, arguments: Arguments) -> LocalBoxFuture<'static, Outcome> {
    Box::pin(async move {
        let child = running(&state, &arguments)?;
        let which = usize::from(arguments.number("stream") == Some(2));
        let mut output = child.outputs[which].lock().await;
        let Some(receiver) = output.as_mut() else { return NOTHING };
        let mut bytes = vec![0; CHUNK];
        match receiver.read(&mut bytes).await {
            Ok(length) if length > 0 => {
                bytes.truncate(length);
                Ok(Reply::Bytes(bytes))
            }
            _ => {
                *output = None;
                NOTHING
            }
        }
    })
}

fn write(state: Rc<State>, arguments: Arguments) -> LocalBoxFuture<'static, Outcome> {
    Box::pin(async move {
        let child = running(&state, &arguments)?;
        let mut stdin = child.stdin.lock().await;
        let broken = |error: &std::io::Error| super::files::failed(error, "write", "", None);
        let Some(sender) = stdin.as_mut() else {
            return Err(broken(&std::io::Error::from_raw_os_error(libc::EPIPE)));
        };
        sender
            .write_all(arguments.bytes.as_deref().unwrap_or_default())
            .await
            .map_err(|error| broken(&error))?;
        NOTHING
    })
}

fn finish(state: &Rc<State>, arguments: &Arguments) -> Outcome {
    if let Ok(mut stdin) = running(state, arguments)?.stdin.try_lock() {
        *stdin = None;
    }
    NOTHING
}

fn ending(exit: Exit) -> Value {
    match exit {
        Exit::Exited(code) => json!({ "code": code }),
        Exit::Signaled(number) => json!({ "signal": signal_name(number) }),
        Exit::Lost => json!({ "signal": "SIGKILL" }),
    }
}

fn signal_name(number: i32) -> String {
    nix::sys::signal::Signal::try_from(number)
        .map_or_else(|_| format!("SIG{number}"), |signal| signal.as_str().to_owned())
}

fn wait(state: Rc<State>, arguments: Arguments) -> LocalBoxFuture<'static, Outcome> {
    Box::pin(async move {
        let mut exit = running(&state, &arguments)?.exit.clone();
        let exit = exit.wait_for(Option::is_some).await.ok().and_then(|exit| *exit).unwrap_or(Exit::Lost);
        Ok(Reply::Json(ending(exit)))
    })
}

fn kill(state: &Rc<State>, arguments: &Arguments) -> Outcome {
    let child = running(state, arguments)?;
    if child.exit.borrow().is_some() {
        return Ok(Reply::Json(false.into()));
    }
    let number = i32::try_from(arguments.number("signal").unwrap_or(15)).unwrap_or(15);
    let signal = match number {
        0 => None,
        number => nix::sys::signal::Signal::try_from(number)
            .map(Some)
            .map_err(|_| OpError::new("unknown signal"))?,
    };
    let sent = nix::sys::signal::kill(nix::unistd::Pid::from_raw(child.pid), signal);
    Ok(Reply::Json(sent.is_ok().into()))
}

/// A whole tree, by the process that leads it: `process.kill(-pid)`.
fn end_tree(state: &Rc<State>, arguments: &Arguments) -> Outcome {
    let pid = arguments.number("pid").unwrap_or(0);
    let found = state.resources_of::<Running>().into_iter().find(|child| u64::try_from(child.pid) == Ok(pid));
    let Some(child) = found else {
        return Err(OpError::new("kill ESRCH").with("code", "ESRCH").with("syscall", "kill"));
    };
    child.ender.terminate(if arguments.number("signal") == Some(9) { Duration::ZERO } else { GRACE });
    NOTHING
}

/// One program from its start to its end, with everything else of the unit standing still.
fn run(state: &Rc<State>, arguments: &Arguments) -> Outcome {
    let file = arguments.text("file").to_owned();
    let (scope, shared) = (state.scope.clone(), state.shared.clone());
    let arguments = Arguments { json: arguments.json.clone(), bytes: arguments.bytes.clone() };
    // The runtime of this thread cannot run while the script waits.
    let thread = std::thread::Builder::new().name("script-child".to_owned()).spawn(move || {
        let runtime = tokio::runtime::Builder::new_current_thread().enable_all().build();
        runtime
            .map_err(|error| OpError::new(error.to_string()))?
            .block_on(run_one(&scope, &shared, &arguments))
    });
    // Waiting takes no time of this thread, so it does not count as being stuck.
    let done = thread.map_err(|error| OpError::new(error.to_string()))?.join();
    state.shared.touch(Touch::Program, name(&file));
    let (outcome, ender) = done.map_err(|_| OpError::new("the child process was lost"))??;
    state.adopt(ender);
    Ok(outcome)
}

/// What stopped a program that did not end by itself.
enum Stop {
    Time,
    Size,
    Unit,
}

async fn run_one(
    scope: &Arc<Scope>,
    shared: &Arc<Shared>,
    arguments: &Arguments,
) -> Result<(Reply, Ender), OpError> {
    let piped = [true, arguments.flag("stdout"), arguments.flag("stderr")];
    let started = scope.spawn(program(arguments, piped));
    let mut child = started.map_err(|error| refused(&error, arguments.text("file"), "spawnSync"))?;
    let ender = child.ender();
    let pid = child.id();
    let most = usize::try_from(arguments.number("maxBuffer").unwrap_or(KEPT)).unwrap_or(usize::MAX);
    let outputs = [RefCell::new(Vec::new()), RefCell::new(Vec::new())];
    let stdin = child.stdin.take();
    let work = async {
        let feed = async {
            if let (Some(mut stdin), Some(bytes)) = (stdin, arguments.bytes.as_deref()) {
                // A program that does not read is no error of ours.
                let _ = stdin.write_all(bytes).await;
            }
        };
        let (out, err) = (child.stdout.take(), child.stderr.take());
        let (_, first, second) =
            tokio::join!(feed, drain(out, &outputs[0], most), drain(err, &outputs[1], most));
        if first && second { Ok(child.wait().await) } else { Err(Stop::Size) }
    };
    let result = tokio::select! {
        result = work => result,
        stop = limits(arguments, shared) => Err(stop),
    };
    let (exit, error) = match result {
        Ok(exit) => (ending(exit), None),
        Err(stop) => {
            let number = i32::try_from(arguments.number("killSignal").unwrap_or(15)).unwrap_or(15);
            ender.terminate(if number == 9 { Duration::ZERO } else { GRACE });
            let code = match stop {
                Stop::Time => "ETIMEDOUT",
                Stop::Size => "ENOBUFS",
                Stop::Unit => "ECANCELED",
            };
            (json!({ "signal": signal_name(number) }), Some(code))
        }
    };
    let [out, err] = outputs.map(RefCell::into_inner);
    let head = json!({ "pid": pid, "exit": exit, "error": error, "out": out.len() });
    Ok((Reply::Both(head, [out, err].concat()), ender))
}

/// Reads to the end; `false`: there was too much.
async fn drain(output: Option<Receiver>, into: &RefCell<Vec<u8>>, most: usize) -> bool {
    let Some(mut output) = output else { return true };
    let mut bytes = vec![0; CHUNK];
    loop {
        match output.read(&mut bytes).await {
            Ok(0) | Err(_) => return true,
            Ok(length) => {
                let mut into = into.borrow_mut();
                let room = most.saturating_sub(into.len());
                into.extend_from_slice(&bytes[..length.min(room)]);
                if length > room {
                    return false;
                }
            }
        }
    }
}

async fn limits(arguments: &Arguments, shared: &Shared) -> Stop {
    let until = arguments
        .number("timeout")
        .filter(|limit| *limit > 0)
        .map(|limit| Instant::now() + Duration::from_millis(limit));
    loop {
        tokio::time::sleep(Duration::from_millis(20)).await;
        if shared.ending.load(Ordering::Relaxed) {
            return Stop::Unit;
        }
        if until.is_some_and(|until| until <= Instant::now()) {
            return Stop::Time;
        }
    }
}
