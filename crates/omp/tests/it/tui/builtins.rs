//! Built-in commands about the conversation and what is around it.

use std::io::Read;
use std::os::unix::fs::PermissionsExt;
use std::time::Duration;

use omp_testkit::{Reply, Scenario, Server, Wire};
use serde_json::json;

use super::{Screen, last_prompt};
use crate::sessions::{lines, session_files};
use crate::support;

fn script(home: &omp_testkit::Home, name: &str, text: &str) {
    let path = home.write(format!("bin/{name}"), text);
    std::fs::set_permissions(path, std::fs::Permissions::from_mode(0o755)).unwrap();
}

fn with_path(home: &omp_testkit::Home) -> std::process::Command {
    let mut command = home.terminal_command(env!("CARGO_BIN_EXE_omp"));
    let path = format!("{}:{}", home.path("bin").display(), std::env::var("PATH").unwrap());
    command.env("PATH", path);
    command
}

/// The page is written, its path is shown, and the desktop opens it.
/// proves: CLI-184
#[test]
fn a_page_is_written_and_opened() {
    let server = Server::start([Reply::new().text("an-answer")]);
    let home = support::home(&server, Wire::OpenAiCompletions);
    script(&home, "xdg-open", "#!/bin/sh\nprintf '%s' \"$1\" > opened.tmp\nmv opened.tmp opened\n");
    let mut command = with_path(&home);
    command.env("DISPLAY", ":0");
    let mut screen = Screen::with(command, home, server, 30, 140);
    for word in ["copy", "--copy", "clipboard"] {
        screen.say(&format!("/export {word}")).wait_for("use /dump to copy").send(" \x7f");
        screen.terminal.wait_without("use /dump");
    }
    screen.say("hi").wait_for("an-answer");
    screen.say("/export page.html").wait_for("page.html and opened");
    let page = screen.home.work_dir().join("page.html");
    assert!(std::fs::read_to_string(&page).unwrap().contains("an-answer"));
    let opened = screen.home.work_dir().join("opened");
    let read = loop {
        match std::fs::read_to_string(&opened) {
            Ok(read) => break read,
            Err(_) => std::thread::yield_now(),
        }
    };
    assert_eq!(read, page.display().to_string());
    screen.say("/export").wait_for("omp-session-");
}

/// proves: CLI-185
#[test]
fn the_transcript_goes_to_the_clipboard() {
    let mut screen = Screen::new([Reply::new().text("copy-this-answer")], &["--no-session"]);
    screen.say("/dump").wait_for("No messages to dump yet");
    screen.say("hi").wait_for("copy-this-answer");
    screen.say("/dump").wait_for("Copied to clipboard");
    let short = copied(&screen);
    assert!(short.contains("copy-this-answer") && short.contains("=== Tools ==="), "{short}");
    screen.send(" \x7f").terminal.wait_without("Copied to clipboard");
    screen.say("/dump raw").wait_for("Copied to clipboard");
    assert!(copied(&screen).len() > short.len());
}

/// What the terminal was last given for the clipboard.
fn copied(screen: &Screen) -> String {
    use base64::Engine;
    let bytes = screen.terminal.bytes();
    let text = String::from_utf8_lossy(&bytes).into_owned();
    let (_, last) = text.rsplit_once("\x1b]52;c;").expect("a text for the clipboard");
    let encoded = last.split(['\x1b', '\x07']).next().unwrap_or_default();
    let decoded = base64::engine::general_purpose::STANDARD.decode(encoded).unwrap();
    String::from_utf8(decoded).unwrap()
}

