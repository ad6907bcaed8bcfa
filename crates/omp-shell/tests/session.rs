//! Shells that live through many commands, one test for all kinds of them.

mod support;

use std::path::{Path, PathBuf};
use std::sync::Arc;
use std::time::Duration;

use omp_shell::Ending;
use omp_shell::session::{After, Call, CommandDirectory, Engine, ShellSpec};
use support::{DETACH, ShellFixture, assert_no_survivors, environment, eventually, marked, unique_mark};
use tokio_util::sync::CancellationToken;

fn bash() -> Engine {
    Engine::System(PathBuf::from("/bin/bash"))
}

fn fixture(name: &str, engine: Engine) -> ShellFixture {
    let mark = unique_mark(name);
    let spec = ShellSpec::new(engine, environment(&mark), "/");
    ShellFixture::new(spec, mark)
}

#[tokio::test]
async fn state_survives() {
    let fixture = fixture("state", bash());
    fixture
        .run("export A=1; b=2; f() { echo \"f $1\"; }; declare -A m=([k]=v); shopt -s nullglob; cd /tmp")
        .await;
    assert_eq!(fixture.text("echo $A $b ${m[k]}; f x; pwd; sh -c 'echo $A'").await, "1 2 v\nf x\n/tmp\n1\n");
    assert_eq!(fixture.text("shopt nullglob").await, "nullglob       \ton\n");
}

#[tokio::test]
async fn nothing_in_a_command_breaks_the_line() {
    let fixture = fixture("framing", bash());
    for (command, status) in [
        ("if", 2),
        ("echo \"unbalanced", 2),
        ("cat <<END\nno end", 0),
        ("return 3", 2),
        ("break; continue", 0),
        ("exec >/dev/null 2>&1; exec </dev/null", 0),
        ("exec 1>&- 2>&- 0<&-", 0),
        ("set -x; set -v; set -u; set -o pipefail; false | true", 1),
        ("trap 'echo debug' DEBUG; trap 'echo err' ERR; trap 'echo ret' RETURN; false", 1),
        ("IFS=; PS4=x; unset PWD; LINENO=7; true", 0),
        ("printf() { :; }; eval() { :; }; echo() { :; }; cd() { :; }; unset -f echo; true", 0),
        ("alias exec=false; shopt -s expand_aliases; (exit 9)", 9),
        ("kill -STOP $BASHPID & sleep 0.05; kill -CONT $!; wait", 0),
    ] {
        let answer = fixture.run(command).await;
        assert_eq!(
            answer.outcome.ending,
            Ending::Exited(status),
            "{command}: {:?}",
            answer.outcome.output.text
        );
        assert_eq!(answer.after, After::Kept, "{command}");
        assert_eq!(fixture.text("command echo still here").await, "still here\n", "after {command}");
    }
}

#[tokio::test]
async fn lines_are_counted_from_one_in_every_command() {
    let fixture = fixture("lines", bash());
    for _ in 0..2 {
        let answer = fixture.run("echo $LINENO\n\nno_such_command").await;
        assert_eq!(answer.outcome.output.text, "1\n/bin/bash: line 3: no_such_command: command not found\n");
    }
}

#[tokio::test]
async fn a_command_can_end_the_shell() {
    let fixture = fixture("ends", bash());
    for (command, ending) in [
        ("exit 3", Ending::Exited(3)),
        ("set -e; false; echo bye-bye", Ending::Exited(1)),
        ("exec sh -c 'exit 4'", Ending::Exited(4)),
        ("kill -KILL $$", Ending::Signaled(libc::SIGKILL)),
        ("trap 'echo bye; exit 5' EXIT; exit 1", Ending::Exited(5)),
        ("for fd in /proc/self/fd/*; do eval \"exec ${fd##*/}>&-\" 2>/dev/null; done", Ending::Exited(0)),
    ] {
        fixture.run("left=over").await;
        let answer = fixture.run(command).await;
        assert_eq!((answer.outcome.ending, answer.after), (ending, After::Ended), "{command}");
        assert_eq!(answer.outcome.output.text.contains("bye"), command.contains("EXIT"), "{command}");
        assert_eq!(fixture.text("echo \"[$left]\"").await, "[]\n", "after {command}");
    }
}

#[tokio::test]
async fn strict_modes_hold_for_their_call() {
    let fixture = fixture("strict", bash());
    assert_eq!(fixture.text("set -euo pipefail; true").await, "");
    let answer = fixture.run("echo \"[$unset]\"; false | true; echo $?; false").await;
    assert_eq!((answer.outcome.ending, answer.after), (Ending::Exited(1), After::Kept));
    assert_eq!(answer.outcome.output.text, "[]\n0\n");
}

