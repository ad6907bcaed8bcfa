//! The first run.

use std::process::Command;
use std::time::{Duration, Instant};

use omp_testkit::terminal::{Answers, Terminal};
use omp_testkit::{Home, Reply, Scenario, Server, Wire};

const CONFIG: &str = "home/.omp/agent/config.yml";
const STEP: &str = "Setup, step 1 of";

/// The program in a terminal, with its first run before it.
fn command(home: &Home, arguments: &[&str]) -> Command {
    let mut command = home.terminal_command(env!("CARGO_BIN_EXE_omp"));
    command.args(arguments).env_remove("OMP_SKIP_SETUP");
    command
}

fn start(home: &Home, arguments: &[&str]) -> Terminal {
    Terminal::start(command(home, arguments), 30, 100, Answers::Kind)
}

fn config(home: &Home) -> String {
    if home.exists(CONFIG) { home.read(CONFIG) } else { String::new() }
}

/// Waits for something that the screen does not tell.
pub(super) fn eventually(what: &str, is_so: impl Fn() -> bool) {
    let end = Instant::now() + crate::support::LIMIT;
    while !is_so() {
        assert!(Instant::now() < end, "{what} never came");
        std::thread::sleep(Duration::from_millis(5));
    }
}

/// A server that takes any key, known as groq.
fn provided() -> (Server, Home) {
    let server = Server::start(Scenario::dynamic(|_| Reply::new().text("an-answer")));
    let home = Home::new();
    let base = server.base_url_for(Wire::OpenAiCompletions);
    home.write("home/.omp/agent/models.yml", format!("providers:\n  groq:\n    baseUrl: {base}\n"));
    (server, home)
}

/// All scenes: signing in, approval, symbols, theme. The prompt of the command line waits for the end.
///
/// proves: CLI-263
#[test]
fn the_scenes_are_gone_through_and_kept() {
    let (server, home) = provided();
    let mut terminal = start(&home, &["hello"]);
    terminal.wait_for("Setup, step 1 of 4").wait_for("Choose a model provider").wait_for("Skip for now");
    assert_eq!(terminal.screen().lines().next().map(str::trim), Some("omp  Setup, step 1 of 4"));
    terminal.send("groq").wait_for("❯ groq").send("\r").wait_for("Paste the API key").send("sk-1\r");
    terminal.wait_for("signed in to groq").send("\x15").wait_for("Continue");
    terminal.send("\x1b[H\r").wait_for("Setup, step 2 of 4").wait_for("what omp may do without asking");
    terminal.wait_for("❯ auto").wait_for("commands run sandboxed in the project; asks before leaving it");
    assert!(server.requests().iter().all(|request| request.body.get("messages").is_none()), "no prompt yet");
    terminal.send("write").wait_for("❯ write").send("\r").wait_for("Setup, step 3 of 4").wait_for("ok  x  !");
    terminal.send("ascii").wait_for("> ascii").send("\r").wait_for("Setup, step 4 of 4");
    eventually("the second answer", || {
        config(&home) == "tools:\n  approvalMode: write\nsymbolPreset: ascii\n"
    });
    terminal.send("forest").wait_for("> forest").send("\r").wait_for("an-answer");
    eventually("the version", || config(&home).contains("setupVersion: 1"));
    assert!(config(&home).contains("theme:\n  dark: forest\n"), "{}", config(&home));
    terminal.send("\x04");
    assert!(terminal.wait_exit().success());
    // It is not asked twice.
    let mut again = start(&home, &[]);
    again.wait_for("Ask anything");
    assert!(!again.screen().contains("Setup, step"));
}

/// Escape in each scene: the session goes on, what was answered is kept, the next start asks for the rest.
///
/// proves: CLI-265
#[test]
fn leaving_early_loses_nothing() {
    for scenes in 0..4_usize {
        let server = Server::start([Reply::new().text("an-answer")]);
        let home = Home::new();
        let mut terminal = start(&home, &[]);
        terminal.wait_for("Setup, step 1 of 4");
        for scene in 0..scenes {
            terminal.send("\r").wait_for(&format!("Setup, step {} of 4", scene + 2));
        }
        if scenes == 3 {
            // What is only tried out is not kept.
            terminal.send("forest").wait_for("❯ forest").send("\x1b");
        }
        terminal.send("\x1b").wait_for("Ask anything").wait_for("Run /setup to continue");
        terminal.send("typed").wait_for("typed").send("\x03").wait_for("again to exit").send("\x03");
        assert!(terminal.wait_exit().success());
        let kept = config(&home);
        assert_eq!(kept.contains("approvalMode: auto"), scenes >= 2, "{scenes}: {kept}");
        assert_eq!(kept.contains("symbolPreset: unicode"), scenes >= 3, "{scenes}: {kept}");
        assert!(!kept.contains("theme") && !kept.contains("setupVersion"), "{scenes}: {kept}");
        let mut again = start(&home, &[]);
        again.wait_for(&format!("Setup, step 1 of {}", 4 - scenes.saturating_sub(1)));
        drop(server);
    }
}

