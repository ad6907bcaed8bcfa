//! The list below the editor.

use omp_testkit::{Reply, Server, Wire};

use super::Screen;

/// The rows below the editor's box.
fn offered(shown: &str) -> Vec<String> {
    let rows: Vec<&str> = shown.lines().collect();
    let bottom = rows.iter().rposition(|row| row.starts_with('╰')).unwrap_or(rows.len() - 1);
    rows[bottom + 1..].iter().map(|row| row.trim().to_owned()).filter(|row| !row.is_empty()).collect()
}

/// proves: CLI-230
#[test]
fn everything_that_can_be_named_is_completed() {
    let server = Server::start([Reply::new().text("seen")]);
    let home = crate::support::home(&server, Wire::OpenAiCompletions);
    home.write("work/src/deep/some_module.rs", "x");
    for number in 1..=40 {
        home.write(
            format!("work/.omp/skills/skill-{number:02}/SKILL.md"),
            format!("---\ndescription: Number {number}\n---\nx\n"),
        );
    }
    let mut screen = Screen::in_home(home, server, &[], 50, 100);
    // Files, by letters of their names.
    screen
        .send("@smod")
        .wait_for("src/deep/some_module.rs")
        .send("\t")
        .wait_for("│ @src/deep/some_module.rs");
    screen.send("\x1b[27u").wait_for("Ask anything");
    screen.send("/hotk").wait_for("/hotkeys").send("\t").wait_for("│ /hotkeys");
    screen.send("\x1b[27u").wait_for("Ask anything");
    // Internal URLs: at most 25, however many there are.
    screen.send("read skill://").wait_for("skill://skill-01");
    screen.send(&"\x1b[B".repeat(24)).wait_for("skill://skill-25");
    screen.send("\x1b[B").wait_for("❯ skill://skill-01");
    assert!(!screen.terminal.screen().contains("skill-26"));
    screen.send("skill-07").wait_for("Number 7").send("\t").wait_for("│ read skill://skill-07");
    screen.send("\x1b[27u").wait_for("Ask anything");
    // Emoji, from the list and by their names alone.
    screen
        .send(":rocke")
        .wait_for("🚀")
        .send("\t")
        .wait_for("│ 🚀")
        .send("\x1b[27u")
        .wait_for("Ask anything");
    screen.send("go :rocket:").wait_for("│ go 🚀").send("\x1b[27u").wait_for("Ask anything");
    // What the editor can do.
    screen
        .send("some words #copy")
        .wait_for("#copy-line")
        .wait_for("#copy-prompt")
        .send("\t")
        .wait_for("Copied to clipboard");
    screen.terminal.wait_for_bytes(b"\x1b]52;c;c29tZSB3b3Jkcy");
    screen.send("#und").wait_for("#undo").send("\x1b[27u\x1b[27u").wait_for("Ask anything");
    screen.send("abc #line-st").wait_for("#line-start").send("\tX").wait_for("│ Xabc");
}

/// proves: CLI-230
#[test]
fn emoji_are_left_alone_where_they_are_not_wanted() {
    let server = Server::start([Reply::new()]);
    let home = crate::support::home(&server, Wire::OpenAiCompletions);
    home.write("home/.omp/agent/config.yml", "emojiAutocomplete: false\n");
    let mut screen = Screen::in_home(home, server, &[], 30, 100);
    screen.send("go :rocket: now").wait_for("│ go :rocket: now");
}

/// proves: CLI-154
#[test]
fn commands_are_found_by_everything_they_are_known_by() {
    for rows in [5, 3] {
        let server = Server::start([Reply::new()]);
        let home = crate::support::home(&server, Wire::OpenAiCompletions);
        home.write("home/.omp/agent/config.yml", format!("autocompleteMaxVisible: {rows}\n"));
        let mut screen = Screen::in_home(home, server, &[], 40, 100);
        screen.send("/").wait_for("/model");
        let shown = screen.terminal.screen();
        let listed = offered(&shown).iter().filter(|row| row.contains('/')).count();
        assert_eq!(listed, rows, "{shown}");
        // By another name, and by what it does.
        screen.send("quit").wait_for("/exit").send("\x15").wait_for("Ask anything");
        screen.send("/All keys").wait_for("/hotkeys").send("\x15").wait_for("Ask anything");
        // Subcommands, and a hint behind the cursor.
        screen.send("/goal ").wait_for("[objective|set").send("pa").wait_for("pause");
        screen.send("\t").wait_for("│ /goal pause").send("\x15").wait_for("Ask anything");
        screen.send("/rename").wait_for("/rename <title>");
    }
}

/// Commands stand under their topics, on as many rows as there are, and the conversation behind them comes back untouched.
#[test]
fn all_commands_stand_under_their_topics() {
    let reply = (1..=30).map(|row| format!("Sentence {row}.\n\n")).collect::<String>();
    let mut screen = Screen::new([Reply::new().text(&reply)], &[]);
    screen.say("go").wait_for("Sentence 30.");
    let before = screen.terminal.screen();
    screen.send("/").wait_for("/model");
    let shown = screen.terminal.screen();
    let rows = offered(&shown);
    assert!(rows.len() > before.lines().count() / 2, "as tall as the screen: {shown}");
    let at = |wanted: &str| rows.iter().position(|row| row == wanted || row.starts_with(wanted));
    assert_eq!(at("Model"), Some(0), "{shown}");
    assert!(
        at("Conversation").is_some_and(|topic| at("/new").is_some_and(|new| new == topic + 1)),
        "{shown}"
    );
    assert!(!shown.contains("/collab"), "what is not available is absent: {shown}");
    // What is typed narrows the list, without topics.
    screen.send("hotk").terminal.wait_until("one offer", |shown| offered(shown).len() == 1);
    screen.send("\x15").wait_for("Ask anything");
    assert_eq!(screen.terminal.screen(), before, "nothing was pushed away");
}

/// What Enter does does not depend on how fast values for a command are found.
#[test]
fn values_of_commands_are_offered() {
    let mut screen = Screen::new([Reply::new().text("hello")], &[]);
    screen.send("/force ba").wait_for("❯ bash").send("\t").wait_for("│ /force bash");
    screen.send("\x15").wait_for("Ask anything");
    screen.send("/force nonsens").wait_for("nonsens").send("\r").terminal.wait_without("│ /force");
}

#[test]
fn tab_completes_paths_of_the_session() {
    let mut screen = Screen::new([Reply::new()], &[]);
    screen.home.write("work/folder/inside one.txt", "x");
    screen.home.write("work/.hidden", "x");
    screen.send("!ls fol\t").wait_for("│ !ls folder/").send("\t").wait_for("folder/inside\\ one.txt");
}
