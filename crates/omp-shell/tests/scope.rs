//! Nothing outlives its owner.

mod support;

use std::os::fd::AsRawFd;
use std::path::Path;
use std::time::{Duration, Instant};

use nix::sys::signal::{Signal, kill};
use nix::unistd::Pid;
use omp_shell::scope::GRACE;
use omp_shell::{Ending, Exit, Program, Scope, SpawnError, Stdio};
use support::{
    PORTABLE, assert_no_survivors, environment, eventually, marked, run, unique_mark, wait_for_file,
};

/// A daemon by the book: two forks, its own session, no terminal, nothing of ours open. Where it would escape, it has a group of
/// its own instead.
const DAEMON: &str = match PORTABLE {
    false => "( ( setsid sleep 1000 </dev/null >/dev/null 2>&1 & ) & )",
    true => "( ( set -m; sleep 1000 </dev/null >/dev/null 2>&1 & ) & )",
};
/// A process that SIGTERM does not impress, nor its children.
const STUBBORN: &str = "( trap '' TERM; while :; do sleep 1000; done ) >/dev/null 2>&1 &";
const PLAIN: &str = "sleep 1000 >/dev/null 2>&1 &";

fn program(mark: &str, line: &str) -> Program {
    Program {
        path: "/bin/bash".into(),
        arguments: vec!["-c".into(), line.into()],
        cwd: "/".into(),
        environment: environment(mark),
        stdin: Stdio::Null,
        stdout: Stdio::Null,
        stderr: Stdio::Null,
    }
}

/// Leaves one process of each kind behind and returns when all three run.
async fn leave_three(scope: &Scope, mark: &str) {
    let outcome = run(scope, mark, &format!("{DAEMON}; {STUBBORN} {PLAIN}")).await;
    assert_eq!(outcome.ending, Ending::Exited(0));
    // The stubborn one is a shell and its sleep.
    eventually("four processes run", || marked(mark).len() == 4);
}

#[tokio::test]
async fn what_a_command_leaves_behind_lives_until_the_scope_ends() {
    let mark = unique_mark("end");
    let scope = Scope::new();
    leave_three(&scope, &mark).await;
    assert_eq!(scope.living(), 1);
    scope.end().await;
    assert_no_survivors(&mark, Duration::ZERO);
    assert_eq!(scope.living(), 0);
    scope.end().await;
    let refused = scope.spawn(program(&mark, "true"));
    assert!(matches!(refused, Err(SpawnError::ScopeEnded)));
}

/// Whoever waited for the stubborn process would need as long as that is given, each time; a busy machine does not.
#[tokio::test]
async fn dropping_a_scope_ends_its_processes_without_blocking() {
    let mut took = Vec::new();
    for attempt in 0..5 {
        let mark = unique_mark(&format!("drop-{attempt}"));
        let scope = Scope::new();
        leave_three(&scope, &mark).await;
        let started = Instant::now();
        drop(scope);
        took.push(started.elapsed());
        assert_no_survivors(&mark, Duration::from_secs(5));
        if took.last().is_some_and(|took| *took < GRACE) {
            return;
        }
    }
    panic!("drop took {took:?}");
}

#[tokio::test]
async fn scopes_do_not_touch_each_other() {
    let (mine, others) = (unique_mark("mine"), unique_mark("others"));
    let (scope, other) = (Scope::new(), Scope::new());
    leave_three(&scope, &mine).await;
    leave_three(&other, &others).await;
    scope.end().await;
    assert_no_survivors(&mine, Duration::ZERO);
    assert_eq!(marked(&others).len(), 4);
    other.end().await;
}

/// Not a test by itself: the process that the next test kills. It owns a scope and never ends.
#[test]
#[ignore = "a helper of killing_the_owner_ends_everything"]
fn helper_owner() {
    let Some(ready) = std::env::var_os("OMP_TEST_OWNER") else { return };
    let mark = std::env::var("OMP_TEST_OWNED_MARK").unwrap();
    let runtime = tokio::runtime::Builder::new_multi_thread().worker_threads(2).enable_all().build().unwrap();
    runtime.block_on(async {
        let scope = Scope::new();
        leave_three(&scope, &mark).await;
        // A second command, so that one guardian could keep the other's lifeline open by mistake.
        let _running = scope.spawn(program(&mark, "sleep 1000; true")).unwrap();
        std::fs::write(Path::new(&ready), format!("{}\n", std::process::id())).unwrap();
        std::future::pending::<()>().await;
    });
}

