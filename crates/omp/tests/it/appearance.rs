//! Themes and keys of a user, at a terminal.

use std::time::{Duration, Instant};

use omp_testkit::Home;
use omp_testkit::terminal::{Answers, Terminal};
use serde_json::{Value, json};

const CONFIG: &str = "home/.omp/agent/config.yml";
const THEME: &str = "home/.omp/agent/themes/mine.json";
const KEYS: &str = "home/.omp/agent/keybindings.json";

/// The program with the built-in demo model, ready for typing.
fn start(home: &Home) -> Terminal {
    let command = home.terminal_command(env!("CARGO_BIN_EXE_omp"));
    let mut terminal = Terminal::start(command, 30, 100, Answers::Kind);
    terminal.wait_for("/hotkeys: keys");
    terminal
}

/// A theme whose every text has one colour.
fn theme(text: &str) -> String {
    let ember = include_str!(concat!(env!("CARGO_MANIFEST_DIR"), "/../omp-theme/themes/ember.json"));
    let mut theme: Value = serde_json::from_str(ember).unwrap();
    theme["name"] = json!("mine");
    for (name, color) in theme["colors"].as_object_mut().unwrap() {
        if !name.ends_with("Bg") {
            *color = json!(text);
        }
    }
    theme.to_string()
}

/// How often a colour was written so far.
fn count(terminal: &Terminal, color: &str) -> usize {
    let bytes = terminal.bytes();
    bytes.windows(color.len()).filter(|part| *part == color.as_bytes()).count()
}

/// Waits until a colour was written more often than before.
fn wait_for_color(terminal: &Terminal, color: &str, before: usize) {
    let end = Instant::now() + Duration::from_secs(20);
    while count(terminal, color) <= before {
        assert!(Instant::now() < end, "{color} does not come; the screen is:\n{}", terminal.screen());
        std::thread::sleep(Duration::from_millis(5));
    }
}

/// The accent of a built-in theme as it is written.
fn accent(theme: &str) -> String {
    let theme: Value = serde_json::from_str(theme).unwrap();
    let hex = u32::from_str_radix(&theme["vars"]["accent"].as_str().unwrap()[1..], 16).unwrap();
    let [_, red, green, blue] = hex.to_be_bytes();
    format!("38;2;{red};{green};{blue}")
}

/// The theme that everything falls back to.
const DARK: &str = include_str!(concat!(env!("CARGO_MANIFEST_DIR"), "/../omp-theme/themes/dark.json"));
/// The usual theme on a dark terminal.
const TITANIUM: &str =
    include_str!(concat!(env!("CARGO_MANIFEST_DIR"), "/../omp-theme/themes/titanium.json"));
/// The usual theme on a light terminal.
const LIGHT: &str = include_str!(concat!(env!("CARGO_MANIFEST_DIR"), "/../omp-theme/themes/light.json"));

// proves: TUI-140
#[test]
fn an_edited_theme_is_shown_and_a_broken_one_is_not() {
    let home = Home::new();
    home.write(CONFIG, "theme:\n  dark: mine\n");
    home.write(THEME, theme("#0a0b0c"));
    let mut terminal = start(&home);
    wait_for_color(&terminal, "38;2;10;11;12", 0);

    home.write(THEME, theme("#0d0e0f"));
    wait_for_color(&terminal, "38;2;13;14;15", 0);

    // Long enough to be noticed; if it is not, the test only proves less.
    let notice = || std::thread::sleep(Duration::from_millis(300));
    home.write(THEME, "{\"name\":");
    notice();
    std::fs::remove_file(home.path(THEME)).unwrap();
    notice();
    let before = count(&terminal, "38;2;13;14;15");
    terminal.send("still here").wait_for("still here");
    // A colour that is set is not set again; with another size everything is drawn anew.
    terminal.resize(30, 90);
    wait_for_color(&terminal, "38;2;13;14;15", before);
    // Written beside it and renamed, as editors do.
    home.write("home/.omp/agent/themes/mine.json.new", theme("#101112"));
    std::fs::rename(home.path("home/.omp/agent/themes/mine.json.new"), home.path(THEME)).unwrap();
    wait_for_color(&terminal, "38;2;16;17;18", 0);
    assert_eq!(count(&terminal, &accent(DARK)), 0, "nothing was ever drawn in another theme");
    terminal.wait_for("still here");
}

