//! `--goal`.

use omp_testkit::terminal::{Answers, Terminal};
use omp_testkit::{Reply, Server, Wire};

use super::{Screen, last_prompt};
use crate::sessions::session_files;
use crate::support::{self, omp_run};

fn scripted(texts: &[&str]) -> (omp_testkit::Home, Server) {
    let replies: Vec<Reply> = texts.iter().map(|text| Reply::new().text(text)).collect();
    let server = Server::start(replies);
    let home = support::home(&server, Wire::OpenAiCompletions);
    home.write("home/.omp/agent/config.yml", "autoResume: true\ngoal:\n  continuationModes: []\n");
    (home, server)
}

/// The session is new, whatever the settings say about resuming, and works towards the objective at once.
/// proves: CLI-273
#[test]
fn a_goal_on_the_command_line_begins_a_fresh_session() {
    let (home, server) = scripted(&["an-earlier-answer", "the-work-begins", "and-then-this"]);
    omp_run(&home, &["-p", "earlier words"]).assert_success();
    let mut screen = Screen::in_home(home, server, &["--goal", "reach the moon", "also: pack"], 40, 110);
    screen.wait_for("the-work-begins").wait_for("goal active").wait_for("and-then-this");
    let first = screen.server.requests()[1].body.to_string();
    assert!(first.contains("reach the moon") && !first.contains("earlier words"), "{first}");
    assert!(last_prompt(&screen.server).contains("also: pack"), "prompts come behind the goal");
    screen.say("/goal show").wait_for("Goal: reach the moon");
    let (_, server, home) = screen.leave();
    server.finish();
    assert_eq!(session_files(&home).len(), 2);
}

/// The same in plain lines.
#[test]
fn a_goal_in_plain_lines() {
    let (home, server) = scripted(&["the-work-begins"]);
    let mut command = home.terminal_command(env!("CARGO_BIN_EXE_omp"));
    command.args(["--plain-ui", "--goal", "reach the sea"]);
    let mut terminal = Terminal::start(command, 50, 100, Answers::Kind);
    terminal.wait_for("the-work-begins").wait_until("the prompt", |shown| shown.trim_end().ends_with('>'));
    terminal.send("/goal\n").wait_for("Goal (active): reach the sea");
    assert!(server.requests()[0].body.to_string().contains("reach the sea"));
    server.finish();
}

#[test]
fn a_goal_needs_a_terminal_and_a_new_session() {
    let (home, server) = scripted(&[]);
    for args in
        [&["--goal", "x", "-p", "y"][..], &["--goal", "x", "--mode", "json", "y"], &["--goal", "x", "y"]]
    {
        let output = omp_run(&home, args);
        assert_eq!((output.code, output.stdout.as_str()), (Some(1), ""), "{args:?}");
        assert!(output.stderr.contains("--goal needs the terminal UI"), "{}", output.stderr);
    }
    for flag in ["--continue", "--from-claude"] {
        let mut command = home.terminal_command(env!("CARGO_BIN_EXE_omp"));
        command.args(["--goal", "x", flag]);
        let mut terminal = Terminal::start(command, 30, 100, Answers::Kind);
        terminal.wait_for("--goal starts a new session");
        assert_eq!(terminal.wait_exit().code(), Some(1));
    }
    assert!(session_files(&home).is_empty());
    server.finish();
}
