//! `omp shell`: a console on the shell engine of the bash tool.

use std::io::{BufRead, IsTerminal, Read};
use std::path::PathBuf;
use std::sync::Arc;
use std::time::Duration;

use omp_cli::CommandCall;
use omp_sdk::auth::Vault;
use omp_sdk::{Environment, SessionOptions, UserCommand, Workbench};
use tokio::signal::unix::{Signal, SignalKind, signal};
use tokio::sync::mpsc;
use tokio_util::sync::CancellationToken;

use crate::command_context::{self, CommandContext};
use crate::output::{self, Stream};
use crate::runtime;

/// Nothing that is typed is longer.
const MAX_LINE: u64 = 64 * 1024;
const HELP: &str = ".help  show this help\n.exit  exit (also Ctrl+D, or Ctrl+C when idle)\nAnything else \
     runs as a command. Variables, functions and the working directory persist.\nCtrl+C stops a running \
     command.\n";

pub(crate) fn run(call: &CommandCall, profile: Option<&str>) -> u8 {
    if !std::io::stdin().is_terminal() || !std::io::stdout().is_terminal() {
        return output::fail("omp shell needs a terminal", &["In a script, use bash or omp -p.".to_owned()]);
    }
    match open(call, profile).and_then(|bench| serve(bench, timeout(call)?)) {
        Ok(code) => code,
        Err(message) => output::fail(&message, &[]),
    }
}

fn timeout(call: &CommandCall) -> Result<Option<Duration>, String> {
    let Some(limit) = call.values.integer("timeout") else { return Ok(None) };
    let limit = u64::try_from(limit).ok().filter(|limit| *limit > 0);
    limit
        .map(|limit| Some(Duration::from_millis(limit)))
        .ok_or_else(|| "--timeout must be greater than 0".to_owned())
}

fn open(call: &CommandCall, profile: Option<&str>) -> Result<Workbench, String> {
    let cwd = call.values.path("cwd").map_or_else(|| PathBuf::from("."), PathBuf::from);
    let cwd = cwd.canonicalize().map_err(|error| format!("cannot use {}: {error}", cwd.display()))?;
    if !cwd.is_dir() {
        return Err(format!("{} is not a directory", cwd.display()));
    }
    let directories = command_context::directories(profile)?;
    let (environment, warnings) = command_context::environment(&directories, &cwd);
    warnings.iter().for_each(|warning| output::warn(warning));
    let context = CommandContext { directories, environment };
    let settings = context.settings(&cwd)?;
    let CommandContext { directories, environment } = context;
    let environment: Arc<dyn Environment> = match call.values.has("no-snapshot") {
        true => Arc::new(WithoutLogin(environment)),
        false => environment,
    };
    let options = SessionOptions {
        settings: Some(settings),
        embedded_shell: Some(omp_shell::own_program()),
        ..SessionOptions::new(cwd, directories, environment)
    };
    Workbench::open(options).map_err(|error| error.to_string())
}

/// The same variables, for a shell that does not load what the user sets up.
struct WithoutLogin(Arc<dyn Environment>);

impl Environment for WithoutLogin {
    fn var(&self, name: &str) -> Option<String> {
        match name {
            "PI_BASH_NO_LOGIN" => Some("1".to_owned()),
            _ => self.0.var(name),
        }
    }

    fn vars(&self) -> Vec<(String, String)> {
        self.0.vars()
    }

    fn vault(&self) -> Option<&Arc<Vault>> {
        self.0.vault()
    }
}

fn serve(bench: Workbench, timeout: Option<Duration>) -> Result<u8, String> {
    let runtime = runtime::start()?;
    let code = runtime.block_on(async {
        let interrupts = signal(SignalKind::interrupt());
        let mut interrupts = interrupts.map_err(|error| format!("cannot handle Ctrl+C: {error}"))?;
        converse(&bench, timeout, &mut interrupts).await;
        bench.close().await;
        Ok(0)
    });
    runtime.shutdown_background();
    code
}

