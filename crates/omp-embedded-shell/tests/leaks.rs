//! A thousand commands leave nothing. In a file of its own: threads and descriptors are the process's.

#[path = "../../omp-shell/tests/support/shell_fixture.rs"]
mod shell_fixture;

use std::path::PathBuf;

use omp_shell::session::{Engine, ShellSpec};
use omp_shell::{Ending, Environment};
use shell_fixture::ShellFixture;

const COMMANDS: usize = 1_000;

/// Threads and descriptors of a process.
fn counts(process: &str) -> (usize, usize) {
    let count = |what: &str| std::fs::read_dir(format!("/proc/{process}/{what}")).unwrap().count();
    (count("task"), count("fd"))
}

#[tokio::test]
async fn a_thousand_commands_leave_nothing() {
    let temporary = tempfile::tempdir().unwrap();
    let mut environment = Environment::inherited();
    environment.set("TMPDIR", temporary.path());
    let engine = Engine::Embedded(PathBuf::from(env!("CARGO_BIN_EXE_omp-embedded-shell")));
    let spec = ShellSpec::new(engine, environment, "/");
    let fixture = ShellFixture::new(spec, String::new());
    let run = async |command: &str| fixture.run(command).await.outcome;
    let shell = run("echo $$").await.output.text.trim().to_owned();
    run("echo x | cat; (exit 3)").await;
    let before = (counts("self"), counts(&shell).1, fixture.scope.living());
    for number in 0..COMMANDS {
        // One in ten starts processes.
        let (command, expected) =
            if number % 10 == 0 { ("echo x | cat; (exit 3)", 3) } else { ("x=1; [ $x = 2 ]", 1) };
        assert_eq!(run(command).await.ending, Ending::Exited(expected));
    }
    assert_eq!(run("echo $$").await.output.text.trim(), shell, "all in the same process");
    assert_eq!((counts("self"), counts(&shell).1, fixture.scope.living()), before);
    let children = std::fs::read_to_string(format!("/proc/{shell}/task/{shell}/children")).unwrap();
    assert_eq!(children, "");
    assert_eq!(std::fs::read_dir(temporary.path()).unwrap().count(), 0, "no temporary file");
}
