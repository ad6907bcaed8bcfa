//! The prompt editor under the keys it has by default.

use omp_testkit::terminal::Terminal;
use omp_testkit::{Reply, Server, Wire};

use super::Screen;

const LEFT: &str = "\x1b[D";
const HOME: &str = "\x1b[H";
const UP: &str = "\x1b[A";

/// What is in the editor: the rows inside the last box.
fn edited(shown: &str) -> String {
    let rows: Vec<&str> = shown.lines().collect();
    let bottom = rows.iter().rposition(|row| row.starts_with('╰')).unwrap_or(rows.len());
    let top = rows[..bottom].iter().rposition(|row| row.starts_with('╭')).map_or(0, |top| top + 1);
    let inside =
        rows[top..bottom].iter().map(|row| row.trim_start_matches("│ ").trim_end_matches('│').trim_end());
    inside.collect::<Vec<_>>().join("\n")
}

/// Types, marks the place of the cursor with a bar, and compares.
fn check(terminal: &mut Terminal, typed: &str, keys: &str, wanted: &str) {
    terminal.send(typed).send(keys).send("¦");
    terminal.wait_until(&format!("{wanted:?} after {typed:?} and {keys:?}"), |shown| edited(shown) == wanted);
    // Escape, as a terminal writes it that can tell it from the beginning of a sequence.
    terminal.send("\x1b[27u").wait_for("Ask anything");
}

/// proves: CLI-255
#[test]
fn the_cursor_goes_where_keys_say() {
    let mut screen = Screen::sized([Reply::new()], &[], 40, 100);
    let lines: Vec<String> = (1..=30).map(|line| format!("l{line}")).collect();
    let (thirty, mut page) = (lines.join("\n"), lines.clone());
    page[29].push('¦');
    let after_home = |key: &str| format!("{HOME}{key}");
    for (typed, keys, wanted) in [
        ("ab", LEFT, "a¦b"),
        ("ab", "\x02", "a¦b"),
        ("ab", &after_home("\x1b[C"), "a¦b"),
        ("ab", &after_home("\x06"), "a¦b"),
        ("ab\ncd", UP, "ab¦\ncd"),
        ("ab\ncd", &format!("{UP}\x1b[B"), "ab\ncd¦"),
        ("one two", "\x1b[1;3D", "one ¦two"),
        ("one two", "\x1b[1;5D", "one ¦two"),
        ("one two", "\x1bb", "one ¦two"),
        ("one two", &after_home("\x1b[1;3C"), "one¦ two"),
        ("one two", &after_home("\x1b[1;5C"), "one¦ two"),
        ("one two", &after_home("\x1bf"), "one¦ two"),
        ("ab", HOME, "¦ab"),
        ("ab", "\x01", "¦ab"),
        ("ab", &after_home("\x1b[F"), "ab¦"),
        ("ab", &after_home("\x05"), "ab¦"),
        ("abcbd", &after_home("\x1db"), "a¦bcbd"),
        ("abcbd", "\x1b\x1db", "abc¦bd"),
    ] {
        check(&mut screen.terminal, typed, keys, wanted);
    }
    // A page is what is seen: the first line that is shown changes, and the cursor comes back.
    screen.send(&thirty).wait_for("l30");
    screen.send("\x1b[5~¦");
    screen.terminal.wait_until("the cursor a page up", |shown| {
        let text = edited(shown);
        let marked = text.lines().find(|line| line.contains('¦')).unwrap_or_default();
        let number: usize = marked.trim_start_matches('l').trim_end_matches('¦').parse().unwrap_or(30);
        number <= 20
    });
    screen.send("\x7f\x1b[6~\x1b[6~\x1b[6~¦");
    screen.terminal.wait_until("the cursor at the end", |shown| edited(shown).ends_with("l30¦"));
}

