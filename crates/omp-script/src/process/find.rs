//! Looking for a Bun or a Node that can run units.

use std::fmt;
use std::os::unix::fs::PermissionsExt as _;
use std::path::{Path, PathBuf};
use std::time::Duration;

use omp_shell::{Environment, Program, Scope, answer};

/// A program that does not even say its version within this time is of no use.
const PATIENCE: Duration = Duration::from_secs(10);
/// The first Node whose modules can be replaced without a thread of their own.
const OLDEST_NODE: (u32, u32) = (22, 15);
const OLDEST_BUN: (u32, u32) = (1, 2);

#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum HostRuntime {
    Bun,
    Node,
}

impl HostRuntime {
    /// In the order in which they are looked for.
    const ALL: [Self; 2] = [Self::Bun, Self::Node];

    pub fn name(self) -> &'static str {
        match self {
            Self::Bun => "bun",
            Self::Node => "node",
        }
    }

    fn oldest(self) -> (u32, u32) {
        match self {
            Self::Bun => OLDEST_BUN,
            Self::Node => OLDEST_NODE,
        }
    }
}

/// What runs units in processes.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct HostProgram {
    pub runtime: HostRuntime,
    pub path: PathBuf,
    pub version: String,
}

impl fmt::Display for HostProgram {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        write!(f, "{} {}", self.runtime.name(), self.version)
    }
}

/// The first Bun on `PATH`, else the first Node that is new enough. The error says what was found instead.
pub async fn find_host(scope: &Scope, environment: &Environment) -> Result<HostProgram, String> {
    let mut rejected = Vec::new();
    for runtime in HostRuntime::ALL {
        for path in on_path(runtime.name(), environment) {
            let Some(version) = version_of(scope, environment, &path).await else { continue };
            if numbers(&version).is_some_and(|found| found >= runtime.oldest()) {
                return Ok(HostProgram { runtime, path, version });
            }
            let old = format!("{} {version}", runtime.name());
            if !rejected.contains(&old) {
                rejected.push(old);
            }
        }
    }
    let found =
        if rejected.is_empty() { String::new() } else { format!(" (found: {})", rejected.join(", ")) };
    let (node, bun) = (OLDEST_NODE, OLDEST_BUN);
    Err(format!(
        "neither Bun {}.{} nor Node {}.{} or later is on PATH{found}: install one of them",
        bun.0, bun.1, node.0, node.1
    ))
}

/// Programs of that name. A relative entry of `PATH` would mean whatever directory omp is in.
fn on_path(name: &str, environment: &Environment) -> Vec<PathBuf> {
    let path = environment.get("PATH").map(std::ffi::OsStr::to_owned).unwrap_or_default();
    let candidates =
        std::env::split_paths(&path).filter(|folder| folder.is_absolute()).map(|folder| folder.join(name));
    candidates.filter(|path| is_program(path)).collect()
}

fn is_program(path: &Path) -> bool {
    path.metadata().is_ok_and(|known| known.is_file() && known.permissions().mode() & 0o111 != 0)
}

async fn version_of(scope: &Scope, environment: &Environment, path: &Path) -> Option<String> {
    let program = Program::asked(path, ["--version"], "/", environment.clone());
    let said = tokio::time::timeout(PATIENCE, answer(scope.spawn(program).ok()?, 200, 0)).await.ok()?;
    let version = said.output.trim().trim_start_matches('v').to_owned();
    numbers(&version).map(|_| version)
}

fn numbers(version: &str) -> Option<(u32, u32)> {
    let mut parts = version.split('.');
    Some((parts.next()?.parse().ok()?, parts.next()?.parse().ok()?))
}
