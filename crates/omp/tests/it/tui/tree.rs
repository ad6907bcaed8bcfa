//! The tree of the conversation.

use std::path::PathBuf;

use omp_testkit::{Home, Reply, Server, Wire};
use serde_json::{Value, json};

use super::Screen;
use super::picker::begun;
use crate::sessions::{lines, session_files};
use crate::support;

/// Escape as a terminal sends it that tells it from the beginning of other keys.
pub(super) const ESC: &str = "\x1b[27u";

pub(super) const TITLE: &str = "Session tree";

/// Searches the tree for a prompt and goes there.
pub(super) fn choose_in_tree(screen: &mut Screen, prompt: &str) {
    let found = format!("❯ • user: {prompt}");
    screen.say("/tree").wait_for(TITLE).send(prompt).wait_for(&found).send("\r");
}

pub(super) fn answers<const N: usize>(texts: [&str; N]) -> Vec<Reply> {
    texts.map(|text| Reply::new().text(text)).into()
}

pub(super) fn with_settings(settings: &str, replies: Vec<Reply>) -> Screen {
    let server = Server::start(replies);
    let home = support::home(&server, Wire::OpenAiCompletions);
    home.write("home/.omp/agent/config.yml", settings);
    Screen::in_home(home, server, &[], 40, 100)
}

/// Alpha and beta were said and answered.
pub(super) fn two_turns(more: Vec<Reply>) -> Screen {
    let replies = answers(["alpha-answer.", "beta-answer."]).into_iter().chain(more).collect::<Vec<_>>();
    let mut screen = Screen::sized(replies, &[], 40, 100);
    screen.say("question alpha").wait_for("alpha-answer.");
    screen.say("question beta").wait_for("beta-answer.");
    screen
}

/// The rows of the tree as they are shown.
fn tree(screen: &Screen) -> Vec<String> {
    let shown = screen.terminal.screen();
    let rows = shown.lines().skip_while(|row| !row.contains(TITLE)).skip(2);
    rows.take_while(|row| !row.contains("Enter: ") && !row.contains(" more"))
        .map(|row| row.trim_end().to_owned())
        .collect()
}

pub(super) fn saved(screen: &Screen) -> PathBuf {
    session_files(&screen.home).first().expect("a session").clone()
}

pub(super) fn messages(file: &PathBuf) -> Vec<Value> {
    lines(file).into_iter().filter(|line| line["type"] == "message").collect()
}

/// proves: SES-116
#[test]
fn the_tree_opens_in_three_ways() {
    let server = Server::start(answers(["alpha-answer."]));
    let home = support::home(&server, Wire::OpenAiCompletions);
    home.write("home/.omp/agent/keybindings.yml", "app.session.tree: Alt+X\n");
    let mut screen = Screen::in_home(home, server, &[], 40, 100);
    screen.say("question alpha").wait_for("alpha-answer.");
    let mut seen = Vec::new();
    for keys in ["/tree\r", "\x1bx", &format!("{ESC}{ESC}")] {
        screen.send(keys).wait_for(TITLE).wait_for("assistant: alpha-answer.");
        seen.push(tree(&screen));
        screen.send(ESC).wait_for("Ask anything");
    }
    assert_eq!(seen[0], ["  • user: question alpha", "❯ • assistant: alpha-answer."]);
    assert!(seen.iter().all(|rows| *rows == seen[0]), "{seen:?}");
}

/// proves: SES-117
#[test]
fn two_escapes_do_what_the_user_wants() {
    let mut screen = with_settings("doubleEscapeAction: tree\n", answers(["alpha-answer."]));
    screen.say("question alpha").wait_for("alpha-answer.").send(&format!("{ESC}{ESC}")).wait_for(TITLE);
    let mut screen = with_settings("doubleEscapeAction: branch\n", answers(["alpha-answer."]));
    screen.say("question alpha").wait_for("alpha-answer.").send(&format!("{ESC}{ESC}"));
    screen.wait_for("Branch from a message").wait_for("question alpha");
    let mut screen = with_settings("doubleEscapeAction: none\n", answers(["alpha-answer."]));
    screen
        .say("question alpha")
        .wait_for("alpha-answer.")
        .send(&format!("{ESC}{ESC}typed"))
        .wait_for("│ typed");
    let shown = screen.terminal.screen();
    assert!(!shown.contains(TITLE) && !shown.contains("Branch from a message"), "{shown}");

    let server = Server::start(answers(["alpha-answer."]));
    let home = support::home(&server, Wire::OpenAiCompletions);
    home.write("home/.omp/agent/keybindings.yml", "app.session.tree: Alt+X\napp.session.fork: Alt+Y\n");
    let mut screen = Screen::in_home(home, server, &[], 40, 100);
    screen.say("question alpha").wait_for("alpha-answer.").send("\x1bx").wait_for(TITLE).send(ESC);
    screen.wait_for("Ask anything").send("\x1by").wait_for("Session forked");
}

