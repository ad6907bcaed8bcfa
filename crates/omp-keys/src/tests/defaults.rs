//! The chords of a user without files.

use omp_tui::input::{Code, Event, Key, Modifiers};

use super::{chord, shown};
use crate::{Action, Bindings, Chord, Context, Platform, UserKeys, describe, table};

/// Every documented chord, by action.
const DOCUMENTED: &[(&str, &str)] = &[
    ("app.interrupt", "Escape"),
    ("app.clear", "Ctrl+C"),
    ("app.exit", "Ctrl+D"),
    ("app.suspend", "Ctrl+Z"),
    ("app.display.reset", "Ctrl+L"),
    ("app.thinking.cycle", "Shift+Tab"),
    ("app.thinking.toggle", "Ctrl+T"),
    ("app.model.cycleForward", "Ctrl+P"),
    ("app.model.cycleBackward", "Ctrl+Shift+P"),
    ("app.model.select", "Alt+M"),
    ("app.model.selectTemporary", "Alt+P"),
    ("app.tools.expand", "Ctrl+O"),
    ("app.editor.external", "Ctrl+G"),
    ("app.plan.toggle", "Alt+Shift+P"),
    ("app.history.search", "Ctrl+R"),
    ("app.message.followUp", "Ctrl+Enter Ctrl+Q"),
    ("app.message.dequeue", "Alt+Up"),
    ("app.retry", "Alt+R"),
    ("app.clipboard.pasteImage", "Ctrl+V"),
    ("app.clipboard.pasteTextRaw", "Ctrl+Shift+V Alt+Shift+V"),
    ("app.clipboard.copyLine", "Alt+Shift+L"),
    ("app.clipboard.copyPrompt", "Alt+Shift+C"),
    ("app.agents.hub", "Alt+A"),
    ("app.session.observe", "Ctrl+S"),
    ("app.session.new", ""),
    ("app.session.tree", ""),
    ("app.session.fork", ""),
    ("app.session.resume", ""),
    ("app.session.togglePath", "Ctrl+P"),
    ("app.session.toggleSort", "Ctrl+S"),
    ("app.session.rename", "Ctrl+R"),
    ("app.session.delete", "Ctrl+D"),
    ("app.session.deleteNoninvasive", "Ctrl+Backspace"),
    ("app.tree.foldOrUp", "Ctrl+Left Alt+Left"),
    ("app.tree.unfoldOrDown", "Ctrl+Right Alt+Right"),
    ("app.stt.toggle", "Alt+H"),
    ("tui.editor.cursorUp", "Up"),
    ("tui.editor.cursorDown", "Down"),
    ("tui.editor.cursorLeft", "Left Ctrl+B"),
    ("tui.editor.cursorRight", "Right Ctrl+F"),
    ("tui.editor.cursorWordLeft", "Alt+Left Ctrl+Left Alt+B"),
    ("tui.editor.cursorWordRight", "Alt+Right Ctrl+Right Alt+F"),
    ("tui.editor.cursorLineStart", "Home Ctrl+A"),
    ("tui.editor.cursorLineEnd", "End Ctrl+E"),
    ("tui.editor.jumpForward", "Ctrl+]"),
    ("tui.editor.jumpBackward", "Ctrl+Alt+]"),
    ("tui.editor.pageUp", "PageUp"),
    ("tui.editor.pageDown", "PageDown"),
    ("tui.editor.deleteCharBackward", "Backspace"),
    ("tui.editor.deleteCharForward", "Delete Ctrl+D"),
    ("tui.editor.deleteWordBackward", "Ctrl+W Alt+Backspace Ctrl+Backspace Super+Alt+Backspace"),
    ("tui.editor.deleteWordForward", "Alt+Delete Alt+D Super+Alt+Delete Super+Alt+D"),
    ("tui.editor.deleteToLineStart", "Ctrl+U"),
    ("tui.editor.deleteToLineEnd", "Ctrl+K"),
    ("tui.editor.yank", "Ctrl+Y"),
    ("tui.editor.yankPop", "Alt+Y"),
    ("tui.editor.undo", "Ctrl+- Ctrl+_"),
    ("tui.input.newLine", "Shift+Enter Ctrl+J"),
    ("tui.input.submit", "Enter"),
    ("tui.input.tab", "Tab"),
    ("tui.input.copy", "Ctrl+C"),
    ("tui.select.up", "Up"),
    ("tui.select.down", "Down"),
    ("tui.select.pageUp", "PageUp"),
    ("tui.select.pageDown", "PageDown"),
    ("tui.select.confirm", "Enter"),
    ("tui.select.cancel", "Escape Ctrl+C"),
];

