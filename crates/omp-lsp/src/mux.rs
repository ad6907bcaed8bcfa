//! `lspmux`, which lets several programs share one server.

use std::path::PathBuf;
use std::sync::Mutex;
use std::sync::PoisonError;
use std::time::Duration;

use omp_shell::{Environment, Exit, Program, Scope, Stdio, answer};
use tokio::time::Instant;

use crate::config::{Places, Server, find_program};

const PROGRAM: &str = "lspmux";
/// Servers that can be shared.
const SHARED: [&str; 1] = ["rust-analyzer"];
/// What was found out is believed for so long.
const BELIEVED: Duration = Duration::from_secs(5 * 60);
/// How long the question whether it runs may take.
const PROBE: Duration = Duration::from_secs(1);

/// Whether servers can be shared.
#[derive(Clone, Debug, PartialEq, Eq)]
pub enum MuxState {
    /// Not installed, or switched off.
    Absent,
    /// Installed, but its server does not run.
    Resting,
    Running(PathBuf),
}

/// What is known about it.
#[derive(Default)]
pub(crate) struct Mux {
    known: Mutex<Option<(Instant, MuxState)>>,
}

impl Mux {
    /// Looks whether it is there and runs, unless that is known.
    pub(crate) async fn state(&self, places: &Places, scope: &Scope, environment: &Environment) -> MuxState {
        let known = self.known.lock().unwrap_or_else(PoisonError::into_inner).clone();
        if let Some((_, state)) = known.filter(|(at, _)| at.elapsed() < BELIEVED) {
            return state;
        }
        let state = probe(places, scope, environment).await;
        *self.known.lock().unwrap_or_else(PoisonError::into_inner) = Some((Instant::now(), state.clone()));
        state
    }

    /// The program and arguments to start a server with.
    pub(crate) async fn command(
        &self,
        server: &Server,
        places: &Places,
        scope: &Scope,
        environment: &Environment,
    ) -> (PathBuf, Vec<String>) {
        let direct = (server.program.clone(), server.arguments.clone());
        if !SHARED.contains(&server.name.as_str()) {
            return direct;
        }
        let MuxState::Running(program) = self.state(places, scope, environment).await else { return direct };
        let mut arguments = vec!["client".to_owned(), "--server-path".to_owned()];
        arguments.push(server.program.to_string_lossy().into_owned());
        if !server.arguments.is_empty() {
            arguments.push("--".to_owned());
            arguments.extend(server.arguments.iter().cloned());
        }
        (program, arguments)
    }
}

async fn probe(places: &Places, scope: &Scope, environment: &Environment) -> MuxState {
    if environment.get("PI_DISABLE_LSPMUX").is_some_and(|value| value == "1") {
        return MuxState::Absent;
    }
    let Some(program) = find_program(PROGRAM, places) else { return MuxState::Absent };
    let child = scope.spawn(Program {
        path: program.clone(),
        arguments: vec!["status".into()],
        cwd: places.cwd.clone(),
        environment: environment.clone(),
        stdin: Stdio::Null,
        stdout: Stdio::Null,
        stderr: Stdio::Null,
    });
    let Ok(child) = child else { return MuxState::Resting };
    match tokio::time::timeout(PROBE, answer(child, 0, 0)).await {
        Ok(answer) if answer.exit == Exit::Exited(0) => MuxState::Running(program),
        _ => MuxState::Resting,
    }
}
