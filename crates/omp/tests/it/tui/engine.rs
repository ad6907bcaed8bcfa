//! What the engine promises, seen from outside: cursor, logs, work per frame, crashes.

use std::time::Duration;

use nix::sys::signal::Signal;
use omp_testkit::terminal::{Answers, Terminal};
use omp_testkit::{Home, Reply, Server, Wire};

use super::Screen;
use crate::support;

fn with_variables(replies: Vec<Reply>, variables: &[(&str, &str)], settings: &str) -> Screen {
    let server = Server::start(replies);
    let home = support::home(&server, Wire::OpenAiCompletions);
    home.write("home/.omp/agent/config.yml", settings);
    let mut command = home.terminal_command(env!("CARGO_BIN_EXE_omp"));
    variables.iter().for_each(|(name, value)| _ = command.env(name, value));
    Screen::with(command, home, server, 30, 100)
}

fn has(bytes: &[u8], wanted: &str) -> bool {
    bytes.windows(wanted.len()).any(|window| window == wanted.as_bytes())
}

/// proves: TUI-045
#[test]
fn the_cursor_is_the_terminals_or_drawn() {
    let off = "showHardwareCursor: false\n";
    let table = [
        (None, "", true),
        (None, off, false),
        (Some("1"), "", true),
        (Some("1"), off, true),
        (Some("0"), "", false),
    ];
    for (variable, settings, hardware) in table {
        let variables: Vec<_> = variable.map(|value| ("PI_HARDWARE_CURSOR", value)).into_iter().collect();
        let mut screen = with_variables(vec![Reply::new()], &variables, settings);
        screen.send("abc").wait_for("abc").send("\x1b[D").send("d").wait_for("abdc");
        let bytes = screen.terminal.bytes();
        assert_eq!(has(&bytes, "\x1b[?25h"), hardware, "{variables:?} {settings}");
        let inverse = ["\x1b[7m", ";7m"].iter().any(|sequence| has(&bytes, sequence));
        assert_eq!(inverse, !hardware, "{variables:?} {settings}");
    }
}

/// proves: TUI-047
#[test]
fn frames_are_noted_in_a_log_and_not_on_the_screen() {
    let mut screen = with_variables(vec![Reply::new().text("hello")], &[("PI_DEBUG_REDRAW", "1")], "");
    screen.say("hi").wait_for("hello");
    let (terminal, _, home) = screen.leave();
    let log = home.read("home/.omp/logs/redraw.log");
    let mut lines = log.lines();
    let first = lines.next().expect("a frame");
    assert!(first.contains("FullPaint") && first.contains("committed=0 top=0"), "{first}");
    let intents = ["Nothing", "Cursor", "Diff", "ScrollAppend", "SeamRewrite", "FullPaint"];
    for line in log.lines() {
        let named = intents.iter().filter(|intent| line.contains(*intent)).count();
        assert!(named == 1 && line.contains(" committed=") && line.contains(" top="), "{line}");
    }
    assert!(lines.any(|line| line.contains("Diff")), "{log}");
    assert!(!terminal.history().join("\n").contains("committed="));
    let quiet = with_variables(vec![Reply::new()], &[("PI_DEBUG_REDRAW", "0")], "");
    assert!(!quiet.home.exists("home/.omp/logs/redraw.log"));
}

#[test]
fn what_the_terminal_gets_can_be_kept() {
    let server = Server::start([Reply::new().text("hello")]);
    let home = support::home(&server, Wire::OpenAiCompletions);
    let mut command = home.terminal_command(env!("CARGO_BIN_EXE_omp"));
    command.env("PI_TUI_WRITE_LOG", home.path("work/writes.bin"));
    let mut screen = Screen::with(command, home, server, 30, 100);
    screen.say("hi").wait_for("hello");
    let (terminal, _, home) = screen.leave();
    let (kept, bytes) = (home.read_bytes("work/writes.bin"), terminal.bytes());
    assert!(has(&kept, "hello"));
    let start = bytes.windows(64).position(|window| window == &kept[..64]).expect("the first write");
    assert!(bytes[start..].starts_with(&kept), "byte for byte what the terminal got");
}