#[test]
fn the_table_is_the_documented_one() {
    let bindings = Bindings::new(Platform::Unix, &UserKeys::default());
    for (id, chords) in DOCUMENTED {
        let chords: Vec<&str> = chords.split_whitespace().collect();
        assert_eq!(shown(&bindings, id), chords, "{id}");
    }
    let known: Vec<&str> = DOCUMENTED.iter().map(|(id, _)| *id).collect();
    let more: Vec<&str> = Action::all().map(Action::id).filter(|id| !known.contains(id)).collect();
    assert_eq!(more, ["app.debug"]);
    assert_eq!(bindings.conflicts(), []);
    let windows = Bindings::new(Platform::Windows, &UserKeys::default());
    assert_eq!(shown(&windows, "app.clipboard.pasteImage"), ["Ctrl+V", "Alt+V"]);
}

#[test]
fn every_row_is_complete() {
    let mut names = std::collections::BTreeSet::new();
    for row in table::ROWS {
        assert!(names.insert(row.action.id()), "{:?} is there twice", row.action);
        assert!(!row.description.is_empty() && !row.description.ends_with('.'));
        assert_eq!(row.action.defaults(Platform::Unix).len(), row.chords.len(), "{:?}", row.action);
        for old in row.old_names {
            assert!(names.insert(old), "{old} is there twice");
        }
    }
    for text in table::RESERVED {
        assert!(text.parse::<Chord>().is_ok(), "{text}");
    }
    for context in Context::ALL {
        assert!(!context.title().is_empty());
        assert!(Action::all().any(|action| action.context() == context));
    }
}

#[test]
fn a_list_of_sessions_is_a_list() {
    let bindings = Bindings::default();
    let action = |context, text| bindings.action(context, chord(text));
    assert_eq!(action(Context::Sessions, "Up"), Some(table::SELECT_UP));
    assert_eq!(action(Context::Sessions, "Ctrl+D"), Some(table::SESSION_DELETE));
    assert_eq!(action(Context::Tree, "Enter"), Some(table::SELECT_CONFIRM));
    assert_eq!(action(Context::App, "Up"), None);
    assert_eq!(action(Context::Editor, "Up"), Some(table::CURSOR_UP));
    assert_eq!(bindings.hint(table::SESSION_NEW), None);
    assert_eq!(bindings.hint(table::MODEL_SELECT).as_deref(), Some("Alt+M"));
}

#[test]
fn a_key_can_be_explained() {
    let bindings = Bindings::default();
    let key = |code, modifiers| Event::Key(Key::new(code, modifiers));
    let up = describe(b"\x1b[1;3A", &key(Code::Up, Modifiers::ALT), &bindings);
    assert_eq!((up.bytes.as_str(), up.what.as_str()), ("ESC [ 1 ; 3 A", "Alt+Up"));
    assert_eq!((up.actions, up.same), (vec![table::MESSAGE_DEQUEUE], None));
    let tab = describe(b"\t", &key(Code::Tab, Modifiers::NONE), &bindings);
    assert_eq!((tab.bytes.as_str(), tab.actions), ("0x09", vec![table::TAB]));
    assert!(tab.same.unwrap().contains("Ctrl+I"));
    let free = describe(b"\x1bz", &key(Code::Char('z'), Modifiers::ALT), &bindings);
    assert_eq!((free.what.as_str(), free.actions), ("Alt+Z", vec![]));
    let paste = describe(b"x", &Event::Paste("äb".to_owned()), &bindings);
    assert_eq!(paste.what, "pasted text of 2 characters");
}