/// proves: CLI-256
#[test]
fn text_is_changed_by_keys() {
    let mut screen = Screen::new([Reply::new().text("heard")], &[]);
    let after_home = |key: &str| format!("{HOME}{key}");
    for (typed, keys, wanted) in [
        ("abc", "\x7f", "ab¦"),
        ("abc", &after_home("\x1b[3~"), "¦bc"),
        ("abc", &after_home("\x04"), "¦bc"),
        ("one two", "\x17", "one ¦"),
        ("one two", "\x1b\x7f", "one ¦"),
        ("one two", "\x1b[127;5u", "one ¦"),
        ("one two", "\x1b[127;11u", "one ¦"),
        ("one two", &after_home("\x1b[3;3~"), "¦ two"),
        ("one two", &after_home("\x1bd"), "¦ two"),
        ("one two", &after_home("\x1b[3;11~"), "¦ two"),
        ("one two", &after_home("\x1b[100;11u"), "¦ two"),
        ("one two", &format!("{LEFT}\x15"), "¦o"),
        ("one two", &after_home("\x1bf\x0b"), "one¦"),
        ("one two", "\x17\x19", "one two¦"),
        // Two kills that do not follow each other, so that the second replaces the first.
        ("one two", &format!("\x17{LEFT}\x15\x19\x1by"), "two¦"),
        ("one two", "\x17\x1f", "one two¦"),
        ("one two", "\x17\x1b[95;5u", "one two¦"),
        ("ab", "\x1b[13;2u", "ab\n¦"),
        ("ab", "\x0a", "ab\n¦"),
    ] {
        check(&mut screen.terminal, typed, keys, wanted);
    }
    screen.home.write("work/only-one-file.txt", "");
    screen
        .send("!cat only-on\t")
        .wait_for("│ !cat only-one-file.txt ")
        .send("\x1b[27u")
        .wait_for("Ask anything");
    // What is selected is copied, and nothing is cleared by that.
    screen
        .send("selected")
        .wait_for("selected")
        .send("\x1b[1;2D\x1b[1;2D\x03")
        .wait_for("Copied to clipboard");
    screen.terminal.wait_for_bytes(b"\x1b]52;c;ZWQ=\x1b\\");
    assert_eq!(edited(&screen.terminal.screen()), "selected");
    screen.send("\x1b[F\r").wait_for("heard");
    assert_eq!(super::last_prompt(&screen.server), "selected");
}

/// proves: TUI-077
#[test]
fn every_key_is_seen_at_once() {
    let mut screen = Screen::new([Reply::new()], &[]);
    let mut typed = String::new();
    for letter in ["a", "é", "漢", " ", "x"] {
        typed.push_str(letter);
        screen.send(letter);
        let row = typed.trim_end().to_owned();
        screen.terminal.wait_until(&row, |shown| edited(shown) == row);
    }
    // Keys that change no text move the cursor.
    let (_, before) = screen.terminal.cursor();
    screen.send(LEFT);
    let mut moved = screen.terminal.cursor().1 < before;
    while !moved {
        screen.terminal.wait_until("a frame", |_| true);
        std::thread::yield_now();
        moved = screen.terminal.cursor().1 < before;
    }
}

fn color_of(theme: &serde_json::Value, token: &str) -> String {
    let mut value = theme["colors"][token].as_str().unwrap_or_default().to_owned();
    while let Some(named) = theme["vars"][&value].as_str() {
        value = named.to_owned();
    }
    let hex = u32::from_str_radix(&value[1..], 16).unwrap();
    let [_, red, green, blue] = hex.to_be_bytes();
    format!("Rgb({red}, {green}, {blue})")
}

/// The theme that is used on a dark terminal.
fn titanium() -> serde_json::Value {
    let text = include_str!(concat!(env!("CARGO_MANIFEST_DIR"), "/../omp-theme/themes/titanium.json"));
    serde_json::from_str(text).unwrap()
}