/// proves: CLI-189
#[test]
fn messages_code_and_commands_can_be_copied() {
    let answer = "Try this:\n\n```sh\nmake all\n```\n\nThat is it.";
    let mut screen = Screen::new(
        [
            Reply::new().tool_call("bash", json!({"_i": "x", "command": "echo from-a-command"})),
            Reply::new().text(answer),
        ],
        &["--yolo"],
    );
    screen.say("/copy").wait_for("Nothing to copy yet");
    screen.say("how do I build").wait_for("That is it.");
    for (searched, wanted) in [
        ("answer", answer),
        ("code make", "make all\n"),
        ("command", "echo from-a-command"),
        ("prompt", "how do I build"),
    ] {
        screen.say("/copy").wait_for("Choose what to copy").send(searched).wait_for("1 of").send("\r");
        screen.wait_for("Copied to clipboard");
        assert_eq!(copied(&screen), wanted, "{searched}");
        screen.send(" \x7f").terminal.wait_without("Copied to clipboard");
    }
}

/// proves: CLI-186
#[test]
fn a_link_is_made() {
    let server = Server::start([Reply::new().text("noted")]);
    let home = support::home(&server, Wire::OpenAiCompletions);
    script(
        &home,
        "gh",
        "#!/bin/sh\nif [ \"$1\" = auth ]; then exit 0; fi\ncat > gh.input\necho https://gist.github.com/someone/0a1b2c3d4e\n",
    );
    let command = with_path(&home);
    let mut screen = Screen::with(command, home, server, 30, 200);
    screen.say("/share").wait_for("Nothing to share yet");
    screen.say("the-secret-plan").wait_for("noted");
    screen.say("/share").wait_for("Share link: ").wait_for("0a1b2c3d4e#");
    let uploaded = std::fs::read_to_string(screen.home.work_dir().join("gh.input")).unwrap();
    assert!(!uploaded.contains("the-secret-plan") && !uploaded.is_empty(), "it is sealed");
}

/// Whoever does not want to wait gets the editor back, and a link that comes later is not shown.
/// proves: LOP-160
#[test]
fn sharing_is_given_up() {
    let server = Server::start([Reply::new().text("noted"), Reply::new().text("still-here")]);
    let home = support::home(&server, Wire::OpenAiCompletions);
    script(&home, "gh", "#!/bin/sh\nexit 1\n");
    let listener = std::net::TcpListener::bind("127.0.0.1:0").unwrap();
    let address = listener.local_addr().unwrap();
    home.write("home/.omp/agent/config.yml", format!("share:\n  serverUrl: http://{address}/s\n"));
    let command = with_path(&home);
    let mut screen = Screen::with(command, home, server, 30, 120);
    screen.say("words").wait_for("noted");
    screen.say("/share").wait_for("Sharing the conversation");
    let (mut upload, _) = listener.accept().unwrap();
    screen.send("\x1b").wait_for("Share cancelled").wait_for("Ask anything");
    let body = "{\"id\":\"late\"}";
    let answer = format!("HTTP/1.1 200 OK\r\ncontent-length: {}\r\n\r\n{body}", body.len());
    // The program may be gone from the other end already.
    let _ = std::io::Write::write_all(&mut upload, answer.as_bytes());
    let _ = upload.read(&mut [0; 64 * 1024]);
    screen.say("and on").wait_for("still-here");
    assert!(!screen.terminal.screen().contains("Share link"));
}

/// proves: CLI-191
#[test]
fn a_session_tells_about_itself_and_is_deleted() {
    let slow = Reply::new().text("slow words that take their time").delta_size(5);
    let replies = [Reply::new().text("first-answer"), slow.stall_after_event(3, Duration::from_secs(60))];
    let mut screen = Screen::sized(replies, &[], 40, 160);
    screen.say("/session delete").wait_for("the session is not saved");
    screen.say("hello").wait_for("first-answer");
    screen.say("/rename Short lived").wait_for("Session renamed to Short lived");
    let file = session_files(&screen.home)[0].clone();
    let id = lines(&file)[0]["id"].as_str().unwrap().to_owned();
    screen.say("/session").wait_for(&id).wait_for(&file.display().to_string());
    screen.wait_for("2 (1 user, 1 assistant, 0 tool)").wait_for("cost");
    assert!(screen.terminal.screen().contains("Short lived"));
    screen.say("go on").wait_for("slow").say("/session delete").wait_for("still responding");
    screen.send("\x1b").terminal.wait_without("Working");
    screen.say("/session delete").wait_for("Delete this session").send("\r");
    screen.terminal.wait_without("Delete this session");
    assert!(file.exists(), "the first answer is no");
    screen.say("/session delete").wait_for("Delete this session").send("2").wait_for("Session deleted");
    assert!(!file.exists());
}