#[tokio::test]
async fn what_is_wanted_at_the_exit_happens_at_the_end_of_the_call() {
    let fixture = fixture("exit-trap", bash());
    let answer = fixture.run("trap 'echo \"bye $?\"' EXIT; echo hi; (exit 3)").await;
    assert_eq!(answer.outcome.output.text, "hi\nbye 3\n");
    assert_eq!((answer.outcome.ending, answer.after), (Ending::Exited(3), After::Kept));
    assert_eq!(fixture.text("echo again").await, "again\n");
}

#[tokio::test]
async fn variables_and_places_of_one_call() {
    let fixture = fixture("call", bash());
    let with = |place: CommandDirectory| Call {
        env: vec![("X".into(), "it's\n$HOME".into()), ("Y".into(), String::new())],
        place,
        ..Call::new("sh -c 'echo \"$X|$Y|\"'; pwd")
    };
    let answer = fixture.answer(with(CommandDirectory::Once("/usr".into()))).await;
    assert_eq!(answer.outcome.output.text, "it's\n$HOME||\n/usr\n");
    assert_eq!(fixture.text("echo \"[$X]\"; pwd").await, "[]\n/\n");
    fixture.answer(with(CommandDirectory::Stay("/usr".into()))).await;
    assert_eq!(fixture.text("pwd").await, "/usr\n");
    assert_eq!(fixture.shells.directory(&fixture.spec), Path::new("/usr"));
}

#[tokio::test]
async fn a_directory_that_is_gone_is_left() {
    let fixture = fixture("gone", bash());
    let directory = tempfile::tempdir().unwrap();
    let path = directory.path().to_owned();
    fixture.run(&format!("cd {}", path.display())).await;
    drop(directory);
    let answer = fixture.run("pwd").await;
    assert_eq!((answer.outcome.output.text.as_str(), answer.lost_directory), ("/\n", Some(path)));
    assert_eq!(fixture.run("pwd").await.lost_directory, None);
}

#[tokio::test]
async fn late_output_reaches_no_other_command() {
    let fixture = fixture("late", bash());
    let directory = tempfile::tempdir().unwrap();
    let (go, done) = (directory.path().join("go"), directory.path().join("done"));
    let line = format!(
        "( while [ ! -e {} ]; do sleep 0.01; done; echo late; echo > {} ) & echo started",
        go.display(),
        done.display()
    );
    let answer = fixture.run(&line).await;
    assert_eq!((answer.outcome.output.text.as_str(), answer.after), ("started\n", After::Kept));
    let line =
        format!("echo > {}; while [ ! -e {} ]; do sleep 0.01; done; echo mine", go.display(), done.display());
    assert_eq!(fixture.text(&line).await, "mine\n");
}

#[tokio::test]
async fn a_timeout_ends_the_shell_and_everything_in_it() {
    let fixture = fixture("timeout", bash());
    for command in [
        "echo before; sleep 1000 & sleep 1000",
        "echo before; trap '' TERM; ( trap '' TERM; sleep 1000; sleep 1000 ) & while :; do :; done",
        "echo before; exec >&- 2>&-; sleep 1000",
        &format!("echo before; ( {DETACH} sleep 1000 </dev/null >/dev/null 2>&1 & ); sleep 1000"),
        "echo before; set -m; sleep 1000 & wait",
        "echo before; exec sleep 1000",
    ] {
        fixture.run("true").await; // The time is for the command, not for the start of its shell.
        let answer =
            fixture.answer(Call { timeout: Some(Duration::from_millis(300)), ..Call::new(command) }).await;
        assert_eq!(answer.outcome.ending, Ending::TimedOut, "{command}");
        assert_eq!(answer.outcome.output.text, "before\n", "{command}");
        assert_no_survivors(&fixture.mark, Duration::ZERO);
    }
    assert_eq!(fixture.text("echo fresh").await, "fresh\n");
}