fn border_becomes(terminal: &mut Terminal, token: &str) {
    let color = color_of(&titanium(), token);
    let end = std::time::Instant::now() + std::time::Duration::from_secs(20);
    while terminal.drawn("╭") != color {
        assert!(std::time::Instant::now() < end, "{token} is {color}, the border {}", terminal.drawn("╭"));
        std::thread::sleep(std::time::Duration::from_millis(2));
    }
}

/// proves: TUI-100
#[test]
fn the_border_tells_what_the_text_is() {
    let mut screen = Screen::new([Reply::new()], &[]);
    let terminal = &mut screen.terminal;
    for (typed, token) in [
        ("!", "bashMode"),
        ("$", "pythonMode"),
        ("${", "thinkingOff"),
        ("a!", "thinkingOff"),
        ("!!ls", "bashMode"),
        ("$$x", "pythonMode"),
    ] {
        terminal.send(typed);
        border_becomes(terminal, token);
        terminal.send("\x1b[27u").wait_for("Ask anything");
        border_becomes(terminal, "thinkingOff");
    }
}

/// proves: TUI-101
#[test]
fn escape_leaves_the_shell_mode_or_stops_the_command() {
    let mut screen = Screen::new([Reply::new()], &[]);
    screen.send("!echo x").wait_for("!echo x");
    border_becomes(&mut screen.terminal, "bashMode");
    screen.send("\x1b").wait_for("Ask anything");
    border_becomes(&mut screen.terminal, "thinkingOff");
    screen.say("!echo begun; sleep 300").wait_for("begun\n");
    screen.send("\x1b").wait_for("cancelled");
    // What Python code would do is said, and the text stays until it is cleared the same way.
    screen.send("$1+1").wait_for("$1+1").send("\r").wait_for("available yet");
    screen.send("\x1b").wait_for("Ask anything");
    border_becomes(&mut screen.terminal, "thinkingOff");
}

/// proves: TUI-104
#[test]
fn the_border_tells_how_hard_the_model_thinks() {
    let server = Server::start([Reply::new()]);
    let home = omp_testkit::Home::new();
    let levels = "thinking:\n  levels: [minimal, low, medium, high, xhigh]";
    let options = omp_testkit::ModelOptions::new().reasoning(true).model(levels);
    home.models_yml(&server, Wire::OpenAiCompletions, options);
    home.write("home/.omp/agent/config.yml", "defaultThinkingLevel: minimal\n");
    let mut screen = Screen::in_home(home, server, &[], 30, 100);
    border_becomes(&mut screen.terminal, "thinkingMinimal");
    for (word, token) in [
        ("low", "thinkingLow"),
        ("medium", "thinkingMedium"),
        ("high", "thinkingHigh"),
        ("xhigh", "thinkingXhigh"),
        ("off", "thinkingOff"),
        ("minimal", "thinkingMinimal"),
    ] {
        screen.send("\x1b[Z").wait_for(&format!("Thinking: {word}"));
        border_becomes(&mut screen.terminal, token);
    }
}

/// proves: LOP-087
#[test]
fn words_that_change_the_turn_are_seen() {
    let server = Server::start([Reply::new().text("done")]);
    let home = omp_testkit::Home::new();
    let options = omp_testkit::ModelOptions::new().model("compat:\n  supportsDeveloperRole: true");
    home.models_yml(&server, Wire::OpenAiResponses, options);
    let mut screen = Screen::in_home(home, server, &[], 30, 100);
    screen.send("please ultrathink and `orchestrate` ultrathinking").wait_for("ultrathinking");
    let accent = format!("{} bold", color_of(&titanium(), "accent"));
    for (word, wanted) in [(" ultrathink ", true), ("`orchestrate`", false), ("ultrathinking", false)] {
        let letters = word.trim_matches([' ', '`']);
        let shown = format!("{letters}{}", &word[word.trim_end_matches([' ', '`']).len()..]);
        assert_eq!(
            screen.terminal.drawn(&shown) == accent,
            wanted,
            "{word}: {}",
            screen.terminal.drawn(&shown)
        );
    }
    screen.send("\r").wait_for("done");
    assert_eq!(screen.terminal.drawn("ultrathink "), accent, "in the conversation");
    assert_ne!(screen.terminal.drawn("please"), accent);
    let body = screen.server.requests()[0].body.clone();
    let of = |role: &str| -> Vec<String> {
        let items = body["input"].as_array().unwrap().iter().filter(|item| item["role"] == role);
        items.map(|item| item["content"].to_string()).collect()
    };
    assert!(of("user").concat().contains("please ultrathink and `orchestrate` ultrathinking"), "{body}");
    assert!(of("developer").concat().contains("most careful thinking"), "{body}");
}

