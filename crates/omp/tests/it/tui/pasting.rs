//! What is pasted: large texts, pictures, the clipboard.

use std::os::unix::fs::PermissionsExt;
use std::time::Duration;

use omp_testkit::{Home, Reply, Server, Wire};
use serde_json::json;

use super::{Screen, last_prompt};

/// A small picture.
pub(crate) fn png() -> Vec<u8> {
    crate::attachments::png(8, 4)
}

fn paste(text: &str) -> String {
    format!("\x1b[200~{text}\x1b[201~")
}

fn lines(count: usize) -> String {
    (1..=count).map(|line| format!("line {line}\n")).collect()
}

/// proves: CLI-231
#[test]
fn large_pastes_are_asked_about() {
    let read = Reply::new().tool_call("read", json!({"_i": "look", "path": "local://paste-1.txt"}));
    let replies = [
        Reply::new().text("one"),
        read,
        Reply::new().text("two"),
        Reply::new().text("three"),
        Reply::new().text("four"),
        Reply::new().text("five"),
    ];
    let mut screen = Screen::sized(replies, &[], 40, 100);
    // As one marked block.
    screen.send("see ").send(&paste(&lines(100))).wait_for("Pasted 100 lines").send("1");
    screen.wait_for("│ see [").send("\r").wait_for("one");
    let wanted = format!("see <attachment>\n{}</attachment>", lines(100));
    assert_eq!(last_prompt(&screen.server), wanted);
    // As a file of the session, which the model can read.
    screen.send("see ").send(&paste(&lines(100))).wait_for("Pasted 100 lines").send("2");
    screen.wait_for("│ see local://paste-1.txt").send("\r").wait_for("two");
    assert_eq!(last_prompt(&screen.server).trim(), "see local://paste-1.txt");
    assert!(screen.server.requests()[2].body.to_string().contains("line 100"));
    // As if it were typed.
    screen.send(&paste(&lines(100))).wait_for("Pasted 100 lines").send("3").wait_for("│ line 100");
    screen.send("\r").wait_for("three");
    assert_eq!(last_prompt(&screen.server).trim_end(), lines(100).trim_end());
    // Escape folds it, and the model gets all of it.
    screen.send(&paste(&lines(100))).wait_for("Pasted 100 lines").send("\x1b");
    screen.wait_for("│ [").send("\r").wait_for("four");
    assert_eq!(last_prompt(&screen.server).trim_end(), lines(100).trim_end());
    // One line less is no question.
    screen.send(&paste(&lines(99))).wait_for("│ [").send("\r").wait_for("five");
    assert_eq!(last_prompt(&screen.server).trim_end(), lines(99).trim_end());
}

/// proves: CLI-231
#[test]
fn the_question_about_pastes_can_be_turned_off() {
    for (threshold, asks) in [(0, false), (3, true)] {
        let server = Server::start([Reply::new()]);
        let home = crate::support::home(&server, Wire::OpenAiCompletions);
        let setting = format!("paste:\n  largeMenuThreshold: {threshold}\n");
        home.write("home/.omp/agent/config.yml", setting);
        let mut screen = Screen::in_home(home, server, &[], 30, 100);
        let pasted = if asks { lines(3) } else { lines(150) };
        screen.send(&paste(&pasted)).wait_for(if asks { "Pasted 3 lines" } else { "│ [" });
    }
}