/// A session of 5,000 messages, then a model that does not answer: what turns is drawn without asking the conversation for
/// anything, once in 80 milliseconds.
///
/// proves: TUI-085, TUI-098
#[test]
fn an_animation_does_not_touch_the_conversation() {
    let stalled = Reply::new().delay_before(Duration::from_secs(30));
    let server = Server::start([Reply::new().text("first"), stalled]);
    let home = support::home(&server, Wire::OpenAiCompletions);
    support::omp_run(&home, &["-p", "begin"]).assert_success();
    let file = crate::sessions::session_files(&home).remove(0);
    let mut text = std::fs::read_to_string(&file).unwrap();
    let last =
        text.lines().last().map(|line| serde_json::from_str::<serde_json::Value>(line).unwrap()).unwrap();
    let mut parent = last["id"].as_str().unwrap().to_owned();
    for number in 0..5_000 {
        let id = format!("{number:08x}");
        let line = serde_json::json!({"type": "message", "id": id, "parentId": parent, "timestamp": last["timestamp"],
            "message": {"role": "user", "content": format!("message number {number}"), "timestamp": 1}});
        text.push_str(&format!("{line}\n"));
        parent = id;
    }
    std::fs::write(&file, text).unwrap();
    let mut command = home.terminal_command(env!("CARGO_BIN_EXE_omp"));
    command.arg("-c").env("PI_DEBUG_REDRAW", "1");
    let mut screen = Screen::with(command, home, server, 30, 100);
    screen.say("go on").wait_for("Working").wait_for("(3s");
    screen.send("\x1b").wait_for("Aborted");
    let (_, _, home) = screen.leave();
    let log = home.read("home/.omp/logs/redraw.log");
    let number =
        |line: &str, name: &str| line.split(name).nth(1)?.split_whitespace().next()?.parse::<u64>().ok();
    let asked: Vec<u64> = log.lines().filter_map(|line| number(line, "blocks=")).collect();
    assert!(asked[0] > 1_000, "what is shown was drawn once: {asked:?}");
    let turning: Vec<u64> = log
        .lines()
        .filter(|line| number(line, "blocks=") == Some(0) && line.contains("Diff"))
        .filter_map(|line| line.split("ms ").next()?.parse().ok())
        .collect();
    assert!(turning.len() >= 4, "{log}");
    assert!(asked[1..].iter().all(|blocks| *blocks < 100), "{asked:?}");
    let slots: Vec<u64> = turning.iter().map(|moment| moment / 80).collect();
    assert!(slots.windows(2).filter(|pair| pair[0] == pair[1]).count() <= 1, "{turning:?}");
    assert!(slots.windows(2).any(|pair| pair[1] == pair[0] + 1), "{turning:?}");
}

/// What is typed while an answer streams as fast as it can appears before the answer ends.
///
/// proves: TUI-082
#[test]
fn typing_is_heard_while_an_answer_streams() {
    let answer: String = (0..60_000).map(|number| format!("word {number}, ")).collect();
    let mut screen = Screen::new([Reply::new().text(&answer).delta_size(6)], &[]);
    screen.say("go").send("typed-meanwhile");
    screen
        .terminal
        .wait_until("both", |shown| shown.contains("typed-meanwhile") && shown.contains("Working"));
}

/// A fault that no handler sees: the terminal is as it was, and a report says what happened. The same after a panic.
///
/// proves: TUI-166
#[test]
fn a_crash_leaves_a_terminal_and_a_report() {
    let server = Server::start([Reply::new()]);
    let home = support::home(&server, Wire::OpenAiCompletions);
    let omp = env!("CARGO_BIN_EXE_omp");
    let script = format!(
        "stty -g > before; {omp} & echo $! > pid; fg; until [ \"$(stty -g)\" = \"$(cat before)\" ]; do sleep 0.02; done; \
         echo SAME-AGAIN; sleep 60"
    );
    let mut command = home.terminal_command("bash");
    command.args(["--norc", "-i", "-c", &format!("set -m; {script}")]);
    let mut screen = Screen::with(command, home, server, 30, 100);
    let pid: i32 = screen.home.read("work/pid").trim().parse().unwrap();
    nix::sys::signal::kill(nix::unistd::Pid::from_raw(pid), Signal::SIGABRT).unwrap();
    screen.wait_for("SAME-AGAIN");
    screen.terminal.wait_for_bytes(b"\x1b[?2004l");
    let report = report_in(&screen.home);
    assert!(report.contains(env!("CARGO_PKG_VERSION")) && report.contains("unexpectedly"), "{report}");

    let home = Home::new();
    let mut command = support::omp(&home, &["-p", "x"]);
    command.env("OMP_DEBUG_PANIC", "1");
    let output = omp_testkit::run(command, Some(b""), support::LIMIT);
    let report = report_in(&home);
    assert!(output.stderr.contains("See "), "{}", output.stderr);
    assert!(report.contains("OMP_DEBUG_PANIC is set (crates/omp/src/launch.rs:"), "{report}");
}