/// proves: SES-118
#[test]
fn the_tree_shows_branches_labels_and_the_way() {
    let mut screen = two_turns(answers(["gamma-answer."]));
    // Another way after the first answer.
    screen.say("/tree").wait_for(TITLE).send("\x1b[A").wait_for("❯ • user: question beta").send("\r");
    screen.wait_for("│ question beta").send("\x15question gamma\r").wait_for("gamma-answer.");
    screen.say("/tree").wait_for(TITLE).send("L").wait_for("✎ Label:").send("good\r").wait_for("[good]");
    assert_eq!(
        tree(&screen),
        [
            "  • user: question alpha",
            "  • assistant: alpha-answer.",
            "  ├─ • user: question gamma",
            "❯ │  • [good] assistant: gamma-answer.",
            "  └─ user: question beta",
            "     assistant: beta-answer.",
        ]
    );
}

/// A session with two beginnings (one of them is an orphan) that ends with the message of an extension.
fn odd_session(home: &Home) -> PathBuf {
    let file = begun(home, &home.work_dir(), "question alpha");
    let entries = lines(&file);
    let of = |role: &str| entries.iter().find(|line| line["message"]["role"] == role).unwrap().clone();
    let (mut user, mut answer) = (of("user"), of("assistant"));
    user["parentId"] = Value::Null;
    answer["parentId"] = user["id"].clone();
    let mut orphan = user.clone();
    orphan["id"] = json!("orphan01");
    orphan["parentId"] = json!("missing1");
    orphan["message"]["content"] = json!("question of an orphan");
    let custom = json!({"type": "custom_message", "id": "c0000001", "parentId": answer["id"], "timestamp":
        "2030-01-01T00:00:00.000Z", "customType": "note", "content": "said by an extension", "display": true});
    let text: String =
        [&entries[0], &user, &orphan, &answer, &custom].map(|entry| format!("{entry}\n")).concat();
    std::fs::write(&file, text).unwrap();
    file
}

/// proves: SES-119
#[test]
fn several_beginnings_hang_together() {
    let server = Server::start(answers(["alpha-answer."]));
    let home = support::home(&server, Wire::OpenAiCompletions);
    let file = odd_session(&home);
    let mut screen = Screen::in_home(home, server, &["--resume", file.to_str().unwrap()], 40, 100);
    screen.say("/tree").wait_for(TITLE);
    assert_eq!(
        tree(&screen),
        [
            "  (beginning)",
            "  ├─ • user: question alpha",
            "  │  • assistant: alpha-answer.",
            "❯ │  • custom message: note said by an extension",
            "  └─ user: question of an orphan",
        ]
    );
}

/// A session with so many turns.
fn long_session(home: &Home, turns: usize) -> String {
    let file = begun(home, &home.work_dir(), "turn 0");
    let entries = lines(&file);
    let (user, answer) = (
        entries.iter().find(|line| line["message"]["role"] == "user").unwrap().clone(),
        entries.iter().find(|line| line["message"]["role"] == "assistant").unwrap().clone(),
    );
    let mut text = std::fs::read_to_string(&file).unwrap();
    let mut parent = entries.last().unwrap()["id"].clone();
    for turn in 1..turns {
        for (entry, id, words) in [
            (&user, format!("u{turn:07}"), json!(format!("turn {turn}"))),
            (&answer, format!("a{turn:07}"), json!([{"type": "text", "text": format!("said {turn}")}])),
        ] {
            let mut entry = entry.clone();
            entry["id"] = json!(id);
            entry["parentId"] = parent;
            entry["message"]["content"] = words;
            parent = json!(id);
            text.push_str(&format!("{entry}\n"));
        }
    }
    std::fs::write(&file, text).unwrap();
    file.display().to_string()
}