/// proves: CLI-141
#[test]
fn the_editor_of_the_user_is_found_by_two_variables() {
    let edit = |variables: &[(&str, &str)]| {
        let server = Server::start([Reply::new()]);
        let home = crate::support::home(&server, Wire::OpenAiCompletions);
        let mut command = home.terminal_command(env!("CARGO_BIN_EXE_omp"));
        for (name, word) in variables {
            let script = home.write(word, format!("#!/bin/sh\nprintf ' by-{word}' >> \"$1\"\n"));
            std::fs::set_permissions(&script, std::os::unix::fs::PermissionsExt::from_mode(0o755)).unwrap();
            command.env(name, &script);
        }
        let mut screen = Screen::with(command, home, server, 30, 100);
        screen.send("draft").wait_for("draft").send("\x07");
        screen
    };
    edit(&[("VISUAL", "visual"), ("EDITOR", "editor")]).wait_for("draft by-visual");
    edit(&[("EDITOR", "editor")]).wait_for("draft by-editor");
    edit(&[]).wait_for("no editor set: set VISUAL or EDITOR");
}

/// The keys of vi, for those who want them.
#[test]
fn vi_keys_edit_the_prompt() {
    let server = Server::start([Reply::new().text("heard")]);
    let home = crate::support::home(&server, Wire::OpenAiCompletions);
    home.write("home/.omp/agent/config.yml", "tui:\n  vimMode: true\n");
    let mut screen = Screen::in_home(home, server, &[], 30, 100);
    screen.wait_for("INSERT").send("one two three").wait_for("one two three");
    screen.send("\x1b").wait_for("NORMAL").send("bdw").wait_for("│ one two");
    screen.terminal.wait_without("three");
    screen.send("0cwfour").wait_for("│ four two").send("\x1b").wait_for("NORMAL");
    screen.send("uu").wait_for("│ one two").send("2\x12").wait_for("│ four two");
    // A second Escape throws nothing away.
    screen.send("\x1b[27u\x1b[27u").send("$a!").wait_for("four two").send("\r").wait_for("heard");
    assert!(
        super::last_prompt(&screen.server).starts_with("four two"),
        "{}",
        super::last_prompt(&screen.server)
    );
    screen.wait_for("INSERT");
}

/// An editor that has the terminal does not outlive the program that gave it away.
#[test]
fn the_editor_of_the_user_ends_with_us() {
    let server = Server::start([Reply::new()]);
    let home = crate::support::home(&server, Wire::OpenAiCompletions);
    let script = home.write("editor.sh", "#!/bin/sh\necho EDITING\nexec sleep 987\n");
    std::fs::set_permissions(&script, std::os::unix::fs::PermissionsExt::from_mode(0o755)).unwrap();
    let mut command = home.terminal_command(env!("CARGO_BIN_EXE_omp"));
    command.env("EDITOR", &script);
    let mut screen = Screen::with(command, home, server, 30, 100);
    screen.send("\x07").wait_for("EDITING");
    let pid = nix::unistd::Pid::from_raw(i32::try_from(screen.terminal.pid()).unwrap());
    nix::sys::signal::kill(pid, nix::sys::signal::Signal::SIGKILL).unwrap();
    // Its end is that of everything that could still write to the terminal.
    screen.terminal.wait_exit();
}
