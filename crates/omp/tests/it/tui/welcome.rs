//! What the program begins with.

use std::fs::File;
use std::time::{Duration, SystemTime};

use omp_testkit::{Home, Reply, Server, Wire};

use super::Screen;
use super::picker::begun;
use crate::support;

fn world(count: usize) -> (Home, Server) {
    let replies: Vec<Reply> =
        (1..=count).map(|number| Reply::new().text(&format!("answer-{number}."))).collect();
    let server = Server::start(replies);
    (support::home(&server, Wire::OpenAiCompletions), server)
}

/// proves: SES-139
#[test]
fn recent_sessions_are_named_with_their_age() {
    let (home, server) = world(4);
    let work = home.work_dir();
    let hour = Duration::from_secs(3600);
    for (words, hours) in [("middle one", 5), ("oldest one", 50), ("newest one", 2)] {
        let file = begun(&home, &work, words);
        let file = File::options().write(true).open(file).unwrap();
        file.set_modified(SystemTime::now() - hour * hours).unwrap();
    }
    let other = home.path("other");
    std::fs::create_dir(&other).unwrap();
    begun(&home, &other, "elsewhere");
    let screen = Screen::in_home(home, server, &[], 30, 100);
    let shown = screen.terminal.screen();
    let rows: Vec<String> = shown
        .lines()
        .filter(|row| row.trim_end().ends_with(" ago"))
        .map(|row| row.split_whitespace().collect::<Vec<_>>().join(" "))
        .collect();
    assert_eq!(rows, ["newest one 2h ago", "middle one 5h ago", "oldest one 2d ago"], "{shown}");
}

/// proves: TUI-070
#[test]
fn the_first_screen_has_everything_in_its_place() {
    let (home, server) = world(1);
    home.write("home/.omp/agent/keybindings.yml", "app.tools.expand: Ctrl+Nonsense\n");
    home.write("home/.omp/agent/last-changelog-version", "0.0.1");
    home.write(
        "news/CHANGELOG.md",
        "# Changelog\n\n## 0.1.0\n\n- a new thing\n\n## 0.0.1\n\n- an old thing\n",
    );
    let mut command = home.terminal_command(env!("CARGO_BIN_EXE_omp"));
    command.env("PI_PACKAGE_DIR", home.path("news"));
    let mut screen = Screen::with(command, home, server, 40, 100);
    screen.wait_for("Ctrl+Nonsense");
    let shown = screen.terminal.screen();
    let place = |text: &str| shown.find(text).unwrap_or_else(|| panic!("no {text:?} in:\n{shown}"));
    let editor = place("Ask anything");
    for above in
        ["omp 0.1.0", "test/scripted", "/help: commands", "What's new", "a new thing", "Ctrl+Nonsense"]
    {
        assert!(place(above) < editor, "{above}: {shown}");
    }
    assert!(!shown.contains("an old thing"), "{shown}");
    // What is typed goes to the editor.
    screen.send("typed").wait_for("│ typed");
}

/// proves: CLI-068
#[test]
fn what_is_new_is_told_once() {
    let (home, server) = world(1);
    begun(&home, &home.work_dir(), "about apples");
    let marker = "home/.omp/agent/last-changelog-version";
    home.write(
        "news/CHANGELOG.md",
        "# Changelog\n\n## 0.1.0\n\n- a new thing\n\n## 0.0.9\n\n- another\n\n## 0.0.1\n\n- old\n",
    );
    let start = |home: Home, server: Server, arguments: &[&str]| {
        let mut command = home.terminal_command(env!("CARGO_BIN_EXE_omp"));
        command.args(arguments).env("PI_PACKAGE_DIR", home.path("news"));
        let screen = Screen::with(command, home, server, 40, 100);
        let shown = screen.terminal.screen();
        let (_, server, home) = screen.leave();
        (shown, home, server)
    };
    // The first start ever has nothing to compare with.
    let (shown, home, server) = start(home, server, &[]);
    assert!(!shown.contains("What's new"), "{shown}");
    assert_eq!(home.read(marker), "0.1.0");
    home.write(marker, "0.0.1");
    // Who goes on with a session wants to go on.
    let (shown, home, server) = start(home, server, &["-c"]);
    assert!(!shown.contains("What's new") && home.read(marker) == "0.0.1", "{shown}");
    let (shown, home, server) = start(home, server, &[]);
    assert!(shown.contains("a new thing") && shown.contains("another") && !shown.contains("old"), "{shown}");
    assert_eq!(home.read(marker), "0.1.0");
    let (shown, home, server) = start(home, server, &[]);
    assert!(!shown.contains("a new thing"), "{shown}");
    home.write(marker, "0.0.1");
    home.write("home/.omp/agent/config.yml", "collapseChangelog: true\n");
    let (shown, home, _) = start(home, server, &[]);
    assert!(shown.contains("Updated to 0.1.0.") && !shown.contains("a new thing"), "{shown}");
    assert_eq!(home.read(marker), "0.1.0");
}