/// proves: SES-120, SES-121
#[test]
fn the_tree_is_used_with_the_keyboard() {
    let server = Server::start(answers(["first answer"]));
    let home = support::home(&server, Wire::OpenAiCompletions);
    let file = long_session(&home, 40);
    let mut screen = Screen::in_home(home, server, &["--resume", &file], 40, 100);
    screen.say("/tree").wait_for("❯ • assistant: said 39");
    assert_eq!(tree(&screen).len(), 20, "half of the screen");
    // Up and down go round; left and right by page.
    screen.send("\x1b[B").wait_for("❯ • user: turn 0").send("\x1b[A").wait_for("❯ • assistant: said 39");
    screen
        .send("\x1b[D")
        .wait_for("❯ • assistant: said 29")
        .send("\x1b[D")
        .wait_for("❯ • assistant: said 19");
    screen.send("\x1b[C").wait_for("❯ • assistant: said 29");
    for (rows, page) in [(30, 15), (9, 5), (40, 20)] {
        screen.terminal.resize(rows, 100).wait_until("another page", |shown| {
            let count = shown.matches("user: turn").count() + shown.matches("assistant: said").count();
            count == page && shown.contains("❯ • assistant: said 29")
        });
        let shown = screen.terminal.screen();
        let shown: Vec<&str> = shown
            .lines()
            .filter(|row| row.contains("user: turn") || row.contains("assistant: said"))
            .collect();
        let place = shown.iter().position(|row| row.starts_with('❯')).unwrap();
        assert_eq!(place, page / 2, "the cursor is in the middle: {shown:?}");
    }
    // Typing searches, Backspace takes a letter back, Escape all of them.
    screen.send("turn 33").wait_for("❯ • user: turn 33").send("\x7f").wait_for("user: turn 30");
    screen.send(ESC).wait_for("type to search").wait_for("said 33");
    screen.send(ESC).wait_for("Ask anything");
    screen.say("/tree").wait_for(TITLE).send("turn 7").wait_for("❯ • user: turn 37").send("\x03");
    screen.wait_for("Ask anything");
    assert!(!screen.terminal.screen().contains(TITLE));
    screen.say("/tree").wait_for(TITLE).send("turn 7").wait_for("❯ • user: turn 37").send("\x1b[B");
    screen.wait_for("❯ • user: turn 7").send("\r");
    screen.wait_for("│ turn 7");
}

/// proves: SES-122
#[test]
fn labels_are_written_behind_everything_else() {
    let mut screen = two_turns(Vec::new());
    let file = saved(&screen);
    let target = messages(&file)[3]["id"].clone();
    screen.say("/tree").wait_for("❯ • assistant: beta-answer.").send("L").wait_for("✎ Label:");
    screen.send("half way\r").wait_for("[half way] assistant: beta-answer.");
    let last = lines(&file).pop().unwrap();
    assert_eq!(
        (&last["type"], &last["targetId"], &last["label"]),
        (&json!("label"), &target, &json!("half way"))
    );
    // An empty one takes it away.
    screen.send("L").wait_for("Label: half way").send("\x15\r").wait_for("• assistant: beta-answer.");
    let last = lines(&file).pop().unwrap();
    assert_eq!((&last["type"], &last["targetId"]), (&json!("label"), &target));
    assert!(last.get("label").is_none_or(Value::is_null), "{last}");
    assert_eq!(lines(&file).iter().filter(|line| line["type"] == "label").count(), 2);
    // A label is no step: the conversation still stands there.
    screen.send("\r").wait_for("Already at this point").say("/new").wait_for("New session started");
    screen.say("/tree").wait_for("No conversation yet");
}

