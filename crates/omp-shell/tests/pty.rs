//! Commands on a pseudo-terminal.

mod support;

use std::path::PathBuf;
use std::sync::{Arc, Mutex};
use std::time::Duration;

use omp_shell::pty::{self, Color, PtySpec, Size, Terminal};
use omp_shell::{CommandOutcome, Ending, Limits, Scope, Spill};
use support::{DETACH, assert_no_survivors, environment, unique_mark};
use tokio_util::sync::CancellationToken;

fn spec(mark: &str, command: &str) -> PtySpec {
    PtySpec {
        command: command.to_owned(),
        shell: PathBuf::from("/bin/bash"),
        cwd: PathBuf::from("/"),
        environment: environment(mark),
        size: Size::default(),
        timeout: Some(Duration::from_secs(60)),
        limits: Limits::default(),
        spill: None,
        confined: None,
    }
}

async fn run(command: &str) -> CommandOutcome {
    let (scope, mark) = (Scope::new(), unique_mark("pty"));
    pty::run(&scope, spec(&mark, command), &CancellationToken::new(), |_| {}).await
}

/// Runs a command, and something beside it that has the terminal.
async fn with<T>(spec: PtySpec, beside: impl AsyncFnOnce(Terminal) -> T) -> (CommandOutcome, T) {
    let scope = Scope::new();
    let (sender, receiver) = tokio::sync::oneshot::channel();
    let cancel = CancellationToken::new();
    let command = pty::run(&scope, spec, &cancel, |terminal| sender.send(terminal).unwrap());
    let beside = async { beside(receiver.await.unwrap()).await };
    tokio::join!(command, beside)
}

/// Waits until the screen shows that text.
async fn shows(terminal: &Terminal, text: &str) {
    let mut changes = terminal.changes();
    while !terminal.screen().text().contains(text) {
        changes.changed().await.unwrap();
    }
}

#[tokio::test]
async fn the_command_has_a_terminal_of_its_own() {
    let outcome = run("tty; test -t 0 -a -t 1 -a -t 2 && echo terminal; echo $TERM; stty size; ps -o tty= -p $$ | wc -w; echo x >/dev/tty").await;
    assert_eq!(outcome.ending, Ending::Exited(0), "{}", outcome.output.text);
    let lines: Vec<&str> = outcome.output.text.lines().collect();
    assert!(lines[0].starts_with("/dev/pts/"), "{lines:?}");
    assert_eq!(lines[1..], ["terminal", "xterm-256color", "24 80", "1", "x"], "with a controlling terminal");
}

#[tokio::test]
async fn endings_are_told() {
    assert_eq!(run("exit 3").await.ending, Ending::Exited(3));
    assert_eq!(run("kill -9 $$").await.ending, Ending::Signaled(9));
}

#[tokio::test]
async fn line_ends_become_newlines_and_sequences_vanish() {
    let outcome = run(r"printf 'a\r\nb\rc\n\033[31mred\033[0m\033]0;title\007 \033[?2004h.\n'").await;
    assert_eq!(outcome.output.text, "a\nb\nc\nred .\n");
}

#[derive(Clone, Default)]
struct Memory(Arc<Mutex<String>>);

impl Spill for Memory {
    fn write(&mut self, text: &str) -> std::io::Result<()> {
        self.0.lock().unwrap().push_str(text);
        Ok(())
    }

    fn finish(&mut self) -> std::io::Result<String> {
        Ok("7".to_owned())
    }
}

#[tokio::test]
async fn a_long_output_is_bounded_and_kept() {
    let (scope, mark, memory) = (Scope::new(), unique_mark("pty-long"), Memory::default());
    let spec = PtySpec { spill: Some(Box::new(memory.clone())), ..spec(&mark, "seq 100000") };
    let outcome = pty::run(&scope, spec, &CancellationToken::new(), |_| {}).await;
    let whole: String = (1..=100_000).map(|number| format!("{number}\n")).collect();
    assert_eq!(outcome.output.total_bytes, whole.len() as u64);
    assert!(outcome.output.text.len() < 50_000);
    assert_eq!(outcome.output.spilled.unwrap().name, "7");
    assert_eq!(*memory.0.lock().unwrap(), whole);
}

/// Keys reach the command, and what it draws is on the screen.
#[tokio::test]
async fn keys_and_screen() {
    let mark = unique_mark("pty-keys");
    let command = r#"read -p 'name? ' name; printf '\033[2J\033[H\033[1;31mhello %s\033[0m' "$name"; read -rsn1 key; exit 5"#;
    let (outcome, screen) = with(spec(&mark, command), async |terminal| {
        shows(&terminal, "name?").await;
        terminal.write(b"world\r");
        shows(&terminal, "hello world").await;
        let screen = terminal.screen();
        terminal.write(b"q");
        screen
    })
    .await;
    assert_eq!(outcome.ending, Ending::Exited(5));
    assert_eq!(screen.text(), "hello world");
    let first = &screen.lines[0][0];
    assert_eq!(
        (first.text.as_str(), first.look.foreground, first.look.bold),
        ("hello world", Color::Indexed(1), true)
    );
    assert_eq!(screen.cursor, Some((11, 0)));
    assert_eq!(screen.lines.len(), 24);
}

/// A program that asks the terminal gets an answer.
#[tokio::test]
async fn questions_are_answered() {
    let command = r#"stty raw -echo; printf '\033[5;7H\033[6n'; IFS= read -rsd R place; stty sane; printf '%q\n' "$place""#;
    let outcome = run(command).await;
    assert!(
        outcome.output.text.contains("[5\\;7") || outcome.output.text.contains("[5;7"),
        "{}",
        outcome.output.text
    );
}

