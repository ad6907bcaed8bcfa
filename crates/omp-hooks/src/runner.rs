//! Runs one hook: the event on its standard input, its words from its outputs.

use std::ffi::OsString;
use std::path::PathBuf;
use std::sync::Arc;
use std::time::Duration;

use omp_shell::scope::GRACE;
use omp_shell::{Child, Environment, Exit, Program, Scope, Stdio};
use serde_json::Value;
use tokio::io::{AsyncRead, AsyncReadExt as _, AsyncWriteExt as _};

use crate::decision::Ran;
use crate::definition::{CommandHook, HookProgram};

/// As much of a hook's standard output as is read; a decision that is longer cannot be understood.
const MOST_OUTPUT: usize = 1024 * 1024;
/// As much of its standard error.
const MOST_COMPLAINT: usize = 64 * 1024;
/// How long the outputs of a hook that has exited are read, if a process that it left behind keeps them open.
const LAST_WORDS: Duration = Duration::from_millis(300);
const SHELL: &str = "/bin/sh";

/// Starts hooks.
pub struct Runner {
    /// Nothing that a hook starts outlives it.
    pub scope: Arc<Scope>,
    /// What hooks see of the environment.
    pub environment: Environment,
    pub cwd: PathBuf,
}

impl Runner {
    /// Runs a hook to its end. Dropping the future ends the hook and what it started.
    pub(crate) async fn run(&self, hook: &CommandHook, input: &Value) -> Ran {
        let limit = hook.timeout.min(hook.event.limit());
        let child = match self.scope.spawn(self.program(hook)) {
            Ok(child) => child,
            Err(error) => return Ran::Failed(error.to_string()),
        };
        let mut running = Running { child, ended: false };
        let mut line = input.to_string();
        line.push('\n');
        match tokio::time::timeout(limit, converse(&mut running.child, &line)).await {
            Ok(said) => {
                running.ended = true;
                said
            }
            Err(_) => Ran::Failed(format!("it took longer than {} s", seconds(limit))),
        }
    }

    fn program(&self, hook: &CommandHook) -> Program {
        let (path, arguments): (PathBuf, Vec<OsString>) = match &hook.program {
            HookProgram::Command(command) => (SHELL.into(), vec!["-c".into(), command.into()]),
            HookProgram::Script(path) => (path.clone(), Vec::new()),
        };
        let mut environment = self.environment.clone();
        environment.set("CLAUDE_PROJECT_DIR", self.cwd.as_os_str());
        environment.set("OMP_PROJECT_DIR", self.cwd.as_os_str());
        if let Some(plugin) = &hook.source.plugin {
            environment.set("CLAUDE_PLUGIN_ROOT", plugin.as_os_str());
        }
        let cwd = self.cwd.clone();
        let (stdin, stdout, stderr) = (Stdio::Piped, Stdio::Piped, Stdio::Piped);
        Program { path, arguments, cwd, environment, stdin, stdout, stderr }
    }
}

/// A hook whose process ends when nobody waits for it any more.
struct Running {
    child: Child,
    ended: bool,
}

impl Drop for Running {
    fn drop(&mut self) {
        if !self.ended {
            self.child.terminate(GRACE);
        }
    }
}

async fn converse(child: &mut Child, line: &str) -> Ran {
    let (stdin, stdout, stderr) = (child.stdin.take(), child.stdout.take(), child.stderr.take());
    let (mut output, mut complaint) = (Vec::new(), Vec::new());
    let exit = {
        let tell = async move {
            // A hook need not listen.
            if let Some(mut stdin) = stdin {
                let _ = stdin.write_all(line.as_bytes()).await;
            }
        };
        let listen = async {
            tokio::join!(
                tell,
                read(stdout, &mut output, MOST_OUTPUT),
                read(stderr, &mut complaint, MOST_COMPLAINT)
            )
        };
        let mut listen = std::pin::pin!(listen);
        let early = tokio::select! {
            _ = &mut listen => None,
            exit = child.wait() => Some(exit),
        };
        match early {
            Some(exit) => {
                let _ = tokio::time::timeout(LAST_WORDS, listen).await;
                exit
            }
            None => child.wait().await,
        }
    };
    if output.len() > MOST_OUTPUT {
        return Ran::Failed(format!("it printed more than {} KiB", MOST_OUTPUT / 1024));
    }
    let text = |bytes: &[u8]| String::from_utf8_lossy(bytes).into_owned();
    match exit {
        Exit::Exited(code) => Ran::Exited { code, stdout: text(&output), stderr: text(&complaint) },
        Exit::Signaled(signal) => Ran::Failed(format!("signal {signal} ended it")),
        Exit::Lost => Ran::Failed("nobody saw how it ended".to_owned()),
    }
}

/// Reads to the end and keeps a byte more than wanted, if there is one.
async fn read(source: Option<impl AsyncRead + Unpin>, kept: &mut Vec<u8>, most: usize) {
    let Some(mut source) = source else { return };
    let mut chunk = vec![0; 16 * 1024];
    while let Ok(length @ 1..) = source.read(&mut chunk).await {
        let room = (most + 1).saturating_sub(kept.len());
        kept.extend_from_slice(&chunk[..length.min(room)]);
    }
}

fn seconds(limit: Duration) -> String {
    match limit.subsec_millis() {
        0 => limit.as_secs().to_string(),
        _ => format!("{:.1}", limit.as_secs_f64()),
    }
}
