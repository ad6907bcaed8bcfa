//! Shells leave nothing in this process. In a file of its own: children, threads and descriptors are the process's.

mod support;

use std::path::PathBuf;
use std::time::Duration;

use omp_shell::Ending;
use omp_shell::session::{Engine, ShellSpec};
use support::{ShellFixture, environment, marked, own_children, unique_mark};

const COMMANDS: usize = 1_000;

fn counts() -> (usize, usize) {
    let count = |path: &str| std::fs::read_dir(path).unwrap().count();
    (count("/proc/self/task"), count("/proc/self/fd"))
}

#[tokio::test]
async fn a_thousand_commands_leave_nothing() {
    let mark = unique_mark("thousand");
    let spec = ShellSpec::new(Engine::System(PathBuf::from("/bin/bash")), environment(&mark), "/");
    let fixture = ShellFixture::new(spec, mark.clone());
    let run = async |command: &str| fixture.run(command).await.outcome;
    run("true").await;
    let before = (counts(), marked(&mark).len());
    for number in 0..COMMANDS {
        // One in ten starts processes.
        let command = if number % 10 == 0 { "echo x | cat; (exit 3)" } else { "x=1; [ $x = 2 ]" };
        let expected = if number % 10 == 0 { 3 } else { 1 };
        assert_eq!(run(command).await.ending, Ending::Exited(expected));
    }
    assert_eq!((counts(), marked(&mark).len()), before);
    fixture.shells.close();
    fixture.scope.end().await;
    drop(fixture);
    for _ in 0..200 {
        if own_children().is_empty() && marked(&mark).is_empty() {
            return;
        }
        tokio::time::sleep(Duration::from_millis(20)).await;
    }
    panic!("children {:?}, marked {:?}", own_children(), marked(&mark));
}