#[tokio::test]
async fn overlapping_commands_have_shells_of_their_own() {
    let fixture = fixture("overlap", bash());
    fixture.run("cd /usr; x=1").await;
    let cancel = CancellationToken::new();
    let slow = Call::new("echo slow; x=2; sleep 1000");
    let slow = fixture.shells.run(&fixture.scope, &fixture.spec, slow, &cancel, |_| {});
    let others = async {
        eventually_async(|| marked(&fixture.mark).len() >= 2).await;
        let (one, two) = tokio::join!(fixture.run("pwd; echo \"[$x]\""), fixture.run("echo two"));
        cancel.cancel();
        (one, two)
    };
    let (slow, (one, two)) = tokio::join!(slow, others);
    assert_eq!((one.outcome.output.text.as_str(), one.after), ("/usr\n[]\n", After::Isolated));
    assert_eq!((two.outcome.output.text.as_str(), two.after), ("two\n", After::Isolated));
    assert_eq!(slow.unwrap().outcome.ending, Ending::Cancelled);
    eventually("nothing is left", || marked(&fixture.mark).is_empty());
}

async fn eventually_async(condition: impl Fn() -> bool) {
    while !condition() {
        tokio::time::sleep(Duration::from_millis(5)).await;
    }
}

#[tokio::test]
async fn a_dropped_command_takes_its_shell_with_it() {
    let fixture = fixture("dropped", bash());
    let run = fixture.run("sleep 1000");
    tokio::select! {
        _ = run => panic!("it sleeps"),
        () = eventually_async(|| marked(&fixture.mark).len() >= 2) => {}
    }
    eventually("nothing is left", || marked(&fixture.mark).is_empty());
    assert_eq!(fixture.text("echo fresh").await, "fresh\n");
}

#[tokio::test]
async fn a_shell_is_shared_only_if_everything_is_the_same() {
    let fixture = fixture("key", bash());
    fixture.run("x=1").await;
    let changes: [fn(&mut ShellSpec); 6] = [
        |spec| spec.owner = "another".into(),
        |spec| spec.engine = Engine::System("/usr/bin/bash".into()),
        |spec| spec.prefix = Some("command".into()),
        |spec| spec.environment.set("ANOTHER", "1"),
        |spec| spec.start_files = Some(Arc::default()),
        |spec| spec.directory = "/usr".into(),
    ];
    for change in changes {
        let mut spec = fixture.spec.clone();
        change(&mut spec);
        let cancel = CancellationToken::new();
        let run = fixture.shells.run(&fixture.scope, &spec, Call::new("echo \"[$x]\""), &cancel, |_| {});
        assert_eq!(run.await.unwrap().outcome.output.text, "[]\n");
    }
    assert_eq!(fixture.text("echo \"[$x]\"").await, "[1]\n");
    fixture.shells.close();
    assert_eq!(fixture.text("echo \"[$x]\"").await, "[]\n");
}

#[tokio::test]
async fn odd_output_is_survived() {
    let fixture = fixture("odd", bash());
    assert_eq!(fixture.text("printf 'a\\0b\\n'").await, "ab\n");
    let answer = fixture.run("head -c 10000000 /dev/zero | tr '\\0' x").await;
    assert_eq!((answer.outcome.output.total_bytes, answer.after), (10_000_000, After::Kept));
    assert_eq!(fixture.text("cat; read line; echo $?").await, "1\n");
    let long = format!("cat <<'END' | wc -c\n{}\nEND", "0123456789\n".repeat(20_000));
    assert_eq!(fixture.text(&long).await, "220001\n");
}

#[tokio::test]
async fn a_posix_shell_keeps_its_state_too() {
    let fixture = fixture("posix", Engine::System(PathBuf::from("/bin/sh")));
    fixture.run("A=1; f() { echo f; }; cd /usr").await;
    assert_eq!(fixture.text("echo $A; f; pwd; cat; set -e; true").await, "1\nf\n/usr\n");
    let answer = fixture.run("echo \"unbalanced").await;
    assert_eq!((answer.outcome.ending, answer.after), (Ending::Exited(2), After::Kept));
    let answer = fixture.run("echo out; exit 3").await;
    assert_eq!((answer.outcome.ending, answer.after), (Ending::Exited(3), After::Ended));
}

#[tokio::test]
async fn another_language_runs_one_command_at_a_time() {
    let directory = tempfile::tempdir().unwrap();
    let shell = directory.path().join("fish");
    std::fs::write(&shell, "#!/bin/sh\necho \"$@\"; echo \"$X\"; pwd\n").unwrap();
    std::fs::set_permissions(&shell, std::os::unix::fs::PermissionsExt::from_mode(0o755)).unwrap();
    let fixture = fixture("once", Engine::System(shell));
    let answer = fixture.answer(Call {
        env: vec![("X".into(), "1".into())],
        place: CommandDirectory::Once("/usr".into()),
        ..Call::new("a b")
    });
    let answer = answer.await;
    assert_eq!((answer.outcome.output.text.as_str(), answer.after), ("-c a b\n1\n/usr\n", After::Isolated));
}