/// Reads and runs until the person leaves.
async fn converse(bench: &Workbench, timeout: Option<Duration>, interrupts: &mut Signal) {
    output::print(Stream::Out, "omp shell (.help for help, .exit to exit)\n");
    let mut lines = typed();
    loop {
        output::print(Stream::Out, "omp$ ");
        let line = tokio::select! {
            biased;
            _ = interrupts.recv() => None,
            line = lines.recv() => line,
        };
        match line.as_deref().map(str::trim) {
            None => {
                output::print(Stream::Out, "\n");
                return;
            }
            Some(".exit") => return,
            Some(".help") => drop(output::print(Stream::Out, HELP)),
            Some("") => {}
            Some(command) => run_one(bench, command, timeout, interrupts).await,
        }
    }
}

/// Runs one command and shows its output as it comes; Ctrl+C stops it.
async fn run_one(bench: &Workbench, command: &str, timeout: Option<Duration>, interrupts: &mut Signal) {
    let cancel = CancellationToken::new();
    let mut shown = Shown::default();
    let outcome = {
        let running = bench.run_command(command, timeout, &cancel, |snapshot| {
            shown.more(&snapshot.tail, snapshot.total_bytes);
        });
        tokio::pin!(running);
        loop {
            tokio::select! {
                biased;
                _ = interrupts.recv() => cancel.cancel(),
                outcome = &mut running => break outcome,
            }
        }
    };
    match outcome {
        Ok(done) => shown.finish(&done),
        Err(error) => drop(output::print(Stream::Out, &format!("{error}\n"))),
    }
}

/// How much of a command's output stands on the screen.
#[derive(Default)]
struct Shown {
    bytes: u64,
    /// The last line is not complete.
    in_line: bool,
}

impl Shown {
    /// There are so many bytes now, and this is their end.
    fn more(&mut self, tail: &str, total: u64) {
        let new = usize::try_from(total.saturating_sub(self.bytes)).unwrap_or(usize::MAX);
        if new > tail.len() {
            self.print("[…]\n");
        }
        self.print(&tail[tail.ceil_char_boundary(tail.len().saturating_sub(new))..]);
        self.bytes = total;
    }

    /// The command has ended.
    fn finish(&mut self, done: &UserCommand) {
        // Why it was stopped stands behind the output and is not counted.
        let stopped = if done.cancelled { done.output.rfind("[Command ") } else { None };
        let (text, stopped) = done.output.split_at(stopped.unwrap_or(done.output.len()));
        let left = usize::try_from(done.total_bytes.saturating_sub(self.bytes)).unwrap_or(usize::MAX);
        let from = match done.truncated {
            true => text.len().saturating_sub(left),
            false => usize::try_from(self.bytes).unwrap_or(usize::MAX).min(text.len()),
        };
        self.print(&text[text.ceil_char_boundary(from)..]);
        if self.in_line {
            self.print("\n");
        }
        if !stopped.is_empty() {
            self.print(&format!("{}\n", stopped.trim_end()));
        }
        if let Some(code) = done.exit_code.filter(|code| *code != 0) {
            self.print(&format!("[exit {code}]\n"));
        }
    }

    fn print(&mut self, text: &str) {
        if !text.is_empty() {
            self.in_line = !text.ends_with('\n');
            output::print_prose(text);
        }
    }
}

/// Lines from the terminal. A read cannot be cancelled, so nobody waits for the thread that reads.
fn typed() -> mpsc::Receiver<String> {
    let (sender, lines) = mpsc::channel(16);
    std::thread::spawn(move || {
        loop {
            let mut line = Vec::new();
            let read = std::io::stdin().lock().take(MAX_LINE).read_until(b'\n', &mut line);
            let text = String::from_utf8_lossy(&line).into_owned();
            if !matches!(read, Ok(1..)) || sender.blocking_send(text).is_err() {
                return;
            }
        }
    });
    lines
}