/// Nothing but notices, if that is wanted.
#[test]
fn a_quiet_start_says_only_what_matters() {
    let (home, server) = world(1);
    begun(&home, &home.work_dir(), "about apples");
    home.write("home/.omp/agent/config.yml", "startup:\n  quiet: true\n");
    home.write("home/.omp/agent/keybindings.yml", "app.tools.expand: Ctrl+Nonsense\n");
    let mut screen = Screen::in_home(home, server, &[], 30, 100);
    screen.wait_for("Ctrl+Nonsense");
    let shown = screen.terminal.screen();
    assert!(
        !shown.contains("omp 0.1.0") && !shown.contains("about apples") && !shown.contains("/help"),
        "{shown}"
    );
}

/// proves: CLI-048
#[test]
fn a_prompt_of_the_command_line_is_sent_when_the_screen_is_up() {
    let replies = [Reply::status(400), Reply::new().text("Second answer.")];
    let server = Server::start(replies);
    let home = support::home(&server, Wire::OpenAiCompletions);
    let mut screen = Screen::in_home(home, server, &["explain this"], 30, 100);
    screen.wait_for("explain this").wait_for("400").wait_for("Ask anything");
    // The session stays open.
    screen.say("again").wait_for("Second answer.");
    let requests = screen.server.requests();
    assert_eq!(support::last_user(&requests[0].body), "explain this");
    let (shown, ..) = screen.leave();
    assert!(shown.screen().contains("Second answer."));
}

/// What the folder holds, what could be asked for in it, and another tip after each session. A low screen has the first only.
/// proves: CLI-266
#[test]
fn the_first_screen_fits_the_folder() {
    let (home, server) = world(1);
    home.write("work/Cargo.toml", "");
    let mut screen = Screen::in_home(home, server, &[], 30, 100);
    let shown = screen.terminal.screen();
    for row in [
        "Rust project · tests: cargo test · build: cargo build",
        "Explain how this project is structured",
        "Run cargo test and fix what fails",
        "Review my uncommitted changes",
        "Tip: @ mentions a file",
    ] {
        assert!(shown.contains(row), "{row}: {shown}");
    }
    screen.say("hello").wait_for("answer-1.").terminal.wait_without("Working");
    let (_, server, home) = screen.leave();
    let file = &crate::sessions::session_files(&home)[0];
    let second = SystemTime::UNIX_EPOCH + Duration::from_secs(14 * 100_000_000 + 1);
    File::options().write(true).open(file).unwrap().set_modified(second).unwrap();
    let low = Screen::in_home(home, server, &[], 15, 40);
    let shown = low.terminal.screen();
    assert!(shown.contains("Rust project") && !shown.contains("Tip:") && !shown.contains("Try"), "{shown}");
    assert!(shown.contains("Ctrl+C twice: exit"), "no hint is cut: {shown}");
    let (_, server, home) = low.leave();
    let shown = Screen::in_home(home, server, &[], 30, 100).terminal.screen();
    assert!(shown.contains("Tip: ! runs a shell command"), "{shown}");
}

/// A session that does not work where it was started says where it works, and why.
#[test]
fn a_start_at_home_is_explained() {
    let (home, server) = world(1);
    home.write("home/tmp/keep", "");
    let mut command = home.terminal_command(env!("CARGO_BIN_EXE_omp"));
    command.current_dir(home.home_dir());
    let mut screen = Screen::with(command, home, server, 30, 100);
    screen.wait_for("Started in your home directory: working in").wait_for("--allow-home to stay");
}
