//! Prints what a command costs in each kind of shell. Run in release mode, on a quiet machine:
//!
//! ```text
//! cargo build --release -p omp-embedded-shell
//! cargo run --release -p omp-shell --example shell_speed -- target/release/omp-embedded-shell
//! ```
//!
//! Without an argument the embedded shell is left out.

use std::io::{self, Write};
use std::time::{Duration, Instant};

use omp_shell::command::{self, CommandSpec, find_shell};
use omp_shell::session::{Call, Engine, ShellSpec, Shells};
use omp_shell::{CommandOutcome, Ending, Environment, Scope};
use tokio_util::sync::CancellationToken;

const CALLS: u32 = 300;
const MANY: u32 = 1_000;
const FLOOD: &str = "yes 'a line of ordinary length, as programs print them' | head -c 200000000";

#[tokio::main(flavor = "current_thread")]
async fn main() -> io::Result<()> {
    let mut out = io::stdout();
    let environment = Environment::inherited();
    let bash = find_shell(&environment);
    let bench = Bench { scope: Scope::new(), shells: Shells::new(), environment };
    writeln!(out, "one call, median of {CALLS}       builtin   external")?;
    let mut engines =
        vec![("bash, one process each", None), ("bash, living on", Some(Engine::System(bash.clone())))];
    if let Some(program) = std::env::args_os().nth(1) {
        engines.push(("embedded, living on", Some(Engine::Embedded(std::path::absolute(program)?))));
    }
    for (name, engine) in &engines {
        let builtin = bench.median(engine.as_ref(), &bash, ":").await;
        let external = bench.median(engine.as_ref(), &bash, "/bin/true").await;
        writeln!(out, "{name:<28} {builtin:>9.2?} {external:>10.2?}")?;
    }
    for (name, engine) in engines.iter().skip(1) {
        let before = memory("VmHWM:");
        let begun = Instant::now();
        let outcome = bench.run(engine.as_ref(), &bash, FLOOD).await;
        let (megabytes, took) = (outcome.output.total_bytes / 1_000_000, begun.elapsed());
        // The same command, with a file to write to instead of us.
        let file = std::env::temp_dir().join(format!("omp-flood-{}", std::process::id()));
        let begun = Instant::now();
        bench.run(engine.as_ref(), &bash, &format!("{FLOOD} > {}", file.display())).await;
        let to_file = begun.elapsed();
        std::fs::remove_file(&file)?;
        writeln!(
            out,
            "{name}: {megabytes} MB of output in {took:.1?} (to a file {to_file:.1?}, {:.2} times), our memory {before} to {} KB",
            took.as_secs_f64() / to_file.as_secs_f64(),
            memory("VmHWM:")
        )?;
    }
    for (name, engine) in engines.iter().skip(1) {
        let begun = Instant::now();
        let before = leftovers();
        for _ in 0..MANY {
            bench.run(engine.as_ref(), &bash, "/bin/true; x=1; echo y | cat >/dev/null").await;
        }
        writeln!(
            out,
            "{name}: {MANY} calls in {:.1?}, (processes, threads, descriptors) {before:?} to {:?}",
            begun.elapsed(),
            leftovers()
        )?;
    }
    bench.scope.end().await;
    Ok(())
}

struct Bench {
    scope: Scope,
    shells: Shells,
    environment: Environment,
}

impl Bench {
    async fn median(&self, engine: Option<&Engine>, bash: &std::path::Path, command: &str) -> Duration {
        let mut times = Vec::new();
        for _ in 0..CALLS {
            let begun = Instant::now();
            let outcome = self.run(engine, bash, command).await;
            times.push(begun.elapsed());
            assert_eq!(outcome.ending, Ending::Exited(0), "{command}");
        }
        times.sort();
        times[times.len() / 2]
    }

    async fn run(&self, engine: Option<&Engine>, bash: &std::path::Path, command: &str) -> CommandOutcome {
        let cancel = CancellationToken::new();
        let Some(engine) = engine else {
            let spec = CommandSpec::new(command, bash, "/", self.environment.clone());
            return command::run(&self.scope, spec, &cancel, |_| {}).await.expect("a shell");
        };
        let spec = ShellSpec::new(engine.clone(), self.environment.clone(), "/");
        self.shells
            .run(&self.scope, &spec, Call::new(command), &cancel, |_| {})
            .await
            .expect("a shell")
            .outcome
    }
}

/// Living descendants of ours, our threads, our descriptors.
fn leftovers() -> (usize, usize, usize) {
    let count = |path: &str| std::fs::read_dir(path).map_or(0, Iterator::count);
    let own = std::process::id().to_string();
    let mut family = vec![own];
    let parents: Vec<(String, String)> = std::fs::read_dir("/proc")
        .into_iter()
        .flatten()
        .filter_map(|entry| {
            let pid = entry.ok()?.file_name().into_string().ok()?;
            let stat = std::fs::read_to_string(format!("/proc/{pid}/stat")).ok()?;
            let parent = stat.rsplit_once(')')?.1.split_ascii_whitespace().nth(1)?.to_owned();
            Some((pid, parent))
        })
        .collect();
    let mut next = 0;
    while let Some(parent) = family.get(next).cloned() {
        family.extend(parents.iter().filter(|(_, of)| *of == parent).map(|(pid, _)| pid.clone()));
        next += 1;
    }
    (family.len() - 1, count("/proc/self/task"), count("/proc/self/fd"))
}

fn memory(field: &str) -> u64 {
    let status = std::fs::read_to_string("/proc/self/status").unwrap_or_default();
    let line = status.lines().find(|line| line.starts_with(field)).unwrap_or_default();
    line.split_ascii_whitespace().nth(1).and_then(|number| number.parse().ok()).unwrap_or_default()
}
