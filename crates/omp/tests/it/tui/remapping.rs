//! Actions whose keys can be chosen.

use omp_testkit::{Reply, Server, Wire};

use super::Screen;
use crate::support;

/// Actions with their usual key, another one, and what they are called.
const ACTIONS: &[(&str, &str, &str, &str)] = &[
    ("app.interrupt", "Escape", "Alt+1", "Stop or close"),
    ("app.clear", "Ctrl+C", "Alt+2", "Clear the prompt"),
    ("app.exit", "Ctrl+D", "Alt+3", "Exit, when the prompt is empty"),
    ("app.suspend", "Ctrl+Z", "Alt+4", "Suspend to the shell"),
    ("app.clipboard.pasteImage", "Ctrl+V", "Alt+5", "Paste an image"),
    ("app.retry", "Alt+R", "Alt+6", "Retry the last turn"),
    ("app.session.rename", "Ctrl+R", "Alt+7", "Rename the session"),
    ("app.session.delete", "Ctrl+D", "Alt+8", "Delete the session"),
    ("app.session.toggleSort", "Ctrl+S", "Alt+9", "Change sort order"),
    ("app.session.togglePath", "Ctrl+P", "Alt+0", "Show or hide session paths"),
    ("app.tree.foldOrUp", "Ctrl+Left", "Alt+J", "Fold, or go up"),
    ("app.tree.unfoldOrDown", "Ctrl+Right", "Alt+K", "Unfold, or go down"),
];

fn screen(keys: &str) -> Screen {
    let server = Server::start([Reply::new().text("hello")]);
    let home = support::home(&server, Wire::OpenAiCompletions);
    home.write("home/.omp/agent/keybindings.yml", keys);
    Screen::in_home(home, server, &[], 120, 110)
}

/// The keys that `/hotkeys` names for something.
fn keys_for<'a>(shown: &'a str, description: &str) -> &'a str {
    let row = shown.lines().find(|row| row.contains(description));
    let row = row.unwrap_or_else(|| panic!("{description} is missing:\n{shown}"));
    row.split(description).next().unwrap_or_default().trim()
}

/// The list names each of them, with the usual key and with the user's, and the user's works.
///
/// proves: TUI-126
#[test]
fn keys_can_be_others() {
    let mut usual = screen("{}\n");
    usual.say("/hotkeys").wait_for("Unfold, or go down");
    let shown = usual.terminal.screen();
    for (id, key, _, description) in ACTIONS {
        let named: Vec<&str> = keys_for(&shown, description).split(", ").collect();
        assert!(named.contains(key), "{id}: {named:?}");
    }
    let mine: String = ACTIONS.iter().map(|(id, _, key, _)| format!("{id}: {key}\n")).collect();
    let mut changed = screen(&mine);
    changed.say("/hotkeys").wait_for("Unfold, or go down");
    let shown = changed.terminal.screen();
    for (id, _, key, description) in ACTIONS {
        assert_eq!(keys_for(&shown, description), *key, "{id}");
    }
    changed.send("some text").wait_for("│ some text").send("\x1b2").wait_for("again to exit");
    changed.wait_for("Ask anything").send("\x1b3");
    assert!(changed.terminal.wait_exit().success(), "{}", changed.terminal.screen());
}