/// The one report of a crash; the guardian may still be writing it.
fn report_in(home: &Home) -> String {
    let end = std::time::Instant::now() + Duration::from_secs(20);
    loop {
        let found = home.list_files().into_iter().find(|path| path.contains("/logs/crash-"));
        if let Some(text) = found.map(|path| home.read(path)).filter(|text| text.ends_with('\n')) {
            return text;
        }
        assert!(std::time::Instant::now() < end, "there is no report");
        std::thread::sleep(Duration::from_millis(10));
    }
}

/// In a terminal the timings come before the interface; with `x` they are all there is.
///
/// proves: CLI-066
#[test]
fn timings_come_before_the_interface() {
    let mut screen = with_variables(vec![Reply::new()], &[("PI_TIMING", "1")], "");
    let bytes = screen.terminal.bytes();
    let text = String::from_utf8_lossy(&bytes);
    let (timing, interface) = (text.find("Timing:"), text.find("\x1b[?2004h"));
    assert!(timing.is_some() && timing < interface, "{text}");
    for phase in ["settings", "session"] {
        assert!(text.contains(phase), "{text}");
    }
    screen.send("\x04");
    assert!(screen.terminal.wait_exit().success());

    let server = Server::start([Reply::new()]);
    let home = support::home(&server, Wire::OpenAiCompletions);
    let mut command = home.terminal_command(env!("CARGO_BIN_EXE_omp"));
    command.env("PI_TIMING", "x");
    let mut terminal = Terminal::start(command, 30, 100, Answers::Kind);
    assert!(terminal.wait_exit().success());
    assert!(
        terminal.screen().contains("Timing:") && !terminal.bytes().contains(&0x1b),
        "{}",
        terminal.screen()
    );

    // In print mode: after the prompts, a row for each.
    let server = Server::start([Reply::new().text("a"), Reply::new().text("b")]);
    let home = support::home(&server, Wire::OpenAiCompletions);
    let mut command = support::omp(&home, &["-p", "x", "y"]);
    command.env("PI_TIMING", "x");
    let output = omp_testkit::run(command, Some(b""), support::LIMIT);
    output.assert_success();
    assert_eq!(output.stdout, "b\n");
    for row in ["Timing:", "session", "prompt 1", "prompt 2"] {
        assert!(output.stderr.contains(row), "{}", output.stderr);
    }
}

/// proves: LOP-040
#[test]
fn a_retry_counts_down_and_says_when_it_gave_up() {
    let failing = || Reply::status(529).body(serde_json::json!({"error": {"message": "too busy today"}}));
    let settings = "retry:\n  maxRetries: 2\n  baseDelayMs: 400\n";
    let mut screen = with_variables((0..3).map(|_| failing()).collect(), &[], settings);
    screen.say("go").wait_for("Retrying (1/2) in 1s… (esc to cancel)").wait_for("too busy today");
    screen.wait_for("Retrying (2/2) in ").wait_for("Retry failed after 2 attempts: ");
    let shown = screen.terminal.screen();
    assert_eq!(shown.matches("too busy today").count(), 1, "one row, then one sentence: {shown}");
    screen.leave();

    let server = Server::start((0..3).map(|_| failing()).collect::<Vec<_>>());
    let home = support::home(&server, Wire::OpenAiCompletions);
    home.write("home/.omp/agent/config.yml", settings);
    let output = support::omp_run(&home, &["--mode", "json", "go"]);
    let lines = support::json_lines(&output);
    let starts: Vec<_> = lines.iter().filter(|line| line["type"] == "auto_retry_start").collect();
    assert_eq!((&starts[0]["attempt"], &starts[0]["maxAttempts"]), (&1.into(), &2.into()));
    assert!(starts[0]["delayMs"].as_u64().is_some() && starts.len() == 2, "{starts:?}");
    assert!(starts[0]["errorMessage"].to_string().contains("too busy today"), "{starts:?}");
    let end = lines.iter().find(|line| line["type"] == "auto_retry_end").expect("an end");
    assert_eq!((&end["success"], &end["attempt"]), (&false.into(), &2.into()));
    assert!(end["finalError"].to_string().contains("too busy today"), "{end}");
}

