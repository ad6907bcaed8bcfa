//! Colours: choosing them, keeping them, taking over old choices.

use omp_testkit::terminal::{Answers, Terminal};
use omp_testkit::{Home, Reply, Server, Wire};

use super::Screen;

const CONFIG: &str = "home/.omp/agent/config.yml";

/// A theme of the user's own: all of its colours are these two.
fn theme(home: &Home, name: &str, text: &str, ground: &str) {
    let json = omp_theme_file(name, text, ground);
    home.write(format!("home/.omp/agent/themes/{name}.json"), json);
}

/// A theme file with every token, backgrounds in one colour and the rest in another.
fn omp_theme_file(name: &str, text: &str, ground: &str) -> String {
    let built_in: serde_json::Value =
        serde_json::from_str(include_str!("../../../../omp-theme/themes/dark.json")).unwrap();
    let colors: serde_json::Map<String, serde_json::Value> = built_in["colors"]
        .as_object()
        .unwrap()
        .keys()
        .map(|token| (token.clone(), if token.ends_with("Bg") { ground } else { text }.into()))
        .collect();
    serde_json::json!({"name": name, "colors": colors}).to_string()
}

/// The list opens, tries out what is under the cursor, takes it back with Escape and keeps it with Enter. A theme that
/// cannot be read is neither used nor kept.
#[test]
fn a_theme_is_chosen_from_the_list() {
    let server = Server::start([Reply::new()]);
    let home = crate::support::home(&server, Wire::OpenAiCompletions);
    home.write("home/.omp/agent/themes/broken.json", "{\"name\": \"broken\"");
    let mut screen = Screen::in_home(home, server, &[], 40, 100);
    let before = screen.terminal.drawn("Ask anything");
    screen.say("/theme").wait_for("Theme for dark backgrounds").wait_for("❯ titanium");
    screen.send("phosphor").wait_for("❯ phosphor").send("\x1b\x1b").wait_for("Ask anything");
    assert_eq!(screen.terminal.drawn("Ask anything"), before);
    assert!(!screen.home.exists(CONFIG));
    screen.say("/theme").wait_for("❯ titanium").send("broken").wait_for("❯ broken").send("\r");
    screen.wait_for("Ask anything").wait_for("Theme broken: ");
    assert!(!screen.home.exists(CONFIG));
    assert_eq!(screen.terminal.drawn("Ask anything"), before);
    screen.say("/theme").wait_for("❯ titanium").send("phosphor").wait_for("❯ phosphor").send("\r");
    screen.wait_for("Theme: phosphor").wait_for("Ask anything");
    assert_ne!(screen.terminal.drawn("Ask anything"), before);
    let (_, _, home) = screen.leave();
    assert_eq!(home.read(CONFIG), "theme:\n  dark: phosphor\n");
}

/// On a light background the other slot is chosen. An old flat name gets the slot that its colours are made for,
/// whatever it is called.
///
/// proves: TUI-145, CFG-076
#[test]
fn the_choice_is_kept_by_background() {
    for (flat, text, ground, slot) in
        [("sunny", "#202020", "#f0f0f0", "light"), ("daylight", "#e0e0e0", "#101010", "dark")]
    {
        let server = Server::start([Reply::new()]);
        let home = crate::support::home(&server, Wire::OpenAiCompletions);
        theme(&home, flat, text, ground);
        home.write(CONFIG, format!("# old\ntheme: {flat}\n"));
        let background = if slot == "light" { "0;15" } else { "15;0" };
        let mut command = home.terminal_command(env!("CARGO_BIN_EXE_omp"));
        command.env("COLORFGBG", background);
        let mut screen = Screen::with(command, home, server, 40, 100);
        assert_eq!(screen.home.read(CONFIG), format!("# old\ntheme:\n  {slot}: {flat}\n"));
        screen
            .say("/theme")
            .wait_for(&format!("Theme for {slot} backgrounds"))
            .wait_for(&format!("❯ {flat}"));
        screen.send("solar").wait_for("❯ solar").send("\r").wait_for("Theme: solar");
        let (_, _, home) = screen.leave();
        let kept = home.read(CONFIG);
        assert!(kept.starts_with(&format!("# old\ntheme:\n  {slot}: solar-")), "{kept}");
    }
    for built_in in ["light", "dark"] {
        let server = Server::start([Reply::new()]);
        let home = crate::support::home(&server, Wire::OpenAiCompletions);
        home.write(CONFIG, format!("theme: {built_in}\nautoResume: false\n"));
        let screen = Screen::in_home(home, server, &[], 40, 100);
        let (_, _, home) = screen.leave();
        assert_eq!(home.read(CONFIG), "autoResume: false\n");
    }
}

/// Everything is drawn in the colours of the theme: with a theme of one colour nothing has another.
///
/// proves: TUI-146
#[test]
fn the_theme_drives_every_view() {
    let answer = "# A heading\n\nSome *words* and `code`.\n\n```rust\nfn main() {}\n```\n\n- an item\n";
    for (name, text) in [("reds", "#c01020"), ("blues", "#1020c0")] {
        let server = Server::start([Reply::new().text(answer)]);
        let home = crate::support::home(&server, Wire::OpenAiCompletions);
        theme(&home, name, text, "#101010");
        home.write(CONFIG, format!("theme:\n  dark: {name}\n"));
        let mut screen = Screen::in_home(home, server, &[], 60, 100);
        screen.say("draw").wait_for("an item");
        let color = match name {
            "reds" => "Rgb(192, 16, 32)",
            _ => "Rgb(16, 32, 192)",
        };
        let drawn = |terminal: &Terminal, what: &str| {
            let drawn = terminal.drawn(what);
            assert!(drawn.starts_with(color), "{what} of {name}: {drawn}");
        };
        // Markdown, code, the editor, the status line.
        for what in ["A heading", "words", "code", "fn", "main", "an item", "Ask anything", "test/scripted"] {
            drawn(&screen.terminal, what);
        }
        screen.say("/theme").wait_for("Esc: cancel");
        for what in ["Theme for", "amber", "type to search", "Enter: select"] {
            drawn(&screen.terminal, what);
        }
        screen.send("\x1b").wait_for("Ask anything").say("/settings").wait_for("Esc: close");
        for what in ["Settings", "modelRoles", "All", "Esc: close"] {
            drawn(&screen.terminal, what);
        }
    }
}

/// A terminal that says nothing about its background is a dark one.
#[test]
fn a_silent_terminal_is_dark() {
    let server = Server::start([Reply::new()]);
    let home = crate::support::home(&server, Wire::OpenAiCompletions);
    let command = home.terminal_command(env!("CARGO_BIN_EXE_omp"));
    let mut terminal = Terminal::start(command, 30, 100, Answers::None);
    terminal
        .wait_for("Ask anything")
        .send("/theme")
        .wait_for("/theme")
        .send("\r")
        .wait_for("for dark backgrounds");
}
