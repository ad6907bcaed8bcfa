//! How everything looks, and what keys send.

use omp_testkit::Home;
use omp_testkit::terminal::{Answers, Terminal};

use crate::support::omp_run;

const STATES: [&str; 7] = ["pending", "ready", "running", "done", "failed", "aborted", "denied"];

/// proves: CLI-109
#[test]
fn every_view_is_drawn_in_every_state() {
    let home = Home::new();
    let all = omp_run(&home, &["gallery", "-w", "60", "--plain"]);
    all.assert_success();
    let titles: Vec<&str> =
        all.stdout.lines().filter(|line| line.contains('/') && !line.contains(' ')).collect();
    for tool in ["bash", "read", "write", "edit", "find", "search", "todo", "ask", "job", "ssh"] {
        for state in STATES {
            let name = format!("{tool}/{state}");
            assert!(titles.contains(&name.as_str()), "{name} is missing in {titles:?}");
        }
    }
    assert!(!all.stdout.contains('\x1b'), "no escape sequences");

    let one = omp_run(&home, &["gallery", "-t", "bash", "-s", "failed", "-w", "40", "--plain"]);
    one.assert_success();
    assert_eq!(one.stdout.lines().next(), Some("bash/failed"));
    assert_eq!(one.stdout.matches("bash/").count(), 1, "{}", one.stdout);
    assert!(one.stdout.lines().all(|line| line.chars().count() <= 40), "{}", one.stdout);

    let short = omp_run(&home, &["gallery", "-t", "bash", "-s", "done", "-w", "80", "--plain"]).stdout;
    let long = omp_run(&home, &["gallery", "-t", "bash", "-s", "done", "-w", "80", "--plain", "-e"]).stdout;
    assert!(long.lines().count() > short.lines().count(), "{short}\n{long}");

    let unknown = omp_run(&home, &["gallery", "-t", "nonesuch"]);
    assert!(unknown.stderr.contains("no view of \"nonesuch\": choose one of "), "{}", unknown.stderr);
    assert_eq!(unknown.code, Some(1));
    let unknown = omp_run(&home, &["gallery", "-t", "bash", "-s", "nonesuch"]);
    assert!(unknown.stderr.contains("no state \"nonesuch\": choose one of pending, "), "{}", unknown.stderr);
    let wide = omp_run(&home, &["gallery", "-w", "0"]);
    assert!(wide.stderr.contains("--width 0 is not between 1 and 1000"), "{}", wide.stderr);
}

/// On a terminal there are colours, unless they are not wanted.
#[test]
fn the_gallery_is_coloured_on_a_terminal() {
    for (flag, colours) in [(None, true), (Some("--plain"), false)] {
        let home = Home::new();
        let mut command = home.terminal_command(env!("CARGO_BIN_EXE_omp"));
        command.args(["gallery", "-t", "bash", "-s", "done"]).args(flag);
        let mut terminal = Terminal::start(command, 30, 90, Answers::Kind);
        assert!(terminal.wait_exit().success());
        assert!(terminal.screen().contains("bash/done"));
        assert_eq!(terminal.bytes().contains(&0x1b), colours);
    }
}

#[test]
fn keys_are_explained_until_the_user_leaves() {
    for leave in ["\x1b", "\x03"] {
        let home = Home::new();
        home.write("home/.omp/agent/keybindings.yml", "app.tools.expand: Ctrl+X\n");
        let mut command = home.terminal_command(env!("CARGO_BIN_EXE_omp"));
        command.arg("keys");
        let mut terminal = Terminal::start(command, 40, 90, Answers::Kind);
        terminal.wait_for("Press keys to see");
        terminal.send("\x1b[1;5A").wait_for("ESC [ 1 ; 5 A").wait_for("Ctrl+Up");
        terminal.send("\x18").wait_for("app.tools.expand").wait_for("looks the same");
        terminal.send("\x1b[200~two words\x1b[201~").wait_for("pasted text of 9 characters");
        terminal.send(leave).wait_for("again to exit");
        terminal.send("q").wait_for("q                        Q");
        terminal.send(leave).wait_until("asked twice", |shown| shown.matches("again to exit").count() == 2);
        terminal.send(leave);
        assert!(terminal.wait_exit().success(), "{}", terminal.screen());
        let bytes = terminal.bytes();
        let text = String::from_utf8_lossy(&bytes);
        assert!(text.rfind("\x1b[?2004l") > text.rfind("\x1b[?2004h"), "the terminal is given back");
    }
}

#[test]
fn keys_need_a_terminal() {
    let ran = omp_run(&Home::new(), &["keys"]);
    assert!(ran.stderr.contains("is not a terminal"), "{}", ran.stderr);
    assert_eq!(ran.code, Some(1));
}
