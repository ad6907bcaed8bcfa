//! Slash commands.

use omp_testkit::{Reply, Server, Wire};

use super::{Screen, last_prompt};

#[test]
fn help_and_keys_are_listed() {
    let home_keys = "app.tools.expand: Ctrl+X\n";
    let server = Server::start([Reply::new()]);
    let home = crate::support::home(&server, Wire::OpenAiCompletions);
    home.write("home/.omp/agent/keybindings.yml", home_keys);
    home.write("work/.omp/commands/greet.md", "---\ndescription: Says hello\n---\nHello\n");
    let mut screen = Screen::in_home(home, server, &[], 120, 100);
    screen.say("/help").wait_for("Says hello");
    let shown = screen.terminal.screen();
    assert!(shown.contains("/model") && shown.contains("/resume") && shown.contains("/greet"), "{shown}");
    screen.say("/hotkeys").wait_for("Ctrl+X");
}

/// With the setting that sends unknown commands; otherwise omp suggests others, see `interaction`.
///
/// proves: CLI-153
#[test]
fn what_is_no_command_goes_to_the_model() {
    let server = Server::start(["one", "two", "three"].map(|text| Reply::new().text(text)));
    let home = crate::support::home(&server, Wire::OpenAiCompletions);
    home.write("home/.omp/agent/config.yml", "commands:\n  unknown: send\n");
    home.write("work/.omp/commands/greet.md", "Hello $1, how are you?\n");
    home.write("work/.omp/commands/hotkeys.md", "Mine: $1\n");
    let mut screen = Screen::in_home(home, server, &[], 60, 100);
    screen.say("/unknown thing").wait_for("one");
    assert_eq!(last_prompt(&screen.server), "/unknown thing");
    screen.say("/greet Ann").wait_for("two");
    assert_eq!(last_prompt(&screen.server), "Hello Ann, how are you?");
    // A built-in goes before a command of the same name, but not with words that it does not take.
    screen.say("/hotkeys").wait_for("Unfold, or go down");
    assert_eq!(screen.server.requests().len(), 2);
    screen.say("/hotkeys foo").wait_for("three");
}

#[test]
fn a_session_is_renamed() {
    let mut screen = Screen::new([Reply::new().text("hello")], &[]);
    // The first Enter completes: something has to follow.
    screen.say("/rename").wait_for("<title>").send("\r").wait_for("Usage: /rename <title>");
    screen.say("hi").wait_for("hello");
    screen.say("/rename A good name").wait_for("Session renamed to A good name");
    let (_, _, home) = screen.leave();
    let listed = crate::support::omp_run(&home, &["session", "list"]);
    assert!(listed.stdout.contains("A good name"), "{}", listed.stdout);
}

#[test]
fn tools_and_context_are_shown() {
    let mut screen = Screen::sized([Reply::new().text("hello")], &[], 60, 100);
    screen.say("/tools").wait_for("* bash");
    screen.say("/context").wait_for("System prompt").wait_for("Free");
}

#[test]
fn a_conversation_is_copied() {
    let mut screen = Screen::new([Reply::new().text("copy-this-answer")], &[]);
    screen.say("/dump").wait_for("No messages to dump yet");
    screen.say("hi").wait_for("copy-this-answer");
    screen.say("/dump").wait_for("Copied to clipboard");
    let bytes = screen.terminal.bytes();
    let text = String::from_utf8_lossy(&bytes);
    assert!(text.contains("\x1b]52;c;"), "the terminal is given the text");
}

#[test]
fn exit_leaves() {
    let mut screen = Screen::new([Reply::new()], &[]);
    screen.say("/exit");
    assert!(screen.terminal.wait_exit().success());
}
