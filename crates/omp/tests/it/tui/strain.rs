//! The terminal under strain: slow and fast replies, odd sizes, odd terminals, odd text, storms of signals.

use std::time::Duration;

use nix::sys::signal::{Signal, kill};
use nix::unistd::Pid;
use omp_testkit::terminal::{Answers, Manner, Terminal};
use omp_testkit::{Home, Reply, Server, Wire};
use serde_json::json;

use super::Screen;
use crate::support;

fn count(bytes: &[u8], wanted: &str) -> usize {
    bytes.windows(wanted.len()).filter(|window| *window == wanted.as_bytes()).count()
}

/// A reply whose pieces come one by one, with a pause between them.
fn trickle(pieces: usize, pause: u64) -> (String, Reply) {
    let text: String = (0..pieces).map(|number| format!("w-{number:03} ")).collect();
    let mut reply = Reply::new().text(&format!("{text}ending")).delta_size(6);
    for event in 1..pieces {
        reply = reply.stall_after_event(event, Duration::from_millis(pause));
    }
    // What the end of a reply changes on the screen comes after its last words.
    reply = reply.stall_after_event(pieces + 2, Duration::from_millis(500));
    (text, reply)
}

/// As models really speak: what is written stays below three bytes for each byte of text, the screen is never erased, and
/// what turns stands still meanwhile.
#[test]
fn a_reply_that_trickles_is_cheap() {
    trickles(Answers::None);
}

/// The same where each frame is put into brackets.
#[test]
fn a_reply_that_trickles_is_cheap_in_brackets() {
    trickles(Answers::Everything(Manner::Promptly));
}

fn trickles(answers: Answers) {
    let (text, reply) = trickle(80, 15);
    let server = Server::start([reply]);
    let home = support::home(&server, Wire::OpenAiCompletions);
    let command = home.terminal_command(env!("CARGO_BIN_EXE_omp"));
    let mut terminal = Terminal::start(command, 30, 100, answers);
    terminal.wait_for("Ask anything").send("go").wait_for("go").send("\r").wait_for("w-001");
    let before = terminal.bytes().len();
    terminal.wait_for("ending");
    let written = &terminal.bytes()[before..];
    assert_eq!(count(written, "\x1b[?2026h") > 0, answers != Answers::None);
    let shown = String::from_utf8_lossy(written);
    assert!(written.len() <= 3 * text.len(), "{} for {}: {shown:?}", written.len(), text.len());
    for never in ["\x1b[2J", "\x1b[3J", "\x1b[H", "\x1b[?1049h"] {
        assert_eq!(count(written, never), 0, "{never:?}");
    }
}

/// From one cell to a wall: nothing panics, and back at a usual size everything is there, once.
///
/// proves: TUI-090
#[test]
fn sizes_that_nobody_has() {
    let answer: String = (0..400).map(|number| format!("line-{number:03} of the answer\n\n")).collect();
    let mut reply = Reply::new().text(&answer).delta_size(40);
    for event in (1..200).step_by(4) {
        reply = reply.stall_after_event(event, Duration::from_millis(5));
    }
    let mut screen = Screen::new([reply], &[]);
    screen.say("go").wait_for("line-00");
    let mut seed = 7_u32;
    let mut random = |most: u16| {
        seed = seed.wrapping_mul(1_664_525).wrapping_add(1_013_904_223);
        u16::try_from(seed >> 16).unwrap() % most + 1
    };
    for step in 0..1000 {
        let (rows, columns) = match step % 100 {
            0 => (1, 1),
            1 => (200, 500),
            2 => (1, 200),
            3 => (60, 1),
            _ => (random(50), random(150)),
        };
        screen.terminal.resize(rows, columns);
    }
    screen.terminal.resize(1, 1);
    screen.send("x");
    screen.terminal.resize(30, 100);
    screen.wait_for("line-399").wait_for("│ x").terminal.wait_without("Working");
    let history = screen.terminal.history();
    let shown: Vec<&str> =
        history.iter().map(|row| row.trim()).filter(|row| row.contains("of the answer")).collect();
    let wanted: Vec<String> = (0..400).map(|number| format!("line-{number:03} of the answer")).collect();
    assert_eq!(shown, wanted);
    let banner = history.iter().filter(|row| row.contains("omp 0.")).count();
    assert_eq!(banner, 1, "{history:?}");
}

