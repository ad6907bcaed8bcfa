//! Taking the terminal over and giving it back.

use omp_testkit::{Reply, Server, Wire};

use super::Screen;

/// What is on while the program runs, and how it is turned off.
const MODES: [(&str, &str); 2] = [("\x1b[?2004h", "\x1b[?2004l"), ("\x1b[?1004h", "\x1b[?1004l")];

fn given_back(bytes: &[u8]) {
    let text = String::from_utf8_lossy(bytes);
    for (on, off) in MODES {
        let last_on = text.rfind(on).unwrap_or_else(|| panic!("{on:?} was never on"));
        assert!(text.rfind(off).is_some_and(|off| off > last_on), "{off:?}");
    }
    assert!(text.rfind("\x1b[?25h").is_some(), "the cursor is shown");
}

#[test]
fn the_terminal_is_given_back() {
    let (terminal, ..) = Screen::new([Reply::new()], &[]).leave();
    given_back(&terminal.bytes());
    let mut screen = Screen::new([Reply::new()], &[]);
    let pid = nix::unistd::Pid::from_raw(i32::try_from(screen.terminal.pid()).unwrap());
    nix::sys::signal::kill(pid, nix::sys::signal::Signal::SIGTERM).unwrap();
    screen.terminal.wait_exit();
    given_back(&screen.terminal.bytes());
}

/// proves: TUI-079
#[test]
fn one_press_clears_and_two_leave() {
    let mut screen = Screen::new([Reply::new()], &[]);
    screen.send("some text").wait_for("some text").send("\x03").wait_for("Ask anything");
    std::thread::sleep(std::time::Duration::from_millis(700));
    screen.send("more").wait_for("more").send("\x03").wait_for("Ask anything");
    assert!(screen.terminal.screen().contains("again to leave"));
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
    screen.wait_for("No model is available").wait_for("omp login");
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
    screen.terminal.wait_for_bytes(b"STOPPED 148");
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