/// proves: CLI-232
#[test]
fn pictures_are_attached_by_their_paths_and_counted_through() {
    let slow = Reply::new().text("slow words that take their time").delta_size(5);
    let replies = [slow.stall_after_event(3, Duration::from_secs(30)), Reply::new().text("seen")];
    let mut screen = Screen::new(replies, &[]);
    let first = screen.home.write("work/first one.png", png());
    let second = screen.home.write("work/second.png", crate::attachments::png(16, 2));
    screen.say("begin").wait_for("slow");
    // A path as a terminal drops it, quoted.
    screen.send(&paste(&format!("'{}'", first.display()))).wait_for("│ [Image #1]");
    screen.send("the first\r").wait_for("1 message queued");
    screen.send(&paste(&second.display().to_string())).wait_for("│ [Image #1]");
    screen.send("the second").wait_for("[Image #1] the second").send("\x11").wait_for("2 messages queued");
    screen.send("\x1b[1;3A").wait_for("│ [Image #1] the first").wait_for("│ [Image #2] the second");
    screen.send("\x1b").wait_for("Aborted");
    screen.send("\r").wait_for("seen");
    let requests = screen.server.requests();
    let content = crate::support::last_user(&requests[1].body).as_array().cloned().unwrap();
    assert_eq!(content[0]["text"], "[Image #1] the first\n\n[Image #2] the second");
    let pictures: Vec<&str> =
        content[1..].iter().map(|part| part["image_url"]["url"].as_str().unwrap()).collect();
    assert_eq!(pictures.len(), 2);
    assert_ne!(pictures[0], pictures[1]);
}

/// A home with programs for a clipboard that holds what is in its files.
fn with_clipboard(server: &Server) -> (Home, std::process::Command) {
    let home = crate::support::home(server, Wire::OpenAiCompletions);
    let script = "#!/bin/sh\ncd \"$CLIPBOARD\" || exit 1\ncase \"$*\" in\n\
        *TARGETS*) test -f picture && echo image/png; test -f text && echo UTF8_STRING; exit 0;;\n\
        *image/png*) exec cat picture;;\n\
        *-in*) exec cat > copied;;\n\
        *) exec cat text;;\nesac\n";
    let program = home.write("bin/xclip", script);
    std::fs::set_permissions(&program, PermissionsExt::from_mode(0o755)).unwrap();
    std::fs::create_dir_all(home.path("clipboard")).unwrap();
    let mut command = home.terminal_command(env!("CARGO_BIN_EXE_omp"));
    let path = format!("{}:{}", home.path("bin").display(), std::env::var("PATH").unwrap());
    command.env("PATH", path).env("DISPLAY", ":7").env("CLIPBOARD", home.path("clipboard"));
    (home, command)
}

/// proves: TUI-162
#[test]
fn the_clipboard_of_the_machine_is_read_and_written() {
    let server = Server::start([Reply::new().text("seen")]);
    let (home, command) = with_clipboard(&server);
    home.write("clipboard/picture", png());
    home.write("clipboard/text", "some text");
    let mut screen = Screen::with(command, home, server, 30, 100);
    screen.send("\x16").wait_for("│ [Image #1]");
    std::fs::remove_file(screen.home.path("clipboard/picture")).unwrap();
    screen.send("\x16").wait_for("[Image #1] some text");
    screen.send("\x1bC").wait_for("Copied to clipboard");
    assert_eq!(screen.home.read("clipboard/copied"), "[Image #1] some text");
    let bytes = screen.terminal.bytes();
    assert!(!bytes.windows(5).any(|part| part == b"\x1b]52;"), "the terminal is not needed");
    screen.send("\r").wait_for("seen");
    let body = screen.server.requests()[0].body.to_string();
    assert!(body.contains("data:image/png;base64,") && body.contains("[Image #1] some text"), "{body}");
    // Without a desktop the terminal has the clipboard.
    let mut screen = Screen::new([Reply::new()], &[]);
    screen.send("abc").wait_for("abc").send("\x1bL").wait_for("Copied to clipboard");
    screen.terminal.wait_for_bytes(b"\x1b]52;c;YWJj\x1b\\");
    screen.send("\x16").wait_for("nothing to paste");
}