/// proves: CLI-208
#[test]
fn a_session_is_dropped() {
    let replies = [Reply::new().text("first-answer"), Reply::new().text("second-answer")];
    let mut screen = Screen::new(replies, &[]);
    screen.say("question one").wait_for("first-answer");
    let file = session_files(&screen.home)[0].clone();
    let artifacts = file.with_extension("");
    std::fs::create_dir_all(&artifacts).unwrap();
    std::fs::write(artifacts.join("0.bash.log"), "x").unwrap();
    screen.say("/drop").wait_for("Delete ").wait_for("Yes, delete").send("\r");
    screen.terminal.wait_without("Yes, delete");
    assert!(file.exists(), "the first answer is no");
    screen.say("/drop").wait_for("Yes, delete").send("2").wait_for("Session dropped");
    screen.terminal.wait_without("first-answer");
    assert!(!file.exists() && !artifacts.exists());
    screen.say("question two").wait_for("second-answer");
    assert!(!screen.server.requests()[1].body.to_string().contains("question one"));
    let mut screen = Screen::new([Reply::new()], &["--no-session"]);
    screen.say("/drop").wait_for("Nothing to drop (in-memory session)");
}

/// Everything that was found is listed under its source, and can be switched off and on.
/// proves: CLI-199
#[test]
fn what_was_found_is_switched_off_and_on() {
    let server = Server::start(Scenario::replies([Reply::new().text("one"), Reply::new().text("two")]));
    let home = support::home(&server, Wire::OpenAiCompletions);
    home.write("work/.omp/commands/greet.md", "Hello from omp\n");
    home.write("work/.claude/commands/greet.md", "Hello from claude\n");
    home.write("work/.claude/commands/other.md", "Something else\n");
    let mut screen = Screen::in_home(home, server, &[], 40, 140);
    screen.say("/extensions").wait_for("Extensions (Enter: enable").wait_for("+ command other");
    let shown = screen.terminal.screen();
    assert!(shown.contains("+ command greet") && shown.contains("active, project"), "{shown}");
    assert!(shown.contains("~ command greet") && shown.contains("shadowed by"), "{shown}");
    assert!(shown.contains("Claude Code (on)"), "{shown}");
    screen.send("active greet").wait_for("1 of").send("\r").wait_for("- command greet");
    screen.send("\x1b").terminal.wait_without("Extensions (Enter");
    let config = screen.home.read("home/.omp/agent/config.yml");
    assert!(config.contains("command:greet"), "{config}");
    screen.say("/greet").wait_for("unknown command /greet").send("\x15").wait_for("Ask anything");
    screen.say("//greet").wait_for("one");
    assert_eq!(last_prompt(&screen.server), "/greet", "nothing of that name is left");
    screen.say("/status").wait_for("- command greet").send("disabled greet .omp").send("\x15");
    screen.send("- command greet").wait_for("of").send("\r").wait_for("+ command greet").send("\x1b");
    screen.terminal.wait_without("Extensions (Enter");
    screen.say("/greet").wait_for("two");
    assert_eq!(last_prompt(&screen.server), "Hello from omp");
    screen
        .say("/extensions")
        .wait_for("Claude Code (on)")
        .send("Claude Code (on)")
        .wait_for("1 of")
        .send("\r");
    screen.wait_for("Claude Code (off)").wait_for("disabled with its source");
}