/// SIGKILL of the program that owns the scope: nobody is left to clean up but the guardians.
#[tokio::test]
async fn killing_the_owner_ends_everything() {
    let owned = unique_mark("owned");
    let directory = tempfile::tempdir().unwrap();
    let ready = directory.path().join("ready");
    let scope = Scope::new();
    let mut helper = program(&unique_mark("owner"), "");
    helper.path = std::env::current_exe().unwrap();
    helper.arguments = ["--exact", "helper_owner", "--ignored"].map(Into::into).to_vec();
    helper.environment.set("OMP_TEST_OWNER", &ready);
    helper.environment.set("OMP_TEST_OWNED_MARK", owned.as_str());
    let mut helper = scope.spawn(helper).unwrap();
    let owner: i32 = wait_for_file(&ready).trim().parse().unwrap();
    eventually("the second command runs", || marked(&owned).len() == 6);

    kill(Pid::from_raw(owner), Signal::SIGKILL).unwrap();
    assert_eq!(helper.wait().await, Exit::Signaled(libc::SIGKILL));
    // This scope still lives, so it was not the one that did it.
    assert_no_survivors(&owned, Duration::from_secs(5));
    scope.end().await;
}

#[tokio::test]
async fn a_polite_process_gets_time_to_clean_up() {
    let mark = unique_mark("polite");
    let directory = tempfile::tempdir().unwrap();
    let (ready, cleaned) = (directory.path().join("ready"), directory.path().join("cleaned"));
    let scope = Scope::new();
    let line = format!(
        "trap 'sleep 0.1; echo done > {}; exit 7' TERM; echo > {}; sleep 1000 & wait",
        cleaned.display(),
        ready.display()
    );
    let mut child = scope.spawn(program(&mark, &line)).unwrap();
    wait_for_file(&ready);
    child.terminate(Duration::from_secs(20));
    child.gone().await;
    assert_eq!(child.wait().await, Exit::Exited(7));
    assert_eq!(std::fs::read_to_string(cleaned).unwrap(), "done\n");
}

#[tokio::test]
async fn a_stopped_process_can_be_ended() {
    let mark = unique_mark("stopped");
    let scope = Scope::new();
    let mut child = scope.spawn(program(&mark, "kill -STOP $$; sleep 1000")).unwrap();
    eventually("it runs", || !marked(&mark).is_empty());
    scope.end().await;
    assert_no_survivors(&mark, Duration::ZERO);
    assert_eq!(child.wait().await, Exit::Signaled(libc::SIGTERM));
}

/// A process that forks and exits all the time, never the same from one look to the next.
#[tokio::test]
async fn a_process_that_keeps_moving_is_ended() {
    let mark = unique_mark("moving");
    let scope = Scope::new();
    run(&scope, &mark, "( trap '' TERM; f() { ( f & ); }; f ) >/dev/null 2>&1 &").await;
    eventually("it moves", || !marked(&mark).is_empty());
    scope.end().await;
    assert_no_survivors(&mark, Duration::ZERO);
}

#[tokio::test]
async fn children_get_three_descriptors_only() {
    let mark = unique_mark("descriptors");
    let scope = Scope::new();
    let file = std::fs::File::open("/dev/null").unwrap();
    // What a careless library does: a descriptor that exec would pass on.
    let leaked = nix::fcntl::fcntl(&file, nix::fcntl::FcntlArg::F_DUPFD(77)).unwrap();
    let outcome = run(&scope, &mark, "cd /proc/$$/fd; for fd in *; do [ -e $fd ] && echo $fd; done").await;
    assert!(leaked >= 77 && file.as_raw_fd() > 2);
    // 255 is bash's own copy, if it has one.
    let seen: Vec<&str> = outcome.output.text.lines().filter(|fd| *fd != "255").collect();
    assert_eq!(seen, ["0", "1", "2"]);
}