/// proves: CLI-252
#[test]
fn keys_for_messages_and_the_clipboard() {
    let slow = Reply::new().text("slow words that take their time").delta_size(5);
    let server = Server::start([slow.stall_after_event(3, Duration::from_secs(30))]);
    let (home, command) = with_clipboard(&server);
    home.write("clipboard/text", lines(20));
    let mut screen = Screen::with(command, home, server, 40, 100);
    // Text where there is no picture is folded as any paste; pasted raw it is not.
    screen.send("\x16").wait_for("│ [").send("\x1b[27u").wait_for("Ask anything");
    for raw in ["\x1b[118;6u", "\x1bV"] {
        screen.send(raw).wait_for("│ line 20").send("\x1b[27u").wait_for("Ask anything");
    }
    screen.send("one\x0atwo").wait_for("│ two").send("\x1bL").wait_for("Copied to clipboard");
    assert_eq!(screen.home.read("clipboard/copied"), "two");
    screen.send("\x1b[27u").terminal.wait_without("Copied to clipboard");
    screen.send("one\x0atwo").wait_for("│ two").send("\x1bC").wait_for("Copied to clipboard");
    assert_eq!(screen.home.read("clipboard/copied"), "one\ntwo");
    screen.send("\x1b[27u").wait_for("Ask anything");
    screen.say("begin").wait_for("slow");
    screen.send("by Q").wait_for("by Q").send("\x11").wait_for("1 message queued");
    screen.send("by Enter").wait_for("by Enter").send("\x1b[13;5u").wait_for("2 messages queued");
    screen.send("\x1b[1;3A").wait_for("│ by Q").wait_for("│ by Enter").terminal.wait_without("queued");
}

/// One packet of the terminal's clipboard.
fn packet(fields: &str, payload: &[u8]) -> String {
    use base64::Engine;
    let end = if payload.is_empty() {
        String::new()
    } else {
        format!(";{}", base64::engine::general_purpose::STANDARD.encode(payload))
    };
    format!("\x1b]5522;type=read:status={fields}{end}\x1b\\")
}

/// What a terminal sends for a paste: the kinds first, the content when it is asked for.
fn announced(kinds: &[&str]) -> String {
    use base64::Engine;
    let kind = |kind: &&str| format!("DATA:mime={}", base64::engine::general_purpose::STANDARD.encode(kind));
    let kinds: String = kinds.iter().map(|name| packet(&kind(name), b"")).collect();
    format!("{}{kinds}{}", packet("OK:pw=c2VjcmV0", b""), packet("DONE", b""))
}

fn delivered(kind: &str, content: &[u8]) -> String {
    use base64::Engine;
    let mime = base64::engine::general_purpose::STANDARD.encode(kind);
    let pieces: String =
        content.chunks(3000).map(|piece| packet(&format!("DATA:mime={mime}"), piece)).collect();
    format!("{}{pieces}{}", packet("OK", b""), packet("DONE", b""))
}

/// proves: CLI-260
#[test]
fn terminals_paste_content_of_every_kind() {
    let mut screen = Screen::new([Reply::new().text("seen")], &[]);
    // The terminal says that it can, and is told to.
    screen.send("\x1b[?5522;2$y");
    screen.terminal.wait_for_bytes(b"\x1b[?5522h");
    screen.send(&announced(&["text/plain", "image/png"]));
    screen
        .terminal
        .wait_for_bytes(b"\x1b]5522;type=read:pw=c2VjcmV0:name=UGFzdGUgZXZlbnQ=;aW1hZ2UvcG5n\x1b\\");
    screen.send(&delivered("image/png", &crate::attachments::png(60, 80))).wait_for("│ [Image #1]");
    screen.send(&announced(&["text/plain"]));
    screen.terminal.wait_for_bytes(b";dGV4dC9wbGFpbg==\x1b\\");
    screen.send(&delivered("text/plain", "and words".as_bytes())).wait_for("[Image #1] and words");
    screen.send("\r").wait_for("seen");
    let body = screen.server.requests()[0].body.to_string();
    assert!(body.contains("data:image/png;base64,") && body.contains("[Image #1] and words"), "{body}");
    // Where words are asked for, words are taken and pictures are not.
    screen.say("/goal").wait_for("What is the goal?");
    screen.send(&delivered("image/png", &png())).wait_for("images can only be pasted into the prompt");
    screen.send(&delivered("text/plain", "reach the moon".as_bytes())).wait_for("reach the moon");
    let (terminal, ..) = {
        screen.send("\x1b").wait_for("Ask anything");
        screen.leave()
    };
    terminal.wait_for_bytes(b"\x1b[?5522l");
}
