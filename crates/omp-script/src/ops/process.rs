//! What a script learns of its process and machine.

use std::path::PathBuf;
use std::rc::Rc;

use serde_json::{Map, Value, json};

use super::{Arguments, NOTHING, Op, OpError, Outcome, Reply};
use crate::state::State;

pub(super) const OPS: &[(&str, Op)] = &[
    ("process.cwd", Op::Now(cwd)),
    ("process.chdir", Op::Now(chdir)),
    ("process.facts", Op::Now(facts)),
    ("process.memory", Op::Now(memory)),
    ("process.kill", Op::Now(kill)),
    ("os.load", Op::Now(|_, _| Ok(Reply::Json(load())))),
];

fn cwd(state: &Rc<State>, _: &Arguments) -> Outcome {
    Ok(Reply::Text(state.cwd.borrow().display().to_string()))
}

/// A unit has a directory of its own; that of the program never changes.
fn chdir(state: &Rc<State>, arguments: &Arguments) -> Outcome {
    let path = PathBuf::from(arguments.text("path"));
    match std::fs::metadata(&path) {
        Ok(metadata) if metadata.is_dir() => *state.cwd.borrow_mut() = path,
        Ok(_) => {
            let error = std::io::Error::from_raw_os_error(libc::ENOTDIR);
            return Err(super::files::failed(&error, "chdir", arguments.text("path"), None));
        }
        Err(error) => return Err(super::files::failed(&error, "chdir", arguments.text("path"), None)),
    }
    NOTHING
}

fn facts(state: &Rc<State>, _: &Arguments) -> Outcome {
    let environment: Map<String, Value> = state
        .environment
        .iter()
        .map(|(name, value)| {
            (name.to_string_lossy().into_owned(), value.to_string_lossy().into_owned().into())
        })
        .collect();
    let name = rustix::system::uname();
    let user = rustix::process::getuid().as_raw();
    let executable = std::env::current_exe().unwrap_or_default().display().to_string();
    let processors = std::thread::available_parallelism().map_or(1, std::num::NonZero::get);
    Ok(Reply::Json(json!({
        "env": environment,
        "pid": std::process::id(),
        "ppid": rustix::process::getppid().map_or(0, |pid| pid.as_raw_nonzero().get()),
        "uid": user, "gid": rustix::process::getgid().as_raw(),
        "platform": match std::env::consts::OS { "macos" => "darwin", other => other },
        "arch": match std::env::consts::ARCH { "x86_64" => "x64", "aarch64" => "arm64", other => other },
        "endianness": if cfg!(target_endian = "big") { "BE" } else { "LE" },
        "execPath": executable,
        "hostname": name.nodename().to_string_lossy(), "release": name.release().to_string_lossy(),
        "version": name.version().to_string_lossy(), "type": name.sysname().to_string_lossy(),
        "machine": name.machine().to_string_lossy(),
        "cpus": processors, "user": user_name(user),
    })))
}

/// The user's line of the password file: name, home, shell.
fn user_name(id: u32) -> Value {
    let found = nix::unistd::User::from_uid(nix::unistd::Uid::from_raw(id)).ok().flatten();
    found.map_or(Value::Null, |user| {
        json!({ "username": user.name, "homedir": user.dir.display().to_string(), "shell": user.shell.display().to_string() })
    })
}

fn memory(state: &Rc<State>, _: &Arguments) -> Outcome {
    let meter = &state.shared.meter;
    Ok(Reply::Json(json!({ "used": meter.used(), "limit": meter.limit() })))
}

fn kill(_: &Rc<State>, arguments: &Arguments) -> Outcome {
    let number = arguments
        .json
        .get("pid")
        .and_then(Value::as_i64)
        .and_then(|pid| i32::try_from(pid).ok())
        .unwrap_or(0);
    // Zero and less mean groups: ours among them.
    if number <= 0 || u32::try_from(number).is_ok_and(|pid| pid == std::process::id()) {
        return Err(OpError::new("process.kill of the program itself or of groups is not offered by omp"));
    }
    let signal = i32::try_from(arguments.number("signal").unwrap_or(15)).unwrap_or(15);
    let signal = match signal {
        0 => None,
        number => {
            Some(nix::sys::signal::Signal::try_from(number).map_err(|_| OpError::new("unknown signal"))?)
        }
    };
    nix::sys::signal::kill(nix::unistd::Pid::from_raw(number), signal).map_err(|error| {
        let (code, words) = match error {
            nix::errno::Errno::ESRCH => ("ESRCH", "kill ESRCH"),
            _ => ("EPERM", "kill EPERM"),
        };
        OpError::new(words).with("code", code).with("syscall", "kill").with("errno", -(error as i32))
    })?;
    NOTHING
}

fn load() -> Value {
    let load = crate::sys::load();
    json!({ "loadavg": load.averages, "uptime": load.uptime, "total": load.total, "free": load.free })
}
