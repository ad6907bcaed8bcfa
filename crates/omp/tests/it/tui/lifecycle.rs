//! Taking the terminal over and giving it back.

use omp_testkit::terminal::Terminal;
use omp_testkit::{Reply, Server, Wire};

use super::Screen;

/// What is on while the program runs, and how it is turned off.
const MODES: [(&str, &str); 2] = [("\x1b[?2004h", "\x1b[?2004l"), ("\x1b[?1004h", "\x1b[?1004l")];

fn given_back(terminal: &Terminal) {
    MODES.iter().for_each(|(_, off)| terminal.wait_for_bytes(off.as_bytes()));
    let bytes = terminal.bytes();
    let text = String::from_utf8_lossy(&bytes);
    for (on, off) in MODES {
        let last_on = text.rfind(on).unwrap_or_else(|| panic!("{on:?} was never on"));
        assert!(text.rfind(off).is_some_and(|off| off > last_on), "{off:?}");
    }
    assert!(text.rfind("\x1b[?25h").is_some(), "the cursor is shown");
}

#[test]
fn the_terminal_is_given_back() {
    let (terminal, ..) = Screen::new([Reply::new()], &[]).leave();
    given_back(&terminal);
    let mut screen = Screen::new([Reply::new()], &[]);
    let pid = nix::unistd::Pid::from_raw(i32::try_from(screen.terminal.pid()).unwrap());
    nix::sys::signal::kill(pid, nix::sys::signal::Signal::SIGTERM).unwrap();
    screen.terminal.wait_exit();
    given_back(&screen.terminal);
}

/// proves: TUI-079
#[test]
fn one_press_clears_and_two_leave() {
    let mut screen = Screen::new([Reply::new()], &[]);
    screen.send("some text").wait_for("some text").send("\x03").wait_for("Ask anything");
    std::thread::sleep(std::time::Duration::from_millis(700));
    screen.send("more").wait_for("more").send("\x03").wait_for("Ask anything");
    assert!(screen.terminal.screen().contains("again to exit"));
    screen.send("\x03");
    assert!(screen.terminal.wait_exit().success());
}

/// proves: TUI-087
#[test]
fn a_new_width_wraps_everything_anew() {
    let words = "several words that are wrapped ".repeat(12);
    let mut screen = Screen::new([Reply::new().text(&words)], &[]);
    screen.say("go").wait_for("wrapped");
    screen.terminal.resize(30, 50);
    screen.terminal.wait_until("narrow rows", |shown| {
        shown.contains("Ask anything") && shown.lines().all(|line| line.trim_end().chars().count() <= 50)
    });
    let history = screen.terminal.history().join("\n");
    assert_eq!(history.matches("omp 0.").count(), 1, "{history}");
}

#[test]
fn without_a_model_the_way_to_one_is_shown() {
    let home = omp_testkit::Home::new();
    let server = Server::start([Reply::new()]);
    let mut screen = Screen::in_home(home, server, &[], 30, 100);
    screen.wait_for("No model available").wait_for("/login or /setup");
    screen.leave();
}

/// proves: TUI-067
#[test]
fn the_program_sleeps_and_wakes() {
    let server = Server::start([Reply::new()]);
    let home = crate::support::home(&server, Wire::OpenAiCompletions);
    let omp = env!("CARGO_BIN_EXE_omp");
    let mut command = home.terminal_command("bash");
    command.args([
        "--norc",
        "-i",
        "-c",
        &format!("set -m; {omp}; echo STOPPED $?; fg; echo ENDED $?; sleep 60"),
    ]);
    let mut screen = Screen::with(command, home, server, 30, 100);
    screen.send("a draft").wait_for("a draft").send("\x1a");
    screen.terminal.wait_for_bytes(b"STOPPED 147");
    // The shell goes on with it at once; the draft is still there.
    screen.send(" and more").wait_for("a draft and more");
}

/// The modes come back even when nobody can say goodbye.
#[test]
fn a_killed_program_leaves_a_usable_terminal() {
    let mut screen = Screen::new([Reply::new()], &[]);
    let pid = nix::unistd::Pid::from_raw(i32::try_from(screen.terminal.pid()).unwrap());
    nix::sys::signal::kill(pid, nix::sys::signal::Signal::SIGKILL).unwrap();
    screen.terminal.wait_exit();
    screen.terminal.wait_for_bytes(b"\x1b[?2004l");
}

/// proves: TUI-066
#[test]
fn the_window_has_a_title() {
    let mut screen = Screen::new([Reply::new().text("hello")], &[]);
    screen.terminal.wait_for_bytes(b"\x1b[22;0t");
    screen.terminal.wait_for_bytes(b"\x1b]0;omp: work\x1b\\");
    screen.say("hi").wait_for("hello");
    screen.say("/rename Another name").wait_for("Session renamed");
    screen.terminal.wait_for_bytes(b"\x1b]0;omp: Another name\x1b\\");
    screen.say("/new").wait_for("New session started");
    screen.terminal.wait_until("the title", |_| true);
    let (terminal, ..) = screen.leave();
    let bytes = terminal.bytes();
    let text = String::from_utf8_lossy(&bytes);
    assert_eq!(text.matches("\x1b]0;omp: work\x1b\\").count(), 2, "also for the new session");
    assert!(text.contains("\x1b[23;0t"), "the title before is back");
}

/// proves: TUI-046, TUI-068
#[test]
fn whoever_looks_elsewhere_is_told_about_the_end() {
    for (variable, answer, wanted) in [
        ("on", "", Some("\x07")),
        ("on", "\x1b]99;i=omp:p=?;p=title,body:a=focus\x1b\\", Some("\x1b]99;i=omp:d=0:p=title;omp")),
        ("off", "", None),
        ("0", "", None),
        ("false", "", None),
    ] {
        let server =
            Server::start([Reply::new().text("hello").delay_before(std::time::Duration::from_millis(200))]);
        let home = crate::support::home(&server, Wire::OpenAiCompletions);
        let mut command = home.terminal_command(env!("CARGO_BIN_EXE_omp"));
        command.env("PI_NOTIFICATIONS", variable);
        let mut screen = Screen::with(command, home, server, 30, 100);
        screen.send(answer).say("hi").send("\x1b[O").wait_for("hello");
        screen.terminal.wait_without("Working");
        let (terminal, ..) = screen.leave();
        let bytes = terminal.bytes();
        let text = String::from_utf8_lossy(&bytes);
        match wanted {
            Some(wanted) => assert!(text.contains(wanted), "{variable} {answer:?}"),
            None => {
                for notice in ["\x07", "\x1b]9;", "\x1b]99;i=omp:d", "\x1b]777;"] {
                    assert!(!text.contains(notice), "{variable}: {notice:?}");
                }
            }
        }
    }
}
