//! The same scripts through bash as a program, bash that lives on, and the embedded shell: output and status must
//! agree. What is known to differ stands in `differences.txt` with its reason; a line that no longer holds fails too.

use std::collections::BTreeMap;
use std::path::{Path, PathBuf};
use std::time::Duration;

use omp_shell::command::{self, CommandSpec};
use omp_shell::session::{Call, Engine, ShellSpec, Shells};
use omp_shell::{CommandOutcome, Ending, Environment, Scope};
use tokio_util::sync::CancellationToken;

const BASH: &str = "/bin/bash";
/// Scripts take milliseconds; one that hangs is a difference.
const PATIENCE: Duration = Duration::from_secs(20);

fn corpus() -> PathBuf {
    Path::new(env!("CARGO_MANIFEST_DIR")).join("../omp-shell/tests/corpus")
}

fn embedded() -> Engine {
    Engine::Embedded(PathBuf::from(env!("CARGO_BIN_EXE_omp-embedded-shell")))
}

/// `shell script: reason`.
fn known_differences() -> BTreeMap<(String, String), String> {
    let text = std::fs::read_to_string(corpus().join("differences.txt")).unwrap();
    let lines = text.lines().filter(|line| !line.is_empty() && !line.starts_with('#'));
    lines
        .map(|line| {
            let (case, reason) = line.split_once(": ").unwrap();
            let (shell, script) = case.split_once(' ').unwrap();
            ((shell.to_owned(), script.to_owned()), reason.to_owned())
        })
        .collect()
}

struct Bench {
    scope: Scope,
    shells: Shells,
    environment: Environment,
    directory: tempfile::TempDir,
}

impl Bench {
    fn new() -> Self {
        let directory = tempfile::tempdir().unwrap();
        let path = std::env::var("PATH").unwrap();
        let place = directory.path().to_str().unwrap().to_owned();
        let environment =
            [("PATH", path), ("HOME", place.clone()), ("TMPDIR", place), ("LC_ALL", "C.UTF-8".into())];
        let environment = environment.into_iter().collect();
        Self { scope: Scope::new(), shells: Shells::new(), environment, directory }
    }

    async fn program(&self, script: &str) -> (Ending, String) {
        let spec = CommandSpec {
            timeout: Some(PATIENCE),
            ..CommandSpec::new(script, BASH, self.directory.path(), self.environment.clone())
        };
        shown(command::run(&self.scope, spec, &CancellationToken::new(), |_| {}).await.unwrap())
    }

    /// As the second command of a shell of its own.
    async fn session(&self, owner: &str, engine: Engine, script: &str) -> (Ending, String) {
        let spec = ShellSpec {
            owner: owner.to_owned(),
            ..ShellSpec::new(engine, self.environment.clone(), self.directory.path())
        };
        let call = |command: &str| Call { timeout: Some(PATIENCE), ..Call::new(command) };
        let run = async |command: &str| {
            let cancel = CancellationToken::new();
            self.shells.run(&self.scope, &spec, call(command), &cancel, |_| {}).await.unwrap().outcome
        };
        run("true").await;
        shown(run(script).await)
    }
}

fn shown(outcome: CommandOutcome) -> (Ending, String) {
    (outcome.ending, outcome.output.text)
}

/// Every `of`th script, beginning with `part`.
async fn compare(part: usize, of: usize) {
    let known = known_differences();
    let mut scripts: Vec<PathBuf> =
        std::fs::read_dir(corpus()).unwrap().map(|entry| entry.unwrap().path()).collect();
    scripts.retain(|path| path.extension().is_some_and(|extension| extension == "sh"));
    scripts.sort();
    assert!(scripts.len() >= 120);
    let bench = Bench::new();
    let mut wrong = Vec::new();
    for path in scripts.iter().skip(part).step_by(of) {
        let name = path.file_stem().unwrap().to_str().unwrap();
        let script = std::fs::read_to_string(path).unwrap();
        let expected = bench.program(&script).await;
        assert!(matches!(expected.0, Ending::Exited(_)), "{name}: {expected:?}");
        for (shell, engine) in [("bash", Engine::System(BASH.into())), ("embedded", embedded())] {
            let got = bench.session(&format!("{shell} {name}"), engine, &script).await;
            let reason = known.get(&(shell.to_owned(), name.to_owned()));
            match (got == expected, reason) {
                (true, Some(_)) => wrong.push(format!("{shell} {name}: agrees now, remove its line")),
                (false, None) => {
                    wrong.push(format!("{shell} {name}:\n  wanted {expected:?}\n  got    {got:?}"));
                }
                (true, None) | (false, Some(_)) => {}
            }
        }
    }
    bench.scope.end().await;
    assert!(wrong.is_empty(), "{}", wrong.join("\n"));
}

#[tokio::test]
async fn shells_agree_part_1() {
    compare(0, 6).await;
}

#[tokio::test]
async fn shells_agree_part_2() {
    compare(1, 6).await;
}

#[tokio::test]
async fn shells_agree_part_3() {
    compare(2, 6).await;
}

#[tokio::test]
async fn shells_agree_part_4() {
    compare(3, 6).await;
}

#[tokio::test]
async fn shells_agree_part_5() {
    compare(4, 6).await;
}

#[tokio::test]
async fn shells_agree_part_6() {
    compare(5, 6).await;
}

#[test]
fn every_difference_is_of_a_script() {
    for (shell, script) in known_differences().keys() {
        assert!(matches!(shell.as_str(), "bash" | "embedded"), "{shell}");
        assert!(corpus().join(format!("{script}.sh")).is_file(), "{script}");
    }
}