/// What makes the wizard stay away, and what calls it.
///
/// proves: CLI-264, CLI-142
#[test]
fn the_wizard_comes_when_it_is_wanted() {
    let is_shown = |home: &Home, command: Command| {
        let mut terminal = Terminal::start(command, 30, 100, Answers::Kind);
        terminal.wait_until("the wizard or the editor", |shown| {
            shown.contains(STEP) || shown.contains("Ask anything")
        });
        let shown = terminal.screen().contains(STEP);
        assert!(!config(home).contains("setupVersion: 1"));
        shown
    };
    for (value, shown) in [
        ("1", false),
        ("yes", false),
        ("anything", false),
        ("", true),
        ("0", true),
        ("false", true),
        ("no", true),
    ] {
        let home = Home::new();
        let mut command = command(&home, &[]);
        command.env("OMP_SKIP_SETUP", value);
        assert_eq!(is_shown(&home, command), shown, "OMP_SKIP_SETUP={value}");
    }
    let home = Home::new();
    home.write(CONFIG, "startup:\n  setupWizard: false\n");
    assert!(!is_shown(&home, command(&home, &[])));
    // Everything is done already: a model, and an answer for each of the rest.
    let server = Server::start([Reply::new()]);
    let home = crate::support::home(&server, Wire::OpenAiCompletions);
    home.write(CONFIG, "tools:\n  approvalMode: auto\nsymbolPreset: unicode\ntheme:\n  dark: forest\n");
    assert!(!is_shown(&home, command(&home, &[])));
    // Without a terminal nobody is asked.
    let home = Home::new();
    let output = crate::support::omp_run(&home, &["-p", "hello"]);
    assert!(!(output.stdout + &output.stderr).contains("Setup, step"));
    // On demand it comes whatever was done.
    home.write(CONFIG, "setupVersion: 1\n");
    let mut terminal = start(&home, &["setup"]);
    terminal.wait_for("Setup, step 1 of 4").send("\x1b").wait_for("Ask anything");
    terminal.send("/setup\r").wait_for("Setup, step 1 of 4").send("\x1b").wait_for("Ask anything");
}

/// Who goes on with a conversation is not held up.
///
/// proves: CLI-264
#[test]
fn a_conversation_goes_on_without_the_wizard() {
    let server = Server::start([Reply::new().text("an-answer")]);
    let home = crate::support::home(&server, Wire::OpenAiCompletions);
    crate::support::omp_run(&home, &["-p", "hello"]).assert_success();
    for arguments in [&["-c"][..], &["--resume"]] {
        let mut terminal = start(&home, arguments);
        if arguments == ["--resume"] {
            terminal.wait_for("hello").send("\r");
        }
        terminal.wait_for("Ask anything").wait_for("an-answer");
        assert!(!terminal.screen().contains("Setup, step"), "{arguments:?}: {}", terminal.screen());
    }
}

/// The part about providers alone, and a word about everything else.
///
/// proves: CLI-174
#[test]
fn providers_are_set_up_on_demand() {
    let (_server, home) = provided();
    home.write(CONFIG, "setupVersion: 1\n");
    for line in ["/setup providers", "/providers providers"] {
        let mut terminal = start(&home, &[]);
        terminal.wait_for("Ask anything").send("/setup everything\r").wait_for("Usage: /setup [providers]");
        terminal
            .send(line)
            .wait_for(line)
            .send("\r")
            .wait_for("Setup, step 1 of 1")
            .wait_for("Choose a model provider");
        terminal.send("groq").wait_for("❯ groq").send("\r").wait_for("Paste the API key").send("sk-1\r");
        terminal.wait_for("signed in to groq").send("\x15\x1b[H\r").wait_for("Setup complete");
    }
    let mut terminal = start(&home, &[]);
    terminal.wait_for("Ask anything").send("/providers\r").wait_for("Choose a model provider");
}