#[tokio::test]
async fn commands_have_no_terminal_and_no_signal_is_blocked_or_ignored() {
    let mark = unique_mark("signals");
    let scope = Scope::new();
    let line = "(: </dev/tty) 2>/dev/null && echo a terminal; exec grep -E '^Sig(Blk|Ign)' /proc/self/status";
    let outcome = run(&scope, &mark, line).await;
    let mask = |name: &str| {
        let line = outcome.output.text.lines().find(|line| line.starts_with(name)).unwrap();
        u64::from_str_radix(line.split_ascii_whitespace().nth(1).unwrap(), 16).unwrap()
    };
    assert_eq!(outcome.output.total_lines, 2, "{}", outcome.output.text);
    assert_eq!(mask("SigBlk"), 0);
    // The ones above belong to the C library.
    assert_eq!(mask("SigIgn") & 0x7fff_ffff, 0);
}

/// Neither the command's own group nor the guardian's ordinary signals reach the guardian.
#[tokio::test]
async fn a_command_cannot_shake_off_its_guardian() {
    let mark = unique_mark("shake");
    let scope = Scope::new();
    // The daemon needs a moment to leave the group.
    run(
        &scope,
        &mark,
        &format!("{DAEMON}; sleep 0.3; trap '' TERM; kill -TERM $PPID; kill -INT $PPID; kill -TERM 0"),
    )
    .await;
    eventually("the daemon runs", || marked(&mark).len() == 1);
    scope.end().await;
    assert_no_survivors(&mark, Duration::ZERO);
}

#[tokio::test]
async fn killing_the_guardian_ends_the_command_and_its_session() {
    let mark = unique_mark("guardian");
    let scope = Scope::new();
    let line = format!("{DAEMON}; sleep 1000 & sleep 0.3; kill -KILL $PPID; sleep 1000");
    let outcome = run(&scope, &mark, &line).await;
    assert_eq!(outcome.ending, Ending::Lost);
    // A daemon with a session of its own falls to the keeper.
    let left = if PORTABLE { 0 } else { 1 };
    eventually("only the daemon is left", || marked(&mark).len() == left);
    scope.end().await;
    assert_no_survivors(&mark, Duration::from_secs(5));
}

/// A command that kills its guardian at once has run, so it is not started again.
#[tokio::test]
async fn no_command_runs_twice() {
    let mark = unique_mark("twice");
    let directory = tempfile::tempdir().unwrap();
    let log = directory.path().join("log");
    let scope = Scope::new();
    let line = format!("echo ran >> {}; kill -KILL $PPID; sleep 1000", log.display());
    for round in 1..=20 {
        assert_eq!(run(&scope, &mark, &line).await.ending, Ending::Lost);
        assert_eq!(std::fs::read_to_string(&log).unwrap(), "ran\n".repeat(round));
    }
}

/// The keeper of the one command that left processes with `mark`: the parent of their guardian.
fn keeper_of(mark: &str) -> i32 {
    if PORTABLE {
        // Orphans have lost their line; there is one scope in this process.
        return support::own_children()[0];
    }
    let ancestors = |pid| std::iter::successors(Some(pid), |pid| support::parent(*pid));
    let me = std::process::id() as i32;
    let line: Vec<i32> = ancestors(marked(mark)[0]).take_while(|pid| *pid != me).collect();
    *line.last().unwrap()
}

#[tokio::test]
async fn killing_the_keeper_costs_nothing() {
    let mark = unique_mark("keeper");
    let scope = Scope::new();
    leave_three(&scope, &mark).await;
    let keeper = keeper_of(&mark);
    kill(Pid::from_raw(keeper), Signal::SIGKILL).unwrap();
    let outcome = run(&scope, &mark, "echo still here").await;
    assert_eq!(outcome.output.text, "still here\n");
    assert_eq!(marked(&mark).len(), 4);
    scope.end().await;
    assert_no_survivors(&mark, Duration::ZERO);
}

