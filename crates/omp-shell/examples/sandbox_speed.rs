//! What a sandbox costs: `cargo run --release -p omp-shell --example sandbox_speed`.

use std::path::PathBuf;
use std::time::{Duration, Instant};

use omp_sandbox::{Confinement, Network, Policy, Rung, landlock_abi};
use omp_shell::{Confined, Environment, Program, Scope, Stdio};

const RUNS: usize = 200;

fn program() -> Program {
    Program {
        path: PathBuf::from("true"),
        arguments: Vec::new(),
        cwd: std::env::temp_dir(),
        environment: Environment::inherited(),
        stdin: Stdio::Null,
        stdout: Stdio::Null,
        stderr: Stdio::Null,
    }
}

fn policy() -> Policy {
    let here = std::env::current_dir().unwrap_or_default();
    let protected = ["hooks", "config"].map(|name| here.join(".git").join(name)).to_vec();
    let writable = vec![here.clone(), std::env::temp_dir()];
    let pinned = vec![here.join(".git")];
    Policy {
        writable,
        protected,
        pinned,
        network: Network::Filtered,
        writes: "workspace",
        ..Policy::default()
    }
}

async fn measure(scope: &Scope, rung: Option<Rung>) -> Duration {
    let confined = rung.map(|rung| Confined { confinement: Confinement::new(policy(), rung), hosts: None });
    let mut times = Vec::with_capacity(RUNS);
    for _ in 0..RUNS {
        let begun = Instant::now();
        let child = match &confined {
            Some(confined) => scope.spawn_confined(program(), confined),
            None => scope.spawn(program()),
        };
        match child {
            Ok(mut child) => child.wait().await,
            Err(_) => return Duration::ZERO,
        };
        times.push(begun.elapsed());
    }
    times.sort();
    times[RUNS / 2]
}

#[tokio::main]
#[allow(clippy::print_stdout, reason = "a measurement is printed")]
async fn main() {
    let scope = Scope::new();
    let plain = measure(&scope, None).await;
    println!("true, not confined: {plain:.2?}");
    let abi = landlock_abi();
    for rung in [Rung::Namespaces { landlock: abi }, Rung::Landlock { abi }, Rung::Bubblewrap] {
        let time = measure(&scope, Some(rung)).await;
        println!("true, {rung}: {time:.2?} ({:.2?} more)", time.saturating_sub(plain));
    }
    let begun = Instant::now();
    let found = scope.probe(&Confinement::new(policy(), Rung::Namespaces { landlock: abi })).is_ok();
    println!("probe: {:.2?} ({found})", begun.elapsed());
}
