//! What commands do that they should not, and a shell that lives on.

mod support;

use std::path::{Path, PathBuf};
use std::sync::Arc;
use std::time::Duration;

use omp_shell::Ending;
use omp_shell::session::{After, Answer, Call, Engine, Given, Hold, ShellSpec};
use support::{DETACH, ShellFixture, assert_no_survivors, environment, marked, unique_mark};
use tokio_util::sync::CancellationToken;

fn fixture(shell: &str) -> ShellFixture {
    let mark = unique_mark("faults");
    let spec = ShellSpec::new(Engine::System(PathBuf::from(shell)), environment(&mark), "/");
    ShellFixture::new(spec, mark)
}

impl ShellFixture {
    async fn within(&self, command: &str, timeout: u64) -> Answer {
        let timeout = Some(Duration::from_millis(timeout));
        self.answer(Call { timeout, ..Call::new(command) }).await
    }

    /// A loop that ends when the file exists.
    fn until_flag(&self) -> (PathBuf, String) {
        let flag = std::env::temp_dir().join(&self.mark);
        let wait = format!("while [ ! -e {} ]; do sleep 0.01; done", flag.display());
        (flag, wait)
    }
}

/// Commands that try to stay.
const STAYING: [&str; 7] = [
    "sleep 999 & sleep 999",
    "trap '' TERM HUP INT QUIT; sleep 999 & while :; do sleep 1; done",
    "exec >&- 2>&- <&-; sleep 999",
    "(DETACH sh -c 'sleep 999 & exec sleep 998' &) ; sleep 997",
    "set -m; sleep 999 & sleep 998",
    "sh -c 'kill -STOP $$' & sleep 999",
    // As many processes as a bomb has in its first moments: each makes two more until there are 255.
    "f() { if [ $1 -gt 0 ]; then f $(($1 - 1)) & f $(($1 - 1)) & fi; sleep 999; }; f 7",
];

/// However a command tries to stay, after an abort nothing is left of it, and the call ends as well.
#[tokio::test]
async fn nothing_survives_an_abort() {
    for command in STAYING.map(|command| command.replace("DETACH", DETACH)) {
        let fixture = fixture("/bin/bash");
        let (flag, cancel) = (std::env::temp_dir().join(&fixture.mark), CancellationToken::new());
        let begun = Call::new(format!("touch {}; {command}", flag.display()));
        let abort = async {
            while !flag.exists() {
                tokio::time::sleep(Duration::from_millis(2)).await;
            }
            cancel.cancel();
        };
        let (answer, ()) = tokio::join!(fixture.until(begun, &cancel), abort);
        std::fs::remove_file(&flag).unwrap();
        assert_eq!((answer.outcome.ending, answer.after), (Ending::Cancelled, After::Isolated), "{command}");
        assert_no_survivors(&fixture.mark, Duration::from_secs(5));
        assert_eq!(fixture.text("echo fresh").await, "fresh\n", "after {command}");
    }
}

/// However a command tries to stay, after its timeout nothing is left of it.
#[tokio::test]
async fn nothing_survives_a_timeout() {
    for command in STAYING.map(|command| command.replace("DETACH", DETACH)) {
        let fixture = fixture("/bin/bash");
        let answer = fixture.within(&command, 300).await;
        assert_eq!((answer.outcome.ending, answer.after), (Ending::TimedOut, After::Isolated), "{command}");
        assert_no_survivors(&fixture.mark, Duration::from_secs(5));
        assert_eq!(fixture.text("echo fresh").await, "fresh\n", "after {command}");
    }
}

/// A shell that executes nothing any more is noticed at once, and the next command gets another.
#[tokio::test]
async fn a_shell_that_has_gone_deaf_is_replaced() {
    for shell in ["/bin/bash", "/bin/sh"] {
        let fixture = fixture(shell);
        for command in ["set -n", "echo before; set -o noexec; echo never", "eval 'set -n'; false"] {
            fixture.text("x=1").await;
            let answer = fixture.within(command, 60_000).await;
            let ending = (answer.outcome.ending, answer.after);
            assert_eq!(ending, (Ending::Exited(0), After::Ended), "{shell}: {command}");
            assert!(!answer.outcome.output.text.contains("never"));
            assert_eq!(fixture.text("echo \"[$x]\"").await, "[]\n", "{shell}: after {command}");
        }
        assert_eq!(fixture.text("sh -nc 'exit 3'; (set -n; exit 4); echo fine").await, "fine\n");
        assert_eq!(fixture.within("(exit 7)", 20_000).await.outcome.ending, Ending::Exited(7));
    }
}

/// The end of a shell is not taken for deafness, and its exit status is kept.
#[tokio::test]
async fn a_shell_that_ends_is_not_deaf() {
    let fixture = fixture("/bin/bash");
    for (command, ending) in [
        ("exit 3", Ending::Exited(3)),
        ("exec sh -c 'exit 4'", Ending::Exited(4)),
        ("kill -9 $$", Ending::Signaled(9)),
    ] {
        for _ in 0..10 {
            assert_eq!(fixture.within(command, 20_000).await.outcome.ending, ending, "{command}");
        }
    }
}

#[tokio::test]
async fn commands_that_read_get_nothing() {
    for shell in ["/bin/bash", "/bin/sh"] {
        let fixture = fixture(shell);
        assert_eq!(fixture.text("cat; read line; echo $?; head -c 1; wc -c").await, "1\n0\n", "{shell}");
        assert_eq!(fixture.text("echo still").await, "still\n");
    }
}

