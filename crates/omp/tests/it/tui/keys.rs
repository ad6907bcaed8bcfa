//! What keys do.

use std::time::Duration;

use omp_testkit::{Reply, Server, Wire};

use super::{Screen, last_prompt};

/// proves: TUI-058
#[test]
fn a_paste_is_text_and_sends_nothing() {
    let mut screen = Screen::new([Reply::new().text("fine")], &[]);
    screen.send("\x1b[200~one\rtwo\rthree\x1b[201~").wait_for("three");
    assert!(screen.server.requests().is_empty());
    screen.send("\r").wait_for("fine");
    assert_eq!(last_prompt(&screen.server), "one\ntwo\nthree");
}

/// proves: TUI-080
#[test]
fn the_exit_key_leaves_only_an_empty_editor() {
    let mut screen = Screen::new([Reply::new()], &[]);
    screen.send("ab\x01\x04").wait_for("│ b ");
    screen.send("\x04").wait_for("Ask anything").send("\x04");
    assert!(screen.terminal.wait_exit().success());
}

#[test]
fn the_editor_edits() {
    let mut screen = Screen::new([Reply::new().text("done")], &[]);
    // Words, line ends, kills and yanks, undo, a new line.
    screen.send("one two three").wait_for("one two three");
    screen.send("\x17").terminal.wait_without("three");
    screen.send("\x19").wait_for("one two three");
    screen.send("\x01\x0b").wait_for("Ask anything").send("\x19").wait_for("one two three");
    screen.send("\x1b[1;5D\x1b[1;5D\x15").wait_for("two three").send("\x1f").wait_for("one two three");
    screen.send("\x05\x0afour").wait_for("four").send("\r").wait_for("done");
    assert_eq!(last_prompt(&screen.server), "one two three\nfour");
}

/// proves: TUI-102
#[test]
fn what_is_typed_while_the_model_answers_waits_and_comes_back() {
    let slow = Reply::new().text("slow words that take their time").delta_size(5);
    let mut screen = Screen::new([slow.stall_after_event(3, Duration::from_secs(30))], &[]);
    screen.say("begin").wait_for("slow");
    screen.say("and this").wait_for("1 message queued");
    screen.send("later").wait_for("later").send("\x11").wait_for("2 messages queued");
    screen.send("\x1b").wait_for("Aborted");
    let shown = screen.terminal.screen();
    assert!(shown.contains("and this") && shown.contains("later"), "{shown}");
    assert!(!shown.contains("queued"), "{shown}");
}

#[test]
fn files_and_commands_are_completed() {
    let mut screen = Screen::new([Reply::new().text("seen")], &[]);
    screen.home.write("work/some-file.txt", "x");
    screen.send("look at @some").wait_for("some-file.txt").send("\t").wait_for("@some-file.txt");
    screen.send("\x15/hotk").wait_for("Keyboard shortcuts").send("\t").wait_for("/hotkeys");
}

/// proves: CLI-224
#[test]
fn commands_of_the_user_run_and_are_told_to_the_model() {
    let mut screen = Screen::new([Reply::new().text("I see.")], &[]);
    screen.home.write("home/.omp/agent/config.yml", "bashInterceptor:\n  enabled: true\n");
    screen.home.write("work/f.txt", "content-of-f\n");
    screen.say("!cat f.txt").wait_for("content-of-f").terminal.wait_without("running");
    screen.say("!!echo a-private-thing").wait_for("not sent to the model");
    assert!(screen.server.requests().is_empty());
    screen.say("what did I do?").wait_for("I see.");
    let body = screen.server.requests()[0].body.to_string();
    assert!(body.contains("content-of-f") && !body.contains("a-private-thing"), "{body}");
}

/// While one command runs a second is refused, and Escape stops the first.
///
/// proves: CLI-224
#[test]
fn a_command_of_the_user_is_stopped_by_escape() {
    let mut screen = Screen::new([Reply::new()], &[]);
    screen.say("!echo begun; sleep 300").wait_for("begun\n");
    screen.say("!echo other").wait_for("still running");
    assert!(screen.terminal.screen().contains("│ !echo other"));
    screen.send("\x1b").wait_for("cancelled");
}

/// proves: TUI-125
#[test]
fn the_prompt_is_changed_in_another_program() {
    for variables in [["VISUAL", "EDITOR"], ["EDITOR", "OTHER"]] {
        let server = Server::start([Reply::new().text("fine")]);
        let home = crate::support::home(&server, Wire::OpenAiCompletions);
        let editor = home.write("editor.sh", "#!/bin/sh\nprintf ' and the rest' >> \"$1\"\n");
        std::fs::set_permissions(&editor, std::os::unix::fs::PermissionsExt::from_mode(0o755)).unwrap();
        let mut command = home.terminal_command(env!("CARGO_BIN_EXE_omp"));
        command.env(variables[0], &editor).env(variables[1], "false");
        let mut screen = Screen::with(command, home, server, 30, 100);
        screen
            .send("the beginning")
            .wait_for("the beginning")
            .send("\x07")
            .wait_for("the beginning and the rest");
        screen.send("\r").wait_for("fine");
        assert_eq!(last_prompt(&screen.server), "the beginning and the rest");
    }
}

/// proves: CLI-228
#[test]
fn steering_comes_before_follow_ups() {
    let slow = || Reply::new().text("slow words that take their time").delta_size(5);
    let mut screen = Screen::new(
        [
            slow().stall_after_event(3, Duration::from_millis(1500)),
            Reply::new().text("after-steering"),
            Reply::new().text("after-follow-up"),
            slow().stall_after_event(3, Duration::from_secs(30)),
        ],
        &[],
    );
    screen.say("begin").wait_for("slow");
    screen.send("later").wait_for("later").send("\x11").wait_for("1 message queued");
    screen.say("sooner").wait_for("2 messages queued").wait_for("after-follow-up");
    let prompts: Vec<String> = (1..=2).map(|at| screen.server.requests()[at].body.to_string()).collect();
    assert!(prompts[0].contains("sooner") && !prompts[0].contains("later"), "{}", prompts[0]);
    assert!(prompts[1].contains("later"), "{}", prompts[1]);
    screen.say("once more").wait_for("❯ once more");
    screen.send("second").wait_for("second").send("\x11").wait_for("1 message queued");
    screen.say("first").wait_for("2 messages queued").send("\x1b[1;3A");
    screen.terminal.wait_until("both texts in the editor", |shown| {
        let place = |text: &str| shown.rfind(&format!("│ {text}"));
        matches!((place("first"), place("second")), (Some(first), Some(second)) if first < second)
    });
    assert!(!screen.terminal.screen().contains("queued"));
}
