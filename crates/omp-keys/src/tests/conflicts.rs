//! One chord, several wishes.

use super::{chord, shown, with_file};
use crate::{Added, Bindings, Context, Refused, Source, table};

const YML: &str = "keybindings.yml";

/// proves: CLI-259
#[test]
fn following_up_gives_its_spare_chord_away() {
    assert_eq!(shown(&Bindings::default(), "app.message.followUp"), ["Ctrl+Enter", "Ctrl+Q"]);
    for action in ["app.retry", "tui.editor.undo", "tui.select.cancel", "app.tree.foldOrUp"] {
        let (bindings, _) = with_file(YML, &format!("{action}: [ctrl+q, F1]\n"));
        assert_eq!(shown(&bindings, "app.message.followUp"), ["Ctrl+Enter"], "{action}");
        assert_eq!(shown(&bindings, action), ["Ctrl+Q", "F1"]);
        let (bindings, _) = with_file(YML, &format!("{action}: F1\n"));
        assert_eq!(shown(&bindings, "app.message.followUp"), ["Ctrl+Enter", "Ctrl+Q"], "{action}");
    }
    // Bound explicitly, it stays.
    let (bindings, _) = with_file(YML, "tui.select.cancel: Ctrl+Q\napp.message.followUp: Ctrl+Q\n");
    assert_eq!(shown(&bindings, "app.message.followUp"), ["Ctrl+Q"]);
    assert_eq!(bindings.action(Context::Select, chord("Ctrl+Q")), Some(table::SELECT_CANCEL));
    let (bindings, _) = with_file(YML, "app.session.observe: Ctrl+Q\napp.message.followUp: Ctrl+Q\n");
    assert_eq!(shown(&bindings, "app.message.followUp"), ["Ctrl+Q"]);
}

#[test]
fn a_wish_goes_before_what_is_built_in() {
    let (bindings, _) = with_file(YML, "app.history.search: Ctrl+P\ntui.editor.undo: Ctrl+T\n");
    assert_eq!(bindings.actions_for(chord("Ctrl+P")), [table::HISTORY_SEARCH, table::SESSION_TOGGLE_PATH]);
    assert_eq!(shown(&bindings, "app.model.cycleForward"), [""; 0]);
    assert_eq!(shown(&bindings, "app.thinking.toggle"), [""; 0]);
    assert_eq!(bindings.action(Context::Editor, chord("Ctrl+T")), Some(table::UNDO));
    let lost: Vec<&str> = bindings.conflicts().iter().map(|conflict| conflict.lost.as_str()).collect();
    assert_eq!(lost, ["app.model.cycleForward", "app.thinking.toggle"]);
    // Another place is no conflict.
    assert_eq!(bindings.action(Context::Sessions, chord("Ctrl+P")), Some(table::SESSION_TOGGLE_PATH));
}

#[test]
fn among_wishes_the_table_decides_whatever_the_file_says_first() {
    for content in ["app.retry: F1\napp.clear: F1\n", "app.clear: F1\napp.retry: F1\n"] {
        let (bindings, _) = with_file(YML, content);
        assert_eq!(bindings.actions_for(chord("F1")), [table::CLEAR], "{content}");
        let conflict = &bindings.conflicts()[0];
        assert_eq!((conflict.kept.as_str(), conflict.lost.as_str()), ("app.clear", "app.retry"));
    }
}

#[test]
fn pairs_that_share_a_chord_keep_it() {
    let (bindings, _) = with_file(YML, "tui.editor.deleteCharForward: [Delete, Ctrl+D]\n");
    assert_eq!(shown(&bindings, "app.exit"), ["Ctrl+D"]);
    let (bindings, _) = with_file(YML, "app.exit: Ctrl+X\ntui.editor.deleteCharForward: Ctrl+X\n");
    assert_eq!(bindings.actions_for(chord("Ctrl+X")), [table::EXIT, table::DELETE_CHAR_FORWARD]);
    assert_eq!(bindings.conflicts(), []);
}

fn added(text: &str, owner: &str) -> Added {
    Added { chord: chord(text), owner: owner.to_owned(), description: format!("{owner} at work") }
}

#[test]
fn extensions_get_free_chords() {
    let (mut bindings, _) = with_file(YML, "app.retry: F2\n");
    let reserved = "ctrl+c ctrl+d ctrl+z ctrl+k ctrl+p ctrl+l ctrl+o ctrl+t ctrl+g ctrl+q alt+m shift+tab \
                    shift+ctrl+p alt+enter escape enter";
    for text in reserved.split_whitespace() {
        assert_eq!(bindings.add(added(text, "x")), Err(Refused::Reserved(chord(text))));
    }
    bindings.add(added("F1", "notes")).unwrap();
    assert_eq!(bindings.add(added("f1", "late")), Err(Refused::Taken(chord("F1"), "notes".to_owned())));
    assert_eq!(bindings.add(added("F2", "late")), Err(Refused::Taken(chord("F2"), "app.retry".to_owned())));
    // What is built in but not reserved gives way.
    bindings.add(added("Alt+A", "agents")).unwrap();
    assert_eq!(bindings.actions_for(chord("Alt+A")), []);
    assert_eq!(bindings.added(chord("alt+a")).unwrap().owner, "agents");
    let list = bindings.list();
    let notes = list.iter().find(|entry| entry.description == "notes at work").unwrap();
    assert_eq!(notes.source, Source::Extension("notes".to_owned()));
    assert_eq!(notes.chords, [chord("F1")]);
    let retry = list.iter().find(|entry| entry.id == "app.retry").unwrap();
    assert_eq!((retry.source.clone(), retry.chords.clone()), (Source::User, vec![chord("F2")]));
}