#[test]
fn a_theme_that_cannot_be_read_is_named_and_replaced() {
    let home = Home::new();
    home.write(CONFIG, "theme:\n  dark: mine\n");
    home.write(THEME, "{\"name\": \"mine\", \"colors\": {}}");
    let mut terminal = start(&home);
    terminal.wait_for("missing colors: accent, border,");
    wait_for_color(&terminal, &accent(DARK), 0);
}

#[test]
fn a_theme_is_chosen_and_kept_and_a_broken_one_is_not_used() {
    let home = Home::new();
    home.write(THEME, "{\"name\": \"mine\", \"colors\": {}}");
    let mut terminal = start(&home);
    let mut choose = |name: &str, said: &str| {
        terminal.send("/theme\r").wait_for("Theme for");
        terminal.send(name).wait_until("one of them", |screen| screen.contains("1 of "));
        terminal.send("\r").wait_for(said);
    };
    choose("mine", "missing colors: accent, border,");
    choose("phosphor", "Theme: phosphor");
    let end = Instant::now() + Duration::from_secs(20);
    while !std::fs::read_to_string(home.path(CONFIG)).is_ok_and(|text| text.contains("dark: phosphor")) {
        assert!(Instant::now() < end, "the choice is not kept");
        std::thread::sleep(Duration::from_millis(5));
    }
    assert!(!home.read(CONFIG).contains("mine"), "the broken one was not kept");
}

// proves: CLI-257
#[test]
fn a_list_is_gone_through_with_the_usual_keys() {
    let home = Home::new();
    let mut terminal = start(&home);
    // The list is sorted, and its last entry is in use.
    let open = |terminal: &mut Terminal| {
        terminal.send("/theme\r").wait_for("Theme for").wait_for("❯ titanium");
    };
    open(&mut terminal);
    terminal.send("\x1b[A").wait_for("❯ solar-light");
    terminal.send("\x1b[B").wait_for("❯ titanium");
    terminal.send("\x1b[B").wait_for("❯ amber");
    terminal.send("\x1b[6~").wait_without("❯ amber");
    assert!(!terminal.screen().contains("❯ ansi"), "a page is more than a row");
    terminal.send("\x1b[5~").wait_for("❯ amber");
    terminal.send("\x1b").wait_without("Theme for");
    open(&mut terminal);
    terminal.send("\x1b[A").wait_for("❯ solar-light");
    terminal.send("\x03").wait_without("Theme for");
    // Neither way of closing chose anything.
    open(&mut terminal);
    terminal.send("\x1b[B").wait_for("❯ amber");
    terminal.send("\r").wait_for("Theme: amber");
}

/// Where nothing speaks for macOS, the terminal does: when it says so itself, and when it is asked after a resize.
// proves: TUI-135
#[test]
fn the_theme_follows_the_terminals_appearance() {
    let home = Home::new();
    let mut terminal = start(&home);
    assert_eq!(count(&terminal, &accent(LIGHT)), 0);
    terminal.send("\x1b[?997;2n");
    wait_for_color(&terminal, &accent(LIGHT), 0);
    terminal.wait_for("/hotkeys: keys");

    let question = "\x1b]11;?";
    let before = (count(&terminal, question), count(&terminal, &accent(TITANIUM)));
    terminal.resize(28, 90);
    wait_for_color(&terminal, question, before.0);
    terminal.send("\x1b]11;rgb:1010/1111/1212\x1b\\");
    wait_for_color(&terminal, &accent(TITANIUM), before.1);
    terminal.wait_for("/hotkeys: keys");
}

// proves: TUI-117
#[test]
fn keys_are_read_from_their_own_file_alone() {
    let home = Home::new();
    home.write(CONFIG, "app.exit: F6\nkeybindings:\n  app.exit: F6\n");
    home.write(KEYS, r#"{"app.exit": ["Ctrl+X", "F9"], "keybindings": {"app.exit": "F7"}}"#);
    let mut terminal = start(&home);
    // Ctrl+D, F6 and F7 do not leave.
    terminal.send("\x04").send("\x1b[17~").send("\x1b[18~").send("typed").wait_for("typed");
    terminal.send("\x15").wait_without("typed").send("\x18");
    assert!(terminal.wait_exit().success());

    // The file was taken over; whoever edits the JSON file again is heard.
    home.write(KEYS, r#"{"app.exit": "F8"}"#);
    let mut terminal = start(&home);
    terminal.send("\x18").send("again").wait_for("again");
    terminal.send("\x15").wait_without("again").send("\x1b[19~");
    assert!(terminal.wait_exit().success());
}
