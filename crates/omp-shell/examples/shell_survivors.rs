//! Prints how commands that try to stay are ended, how long that takes, and what is left of them: nothing.
//!
//! ```text
//! cargo build -p omp-embedded-shell
//! cargo run -p omp-shell --example shell_survivors -- target/debug/omp-embedded-shell
//! ```
//!
//! Without an argument the embedded shell is left out.

use std::io::{self, Write};
use std::path::Path;
use std::time::{Duration, Instant};

use omp_shell::command::find_shell;
use omp_shell::session::{Call, Engine, ShellSpec, Shells};
use omp_shell::{Environment, Scope};
use tokio_util::sync::CancellationToken;

const MARK: &str = "OMP_SURVIVORS_MARK";
/// How long a command runs before it is ended.
const RUNS: Duration = Duration::from_millis(300);

const COMMANDS: &[(&str, &str)] = &[
    ("two sleeps, one in the background", "sleep 999 & sleep 999"),
    ("a loop of builtins", "while :; do :; done"),
    ("ignores TERM, HUP, INT and QUIT", "trap '' TERM HUP INT QUIT; sleep 999 & while :; do sleep 1; done"),
    ("closes its streams", "exec >&- 2>&- <&-; sleep 999"),
    ("a daemon in a session of its own", "(setsid sh -c 'sleep 999 & exec sleep 998' &) ; sleep 997"),
    ("process groups of their own", "set -m; sleep 999 & sleep 998"),
    ("a stopped process", "sh -c 'kill -STOP $$' & sleep 999"),
    ("255 processes", "f() { if [ $1 -gt 0 ]; then f $(($1 - 1)) & f $(($1 - 1)) & fi; sleep 999; }; f 7"),
    ("a flood of output", "yes"),
    ("a flood without line ends", "yes | tr -d '\\n'"),
    ("reads what it does not get", "cat; sleep 999"),
];

#[tokio::main(flavor = "current_thread")]
async fn main() -> io::Result<()> {
    let mut engines = vec![("bash", Engine::System(find_shell(&Environment::inherited())))];
    if let Some(program) = std::env::args_os().nth(1) {
        engines.push(("embedded", Engine::Embedded(std::path::absolute(program)?)));
    }
    let mut out = io::stdout();
    writeln!(
        out,
        "{:<36} {:<9} {:<8} {:>9} {:>9} {:>5}",
        "command", "shell", "ended by", "processes", "answered", "left"
    )?;
    for (what, command) in COMMANDS {
        for (name, engine) in &engines {
            for how in [How::Abort, How::Timeout] {
                let (processes, took, left) = end(engine, command, how).await;
                writeln!(
                    out,
                    "{what:<36} {name:<9} {:<8} {processes:>9} {:>6} ms {left:>5}",
                    how.name(),
                    took.as_millis()
                )?;
            }
        }
    }
    Ok(())
}

#[derive(Clone, Copy)]
enum How {
    Abort,
    Timeout,
}

impl How {
    fn name(self) -> &'static str {
        match self {
            Self::Abort => "abort",
            Self::Timeout => "timeout",
        }
    }
}

/// How many processes there were, how long the answer took after the end was ordered, and how many are left then.
async fn end(engine: &Engine, command: &str, how: How) -> (usize, Duration, usize) {
    let mark = format!("{}-{:?}", std::process::id(), Instant::now());
    let path = std::env::var_os("PATH").unwrap_or_default();
    let (scope, shells, cancel) = (Scope::new(), Shells::new(), CancellationToken::new());
    let environment = [("PATH", path), (MARK, mark.clone().into())].into_iter().collect();
    let spec = ShellSpec::new(engine.clone(), environment, "/");
    let call = |command: &str, timeout| Call { timeout, ..Call::new(command) };
    let warm = shells.run(&scope, &spec, call(":", None), &cancel, |_| {}).await;
    drop(warm);
    let timeout = match how {
        How::Abort => None,
        How::Timeout => Some(RUNS),
    };
    let begun = Instant::now();
    let watch = async {
        tokio::time::sleep(RUNS - Duration::from_millis(50)).await;
        let processes = marked(&mark).len();
        tokio::time::sleep_until((begun + RUNS).into()).await;
        if matches!(how, How::Abort) {
            cancel.cancel();
        }
        processes
    };
    let run = async {
        let answer = shells.run(&scope, &spec, call(command, timeout), &cancel, |_| {}).await;
        (answer.is_ok(), begun.elapsed().saturating_sub(RUNS))
    };
    let (processes, (_, took)) = tokio::join!(watch, run);
    let left = marked(&mark).len();
    scope.end().await;
    (processes, took, left)
}

/// The living processes that carry the mark; those that are dead and not yet waited for have no environment.
fn marked(mark: &str) -> Vec<i32> {
    let wanted = format!("{MARK}={mark}").into_bytes();
    let processes = std::fs::read_dir("/proc").into_iter().flatten().flatten();
    let pids = processes.filter_map(|entry| entry.file_name().to_str()?.parse::<i32>().ok());
    pids.filter(|pid| {
        let environ =
            std::fs::read(Path::new("/proc").join(pid.to_string()).join("environ")).unwrap_or_default();
        environ.split(|byte| *byte == 0).any(|variable| variable == wanted)
    })
    .collect()
}
