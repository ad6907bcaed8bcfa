//! The embedded shell under the conditions that the system's bash has to stand: see the tests of `omp-shell`.

#[path = "../../omp-shell/tests/support/shell_fixture.rs"]
mod shell_fixture;

use std::path::PathBuf;
use std::time::Duration;

use omp_shell::Ending;
use omp_shell::session::{After, Call, CommandDirectory, Engine, ShellSpec};
use shell_fixture::ShellFixture;
use tokio_util::sync::CancellationToken;

fn fixture() -> ShellFixture {
    let path = std::env::var_os("PATH").unwrap();
    let engine = Engine::Embedded(PathBuf::from(env!("CARGO_BIN_EXE_omp-embedded-shell")));
    let spec = ShellSpec::new(engine, [("PATH", path)].into_iter().collect(), "/");
    ShellFixture::new(spec, String::new())
}

#[tokio::test]
async fn state_survives() {
    let fixture = fixture();
    fixture.run("export A=1; b=2; f() { echo \"f $1\"; }; declare -A m=([k]=v); cd /usr").await;
    assert_eq!(fixture.text("echo $A $b ${m[k]}; f x; pwd; sh -c 'echo $A'").await, "1 2 v\nf x\n/usr\n1\n");
}

#[tokio::test]
async fn nothing_in_a_command_breaks_the_line() {
    let fixture = fixture();
    for (command, status) in [
        ("if", 2),
        ("echo \"unbalanced", 2),
        ("exec >/dev/null 2>&1", 0),
        ("set -u; set -o pipefail; false | true", 1),
        ("cat; read x", 1),
        ("(exit 9)", 9),
        ("no_such_command 2>/dev/null", 127),
    ] {
        let answer = fixture.run(command).await;
        assert_eq!(
            answer.outcome.ending,
            Ending::Exited(status),
            "{command}: {}",
            answer.outcome.output.text
        );
        assert_eq!(answer.after, After::Kept, "{command}");
        assert_eq!(fixture.text("echo still here").await, "still here\n", "after {command}");
    }
}

#[tokio::test]
async fn a_command_can_end_the_shell() {
    let fixture = fixture();
    for (command, ending) in [
        ("exit 3", Ending::Exited(3)),
        ("set -e; false; echo no", Ending::Exited(1)),
        ("exec sh -c 'exit 4'", Ending::Exited(4)),
        ("kill -KILL $$", Ending::Signaled(9)),
    ] {
        fixture.run("left=over").await;
        let answer = fixture.run(command).await;
        assert_eq!((answer.outcome.ending, answer.after), (ending, After::Ended), "{command}");
        assert_eq!(fixture.text("echo \"[$left]\"").await, "[]\n", "after {command}");
    }
}

#[tokio::test]
async fn modes_variables_and_places_hold_for_their_call() {
    let fixture = fixture();
    assert_eq!(fixture.text("set -euo pipefail; true").await, "");
    assert_eq!(fixture.text("echo \"[$unset]\"; false; echo $?").await, "[]\n1\n");
    let once = Call {
        env: vec![("X".into(), "it's\n$HOME".into())],
        place: CommandDirectory::Once("/usr".into()),
        ..Call::new("sh -c 'echo \"$X\"'; pwd; trap 'echo bye' EXIT")
    };
    assert_eq!(fixture.answer(once).await.outcome.output.text, "it's\n$HOME\n/usr\nbye\n");
    assert_eq!(fixture.text("echo \"[$X]\"; pwd").await, "[]\n/\n");
    fixture.answer(Call { place: CommandDirectory::Stay("/usr".into()), ..Call::new("true") }).await;
    assert_eq!(fixture.text("pwd").await, "/usr\n");
}

/// A loop of builtins cannot be interrupted from within; its process can.
#[tokio::test]
async fn a_timeout_ends_everything() {
    let fixture = fixture();
    for command in [
        "echo before; while :; do :; done",
        "echo before; sleep 1000 & sleep 1000",
        "echo before; yes >/dev/null",
    ] {
        fixture.run("true").await; // The time is for the command, not for the start of its shell.
        let answer =
            fixture.answer(Call { timeout: Some(Duration::from_millis(300)), ..Call::new(command) }).await;
        assert_eq!(answer.outcome.ending, Ending::TimedOut, "{command}");
        assert_eq!(answer.outcome.output.text, "before\n", "{command}");
        assert_eq!(fixture.scope.living(), 0, "{command}");
    }
    assert_eq!(fixture.text("echo fresh").await, "fresh\n");
}

/// Whoever aborts a command is rid of all of it, however it tries to stay.
#[tokio::test]
async fn nothing_survives_an_abort() {
    let fixture = fixture();
    for command in [
        "while :; do :; done",
        "sleep 999 & sleep 999",
        "trap '' TERM HUP INT QUIT; sleep 999 & while :; do sleep 1; done",
        "exec >&- 2>&- <&-; sleep 999",
        "(setsid sh -c 'sleep 999 & exec sleep 998' &) ; sleep 997",
        "set -m; sleep 999 & sleep 998",
        "f() { if [ $1 -gt 0 ]; then f $(($1 - 1)) & f $(($1 - 1)) & fi; sleep 999; }; f 5",
        "yes",
    ] {
        fixture.run("true").await;
        let cancel = CancellationToken::new();
        let flag = tempfile::tempdir().unwrap();
        let begun = Call::new(format!("touch {}/begun; {command}", flag.path().display()));
        let abort = async {
            while !flag.path().join("begun").exists() {
                tokio::time::sleep(Duration::from_millis(2)).await;
            }
            cancel.cancel();
        };
        let run = fixture.shells.run(&fixture.scope, &fixture.spec, begun, &cancel, |_| {});
        let (answer, ()) = tokio::join!(run, abort);
        assert_eq!(answer.unwrap().outcome.ending, Ending::Cancelled, "{command}");
        assert_eq!(fixture.scope.living(), 0, "{command}");
    }
    assert_eq!(fixture.text("echo fresh").await, "fresh\n");
}

#[tokio::test]
async fn a_process_left_behind_holds_up_nobody() {
    let fixture = fixture();
    let answer = fixture.run("echo hi; sleep 1000 &").await;
    assert_eq!((answer.outcome.output.text.as_str(), answer.after), ("hi\n", After::Kept));
    assert_eq!(fixture.text("echo next").await, "next\n");
    fixture.scope.end().await;
}

#[tokio::test]
async fn much_output_arrives_whole() {
    let fixture = fixture();
    let answer = fixture.run("head -c 10000000 /dev/zero | tr '\\0' x; echo; printf 'a\\0b\\n'").await;
    assert_eq!((answer.outcome.output.total_bytes, answer.after), (10_000_004, After::Kept));
}