/// proves: SES-123
#[test]
fn filters_are_gone_through_and_named() {
    let call = Reply::new().text("Let me look.").tool_call("bash", json!({"_i": "x", "command": "echo hi"}));
    let mut screen = Screen::sized([call, Reply::new().text("Done.")], &[], 40, 100);
    screen.say("question").wait_for("Done.");
    screen
        .say("/tree")
        .wait_for("· default")
        .send("L")
        .wait_for("✎ Label:")
        .send("mark\r")
        .wait_for("[mark]");
    let mut rows = |keys: &str, filter: &str| {
        screen.send(keys).wait_for(&format!("· {filter}  "));
        tree(&screen)
    };
    let default = rows("\x1bd", "default");
    assert_eq!(default.len(), 4, "{default:?}");
    let without_tools = rows("\x0f", "no-tools");
    assert!(without_tools.len() == 3 && !without_tools.iter().any(|row| row.contains("tool: ")));
    let user = rows("\x0f", "user-only");
    assert_eq!(user, ["❯ • user: question"]);
    let labeled = rows("\x0f", "labeled-only");
    assert_eq!(labeled, ["❯ • [mark] assistant: Done."]);
    let all = rows("\x0f", "all");
    assert!(all.len() > default.len() && all.iter().any(|row| row.contains("label: mark")), "{all:?}");
    assert_eq!(rows("\x0f", "default").len(), 4);
    // Ctrl+Shift+O goes back.
    assert_eq!(rows("\x1b[111;6u", "all").len(), all.len());
    assert_eq!(rows("\x1b[111;6u", "labeled-only"), labeled);
    assert_eq!(rows("\x1bt", "no-tools").len(), 3);
    assert_eq!(rows("\x1bu", "user-only").len(), 1);
    assert_eq!(rows("\x1bl", "labeled-only").len(), 1);
    assert_eq!(rows("\x1ba", "all").len(), all.len());
}

/// proves: SES-127, SES-128, SES-129, SES-130
#[test]
fn choosing_an_entry_goes_there() {
    let mut screen = two_turns(answers(["gamma-answer.", "delta-answer."]));
    let file = saved(&screen);
    let ids: Vec<Value> = messages(&file).iter().map(|line| line["id"].clone()).collect();
    screen.say("/tree").wait_for("❯ • assistant: beta-answer.").send("\r").wait_for("Already at this point");
    // What the user said comes back into the editor, and the next words take its place.
    screen.say("/tree").wait_for(TITLE).send("question beta").wait_for("❯ • user: question beta").send("\r");
    screen.wait_for("│ question beta").terminal.wait_without("beta-answer.");
    assert!(screen.terminal.screen().contains("alpha-answer."));
    screen.send("\x15question gamma\r").wait_for("gamma-answer.");
    let gamma = messages(&file)[4].clone();
    assert_eq!(
        (&gamma["parentId"], &gamma["message"]["role"]),
        (&ids[1], &json!("user")),
        "a sibling of beta"
    );
    let body = screen.server.requests()[2].body.to_string();
    assert!(body.contains("alpha-answer.") && !body.contains("beta"), "{body}");
    // Any other entry is gone on from, and the editor stays as it is.
    screen.say("/tree").wait_for(TITLE).send("beta-answer").wait_for("❯ assistant: beta-answer.").send("\r");
    screen.wait_for("beta-answer.").wait_for("Ask anything").terminal.wait_without("gamma-answer.");
    screen.say("question delta").wait_for("delta-answer.");
    let delta = messages(&file)[6].clone();
    assert_eq!(delta["parentId"], ids[3]);
    let body = screen.server.requests()[3].body.to_string();
    assert!(body.contains("beta-answer.") && !body.contains("gamma"), "{body}");
    // What an extension said counts as said by the user; before the first message there is nothing.
    let server = Server::start(answers(["alpha-answer.", "epsilon-answer.", "zeta-answer."]));
    let home = support::home(&server, Wire::OpenAiCompletions);
    let file = odd_session(&home);
    let answer = messages(&file)[2]["id"].clone();
    let mut screen = Screen::in_home(home, server, &["--resume", file.to_str().unwrap()], 40, 100);
    screen
        .say("/tree")
        .wait_for(TITLE)
        .send("\x1b[A\x1b[B\x1b[B")
        .wait_for("❯ └─ user: question of an orphan");
    screen.send("\r").wait_for("│ question of an orphan").send("\x15");
    screen.say("/tree").wait_for(TITLE).send("extension").wait_for("❯ custom message").send("\r");
    screen.wait_for("│ said by an extension").send("\x15question epsilon\r").wait_for("epsilon-answer.");
    assert_eq!(messages(&file)[3]["parentId"], answer);
    choose_in_tree(&mut screen, "question alpha");
    screen.wait_for("│ question alpha").terminal.wait_without("alpha-answer.");
    screen.send("\x15question zeta\r").wait_for("zeta-answer.");
    assert_eq!(messages(&file)[5]["parentId"], Value::Null, "a second beginning");
    let body = screen.server.requests()[2].body.to_string();
    assert!(!body.contains("alpha") && !body.contains("epsilon"), "{body}");
}