/// proves: IOP-007
#[test]
fn what_was_shown_of_a_broken_answer_stays_with_the_reason() {
    let half = Reply::new().text("half of a sentence").then_error("overloaded_error", "Overloaded today");
    let replies = vec![half, Reply::new().text("the whole answer")];
    let mut screen = with_variables(replies, &[], "retry:\n  baseDelayMs: 1000\n");
    screen.say("go").wait_for("half of a sentence").wait_for("Retrying (1/10) in 1s… (esc to cancel)");
    screen.wait_for("the whole answer").terminal.wait_without("Retrying");
    let shown = screen.terminal.screen();
    let at = |words: &str| shown.find(words).unwrap_or_else(|| panic!("{words} in {shown}"));
    assert!(at("half of a sentence") < at("Error: Overloaded today"), "{shown}");
    assert!(at("Error: Overloaded today") < at("the whole answer"), "{shown}");
    screen.leave();
}

/// proves: IOP-010
#[test]
fn a_file_is_attached_wherever_it_stands_in_what_is_typed() {
    let server = Server::start([Reply::new().text("seen")]);
    let home = support::home(&server, Wire::OpenAiCompletions);
    home.write("work/a.ts", "export const answer = 42;");
    let mut screen = Screen::in_home(home, server, &[], 30, 100);
    screen.say("look at @a.ts please").wait_for("seen");
    let body = screen.server.requests()[0].body.to_string();
    assert!(body.contains("export const answer = 42;"), "{body}");
    assert!(!screen.terminal.screen().contains("export const"), "what only the model needs is not shown");
    screen.leave();
}

/// proves: TUI-106
#[test]
fn another_branch_shows_in_the_status_line() {
    let server = Server::start([Reply::new()]);
    let home = support::home(&server, Wire::OpenAiCompletions);
    let git = |arguments: &[&str]| {
        let mut command = home.command("git");
        command.args(["-c", "init.defaultBranch=trunk", "-c", "user.name=a", "-c", "user.email=a@b"]);
        command.args(arguments);
        omp_testkit::run(command, Some(b""), support::LIMIT).assert_success();
    };
    git(&["init", "-q"]);
    git(&["commit", "-q", "--allow-empty", "-m", "one"]);
    let mut command = home.terminal_command(env!("CARGO_BIN_EXE_omp"));
    command.arg("--no-session");
    let mut terminal = Terminal::start(command, 30, 100, Answers::Kind);
    terminal.wait_for("Ask anything").wait_for("trunk");
    git(&["checkout", "-q", "-b", "elsewhere"]);
    terminal.wait_for("elsewhere").wait_without("trunk");
}

/// proves: CFG-064
#[test]
fn the_settings_of_read_are_there_and_obeyed() {
    let home = Home::new();
    for (key, value) in [
        ("read.defaultLimit", "300"),
        ("read.summarize.enabled", "true"),
        ("read.summarize.prose", "false"),
        ("read.toolResultPreview", "false"),
        ("readHashLines", "true"),
        ("readLineNumbers", "false"),
    ] {
        assert_eq!(support::omp_run(&home, &["config", "get", key]).stdout.trim(), value, "{key}");
    }
    for (settings, previewed) in [("", false), ("read:\n  toolResultPreview: true\n", true)] {
        let read = Reply::new().tool_call("read", serde_json::json!({"_i": "look", "path": "f.txt"}));
        let server = Server::start([read, Reply::new().text("Seen.")]);
        let home = support::home(&server, Wire::OpenAiCompletions);
        home.write("home/.omp/agent/config.yml", settings);
        home.write("work/f.txt", (1..=400).map(|line| format!("line-number-{line}\n")).collect::<String>());
        let mut screen = Screen::in_home(home, server, &[], 40, 100);
        screen.say("look").wait_for("Seen.");
        assert_eq!(
            screen.terminal.screen().contains("line-number-1"),
            previewed,
            "{}",
            screen.terminal.screen()
        );
        let body = screen.server.requests()[1].body.to_string();
        assert!(body.contains("[f.txt#") && body.contains("line-number-300"), "hash lines, up to the limit");
        assert!(!body.contains("line-number-301"), "the limit");
    }
}
