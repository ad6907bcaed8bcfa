//! The keys of the main view, each pressed.

use std::os::unix::fs::PermissionsExt;
use std::time::Duration;

use omp_testkit::{Home, ModelOptions, Reply, Server, Wire};

use super::Screen;

/// A home with three models that think, each of a role.
fn three_models(server: &Server) -> Home {
    let home = Home::new();
    let mut models = ModelOptions::new()
        .reasoning(true)
        .yaml(&server.base_url_for(Wire::OpenAiCompletions), Wire::OpenAiCompletions);
    for id in ["second", "third"] {
        models
            .push_str(&format!("      - id: {id}\n        contextWindow: 200000\n        maxTokens: 8192\n"));
    }
    home.write("home/.omp/agent/models.yml", models);
    let settings = "modelRoles:\n  default: test/scripted\n  smol: test/second\n  slow: test/third\n\
                    cycleOrder: [smol, default, slow]\n";
    home.write("home/.omp/agent/config.yml", settings);
    home
}

/// proves: CLI-251, TUI-122, TUI-124
#[test]
fn the_keys_of_the_main_view() {
    let slow = Reply::new().text("slow words that take their time").delta_size(5);
    let server = Server::start([slow.stall_after_event(3, Duration::from_secs(30))]);
    let home = three_models(&server);
    let editor = home.write("editor.sh", "#!/bin/sh\nprintf ' changed' >> \"$1\"\n");
    std::fs::set_permissions(&editor, PermissionsExt::from_mode(0o755)).unwrap();
    let omp = env!("CARGO_BIN_EXE_omp");
    let mut command = home.terminal_command("bash");
    command.args(["--norc", "-i", "-c", &format!("set -m; {omp}; echo STOPPED $?; fg; echo ENDED $?")]);
    command.env("EDITOR", &editor);
    let mut screen = Screen::with(command, home, server, 40, 110);
    let written =
        |screen: &Screen, text: &str| String::from_utf8_lossy(&screen.terminal.bytes()).matches(text).count();

    // Models: forwards, backwards, and the two lists.
    screen.send("\x10").wait_for("slow: test/third").send("\x10").wait_for("smol: test/second");
    screen
        .send("\x1b[112;6u")
        .wait_for("slow: test/third")
        .send("\x1b[112;6u")
        .wait_for("default: test/scripted");
    for key in ["\x1bm", "\x1bp"] {
        screen.send(key).wait_for("test/third").send("\x1b").wait_for("Ask anything");
    }
    // Thinking.
    screen.send("\x1b[Z").wait_for("Thinking: ").send("\x14").wait_for("Thinking hidden");
    screen.send("\x14").wait_for("Thinking shown");
    // Tool output.
    screen.say("!seq 1 30; false").wait_for("exit 1").send("\x0f").wait_for("Full output");
    screen.send("\x0f").wait_for("Showing full output").say("!seq 101 130").wait_for("  101\n");
    screen.terminal.wait_until("its end", |shown| shown.contains("  130\n"));
    screen.send("\x0f").wait_for("Showing shortened output").say("!seq 201 230").wait_for("earlier lines");
    // The editor of the user, the history, plans.
    screen.send("draft").wait_for("draft").send("\x07").wait_for("draft changed");
    screen.send("\x12").wait_for("Prompt history").send("\x1b").terminal.wait_without("Prompt history");
    screen.send("\x1b").wait_for("Ask anything");
    screen
        .send("\x1b[112;4u")
        .wait_for("Plan mode on: the model")
        .send("\x1b[112;4u")
        .wait_for("Plan mode paused");
    screen.send("\x1b[112;4u").wait_for("Plan mode off");
    // Everything is drawn anew.
    let before = written(&screen, "Plan mode off");
    screen.send("\x0c").wait_for("Ask anything");
    while written(&screen, "Plan mode off") == before {
        std::thread::sleep(Duration::from_millis(2));
    }
    // Messages that wait come back; Ctrl+C stops the turn and keeps what is typed, Escape clears that.
    screen.say("begin").wait_for("slow words");
    screen.say("queued").wait_for("1 message queued").send("\x1b[1;3A").wait_for("│ queued");
    screen.send("\x03").wait_for("Aborted").wait_for("│ queued").send("\x1b").wait_for("Ask anything");
    // Asleep and awake again; then out.
    screen.send("\x1a").terminal.wait_for_bytes(b"STOPPED 147");
    screen.send("awake").wait_for("│ awake").send("\x15").wait_for("Ask anything").send("\x04");
    screen.terminal.wait_for_bytes(b"ENDED 0");
}

/// What the last of them stands for is not there yet; its key says so.
///
/// proves: TUI-123
#[test]
fn the_keys_for_messages_and_copies() {
    let slow = Reply::new().text("slow words that take their time").delta_size(5);
    let mut screen = Screen::new([slow.stall_after_event(3, Duration::from_secs(30))], &[]);
    screen.say("begin").wait_for("slow");
    screen.send("one").wait_for("│ one").send("\x1b[13;5u").wait_for("1 message queued");
    screen.send("two").wait_for("│ two").send("\x11").wait_for("2 messages queued");
    screen
        .send("\x1b[1;3A")
        .wait_for("│ one")
        .wait_for("│ two")
        .send("\x1bL")
        .wait_for("Copied to clipboard");
    screen.terminal.wait_for_bytes(b"\x1b]52;c;dHdv\x1b\\");
    screen.send("\x1bC");
    screen.terminal.wait_for_bytes(b"\x1b]52;c;b25lCgp0d28=\x1b\\");
    screen.send("\x1bh").wait_for("Dictation isn't available yet");
}