/// Terminals that say nothing, everything, everything byte by byte, or too late: what is typed arrives, answers do not.
#[test]
fn answers_never_become_text() {
    let manners = [Manner::Promptly, Manner::ByteByByte, Manner::Late];
    let all = manners.map(Answers::Everything).into_iter().chain([Answers::None, Answers::Kind]);
    for answers in all {
        let server = Server::start([Reply::new().text("understood")]);
        let home = support::home(&server, Wire::OpenAiCompletions);
        let command = home.terminal_command(env!("CARGO_BIN_EXE_omp"));
        let mut terminal = Terminal::start(command, 30, 100, answers);
        terminal.wait_for("Ask anything").send("ty").wait_for("│ ty");
        if matches!(answers, Answers::Everything(_)) {
            // The kitty keyboard was offered and is taken, however its offer came.
            terminal.wait_for_bytes(b"\x1b[>7u");
        }
        terminal.send("ped").wait_for("│ typed ").send("\r").wait_for("understood");
        assert_eq!(super::last_prompt(&server).trim(), "typed", "{answers:?}");
        let shown = terminal.history().join("\n");
        for part in ["62;22", "rgb:", "$y", "p=title", "i=31"] {
            assert!(!shown.contains(part), "{answers:?}: {shown}");
        }
        terminal.send("\x03").wait_for("again to exit").send("\x03");
        assert!(terminal.wait_exit().success());
    }
}

/// Ten megabytes at once: folded, and sent whole if that is wanted.
#[test]
fn a_paste_of_ten_megabytes() {
    let line = "a line of a very long text that somebody has pasted by mistake\n";
    let text = line.repeat(10_000_000 / line.len());
    let mut screen = Screen::new([Reply::new().text("read")], &[]);
    screen.send("before ").wait_for("before").send(&format!("\x1b[200~{text}\x1b[201~"));
    screen.wait_for("Pasted ").send("\x1b").wait_for("│ before [").send(" after").wait_for("after");
    screen.send("\x15").wait_for("Ask anything");
    screen.say("short").wait_for("read");
    screen.leave();
}

/// Everything that programs print and terminals obey: shown as text, obeyed by nobody.
#[test]
fn output_of_tools_is_never_obeyed() {
    let nasty = [
        "\\033[2J\\033[3J\\033[H",
        "\\033]0;stolen-title\\007",
        "\\033]52;c;c3RvbGVu\\007",
        "\\033[?1049h\\033[?25l",
        "\\033[6n\\033[c\\033P+q544e\\033\\\\",
        "\\033(0lqqk\\033(B\\016so\\017",
        "\\033[31mcoloured\\033[0m",
        "over\\rwritten tab\\there bell\\007 back\\010\\010 nul\\000 c1\\302\\233[2J",
        "family 👩‍👩‍👧‍👦 flag 🇩🇪 heart ❤️ combining e\\314\\201 wide 日本語 rtl שלום مرحبا",
        "\\342\\200\\256override\\342\\200\\254",
        "bytes \\377\\376 that are not text",
    ];
    let command = format!("printf '{}\\n'; echo last-row", nasty.join("\\n"));
    let bash = Reply::new().tool_call("bash", json!({"_i": "print", "command": command}));
    let mut screen = Screen::sized([bash, Reply::new().text("Seen it.")], &[], 50, 100);
    let before = screen.terminal.bytes().len();
    screen.say("go").wait_for("last-row").wait_for("Seen it.");
    let bytes = screen.terminal.bytes()[before..].to_vec();
    for never in [
        "\x1b[2J\x1b[3J",
        "stolen-title\x07",
        "\x1b]0;stolen",
        "\x1b]52",
        "\x1b[?1049h",
        "\x1b[6n",
        "\x1b[c",
        "\x1bP+q",
        "\x1b(0",
        "\x0e",
        "\u{9b}",
        "\u{202e}",
        "\0",
    ] {
        assert_eq!(count(&bytes, never), 0, "{never:?}");
    }
    let shown = screen.terminal.screen();
    for row in shown.lines().filter(|row| row.contains('│')) {
        assert!(row.trim_end().chars().count() <= 100, "{row}");
    }
    for wanted in ["coloured", "日本語", "שלום", "last-row"] {
        assert!(shown.contains(wanted), "{wanted}: {shown}");
    }
    screen.leave();
}

