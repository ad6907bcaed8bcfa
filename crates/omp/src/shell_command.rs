//! `omp shell`: a console on the shell engine of the bash tool.

use std::io::{BufRead, IsTerminal, Read};
use std::path::PathBuf;
use std::sync::Arc;
use std::time::Duration;

use omp_cli::CommandCall;
use omp_sdk::auth::Vault;
use omp_sdk::{Environment, SessionOptions, Workbench};
use tokio::signal::unix::{Signal, SignalKind, signal};
use tokio::sync::mpsc;
use tokio_util::sync::CancellationToken;

use crate::output::{self, Stream};
use crate::world::{self, World};

/// Nothing that is typed is longer.
const MAX_LINE: u64 = 64 * 1024;
const HELP: &str = ".help  this text\n.exit  leave (also Ctrl+D, or Ctrl+C while nothing runs)\n\
Everything else is a command. Variables, functions and the directory stay from one to the next.\n\
Ctrl+C stops a command that runs.\n";

pub(crate) fn run(call: &CommandCall, profile: Option<&str>) -> u8 {
    if !std::io::stdin().is_terminal() || !std::io::stdout().is_terminal() {
        return output::fail(
            "omp shell is a console and needs a terminal.",
            &["In a script use bash, or omp -p.".to_owned()],
        );
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
        .ok_or_else(|| "--timeout must be above 0".to_owned())
}

fn open(call: &CommandCall, profile: Option<&str>) -> Result<Workbench, String> {
    let cwd = call.values.path("cwd").map_or_else(|| PathBuf::from("."), PathBuf::from);
    let cwd = cwd.canonicalize().map_err(|error| format!("{} cannot be used: {error}", cwd.display()))?;
    if !cwd.is_dir() {
        return Err(format!("{} is not a directory", cwd.display()));
    }
    let directories = world::directories(profile)?;
    let (environment, warnings) = world::environment(&directories, &cwd);
    warnings.iter().for_each(|warning| output::warn(warning));
    let world = World { directories, environment };
    let settings = world.settings(&cwd)?;
    let World { directories, environment } = world;
    let environment: Arc<dyn Environment> = match call.values.has("no-snapshot") {
        true => Arc::new(WithoutLogin(environment)),
        false => environment,
    };
    let options = SessionOptions {
        settings: Some(settings),
        embedded_shell: Some("/proc/self/exe".into()),
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
    let runtime = tokio::runtime::Builder::new_current_thread().enable_all().build();
    let runtime = runtime.map_err(|error| format!("the program cannot start its event loop: {error}"))?;
    let code = runtime.block_on(async {
        let interrupts = signal(SignalKind::interrupt());
        let mut interrupts = interrupts.map_err(|error| format!("Ctrl+C cannot be watched: {error}"))?;
        converse(&bench, timeout, &mut interrupts).await;
        bench.close().await;
        Ok(0)
    });
    runtime.shutdown_background();
    code
}

/// Reads and runs until the person leaves.
async fn converse(bench: &Workbench, timeout: Option<Duration>, interrupts: &mut Signal) {
    output::print(Stream::Out, "omp shell: .help explains, .exit leaves\n");
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

/// Runs one command; Ctrl+C stops it.
async fn run_one(bench: &Workbench, command: &str, timeout: Option<Duration>, interrupts: &mut Signal) {
    let cancel = CancellationToken::new();
    let running = bench.run_command(command, timeout, &cancel, |_| {});
    tokio::pin!(running);
    let outcome = loop {
        tokio::select! {
            biased;
            _ = interrupts.recv() => cancel.cancel(),
            outcome = &mut running => break outcome,
        }
    };
    let (mut text, code) = match outcome {
        Ok(done) => (done.output, done.exit_code),
        Err(error) => (error.to_string(), Some(1)),
    };
    if !text.is_empty() && !text.ends_with('\n') {
        text.push('\n');
    }
    if let Some(code) = code.filter(|code| *code != 0) {
        text.push_str(&format!("[exit {code}]\n"));
    }
    output::print(Stream::Out, &text);
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