#[tokio::test]
async fn terminal_sequences_are_taken_out() {
    let fixture = fixture("/bin/bash");
    let queries = r"printf 'a\0b\033[6n\033[c\033]0;title\007'";
    let others =
        r"printf '\033]8;;http://x\033\\link\033]8;;\033\\\033[?2004hc\033[200~d\033[201~\033P1$r\033\\e\n'";
    assert_eq!(fixture.text(&format!("{queries}; {others}")).await, "ablinkcde\n");
    // A sequence that never ends does not swallow what the next command says.
    fixture.text(r"printf '\033]0;never ends'; printf '\033P'").await;
    assert_eq!(fixture.text("echo next").await, "next\n");
}

#[tokio::test]
async fn a_directory_that_is_deleted_under_a_command_is_left() {
    let fixture = fixture("/bin/bash");
    let directory = std::env::temp_dir().join(&fixture.mark);
    let shown = directory.display();
    let answer =
        fixture.within(&format!("mkdir {shown}; cd {shown}; rmdir {shown}; echo here"), 20_000).await;
    assert_eq!(answer.outcome.output.text, "here\n");
    let answer = fixture.within("pwd", 20_000).await;
    assert_eq!((answer.outcome.output.text.as_str(), answer.lost_directory), ("/\n", Some(directory)));
}

/// Of two calls at once one is aborted; the other does not notice.
#[tokio::test]
async fn an_abort_hits_one_call() {
    let fixture = fixture("/bin/bash");
    let (flag, wait) = fixture.until_flag();
    let (cancel, never) = (CancellationToken::new(), CancellationToken::new());
    let sleeps = || marked(&fixture.mark).into_iter().any(is_sleep_999);
    let abort = async {
        while !sleeps() {
            tokio::time::sleep(Duration::from_millis(5)).await;
        }
        cancel.cancel();
        while sleeps() {
            tokio::time::sleep(Duration::from_millis(5)).await;
        }
        std::fs::write(&flag, "").unwrap();
    };
    let wait = format!("{wait}; echo two");
    let (first, second, ()) = tokio::join!(
        fixture.until(Call::new("echo one; sleep 999"), &cancel),
        fixture.until(Call::new(&wait), &never),
        abort
    );
    assert_eq!((first.outcome.ending, first.outcome.output.text.as_str()), (Ending::Cancelled, "one\n"));
    assert_eq!(second.outcome.output.text, "two\n");
    std::fs::remove_file(flag).unwrap();
}

fn is_sleep_999(pid: i32) -> bool {
    let line = std::fs::read(Path::new("/proc").join(pid.to_string()).join("cmdline")).unwrap_or_default();
    line.starts_with(b"sleep\x00999")
}

/// A command that keeps its shell leaves a fresh one to the next.
#[tokio::test]
async fn a_shell_can_be_given_away() {
    let fixture = fixture("/bin/bash");
    fixture.text("x=1; cd /usr").await;
    let (flag, wait) = fixture.until_flag();
    let (hold, never) = (Arc::<Hold>::default(), CancellationToken::new());
    let long = Call { hold: Arc::clone(&hold), ..Call::new(format!("{wait}; echo $x")) };
    let beside = async {
        while marked(&fixture.mark).len() < 2 {
            tokio::time::sleep(Duration::from_millis(5)).await;
        }
        assert_eq!(fixture.shells.give_away(&hold, None), Given::State("/usr".into()));
        assert_eq!(fixture.shells.give_away(&hold, None), Given::Nothing, "once");
        let fresh = fixture.within("echo \"[$x]\"; pwd; x=2", 20_000).await;
        assert_eq!((fresh.outcome.output.text.as_str(), fresh.after), ("[]\n/usr\n", After::Kept));
        std::fs::write(&flag, "").unwrap();
    };
    let (long, ()) = tokio::join!(fixture.until(long, &never), beside);
    assert_eq!((long.outcome.output.text.as_str(), long.after), ("1\n", After::Isolated));
    assert_eq!(fixture.text("echo $x; pwd").await, "2\n/usr\n");
    std::fs::remove_file(flag).unwrap();
}

/// Before it is given away a shell writes down what it knows, and the next one knows it too.
#[tokio::test]
async fn a_copy_of_a_shell_stays() {
    let fixture = fixture("/bin/bash");
    fixture.text("x='a b'\"'\"$'\\n'; export Y=2; a=(1 2); declare -A m=([k]=v); f() { echo \"f $1\"; }; alias hi='echo hi'; readonly R=3; cd /usr").await;
    let (flag, wait) = fixture.until_flag();
    let (hold, never) = (Arc::new(Hold::saving()), CancellationToken::new());
    let long = Call { hold: Arc::clone(&hold), ..Call::new(format!("z=9; {wait}; echo $x")) };
    let beside = async {
        while marked(&fixture.mark).len() < 2 {
            tokio::time::sleep(Duration::from_millis(5)).await;
        }
        assert_eq!(fixture.shells.give_away(&hold, Some("/tmp".into())), Given::Copied("/tmp".into()));
        let known =
            fixture.text("echo \"$x|$Y|${a[1]}|${m[k]}|$R|[$z]\"; f 1; sh -c 'echo $Y'; pwd; alias hi").await;
        assert_eq!(known, "a b'\n|2|2|v|3|[]\nf 1\n2\n/tmp\nalias hi='echo hi'\n");
        std::fs::write(&flag, "").unwrap();
    };
    let (long, ()) = tokio::join!(fixture.until(long, &never), beside);
    assert_eq!(long.outcome.output.text, "a b'\n");
    std::fs::remove_file(flag).unwrap();
}