#[tokio::test]
async fn streams_can_be_piped() {
    let scope = Scope::new();
    let cat = Program {
        path: "cat".into(),
        arguments: Vec::new(),
        stdin: Stdio::Piped,
        stdout: Stdio::Piped,
        ..program("piped", "")
    };
    let mut child = scope.spawn(cat).unwrap();
    let (stdin, stdout) = (child.stdin.take().unwrap(), child.stdout.take().unwrap());
    assert!(child.stderr.is_none() && child.id() > 1);
    stdin.writable().await.unwrap();
    assert_eq!(stdin.try_write(b"to and fro").unwrap(), 10);
    stdout.readable().await.unwrap();
    let mut buffer = [0; 32];
    let length = stdout.try_read(&mut buffer).unwrap();
    assert_eq!(&buffer[..length], b"to and fro");
    drop(stdin);
    assert_eq!(child.wait().await, Exit::Exited(0));
}

/// What the program has in memory is no burden to its helpers.
#[tokio::test]
#[cfg_attr(not(all(target_os = "linux", not(omp_portable))), ignore = "where the heap lies is not told")]
async fn the_keeper_forgets_the_memory_of_the_program() {
    let mark = unique_mark("memory");
    let ballast = vec![1_u8; 64 << 20];
    let scope = Scope::new();
    run(&scope, &mark, "sleep 1000 >/dev/null 2>&1 &").await;
    let keeper = keeper_of(&mark);
    let status = std::fs::read_to_string(format!("/proc/{keeper}/status")).unwrap();
    let resident = status.lines().find_map(|line| line.strip_prefix("VmRSS:")).unwrap();
    let kilobytes: u64 = resident.split_ascii_whitespace().next().unwrap().parse().unwrap();
    assert!(kilobytes < 16 * 1024, "{kilobytes} KB");
    assert_eq!(ballast.len(), 64 << 20);
    scope.end().await;
}

#[tokio::test]
async fn long_arguments_and_many_variables_arrive() {
    let scope = Scope::new();
    let mut long = program("long", "printf %s \"$0\" | wc -c; env | grep -c ^VARIABLE_");
    long.arguments.push("x".repeat(120_000).into());
    (0..2_000).for_each(|number| long.environment.set(format!("VARIABLE_{number}"), "value"));
    long.stdout = Stdio::Piped;
    let mut child = scope.spawn(long).unwrap();
    assert_eq!(child.wait().await, Exit::Exited(0));
    let mut buffer = [0; 64];
    let length = child.stdout.unwrap().try_read(&mut buffer).unwrap();
    assert_eq!(String::from_utf8_lossy(&buffer[..length]), "120000\n2000\n");
}

#[tokio::test]
async fn a_program_that_does_not_exist_is_an_error_and_leaves_nothing() {
    let scope = Scope::new();
    let missing = Program { path: "/no/such/program".into(), ..program("none", "") };
    match scope.spawn(missing) {
        Err(SpawnError::Start { path, source }) => {
            assert_eq!(path, Path::new("/no/such/program"));
            assert_eq!(source.kind(), std::io::ErrorKind::NotFound);
        }
        other => panic!("{:?}", other.map(|_| ())),
    }
    let nowhere = Program { cwd: "/no/such/directory".into(), ..program("none", "true") };
    assert!(matches!(scope.spawn(nowhere), Err(SpawnError::Cwd { .. })));
    let mut nul = program("none", "true");
    nul.arguments.push("a\0b".into());
    assert!(matches!(scope.spawn(nul), Err(SpawnError::Prepare(_))));
    assert_eq!(scope.living(), 0);
}

#[tokio::test]
async fn spawning_beside_an_ending_scope_leaves_nothing() {
    let mark = unique_mark("race");
    let scope = std::sync::Arc::new(Scope::new());
    let spawner = tokio::task::spawn_blocking({
        let (scope, mark, runtime) = (scope.clone(), mark.clone(), tokio::runtime::Handle::current());
        move || {
            let _guard = runtime.enter();
            for _ in 0..50 {
                let _ = scope.spawn(program(&mark, "sleep 1000"));
            }
        }
    });
    tokio::time::sleep(Duration::from_millis(10)).await;
    scope.end().await;
    spawner.await.unwrap();
    assert_no_survivors(&mark, Duration::from_secs(5));
}