#[tokio::test]
async fn modes_are_seen() {
    let mark = unique_mark("pty-modes");
    let (_, screen) =
        with(spec(&mark, r"printf '\033[?1h\033[?2004h\033[?25lready'; read -r line"), async |terminal| {
            shows(&terminal, "ready").await;
            let screen = terminal.screen();
            terminal.write(b"\r");
            screen
        })
        .await;
    assert!(screen.application_cursor && screen.bracketed_paste && screen.cursor.is_none(), "{screen:?}");
}

#[tokio::test]
async fn a_resize_reaches_the_command() {
    let mark = unique_mark("pty-size");
    let command = "trap 'stty size; exit' WINCH; echo ready; while :; do sleep 0.01; done";
    let (outcome, ()) = with(spec(&mark, command), async |terminal| {
        shows(&terminal, "ready").await;
        terminal.resize(Size { columns: 100, rows: 30 });
        assert_eq!(terminal.screen().lines.len(), 30);
    })
    .await;
    assert!(outcome.output.text.contains("30 100"), "{}", outcome.output.text);
}

/// Ctrl+C is a key like any other: the terminal makes a signal of it.
///
/// The shell starts one short command after another. Between its last look at signals and the start of a command, bash
/// misses a signal that is trapped until that command ends: with one long `sleep`, 3 of 400 Ctrl+C were lost on a busy
/// machine at any terminal, without omp.
#[tokio::test]
async fn control_c_interrupts() {
    let mark = unique_mark("pty-int");
    let (outcome, ()) = with(
        spec(&mark, "trap 'echo caught; exit 9' INT; echo ready; for n in {1..1000}; do sleep 0.05; done"),
        async |terminal| {
            shows(&terminal, "ready").await;
            terminal.write(b"\x03");
        },
    )
    .await;
    assert_eq!(outcome.ending, Ending::Exited(9), "{}", outcome.output.text);
}

#[tokio::test]
async fn killing_leaves_nothing() {
    let mark = unique_mark("pty-kill");
    let command = format!("trap '' TERM HUP INT; ({DETACH} sleep 300 &); echo ready; sleep 300");
    let (outcome, ()) = with(spec(&mark, &command), async |terminal| {
        shows(&terminal, "ready").await;
        terminal.kill();
    })
    .await;
    assert_eq!(outcome.ending, Ending::Cancelled);
    assert_no_survivors(&mark, Duration::from_secs(5));
}

#[tokio::test]
async fn a_timeout_ends_the_command() {
    let (scope, mark) = (Scope::new(), unique_mark("pty-timeout"));
    let spec = PtySpec { timeout: Some(Duration::from_millis(300)), ..spec(&mark, "echo begun; sleep 300") };
    let outcome = pty::run(&scope, spec, &CancellationToken::new(), |_| {}).await;
    assert_eq!((outcome.ending, outcome.output.text.as_str()), (Ending::TimedOut, "begun\n"));
    assert_no_survivors(&mark, Duration::from_secs(5));
}

#[tokio::test]
async fn a_terminal_that_fails_is_said() {
    let (scope, mark) = (Scope::new(), unique_mark("pty-fails"));
    let spec = PtySpec { shell: PathBuf::from("/none/such"), ..spec(&mark, "true") };
    let outcome = pty::run(&scope, spec, &CancellationToken::new(), |_| panic!("nothing to show")).await;
    assert_eq!(outcome.ending, Ending::Lost);
    assert!(outcome.output.text.starts_with("PTY error: cannot start /none/such"), "{}", outcome.output.text);
}

/// A command that asks and never reads does not make us keep all the answers. The echo stays off to the end: answers
/// that are still on their way would otherwise be shown behind the last word.
#[tokio::test]
async fn a_command_that_only_asks_is_survived() {
    let outcome = run(r"stty raw -echo; for i in {1..20000}; do printf '\033[c'; done; echo over").await;
    assert_eq!(outcome.ending, Ending::Exited(0));
    assert!(outcome.output.text.ends_with("over\n"), "{:?}", outcome.output.text);
}

/// A command that ends while answers still wait, because nobody read the ones before, ends for us too. It asks slowly enough
/// for every answer to be written, until the terminal takes no more.
#[tokio::test]
async fn answers_that_nobody_takes_keep_nobody_waiting() {
    let command = r"stty raw -echo; asks=$(printf '\033[c%.0s' {1..100}); for i in {1..300}; do printf %s $asks; sleep 0.004; done; echo over";
    let outcome = run(command).await;
    assert_eq!(outcome.ending, Ending::Exited(0));
    assert!(outcome.output.text.ends_with("over\n"), "{:?}", outcome.output.text);
}

/// Whoever leaves the terminal for a moment finds it again, and a person sees it.
#[tokio::test]
async fn a_terminal_that_was_left_is_still_there() {
    let mark = unique_mark("pty-left");
    let command = "echo one; exec 0<&- 1>&- 2>&-; sleep 0.2; exec </dev/tty >/dev/tty; echo two; read -r line; echo three";
    let spec = PtySpec { timeout: Some(Duration::from_secs(10)), ..spec(&mark, command) };
    let (outcome, ()) = with(spec, async |terminal| {
        shows(&terminal, "two").await;
        terminal.write(b"\r");
    })
    .await;
    assert_eq!((outcome.ending, outcome.output.text.as_str()), (Ending::Exited(0), "one\ntwo\n\nthree\n"));
}