/// A shell around the program that says, when it is over, whether the terminal is as it was.
fn in_shell(home: &Home, after: &str) -> std::process::Command {
    let omp = env!("CARGO_BIN_EXE_omp");
    let script = format!(
        "set -m; stty -g > before; {omp} & echo $! > pid; fg; {after} \
         until [ \"$(stty -g)\" = \"$(cat before)\" ]; do sleep 0.02; done; echo SAME-AGAIN; sleep 60"
    );
    let mut command = home.terminal_command("bash");
    command.args(["--norc", "-i", "-c", &script]);
    command
}

fn pid(home: &Home) -> Pid {
    Pid::from_raw(home.read("work/pid").trim().parse().unwrap())
}

/// However the program is ended, with a reply under way: the shell's terminal is as it was, and its cursor is visible.
#[test]
fn the_shell_is_usable_after_every_end() {
    for signal in [Signal::SIGHUP, Signal::SIGTERM, Signal::SIGINT, Signal::SIGQUIT, Signal::SIGKILL] {
        let (_, reply) = trickle(90, 30);
        let server = Server::start([reply]);
        let home = support::home(&server, Wire::OpenAiCompletions);
        let command = in_shell(&home, "");
        let mut screen = Screen::with(command, home, server, 30, 100);
        screen.say("go").wait_for("w-001");
        let before = screen.terminal.bytes().len();
        kill(pid(&screen.home), signal).unwrap();
        screen.wait_for("SAME-AGAIN");
        screen.terminal.wait_for_bytes(b"\x1b[?2004l");
        let bytes = screen.terminal.bytes()[before..].to_vec();
        for undone in ["\x1b[?25h", "\x1b[?2004l", "\x1b[?1004l", "\x1b[?7h", "\x1b[23;0t"] {
            assert!(count(&bytes, undone) > 0, "{signal}: {undone:?}");
        }
    }
}

/// Stopped from outside in the middle of a reply: the shell gets its terminal back; and when it goes on, so do we.
///
/// proves: TUI-067
#[test]
fn stopped_from_outside() {
    for signal in [Signal::SIGTSTP, Signal::SIGSTOP] {
        let (_, reply) = trickle(30, 20);
        let server = Server::start([reply]);
        let home = support::home(&server, Wire::OpenAiCompletions);
        let command = in_shell(&home, "stty -a > stopped; echo STOPPED; read -r _; fg;");
        let mut screen = Screen::with(command, home, server, 30, 100);
        screen.say("go").wait_for("w-001");
        kill(pid(&screen.home), signal).unwrap();
        screen.terminal.wait_for_bytes(b"STOPPED");
        let modes = screen.home.read("work/stopped");
        assert!(modes.contains("isig icanon iexten echo "), "{signal}: {modes}");
        let given_back = count(&screen.terminal.bytes(), "\x1b[?2004l");
        assert_eq!(given_back, usize::from(signal == Signal::SIGTSTP), "{signal}");
        // The shell goes on with it; what came meanwhile is there, and so is what is typed now.
        screen.send("\r").wait_for("ending").send("typed").wait_for("│ typed");
        assert!(count(&screen.terminal.bytes(), "\x1b[?2004h") >= 2, "{signal}");
        screen.send("\x15").wait_for("Ask anything").send("\x04").wait_for("SAME-AGAIN");
    }
}

/// Ctrl+Z where no shell waits stops nothing.
#[test]
fn without_a_shell_there_is_nothing_to_go_back_to() {
    let mut screen = Screen::new([Reply::new()], &[]);
    screen.send("\x1a").wait_for("cannot suspend").send("still here").wait_for("still here");
}
